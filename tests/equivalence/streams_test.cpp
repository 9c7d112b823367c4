// Programs cut into tasks: whatever the order in which nodes run, each task from its windows of the inputs
// with all other memory poisoned, the joined results are what the whole program means. Random programs and
// those of kernels/, into random numbers of tasks, by the loop interpreter. Programs whose result fits one of
// their inputs also run for several steps, each on the result of the one before.
//
// HOIST_SLOW=1 runs many more; HOIST_SEED=n runs only the program of that seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/random.hpp"
#include "driver/inputs.hpp"
#include "driver/suite.hpp"
#include "driver/verify.hpp"
#include "equivalence/random_nest.hpp"
#include "equivalence/random_program.hpp"
#include "execute/placed_simulation.hpp"
#include "execute/stream_order.hpp"
#include "execute/stream_simulation.hpp"
#include "execute/streamed_plan.hpp"
#include "interpret/interpret.hpp"
#include "loop/check.hpp"
#include "loop/print.hpp"
#include "support/executed.hpp"
#include "support/slow.hpp"
#include "target/instruction_set.hpp"
#include "target/kinds.hpp"
#include "target/restricted.hpp"
#include "variants/alternatives.hpp"

namespace hoist::execute {
namespace {

using testing_support::is_slow;
using testing_support::program_of;

/// How programs fared; where most are refused nothing is tested.
struct Tally {
  int cut = 0, whole = 0, refused = 0, halos = 0, planted = 0;
  int steps_stay = 0, steps_move = 0;   ///< in steps: results stay on the device, or pass through the host
  int placed = 0, moved = 0;            ///< on several memories; between which something moves
  int grids = 0, rows = 0;              ///< with two loops cut; rows moved that lie apart
  int columns = 0, column_windows = 0;  ///< tasks upload columns; to windows of them
  int added = 0;                        ///< more tasks than were asked for, where memory is short
  void print() const {
    std::printf(
        "cut %d, whole %d, refused %d, with halos %d, planted %d; in steps: %d, and %d by the host; on "
        "several "
        "memories %d, %d with transfers, %d in grids, %d with rows that lie apart; by columns %d, %d with "
        "windows; with tasks added %d\n",
        cut, whole, refused, halos, planted, steps_stay, steps_move, placed, moved, grids, rows, columns,
        column_windows, added);
  }
};

using Bytes = std::vector<std::vector<std::byte>>;

Bytes flat(const std::vector<Data>& inputs) {
  Bytes result;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) result.push_back(tensor.bytes);
  }
  return result;
}

/// A way to cut and place a program, drawn at random.
struct Choice {
  StreamOptions options;
  bool is_for_gpu = false;
  std::string text() const {
    return fmt::format("{} tasks{} on {} partitions, {} steps, columns of {} bytes, mapped for {}",
                       options.tasks, options.adds_tasks ? " or more" : "", options.partitions, options.steps,
                       options.least_row_bytes, is_for_gpu ? "GPUs" : "the host");
  }
};

Choice some_choice(Random& random) {
  Choice choice;
  choice.options.tasks = 2 + static_cast<std::int64_t>(random.below(6));
  choice.options.partitions = 1 + static_cast<std::int64_t>(random.below(3));
  choice.options.partitions = std::min(choice.options.partitions, choice.options.tasks);
  choice.is_for_gpu = random.below(2) == 0;
  choice.options.least_row_bytes = std::vector{0, 16, 64}[random.below(3)];
  choice.options.adds_tasks = random.below(2) == 0;
  return choice;
}

driver::Compiled compiled(const ir::Program& sized, bool is_for_gpu) {
  lower::Options options;
  options.target = target::any_device(is_for_gpu ? target::Language::OpenCL : target::Language::Host);
  auto result = driver::compile(sized, {.lowering = options, .last = driver::Stage::Loop});
  if (!result) throw std::runtime_error(result.error().render());
  return *std::move(result);
}

/// Removes a dependence at random and expects the checker to find it.
void plant(StreamedPlan plan, Random& random, Tally& tally) {
  std::vector<std::size_t> with;
  for (std::size_t at = 0; at < plan.nodes.size(); ++at) {
    if (!plan.nodes[at].after.empty()) with.push_back(at);
  }
  if (with.empty()) return;
  auto& after = plan.nodes[with[random.below(with.size())]].after;
  after.erase(after.begin() + static_cast<std::ptrdiff_t>(random.below(after.size())));
  EXPECT_TRUE(missing_dependence(plan)) << "a missing dependence is not found";
  ++tally.planted;
}

/// What the program gives when it is not cut, by the loop interpreter: the same numbers in the same order, so
/// results must be equal to the bit, but for updates, which have no order.
void expect_same(const loop::Plan& plan, const Bytes& inputs, const Bytes& expected,
                 const StreamOptions& options, Random& random, Tally& tally, const std::string& what) {
  auto streamed = streamed_plan(plan, options);
  if (!streamed) {
    EXPECT_NE(streamed.error().kind, ErrorKind::Bug) << what;
    ++tally.refused;
    return;
  }
  ++(streamed->cut.has_cut_phase() ? tally.cut : tally.whole);
  tally.added += streamed->plan.tasks > static_cast<std::size_t>(options.tasks) ? 1 : 0;
  EXPECT_LE(streamed->plan.memory_bytes, options.memory > 0 ? options.memory : SIZE_MAX) << what;
  for (const LaunchPlan::Array& array : streamed->plan.launch.arrays)
    EXPECT_LE(array.bytes(), options.largest_buffer > 0 ? options.largest_buffer : SIZE_MAX) << what;
  tally.halos += streamed->plan.redundant_bytes > 0 ? 1 : 0;
  const auto is_apart = [](const StreamedPlan::Node& node) {
    const auto* upload = std::get_if<StreamedPlan::Upload>(&node.work);
    return upload && upload->to.rows.count > 1;
  };
  tally.columns += std::ranges::any_of(streamed->plan.nodes, is_apart) ? 1 : 0;
  tally.column_windows +=
      std::ranges::any_of(streamed->cut.arrays, &tasks::Array::has_column_windows) ? 1 : 0;
  const auto checked = loop::check(streamed->cut.plan);
  ASSERT_TRUE(checked) << checked.error().render() << what << loop::to_string(streamed->cut.plan);
  const StreamedPlan all_steps = unrolled(streamed->plan);
  ASSERT_EQ(all_steps.steps, options.steps);
  const auto missing = missing_dependence(all_steps);
  ASSERT_FALSE(missing) << missing->text << what;
  for (int order = 0; order < (options.steps > 1 ? 1 : 2); ++order) {
    const auto got = simulate(*streamed, inputs, random.bits());
    ASSERT_TRUE(got) << got.error().render() << what;
    EXPECT_TRUE(got->faults.empty()) << got->faults.front() << what << loop::to_string(streamed->cut.plan);
    ASSERT_EQ(got->outputs.size(), expected.size());
    for (std::size_t leaf = 0; leaf < expected.size(); ++leaf)
      ASSERT_EQ(got->outputs[leaf], expected[leaf])
          << "output " << leaf << what << loop::to_string(plan) << loop::to_string(streamed->cut.plan);
  }
  plant(all_steps, random, tally);
  if (options.steps > 1) ++(streamed->plan.results_stay() ? tally.steps_stay : tally.steps_move);
}

/// The same program on several memories, with parts of random sizes, in a row or in a grid.
void expect_same_on_places(const loop::Plan& plan, const Bytes& inputs, const Bytes& expected,
                           const StreamOptions& options, bool is_grid, Random& random, Tally& tally,
                           const std::string& what) {
  PlaceOptions places{{}, options.steps, options.fed};
  std::string text = what + "weights";
  std::size_t count = 2 + random.below(4);
  if (is_grid) {
    places.grid = {1 + random.below(3), 2 + random.below(2)};
    count = places.grid->rows * places.grid->columns;
    text += fmt::format(" of {} by {}:", places.grid->rows, places.grid->columns);
  }
  for (std::size_t place = count; place > 0; --place) {
    places.weights.push_back(1.0 + static_cast<double>(random.below(3)));
    text += fmt::format(" {}", places.weights.back());
  }
  auto placed = placed_plan(plan, places);
  if (!placed) {
    EXPECT_NE(placed.error().kind, ErrorKind::Bug) << placed.error().render() << text;
    return;
  }
  ++(is_grid ? tally.grids : tally.placed);
  bool has_moved = false, has_rows = false;
  for (PlacedSteps steps(placed->plan); const auto nodes = steps.next();) {
    for (const PlacedNode& each : *nodes) {
      const auto* send = std::get_if<PlacedNode::Send>(&each.work);
      has_moved |= send != nullptr;
      has_rows |= send != nullptr && send->from.rows.count > 1;
    }
  }
  tally.moved += has_moved ? 1 : 0;
  tally.rows += has_rows ? 1 : 0;
  const auto checked = loop::check(placed->cut.plan);
  ASSERT_TRUE(checked) << checked.error().render() << text << loop::to_string(placed->cut.plan);
  const auto got = simulate(*placed, inputs, random.bits());
  ASSERT_TRUE(got) << got.error().render() << text << loop::to_string(placed->cut.plan);
  EXPECT_TRUE(got->faults.empty()) << got->faults.front() << text << loop::to_string(placed->cut.plan);
  ASSERT_EQ(got->outputs, expected) << text << loop::to_string(plan) << loop::to_string(placed->cut.plan);
}

/// As little of a limit as will do.
StreamOptions least(const loop::Plan& plan, StreamOptions options, std::size_t StreamOptions::*limit) {
  options.*limit = 1;
  for (int doubled = 0; doubled < 24 && !streamed_plan(plan, options); ++doubled) options.*limit *= 2;
  for (std::size_t less = options.*limit / 4; less > 0; less /= 2) {
    options.*limit -= less;
    if (!streamed_plan(plan, options)) options.*limit += less;
  }
  return options;
}

/// As little memory as will do, so that windows take turns.
StreamOptions tight(const loop::Plan& plan, const StreamOptions& options) {
  return least(plan, options, &StreamOptions::memory);
}

/// What so many steps give, each by the loop interpreter from the result of the one before; nothing where one
/// has faults.
std::optional<Bytes> after_steps(const driver::Compiled& whole, std::vector<Data> inputs,
                                 const StreamOptions& options) {
  Data last;
  for (std::size_t step = 0; step < options.steps; ++step) {
    auto ran = testing_support::execute(whole.plan, whole.low.result(), inputs);
    if (!ran || !ran->report.faults.empty()) return std::nullopt;
    last = std::move(ran->outputs);
    std::size_t leaf = 0;
    for (Data& data : inputs) {
      for (Tensor& tensor : data) {
        if (leaf >= options.fed && leaf < options.fed + last.size())
          tensor.bytes = last[leaf - options.fed].bytes;
        ++leaf;
      }
    }
  }
  return flat({last});
}

/// The inputs that can take the result, as `fed` counts them.
std::vector<std::size_t> feedable(const ir::Program& program) {
  std::vector<std::size_t> result;
  for (const ir::ParameterDeclaration& each : program.parameters) {
    if (const auto fed = driver::fed_input(program, each.name)) result.push_back(*fed);
  }
  return result;
}

void expect_same_in_steps(const driver::Compiled& whole, const ir::Program& sized,
                          const std::vector<Data>& inputs, StreamOptions options, Random& random,
                          Tally& tally, const std::string& what) {
  const std::vector<std::size_t> fed = feedable(sized);
  if (fed.empty()) return;
  options.fed = fed[random.below(fed.size())];
  options.steps = 2 + random.below(9);
  const auto expected = after_steps(whole, inputs, options);
  if (!expected) return;
  const std::string steps = fmt::format("{}{} steps, fed to {}\n", what, options.steps, options.fed);
  const bool is_tight = random.below(2) == 0;
  expect_same(whole.plan, flat(inputs), *expected, is_tight ? tight(whole.plan, options) : options, random,
              tally, steps + (is_tight ? "tight memory\n" : ""));
  for (const bool is_grid : {false, true})
    expect_same_on_places(whole.plan, flat(inputs), *expected, options, is_grid, random, tally, steps);
}

void expect_same_in_tasks(const ir::Program& program, const driver::NamedSizes& sizes, std::uint64_t seed,
                          const std::map<std::string, driver::InputRange>& ranges, double most_operations,
                          Tally& tally, const std::string& text) {
  Random random(seed);
  const ir::Program sized = driver::with_sizes(program, sizes).value();
  auto given = driver::random_inputs(sized, {}, seed, ranges);
  ASSERT_TRUE(given) << given.error().render() << text;
  interpret::Options limits;
  limits.max_operations = static_cast<std::uint64_t>(most_operations);
  if (!interpret::evaluate(sized, *given, {}, limits)) {
    ++tally.refused;
    return;
  }
  const Choice choice = some_choice(random);
  const std::string what = fmt::format("\nseed {}: {}\n{}\n", seed, choice.text(), text);
  const driver::Compiled whole = compiled(sized, choice.is_for_gpu);
  const auto by_loops = testing_support::execute(whole.plan, whole.low.result(), *given);
  ASSERT_TRUE(by_loops) << by_loops.error().render() << what;
  const Bytes expected = flat({by_loops->outputs});
  expect_same(whole.plan, flat(*given), expected, choice.options, random, tally, what);
  expect_same(whole.plan, flat(*given), expected, tight(whole.plan, choice.options), random, tally,
              what + "tight memory\n");
  expect_same(whole.plan, flat(*given), expected,
              least(whole.plan, choice.options, &StreamOptions::largest_buffer), random, tally,
              what + "small buffers\n");
  for (const bool is_grid : {false, true})
    expect_same_on_places(whole.plan, flat(*given), expected, {}, is_grid, random, tally, what);
  expect_same_in_steps(whole, sized, *given, choice.options, random, tally, what);
}

void run_all(const std::function<std::pair<std::string, driver::NamedSizes>(std::uint64_t)>& draw,
             std::uint64_t count, Tally& tally) {
  std::uint64_t from = 1, to = count;
  if (const char* only = std::getenv("HOIST_SEED")) from = to = std::strtoull(only, nullptr, 10);
  for (std::uint64_t seed = from; seed <= to; ++seed) {
    ir::Arena arena;
    const auto [text, sizes] = draw(seed);
    expect_same_in_tasks(program_of(text), sizes, seed, {}, 200'000, tally, text);
    if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
  }
  tally.print();
}

/// Where one seed was asked for there are not many.
void expect_cut(const Tally& tally, int least) {
  if (std::getenv("HOIST_SEED")) return;
  EXPECT_GT(tally.cut, least);
}

TEST(Streams, FoundBefore) {
  Tally tally;
  // A reduction whose work-item writes other elements before its loop; one with stages behind it.
  for (const std::uint64_t seed : {1462, 1}) {
    ir::Arena arena;
    const std::string text = testing_support::random_high_level_program(seed);
    expect_same_in_tasks(program_of(text), {}, seed, {}, 200'000, tally, text);
  }
}

TEST(Streams, RandomPrograms) {
  Tally tally;
  run_all(
      [](std::uint64_t seed) {
        return std::pair(testing_support::random_high_level_program(seed), driver::NamedSizes{});
      },
      is_slow() ? 3000 : 150, tally);
  expect_cut(tally, is_slow() ? 1000 : 50);
}

/// Programs of a generator that draws sizes, too: so many, of which some must be cut.
template <class Generator>
Tally run_drawn(Generator&& drawn, std::uint64_t count, int least_cut) {
  Tally tally;
  run_all(
      [&](std::uint64_t seed) {
        auto nest = drawn(seed);
        return std::pair(nest.text, nest.sizes);
      },
      count, tally);
  expect_cut(tally, least_cut);
  return tally;
}

TEST(Streams, RandomStencils) {
  run_drawn(testing_support::random_stencil, is_slow() ? 2000 : 100, is_slow() ? 1000 : 50);
}

TEST(Streams, RandomContractions) {
  run_drawn(testing_support::random_contraction, is_slow() ? 2000 : 100, is_slow() ? 1000 : 50);
}

TEST(Streams, RandomTransposed) {
  const Tally tally =
      run_drawn(testing_support::random_transposed, is_slow() ? 3000 : 150, is_slow() ? 1500 : 75);
  if (std::getenv("HOIST_SEED")) return;
  EXPECT_GT(tally.columns, is_slow() ? 1000 : 50);
  EXPECT_GT(tally.column_windows, is_slow() ? 400 : 20);
}

TEST(Streams, RandomRows) {
  run_drawn(testing_support::random_rows, is_slow() ? 2000 : 50, is_slow() ? 500 : 10);
}

/// Nests whose rows are more than a body has, for the host's schedules of loops.
testing_support::RandomNest some_nest(Random& random) {
  static const std::vector<std::string> texts{
      "def p(A: [M][K]f32, B: [K][N]f32): [M][N]f32 = A |> map(a => transpose(B) |> map(b => dotProduct(a, "
      "b)))",
      "def p(A: [M][K]f64, B: [N][K]f64): [M][N]f64 = A |> map(a => B |> map(b => dotProduct(a, b)))",
      "def p(A: [K][M]f32, B: [K][N]f32): [M][N]f32 = transpose(A) |> map(a => transpose(B) |> map(b => "
      "dotProduct(a, b)))",
      "def p(A: [M][K]f32, B: [K][N]f32, C: [M][N]f32): [M][N]f32 = zip(A, C) |> map((a, c) => "
      "zip(transpose(B), c) |> map((b, e) => 1.5 * dotProduct(a, b) + 2.0 * e))",
      "def p(A: [M][K][N]f32, B: [K]f32): [M][N]f32 = A |> map(a => transpose(a) |> map(b => dotProduct(b, "
      "B)))",
      "def p(A: [M][N]f32, B: [N][M]f32, C: [K]f32): [M][N][K]f32 = zip(A, transpose(B)) |> map((a, b) => "
      "zip(a, b) |> map((x, y) => C |> map(c => x * c + y)))",
      "def p(A: [N][M]f32, B: [M][N]f32, C: [K]f32): [M][N][K]f32 = zip(transpose(A), B) |> map((a, b) => "
      "zip(a, b) |> map((x, y) => C |> map(c => x * c + y)))"};
  const auto one_of = [&](const std::vector<std::int64_t>& lengths) {
    return lengths[random.below(lengths.size())];
  };
  return {2,
          texts[random.below(texts.size())],
          {{"M", one_of({32, 40, 45, 64})}, {"N", one_of({12, 16, 27})}, {"K", one_of({6, 8, 18})}}};
}

/// Kernels by the host's schedules of loops, whose outermost loops are the rows of the result, or others.
TEST(Streams, SchedulesOfLoops) {
  const std::uint64_t count = is_slow() ? 100 : 20;
  std::uint64_t from = 1, to = count;
  if (const char* only = std::getenv("HOIST_SEED")) from = to = std::strtoull(only, nullptr, 10);
  Tally tally;
  int scheduled = 0;
  for (std::uint64_t seed = from; seed <= to; ++seed) {
    ir::Arena arena;
    Random random(seed);
    const auto nest = some_nest(random);
    const ir::Program sized = driver::with_sizes(program_of(nest.text), nest.sizes).value();
    const auto inputs = driver::random_inputs(sized, {}, seed);
    ASSERT_TRUE(inputs) << nest.text;
    variants::ExplorationOptions options;
    options.target =
        target::with_instruction_set(target::usual_device(target::Language::Host, target::Type::Cpu),
                                     *target::instruction_set_named("avx2"));
    const auto explored = variants::explore(sized, options);
    ASSERT_TRUE(explored) << nest.text;
    const lower::Options lowering = driver::options_for(options.target);
    for (const variants::CandidateId& id : (*explored)->sample(is_slow() ? 120 : 60, seed)) {
      const rewrite::Trace steps = (*explored)->steps(id);
      const bool is_scheduled = std::ranges::any_of(steps, [](const rewrite::Step& step) {
        return step.rule.starts_with("orderLoops") || step.rule.starts_with("blockLoops");
      });
      const variants::Candidate made = (*explored)->make(id, lowering);
      if (!is_scheduled || !made.plan) continue;
      ++scheduled;
      const std::string what = fmt::format("\nseed {}, {}\n{}\n", seed, to_string(id), nest.text);
      const auto whole = testing_support::execute(*made.plan, made.low.result(), *inputs);
      ASSERT_TRUE(whole) << whole.error().render() << what;
      const StreamOptions streams = some_choice(random).options;
      expect_same(*made.plan, flat(*inputs), flat({whole->outputs}), streams, random, tally, what);
      for (const bool is_grid : {false, true})
        expect_same_on_places(*made.plan, flat(*inputs), flat({whole->outputs}), {}, is_grid, random, tally,
                              what);
      if (testing::Test::HasFailure()) return;
    }
  }
  std::printf("scheduled %d, cut %d, whole %d, refused %d\n", scheduled, tally.cut, tally.whole,
              tally.refused);
  expect_cut(tally, is_slow() ? 1000 : 60);
}

TEST(Streams, ProgramsOfTheSuite) {
  Tally tally;
  std::uint64_t seed = 0;  // so that each program is cut in another way
  for (const char* directory : {"kernels", "kernels/polybench", "kernels/imaging", "kernels/low-level"}) {
    const auto suite = driver::load_suite(std::string(HOIST_SOURCE_DIR) + "/" + directory);
    ASSERT_TRUE(suite) << suite.error().render();
    for (const driver::SuiteProgram& each : *suite) {
      for (const auto& [set, sizes] : each.sizes) {
        if (set == "bench") continue;
        ir::Arena arena;
        const Source source = driver::read_source(each.path).value();
        const auto program = lang::parse_program(source);
        ASSERT_TRUE(program) << each.name;
        for (int round = 0; round < (is_slow() ? 6 : 1); ++round) {
          SCOPED_TRACE(each.name + " " + set);
          expect_same_in_tasks(*program, sizes, ++seed, each.ranges(sizes).value(), is_slow() ? 1e7 : 3e5,
                               tally, each.name);
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
  tally.print();
  expect_cut(tally, 40);
  EXPECT_GT(tally.steps_stay, 30);
  EXPECT_GT(tally.steps_move, 20);
  EXPECT_GT(tally.placed, 60);
  EXPECT_GT(tally.moved, 30);
  EXPECT_GT(tally.grids, 40);
  EXPECT_GT(tally.rows, 20);
}

}  // namespace
}  // namespace hoist::execute
