// What goes into a store comes out of it, in SQLite and in PostgreSQL.
#include "store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

#include "unit/store/places.hpp"
#include "unit/store/support.hpp"

namespace hoist::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Stores : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Places, Stores, all_kinds(), name_of_kind);

TEST_P(Stores, AnEvaluationComesBackAsItWas) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const RunId run = need(store.begin_run(task, {.strategy = "random", .seed = 7}));
  const EvaluationId id = need(store.record(task, run, example_candidate(), example_evaluation()));
  Store again = need(Store::open(place()));
  const std::vector<StoredEvaluation> all = need(again.evaluations(task));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, id);
  EXPECT_EQ(all[0].run, run);
  EXPECT_EQ(all[0].candidate, example_candidate());
  EXPECT_EQ(all[0].evaluation, example_evaluation());
  EXPECT_EQ(all[0].median, 1.0 / 3.0);
}

TEST_P(Stores, WhatIsLeftOutStaysOut) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const Evaluation failed{.outcome = Outcome::BuildFailed, .message = "ptxas: \xff out of \xc3\xa4"};
  need(store.record(task, std::nullopt, {.name = "1-1", .hash = "h"}, failed));
  const StoredEvaluation found = need(store.evaluations(task)).at(0);
  EXPECT_EQ(found.run, std::nullopt);
  EXPECT_EQ(found.median, std::nullopt);
  EXPECT_EQ(found.candidate, (Candidate{.name = "1-1", .hash = "h"}));
  EXPECT_EQ(found.evaluation.outcome, Outcome::BuildFailed);
  EXPECT_EQ(found.evaluation.message, "ptxas: \xef\xbf\xbd out of \xc3\xa4")
      << "bytes that are no text are replaced";
  EXPECT_EQ(found.evaluation.build_seconds, std::nullopt);
  EXPECT_EQ(found.evaluation.conditions, Conditions{});
  EXPECT_EQ(found.evaluation.recorded.size(), std::string("2026-01-31T23:59:59.000Z").size()) << "now";
}

TEST_P(Stores, EveryOutcomeAndOriginHasAName) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  for (int i = 0; i <= static_cast<int>(Outcome::StoppedEarly); ++i) {
    const Outcome outcome{static_cast<std::uint8_t>(i)};
    EXPECT_EQ(outcome_of(name_of(outcome)), outcome);
    need(store.record(task, std::nullopt, example_candidate(i), {.outcome = outcome, .times = {1.0}}));
    EXPECT_EQ(need(store.summaries(task)).back().outcome, outcome);
  }
  for (const Origin origin : {Origin::Explored, Origin::Baseline, Origin::Hand})
    EXPECT_EQ(origin_of(name_of(origin)), origin);
  EXPECT_EQ(outcome_of("perfect"), std::nullopt);
}

CandidateKey key_of(const Candidate& candidate) { return {candidate.name, candidate.hash}; }
Claim claimed(Store& store, TaskId task, RunId run, const Candidate& candidate) {
  return need(store.claim(task, run, {key_of(candidate)})).at(0);
}
/// What other runs have claimed: "12-1", or "12-1 is over".
std::vector<std::string> claims_of_others(Store& store, TaskId task, RunId run) {
  std::vector<std::string> names;
  for (const StoredClaim& each : need(store.claims_of_others(task, run)))
    names.push_back(each.candidate.name + (each.is_over ? " is over" : ""));
  return names;
}
constexpr const char* age_claims = "UPDATE claims SET until = '2026-01-01T00:00:00.000Z';";

TEST_P(Stores, OneRunMeasuresACandidate) {
  Store store = need(Store::open(place())), other = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const RunId first = need(store.begin_run(task, {})), second = need(other.begin_run(task, {}));
  const Candidate candidate = example_candidate(1);
  EXPECT_EQ(claimed(store, task, first, candidate), Claim::Mine);
  EXPECT_EQ(claimed(store, task, first, candidate), Claim::Mine) << "still";
  EXPECT_EQ(claimed(other, task, second, candidate), Claim::UnderWay);
  Candidate renamed = candidate;
  renamed.name = "other name";
  EXPECT_EQ(claimed(other, task, second, renamed), Claim::UnderWay) << "its term is the same";
  const TaskId other_task = need(store.add_task(example_task(1)));
  EXPECT_EQ(claimed(other, other_task, need(other.begin_run(other_task, {})), candidate), Claim::Mine);
  EXPECT_THAT(need(other.claim(task, second, {key_of(candidate), key_of(example_candidate(2))})),
              ElementsAre(Claim::UnderWay, Claim::Mine));
  EXPECT_THAT(claims_of_others(other, task, second), ElementsAre("12-1"));
  EXPECT_THAT(claims_of_others(store, task, first), ElementsAre("12-2"));
  Evaluation evaluation = example_evaluation();
  evaluation.origin = Origin::Explored;
  const EvaluationId before = need(store.record(task, first, example_candidate(3), evaluation));
  const EvaluationId measured = need(store.record(task, first, candidate, evaluation));
  EXPECT_EQ(claimed(other, task, second, candidate), Claim::Measured);
  EXPECT_EQ(claimed(other, task, second, renamed), Claim::Measured);
  EXPECT_THAT(need(other.claim(task, second, {key_of(candidate)}, before)), ElementsAre(Claim::Measured));
  EXPECT_THAT(need(other.claim(task, second, {key_of(candidate)}, measured)), ElementsAre(Claim::Mine))
      << "whoever knows of the outcome may measure it again";
  ASSERT_EQ(need(other.summaries(task, before)).size(), 1U) << "what came since";
  EXPECT_EQ(need(other.summaries(task, before))[0].hash, candidate.hash);

  // A run that ends lets go, and one that was killed does after a while.
  EXPECT_EQ(claimed(store, task, first, example_candidate(2)), Claim::UnderWay);
  need(other.end_run(second, "{}"));
  EXPECT_EQ(claimed(store, task, first, example_candidate(2)), Claim::Mine);
  const RunId third = need(other.begin_run(task, {}));
  run_sql(place(), age_claims);
  EXPECT_THAT(claims_of_others(other, task, third), ElementsAre("12-2 is over"));
  need(store.keep_claims(first));
  EXPECT_EQ(claimed(other, task, third, example_candidate(2)), Claim::UnderWay) << "it says that it is there";
  run_sql(place(), age_claims);
  EXPECT_EQ(claimed(other, task, third, example_candidate(2)), Claim::Mine);
  need(store.keep_claims(first));
  EXPECT_EQ(claimed(store, task, first, example_candidate(2)), Claim::UnderWay) << "it was taken over";
}

TEST_P(Stores, WhatTheDeadHadClaimedIsLeftToWhoGoesOn) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const RunId dead = need(store.begin_run(task, {}));
  EXPECT_EQ(claimed(store, task, dead, example_candidate(1)), Claim::Mine);
  const auto a_moment_ago =
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) - std::chrono::minutes(2);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(a_moment_ago);
  char text[32];
  ASSERT_GT(std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.000Z", std::gmtime(&seconds)), 0U);
  run_sql(place(), std::string("UPDATE claims SET until = '") + text + "';");
  EXPECT_THAT(claims_of_others(store, task, need(store.begin_run(task, {}))), ElementsAre("12-1 is over"));
  run_sql(place(), age_claims);
  EXPECT_THAT(claims_of_others(store, task, need(store.begin_run(task, {}))), ElementsAre())
      << "not for ever";
}

TEST_P(Stores, TimesOfTheSameCandidatesByOthers) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const auto begun = [&](const char* host, const char* hoist) {
    return need(
        store.begin_run(task, {.environment = std::string(R"({"host":")") + host + R"("})", .hoist = hoist}));
  };
  const RunId one = begun("a", "1.0"), other = begun("b", "1.0"), older = begun("c", "0.9");
  for (const auto& [run, seconds] : {std::pair{one, 1.0}, {other, 2.0}, {older, 3.0}})
    need(store.record(task, run, example_candidate(1), {.times = {seconds}}));
  need(store.record(task, other, example_candidate(2), {.times = {5.0}}));
  need(store.record(task, other, example_candidate(1), {.outcome = Outcome::StoppedEarly, .times = {9.0}}));
  need(store.record(task, std::nullopt, example_candidate(1), {.times = {7.0}}));
  std::vector<std::pair<std::string, double>> found;
  for (const TimeOnNode& each : need(store.times_beside(one)))
    found.emplace_back(each.environment, each.median);
  EXPECT_THAT(found, ElementsAre(std::pair<std::string, double>(R"({"host":"a"})", 1.0),
                                 std::pair<std::string, double>(R"({"host":"b"})", 2.0)));
}

TEST_P(Stores, ATaskIsOneProgramAtItsSizesOnADevice) {
  Store store = need(Store::open(place()));
  const Task task = example_task();
  const TaskId id = need(store.add_task(task));
  Task other_order = task;
  std::swap(other_order.sizes[0], other_order.sizes[1]);
  EXPECT_EQ(need(store.add_task(other_order)), id) << "sizes have no order";
  Task larger = task;
  larger.sizes[1].second *= 2;
  EXPECT_NE(need(store.add_task(larger)), id);
  Task updated = task;
  updated.device.driver = "560.1";
  EXPECT_NE(need(store.add_task(updated)), id);
  Task other_program = task;
  other_program.program.hash = "other";
  EXPECT_NE(need(store.add_task(other_program)), id);
  EXPECT_EQ(need(store.tasks()).size(), 4U);
  EXPECT_EQ(need(store.tasks(task.program.hash)).size(), 3U);

  const StoredTask found = need(store.task(id));
  EXPECT_EQ(found.task.program.text, task.program.text);
  EXPECT_EQ(found.task.device.compute_units, 132);
  EXPECT_EQ(found.task.device.facts, task.device.facts);
  EXPECT_EQ(found.task.sizes, task.sizes);
  EXPECT_EQ(found.best, std::nullopt);
  EXPECT_EQ(found.last, "");
}

TEST_P(Stores, ATaskSaysWhatIsKnownOfIt) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  need(store.record(task, std::nullopt, example_candidate(1), {.times = {3.0}, .origin = Origin::Baseline}));
  need(store.record(task, std::nullopt, example_candidate(2), {.times = {2.0, 1.0, 9.0}}));
  need(store.record(task, std::nullopt, example_candidate(2),
                    {.times = {5.0}, .recorded = "2099-01-01T00:00:00.000Z"}));
  need(store.record(task, std::nullopt, example_candidate(3),
                    {.outcome = Outcome::StoppedEarly, .times = {0.5}}));
  const StoredTask found = need(store.task(task));
  EXPECT_EQ(found.candidates, 3);
  EXPECT_EQ(found.evaluations, 4);
  EXPECT_EQ(found.ok, 3);
  EXPECT_EQ(found.best, 2.0) << "the lowest median of those that are ok";
  EXPECT_EQ(found.baseline, 3.0);
  EXPECT_EQ(found.last, "2099-01-01T00:00:00.000Z");
  EXPECT_EQ(need(store.counts()),
            (Counts{.programs = 1, .devices = 1, .tasks = 1, .candidates = 3, .evaluations = 4}));
}

TEST_P(Stores, SummariesSayWhatIsDone) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const TaskId other = need(store.add_task(example_task(1)));
  need(store.record(task, std::nullopt, example_candidate(1), {.times = {4.0, 2.0}}));
  need(store.record(other, std::nullopt, example_candidate(2), {.times = {1.0}}));
  const std::vector<EvaluationSummary> done = need(store.summaries(task));
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].name, "12-1");
  EXPECT_EQ(done[0].hash, example_candidate(1).hash);
  EXPECT_EQ(done[0].median, 3.0);
}

TEST_P(Stores, TheBestOfAProgramOnADevice) {
  Store store = need(Store::open(place()));
  const Task task = example_task();
  Task updated = task;
  updated.device.driver = "560.1";
  const TaskId old_driver = need(store.add_task(task)), new_driver = need(store.add_task(updated));
  need(store.record(old_driver, std::nullopt, example_candidate(1), {.times = {1.0}}));
  need(store.record(new_driver, std::nullopt, example_candidate(2), {.times = {2.0}}));
  need(store.record(new_driver, std::nullopt, example_candidate(3), {.times = {3.0}}));
  need(store.record(new_driver, std::nullopt, example_candidate(4),
                    {.outcome = Outcome::WrongResult, .times = {0.1}}));
  const auto best = [&](const NamedValues& sizes, const std::optional<std::string>& driver = std::nullopt) {
    const auto found = need(store.best(task.program.hash, "cuda", "NVIDIA H200", sizes, driver));
    return found ? found->candidate.name : "none";
  };
  EXPECT_EQ(best(task.sizes), "12-1");
  EXPECT_EQ(best({{"N", 1024}, {"M", 7}}, "560.1"), "12-2");
  EXPECT_EQ(best(task.sizes, "570"), "none");
  EXPECT_EQ(best({{"N", 1024}}), "none");
}

TEST_P(Stores, ACandidateIsStoredOnceAndKeepsItsSource) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  Candidate without = example_candidate();
  without.source.clear();
  need(store.record(task, std::nullopt, without, {.times = {1.0}}));
  need(store.record(task, std::nullopt, example_candidate(), {.times = {1.0}}));
  need(store.record(task, std::nullopt, without, {.times = {1.0}}));
  EXPECT_EQ(need(store.counts()).candidates, 1);
  EXPECT_EQ(need(store.evaluations(task)).at(0).candidate, example_candidate());
  Candidate same_name = example_candidate();
  same_name.hash = "another term";
  need(store.record(task, std::nullopt, same_name, {.times = {1.0}}));
  EXPECT_EQ(need(store.counts()).candidates, 2)
      << "a name means another candidate when what is explored changes";
}

TEST_P(Stores, RunsComeToTheirEnds) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const store::Run run{.strategy = "model",
                       .seed = 1,
                       .budget = R"({"seconds":60})",
                       .environment = R"({"load":0.5})",
                       .hoist = "0.1.0",
                       .started = "2026-01-01T00:00:00.000Z"};
  const RunId first = need(store.begin_run(task, run)), second = need(store.begin_run(task, {}));
  need(store.update_run(first, R"({"explored":10})"));
  need(store.end_run(second, R"({"explored":20})"));
  const std::vector<StoredRun> runs = need(store.runs(task));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].id, first);
  EXPECT_EQ(runs[0].run.strategy, "model");
  EXPECT_EQ(runs[0].run.budget, run.budget);
  EXPECT_EQ(runs[0].run.environment, run.environment);
  EXPECT_EQ(runs[0].run.started, run.started);
  EXPECT_EQ(runs[0].funnel, R"({"explored":10})");
  EXPECT_EQ(runs[0].ended, "");
  EXPECT_EQ(runs[1].funnel, R"({"explored":20})");
  EXPECT_NE(runs[1].ended, "");
}

TEST_P(Stores, WhatWasFoundOfADeviceIsKnownToItsOtherTasks) {
  Store store = need(Store::open(place()));
  Task other = example_task(), elsewhere = example_task();
  other.sizes.emplace_back("K", 8);
  elsewhere.device.name = "another device";
  const store::Run here{.environment = R"({"host":"a"})"}, there{.environment = R"({"host":"b"})"};
  const auto begun = [&](const Task& task, const store::Run& run) {
    return need(store.begin_run(need(store.add_task(task)), run));
  };
  const RunId own = begun(example_task(), here);
  need(store.update_run(begun(elsewhere, here), R"({"reach":1})"));
  need(store.update_run(begun(other, there), R"({"reach":2})"));
  need(store.update_run(own, R"({"explored":1})"));
  EXPECT_EQ(need(store.latest_funnel_with("reach", own)), "") << "another device, another host";
  need(store.update_run(begun(other, here), R"({"reach":3})"));
  EXPECT_EQ(need(store.latest_funnel_with("reach", own)), R"({"reach":3})");
  need(store.update_run(own, R"({"explored":1,"reach":4})"));
  EXPECT_EQ(need(store.latest_funnel_with("reach", own)), R"({"reach":3})") << "which began last";
  EXPECT_EQ(need(store.latest_funnel_with("reach", begun(other, there))), R"({"reach":2})");
}

TEST_P(Stores, FeaturesMayComeLater) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const Features features{"loops 1", {0.1, -1e300, 3.0}};
  need(store.record(task, std::nullopt, example_candidate(1), {.times = {1.0}}, features));
  need(store.record(task, std::nullopt, example_candidate(2), {.times = {1.0}}));
  EXPECT_EQ(need(store.features(task, "loops 1")).size(), 1U);
  const CandidateId later = need(store.summaries(task)).at(1).candidate_id;
  need(store.set_features(later, {"loops 1", {1.0}}));
  need(store.set_features(later, {"loops 1", {2.0}}));
  need(store.set_features(later, {"loops 2", {}}));
  const auto found = need(store.features(task, "loops 1"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].second, features.numbers);
  EXPECT_EQ(found[1].first, later);
  EXPECT_THAT(found[1].second, ElementsAre(2.0)) << "a second time replaces";
  EXPECT_EQ(need(store.counts()).features, 3);
}

TEST_P(Stores, ModelsAreKeptBesideEachOther) {
  Store store = need(Store::open(place()));
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  const Model first{"knn", "nvidia", "loops 1", bytes, R"({"rows":10})", "2026-01-01T00:00:00.000Z"};
  Model second = first;
  second.content = "newer";
  second.created = "2026-02-01T00:00:00.000Z";
  Model third = first;
  third.device_class = "cpu";
  for (const Model& each : {first, second, third}) need(store.add_model(each));
  EXPECT_EQ(need(store.model("knn")), second);
  EXPECT_EQ(need(store.model("knn", "cpu")), third);
  EXPECT_EQ(need(store.model("forest")), std::nullopt);
  EXPECT_EQ(need(store.models()).size(), 3U);
}

TEST_P(Stores, WhatCannotBeStoredIsRefusedWhole) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const auto refused = [&](const Evaluation& evaluation) {
    const auto result = store.record(task, std::nullopt, example_candidate(), evaluation);
    return result ? "stored" : result.error().render();
  };
  EXPECT_THAT(refused({}), HasSubstr("no times"));
  EXPECT_THAT(refused({.times = {1.0, std::nan("")}}), HasSubstr("the time nan is not a number of seconds"));
  EXPECT_THAT(refused({.times = {1.0, std::numeric_limits<double>::infinity()}}),
              HasSubstr("the time inf is not a number of seconds"));
  const auto no_task = store.record(TaskId{99}, std::nullopt, example_candidate(), example_evaluation());
  ASSERT_FALSE(no_task);
  EXPECT_THAT(no_task.error().render(), HasSubstr("has no task 99"));
  const auto no_run = store.record(task, RunId{99}, example_candidate(), example_evaluation());
  ASSERT_FALSE(no_run);
  EXPECT_THAT(no_run.error().render(), HasSubstr("has no run 99"));
  EXPECT_FALSE(store.task(TaskId{99}));
  EXPECT_EQ(need(store.counts()).candidates, 0);
}

}  // namespace
}  // namespace hoist::store
