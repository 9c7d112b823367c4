// What CaseRecorder writes is what read_cases reads; several processes share a directory; damage is told.
#include "capture/cases.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "capture/recorder.hpp"
#include "lang/lang.hpp"
#include "tuner/records.hpp"
#include "tuner/tuner.hpp"

namespace hoist::capture {
namespace {

namespace fs = std::filesystem;

const std::string text =
    "def other(x: [N]f32): f32 = reduce(+, 0.0, x)\ndef scale(a: f32, p: [N](f32, i32)) = p\n";

class Captured : public testing::Test {
 protected:
  ~Captured() override { fs::remove_all(directory_); }

  static RunFacts facts(std::int64_t n) {
    const auto program = lang::parse_program(Source{"test", text}, {.entry = "scale"});
    return {.text = text,
            .entry = "scale",
            .program = "scale",
            .hash = tuner::stored_program(*program).hash,
            .sizes = {{"N", n}},
            .device = "host",
            .device_name = "a processor",
            .language = target::Language::Host,
            .inputs = {"a", "p.0", "p.1"}};
  }
  static Result<Tensor> input(std::int64_t n, std::size_t i) {
    Tensor tensor{i == 2 ? Scalar::I32 : Scalar::F32, {}, {}};
    if (i > 0) tensor.shape = {n};
    tensor.bytes.resize(static_cast<std::size_t>(tensor.elements()) * 4, static_cast<std::byte>(i + 1));
    return tensor;
  }
  void count(std::int64_t n, int runs, double seconds = 0.25) const {
    CaseRecorder recorder(directory_, facts(n));
    for (int i = 0; i < runs; ++i) recorder.count(seconds, [&](std::size_t leaf) { return input(n, leaf); });
  }
  /// The directory of the only case.
  std::string only_place() const { return read_cases(directory_).value().at(0).place; }
  void expect_refused(const std::vector<std::string>& parts) const {
    const auto cases = read_cases(directory_);
    ASSERT_FALSE(cases);
    EXPECT_EQ(cases.error().kind, ErrorKind::User);
    for (const std::string& part : parts)
      EXPECT_NE(cases.error().render().find(part), std::string::npos) << cases.error().render();
  }
  static void write(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }

  const ir::Arena arena_;
  const std::string directory_ =
      (fs::temp_directory_path() / ("hoist-captured-" + std::to_string(getpid()))).string();
};

TEST_F(Captured, IsReadAsItWasWritten) {
  count(3, 2, 0.25);
  count(5, 3, 0.5);
  const auto cases = read_cases(directory_);
  ASSERT_TRUE(cases) << cases.error().render();
  ASSERT_EQ(cases->size(), 2U);
  const CapturedCase& slow = cases->at(0);
  EXPECT_EQ(slow.sizes, (driver::NamedSizes{{"N", 5}}));
  EXPECT_EQ(slow.runs, 3U);
  EXPECT_DOUBLE_EQ(slow.seconds, 1.5);
  EXPECT_EQ(slow.device, "host");
  EXPECT_EQ(slow.language, "host");
  const auto program = program_of(slow);
  ASSERT_TRUE(program);
  EXPECT_EQ(tuner::stored_program(*program).hash, facts(5).hash);
  const auto inputs = inputs_of(slow, *program);
  ASSERT_TRUE(inputs) << inputs.error().render();
  ASSERT_EQ(inputs->size(), 2U);
  ASSERT_EQ(inputs->at(1).size(), 2U);
  EXPECT_EQ(inputs->at(0)[0].bytes, input(5, 0)->bytes);
  EXPECT_EQ(inputs->at(1)[1].scalar, Scalar::I32);
  EXPECT_EQ(inputs->at(1)[1].bytes, input(5, 2)->bytes);
  EXPECT_EQ(read_cases(slow.place)->size(), 1U);
}

TEST_F(Captured, ProcessesMakeOneCaseAndAllRunsCount) {
  constexpr int processes = 8, runs = 20;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int run = 0; run < runs; ++run) count(100, 1);
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  const auto cases = read_cases(directory_);
  ASSERT_TRUE(cases) << cases.error().render();
  ASSERT_EQ(cases->size(), 1U);
  EXPECT_EQ(cases->at(0).runs, static_cast<std::uint64_t>(processes * runs));
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& each : fs::directory_iterator(directory_)) ++entries;
  EXPECT_EQ(entries, 1U) << "something unfinished was left behind";
}

TEST_F(Captured, WhatIsUnfinishedIsNoCase) {
  count(3, 1);
  fs::create_directory(directory_ + "/.scale-0123.1.0.part");
  write(directory_ + "/.scale-0123.1.0.part/case.json", "{");
  write(directory_ + "/notes.txt", "mine");
  // A line that a full disk cut off.
  std::ofstream(only_place() + "/runs.jsonl", std::ios::app) << "\n{\"runs\":7,\"sec";
  count(3, 1);
  const auto cases = read_cases(directory_);
  ASSERT_TRUE(cases) << cases.error().render();
  ASSERT_EQ(cases->size(), 1U);
  EXPECT_EQ(cases->at(0).runs, 2U);
}

TEST_F(Captured, SaysWhatIsWrongWithADirectory) {
  expect_refused({directory_ + " cannot be read", "HOIST_CAPTURE"});
  fs::create_directory(directory_);
  expect_refused({directory_ + " holds no captured cases", "HOIST_CAPTURE"});
}

TEST_F(Captured, SaysWhichFilesAreDamaged) {
  count(3, 1);
  const std::string place = only_place(), description = place + "/case.json";
  std::string good;
  {
    std::ifstream file(description);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = good;
    changed.replace(changed.find(from), from.size(), to);
    write(description, changed);
  };
  write(description, good.substr(0, good.size() / 2));
  expect_refused({description + " is damaged", "capture it again"});
  with("\"version\": 1", "\"version\": 99");
  expect_refused({description + " is of version 99"});
  with("hoist capture", "something");
  expect_refused({description + " does not describe a captured case"});
  with("\"sizes\"", "\"size\"");
  expect_refused({description + " is damaged", "sizes"});
  with("\"N\": 3", "\"N\": \"3\"");
  expect_refused({description + " is damaged"});
  with("\"N\": 3", "\"M\": 3");
  expect_refused({description, "do not fit its program"});
  with("\"N\": 3", "\"N\": 4");
  expect_refused(
      {place + "/p.0.npy holds float32 of shape (3,)", "float32 of shape (4,)", place + "/p.1.npy"});
  with("\"p.1.npy\"", "\"../p.1.npy\"");
  expect_refused({description + " names the file '../p.1.npy'"});
  with("\"p.1.npy\"", "\"p.0.npy\"");
  expect_refused({place + "/p.0.npy holds float32", "the program takes int32"});
  write(description, good);
  write(place + "/p.0.npy", "no array");
  expect_refused({place + "/p.0.npy is not a .npy file"});
  fs::remove(place + "/p.0.npy");
  expect_refused({place + "/p.0.npy cannot be opened"});
  write(place + "/program.hoist", "def scale(");
  expect_refused({place + "/program.hoist is not a program"});
  fs::remove(place + "/program.hoist");
  expect_refused({place + "/program.hoist cannot be read"});
}

TEST_F(Captured, TellsOfEveryCaseThatIsDamaged) {
  count(3, 1);
  count(4, 1);
  const auto good = read_cases(directory_);
  ASSERT_TRUE(good);
  for (const CapturedCase& each : *good) fs::remove(each.inputs.at(0));
  const auto cases = read_cases(directory_);
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error().diagnostics.size(), 2U);
}

TEST(TuningShares, AreHalfEvenAndHalfByTheTimeThatCasesRan) {
  const auto shares = [](const std::vector<double>& seconds) {
    std::vector<CapturedCase> cases(seconds.size());
    for (std::size_t i = 0; i < seconds.size(); ++i) cases[i].seconds = seconds[i];
    return tuning_shares(cases);
  };
  EXPECT_EQ(shares({6}), std::vector<double>{1});
  EXPECT_EQ(shares({6, 2}), (std::vector<double>{0.625, 0.375}));
  EXPECT_EQ(shares({0, 0}), (std::vector<double>{0.5, 0.5}));
}

}  // namespace
}  // namespace hoist::capture
