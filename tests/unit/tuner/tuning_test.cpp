// Tuning from one end to the other, on the host: searching, storing, going on, and using what was found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "execute/executable.hpp"
#include "ir/print.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "tuner/report_data.hpp"
#include "tuner/search_space.hpp"
#include "tuner/stored_kernel.hpp"
#include "tuner/tuner.hpp"

namespace hoist::tuner {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using testing_support::program_of;

constexpr const char* gemv =
    "def gemv(A: [M][N]f32, x: [N]f32): [M]f32 =\n"
    "  A |> map(row => zip(row, x) |> map(*) |> reduce(+, 0.0))\n";

class Tuning : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hoist-tuning-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  store::Store opened() const { return store::Store::open((directory / "store.sqlite").string()).value(); }
  static measure::Task task(const driver::NamedSizes& sizes = {{"M", 64}, {"N", 96}}) {
    measure::Task task{program_of(gemv), sizes, {}};
    task.inputs = driver::random_inputs(task.program, driver::bindings_of(task.program, sizes), 1).value();
    return task;
  }
  static TuningOptions options(std::size_t evaluations) {
    TuningOptions options;
    options.measuring.devices = {"host"};
    options.measuring.program = HOIST_WORKER_PROGRAM;
    options.measuring.rule.seconds = 0.01;
    options.measuring.hopeless_factor =
        0;  // on a busy machine any candidate may seem slower than the default mapping
    options.evaluations = evaluations;
    options.strategy = "random";
    options.seconds = 600;
    return options;
  }

  void run_sql(const std::string& sql) const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open((directory / "store.sqlite").c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
  }

  ir::Arena arena;
  std::filesystem::path directory;
};

TEST_F(Tuning, FindsStoresAndGoesOn) {
  store::Store store = opened();
  const auto first = tune(task(), options(4), store);
  ASSERT_TRUE(first) << first.error().render();
  EXPECT_EQ(first->evaluated, 4U);
  EXPECT_EQ(first->known, 0U);
  EXPECT_EQ(first->ended_by, "the number of evaluations is reached");
  EXPECT_GT(first->baseline, 0);
  ASSERT_FALSE(first->best.empty());
  EXPECT_GT(first->best.front().median, 0);
  EXPECT_TRUE(std::any_of(first->best.begin(), first->best.end(),
                          [](const Tried& each) { return each.name == baseline_name; }));

  const auto again = tune(task(), options(3), store);
  ASSERT_TRUE(again) << again.error().render();
  EXPECT_EQ(again->task, first->task);
  EXPECT_GE(again->known, 4U) << "what was measured is not measured again";
  const store::StoredTask stored = store.task(first->task).value();
  EXPECT_GE(stored.candidates, 8) << "seven candidates and the default mapping";
  EXPECT_EQ(store.runs(first->task)->size(), 2U);
}

TEST_F(Tuning, AKernelByHandIsMeasuredBesideTheOthers) {
  store::Store store = opened();
  TuningOptions with_hand = options(1);
  with_hand.by_hand.push_back(
      {"mine", program_of("def gemv(A: [M][N]f32, x: [N]f32): [M]f32 =\n"
                          "  A |> mapGlb(0, row => zip(row, x) |> map(*) |> reduceSeq(+, 0.0))\n")});
  const auto result = tune(task(), with_hand, store);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_TRUE(std::any_of(result->best.begin(), result->best.end(),
                          [](const Tried& each) { return each.name == "mine"; }));
}

TEST_F(Tuning, AKernelByHandMayHaveItsSizesAndMustHaveTheProgramsArrays) {
  store::Store store = opened();
  const auto by_hand = [](const std::string& height) {
    return program_of("def gemv(A: [" + height + "][96]f32, x: [96]f32): [" + height +
                      "]f32 =\n"
                      "  A |> mapGlb(0, row => zip(row, x) |> map(*) |> reduceSeq(+, 0.0))\n");
  };
  TuningOptions with_hand = options(1);
  with_hand.by_hand = {{"mine", by_hand("64")}};
  const auto result = tune(task(), with_hand, store);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_TRUE(std::ranges::any_of(result->best, [](const Tried& each) { return each.name == "mine"; }));
  with_hand.by_hand = {{"taller", by_hand("65")}};
  const auto refused = tune(task(), with_hand, store);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("taller has other inputs"));
}

TEST_F(Tuning, TheLongRunThatGaveTheReferenceIsTheTimeOfTheDefaultMapping) {
  store::Store store = opened();
  TuningOptions all_are_long = options(2);
  all_are_long.measuring.most_interpreted = 0;
  all_are_long.measuring.rule.long_run = 0;
  const auto result = tune(task(), all_are_long, store);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_GT(result->baseline, 0);
  EXPECT_EQ(result->evaluated, 2U);
  const auto evaluations = store.evaluations(result->task).value();
  const auto baseline = std::ranges::find(evaluations, store::Origin::Baseline,
                                          [](const auto& each) { return each.evaluation.origin; });
  ASSERT_NE(baseline, evaluations.end());
  EXPECT_EQ(baseline->evaluation.times.size(), 1U);
  EXPECT_FALSE(baseline->candidate.source.empty());
  for (const Tried& each : result->best) EXPECT_GT(each.median, 0);
}

TEST_F(Tuning, ABudgetThatAllowsNothingLeavesTheDefaultMapping) {
  store::Store store = opened();
  TuningOptions none = options(10);
  none.seconds = 1e-3;
  const auto result = tune(task(), none, store);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(result->evaluated, 0U);
  EXPECT_EQ(result->ended_by, "the time budget is used up");
  ASSERT_EQ(result->best.size(), 1U);
  EXPECT_EQ(result->best.front().name, baseline_name);
}

TEST_F(Tuning, BeingInterruptedIsAnEndLikeOthers) {
  store::Store store = opened();
  const std::atomic<bool> is_cancelled{true};
  TuningOptions cancelled = options(10);
  cancelled.is_cancelled = &is_cancelled;
  const auto result = tune(task(), cancelled, store);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(result->ended_by, "it was interrupted");
  EXPECT_FALSE(result->has_begun);
  EXPECT_TRUE(store.tasks()->empty()) << "nothing was measured";
}

TEST_F(Tuning, WhatWasStoppedEarlyIsNotMeasuredAgain) {
  store::Store store = opened();
  const auto first = tune(task(), options(4), store);
  ASSERT_TRUE(first) << first.error().render();
  std::optional<store::Candidate> stopped;
  const auto evaluations = store.evaluations(first->task).value();
  for (const store::StoredEvaluation& each : evaluations) {
    if (each.evaluation.origin == store::Origin::Explored) stopped = each.candidate;
  }
  ASSERT_TRUE(stopped);
  run_sql("DELETE FROM evaluations WHERE candidate IN (SELECT id FROM candidates WHERE name = '" +
          stopped->name + "')");
  // Few others are known, so that it would be among the best.
  ASSERT_TRUE(store.record(first->task, first->run, *stopped,
                           {.outcome = store::Outcome::StoppedEarly, .times = {1e-9}}));
  const auto again = tune(task(), options(1), store);
  ASSERT_TRUE(again) << again.error().render();
  std::size_t times = 0;
  const auto summaries = store.summaries(first->task).value();
  for (const store::EvaluationSummary& each : summaries) times += each.name == stopped->name;
  EXPECT_EQ(times, 1U);
  for (const Tried& each : again->best) EXPECT_NE(each.name, stopped->name);
}

TEST_F(Tuning, WhatIsKnownUnderAnotherNameIsNotMeasuredAgain) {
  store::Store store = opened();
  const auto first = tune(task(), options(4), store);
  ASSERT_TRUE(first) << first.error().render();
  run_sql("UPDATE candidates SET name = 'of old ' || name WHERE name <> 'default'");
  const auto again = tune(task(), options(4), store);
  ASSERT_TRUE(again) << again.error().render();
  EXPECT_EQ(again->evaluated, 4U);
  EXPECT_GE(again->known, 4U) << "the same search asks for the same candidates first";
  std::set<std::string> terms;
  const auto summaries = store.summaries(first->task).value();
  for (const store::EvaluationSummary& each : summaries) {
    if (each.origin == store::Origin::Explored) terms.insert(each.hash);
  }
  EXPECT_EQ(terms.size(), 8U);
}

TEST_F(Tuning, WhatTheDeadHadClaimedIsMeasuredFirst) {
  store::Store store = opened();
  const auto first = tune(task(), options(3), store);
  ASSERT_TRUE(first) << first.error().render();
  const auto summaries = store.summaries(first->task).value();
  const auto lost = std::ranges::find(summaries, store::Origin::Explored, &store::EvaluationSummary::origin);
  ASSERT_NE(lost, summaries.end());
  run_sql("DELETE FROM evaluations WHERE candidate IN (SELECT id FROM candidates WHERE name = '" +
          lost->name + "')");
  const store::RunId dead = store.begin_run(first->task, {.strategy = "random"}).value();
  ASSERT_TRUE(store.claim(first->task, dead, {{lost->name, lost->hash}}));
  run_sql("UPDATE claims SET until = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 seconds')");
  TuningOptions other_search = options(1);
  other_search.seed = 99;
  const auto again = tune(task(), other_search, store);
  ASSERT_TRUE(again) << again.error().render();
  EXPECT_EQ(again->evaluated, 1U);
  const auto all = store.summaries(first->task).value();
  EXPECT_TRUE(std::ranges::any_of(all, [&](const store::EvaluationSummary& each) {
    return each.hash == lost->hash && each.run == again->run;
  }));
}

TEST_F(Tuning, AnUnknownStrategyIsNamed) {
  store::Store store = opened();
  TuningOptions unknown = options(1);
  unknown.strategy = "rnadom";
  const auto result = tune(task(), unknown, store);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().render(), HasSubstr("rnadom"));
}

TEST_F(Tuning, WhatWasFoundIsUsedForTheseSizesAndForOthers) {
  store::Store store = opened();
  const auto tuned = tune(task(), options(6), store);
  ASSERT_TRUE(tuned) << tuned.error().render();
  // At sizes as small as these the default mapping may win: one of the candidates gets a better time.
  const auto evaluations = store.evaluations(tuned->task).value();
  for (const store::StoredEvaluation& each : evaluations) {
    if (each.evaluation.origin != store::Origin::Explored || each.evaluation.outcome != store::Outcome::Ok)
      continue;
    store::Evaluation faster = each.evaluation;
    faster.times = {1e-9};
    ASSERT_TRUE(store.record(tuned->task, tuned->run, each.candidate, faster));
    break;
  }
  const auto device = runtime::open_device("host");
  ASSERT_TRUE(device);
  const target::Target& info = (*device)->info();
  for (const driver::NamedSizes& sizes :
       {driver::NamedSizes{{"M", 64}, {"N", 96}}, driver::NamedSizes{{"M", 128}, {"N", 96}}}) {
    const measure::Task wanted = task(sizes);
    const auto kernel = stored_kernel(store, wanted.program, sizes, info);
    ASSERT_TRUE(kernel) << kernel.error().render();
    ASSERT_TRUE(kernel->has_value());
    EXPECT_THAT((*kernel)->origin, HasSubstr("tuned for M = 64, N = 96 on this device"));
    const auto got = execute::run_once(**device, (*kernel)->low, {}, wanted.inputs);
    ASSERT_TRUE(got) << got.error().render();
    const auto verified = driver::verify(wanted.program, sizes, wanted.inputs, *got);
    ASSERT_TRUE(verified);
    EXPECT_TRUE(verified->comparison.agrees());
  }
}

TEST_F(Tuning, TheDefaultMappingIsNotUsedWhereNothingElseHasATime) {
  store::Store searched = opened();
  const auto tuned = tune(task(), options(1), searched);
  ASSERT_TRUE(tuned) << tuned.error().render();
  const store::StoredEvaluation baseline = searched.evaluations(tuned->task).value().front();
  ASSERT_EQ(baseline.candidate.name, baseline_name);
  // What a search leaves that has time for nothing else.
  store::Store store = store::Store::open((directory / "short.sqlite").string()).value();
  const store::TaskId id = store.add_task(searched.task(tuned->task).value().task).value();
  ASSERT_TRUE(store.record(id, std::nullopt, baseline.candidate, baseline.evaluation));
  const auto device = runtime::open_device("host");
  ASSERT_TRUE(device);
  const driver::NamedSizes sizes{{"M", 64}, {"N", 96}};
  const auto used = [&] { return stored_kernel(store, program_of(gemv), sizes, (*device)->info()).value(); };
  EXPECT_FALSE(used().has_value());
  store::Candidate other = baseline.candidate;
  other.name = "another";
  other.hash += "1";
  store::Evaluation slower = baseline.evaluation;
  slower.origin = store::Origin::Explored;
  slower.times = {1e3};
  ASSERT_TRUE(store.record(id, std::nullopt, other, slower));
  EXPECT_TRUE(used().has_value()) << "now it is known to be faster than another";
}

TEST_F(Tuning, BeginsWithWhatTheStoreHasOfOtherSizesAndDevices) {
  store::Store store = opened();
  TuningOptions searching = options(6);
  searching.strategy = "model";
  const auto first = tune(task(), searching, store);
  ASSERT_TRUE(first) << first.error().render();
  EXPECT_EQ(first->known_elsewhere, 0U);

  const auto other_sizes = tune(task({{"M", 128}, {"N", 96}}), searching, store);
  ASSERT_TRUE(other_sizes) << other_sizes.error().render();
  EXPECT_GT(other_sizes->known_elsewhere, 0U);
  EXPECT_LE(other_sizes->known_elsewhere, 6U);
  EXPECT_EQ(other_sizes->known, 0U) << "what holds elsewhere is no measurement";
  EXPECT_THAT(other_sizes->notes, ::testing::Contains(HasSubstr("(host) at M = 64, N = 96")));

  searching.resumes = false;
  const auto fresh = tune(task({{"M", 256}, {"N", 96}}), searching, store);
  ASSERT_TRUE(fresh) << fresh.error().render();
  EXPECT_EQ(fresh->known_elsewhere, 0U);

  if (!runtime::describe_device("opencl")) GTEST_SKIP() << "there is no OpenCL device";
  searching.resumes = true;
  searching.measuring.devices = {"opencl"};
  const auto other_device = tune(task(), searching, store);
  ASSERT_TRUE(other_device) << other_device.error().render();
  EXPECT_GT(other_device->known_elsewhere, 0U);
  EXPECT_THAT(other_device->notes, ::testing::Contains(HasSubstr("(host)")));
}

TEST_F(Tuning, NothingIsUsedWhereNothingWasTuned) {
  store::Store store = opened();
  const auto device = runtime::open_device("host");
  ASSERT_TRUE(device);
  const auto kernel = stored_kernel(store, program_of(gemv), {{"M", 4}, {"N", 4}}, (*device)->info());
  ASSERT_TRUE(kernel);
  EXPECT_FALSE(kernel->has_value());
}

TEST_F(Tuning, TheReportHasWhatWasMeasured) {
  store::Store store = opened();
  const auto result = tune(task(), options(5), store);
  ASSERT_TRUE(result) << result.error().render();
  const auto data = report_data(store, result->task);
  ASSERT_TRUE(data) << data.error().render();
  EXPECT_EQ((*data)["program"]["name"], "gemv");
  EXPECT_EQ((*data)["program"]["sizes"]["M"], 64);
  EXPECT_GE((*data)["evaluations"].size(), 5U);
  EXPECT_GT((*data)["baseline"]["median_seconds"], 0.0);
  EXPECT_THAT((*data)["baseline"]["source"].get<std::string>(), HasSubstr("gemv"));
  for (const auto& step : (*data)["best"]["derivation"]) EXPECT_TRUE(step.contains("term")) << step;
  EXPECT_EQ((*data)["run"]["strategy"], "random");
  EXPECT_FALSE((*data)["funnel"].empty());
}

/// Of a program in one derivation's neighbourhood after another: what a search may ask for exists.
void walk(const ir::Program& sized) {
  const auto exploration = variants::Exploration::of(sized, {});
  ASSERT_TRUE(exploration);
  const SearchSpace space(*exploration);
  EXPECT_EQ(space.size(), exploration->count());
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const search::Configuration drawn = space.draw(random);
    ASSERT_TRUE(space.contains(drawn));
    EXPECT_EQ(space.configuration(space.id(drawn)), drawn);
    const std::size_t width = space.features(drawn).size();
    for (const search::Configuration& neighbour : space.neighbours(drawn)) {
      ASSERT_TRUE(space.contains(neighbour))
          << ::testing::PrintToString(drawn) << " " << ::testing::PrintToString(neighbour);
      EXPECT_NE(neighbour, drawn);
      EXPECT_EQ(space.features(neighbour).size(), width);
    }
  }
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t rank = random.below(space.size());
    ASSERT_TRUE(space.contains(space.at(rank)));
  }
  EXPECT_TRUE(space.contains(space.at(space.size() - 1)));
  EXPECT_FALSE(space.contains({}));
  EXPECT_FALSE(space.contains({-1}));
  EXPECT_FALSE(space.contains({1 << 20, 1}));
}

TEST_F(Tuning, TheSpaceOfASearchIsTheExplorations) {
  walk(driver::with_sizes(program_of(gemv), {{"M", 64}, {"N", 96}}).value());
  walk(driver::with_sizes(
           program_of("def blur(u: [H][W]f32): [H][W]f32 =\n"
                      "  u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => n[0][0] + n[1][1] + n[2][2])\n"),
           {{"H", 8192}, {"W", 8192}})
           .value());
}

}  // namespace
}  // namespace hoist::tuner
