// Stencils with merged work-items compute what the programs mean: random stencils of many patterns, written
// in several ways, at sizes that nothing divides, each in random configurations of both sets. Most are run by
// the loop interpreter, which finds races, bad accesses and reads of unset memory, some on the devices there
// are.
//
// HOIST_SLOW=1 tries thousands; HOIST_SEED=n draws others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "driver/inputs.hpp"
#include "execute/executable.hpp"
#include "exploration/shipped.hpp"
#include "interpret/compare.hpp"
#include "interpret/interpret.hpp"
#include "ir/print.hpp"
#include "loop/check.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"
#include "workloads/stencil_family.hpp"

namespace hoist {
namespace {

using testing_support::is_slow;

std::uint64_t first_seed() {
  const char* seed = std::getenv("HOIST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1;
}

/// A random stencil's text: its dimensions, in which it extends, its points, its sizes, and how it is
/// written.
std::string random_stencil(Random& random) {
  const std::size_t rank = 1 + random.below(3);
  std::vector<std::int64_t> radii, lengths;
  for (std::size_t d = 0; d < rank; ++d) {
    radii.push_back(random.below(3) == 0 ? 0
                                         : static_cast<std::int64_t>(1 + random.below(rank == 3 ? 2 : 3)));
    const std::int64_t most = rank == 3 ? 9 : rank == 2 ? 24 : 70;
    lengths.push_back(static_cast<std::int64_t>(1 + random.below(static_cast<std::uint64_t>(most))));
  }
  const bool is_padded = random.below(4) == 0;
  // All slide at once where they extend equally in all dimensions; else one dimension after the other.
  const bool is_cube = std::ranges::all_of(radii, [&](std::int64_t r) { return r == radii[0]; });
  std::vector<std::size_t> extended;
  for (std::size_t d = 0; d < rank; ++d) {
    if (is_cube || radii[d] > 0) extended.push_back(d);
  }
  std::string sum;
  const std::size_t count = 1 + random.below(8);
  for (std::size_t i = 0; i < count; ++i) {
    std::string read = "n";
    for (const std::size_t d : extended)
      read += fmt::format("[{}]", random.below(static_cast<std::uint64_t>(2 * radii[d] + 1)));
    sum +=
        fmt::format("{}{} * {}", i == 0 ? "" : " + ", 0.25 * static_cast<double>(1 + random.below(9)), read);
  }
  std::string type, result, data = "u";
  for (std::size_t d = 0; d < rank; ++d) {
    type += fmt::format("[{}]", lengths[d] + (is_padded ? 0 : 2 * radii[d]));
    result += fmt::format("[{}]", lengths[d]);
    if (!is_padded) continue;
    std::string pad = fmt::format("pad({}, {}, clamp)", radii[d], radii[d]);
    for (std::size_t outer = 0; outer < d; ++outer) pad = fmt::format("map({})", pad);
    if (radii[d] > 0) data += " |> " + pad;
  }
  std::string body;
  if (is_cube) {
    const std::int64_t window = 2 * radii[0] + 1;
    const char* const slides[] = {"slide", "slide2", "slide3"};
    const char* const maps[] = {"map", "map2", "map3"};
    body = fmt::format("{} |> {}({}, 1) |> {}(n => {})", data, slides[rank - 1], window, maps[rank - 1], sum);
  } else {
    // One dimension after the other, the innermost first: the window's dimension moves behind those of the
    // nest, before the windows that are there already.
    std::string windows = data;
    for (std::size_t d = rank; d-- > 0;) {
      if (radii[d] == 0) continue;
      const std::string then = d == 0 ? " |> " : " >> ";
      std::string step = fmt::format("slide({}, 1)", 2 * radii[d] + 1);
      std::string moves;
      for (std::size_t after = d + 1; after < rank; ++after) {
        std::string move = "transpose";
        for (std::size_t outer = d + 1; outer < after; ++outer) move = fmt::format("map({})", move);
        moves += then + fmt::format("map({})", move);
      }
      std::string all = step + moves;
      for (std::size_t outer = 0; outer < d; ++outer) all = fmt::format("map({})", all);
      windows += " |> " + all;
    }
    const char* const maps[] = {"map", "map2", "map3"};
    body = fmt::format("{} |> {}(n => {})", windows, maps[rank - 1], sum);
  }
  return fmt::format("def f(u: {}f32): {}f32 =\n  {}\n", type, result, body);
}

struct Prepared {
  std::string text;
  ir::Program program;
  std::vector<Data> inputs;
  Data expected;
  interpret::ErrorBound bound;

  explicit Prepared(std::string program_text) : text(std::move(program_text)) {
    program = testing_support::program_of(text);
    inputs = driver::random_inputs(program, {}, 20261125).value();
    interpret::Counts counts;
    expected = interpret::evaluate(program, inputs, {}, {}, &counts).value();
    bound = interpret::error_bound(program, {}, &counts);
  }
  void expect_equal(const Data& got, const std::string& what) const {
    const auto comparison = interpret::compare(expected, got, bound);
    ASSERT_TRUE(comparison) << comparison.error().render() << what;
    EXPECT_TRUE(comparison->agrees()) << interpret::to_string(*comparison) << "\n" << what;
  }
};

std::string described(const Prepared& prepared, const variants::Candidate& candidate) {
  std::string text = prepared.text + to_string(candidate.id) + ":";
  for (const auto& [name, value] : candidate.values) text += fmt::format(" {}={}", name, value);
  return text + "\n" + ir::to_string(candidate.low) + "\n";
}

variants::SpaceKind some_kind(Random& random) {
  constexpr variants::SpaceKind kinds[] = {variants::SpaceKind::Stencil, variants::SpaceKind::StencilAll,
                                           variants::SpaceKind::StencilLaunched};
  return kinds[random.below(3)];
}

TEST(Merging, ComputesWhatProgramsMean) {
  const std::size_t programs = is_slow() ? 1500 : 60, candidates = is_slow() ? 8 : 6;
  std::map<std::string, std::size_t> discarded;
  std::size_t run = 0;
  Random random(first_seed());
  for (std::size_t i = 0; i < programs && !testing::Test::HasFailure(); ++i) {
    const ir::Arena arena;
    const Prepared prepared(random_stencil(random));
    variants::ExplorationOptions options;
    options.target = target::usual_device(*target::profile_named("gpu"));
    options.target.max_group_size = 256;
    options.target = target::with_usual_images(options.target);
    lower::Options lowering;
    lowering.target = options.target;
    options.space = some_kind(random);
    const auto space = variants::explore(prepared.program, options);
    ASSERT_TRUE(space) << space.error().render() << prepared.text;
    for (std::size_t k = 0; k < candidates; ++k) {
      const ir::Arena of_this_candidate;
      const variants::Candidate candidate = (*space)->make((*space)->draw(random), lowering);
      if (!candidate.discarded.empty()) {
        ++discarded[candidate.reason];
        EXPECT_NE(candidate.reason, "not compiled") << candidate.discarded << described(prepared, candidate);
        EXPECT_NE(candidate.reason, "not derived") << candidate.discarded << described(prepared, candidate);
        continue;
      }
      ++run;
      const std::string what = described(prepared, candidate);
      const auto checked = loop::check(*candidate.plan);
      ASSERT_TRUE(checked) << checked.error().render() << what;
      const auto executed =
          testing_support::execute(*candidate.plan, candidate.low.result(), prepared.inputs);
      ASSERT_TRUE(executed) << executed.error().render() << what;
      for (const std::string& fault : executed->report.faults) ADD_FAILURE() << fault << "\n" << what;
      prepared.expect_equal(executed->outputs, what);
    }
  }
  std::string summary = fmt::format("{} run", run);
  for (const auto& [reason, count] : discarded) summary += fmt::format("; {} discarded: {}", count, reason);
  std::cout << summary << "\n";
  EXPECT_GT(run, programs * candidates / 2) << summary;
}

/// On a device that there may be.
void expect_same_on(const std::string& name) {
  const auto device = runtime::open_device(name);
  if (!device) GTEST_SKIP() << device.error().render();
  const std::size_t programs = is_slow() ? 200 : 8, candidates = is_slow() ? 6 : 3;
  Random random(first_seed() + 1000);
  std::size_t run = 0;
  for (std::size_t i = 0; i < programs && !testing::Test::HasFailure(); ++i) {
    const ir::Arena arena;
    const Prepared prepared(random_stencil(random));
    variants::ExplorationOptions options;
    options.target = (*device)->info();
    // As one whose images have so few rows that blocks of them lie side by side.
    if (options.target.language == target::Language::OpenCL)
      options.target.largest_image[1] =
          std::min<std::size_t>(options.target.largest_image[1], 1 + random.below(12));
    const lower::Options lowering = driver::options_for(options.target);
    options.space = some_kind(random);
    const auto space = variants::explore(prepared.program, options);
    ASSERT_TRUE(space) << space.error().render() << prepared.text;
    for (std::size_t k = 0; k < candidates; ++k) {
      const ir::Arena of_this_candidate;
      const variants::Candidate candidate = (*space)->make((*space)->draw(random), lowering);
      if (!candidate.discarded.empty()) continue;
      ++run;
      const std::string what = described(prepared, candidate);
      const auto compiled = driver::compile(candidate.low, lowering);
      ASSERT_TRUE(compiled) << compiled.error().render() << what;
      const auto got = execute::run_once(**device, *compiled, prepared.inputs);
      ASSERT_TRUE(got) << got.error().render() << what;
      prepared.expect_equal(*got, what);
    }
  }
  EXPECT_GT(run, programs);
}

TEST(Merging, OnOpenCL) { expect_same_on("opencl"); }
TEST(Merging, OnCuda) { expect_same_on("cuda"); }

/// The 104 stencils for which the set was made, at sizes that nothing divides, by loops.
TEST(Merging, OfTheFamily) {
  Random random(first_seed());
  std::size_t run = 0;
  for (const workloads::FamilyStencil& each : workloads::stencil_family(1)) {
    const ir::Arena arena;
    const ir::Program program = testing_support::program_of(workloads::program_of(each.stencil, Scalar::F32));
    const auto sized = driver::with_sizes(program, {{"D", 3}, {"H", 5}, {"W", 13}});
    ASSERT_TRUE(sized) << sized.error().render();
    const Prepared prepared(ir::to_string(*sized));
    variants::ExplorationOptions options;
    options.target = target::with_usual_images(target::usual_device(*target::profile_named("gpu")));
    lower::Options lowering;
    lowering.target = options.target;
    options.space = some_kind(random);
    const auto space = variants::explore(prepared.program, options);
    ASSERT_TRUE(space) << each.stencil.name << space.error().render();
    for (int k = 0; k < (is_slow() ? 30 : 2); ++k) {
      const ir::Arena of_this_candidate;
      const variants::Candidate candidate = (*space)->make((*space)->draw(random), lowering);
      ASSERT_EQ(candidate.discarded, "") << described(prepared, candidate);
      ++run;
      const std::string what = described(prepared, candidate);
      const auto executed =
          testing_support::execute(*candidate.plan, candidate.low.result(), prepared.inputs);
      ASSERT_TRUE(executed) << executed.error().render() << what;
      for (const std::string& fault : executed->report.faults) ADD_FAILURE() << fault << "\n" << what;
      prepared.expect_equal(executed->outputs, what);
    }
  }
  EXPECT_GE(run, 208U);
}

/// Programs that ship, one of which pads, by loops.
TEST(Merging, OfShippedPrograms) {
  const testing_support::Case cases[] = {
      {"jacobi3d7", {{"D", 6}, {"H", 7}, {"W", 10}}}, {"jacobi2d5", {{"H", 13}, {"W", 22}}},
      {"gaussian5x5", {{"H", 12}, {"W", 17}}},        {"convolution2d", {{"H", 9}, {"W", 13}, {"R", 2}}},
      {"poisson3d", {{"D", 4}, {"H", 5}, {"W", 9}}},  {"hotspot2d", {{"H", 9}, {"W", 13}}}};
  Random random(first_seed());
  for (const auto& each : cases) {
    const ir::Arena arena;
    const auto shipped = testing_support::shipped(each.program, each.sizes);
    const Prepared prepared(ir::to_string(shipped.sized));
    variants::ExplorationOptions options;
    options.target = target::usual_device(*target::profile_named("gpu"));
    options.space = variants::SpaceKind::StencilAll;
    const auto space = variants::explore(prepared.program, options);
    ASSERT_TRUE(space) << space.error().render();
    for (int k = 0; k < 12; ++k) {
      const ir::Arena of_this_candidate;
      const variants::Candidate candidate = (*space)->make((*space)->draw(random), {});
      if (!candidate.discarded.empty()) continue;
      const std::string what = described(prepared, candidate);
      const auto executed =
          testing_support::execute(*candidate.plan, candidate.low.result(), prepared.inputs);
      ASSERT_TRUE(executed) << executed.error().render() << what;
      for (const std::string& fault : executed->report.faults) ADD_FAILURE() << fault << "\n" << what;
      prepared.expect_equal(executed->outputs, what);
    }
  }
}

}  // namespace
}  // namespace hoist
