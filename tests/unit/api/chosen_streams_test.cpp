// Streams that a model chooses, through the interface. The model is planted in the user's store.
#include <cstdlib>
#include <filesystem>

#include "store/store.hpp"
#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

/// One whose every constant is what it is for a usual device, and which has learned nothing else.
std::string model_text(const std::string& device_class) {
  std::string constants;
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"upload_latency", "8e-6"},
                                                                  {"upload_rate", "1e10"},
                                                                  {"download_latency", "8e-6"},
                                                                  {"download_rate", "1e10"},
                                                                  {"launch_seconds", "5e-6"},
                                                                  {"command_seconds", "2e-6"},
                                                                  {"task_seconds", "1e-6"},
                                                                  {"partition_seconds", "2e-6"},
                                                                  {"queue_waiting", "0.3"},
                                                                  {"exclusion", "0.3"},
                                                                  {"half_duplex", "0.1"},
                                                                  {"partition_slowdown", "0.9"},
                                                                  {"items_to_fill", "2e4"},
                                                                  {"underuse", "0.3"},
                                                                  {"cache_bytes", "1e6"},
                                                                  {"cache_gain", "0.9"},
                                                                  {"instruction_rate", "1e11"},
                                                                  {"memory_rate", "1e11"}})
    constants += (constants.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
  return R"({"format": "hoist stream model", "version": 2, "device_class": ")" + device_class +
         R"(", "provenance": {}, "constants": {)" + constants +
         R"(}, "partitions": [1, 2], "tasks": [1, 2, 4, 8, 16], "learned_from": 1,
             "cautions": {"measured": {"trust": 0, "doubt": 0, "least_gain": 1, "tolerance": 1, "is_overlap_alone": false},
                          "not_measured": {"trust": 0, "doubt": 0, "least_gain": 1, "tolerance": 1, "is_overlap_alone": false}}})";
}

class ChosenStreams : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(place_ / "hoist");
    if (const char* before = std::getenv("XDG_DATA_HOME")) before_ = before;
    setenv("XDG_DATA_HOME", place_.c_str(), 1);
  }
  void TearDown() override {
    before_.empty() ? unsetenv("XDG_DATA_HOME") : setenv("XDG_DATA_HOME", before_.c_str(), 1);
    std::filesystem::remove_all(place_);
  }
  void keep_model(const std::string& device_class) {
    auto store = store::Store::open((place_ / "hoist" / "store.sqlite").string());
    ASSERT_TRUE(store);
    ASSERT_TRUE(store->add_model({.name = "streams",
                                  .device_class = device_class,
                                  .schema = "streams",
                                  .content = model_text(device_class)}));
  }

  const std::filesystem::path place_ = std::filesystem::path(testing::TempDir()) / "hoist_chosen_streams";
  std::string before_;
};

TEST_F(ChosenStreams, AreThoseOfTheModelAndKept) {
  keep_model("cpu-host");
  const Program program =
      program_of("def axpy(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)\n");
  constexpr std::size_t n = 1 << 22;
  Compiled compiled =
      compile(program, host(), {{"N", n}}, Streams{.partitions = 1, .tasks = 0, .memory = 0}).value();
  ASSERT_TRUE(compiled.streams());
  // Transfers take most of the time, and as many tasks as there may be hide most of it.
  EXPECT_GT(compiled.streams()->tasks, 1);
  ASSERT_FALSE(compiled.notes().empty());
  EXPECT_NE(compiled.notes().front().find("chosen by the model from the store"), std::string::npos)
      << compiled.notes().front();
  const std::vector<float> x(n, 1), y(n, 2);
  std::vector<float> result(n);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(compiled.run({2.0F, x, y}, {result}));
    EXPECT_EQ(result[n / 2], 4);
  }
}

/// On buffers nothing is moved but in the first run, so that there is nothing to overlap.
TEST_F(ChosenStreams, AreChosenAgainWhenARunHasToldWhatTransfersTake) {
  keep_model("cpu-host");
  const Program program =
      program_of("def axpy(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)\n");
  constexpr std::size_t n = 1 << 22;
  const Device device = host();
  Compiled compiled =
      compile(program, device, {{"N", n}}, Streams{.partitions = 1, .tasks = 0, .memory = 0}).value();
  const std::int64_t first = compiled.streams()->tasks;
  EXPECT_GT(first, 2);
  Buffer x = Buffer::from(device, std::vector<float>(n, 1)).value();
  Buffer y = Buffer::from(device, std::vector<float>(n, 2)).value();
  Buffer result = Buffer::allocate(device, Scalar::F32, n).value();
  for (int run = 0; run < 5; ++run) {
    const std::int64_t tasks = compiled.streams()->tasks;
    EXPECT_TRUE(run < 2 ? tasks == first : tasks <= 2) << tasks << " in run " << run;
    const float a = 2.0F + static_cast<float>(run);
    const auto ran = compiled.run({Input(a), Input(x), Input(y)}, {Output(result)});
    ASSERT_TRUE(ran) << ran.error().text();
    const std::span<const float> found = result.read<float>().value();
    EXPECT_EQ(found.front(), a + 2);
    EXPECT_EQ(found.back(), a + 2);
  }
  EXPECT_NE(compiled.notes().back().find("from the third run on"), std::string::npos)
      << compiled.notes().back();
}

/// Windows of two executables beside each other would take more than the limit.
TEST_F(ChosenStreams, AreKeptWhereMemoryIsShort) {
  keep_model("cpu-host");
  const Program program = program_of("def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
  constexpr std::size_t n = 1 << 22;
  Compiled compiled =
      compile(program, host(), {{"N", n}}, Streams{.partitions = 1, .tasks = 0, .memory = n * 4}).value();
  const std::int64_t first = compiled.streams()->tasks;
  const std::size_t notes = compiled.notes().size();
  const std::vector<float> x(n, 1);
  std::vector<float> result(n);
  for (int run = 0; run < 4; ++run) {
    ASSERT_TRUE(compiled.run({x}, {result}));
    EXPECT_EQ(result.back(), 2);
  }
  EXPECT_EQ(compiled.streams()->tasks, first);
  EXPECT_EQ(compiled.notes().size(), notes);
}

/// What was asked for is no choice of a model's.
TEST_F(ChosenStreams, AskedForAreNotChosenAgain) {
  keep_model("cpu-host");
  const Program program = program_of("def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
  Compiled compiled =
      compile(program, host(), {{"N", 4096}}, Streams{.partitions = 1, .tasks = 4, .memory = 0}).value();
  const std::size_t notes = compiled.notes().size();
  const std::vector<float> x(4096, 1);
  std::vector<float> result(4096);
  for (int run = 0; run < 4; ++run) ASSERT_TRUE(compiled.run({x}, {result}));
  EXPECT_EQ(compiled.streams()->tasks, 4);
  EXPECT_EQ(compiled.notes().size(), notes);
}

TEST_F(ChosenStreams, NeedAModelOfSuchDevices) {
  const Program program = program_of("def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
  const auto compiled =
      compile(program, host(), {{"N", 1000}}, Streams{.partitions = 1, .tasks = 0, .memory = 0});
  // One may ship.
  if (compiled) return;
  EXPECT_EQ(compiled.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(compiled.error().text().find("there is no model of streams"), std::string::npos);
}

}  // namespace
}  // namespace hoist::api
