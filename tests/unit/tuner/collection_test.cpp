#include "tuner/collection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/devices.hpp"
#include "store/stored_target.hpp"
#include "support/executed.hpp"
#include "tuner/records.hpp"

namespace hoist::tuner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class Collections : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string file(const std::string& text) const {
    const std::string path = directory_ / "plan.json";
    std::ofstream(path) << text;
    return path;
  }
  store::Store open_store() const { return store::Store::open(directory_ / "store.sqlite").value(); }

  const std::filesystem::path directory_ = std::filesystem::path(testing::TempDir()) / "hoist_collections";
};

TEST_F(Collections, ReadPlans) {
  const auto plan = read_plan(file(R"({"tasks": [
    {"program": "gemv.hoist", "sizes": {"M": 512, "N": 64}, "candidates": 100},
    {"program": "dot.hoist", "sizes": {}, "candidates": 0, "space": "both"}]})"));
  ASSERT_TRUE(plan) << plan.error().render();
  ASSERT_EQ(plan->size(), 2U);
  EXPECT_EQ(plan->at(0).program, "gemv.hoist");
  EXPECT_THAT(plan->at(0).sizes, ElementsAre(Pair("M", 512), Pair("N", 64)));
  EXPECT_EQ(plan->at(0).candidates, 100U);
  EXPECT_EQ(plan->at(0).space, variants::SpaceKind::Derived);
  EXPECT_EQ(plan->at(1).candidates, 0U);
  EXPECT_EQ(plan->at(1).space, variants::SpaceKind::Both);
}

TEST_F(Collections, RefuseWhatIsNoPlan) {
  const auto refusal = [&](const std::string& text) {
    const auto plan = read_plan(file(text));
    return plan ? std::string() : plan.error().render();
  };
  EXPECT_THAT(refusal("nonsense"), AllOf(HasSubstr("is no plan"), HasSubstr(R"(write {"tasks")")));
  EXPECT_THAT(refusal(R"({"tasks": [{"program": 3}]})"), HasSubstr("is no plan"));
  EXPECT_THAT(refusal(R"({"tasks": []})"), HasSubstr("it has no tasks"));
  EXPECT_THAT(refusal(R"({"tasks": [{"program": "p", "sizes": {}, "candidates": 1, "space": "all"}]})"),
              HasSubstr("there is no set of candidates 'all'"));
  const auto none = read_plan("/nowhere/plan.json");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().render(), HasSubstr("'/nowhere/plan.json' cannot be read"));
}

/// What a collection asks to be tuned, without tuning it.
class Recorded {
 public:
  explicit Recorded(double seconds) {
    collecting_.tuning.measuring.devices = {"host"};
    collecting_.tuning.seconds = seconds;
    collecting_.prepare = [this](const PlannedTask& planned) -> Result<measure::Task> {
      if (planned.program == "broken") return device_error("the device is gone");
      if (planned.program == "wrong") return user_error("there is no such program");
      const ir::Program program =
          testing_support::program_of("def f(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
      return measure::Task{program, planned.sizes, {}};
    };
    collecting_.tune = [this](const measure::Task&, const TuningOptions& options) -> Result<TuningResult> {
      evaluations.push_back(options.evaluations);
      shares.push_back(options.seconds);
      return TuningResult{};
    };
    collecting_.measured = [this](const PlannedTask& planned, const auto&) {
      measured.push_back(planned.program);
    };
    collecting_.failed = [this](const PlannedTask&, const Error& error) {
      failed.push_back(error.diagnostics.front().message);
    };
  }

  Result<void> run(const std::vector<PlannedTask>& plan, store::Store& store) {
    return collect(plan, collecting_, store);
  }

  std::vector<std::size_t> evaluations;
  std::vector<double> shares;
  std::vector<std::string> measured, failed;

 private:
  Collecting collecting_;
};

TEST_F(Collections, GiveTasksSharesByTheirCandidates) {
  store::Store store = open_store();
  Recorded recorded(4000);
  ASSERT_TRUE(recorded.run({{"one", {{"N", 16}}, 10}, {"none", {}, 0}, {"two", {{"N", 32}}, 30}}, store));
  EXPECT_THAT(recorded.measured, ElementsAre("one", "two"));
  EXPECT_THAT(recorded.evaluations, ElementsAre(10U, 30U));
  ASSERT_EQ(recorded.shares.size(), 2U);
  constexpr double moments = 50;
  EXPECT_NEAR(recorded.shares[0], 1000, moments);
  EXPECT_NEAR(recorded.shares[1], 4000, moments);
}

TEST_F(Collections, AskForWhatTheStoreDoesNotHave) {
  store::Store store = open_store();
  const ir::Arena arena;
  const ir::Program program =
      testing_support::program_of("def f(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
  const auto device = runtime::open_device("host").value();
  store::Device here = store::stored_device(device->info()), elsewhere = here;
  elsewhere.name = "another";
  const auto remember = [&](const store::Device& on, std::int64_t size, const std::string& name) {
    const auto task = store.add_task({stored_program(program), on, {{"N", size}}}).value();
    ASSERT_TRUE(store.record(task, std::nullopt, {.name = name, .hash = name}, {.times = {1e-3}}));
  };
  remember(here, 16, "0-1");
  remember(here, 16, "0-2");
  remember(here, 32, "0-1");
  remember(elsewhere, 64, "0-1");
  Recorded recorded(1000);
  ASSERT_TRUE(recorded.run({{"a", {{"N", 16}}, 10}, {"b", {{"N", 32}}, 1}, {"c", {{"N", 64}}, 5}}, store));
  EXPECT_THAT(recorded.measured, ElementsAre("a", "c"));
  EXPECT_THAT(recorded.evaluations, ElementsAre(8U, 5U));
}

TEST_F(Collections, GoOnAfterATaskThatFails) {
  store::Store store = open_store();
  Recorded recorded(1000);
  ASSERT_TRUE(recorded.run({{"broken", {}, 5}, {"right", {{"N", 16}}, 5}}, store));
  EXPECT_THAT(recorded.failed, ElementsAre("the device is gone"));
  EXPECT_THAT(recorded.measured, ElementsAre("right"));
  const auto ended = recorded.run({{"wrong", {}, 5}, {"right", {{"N", 16}}, 5}}, store);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().render(), HasSubstr("there is no such program"));
  EXPECT_THAT(recorded.measured, ElementsAre("right"));
}

TEST_F(Collections, EndWithTheirTime) {
  store::Store store = open_store();
  Recorded recorded(0);
  ASSERT_TRUE(recorded.run({{"late", {{"N", 16}}, 5}}, store));
  EXPECT_TRUE(recorded.measured.empty());
}

}  // namespace
}  // namespace hoist::tuner
