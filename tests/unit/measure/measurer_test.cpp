#include "measure/measurer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "driver/inputs.hpp"
#include "ir/print.hpp"
#include "measure/device_turn.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "support/sanitized.hpp"

namespace hoist::measure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::program_of;

/// Twice each element: simple enough that its kernel can be written by hand, right and wrong.
constexpr const char* twice = "def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n";
constexpr std::int64_t length = 1000;

/// A kernel of `twice` with the name and the parameters of Hoist's own: one work-item does what the body
/// says.
std::string source_for(const std::string& device, const std::string& body) {
  if (device == "opencl")
    return "kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
           "void twice(global float* x, global float* result) {\n  if (get_global_id(0) != 0) return;\n" +
           body + "\n}\n";
  if (device.starts_with("cuda"))
    return "extern \"C\" __global__ void twice(float* x, float* result) {\n"
           "  if (blockIdx.x + threadIdx.x != 0) return;\n" +
           body + "\n}\n";
  return "#include <cstddef>\n#include <cstdlib>\n#include <vector>\n"
         "extern \"C\" void twice(void* const* arguments, const std::size_t*) {\n"
         "  float* x = static_cast<float*>(arguments[0]);\n"
         "  float* result = static_cast<float*>(arguments[1]);\n" +
         body + "\n}\n";
}
std::string host_source(const std::string& body) { return source_for("host", body); }
constexpr const char* right = "for (int i = 0; i < 1000; ++i) result[i] = 2 * x[i];";

class MeasurerTest : public ::testing::Test {
 protected:
  ir::Arena arena;

  /// Threads that wait for each other take long where other tests keep the processors busy.
  static void SetUpTestSuite() { setenv("OMP_NUM_THREADS", "1", 0); }

  static MeasuringOptions options(const std::string& device = "host") {
    MeasuringOptions options;
    options.devices = {device};
    options.builders = 2;
    options.program = HOIST_WORKER_PROGRAM;
    options.rule.seconds = 0.02;
    return options;
  }
  static Task task(const std::string& text = twice, const driver::NamedSizes& sizes = {{"N", length}}) {
    Task task{program_of(text), sizes, {}};
    task.inputs = driver::random_inputs(task.program, driver::bindings_of(task.program, sizes), 1).value();
    return task;
  }
  static std::string text_of(const Task& task) {
    return ir::to_string(driver::with_sizes(task.program, task.sizes).value());
  }
  static std::unique_ptr<Measurer> started(const Task& task, const MeasuringOptions& options) {
    auto measurer = Measurer::start(task, options);
    if (!measurer) throw std::runtime_error(measurer.error().render());
    return std::move(*measurer);
  }
};

TEST_F(MeasurerTest, TimesWhatIsRight) {
  const Task all = task();
  const auto measurer = started(all, options());
  EXPECT_EQ(measurer->under_way(), 0U);
  EXPECT_GT(measurer->wanted(), 0U);
  EXPECT_FALSE(measurer->next()) << "nothing is under way";
  measurer->submit({"a", text_of(all)});
  EXPECT_EQ(measurer->under_way(), 1U);
  const auto outcome = measurer->next();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->id, "a");
  EXPECT_EQ(outcome->kind, OutcomeKind::Ok) << outcome->message;
  EXPECT_EQ(outcome->device, "host");
  EXPECT_GE(outcome->seconds.size(), 6U);
  EXPECT_LE(outcome->interval.low, outcome->median());
  EXPECT_GE(outcome->interval.high, outcome->median());
  EXPECT_THAT(outcome->source, HasSubstr("twice"));
  ASSERT_EQ(outcome->kernels.size(), 1U);
  EXPECT_EQ(outcome->inputs.bytes, 4U * length);
  EXPECT_EQ(outcome->outputs.bytes, 4U * length);
  EXPECT_EQ(measurer->best(), outcome->median());
  EXPECT_TRUE(measurer->expected().verified_at.empty()) << "the interpreter's";
}

TEST_F(MeasurerTest, AQuotientOfADifferenceIsHeldAgainstItsOwnConditioning) {
  const std::string text =
      "def grey(a: [N]f32, b: [N]f32, c: [N]f32): [N]f32 =\n"
      "  zip(a, b, c) |> map((a, b, c) => 1.0 / (0.299 * a + 0.587 * b + 0.114 * c))\n";
  const Task all = task(text, {{"N", 20000}});
  const auto measurer = started(all, options());
  measurer->submit({"right", text_of(all)});
  std::string other = text_of(all);
  other.replace(other.find("0.587"), 5, "0.588");
  measurer->submit({"wrong", other});
  for (int i = 0; i < 2; ++i) {
    const auto outcome = measurer->next();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(name_of(outcome->kind),
              name_of(outcome->id == "right" ? OutcomeKind::Ok : OutcomeKind::WrongResult))
        << outcome->id << ": " << outcome->message;
  }
}

TEST_F(MeasurerTest, WhatIsNotWrittenIsSeenWhereZeroIsRight) {
  // Where sums cancel the bound is absolute: poison must be far from every result, from 0 too.
  Task all = task("def twice(x: [N]f32): [N]f32 = x |> map(e => 3.0 * e - e)\n");
  std::fill_n(all.inputs[0][0].bytes.begin() + 5 * sizeof(float), sizeof(float), std::byte{0});
  const auto measurer = started(all, options());
  measurer->submit({"all but one", text_of(all),
                    host_source("for (int i = 0; i < 1000; ++i) if (i != 5) result[i] = 2 * x[i];")});
  const auto outcome = measurer->next();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(name_of(outcome->kind), name_of(OutcomeKind::WrongResult));
  EXPECT_THAT(outcome->message, HasSubstr("1 of 1000 elements differ"));
}

/// What is planted, and what is to come of it.
struct Fault {
  std::string body;
  OutcomeKind kind;
  std::string words;
};

/// Faults that kernels in any language can have.
std::vector<Fault> common_faults() {
  return {{"for (volatile int i = 1; i != 0;) x[7] = 1;", OutcomeKind::Timeout, "within"},
          {";", OutcomeKind::WrongResult, "1000 of 1000 elements differ"},
          {std::string(right) + " result[999] = 0;", OutcomeKind::WrongResult, "1 of 1000 elements"},
          {std::string(right) + " result[1000] = 1;", OutcomeKind::WrongResult, "beyond the end"},
          {std::string(right) + " x[5] = 1;", OutcomeKind::WrongResult, "input 0"},
          {std::string(right) + " x[1003] = 1;", OutcomeKind::WrongResult, "input 0"},
          {"this does not compile;", OutcomeKind::BuildFailed, "refused"}};
}

/// Each fault is measured between two kernels that are right: what it leaves behind is nobody's else.
void expect_told(const std::string& device, const std::string& text, Measurer& measurer,
                 const std::vector<Fault>& faults) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    measurer.submit({"right", text, source_for(device, right)});
    measurer.submit({std::to_string(i), text, source_for(device, faults[i].body)});
  }
  measurer.submit({"default", text});
  double best = std::numeric_limits<double>::infinity();
  std::size_t seen = 0;
  while (const auto outcome = measurer.next()) {
    ++seen;
    if (outcome->kind == OutcomeKind::Ok) best = std::min(best, outcome->median());
    if (outcome->id == "right" || outcome->id == "default") {
      EXPECT_TRUE(has_times(outcome->kind)) << outcome->message;
      continue;
    }
    const Fault& fault = faults[std::stoul(outcome->id)];
    EXPECT_EQ(name_of(outcome->kind), name_of(fault.kind)) << fault.body << "\n" << outcome->message;
    EXPECT_THAT(outcome->message, HasSubstr(fault.words));
  }
  EXPECT_EQ(seen, 2 * faults.size() + 1);
  EXPECT_EQ(measurer.best(), best) << "nothing wrong is reported as best";
}

TEST_F(MeasurerTest, TellsWhatCameOfFaultsOnTheHost) {
  std::vector<Fault> faults = common_faults();
  const Fault others[] = {{"std::abort();", OutcomeKind::Crash, "signal 6"},
                          {"*static_cast<volatile int*>(nullptr) = 1;", OutcomeKind::Crash, "signal 11"},
                          {"std::exit(0);", OutcomeKind::Crash, "status 0"},
                          {"std::vector<std::vector<char>> all; for (;;) all.emplace_back(1 << 20, 'x');",
                           OutcomeKind::OutOfMemory, "of memory"}};
  faults.insert(faults.end(), std::begin(others), std::end(others));
  MeasuringOptions given = options();
  given.run_seconds = 8;
  given.measurer_memory = std::size_t{is_sanitized ? 1200 : 300} << 20;
  const Task all = task();
  expect_told("host", text_of(all), *started(all, given), faults);
}

TEST_F(MeasurerTest, TellsWhatCameOfFaultsInOpencl) {
  if (!runtime::describe_device("opencl")) GTEST_SKIP() << "there is no OpenCL device";
  std::vector<Fault> faults = common_faults();
  faults.push_back({"*(volatile global int*)8 = 1;", OutcomeKind::Crash, "signal 11"});
  MeasuringOptions given = options("opencl");
  given.run_seconds = 8;
  const Task all = task();
  expect_told("opencl", text_of(all), *started(all, given), faults);
}

TEST_F(MeasurerTest, WhatIsWrongOnlyLaterIsNotTheBest) {
  const Task all = task();
  const auto measurer = started(all, options());
  measurer->submit(
      {"later", text_of(all),
       host_source("static int runs = 0; " + std::string(right) + " if (++runs > 3) result[3] = 0;")});
  const auto outcome = measurer->next();
  EXPECT_EQ(name_of(outcome->kind), "wrong result");
  EXPECT_THAT(outcome->message, HasSubstr("[3]"));
  EXPECT_EQ(measurer->best(), std::numeric_limits<double>::infinity());
}

TEST_F(MeasurerTest, ABuildThatTakesAllMemoryCostsTheCandidate) {
  MeasuringOptions given = options();
  given.builder_memory = std::size_t{400} << 20;
  const Task all = task();
  const auto measurer = started(all, given);
  measurer->submit({"memory", text_of(all), "#include \"/dev/zero\"\n" + host_source(right)});
  const auto memory = measurer->next();
  EXPECT_EQ(name_of(memory->kind), "out of memory") << memory->message;
  measurer->submit({"right", text_of(all), host_source(right)});
  EXPECT_EQ(name_of(measurer->next()->kind), "ok");
}

TEST_F(MeasurerTest, ABuildThatHangsCostsTheCandidate) {
  // Nobody writes to it, so that the compiler waits.
  const std::string pipe = fmt::format("/tmp/hoist-pipe.{}", getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Task all = task();
  MeasuringOptions given = options();
  given.build_seconds = 2;
  const auto measurer = started(all, given);
  measurer->submit({"hang", text_of(all), "#include \"" + pipe + "\"\n" + host_source(right)});
  const auto outcome = measurer->next();
  EXPECT_EQ(name_of(outcome->kind), "timeout") << outcome->message;
  measurer->submit({"right", text_of(all)});
  EXPECT_EQ(measurer->next()->id, "right") << "there is another builder";
  std::filesystem::remove(pipe);
}

TEST_F(MeasurerTest, ABuildThatTakesFarLongerThanOthersIsGivenUp) {
  const std::string pipe = fmt::format("/tmp/hoist-slow-pipe.{}", getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string hangs = "#include \"" + pipe + "\"\n" + host_source(right);
  const Task all = task();
  MeasuringOptions given = options();
  given.build_seconds = 5;
  given.build_patience_seconds = 0.5;
  given.build_patience_factor = 2;
  const auto measurer = started(all, given);
  for (int i = 0; i < 20; ++i) measurer->submit({fmt::format("quick {}", i), text_of(all), "#error quick"});
  while (measurer->under_way() > 0) EXPECT_EQ(name_of(measurer->next()->kind), "build failed");
  measurer->submit({"slow", text_of(all), hangs});
  const auto slow = measurer->next();
  EXPECT_EQ(name_of(slow->kind), "timeout") << slow->message;
  EXPECT_LT(slow->wall_seconds, 4);
  EXPECT_THAT(slow->message, HasSubstr("and other candidates take much less"));
  measurer->submit({"by hand", text_of(all), hangs, true});
  EXPECT_GT(measurer->next()->wall_seconds, 4) << "what is to have a time is waited for";
  std::filesystem::remove(pipe);
}

TEST_F(MeasurerTest, SourcesLongerThanOneThatTookTooLongAreNotBuilt) {
  const std::string pipe = fmt::format("/tmp/hoist-long-pipe.{}", getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto long_source = [](std::size_t bytes) {
    return "/*" + std::string(bytes, ' ') + "*/\n" + host_source(right);
  };
  const Task all = task();
  MeasuringOptions given = options();
  given.candidate_build_seconds = 5;  // many times what others take, on a busy machine, too
  const auto measurer = started(all, given);
  const auto outcome_of = [&](const std::string& source, bool is_timed_to_the_end = false) {
    measurer->submit({"each", text_of(all), source, is_timed_to_the_end});
    return *measurer->next();
  };
  const Outcome hangs = outcome_of("#include \"" + pipe + "\"\n" + long_source(50000));
  EXPECT_EQ(name_of(hangs.kind), "timeout");
  EXPECT_THAT(hangs.source, HasSubstr(pipe)) << "what was not built can be looked at";
  const Outcome longer = outcome_of(long_source(60000));
  EXPECT_EQ(name_of(longer.kind), "timeout");
  EXPECT_THAT(longer.message, HasSubstr("a shorter one took too long"));
  EXPECT_EQ(name_of(outcome_of(long_source(40000)).kind), "ok");
  EXPECT_TRUE(has_times(outcome_of(long_source(60001), true).kind)) << "what must have a time is built";
  EXPECT_TRUE(has_times(outcome_of(long_source(60002)).kind)) << "the length was not what took so long";
  std::filesystem::remove(pipe);
}

/// The system's compiler, which refuses one constant, and writes down how many kernels each source has.
class WatchedCompiler : public MeasurerTest {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hoist-compiler-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory = name;
    const std::string script = (directory / "c++").string();
    std::ofstream(script) << "#!/bin/sh\nfor each; do case $each in *.cpp) source=$each;; esac; done\n"
                          << "test -n \"$source\" && grep -c '^extern \"C\"' $source >> "
                          << directory.string()
                          << "/kernels\ntest -n \"$source\" && grep -q '8.0f' $source && exit 1\n"
                          << "exec /usr/bin/c++ \"$@\"\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    setenv("CXX", script.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("CXX");
    std::filesystem::remove_all(directory);
  }
  /// The most kernels of a source that was compiled.
  int most_kernels() const {
    std::ifstream file(directory / "kernels");
    int most = 0;
    for (int kernels = 0; file >> kernels;) most = std::max(most, kernels);
    return most;
  }
  std::filesystem::path directory;
};

TEST_F(WatchedCompiler, WhereNoneIsBuiltInTimeTheNextHaveLonger) {
  std::ofstream(directory / "c++") << "#!/bin/sh\nsleep 2.3\nexec /usr/bin/c++ \"$@\"\n";
  const Task all = task();
  MeasuringOptions given = options();
  given.candidate_build_seconds = 1;
  const auto measurer = started(all, given);
  std::vector<OutcomeKind> kinds;
  for (std::size_t i = 0; i < 5 * given.builders; ++i) {
    measurer->submit(
        {"each", text_of(all), "/*" + std::string(50000 + i, ' ') + "*/\n" + host_source(right)});
    if ((i + 1) % given.builders != 0) continue;
    while (measurer->under_way() > 0) kinds.push_back(measurer->next()->kind);
  }
  EXPECT_EQ(name_of(kinds.front()), "timeout");
  EXPECT_TRUE(has_times(kinds.back())) << "neither the first limit nor the length of the first tells";
}

TEST_F(WatchedCompiler, OneThatDoesNotCompileLeavesTheOthersOfItsBuild) {
  const Task all = task();
  MeasuringOptions given = options();
  given.builders = 1;
  const auto measurer = started(all, given);
  measurer->submit({"default", text_of(all), {}, true});
  ASSERT_EQ(name_of(measurer->next()->kind), "ok");
  EXPECT_EQ(most_kernels(), 1);
  const auto submit = [&](const std::string& id, const std::string& body) {
    const Task other = task("def twice(x: [N]f32): [N]f32 = x |> map(e => " + body + ")\n");
    measurer->submit({id, text_of(other)});
  };
  const std::pair<const char*, const char*> good[] = {{"a", "e + e"}, {"b", "e * 2.0"}, {"c", "3.0 * e - e"}};
  std::map<std::string, Outcome> outcomes;
  const auto take_all = [&] {
    while (auto outcome = measurer->next()) outcomes[outcome->id] = *outcome;
  };
  for (const auto& [id, body] : good) submit(id, body);
  take_all();
  EXPECT_GT(most_kernels(), 1) << "they were built together";
  for (const auto& [id, body] : good) {
    EXPECT_TRUE(has_times(outcomes[id].kind)) << outcomes[id].message;
    EXPECT_EQ(outcomes[id].kernels.at(0).name, "twice") << "whatever it was called in their source";
    EXPECT_THAT(outcomes[id].source, Not(HasSubstr("twice_c"))) << "each has the source that is its own";
  }
  outcomes.clear();
  submit("d", "4.0 * e - 2.0 * e");
  submit("bad", "8.0 * e - 6.0 * e");
  submit("f", "5.0 * e - 3.0 * e");
  take_all();
  EXPECT_TRUE(has_times(outcomes["d"].kind)) << outcomes["d"].message;
  EXPECT_EQ(name_of(outcomes["bad"].kind), "build failed") << outcomes["bad"].message;
  EXPECT_TRUE(has_times(outcomes["f"].kind)) << outcomes["f"].message;
}

TEST_F(WatchedCompiler, TheReferenceIsBuiltWhileOthersHaveTheDevice) {
  const Task all = task();
  MeasuringOptions given = options();
  given.most_interpreted = 1;
  DeviceTurn turn("host");
  ASSERT_TRUE(turn.take([] { return false; }));
  std::unique_ptr<Measurer> measurer;
  std::thread starting([&] { measurer = started(all, given); });
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (most_kernels() == 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(most_kernels(), 1) << "nothing was built within a minute";
  turn.give_back();
  starting.join();
  EXPECT_FALSE(measurer->expected().verified_at.empty()) << "the device's";
}

TEST_F(WatchedCompiler, WhatIsBuiltTogetherCanBeGivenUp) {
  const Task all = task();
  MeasuringOptions given = options();
  given.builders = 1;
  const auto measurer = started(all, given);
  measurer->submit({"default", text_of(all), {}, true});
  ASSERT_EQ(name_of(measurer->next()->kind), "ok");
  for (int i = 3; i < 7; ++i) {
    const Task other =
        task(fmt::format("def twice(x: [N]f32): [N]f32 = x |> map(e => {}.5 * e - {}.5 * e)\n", i, i - 2));
    measurer->submit({std::to_string(i), text_of(other)});
  }
  measurer->give_up();
  EXPECT_EQ(measurer->under_way(), 0U);
  EXPECT_FALSE(measurer->next());
  measurer->submit({"afterwards", text_of(all)});
  EXPECT_EQ(measurer->next()->id, "afterwards");
}

TEST_F(MeasurerTest, WhatAreBuiltTogetherForOpenclAreMeasuredEach) {
  if (!runtime::describe_device("opencl")) GTEST_SKIP() << "there is no OpenCL device";
  const Task all = task();
  const auto measurer = started(all, options("opencl"));
  measurer->submit({"default", text_of(all), {}, true});
  ASSERT_EQ(name_of(measurer->next()->kind), "ok");
  for (int i = 3; i < 9; ++i) {
    const Task other =
        task(fmt::format("def twice(x: [N]f32): [N]f32 = x |> map(e => {}.0 * e - {}.0 * e)\n", i, i - 2));
    measurer->submit({std::to_string(i), text_of(other)});
  }
  std::size_t seen = 0;
  while (const auto outcome = measurer->next()) {
    ++seen;
    EXPECT_TRUE(has_times(outcome->kind)) << outcome->message;
    EXPECT_EQ(outcome->kernels.at(0).name, "twice");
  }
  EXPECT_EQ(seen, 6U);
}

TEST_F(MeasurerTest, TheFirstThatIsBuiltIsMeasuredBeforeOthersAreBuilt) {
  const std::string pipe = fmt::format("/tmp/hoist-first-pipe.{}", getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Task all = task();
  MeasuringOptions given = options();
  given.candidate_build_seconds = 3;
  const auto measurer = started(all, given);
  measurer->submit({"first", text_of(all), host_source(right), true});
  for (int i = 0; i < 4; ++i)
    measurer->submit(
        {fmt::format("slow {}", i), text_of(all), "#include \"" + pipe + "\"\n" + host_source(right)});
  std::size_t before = 0;
  while (measurer->next()->id != "first") ++before;
  EXPECT_LE(before, 1U) << "the other builder may have had one under way";
  measurer->give_up();
  std::filesystem::remove(pipe);
}

// ---- Several devices, and one that vanishes: on a driver that runs kernels on the processor

class FakeDevices : public MeasurerTest {
 protected:
  void SetUp() override {
    setenv("HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA, 1);
    setenv("HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA, 1);
    setenv("HOIST_NVML_LIBRARY", HOIST_FAKE_CUDA, 1);
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    setenv("FAKE_CUDA_GONE", gone.c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove(gone);
    for (const char* name : {"HOIST_CUDA_LIBRARY", "HOIST_NVRTC_LIBRARY", "HOIST_NVML_LIBRARY",
                             "FAKE_CUDA_DEVICES", "FAKE_CUDA_GONE"})
      unsetenv(name);
  }
  static MeasuringOptions both() {
    MeasuringOptions given = options("cuda:0");
    given.devices.emplace_back("cuda:1");
    return given;
  }
  /// The device that vanishes.
  void vanish(int device) const { std::ofstream(gone) << device; }

  const std::string gone = fmt::format("/tmp/hoist-gone.{}", getpid());
};

TEST_F(FakeDevices, AllAreUsed) {
  const Task all = task();
  const auto measurer = started(all, both());
  for (int i = 0; i < 6; ++i) measurer->submit({std::to_string(i), text_of(all)});
  std::map<std::string, int> by_device;
  while (const auto outcome = measurer->next()) {
    EXPECT_TRUE(has_times(outcome->kind)) << outcome->message;
    ++by_device[outcome->device];
    if (outcome->device != "cuda:0") continue;
    ASSERT_TRUE(outcome->before && outcome->after);
    EXPECT_EQ(outcome->after->clock_mhz, 1755);
    ASSERT_EQ(outcome->kernels.size(), 1U);
    EXPECT_EQ(outcome->kernels[0].facts->registers, 40U);
    EXPECT_EQ(outcome->kernels[0].range.global[0], 1024U);
  }
  EXPECT_EQ(by_device.size(), 2U);
}

TEST_F(FakeDevices, KernelsThatLearnTheirGroupsAreBuiltOnce) {
  const Task all = task();
  MeasuringOptions given = options("cuda:0");
  given.builders = 1;
  const auto measurer = started(all, given);
  for (const std::string mark : {"", "?t@"}) {
    const std::vector<std::string> sizes{"2", "4", "8", "10", "20"};
    for (const std::string& size : sizes)
      measurer->submit({size, "def twice(x: [1000]f32): [1000]f32 = x |> split(" + mark + size +
                                  ") |> mapWrg(0, mapLcl(0, e => 2.0 * e)) |> join\n"});
    std::set<std::string> sources;
    std::size_t built = 0;
    while (const auto outcome = measurer->next()) {
      EXPECT_EQ(outcome->kind, OutcomeKind::Ok) << outcome->message;
      EXPECT_EQ(std::to_string(outcome->kernels.at(0).range.local[0]), outcome->id);
      sources.insert(outcome->source);
      built += outcome->build.seconds > 0;
    }
    EXPECT_EQ(sources.size(), mark.empty() ? sizes.size() : 1U);
    EXPECT_EQ(built, sources.size());
  }
}

TEST_F(FakeDevices, OneThatVanishesLeavesItsWorkToTheOther) {
  const Task all = task();
  const auto measurer = started(all, both());
  vanish(0);
  for (int i = 0; i < 6; ++i) measurer->submit({std::to_string(i), text_of(all)});
  int on_the_other = 0, failed = 0;
  while (const auto outcome = measurer->next()) {
    on_the_other += has_times(outcome->kind) && outcome->device == "cuda:1";
    failed += !has_times(outcome->kind);
  }
  EXPECT_EQ(on_the_other + failed, 6);
  EXPECT_LE(failed, 1) << "what was running";
}

TEST_F(FakeDevices, TheLastOneThatVanishesIsTold) {
  const Task all = task();
  const auto measurer = started(all, options("cuda:0"));
  measurer->submit({"before", text_of(all)});
  EXPECT_EQ(measurer->next()->kind, OutcomeKind::Ok);
  vanish(0);
  measurer->submit({"meanwhile", text_of(all)});
  const auto meanwhile = measurer->next();
  EXPECT_EQ(name_of(meanwhile->kind), "device lost") << meanwhile->message;
  std::filesystem::remove(gone);
  measurer->submit({"after", text_of(all)});
  EXPECT_TRUE(has_times(measurer->next()->kind)) << "it is back";
}

TEST_F(FakeDevices, WhatTheDriverReportsIsAnOutcome) {
  setenv("FAKE_CUDA_LAUNCH_STATUS", "700", 1);
  const Task all = task("def bad(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
  const auto measurer = started(all, options("cuda:0"));
  measurer->submit({"a", text_of(all)});
  const auto outcome = measurer->next();
  unsetenv("FAKE_CUDA_LAUNCH_STATUS");
  EXPECT_EQ(name_of(outcome->kind), "driver error") << outcome->message;
}

TEST_F(FakeDevices, WhatTheDeviceRefusesDoesNotFit) {
  setenv("FAKE_CUDA_LAUNCH_STATUS", "701", 1);
  const Task all = task("def bad(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
  const auto measurer = started(all, options("cuda:0"));
  measurer->submit({"a", text_of(all)});
  const auto outcome = measurer->next();
  unsetenv("FAKE_CUDA_LAUNCH_STATUS");
  EXPECT_EQ(name_of(outcome->kind), "does not fit") << outcome->message;
}

TEST_F(FakeDevices, DevicesOfDifferentKindsAreRefused) {
  MeasuringOptions given = options("cuda:0");
  given.devices.emplace_back("host");
  const auto measurer = Measurer::start(task(), given);
  ASSERT_FALSE(measurer);
  EXPECT_THAT(measurer.error().render(), HasSubstr("another device"));
}

TEST_F(MeasurerTest, LeavesWhatIsHopelesslySlow) {
  const Task all = task();
  const auto measurer = started(all, options());
  measurer->submit({"fast", text_of(all), host_source(right)});
  ASSERT_EQ(measurer->next()->kind, OutcomeKind::Ok);
  const double best = measurer->best();
  measurer->submit({"slow", text_of(all),
                    host_source("for (int r = 0; r < 20000; ++r) { asm volatile(\"\" ::: \"memory\"); " +
                                std::string(right) + " }")});
  const auto slow = measurer->next();
  EXPECT_EQ(name_of(slow->kind), "stopped early") << slow->message;
  EXPECT_FALSE(slow->seconds.empty());
  EXPECT_LE(slow->seconds.size(), 3U) << "short runs, of which three tell";
  EXPECT_EQ(measurer->best(), best);
}

TEST_F(MeasurerTest, ATextThatIsNoProgramIsAnOutcome) {
  const Task all = task();
  const auto measurer = started(all, options());
  measurer->submit({"nonsense", "def f(x: [10]f32): [10]f32 = x |> nothing\n"});
  const auto outcome = measurer->next();
  EXPECT_EQ(name_of(outcome->kind), "not compiled");
  EXPECT_THAT(outcome->message, HasSubstr("nothing"));
}

TEST_F(MeasurerTest, LargeProgramsAreHeldAgainstAKernelThatWasVerified) {
  MeasuringOptions given = options();
  given.most_interpreted = 1e5;
  const Task all = task(
      "def f(A: [M][K]f32, x: [K]f32): [M]f32 =\n"
      "  A |> map(row => zip(row, x) |> map((a, b) => a * b) |> reduce(+, 0.0))\n",
      {{"M", 2048}, {"K", 2048}});
  const auto measurer = started(all, given);
  EXPECT_EQ(measurer->expected().verified_at, (driver::NamedSizes{{"M", 512}, {"K", 1024}}));
  measurer->submit({"a", text_of(all)});
  EXPECT_EQ(measurer->next()->kind, OutcomeKind::Ok);
}

TEST_F(MeasurerTest, IndicesOfLargeProgramsAreIndicesOfTheSmallOnes) {
  MeasuringOptions given = options();
  given.most_interpreted = 1e5;
  Task all = task("def f(x: [N]f32, i: [N]i32): [N]f32 = i |> map(e => x[e])\n", {{"N", 4000000}});
  auto* indices = reinterpret_cast<std::int32_t*>(all.inputs[1][0].bytes.data());
  for (std::int32_t i = 0; i < 4000000; ++i) indices[i] = 3999999 - i;
  const auto measurer = started(all, given);
  EXPECT_FALSE(measurer->expected().verified_at.empty());
}

TEST_F(MeasurerTest, EndsWhileMuchIsUnderWay) {
  const Task all = task();
  const auto start = std::chrono::steady_clock::now();
  {
    const auto measurer = started(all, options());
    for (int i = 0; i < 20; ++i)
      measurer->submit({"hang", text_of(all), host_source("for (;;) std::getenv(\"HOME\");")});
    EXPECT_FALSE(measurer->next(0.5));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST_F(MeasurerTest, WhatIsGivenUpHasNoOutcome) {
  const Task all = task();
  const auto measurer = started(all, options());
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 6; ++i)
    measurer->submit({"hang", text_of(all), host_source("for (;;) std::getenv(\"HOME\");")});
  EXPECT_FALSE(measurer->next(0.5));
  measurer->give_up();
  EXPECT_EQ(measurer->under_way(), 0U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << "no limit is waited for";
  measurer->submit({"right", text_of(all), host_source(right)});
  const auto outcome = measurer->next();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->id, "right");
  EXPECT_EQ(name_of(outcome->kind), "ok") << outcome->message;
}

/// Integers are not counted as work: the interpreter has hours to do with what looks like nothing.
Task long_task() {
  Task task{program_of("def f(x: [N]i32): [N]i32 =\n"
                       "  x |> map(e => iota(100000) |> map(i => iota(100000) |> map(j => i * j % 7 + e) |> "
                       "reduce(+, 0))\n"
                       "    |> reduce(+, 0))\n"),
            {{"N", 64}},
            {}};
  task.inputs = driver::random_inputs(task.program, driver::bindings_of(task.program, task.sizes), 1).value();
  return task;
}

TEST_F(MeasurerTest, TheReferenceEndsWithTheTime) {
  MeasuringOptions given = options();
  const auto start = std::chrono::steady_clock::now();
  given.until = start + std::chrono::seconds(2);
  const auto measurer = Measurer::start(long_task(), given);
  ASSERT_FALSE(measurer);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(MeasurerTest, TheReferenceEndsWhenItIsInterrupted) {
  std::atomic<bool> is_cancelled = false;
  MeasuringOptions given = options();
  given.is_cancelled = &is_cancelled;
  std::thread interrupting([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    is_cancelled = true;
  });
  const auto start = std::chrono::steady_clock::now();
  const auto measurer = Measurer::start(long_task(), given);
  interrupting.join();
  ASSERT_FALSE(measurer);
  EXPECT_THAT(measurer.error().render(), HasSubstr("the time budget was used up"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(MeasurerTest, AResultThatOverflowsIsTheInputsFault) {
  MeasuringOptions given = options();
  given.most_interpreted = 1;
  Task all = task("def f(x: [N]f32): f32 = x |> reduce(+, 0.0)\n", {{"N", 4096}});
  // One after the other they overflow at once; several sums side by side end elsewhere.
  auto* numbers = reinterpret_cast<float*>(all.inputs[0][0].bytes.data());
  for (int i = 0; i < 4096; ++i) numbers[i] = i % 16 < 8 ? 3e38F : -3e38F;
  const auto measurer = Measurer::start(all, given);
  ASSERT_FALSE(measurer);
  EXPECT_EQ(measurer.error().kind, ErrorKind::User) << measurer.error().render();
  EXPECT_THAT(measurer.error().render(), HasSubstr("the result cannot be verified, since it overflows"));
}

TEST_F(MeasurerTest, SaysWhyItCannotStart) {
  const Task all = task();
  const std::pair<MeasuringOptions, const char*> wrong[] = {{options("opencl:99"), "no device opencl:99"}};
  for (const auto& [given, words] : wrong) {
    const auto measurer = Measurer::start(all, given);
    ASSERT_FALSE(measurer);
    EXPECT_THAT(measurer.error().render(), HasSubstr(words));
  }
  MeasuringOptions none = options();
  none.devices.clear();
  EXPECT_FALSE(Measurer::start(all, none));
  MeasuringOptions no_worker = options();
  no_worker.program = "/bin/false";
  const auto measurer = Measurer::start(all, no_worker);
  ASSERT_FALSE(measurer);
  EXPECT_THAT(measurer.error().render(), HasSubstr("status 1"));
}

}  // namespace
}  // namespace hoist::measure
