// The readers of recorded spaces, on small files of our own.
#include "search/recording_reader.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

namespace hoist::search {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kernel_tuner = R"({
"device_name": "A card", "kernel_name": "twice", "problem_size": [64],
"tune_params_keys": ["block", "layout"],
"tune_params": {"block": [32, 128, 64], "layout": ["row", "column"]},
"objective": "time",
"cache": {
"32,row": {"block": 32, "layout": "row", "time": 2.5, "times": [2, 3], "compile_time": 100.0, "verification_time": 0, "benchmark_time": 20.0, "strategy_time": 0, "framework_time": 5.0},
"128,row": {"block": 128, "layout": "row", "time": "CompilationFailedConfig", "compile_time": 50.0},
"64.0,column": {"block": 64.0, "layout": "column", "time": 1.5, "times": [1.5], "compile_time": 80.0, "benchmark_time": 10.0},
"128,column": {"block": 128, "layout": "column", "time": "RuntimeFailedConfig", "compile_time": 60.0}}
})";

const std::string t4 = R"({"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds"}, "results": [
{"configuration": {"block": 32, "flag": true}, "times": {"compilation": 100, "framework": 5, "search_algorithm": 0,
 "validation": 1, "runtimes": [2, 3]}, "invalidity": "correct", "correctness": 1,
 "measurements": [{"name": "power", "value": 9, "unit": "W"}, {"name": "time", "value": 2.5, "unit": ""}], "objectives": ["time"]},
{"configuration": {"block": 64, "flag": false}, "times": {"compilation_time": 70, "runtimes": []}, "invalidity": "timeout",
 "correctness": 0, "measurements": [{"name": "time", "value": "TimeoutConfig", "unit": ""}], "objectives": ["time"]},
{"configuration": {"block": 128, "flag": false}, "times": {"compilation": 10, "runtimes": [900]}, "invalidity": "correct",
 "correctness": 1, "measurements": [{"name": "time", "value": 900, "unit": "us"}], "objectives": ["time"]},
{"configuration": {"block": 128, "flag": true}, "times": {"compilation": 10, "runtimes": [1]}, "invalidity": "correctness",
 "correctness": 0, "measurements": [{"name": "time", "value": 1, "unit": ""}], "objectives": ["time"]}
]})";

Recording parsed(const std::string& text) {
  auto recording = parse_recording(text, "made-up.json");
  EXPECT_TRUE(recording) << recording.error().render();
  return *recording;
}
std::string refused(const std::string& text) {
  const auto recording = parse_recording(text, "made-up.json");
  EXPECT_FALSE(recording);
  EXPECT_EQ(recording.error().kind, ErrorKind::User);
  return recording.error().render();
}

TEST(KernelTuner, TimesFailuresAndCosts) {
  const Recording recording = parsed(kernel_tuner);
  EXPECT_EQ(recording.device, "A card");
  EXPECT_EQ(recording.kernel, "twice");
  EXPECT_THAT(recording.parameters, ElementsAre("block", "layout"));
  EXPECT_THAT(recording.values[0], ElementsAre("32", "64", "128"));
  EXPECT_THAT(recording.values[1], ElementsAre("column", "row"));
  ASSERT_EQ(recording.trials.size(), 4U);
  const Trial& first = recording.trials[0];
  EXPECT_EQ(recording.text(first.configuration), "32,row");
  EXPECT_DOUBLE_EQ(*first.outcome.seconds, 2.5e-3);
  EXPECT_DOUBLE_EQ(first.outcome.cost, 0.125);
  EXPECT_NEAR(first.outcome.spread, 0.7071e-3, 1e-6);
  EXPECT_FALSE(recording.trials[1].outcome.seconds);
  EXPECT_EQ(recording.trials[1].outcome.failure, FailureKind::Compile);
  EXPECT_EQ(recording.text(recording.trials[2].configuration), "64,column");
  EXPECT_EQ(recording.trials[3].outcome.failure, FailureKind::Run);
  EXPECT_TRUE(recording.notes.empty());
}

TEST(KernelTuner, FileCutAnywhereKeepsWhatIsComplete) {
  const std::size_t first_entry = kernel_tuner.find("\n\"128,row\"");
  std::size_t most = 0;
  for (std::size_t length = first_entry; length < kernel_tuner.size(); ++length) {
    const Recording recording = parsed(kernel_tuner.substr(0, length));
    ASSERT_THAT(recording.notes, ElementsAre(HasSubstr("the file is cut off"))) << length;
    EXPECT_GE(recording.trials.size(), most);
    most = recording.trials.size();
  }
  EXPECT_EQ(most, 4U);
}

TEST(T4, TimesFailuresUnitsAndCosts) {
  const Recording recording = parsed(t4);
  EXPECT_THAT(recording.parameters, ElementsAre("block", "flag"));
  ASSERT_EQ(recording.trials.size(), 4U);
  EXPECT_DOUBLE_EQ(*recording.trials[0].outcome.seconds, 2.5e-3);
  EXPECT_DOUBLE_EQ(recording.trials[0].outcome.cost, 0.111);
  EXPECT_EQ(recording.trials[1].outcome.failure, FailureKind::Timeout);
  EXPECT_DOUBLE_EQ(recording.trials[1].outcome.cost, 0.07);
  EXPECT_DOUBLE_EQ(*recording.trials[2].outcome.seconds, 900e-6);
  EXPECT_FALSE(recording.trials[3].outcome.seconds);
  EXPECT_EQ(recording.trials[3].outcome.failure, FailureKind::WrongResult);
  EXPECT_TRUE(recording.notes.empty());
}

TEST(T4, WithoutAUnitMillisecondsAreMeant) {
  std::string text = t4;
  text.replace(text.find("miliseconds"), 11, "");
  const Recording recording = parsed(text);
  EXPECT_THAT(recording.notes, ElementsAre(HasSubstr("no unit")));
  EXPECT_DOUBLE_EQ(*recording.trials[0].outcome.seconds, 2.5e-3);
}

TEST(T4, FileCutInTheListKeepsWhatIsComplete) {
  const Recording recording = parsed(t4.substr(0, t4.find("{\"configuration\": {\"block\": 128")));
  EXPECT_EQ(recording.trials.size(), 2U);
}

TEST(Recording, WhatIsThereTwiceCountsOnce) {
  std::string text = kernel_tuner;
  text.replace(text.find("\"64.0,column\": {\"block\": 64.0, \"layout\": \"column\""), 49,
               "\"32.0,row\": {\"block\": 32.0, \"layout\": \"row\"");
  const Recording recording = parsed(text);
  EXPECT_EQ(recording.trials.size(), 3U);
  EXPECT_THAT(recording.notes, ElementsAre(HasSubstr("1 configurations are recorded more than once")));
}

TEST(Recording, SaysWhatIsWrong) {
  EXPECT_THAT(refused("nothing of the kind"), HasSubstr("'made-up.json' is no JSON"));
  EXPECT_THAT(refused(""), HasSubstr("is no JSON"));
  EXPECT_THAT(refused("{\"cache\": [1]}"),
              AllOf(HasSubstr("no recorded tuning space"), HasSubstr("tune_params_keys")));
  EXPECT_THAT(refused("[1, 2]"), HasSubstr("no recorded tuning space"));
  EXPECT_THAT(
      refused(R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": "RuntimeFailedConfig"}}})"),
      HasSubstr("'made-up.json' has no valid configuration"));
  EXPECT_THAT(refused(R"({"tune_params_keys": ["a", "b"], "cache": {"1": {"a": 1, "time": 2.0}}})"),
              AllOf(HasSubstr("'1'"), HasSubstr("no value of 'b'")));
  EXPECT_THAT(refused(R"({"results": [{"times": {}}]})"),
              HasSubstr("result 1 of 'made-up' has no configuration"));
  EXPECT_THAT(refused(R"({"results": []})"), HasSubstr("no valid configuration"));
}

class File : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::path(testing::TempDir()) /
                 ("hoist-search-" + std::string(info->name()) + std::to_string(getpid()));
    std::filesystem::create_directory(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::filesystem::path directory_;
};

TEST_F(File, PlainAndGzip) {
  std::ofstream(path("plain.json")) << kernel_tuner;
  gzFile packed = gzopen(path("packed.T4.json.gz").c_str(), "wb");
  gzwrite(packed, t4.data(), static_cast<unsigned>(t4.size()));
  gzclose(packed);
  const auto plain = read_recording(path("plain.json")), unpacked = read_recording(path("packed.T4.json.gz"));
  ASSERT_TRUE(plain && unpacked);
  EXPECT_EQ(plain->name, "plain");
  EXPECT_EQ(unpacked->name, "packed");
  EXPECT_EQ(unpacked->trials.size(), 4U);
}

TEST_F(File, NotThereOrADirectory) {
  EXPECT_THAT(read_recording(path("none.json")).error().render(), HasSubstr("there is no file"));
  EXPECT_THAT(read_recording(directory_.string()).error().render(), HasSubstr("is a directory"));
}

}  // namespace
}  // namespace hoist::search
