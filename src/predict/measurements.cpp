#include "predict/measurements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/named_values.hpp"
#include "base/need.hpp"
#include "driver/verify.hpp"
#include "lang/lang.hpp"
#include "predict/devices.hpp"
#include "store/stored_target.hpp"

namespace hoist::predict {

namespace {

/// The number of the schema's version at the end of its name.
int version_in(std::string_view name) { return std::stoi(std::string(name.substr(name.rfind('-') + 1))); }

/// What a candidate's evaluations come to.
struct Seen {
  const store::StoredEvaluation* last = nullptr;
  double median = std::numeric_limits<double>::quiet_NaN();
};

/// One task's rows.
class Rows {
 public:
  Rows(store::Store& store, const store::StoredTask& task, model::Dataset& dataset)
      : store_(store),
        task_(task),
        device_(store::target_of(task.task.device)),
        schema_(features::schema(device_.machine.processor).name),
        dataset_(dataset),
        evaluations_(need(store.evaluations(task.id))) {
    for (const auto& [candidate, numbers] : need(store.features(task.id, schema_)))
      known_.emplace(candidate, numbers);
  }

  std::size_t count() const { return evaluations_.size(); }
  std::size_t left_out() const { return left_out_; }

  void add(const std::function<void()>& progress) {
    std::map<store::CandidateId, Seen> seen;
    std::vector<store::CandidateId> order;
    for (const store::StoredEvaluation& each : evaluations_) {
      const auto [place, is_new] = seen.try_emplace(each.candidate_id);
      if (is_new) order.push_back(each.candidate_id);
      place->second.last = &each;
      // A second look at what is fast is not a second candidate; the least of its medians had the least
      // noise.
      if (each.median) place->second.median = std::fmin(place->second.median, *each.median);
      progress();
    }
    const std::uint32_t task =
        dataset_.task({task_.task.program.name, assignments(task_.task.sizes), device_class(device_)});
    for (const store::CandidateId id : order) add(task, id, seen.at(id));
  }

 private:
  void add(std::uint32_t task, store::CandidateId id, const Seen& seen) {
    const store::StoredEvaluation& last = *seen.last;
    const std::vector<double>* numbers = features(id, last.candidate);
    if (numbers == nullptr) {
      ++left_out_;
      return;
    }
    model::Measurement row;
    row.task = task;
    row.derivation = dataset_.derivation(derivation_text(last.candidate.derivation));
    row.candidate = last.candidate.name;
    row.values = {last.candidate.parameters.begin(), last.candidate.parameters.end()};
    row.outcome = std::string(store::name_of(last.evaluation.outcome));
    row.seconds = seen.median;
    dataset_.add(std::move(row), *numbers);
  }

  const std::vector<double>* features(store::CandidateId id, const store::Candidate& candidate) {
    if (const auto known = known_.find(id); known != known_.end()) return &known->second;
    const ir::Arena of_this_candidate;
    auto numbers = features_of_term(candidate.term, device_);
    if (!numbers) return nullptr;
    need(store_.set_features(id, {schema_, *numbers}));
    return &known_.emplace(id, std::move(*numbers)).first->second;
  }

  store::Store& store_;
  const store::StoredTask& task_;
  target::Target device_;
  std::string schema_;
  model::Dataset& dataset_;
  std::vector<store::StoredEvaluation> evaluations_;
  std::map<store::CandidateId, std::vector<double>> known_;
  std::size_t left_out_ = 0;
};

model::Dataset collect(store::Store& store, const MeasurementsOptions& options) {
  need(name_features(store));
  std::vector<store::StoredTask> tasks = need(store.tasks());
  std::erase_if(tasks, [&](const store::StoredTask& each) {
    const auto& programs = options.programs;
    const bool is_wanted = programs.empty() || std::find(programs.begin(), programs.end(),
                                                         each.task.program.name) != programs.end();
    const std::string of = device_class(store::target_of(each.task.device));
    return !is_wanted || (!options.device_class.empty() && of != options.device_class);
  });
  std::size_t all = 0, done = 0, left_out = 0;
  for (const store::StoredTask& each : tasks) all += static_cast<std::size_t>(each.evaluations);
  // A table for each task, whose device says which features it has.
  std::vector<model::Dataset> tables;
  std::set<std::string> devices;
  for (const store::StoredTask& each : tasks) {
    devices.insert(each.task.device.name);
    tables.emplace_back().schema = feature_schema(store::target_of(each.task.device).machine.processor);
    Rows rows(store, each, tables.back());
    rows.add([&] {
      if (options.progress) options.progress(++done, all);
    });
    left_out += rows.left_out();
  }
  model::Dataset dataset = need(model::merge(tables));
  if (!devices.empty()) dataset.provenance[measured_devices] = fmt::format("{}", fmt::join(devices, "; "));
  if (left_out > 0) dataset.provenance["candidates left out"] = std::to_string(left_out);
  return dataset;
}

}  // namespace

model::Schema feature_schema(target::Processor processor) {
  model::Schema schema;
  schema.version = version_in(features::schema(processor).name);
  for (const features::Definition& each : features::schema(processor).features) {
    model::Feature feature{std::string(each.name), std::string(each.unit), std::string(each.group), ""};
    // The papers divide what grows with the input by the input's size.
    if (each.name.starts_with("global_size")) feature.per = "output_bytes";
    schema.features.push_back(std::move(feature));
  }
  return schema;
}

Result<void> name_features(store::Store& store) {
  return catch_failure([&] {
    for (const target::Processor processor : target::all_processors) {
      const features::Schema& schema = features::schema(processor);
      std::vector<std::string> names;
      for (const features::Definition& each : schema.features) names.emplace_back(each.name);
      need(store.name_features(std::string(schema.name), names));
    }
  });
}

Result<std::vector<double>> features_of_term(const std::string& term, const target::Target& device) {
  auto program = lang::parse_program(Source{"<store>", term});
  if (!program) return tl::unexpected(program.error());
  const auto compiled = driver::compile(*program, driver::options_for(device));
  if (!compiled) return tl::unexpected(compiled.error());
  return features::features_of(compiled->plan, device);
}

Result<model::Dataset> measurements_of(store::Store& store, const MeasurementsOptions& options) {
  return catch_failure([&] { return collect(store, options); });
}

std::string derivation_text(const std::vector<store::Step>& steps) {
  std::string text;
  for (const store::Step& step : steps) text += (text.empty() ? "" : "; ") + step.rule;
  return text.empty() ? "no macro rule" : text;
}

}  // namespace hoist::predict
