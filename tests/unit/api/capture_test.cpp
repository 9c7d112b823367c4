// HOIST_CAPTURE: what an application ran, in a directory; and that it runs on whatever becomes of that.
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

namespace fs = std::filesystem;

const std::string axpy =
    "def axpy(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)\n";

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Capture : public testing::Test {
 protected:
  Capture() {
    fs::create_directories(root_);
    ask_for(root_ / "captured");
  }
  ~Capture() override {
    unsetenv("HOIST_CAPTURE");
    fs::remove_all(root_);
  }
  void ask_for(const fs::path& directory) {
    directory_ = directory;
    setenv("HOIST_CAPTURE", directory.c_str(), 1);
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> result;
    if (!fs::is_directory(directory_)) return result;
    for (const auto& each : fs::directory_iterator(directory_)) result.push_back(each.path());
    return result;
  }
  /// The elements of the first floats of a captured input.
  static std::vector<float> floats(const fs::path& file) {
    const std::string bytes = text_of(file);
    const std::size_t start = bytes.find('\n') + 1;
    std::vector<float> result((bytes.size() - start) / sizeof(float));
    std::memcpy(result.data(), bytes.data() + start, result.size() * sizeof(float));
    return result;
  }

  const fs::path root_ = fs::temp_directory_path() / ("hoist-capture-" + std::to_string(getpid()));
  fs::path directory_;
};

void run_axpy(std::int64_t n, int runs = 1) {
  Compiled compiled = compile(program_of(axpy), host(), {{"N", n}}).value();
  const std::vector<float> x(static_cast<std::size_t>(n), 1.0F), y(x.size(), 3.0F);
  std::vector<float> result(x.size());
  for (int i = 0; i < runs; ++i) {
    ASSERT_TRUE(compiled.run({2.0F, x, y}, {result}));
    EXPECT_EQ(result.back(), 5.0F);
  }
}

TEST_F(Capture, WritesEachCaseOnce) {
  run_axpy(4, 3);
  run_axpy(4, 2);
  run_axpy(5);
  ASSERT_EQ(entries().size(), 2U);
  for (const fs::path& place : entries()) {
    EXPECT_EQ(place.filename().string().rfind("axpy-", 0), 0U);
    EXPECT_EQ(text_of(place / "program.hoist"), axpy);
    const std::string facts = text_of(place / "case.json"), runs = text_of(place / "runs.jsonl");
    EXPECT_NE(facts.find("\"id\": \"host\""), std::string::npos) << facts;
    const bool is_first = facts.find("\"N\": 4") != std::string::npos;
    EXPECT_EQ(floats(place / "x.npy"), std::vector<float>(is_first ? 4 : 5, 1.0F));
    EXPECT_EQ(floats(place / "a.npy"), std::vector<float>{2.0F});
    // The first run of each Compiled is added at once, the others at its end.
    EXPECT_NE(runs.find("{\"runs\":1,"), std::string::npos) << runs;
    EXPECT_EQ(runs.find("{\"runs\":2,") != std::string::npos, is_first) << runs;
  }
}

TEST_F(Capture, NothingIsWrittenWithoutTheVariableOrARun) {
  compile(program_of(axpy), host(), {{"N", 4}}).value();
  EXPECT_FALSE(fs::exists(directory_));
  unsetenv("HOIST_CAPTURE");
  run_axpy(4);
  EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(Capture, TakesInputsAsTheyWereBeforeTheRun) {
  const Program program = program_of("def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
  for (const Device& device : every_device()) {
    ask_for(root_ / device.facts().name);
    Compiled compiled = compile(program, device, {{"N", 3}}).value();
    // The result takes the input's place in the host's memory.
    std::vector<float> x{1, 2, 3};
    ASSERT_TRUE(compiled.run({x}, {x}));
    EXPECT_EQ(x, (std::vector<float>{2, 4, 6}));
    ASSERT_EQ(entries().size(), 1U);
    EXPECT_EQ(floats(entries()[0] / "x.npy"), (std::vector<float>{1, 2, 3}));
  }
}

TEST_F(Capture, ReadsBuffersOfTheDevice) {
  const Program program = program_of("def pair(p: [N](f32, f32)): [N]f32 = p |> map((a, b) => a + b)\n");
  const Device device = host();
  Compiled compiled = compile(program, device, {{"N", 2}}).value();
  const Buffer a = Buffer::from<float>(device, std::vector<float>{1, 2}).value();
  std::vector<float> result(2);
  ASSERT_TRUE(compiled.run({a, std::vector<float>{3, 4}}, {result}));
  ASSERT_EQ(entries().size(), 1U);
  EXPECT_EQ(floats(entries()[0] / "p.0.npy"), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(entries()[0] / "p.1.npy"), (std::vector<float>{3, 4}));
}

TEST_F(Capture, ThreadsMakeOneCase) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { run_axpy(1000, 5); });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(entries().size(), 1U);
}

/// What has run kernels on the host's threads cannot be forked: these are processes started anew.
class CaptureInProcess : public Capture {
 protected:
  CaptureInProcess() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void end(bool is_well) const {
    fs::remove_all(root_);
    std::_Exit(is_well ? 0 : 1);
  }
};

TEST_F(CaptureInProcess, ADirectoryThatCannotBeWrittenIsToldOnce) {
  const auto run_twice = [&] {
    setenv("HOIST_CAPTURE", "/proc/none/captured", 1);
    run_axpy(4, 2);
    run_axpy(5);
    end(!HasFailure());
  };
  // Once in a process: a new one tells it.
  EXPECT_EXIT(run_twice(), testing::ExitedWithCode(0),
              "^hoist: HOIST_CAPTURE: [^\n]*/proc/none[^\n]*the program continues[^\n]*\n$");
}

TEST_F(CaptureInProcess, AFullDiskLeavesNothingBehindAndTheResultWhole) {
  const auto run_with_small_files = [&] {
    const Program program = program_of("def total(x: [N]f32): f32 = reduce(+, 0.0, x)\n");
    Compiled compiled = compile(program, host(), {{"N", 4096}}).value();
    const rlimit most{8192, 8192};
    setrlimit(RLIMIT_FSIZE, &most);
    std::vector<float> x(4096, 1.0F), sum(1);
    compiled.run({x}, {sum}).value();
    end(sum[0] == 4096.0F && fs::is_empty(directory_));
  };
  EXPECT_EXIT(run_with_small_files(), testing::ExitedWithCode(0), "x.npy cannot be written: File too large");
}

}  // namespace
}  // namespace hoist::api
