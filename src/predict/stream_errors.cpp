// `error_inputs` says what is seen of a configuration; `learned_errors` grows trees from the configurations
// of all programs, and chooses by cross-validation over the groups of programs how much of their answer
// counts.
#include "predict/stream_errors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "learn/boosted_trees.hpp"
#include "learn/cross_validation.hpp"

namespace hoist::predict {

namespace {

/// Configurations that constants are fitted to, of all programs together: more say nothing new.
constexpr std::size_t most_fitted = 6000;
constexpr std::size_t most_error_rows = 20000;  ///< that trees are grown from
constexpr double error_effort = 0.5;            ///< half as many trees as usual: 60
constexpr std::uint32_t error_folds = 5;
constexpr std::size_t fewest_groups = 4;
constexpr double shares_of_trust[] = {0, 0.25, 0.5, 0.75, 1};
constexpr double least_gains[] = {1.01, 1.03, 1.06, 1.1, 1.2};
/// On a device where a single stream is the best of most programs, or within this of it, nobody expects that
/// a program streams: there a choice that is slower than a single stream by more than noise is regretted so
/// much more than one that only gains less than the best. Elsewhere both are the same loss.
constexpr double as_fast_as_the_best = 1.02;
constexpr double slowdown_of_noise = 1.01;
constexpr double weight_of_slowdowns = 19;
constexpr double tolerances[] = {1, 1.01, 1.02, 1.04};

double logarithm(double number) { return std::log(std::max(number, 1e-12)); }
double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Numbers of a program that are the same for all of its configurations.
std::vector<double> program_inputs(const StreamFeatures& features) {
  using enum StreamFeature;
  const double upload = features.get_or(UploadBytes, 0), bytes = upload + features.get_or(DownloadBytes, 0);
  return {share_of(features.get_or(SharedBytes, 0), upload),
          share_of(features.get_or(RedundantBytes, 0) * features.get_or(MostTasks, 1), upload),
          share_of(features.get_or(Instructions, 0), bytes),
          share_of(features.get_or(GlobalBytes, 0), bytes),
          share_of(features.get_or(DivergentBranches, 0), features.get_or(Branches, 0)),
          features.get_or(Kernels, 1),
          features.get_or(Steps, 1),
          features.get_or(LoopNest, 1),
          features.get_or(AccessType1, 0),
          features.get_or(AccessType2, 0),
          share_of(features.get_or(LocalAccesses, 0), features.get_or(Instructions, 0)),
          features.get_or(L1MissRate, 0),
          features.get_or(L2MissRate, 0),
          features.get_or(BranchMissRate, 0),
          features.get_or(CyclesPerInstruction, 0),
          features.has(KernelSeconds) ? 1.0 : 0.0};
}

void add_configuration(std::vector<double>& inputs, const StreamEstimate& estimate,
                       const StreamEstimate& single, const StreamFeatures& features,
                       const StreamConfiguration& configuration) {
  const auto tasks = static_cast<double>(configuration.tasks);
  const auto partitions = static_cast<double>(configuration.partitions);
  const double rounds = std::ceil(tasks / partitions);
  const double transferred =
      features.get_or(StreamFeature::UploadBytes, 0) + features.get_or(StreamFeature::DownloadBytes, 0);
  inputs.insert(
      inputs.end(),
      {std::log(partitions), std::log(tasks), std::log(tasks / partitions), tasks / (rounds * partitions),
       share_of(estimate.upload, estimate.first_task), share_of(estimate.kernel, estimate.first_task),
       logarithm(estimate.upload), logarithm(estimate.kernel), logarithm(estimate.download),
       logarithm(single.seconds), logarithm(estimate.seconds / single.seconds),
       share_of(estimate.rest, estimate.seconds), share_of(estimate.host, estimate.seconds),
       share_of(estimate.kernels, estimate.seconds), logarithm(parallel_items(features) / tasks),
       // Whether a task's data stay in a cache.
       logarithm(transferred / tasks),
       logarithm(features.get_or(StreamFeature::GlobalBytes, transferred) / tasks)});
}
constexpr std::size_t configuration_inputs = 17;

/// Every so-manieth place, the first among them.
std::vector<std::size_t> sampled(std::size_t count, std::size_t most) {
  const std::size_t step = (count + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; i += step) places.push_back(i);
  return places;
}

/// All configurations of a program, with what the analytic model says of them.
struct Estimated {
  bool is_measured = false;  ///< whether its kernels were timed
  std::vector<StreamConfiguration> configurations;
  Matrix inputs;
  std::vector<double> estimated, measured;  ///< logarithms of seconds
  double least = 0;                         ///< what overlap alone can make of a single stream
};

Estimated estimated(const StreamRecord& record, const StreamFeatures& features,
                    const StreamConstants& constants) {
  Estimated result;
  result.is_measured = features.has(StreamFeature::KernelSeconds);
  const StreamTimes times(features, constants);
  for (const TimedConfiguration& each : record.timed) {
    result.configurations.push_back(each.configuration);
    result.estimated.push_back(std::log(times.of(each.configuration).seconds));
    result.measured.push_back(std::log(each.seconds));
  }
  result.least = std::log(least_seconds(times));
  result.inputs = error_inputs(features, constants, result.configurations);
  return result;
}

/// What trees learn: errors by how far they are from the program's own mean, fast configurations before slow
/// ones, all programs alike.
learn::Examples examples_of(const std::vector<Estimated>& programs,
                            const std::vector<std::uint32_t>& places) {
  learn::Examples examples;
  const std::size_t most_each =
      std::max<std::size_t>(most_error_rows / std::max<std::size_t>(places.size(), 1), 8);
  for (const std::uint32_t place : places) {
    const Estimated& program = programs[place];
    const std::vector<std::size_t> rows = sampled(program.measured.size(), most_each);
    const double best = *std::min_element(program.measured.begin(), program.measured.end());
    double mean = 0, sum = 0;
    std::vector<double> weights;
    for (const std::size_t row : rows) {
      weights.push_back(0.1 + std::exp(best - program.measured[row]));
      sum += weights.back();
      mean += weights.back() * (program.measured[row] - program.estimated[row]);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      examples.rows.add(program.inputs.row(rows[i]));
      examples.targets.push_back(program.measured[rows[i]] - program.estimated[rows[i]] - mean / sum);
      examples.weights.push_back(weights[i] / sum);
    }
  }
  const double scale = static_cast<double>(examples.targets.size()) / static_cast<double>(places.size());
  for (double& each : examples.weights) each *= scale;
  return examples;
}

std::unique_ptr<learn::StoredRegressor> grown(const std::vector<Estimated>& programs,
                                              const std::vector<std::uint32_t>& places, std::uint64_t seed) {
  auto trees = learn::make_boosted_trees({seed, 1, error_effort});
  trees->fit(examples_of(programs, places));
  return trees;
}

bool is_best_in_a_single_stream(const Estimated& program) {
  const double best = *std::min_element(program.measured.begin(), program.measured.end());
  return program.measured.front() - best < std::log(as_fast_as_the_best);
}

/// By how much more a choice is regretted that is slower than a single stream, as these programs show.
double weight_of_slowdowns_for(const std::vector<Estimated>& programs) {
  const auto best = std::count_if(programs.begin(), programs.end(), is_best_in_a_single_stream);
  return 2 * static_cast<std::size_t>(best) > programs.size() ? weight_of_slowdowns : 0;
}

/// The logarithm of the speed of what would be chosen over the best one's, and of what it loses against a
/// single stream, which is the first configuration, by the weight.
double choice_of(const Estimated& program, const std::vector<learn::Prediction>& errors,
                 const StreamCaution& caution, double weight) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double error = errors[i].mean - errors.front().mean;
    seconds.push_back(std::exp(caution.corrected(program.estimated[i], error, program.least)));
  }
  const double chosen = program.measured[chosen_by(program.configurations, seconds, caution)];
  const double best = *std::min_element(program.measured.begin(), program.measured.end());
  const double lost = chosen - program.measured.front() - std::log(slowdown_of_noise);
  return best - chosen - weight * std::max(lost, 0.0);
}

/// Each caution that may be taken, with what its choices gain.
std::vector<std::pair<double, StreamCaution>> cautions(bool is_overlap_alone) {
  std::vector<std::pair<double, StreamCaution>> all;
  for (const double trust : shares_of_trust) {
    for (const double doubt : {trust, 1.0}) {
      for (const double gain : least_gains) {
        for (const double tolerance : tolerances)
          all.push_back({0, {trust, doubt, gain, tolerance, is_overlap_alone}});
      }
    }
  }
  return all;
}

}  // namespace

StreamConstants device_constants(std::span<const StreamRecord* const> records) {
  const std::size_t most_each =
      std::max<std::size_t>(most_fitted / std::max<std::size_t>(records.size(), 1), 8);
  std::vector<TimedStreams> programs;
  for (const StreamRecord* each : records) {
    TimedStreams& program = programs.emplace_back();
    program.features = &each->features;
    const std::size_t step = (each->timed.size() + most_each - 1) / most_each;
    for (std::size_t i = 0; i < each->timed.size(); i += step) {
      program.configurations.push_back(each->timed[i].configuration);
      program.seconds.push_back(each->timed[i].seconds);
    }
  }
  return fitted_constants(programs);
}

double least_seconds(const StreamTimes& times) {
  const StreamEstimate single = times.of({1, 1});
  return std::max({single.shared_upload + single.upload, single.kernel, single.download});
}

std::size_t error_input_count() { return configuration_inputs + program_inputs({}).size(); }

Matrix error_inputs(const StreamFeatures& features, const StreamConstants& constants,
                    std::span<const StreamConfiguration> configurations) {
  const std::vector<double> of_program = program_inputs(features);
  const StreamTimes times(features, constants);
  const StreamEstimate single = times.of({1, 1});
  Matrix inputs{error_input_count(), {}};
  inputs.numbers.reserve(configurations.size() * inputs.width);
  for (const StreamConfiguration& each : configurations) {
    add_configuration(inputs.numbers, times.of(each), single, features, each);
    inputs.numbers.insert(inputs.numbers.end(), of_program.begin(), of_program.end());
  }
  return inputs;
}

std::size_t chosen_by(std::span<const StreamConfiguration> configurations, std::span<const double> seconds,
                      const StreamCaution& caution) {
  const auto fastest =
      static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
  std::size_t chosen = fastest;
  const auto size = [&](std::size_t at) {
    return std::pair(configurations[at].tasks, configurations[at].partitions);
  };
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (configurations[i].is_single() && seconds[i] < caution.least_gain * seconds[fastest]) return i;
    const bool is_as_fast = seconds[i] <= caution.tolerance * seconds[fastest];
    if (is_as_fast && !configurations[i].is_single() && size(i) < size(chosen)) chosen = i;
  }
  return chosen;
}

LearnedErrors learned_errors(std::span<const StreamRecord* const> records, const StreamConstants& constants,
                             std::uint64_t seed) {
  std::vector<Estimated> programs;
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> groups;
  for (const StreamRecord* each : records) {
    const auto number = static_cast<std::uint32_t>(numbers.size());
    const std::uint32_t group = numbers.try_emplace(each->group, number).first->second;
    programs.push_back(estimated(*each, each->features, constants));
    groups.push_back(group);
    if (!programs.back().is_measured) continue;
    programs.push_back(estimated(*each, each->features.static_ones(), constants));
    groups.push_back(group);
  }
  if (numbers.size() < fewest_groups) return {};
  const double weight = weight_of_slowdowns_for(programs);
  Random random(seed);
  auto measured = cautions(weight > 0), not_measured = measured;
  for (const learn::Fold& fold : learn::folds_of(groups, error_folds, random)) {
    const auto trees = grown(programs, fold.seen, seed);
    for (const std::uint32_t place : fold.left_out) {
      const std::vector<learn::Prediction> errors = trees->predict(programs[place].inputs);
      for (auto& [gain, caution] : programs[place].is_measured ? measured : not_measured)
        gain += choice_of(programs[place], errors, caution, weight);
    }
  }
  const auto best = [](const auto& all) {
    return std::max_element(all.begin(), all.end(),
                            [](const auto& one, const auto& other) { return one.first < other.first; })
        ->second;
  };
  LearnedErrors learned;
  learned.cautions = {best(measured), best(not_measured)};
  if (!learned.cautions.use_errors()) return learned;
  std::vector<std::uint32_t> all(programs.size());
  std::iota(all.begin(), all.end(), 0U);
  learned.errors = grown(programs, all, seed);
  return learned;
}

}  // namespace hoist::predict
