// Random programs of many stages (random_pipeline.hpp), each held against the reference interpreter: by the
// loop interpreter, which sees races inside and across groups, and by what the devices' compilers make of
// them. None may be wrong, none refused.
//
// HOIST_SEED=n prints the program of that seed and runs it alone; HOIST_SEED=n-m runs those from n to m:
// tests/pipelines.sh shares 10,000 among processes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <numeric>

#include "equivalence/pipeline_batch.hpp"
#include "interpret/compare.hpp"
#include "ir/inspect.hpp"
#include "ir/print.hpp"
#include "lang/lang.hpp"
#include "loop/check.hpp"
#include "loop/print.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "variants/alternatives.hpp"

namespace hoist {
namespace {

using testing_support::execute;
using testing_support::pipeline_case;
using testing_support::PipelineCase;

std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> all(last < first ? 0 : last - first + 1);
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// Those that HOIST_SEED asks for, or 300.
std::vector<std::uint64_t> seeds() {
  if (const char* only = std::getenv("HOIST_SEED")) {
    char* end = nullptr;
    const std::uint64_t seed = std::strtoull(only, &end, 10);
    if (*end == '-') return from_to(seed, std::strtoull(end + 1, nullptr, 10));
    std::cerr << testing_support::random_pipeline(seed).hoist;
    return {seed};
  }
  return from_to(1, 300);
}

void expect_equal(const Data& expected, const Data& got, const std::string& what) {
  auto compared = interpret::compare(expected, got, {});
  ASSERT_TRUE(compared) << compared.error().render() << "\n" << what;
  EXPECT_TRUE(compared->agrees()) << interpret::to_string(*compared) << "\n" << what;
}

void expect_same_by_loops(const PipelineCase& each) {
  lower::Options options;
  options.target.max_group_size = 4 << (each.seed % 4);
  auto compiled = driver::compile(each.program, options);
  ASSERT_TRUE(compiled) << compiled.error().render() << "\n" << each.text.hoist;
  const std::string what = each.text.hoist + loop::to_string(compiled->plan);
  auto checked = loop::check(compiled->plan);
  EXPECT_TRUE(checked) << checked.error().render() << "\n" << what;
  auto executed = execute(compiled->plan, compiled->low.result(), each.inputs);
  ASSERT_TRUE(executed) << executed.error().render() << "\n" << what;
  for (const std::string& fault : executed->report.faults) ADD_FAILURE() << fault << "\n" << what;
  expect_equal(each.expected, executed->outputs, what);
}

/// What these programs found first, as small as it gets.
constexpr const char* found[] = {
    // Conditions that choose tuples, outside all kernels.
    "def p(a: [16]i32, s: i32): ([16]i32, i32) = if s > 0 then (a |> map(e => e + 1), 1) else (a, 0)",
    "def p(a: [16]i32, s: i32): [16]i32 = let t = (if s > 0 then (s, 1) else (3, s)) in a |> map(e => e + "
    "t.0 * t.1)",
    "def p(a: [16]i32): [16]i32 =\n"
    "  let s = (a |> map(e => if e > 0 then (e, 1) else (0, e)))[3] in a |> map(e => e + s.0 * s.1 + s.1)",
    // One tuple of arrays out of an array of them.
    "def p(a: [8][4]i64, s: i64): ([8][4]i64, i64) =\n"
    "  (generate(2, i => generate(8, j => s)) |> map(r => r |> reduce((acc, e) => (acc.0, acc.1 + e), (a, "
    "s))))[1]",
    // Rows that every work-item computed for itself, as they are guarded: too long to be kept by each, or
    // again and again.
    "def p(a: [3][20000]i32, s: i32): [3][20000]i32 = a |> map(r =>\n"
    "  r |> padValue(1, 0, if r[0] > s then (r |> scan((b, e) => 3 * b + e, s))[7] else 0) |> take(20000))",
    "def p(a: [3][20000]i32, s: i32): [3][20000]i32 = a |> map(r =>\n"
    "  r |> map(e => if e > 0 then (r |> scan((b, e) => 3 * b + e, s))[abs(e % 100)] else e))",
    "def p(a: u32): [1][1100]i32 = if a > 5u32 then generate(1, i =>\n"
    "  (generate(1100, j => i + j) |> filter(e => (a + 1u32) / (a + 2u32) < 1u32, 7)).1)\n"
    "  else generate(1, i => generate(1100, j => j))",
    // Nothing needs the half of a state, whose elements each filtered the whole array.
    "def p(a: [8]i64, x: [300]i64): [300]i64 = a |> reduce((s, e) =>\n"
    "  (s |> filter(v => v <= e, e)).1 |> scan(((f, g), v) => (f, g), (e, 3i64)) |> map(t => t.0), x)",
    // Each work-item of a group takes the steps of a number's iteration for itself.
    "def p(x: [2][600]i32, s: i32): [2][600]i32 = x |> mapWrg(0, r =>\n"
    "  let t = r |> scan((a, e) => (a, e) |> iterate(min(e, 3), (i, (b, c)) => (b + c, i)) |> t => t.0, s)\n"
    "  in zip(t, r) |> mapLcl(0, (a, b) => a + b))",
};

TEST(Pipelines, FoundBefore) {
  for (const char* text : found) {
    ir::Arena arena;
    expect_same_by_loops(testing_support::pipeline_case(0, {text, ""}));
  }
}

TEST(Pipelines, ByLoops) {
  for (std::uint64_t seed : seeds()) {
    SCOPED_TRACE(seed);
    ir::Arena arena;
    try {
      expect_same_by_loops(pipeline_case(seed));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

/// Candidates of the program, each nest with choices of its own.
void expect_same_candidates(const PipelineCase& each) {
  if (ir::has_parallel_map(each.program.function)) return;  // it says already how it is computed
  variants::ExplorationOptions options;
  options.target.least_group_size = 1;
  options.derivations.steps = 2;
  options.target.language = each.seed % 2 == 0 ? target::Language::Host : target::Language::OpenCL;
  const auto space = variants::explore(each.program, options);
  ASSERT_TRUE(space) << space.error().render() << "\n" << each.text.hoist;
  constexpr std::size_t candidates = 3;
  for (const variants::CandidateId& id : (*space)->sample(candidates, each.seed)) {
    const variants::Candidate candidate = (*space)->make(id, {});
    if (!candidate.discarded.empty()) continue;
    const std::string what = each.text.hoist + to_string(id) + "\n" + ir::to_string(candidate.low);
    const auto again = variants::replay(each.program, (*space)->steps(id));
    EXPECT_TRUE(again) << again.error().render() << "\n" << what;
    auto checked = loop::check(*candidate.plan);
    EXPECT_TRUE(checked) << checked.error().render() << "\n" << what;
    auto executed = execute(*candidate.plan, candidate.low.result(), each.inputs);
    ASSERT_TRUE(executed) << executed.error().render() << "\n" << what;
    for (const std::string& fault : executed->report.faults) ADD_FAILURE() << fault << "\n" << what;
    expect_equal(each.expected, executed->outputs, what);
  }
}

TEST(Pipelines, CandidatesByLoops) {
  for (std::uint64_t seed : seeds()) {
    SCOPED_TRACE(seed);
    ir::Arena arena;
    try {
      expect_same_candidates(pipeline_case(seed));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

void expect_same_on(const std::string& name) {
  auto device = runtime::open_device(name);
  if (!device) GTEST_SKIP() << device.error().render();
  const auto all = seeds();
  constexpr std::size_t most = 25;
  for (std::size_t first = 0; first < all.size(); first += most) {
    ir::Arena arena;
    std::vector<PipelineCase> cases;
    for (std::size_t i = first; i < std::min(first + most, all.size()); ++i) {
      try {
        cases.push_back(pipeline_case(all[i]));
      } catch (const std::exception& error) {
        ADD_FAILURE() << "seed " << all[i] << ": " << error.what();
      }
    }
    const auto results = testing_support::run_batch(**device, cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE(cases[i].seed);
      EXPECT_TRUE(results[i]) << results[i].error().render() << "\n" << cases[i].text.hoist;
      if (results[i]) expect_equal(cases[i].expected, *results[i], cases[i].text.hoist);
    }
  }
}

TEST(Pipelines, StayTheSameWhenFormatted) {
  for (const std::uint64_t seed : seeds()) {
    const ir::Arena arena;
    const Source source{"random", testing_support::random_pipeline(seed).hoist};
    const auto once = lang::formatted(source);
    ASSERT_TRUE(once) << once.error().render(&source);
    EXPECT_EQ(lang::formatted({"formatted", *once}), *once);
    const auto program = lang::parse_program(source), same = lang::parse_program({"formatted", *once});
    ASSERT_TRUE(program && same) << source.text << "\nbecomes\n" << *once;
    EXPECT_EQ(program->function, same->function) << source.text << "\nbecomes\n" << *once;
  }
}

TEST(Pipelines, Host) { expect_same_on("host"); }
TEST(Pipelines, OpenCL) { expect_same_on("opencl"); }
TEST(Pipelines, Cuda) { expect_same_on("cuda"); }

}  // namespace
}  // namespace hoist
