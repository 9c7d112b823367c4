// Random programs: what the reference interpreter computes, the kernels must compute, without a fault.
//
// HOIST_SLOW=1 runs many more, and some through the devices; HOIST_SEED=n runs only the program of that seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "equivalence/random_program.hpp"
#include "execute/executable.hpp"
#include "interpret/interpret.hpp"
#include "loop/check.hpp"
#include "loop/print.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "support/slow.hpp"

namespace hoist {
namespace {

using testing_support::execute;
using testing_support::is_slow;
using testing_support::program_of;

constexpr std::uint64_t input_seed = 20261121;

/// How programs fared; a generator whose programs are mostly refused tests nothing.
struct Tally {
  int run = 0, refused = 0;
};

struct Prepared {
  ir::Program program;
  std::vector<Data> inputs;
  Data expected;
};

std::optional<Prepared> prepare(const std::string& text) {
  Prepared prepared;
  prepared.program = program_of(text);
  auto inputs = driver::random_inputs(prepared.program, {}, input_seed);
  if (!inputs) throw std::runtime_error(inputs.error().render());
  prepared.inputs = *inputs;
  interpret::Options limits;
  limits.max_operations = 300'000;
  auto expected = interpret::evaluate(prepared.program, prepared.inputs, {}, limits);
  if (!expected) return std::nullopt;  // too much work
  prepared.expected = *expected;
  return prepared;
}

void expect_equal(const Data& expected, const Data& got, const std::string& what) {
  ASSERT_EQ(expected.size(), got.size()) << what;
  for (std::size_t leaf = 0; leaf < expected.size(); ++leaf) {
    for (std::int64_t i = 0; i < expected[leaf].elements(); ++i) {
      auto at = static_cast<std::size_t>(i);
      auto a = load_scalar(expected[leaf].bytes.data(), expected[leaf].scalar, at);
      auto b = load_scalar(got[leaf].bytes.data(), got[leaf].scalar, at);
      ASSERT_EQ(a.integer, b.integer) << "leaf " << leaf << ", element " << i << "\n" << what;
    }
  }
}

/// `which` are passes to leave out.
void expect_same_by_loops(const std::string& text, std::uint64_t seed,
                          const std::vector<std::string>& without, Tally& tally) {
  ir::Arena arena;
  std::string what = "seed " + std::to_string(seed) + "\n" + text;
  std::optional<Prepared> prepared;
  ASSERT_NO_THROW(prepared = prepare(text)) << what;
  if (!prepared) {
    ++tally.refused;
    return;
  }
  lower::Options options;
  options.target.max_group_size = 4 << (seed % 4);
  for (const std::string& pass : without) ASSERT_TRUE(lower::disable_pass(options, pass));
  auto compiled = driver::compile(prepared->program, options);
  if (!compiled && compiled.error().kind == ErrorKind::Unsupported) {
    ++tally.refused;
    return;
  }
  ASSERT_TRUE(compiled) << compiled.error().render() << "\n" << what;
  what += loop::to_string(compiled->plan);
  auto checked = loop::check(compiled->plan);
  ASSERT_TRUE(checked) << checked.error().render() << what;
  auto executed = execute(compiled->plan, compiled->low.result(), prepared->inputs);
  ASSERT_TRUE(executed) << executed.error().render() << what;
  for (const std::string& fault : executed->report.faults) ADD_FAILURE() << fault << "\n" << what;
  expect_equal(prepared->expected, executed->outputs, what);
  ++tally.run;
}

void expect_same_on(const std::string& device_name, const std::string& text, std::uint64_t seed) {
  ir::Arena arena;
  auto device = runtime::open_device(device_name);
  if (!device) GTEST_SKIP() << device.error().render();
  auto prepared = prepare(text);
  if (!prepared) return;
  auto got = execute::run_once(**device, prepared->program, {}, prepared->inputs);
  if (!got && got.error().kind == ErrorKind::Unsupported) return;
  std::string what = "seed " + std::to_string(seed) + " on " + device_name + "\n" + text;
  ASSERT_TRUE(got) << got.error().render() << "\n" << what;
  expect_equal(prepared->expected, *got, what);
}

/// Runs `body` for the seeds from 1 on, or for the one that HOIST_SEED asks for.
template <class Body>
void for_seeds(int count, Body&& body) {
  if (const char* only = std::getenv("HOIST_SEED")) return body(std::strtoull(only, nullptr, 10));
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    body(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Equivalence, HighLevelProgramsByLoops) {
  Tally tally;
  for_seeds(is_slow() ? 10'000 : 400, [&](std::uint64_t seed) {
    expect_same_by_loops(testing_support::random_high_level_program(seed), seed, {}, tally);
  });
  EXPECT_GE(tally.run, 4 * tally.refused);
}

TEST(Equivalence, LowLevelProgramsByLoops) {
  Tally tally;
  for_seeds(is_slow() ? 10'000 : 400, [&](std::uint64_t seed) {
    expect_same_by_loops(testing_support::random_low_level_program(seed), seed, {}, tally);
  });
  EXPECT_GE(tally.run, 4 * tally.refused);
}

TEST(Equivalence, WithoutEachPass) {
  Tally tally;
  for (const std::string& pass : lower::optional_passes()) {
    SCOPED_TRACE(pass);
    for_seeds(is_slow() ? 1000 : 60, [&](std::uint64_t seed) {
      expect_same_by_loops(testing_support::random_high_level_program(seed), seed, {pass}, tally);
      expect_same_by_loops(testing_support::random_low_level_program(seed), seed, {pass}, tally);
    });
  }
  EXPECT_GE(tally.run, 4 * tally.refused);
}

TEST(Equivalence, OnDevices) {
  if (!is_slow())
    GTEST_SKIP() << "HOIST_SLOW=1 asks for it: every program is compiled by the devices' compilers";
  for (const char* device : {"host", "opencl"}) {
    for_seeds(40, [&](std::uint64_t seed) {
      expect_same_on(device, testing_support::random_high_level_program(seed), seed);
      expect_same_on(device, testing_support::random_low_level_program(seed), seed);
    });
  }
}

}  // namespace
}  // namespace hoist
