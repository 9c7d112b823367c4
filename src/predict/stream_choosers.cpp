// First what choosers share; then those that need no learner (fixed choices, Liu et al., van Werkhoven et
// al.), the classifier, the network, ours; last the table of all of them.
#include "predict/stream_choosers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/random.hpp"
#include "learn/cross_validation.hpp"
#include "learn/network.hpp"
#include "learn/support_vectors.hpp"
#include "predict/stream_errors.hpp"
#include "predict/stream_inputs.hpp"
#include "predict/stream_model.hpp"

namespace hoist::predict {

namespace {

using Records = std::span<const StreamRecord* const>;
using Configurations = std::span<const StreamConfiguration>;

/// The mean over programs of the logarithms of shares of the best speed.
template <class Choose>
double mean_share(Records records, const Choose& choose) {
  double sum = 0;
  for (const StreamRecord* each : records) sum += std::log(share_of_best(*each, choose(*each)));
  return sum / static_cast<double>(records.size());
}

class Single : public StreamChooser {
 public:
  void learn(Records) override {}
  StreamConfiguration choose(const StreamFeatures&, Configurations) const override { return {1, 1}; }
};

class Fixed : public StreamChooser {
 public:
  explicit Fixed(const StreamConfiguration& fixed) : fixed_(fixed) {}
  void learn(Records) override {}
  StreamConfiguration choose(const StreamFeatures&, Configurations configurations) const override {
    return nearest_configuration(configurations, fixed_);
  }

 private:
  StreamConfiguration fixed_;
};

/// The configuration that is the best in the mean of the programs that were learned from.
class BestFixed : public StreamChooser {
 public:
  void learn(Records records) override {
    std::set<StreamConfiguration> all;
    for (const StreamRecord* record : records) {
      for (const TimedConfiguration& each : record->timed) all.insert(each.configuration);
    }
    double best = -std::numeric_limits<double>::infinity();
    for (const StreamConfiguration& each : all) {
      const double share = mean_share(records, [&](const StreamRecord& record) {
        return nearest_configuration(configurations_of(record), each);
      });
      if (share <= best) continue;
      best = share;
      fixed_ = each;
    }
  }
  StreamConfiguration choose(const StreamFeatures&, Configurations configurations) const override {
    return nearest_configuration(configurations, fixed_);
  }

 private:
  StreamConfiguration fixed_;
};

/// A model of the number of tasks alone. It says nothing of partitions: the paper makes as many as tasks;
/// here they are that or a fixed number, whichever served the programs that were learned from better.
class TaskModel : public StreamChooser {
 public:
  using Seconds = double (*)(const TransferModel&, double tasks);
  explicit TaskModel(Seconds seconds) : seconds_(seconds) {}

  void learn(Records records) override {
    constants_ = device_constants(records);
    std::set<std::int64_t> counts = {as_many};
    for (const StreamRecord* record : records) {
      for (const TimedConfiguration& each : record->timed) counts.insert(each.configuration.partitions);
    }
    double best = -std::numeric_limits<double>::infinity();
    std::int64_t best_count = as_many;
    for (const std::int64_t each : counts) {
      partitions_ = each;
      const double share = mean_share(records, [&](const StreamRecord& record) {
        return choose(record.features, configurations_of(record));
      });
      if (share <= best) continue;
      best = share;
      best_count = each;
    }
    partitions_ = best_count;
  }

  StreamConfiguration choose(const StreamFeatures& features, Configurations configurations) const override {
    const TransferModel model = model_of(features);
    std::set<std::int64_t> counts;
    for (const StreamConfiguration& each : configurations) counts.insert(each.tasks);
    const auto seconds = [&](std::int64_t tasks) { return seconds_(model, static_cast<double>(tasks)); };
    const std::int64_t tasks = *std::min_element(
        counts.begin(), counts.end(), [&](auto one, auto other) { return seconds(one) < seconds(other); });
    return nearest_configuration(configurations, {partitions_ == as_many ? tasks : partitions_, tasks});
  }

 private:
  static constexpr std::int64_t as_many = 0;  ///< partitions as tasks

  TransferModel model_of(const StreamFeatures& features) const {
    const StreamEstimate single = StreamTimes(features, constants_).of({1, 1});
    const double commands = features.get_or(StreamFeature::InputArrays, 1);
    TransferModel model;
    model.latency = commands * constants_[StreamConstant::UploadLatency];
    model.upload = std::max(single.upload - model.latency, 0.0) + single.once;
    model.kernel = single.kernel;
    model.download = std::max(single.download - constants_[StreamConstant::DownloadLatency], 0.0);
    model.gap = model.latency + constants_[StreamConstant::TaskSeconds] +
                commands * constants_[StreamConstant::CommandSeconds];
    model.launch = features.get_or(StreamFeature::Kernels, 1) *
                   (constants_[StreamConstant::LaunchSeconds] + constants_[StreamConstant::CommandSeconds]);
    return model;
  }

  Seconds seconds_;
  StreamConstants constants_;
  std::int64_t partitions_ = as_many;
};

/// The classifier of the earlier paper (Auto-tuning streamed applications on Intel Xeon Phi, IPDPS 2018): a
/// label for each configuration, labels merged, support vectors with a radial basis function. How much labels
/// are merged, and the two numbers of the machine, are chosen by cross-validation.
class SupportVectors : public StreamChooser {
 public:
  explicit SupportVectors(std::uint64_t seed) : seed_(seed) {}

  void learn(Records records) override {
    Form best;
    double best_share = -std::numeric_limits<double>::infinity();
    for (const double cover : {0.9, 0.95, 0.98}) {
      for (const double capacity : {1.0, 10.0, 100.0}) {
        for (const double gamma : {0.3, 1.0, 3.0}) {
          const Form form{cover, capacity, gamma};
          const double share = unseen_share(records, form);
          if (share <= best_share) continue;
          best_share = share;
          best = form;
        }
      }
    }
    learn(records, best);
  }

  StreamConfiguration choose(const StreamFeatures& features, Configurations configurations) const override {
    return nearest_configuration(configurations, label_of(features));
  }

 private:
  struct Form {
    double cover = 0.95, capacity = 10, gamma = 1;
  };

  double unseen_share(Records records, const Form& form) {
    constexpr std::uint32_t folds = 4;
    std::map<std::string, std::uint32_t> numbers;
    std::vector<std::uint32_t> groups;
    for (const StreamRecord* each : records)
      groups.push_back(
          numbers.try_emplace(each->group, static_cast<std::uint32_t>(numbers.size())).first->second);
    if (numbers.size() < 2) return 0;
    Random random(seed_);
    double sum = 0;
    for (const learn::Fold& fold : learn::folds_of(groups, folds, random)) {
      std::vector<const StreamRecord*> seen, left_out;
      for (const std::uint32_t each : fold.seen) seen.push_back(records[each]);
      for (const std::uint32_t each : fold.left_out) left_out.push_back(records[each]);
      learn(seen, form);
      sum += static_cast<double>(left_out.size()) * mean_share(left_out, [&](const StreamRecord& record) {
               return choose(record.features, configurations_of(record));
             });
    }
    return sum;
  }

  void learn(Records records, const Form& form) {
    inputs_.emplace(records, StreamInputs::Scale::Linear);
    labels_ = covering_configurations(records, form.cover);
    std::vector<StreamFeatures> programs;
    std::vector<std::uint32_t> classes;
    for (const StreamRecord* each : records) {
      programs.push_back(each->features);
      classes.push_back(best_label(*each));
    }
    machine_.reset();
    if (labels_.size() < 2) return;
    machine_ = learn::make_support_vector_classifier({form.capacity, form.gamma});
    machine_->fit(inputs_->scaled(programs), classes, static_cast<std::uint32_t>(labels_.size()));
  }

  std::uint32_t best_label(const StreamRecord& record) const {
    std::uint32_t best = 0;
    double best_share = -1;
    for (std::uint32_t i = 0; i < labels_.size(); ++i) {
      const double share =
          share_of_best(record, nearest_configuration(configurations_of(record), labels_[i]));
      if (share <= best_share) continue;
      best_share = share;
      best = i;
    }
    return best;
  }

  StreamConfiguration label_of(const StreamFeatures& features) const {
    if (!machine_) return labels_.front();
    return labels_[machine_->classify(inputs_->scaled({&features, 1})).front()];
  }

  std::uint64_t seed_;
  std::optional<StreamInputs> inputs_;
  std::vector<StreamConfiguration> labels_;
  std::unique_ptr<learn::Classifier> machine_;
};

/// The paper's network: nine principal components of the features and the configuration in, the speed-up out,
/// three hidden layers of nine neurons.
class Network : public StreamChooser {
 public:
  Network(StreamInputs::Scale scale, std::uint64_t seed) : scale_(scale), seed_(seed) {}

  void learn(Records records) override {
    inputs_.emplace(records, scale_);
    learn::Examples examples;
    for (const StreamRecord* each : records) {
      const Matrix rows = rows_of(each->features, configurations_of(*each));
      examples.rows.width = rows.width;
      examples.rows.numbers.insert(examples.rows.numbers.end(), rows.numbers.begin(), rows.numbers.end());
      for (const TimedConfiguration& timed : each->timed)
        examples.targets.push_back(target_of(each->single_seconds() / timed.seconds));
    }
    standardize(examples.targets);
    constexpr double effort = 3;
    network_ = learn::make_network({seed_, 1, effort}, {{9, 9, 9}, learn::Activation::HyperbolicTangent});
    network_->fit(examples);
  }

  StreamConfiguration choose(const StreamFeatures& features, Configurations configurations) const override {
    const std::vector<learn::Prediction> speeds = network_->predict(rows_of(features, configurations));
    const auto best = std::max_element(speeds.begin(), speeds.end(), [](const auto& one, const auto& other) {
      return one.mean < other.mean;
    });
    return configurations[static_cast<std::size_t>(best - speeds.begin())];
  }

 private:
  double target_of(double speedup) const {
    return scale_ == StreamInputs::Scale::Logarithmic ? std::log(speedup) : speedup;
  }
  double count_of(std::int64_t count) const { return target_of(static_cast<double>(count)); }

  Matrix rows_of(const StreamFeatures& features, Configurations configurations) const {
    const Matrix components = inputs_->components({&features, 1});
    Matrix rows;
    for (const StreamConfiguration& each : configurations) {
      std::vector<double> row(components.row(0).begin(), components.row(0).end());
      row.push_back(count_of(each.partitions));
      row.push_back(count_of(each.tasks));
      rows.add(row);
    }
    return rows;
  }

  /// Targets as Z-scores: the scale of an order does not matter, but that of a gradient does.
  static void standardize(std::vector<double>& targets) {
    const Matrix column{1, targets};
    targets = learn::Standardization::of(column).apply(column).numbers;
  }

  StreamInputs::Scale scale_;
  std::uint64_t seed_;
  std::optional<StreamInputs> inputs_;
  std::unique_ptr<learn::StoredRegressor> network_;
};

/// Ours, asked with all that is known of a program or with its static features alone, as at the first call.
enum class Known : std::uint8_t { All, Static };
class Ours : public StreamChooser {
 public:
  Ours(Known known, std::uint64_t seed) : known_(known), seed_(seed) {}
  void learn(Records records) override {
    StreamTable table;
    for (const StreamRecord* each : records) table.records.push_back(*each);
    auto learned = StreamModel::learn(table, {.seed = seed_});
    if (!learned) throw Failure(std::move(learned.error()));
    model_.emplace(*std::move(learned));
  }
  StreamConfiguration choose(const StreamFeatures& features, Configurations configurations) const override {
    return model_->choose_among(known_ == Known::All ? features : features.static_ones(),
                                {configurations.begin(), configurations.end()});
  }

 private:
  Known known_;
  std::uint64_t seed_;
  std::optional<StreamModel> model_;
};

/// Ours without what is learned of its errors.
class Analytic : public StreamChooser {
 public:
  void learn(Records records) override { constants_ = device_constants(records); }
  StreamConfiguration choose(const StreamFeatures& features, Configurations configurations) const override {
    const StreamTimes times(features, constants_);
    std::vector<double> seconds;
    for (const StreamConfiguration& each : configurations) seconds.push_back(times.of(each).seconds);
    return configurations[chosen_by(configurations, seconds, {})];
  }

 private:
  StreamConstants constants_;
};

template <class Chooser, auto... arguments>
std::unique_ptr<StreamChooser> made(std::uint64_t seed) {
  if constexpr (std::is_constructible_v<Chooser, decltype(arguments)..., std::uint64_t>) {
    return std::make_unique<Chooser>(arguments..., seed);
  } else {
    return std::make_unique<Chooser>(arguments...);
  }
}

constexpr StreamChooserKind chooser_kinds[] = {
    {"ours", "an analytic model of the pipeline, corrected by boosted trees", made<Ours, Known::All>},
    {"ours-static", "the same for a program that never ran", made<Ours, Known::Static>},
    {"analytic", "the same without the trees", made<Analytic>},
    {"network", "the paper's network: features as they are", made<Network, StreamInputs::Scale::Linear>},
    {"network-log", "the same on logarithmic scales", made<Network, StreamInputs::Scale::Logarithmic>},
    {"svm", "the earlier paper's classifier, labels merged", made<SupportVectors>},
    {"liu", "Liu et al., tasks by an analytic model", made<TaskModel, &liu_seconds>},
    {"werkhoven", "van Werkhoven et al., tasks by an analytic model", made<TaskModel, &werkhoven_seconds>},
    {"best-fixed", "the configuration that is the best in the mean of what was learned from",
     made<BestFixed>},
    {"fixed-2-2", "two partitions, two tasks",
     [](std::uint64_t) -> std::unique_ptr<StreamChooser> {
       return std::make_unique<Fixed>(StreamConfiguration{2, 2});
     }},
    {"fixed-4-4", "four partitions, four tasks",
     [](std::uint64_t) -> std::unique_ptr<StreamChooser> {
       return std::make_unique<Fixed>(StreamConfiguration{4, 4});
     }},
    {"single", "one stream", made<Single>},
};

}  // namespace

std::span<const StreamChooserKind> stream_chooser_kinds() { return chooser_kinds; }

StreamConfiguration nearest_configuration(Configurations configurations, const StreamConfiguration& wanted) {
  const auto distance = [&](const StreamConfiguration& each) {
    const double partitions =
        std::log(static_cast<double>(each.partitions) / static_cast<double>(wanted.partitions));
    const double tasks = std::log(static_cast<double>(each.tasks) / static_cast<double>(wanted.tasks));
    return partitions * partitions + tasks * tasks;
  };
  return *std::min_element(
      configurations.begin(), configurations.end(),
      [&](const auto& one, const auto& other) { return distance(one) < distance(other); });
}

double share_of_best(const StreamRecord& record, const StreamConfiguration& chosen) {
  const auto found =
      std::find_if(record.timed.begin(), record.timed.end(),
                   [&](const TimedConfiguration& each) { return each.configuration == chosen; });
  if (found == record.timed.end()) throw Bug("a configuration was chosen that was not timed");
  return record.best().seconds / found->seconds;
}

std::vector<StreamConfiguration> configurations_of(const StreamRecord& record) {
  std::vector<StreamConfiguration> configurations;
  for (const TimedConfiguration& each : record.timed) configurations.push_back(each.configuration);
  return configurations;
}

double liu_seconds(const TransferModel& model, double tasks) {
  const double transfers = model.upload + model.download;
  if (tasks <= 1) return model.latency + transfers + model.kernel + model.launch;
  // With m of N elements in a task: alpha m + beta + N gamma / m + N eta, and alpha N + 2 beta N / m.
  if (model.kernel > transfers)
    return transfers / tasks + model.latency + model.kernel + tasks * model.launch;
  return transfers + 2 * tasks * model.latency;
}

double werkhoven_seconds(const TransferModel& model, double tasks) {
  const auto whole = [&](double transfer) { return model.latency + transfer + model.gap * (tasks - 1); };
  const auto part = [&](double transfer) { return model.latency + transfer / tasks; };
  return std::max({whole(model.upload) + model.kernel / tasks + part(model.download),
                   part(model.upload) + model.kernel + part(model.download),
                   part(model.upload) + model.kernel / tasks + whole(model.download)});
}

std::vector<StreamConfiguration> covering_configurations(Records records, double share) {
  std::map<StreamConfiguration, std::set<std::size_t>> served;
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < records.size(); ++i) {
    left.insert(i);
    const double best = records[i]->best().seconds;
    for (const TimedConfiguration& each : records[i]->timed) {
      if (best / each.seconds >= share) served[each.configuration].insert(i);
    }
  }
  std::vector<StreamConfiguration> chosen;
  while (!left.empty()) {
    const StreamConfiguration* best = nullptr;
    std::size_t most = 0;
    for (const auto& [configuration, programs] : served) {
      const auto count = static_cast<std::size_t>(
          std::count_if(programs.begin(), programs.end(), [&](std::size_t i) { return left.count(i) > 0; }));
      if (count <= most) continue;
      most = count;
      best = &configuration;
    }
    chosen.push_back(*best);
    for (const std::size_t each : served.at(*best)) left.erase(each);
  }
  return chosen;
}

}  // namespace hoist::predict
