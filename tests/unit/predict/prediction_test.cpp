// From measured candidates to a model, and from a model to the order in which others are measured: the whole
// pipeline, on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "features/features.hpp"
#include "lower/lower.hpp"
#include "predict/explanation.hpp"
#include "predict/measurements.hpp"
#include "predict/models.hpp"
#include "predict/ranking.hpp"
#include "predict/shipped_models.hpp"
#include "store/stored_target.hpp"
#include "support/devices.hpp"
#include "support/executed.hpp"
#include "tuner/records.hpp"
#include "tuner/tuner.hpp"

namespace hoist::predict {
namespace {

using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;
using testing_support::h200;
using testing_support::program_of;

constexpr const char* matmul =
    "def matmul(A: [M][K]f32, B: [K][N]f32): [M][N]f32 =\n"
    "  A |> map(row => transpose(B) |> map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))\n";
constexpr const char* scaled = "def scaled(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n";

TEST(Devices, ClassesNameTheDeviceAndTheLanguage) {
  EXPECT_EQ(device_class(h200(target::Language::Cuda)), "nvidia-h200-cuda");
  target::Target pocl;
  pocl.name = "pthread-skylake-avx512-Intel(R) Xeon(R) Processor";
  pocl.platform = "Portable Computing Language";
  pocl.type = target::Type::Cpu;
  EXPECT_EQ(device_class(pocl), "pocl-cpu-opencl");
  pocl.language = target::Language::Host;
  pocl.platform = "host";
  EXPECT_EQ(device_class(pocl), "cpu-host");
}

TEST(Devices, TheNearestClassIsOfTheKindAndPrefersTheDevice) {
  const std::vector<std::string> known{"nvidia-h200-opencl", "nvidia-a100-cuda", "pocl-cpu-opencl"};
  EXPECT_EQ(nearest_class("nvidia-h200-opencl", known), "nvidia-h200-opencl");
  EXPECT_EQ(nearest_class("nvidia-h200-cuda", known), "nvidia-h200-opencl");
  EXPECT_EQ(nearest_class("nvidia-a30-cuda", known), "nvidia-a100-cuda");
  EXPECT_EQ(nearest_class("cpu-host", known), "pocl-cpu-opencl");
  EXPECT_EQ(nearest_class("cpu-host", {"nvidia-h200-cuda"}), "");
}

TEST(Devices, NamesAreOrderedByLikeness) {
  using testing::ElementsAre;
  const std::vector<std::string_view> names{"cpu", "nvidia-a100", "nvidia-h200", "pocl-cpu-opencl",
                                            "amd-mi300x"};
  EXPECT_THAT(by_likeness("nvidia-h200-cuda", names),
              ElementsAre("nvidia-h200", "nvidia-a100", "amd-mi300x"));
  EXPECT_THAT(by_likeness("pocl-cpu-opencl", names), ElementsAre("pocl-cpu-opencl", "cpu"));
  EXPECT_THAT(by_likeness("cpu-host", names), ElementsAre("cpu", "pocl-cpu-opencl"));
  EXPECT_THAT(by_likeness("cpu-host", {"nvidia-h200"}), ElementsAre());
}

/// Every test has a copy of one store, in which as many candidates of a matrix product are measured as
/// learning needs.
class Prediction : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    char name[] = "/tmp/hoist-prediction-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    suite_directory() = name;
    const ir::Arena arena;
    auto store = store::Store::open(measured_place());
    ASSERT_TRUE(store) << store.error().render();
    const auto tuned = tuner::tune(product(), options("random", 34), *store);
    ASSERT_TRUE(tuned) << tuned.error().render();
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(suite_directory()); }
  void SetUp() override {
    const std::string place = (suite_directory() / "copy.sqlite").string();
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(place + end);
    std::filesystem::copy_file(measured_place(), place);
    auto opened = store::Store::open(place);
    ASSERT_TRUE(opened) << opened.error().render();
    store.emplace(*std::move(opened));
  }
  void TearDown() override { store.reset(); }

  static std::filesystem::path& suite_directory() {
    static std::filesystem::path directory;
    return directory;
  }
  static std::string measured_place() { return (suite_directory() / "measured.sqlite").string(); }

  static tuner::TuningOptions options(const std::string& strategy, std::size_t evaluations) {
    tuner::TuningOptions options;
    options.measuring.devices = {"host"};
    options.measuring.program = HOIST_WORKER_PROGRAM;
    options.measuring.rule.seconds = 0.005;
    options.evaluations = evaluations;
    options.strategy = strategy;
    options.seconds = 600;
    return options;
  }
  static measure::Task task(const char* text, const driver::NamedSizes& sizes) {
    measure::Task task{program_of(text), sizes, {}};
    task.inputs = driver::random_inputs(task.program, driver::bindings_of(task.program, sizes), 1).value();
    return task;
  }
  static measure::Task product() { return task(matmul, {{"M", 24}, {"N", 36}, {"K", 48}}); }
  static measure::Task scaling() { return task(scaled, {{"N", 3072}}); }

  model::Model learned() {
    auto model = model::fit("paper", measurements_of(*store).value(), {});
    EXPECT_TRUE(model) << model.error().render();
    return *std::move(model);
  }
  /// In a file.
  std::string saved() {
    const std::string path = (suite_directory() / "model.json.gz").string();
    EXPECT_TRUE(model::save(learned(), path));
    return path;
  }

  ir::Arena arena;
  std::optional<store::Store> store;
};

TEST_F(Prediction, MeasurementsHaveTheFeaturesOfTheirCandidates) {
  const auto data = measurements_of(*store);
  ASSERT_TRUE(data) << data.error().render();
  ASSERT_THAT(data->tasks, SizeIs(1));
  EXPECT_EQ(data->tasks[0].program, "matmul");
  EXPECT_EQ(data->tasks[0].sizes, "K=48 M=24 N=36");
  EXPECT_EQ(data->tasks[0].device_class, "cpu-host");
  EXPECT_THAT(data->measurements, SizeIs(Ge(35U)));  // and the default mapping
  EXPECT_EQ(data->features.count(), data->measurements.size());
  EXPECT_EQ(data->schema, feature_schema(target::Processor::Cpu));
  // What was stored while tuning, and what the terms give again, are the same.
  const auto tasks = store->tasks().value();
  const store::StoredTask& task = tasks.front();
  const auto evaluations = store->evaluations(task.id).value();
  for (const store::StoredEvaluation& each : evaluations) {
    const auto again = features_of_term(each.candidate.term, store::target_of(task.task.device));
    ASSERT_TRUE(again) << again.error().render();
    for (std::size_t i = 0; i < data->measurements.size(); ++i) {
      if (data->measurements[i].candidate != each.candidate.name) continue;
      const auto row = data->features.row(i);
      EXPECT_EQ(std::vector<double>(row.begin(), row.end()), *again) << each.candidate.name;
    }
  }
}

TEST_F(Prediction, OnlyMeasurementsThatAreAskedFor) {
  EXPECT_THAT(measurements_of(*store, {{"another"}, "", {}})->measurements, SizeIs(0));
  EXPECT_THAT(measurements_of(*store, {{}, "nvidia-h200-cuda", {}})->measurements, SizeIs(0));
  EXPECT_THAT(measurements_of(*store, {{"matmul"}, "cpu-host", {}})->measurements, SizeIs(Ge(35U)));
}

TEST_F(Prediction, RanksWhatNobodyRan) {
  const auto sized = driver::with_sizes(program_of(scaled), {{"N", 3072}});
  variants::ExplorationOptions exploring;
  exploring.looks_at_features = true;
  exploring.target = store::target_of(store->tasks().value().front().task.device);
  const auto exploration = variants::Exploration::of(*sized, exploring);
  ASSERT_TRUE(exploration);
  const auto ranked = rank(*exploration, learned(), {}, {.most = 20});
  ASSERT_TRUE(ranked) << ranked.error().render();
  const std::vector<Ranked>& list = ranked->candidates;
  EXPECT_THAT(list, SizeIs(Ge(4U)));
  for (std::size_t i = 1; i < list.size(); ++i) EXPECT_LE(list[i - 1].log_seconds, list[i].log_seconds);
  for (const Ranked& each : list) {
    const auto alone = predict(*exploration, learned(), ranked->population, {each.id}, {}, 1);
    ASSERT_TRUE(alone) << alone.error().render();
    ASSERT_TRUE(alone->front());
    EXPECT_EQ(alone->front()->log_seconds, each.log_seconds) << "what it is beside the same others";
    EXPECT_EQ(alone->front()->deviation, each.deviation);
  }
}

TEST_F(Prediction, ThreadsMakeNoDifferenceToAnOrder) {
  const auto sized = driver::with_sizes(program_of(matmul), {{"M", 256}, {"N", 256}, {"K", 256}});
  variants::ExplorationOptions exploring;
  exploring.looks_at_features = true;
  exploring.target = store::target_of(store->tasks().value().front().task.device);
  const auto exploration = variants::Exploration::of(*sized, exploring);
  ASSERT_TRUE(exploration);
  const model::Model model = learned();
  const auto order = [&](std::size_t threads) {
    std::vector<std::string> found;
    const auto ranked = rank(*exploration, model, {}, {.most = 600, .threads = threads});
    for (const Ranked& each : ranked.value().candidates)
      found.push_back(fmt::format("{} {} {}", to_string(each.id), each.log_seconds, each.deviation));
    return found;
  };
  const std::vector<std::string> one = order(1);
  EXPECT_THAT(one, SizeIs(Ge(300U))) << "more than one thread is given at a time";
  EXPECT_EQ(one, order(3));
}

TEST_F(Prediction, TunesInPredictedOrder) {
  tuner::TuningOptions predicting = options(tuner::predicted_strategy, 4);
  predicting.model = saved();
  const auto result = tuner::tune(scaling(), predicting, *store);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_THAT(result->ranked, Ge(4U));
  EXPECT_EQ(result->evaluated, 4U);
  EXPECT_EQ(store->runs(result->task).value().front().run.strategy, tuner::predicted_strategy);
}

TEST_F(Prediction, EndsWhenLittleIsExpected) {
  tuner::TuningOptions predicting = options(tuner::predicted_strategy, 1000);
  predicting.model = saved();
  predicting.least_improvement = 10;  // whatever is left is little
  const auto result = tuner::tune(product(), predicting, *store);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(result->ended_by, "no faster candidate is expected");
  EXPECT_THAT(result->evaluated, Le(40U));
  // What was under way by then has come in.
  const auto funnel = nlohmann::json::parse(store->runs(result->task).value().back().funnel);
  std::size_t discarded = 0;
  for (const auto& [reason, count] : funnel["discarded"].items()) discarded += count.get<std::size_t>();
  EXPECT_EQ(result->evaluated + discarded, funnel["looked_at"]);
}

TEST_F(Prediction, SaysWhichFeaturesMakeTheDifference) {
  const auto device = store::target_of(store->tasks().value().front().task.device);
  const auto sized = driver::with_sizes(program_of(matmul), {{"M", 24}, {"N", 36}, {"K", 48}});
  variants::ExplorationOptions exploring;
  exploring.looks_at_features = true;
  exploring.target = device;
  const auto exploration = variants::Exploration::of(*sized, exploring);
  ASSERT_TRUE(exploration);
  const model::Model model = learned();
  const variants::CandidateId id = exploration->sample(1, 3).front();
  const auto explained = explain_speed(*exploration, id, *sized, model, device, 1);
  ASSERT_TRUE(explained) << explained.error().render();
  double sum = 0;
  for (const model::Contribution& each : explained->contributions) sum += each.value;
  EXPECT_NEAR(sum, explained->log_speedup, 1e-6);
  EXPECT_THAT(explained->deviation, Ge(0));
}

TEST_F(Prediction, AModelOfOtherDevicesIsTheUsersError) {
  const auto of_file = model_of_file(HOIST_SOURCE_DIR "/models/nvidia-h200.json.gz",
                                     store::target_of(store->tasks().value().front().task.device));
  ASSERT_FALSE(of_file);
  EXPECT_THAT(of_file.error().render(), HasSubstr("cpu-host"));
}

TEST_F(Prediction, TheModelThatShipsIsOfTheFeaturesOfToday) {
  for (const auto language : {target::Language::Cuda, target::Language::OpenCL}) {
    const auto chosen = model_for(h200(language), &*store);
    ASSERT_TRUE(chosen);
    ASSERT_TRUE(*chosen) << "hoist train must learn models/ anew when features change";
    EXPECT_EQ((*chosen)->device_class, device_class(h200(language)));
    EXPECT_EQ((*chosen)->origin, "shipped with Hoist");
  }
}

/// A model of processors that ships serves them as long as their features are what it learned from, whatever
/// becomes of those of GPUs.
TEST_F(Prediction, TheModelsThatShipHaveTheSchemasOfTheirKinds) {
  const auto schema_of = [](const char* name) {
    const auto read = model::load(std::string(HOIST_SOURCE_DIR "/models/") + name + ".json.gz");
    EXPECT_TRUE(read) << read.error().render();
    return read->description().schema;
  };
  EXPECT_EQ(schema_of("nvidia-h200"), feature_schema(processor_of("nvidia-h200-cuda")));
  EXPECT_EQ(schema_of("pocl-cpu"), feature_schema(processor_of("pocl-cpu-opencl")));
  EXPECT_EQ(processor_of("cpu-host"),
            store::target_of(store->tasks().value().front().task.device).machine.processor);
  EXPECT_EQ(processor_of("nvidia-h200-opencl"), h200(target::Language::OpenCL).machine.processor);
}

TEST_F(Prediction, TheStoresModelComesFirst) {
  ASSERT_TRUE(store->add_model({.name = speed_model,
                                .device_class = "cpu-host",
                                .schema = std::string(features::schema(target::Processor::Cpu).name),
                                .content = learned().to_json().dump()}));
  const auto chosen = model_for(store::target_of(store->tasks().value().front().task.device), &*store);
  ASSERT_TRUE(chosen && *chosen);
  EXPECT_EQ((*chosen)->origin, "from the store");
}

}  // namespace
}  // namespace hoist::predict
