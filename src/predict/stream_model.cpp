// Learning fits the analytic model's constants, then what it gets wrong. A choice estimates all candidates by
// the analytic model, corrects the best of them, and takes the least. Last, the model as a file.
#include "predict/stream_model.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "learn/boosted_trees.hpp"
#include "model/files.hpp"
#include "predict/learned_task.hpp"
#include "predict/stream_explanation.hpp"

namespace hoist::predict {

namespace {

using learn::Json;

constexpr const char* stream_format = "hoist stream model";
constexpr int stream_version = 2;
/// Of the candidates only those that the analytic model finds fastest are looked at closer.
constexpr std::size_t most_corrected = 400;

std::vector<const StreamRecord*> records_of(const StreamTable& table) {
  std::vector<const StreamRecord*> records;
  for (const StreamRecord& each : table.records) records.push_back(&each);
  return records;
}

std::vector<std::int64_t> ascending(const std::set<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Whole numbers above 0, ascending. Throws Failure.
std::vector<std::int64_t> read_counts(const Json& json, const char* name) {
  auto counts = json.at(name).get<std::vector<std::int64_t>>();
  if (counts.empty() || counts.front() != 1 || !std::is_sorted(counts.begin(), counts.end()))
    throw_user(fmt::format("its '{}' are no ascending numbers from 1 on", name));
  return counts;
}

Json json_of(const StreamCaution& caution) {
  return {{"trust", caution.trust},
          {"doubt", caution.doubt},
          {"least_gain", caution.least_gain},
          {"tolerance", caution.tolerance},
          {"is_overlap_alone", caution.is_overlap_alone}};
}
/// Throws Failure.
StreamCaution read_caution(const Json& json) {
  const StreamCaution caution{json.at("trust").get<double>(), json.at("doubt").get<double>(),
                              json.at("least_gain").get<double>(), json.at("tolerance").get<double>(),
                              json.at("is_overlap_alone").get<bool>()};
  if (!(caution.trust >= 0 && caution.trust <= caution.doubt && caution.doubt <= 1))
    throw_user("its trust and its doubt are not from 0 to 1, the trust first");
  if (!(caution.least_gain >= 1 && caution.tolerance >= 1))
    throw_user("its least gain or its tolerance is below 1");
  return caution;
}

}  // namespace

Result<StreamModel> StreamModel::learn(const StreamTable& table, const Options& options) {
  return catch_failure([&] {
    StreamModel model;
    model.device_class_ = table.device_class;
    model.provenance_ = options.provenance;
    model.learned_from_ = table.records.size();
    std::set<std::int64_t> partitions = {1}, tasks = {1};
    for (const StreamRecord& record : table.records) {
      for (const TimedConfiguration& each : record.timed) {
        partitions.insert(each.configuration.partitions);
        tasks.insert(each.configuration.tasks);
      }
    }
    model.partitions_ = ascending(partitions);
    model.tasks_ = ascending(tasks);
    const std::vector<const StreamRecord*> records = records_of(table);
    model.constants_ = device_constants(records);
    const LearnedErrors learned = learned_errors(records, model.constants_, options.seed);
    model.errors_ = learned.errors;
    model.cautions_ = learned.cautions;
    return model;
  });
}

std::vector<double> StreamModel::expected_seconds(
    const StreamFeatures& features, const std::vector<StreamConfiguration>& configurations) const {
  const StreamTimes times(features, constants_);
  std::vector<double> seconds;
  seconds.reserve(configurations.size());
  for (const StreamConfiguration& each : configurations) seconds.push_back(times.of(each).seconds);
  const StreamCaution& caution = cautions_.of(features);
  if (!caution.uses_errors()) return seconds;
  std::vector<StreamConfiguration> asked = configurations;
  asked.push_back({1, 1});
  const auto errors = errors_->predict(error_inputs(features, constants_, asked));
  const double least = std::log(least_seconds(times));
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double error = errors[i].mean - errors.back().mean;
    seconds[i] = std::exp(caution.corrected(std::log(seconds[i]), error, least));
  }
  return seconds;
}

StreamConfiguration StreamModel::choose_among(const StreamFeatures& features,
                                              const std::vector<StreamConfiguration>& configurations) const {
  std::vector<StreamConfiguration> looked_at = configurations;
  if (looked_at.size() > most_corrected) {
    const StreamTimes times(features, constants_);
    std::vector<std::pair<double, StreamConfiguration>> estimated;
    estimated.reserve(looked_at.size());
    // A single stream is always looked at: what others must be faster than.
    for (const StreamConfiguration& each : configurations)
      estimated.emplace_back(each.is_single() ? 0 : times.of(each).seconds, each);
    std::nth_element(estimated.begin(), estimated.begin() + most_corrected, estimated.end());
    looked_at.clear();
    for (std::size_t i = 0; i < most_corrected; ++i) looked_at.push_back(estimated[i].second);
    std::sort(looked_at.begin(), looked_at.end());
  }
  return looked_at[chosen_by(looked_at, expected_seconds(features, looked_at), cautions_.of(features))];
}

std::vector<StreamConfiguration> StreamModel::candidates(const StreamProgram& program) const {
  std::vector<StreamConfiguration> result;
  for (const std::int64_t partitions : partitions_) {
    if (partitions > std::max<std::int64_t>(program.most_partitions, 1)) break;
    for (const std::int64_t tasks : tasks_) {
      if (tasks > std::max<std::int64_t>(program.most_tasks, 1)) break;
      // A partition without a task computes nothing.
      if (tasks >= partitions) result.push_back({partitions, tasks});
    }
  }
  return result;
}

StreamChoice StreamModel::choose(const StreamProgram& program) const {
  const StreamConfiguration chosen = choose_among(program.features, candidates(program));
  const std::vector<double> seconds = expected_seconds(program.features, {{1, 1}, chosen});
  const double speedup = seconds[0] / seconds[1];
  return {chosen.partitions, chosen.tasks, speedup,
          stream_explanation(program.features, constants_, chosen, speedup)};
}

StreamChoice streams_choice(const StreamProgram& program, const StreamModel& model) {
  return model.choose(program);
}

Json StreamModel::to_json() const {
  Json constants = Json::object();
  for (std::size_t i = 0; i < stream_constant_count; ++i)
    constants[std::string(name_of(static_cast<StreamConstant>(i)))] = constants_.values()[i];
  Json json = {
      {"format", stream_format},
      {"version", stream_version},
      {"device_class", device_class_},
      {"provenance", provenance_},
      {"constants", constants},
      {"partitions", partitions_},
      {"tasks", tasks_},
      {"cautions",
       {{"measured", json_of(cautions_.measured)}, {"not_measured", json_of(cautions_.not_measured)}}},
      {"learned_from", learned_from_}};
  if (errors_) json["errors"] = errors_->to_json();
  return json;
}

StreamModel StreamModel::read(const Json& json) {
  if (json.at("format") != stream_format || json.at("version") != stream_version)
    throw_user(fmt::format("it is no '{}' of version {}", stream_format, stream_version));
  StreamModel model;
  model.device_class_ = json.at("device_class").get<std::string>();
  model.provenance_ = json.at("provenance").get<std::map<std::string, std::string>>();
  model.learned_from_ = json.at("learned_from").get<std::size_t>();
  model.partitions_ = read_counts(json, "partitions");
  model.tasks_ = read_counts(json, "tasks");
  for (std::size_t i = 0; i < stream_constant_count; ++i) {
    const std::string name(name_of(static_cast<StreamConstant>(i)));
    const double value = json.at("constants").at(name).get<double>();
    if (!(value > 0) || !std::isfinite(value))
      throw_user(fmt::format("its constant '{}' is not above 0", name));
    model.constants_.values()[i] = value;
  }
  model.cautions_ = {read_caution(json.at("cautions").at("measured")),
                     read_caution(json.at("cautions").at("not_measured"))};
  if (model.cautions_.use_errors()) {
    auto errors = learn::make_boosted_trees({});
    if (auto read = errors->from_json(json.at("errors"), error_input_count()); !read)
      throw Failure(std::move(read.error()));
    model.errors_ = std::move(errors);
  }
  return model;
}

Result<StreamModel> StreamModel::parse(std::string_view bytes, const std::string& name) {
  return parse_learned(stream_task, bytes, name, [](const Json& json) { return read(json); });
}

Result<void> StreamModel::save(const std::string& path) const {
  return model::write_file(path, to_json().dump() + "\n");
}

Result<StreamModel> StreamModel::load(const std::string& path) {
  const auto text = model::read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse(*text, path);
}

}  // namespace hoist::predict
