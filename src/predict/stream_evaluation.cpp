#include "predict/stream_evaluation.hpp"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/parallel.hpp"
#include "learn/statistics.hpp"
#include "predict/stream_inputs.hpp"

namespace hoist::predict {

namespace {

constexpr const char* oracle_name = "oracle";

std::vector<StreamChooserKind> kinds_named(const std::vector<std::string>& names) {
  const auto all = stream_chooser_kinds();
  if (names.empty()) return {all.begin(), all.end()};
  std::vector<StreamChooserKind> kinds;
  std::string known;
  for (const StreamChooserKind& each : all)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const StreamChooserKind& each) { return each.name == name; });
    if (found == all.end())
      throw_user(fmt::format("nothing that chooses streams is called '{}'", name), {},
                 "these are known: " + known);
    kinds.push_back(*found);
  }
  return kinds;
}

void judge(StreamJudgement& judgement, const StreamTable& table) {
  for (std::size_t i = 0; i < table.records.size(); ++i) {
    const StreamRecord& record = table.records[i];
    judgement.shares.push_back(share_of_best(record, judgement.choices[i]));
    judgement.speedups.push_back(judgement.shares.back() * record.single_seconds() / record.best().seconds);
  }
}

std::vector<std::pair<std::string, double>> importances_of(const StreamTable& table) {
  std::vector<const StreamRecord*> records;
  for (const StreamRecord& each : table.records) records.push_back(&each);
  const StreamInputs inputs(records, StreamInputs::Scale::Linear);
  std::vector<std::pair<std::string, double>> importances;
  for (std::size_t i = 0; i < inputs.columns().size(); ++i) {
    double share = 0;
    for (const double each : inputs.variance_shares().row(i)) share += each;
    importances.emplace_back(stream_input_names()[inputs.columns()[i]], share);
  }
  std::stable_sort(importances.begin(), importances.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  return importances;
}

/// How much overlap can gain where nothing else changes: the sum of uploads, kernels and downloads of a
/// single stream over the longest of them, 3 at the most. Nothing where they were not measured.
std::optional<double> limit_of_overlap(const StreamFeatures& features) {
  double sum = 0, longest = 0;
  for (const StreamFeature each :
       {StreamFeature::UploadSeconds, StreamFeature::KernelSeconds, StreamFeature::DownloadSeconds}) {
    const auto seconds = features.get(each);
    if (!seconds) return std::nullopt;
    sum += *seconds;
    longest = std::max(longest, *seconds);
  }
  return longest > 0 ? std::optional(sum / longest) : std::nullopt;
}

/// The least, the 5th, 25th, 50th, 75th and 95th percentile, and the greatest: what a violin plot shows.
nlohmann::json distribution_of(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  nlohmann::json result = nlohmann::json::array();
  for (const double at : {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0})
    result.push_back(numbers[static_cast<std::size_t>(at * static_cast<double>(numbers.size() - 1) + 0.5)]);
  return result;
}

}  // namespace

double StreamJudgement::mean_share() const { return learn::mean(shares); }
double StreamJudgement::least_share() const { return *std::min_element(shares.begin(), shares.end()); }
double StreamJudgement::mean_speedup() const { return learn::geometric_mean(speedups); }
double StreamJudgement::least_speedup() const { return *std::min_element(speedups.begin(), speedups.end()); }
std::size_t StreamJudgement::slower_than_single() const {
  return static_cast<std::size_t>(std::count_if(speedups.begin(), speedups.end(),
                                                [](double each) { return each * slowdown_that_counts < 1; }));
}

const StreamJudgement& StreamEvaluation::of(std::string_view chooser) const {
  const auto found = std::find_if(judgements.begin(), judgements.end(),
                                  [&](const StreamJudgement& each) { return each.chooser == chooser; });
  if (found == judgements.end()) throw Bug(fmt::format("'{}' was not judged", chooser));
  return *found;
}

Result<StreamEvaluation> evaluate_streams(const StreamTable& table, const std::vector<std::string>& choosers,
                                          std::uint64_t seed,
                                          const std::function<void(std::size_t, std::size_t)>& tell) {
  return catch_failure([&] {
    const std::vector<StreamChooserKind> kinds = kinds_named(choosers);
    std::set<std::string> known;
    for (const StreamRecord& each : table.records) known.insert(each.group);
    const std::vector<std::string> groups(known.begin(), known.end());
    if (groups.size() < 2)
      throw_user("all rows of the table are of one program: leaving it out leaves nothing to learn from", {},
                 "measure more programs");
    StreamEvaluation evaluation;
    for (const StreamChooserKind& each : kinds) {
      evaluation.judgements.push_back({each.name, {}, {}, {}});
      evaluation.judgements.back().choices.resize(table.records.size());
    }
    std::mutex telling;
    std::size_t finished = 0;
    share_out(groups.size() * kinds.size(), usual_threads(), [&](const auto& next) {
      while (const auto job = next()) {
        const std::string& group = groups[*job % groups.size()];
        const std::size_t kind = *job / groups.size();
        std::vector<const StreamRecord*> seen;
        for (const StreamRecord& each : table.records) {
          if (each.group != group) seen.push_back(&each);
        }
        const auto chooser = kinds[kind].make(seed);
        chooser->learn(seen);
        for (std::size_t i = 0; i < table.records.size(); ++i) {
          const StreamRecord& record = table.records[i];
          if (record.group == group)
            evaluation.judgements[kind].choices[i] =
                chooser->choose(record.features, configurations_of(record));
        }
        const std::lock_guard lock(telling);
        ++finished;
        if (tell) tell(finished, groups.size() * kinds.size());
      }
    });
    StreamJudgement& best = evaluation.judgements.emplace_back();
    best.chooser = oracle_name;
    for (const StreamRecord& each : table.records) best.choices.push_back(each.best().configuration);
    for (StreamJudgement& each : evaluation.judgements) judge(each, table);
    evaluation.importances = importances_of(table);
    return evaluation;
  });
}

nlohmann::json to_json(const StreamEvaluation& evaluation, const StreamTable& table) {
  nlohmann::json judgements = nlohmann::json::array(), programs = nlohmann::json::array(),
                 importances = nlohmann::json::array();
  for (const StreamJudgement& each : evaluation.judgements)
    judgements.push_back({{"chooser", each.chooser},
                          {"mean_share", each.mean_share()},
                          {"least_share", each.least_share()},
                          {"mean_speedup", each.mean_speedup()},
                          {"least_speedup", each.least_speedup()},
                          {"slower_than_single", each.slower_than_single()},
                          {"share_distribution", distribution_of(each.shares)}});
  for (std::size_t i = 0; i < table.records.size(); ++i) {
    const StreamRecord& record = table.records[i];
    nlohmann::json choices = nlohmann::json::object();
    for (const StreamJudgement& each : evaluation.judgements)
      choices[each.chooser] = {{"partitions", each.choices[i].partitions},
                               {"tasks", each.choices[i].tasks},
                               {"share", each.shares[i]},
                               {"speedup", each.speedups[i]}};
    programs.push_back({{"program", record.program},
                        {"group", record.group},
                        {"size", record.size},
                        {"single_seconds", record.single_seconds()},
                        {"configurations", record.timed.size()},
                        {"choices", std::move(choices)}});
    if (const auto limit = limit_of_overlap(record.features)) programs.back()["limit_of_overlap"] = *limit;
  }
  for (const auto& [feature, share] : evaluation.importances)
    importances.push_back({{"feature", feature}, {"share", share}});
  return {{"device_class", table.device_class},
          {"judgements", std::move(judgements)},
          {"programs", std::move(programs)},
          {"importances", std::move(importances)}};
}

}  // namespace hoist::predict
