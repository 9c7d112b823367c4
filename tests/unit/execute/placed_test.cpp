// What places do, and that they do it on devices: parts of the host and of OpenCL's device, and two devices
// of a CUDA driver that runs kernels on the processor.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/overloaded.hpp"
#include "driver/inputs.hpp"
#include "execute/executable.hpp"
#include "execute/placed_executable.hpp"
#include "execute/placed_forecast.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"
#include "unit/runtime/support.hpp"

namespace hoist::execute {
namespace {

using runtime::testing::ScopedVariable;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string stencil =
    "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => n[0][1] + n[2][1] "
    "+ n[1][0])";

Placed placed(const std::string& text, const driver::NamedSizes& sizes, const PlaceOptions& options) {
  const ir::Program sized = driver::with_sizes(testing_support::program_of(text), sizes).value();
  lower::Options lowering;
  lowering.target = target::any_device(target::Language::Host);
  const auto compiled = driver::compile(sized, {.lowering = lowering, .last = driver::Stage::Loop}).value();
  return placed_plan(compiled.plan, options).value();
}

/// "0: send out 2-5,7 to 1": rows 2 to 5 of column 7, where the array is seen as rows.
std::string region_text(const PlacedPlan& plan, const PlacedNode::Range& range) {
  const PlacedPlan::Array& array = plan.arrays[range.array];
  const auto row = static_cast<std::size_t>(array.row_length);
  const std::size_t first = range.rows.offset / array.width, last = range.rows.end() / array.width - 1;
  const auto text = [](std::size_t from, std::size_t to) {
    return from == to ? fmt::format("{}", from) : fmt::format("{}-{}", from, to);
  };
  return fmt::format("{} {},{}", plan.launch.arrays[range.array].name, text(first / row, last / row),
                     text(first % row, last % row));
}

/// "0: upload 0+20", "1: send 16+4 to 0": the place, what it does, and the elements from where on, in rows.
std::vector<std::string> texts(const PlacedPlan& plan, const std::vector<PlacedNode>& nodes,
                               std::size_t row) {
  std::vector<std::string> result;
  const auto rows = [&](const PlacedNode::Range& range) {
    const std::size_t first = range.rows.offset / row,
                      last = (range.rows.offset + range.rows.bytes) / row - 1;
    return plan.launch.arrays[range.array].name +
           (first == last ? fmt::format(" {}", first) : fmt::format(" {}-{}", first, last));
  };
  for (const PlacedNode& node : nodes) {
    const std::string what = std::visit(
        Overloaded{[&](const PlacedNode::Upload& each) { return "upload " + rows(each.to); },
                   [&](const TaskLaunch&) { return std::string("launch"); },
                   [&](const PlacedNode::Step&) { return std::string("step"); },
                   [&](const PlacedNode::Send& each) {
                     return fmt::format("send {} to {}", rows(each.from), each.to);
                   },
                   [&](const PlacedNode::Receive& each) {
                     return fmt::format("receive {} from {}", rows(each.to), each.from);
                   },
                   [&](const PlacedNode::Download& each) { return "download " + rows(each.from); }},
        node.work);
    result.push_back(fmt::format("{}: {}", node.place, what));
  }
  return result;
}

TEST(Placed, WhereOthersReadAllOfAPartItIsOneTask) {
  const ir::Arena arena;
  const std::string all_pairs =
      "def p(x: [N]f32): [N]f32 = x |> map(a => x |> map(b => b - a) |> reduce(+, 0.0))";
  const PlacedPlan plan = placed(all_pairs, {{"N", 64}}, {{1, 1}, 3, 0}).plan;
  EXPECT_EQ(plan.tasks, 2U) << "no border could move while the rest is computed";
}

TEST(Placed, HalosOfAStencilMoveBetweenSteps) {
  ir::Arena arena;
  const PlacedPlan plan = placed(stencil, {{"H", 64}, {"W", 8}}, {{1, 1}, 3, 0}).plan;
  EXPECT_EQ(plan.tasks, 6U) << "borders are tasks of their own";
  PlacedSteps steps(plan);
  const std::size_t row = 8 * 4;
  EXPECT_THAT(
      texts(plan, *steps.next(), row),
      ElementsAre("0: upload u 27-32", "0: launch", "0: send out 31 to 1", "1: upload u 31-36", "1: launch",
                  "1: send out 32 to 0", "0: upload u 0-26", "0: launch", "1: upload u 37-63", "1: launch"));
  EXPECT_THAT(
      texts(plan, *steps.next(), row),
      ElementsAre("0: receive u 32 from 1", "0: launch", "0: send out 31 to 1", "1: receive u 31 from 0",
                  "1: launch", "1: send out 32 to 0", "0: launch", "1: launch"));
  EXPECT_THAT(texts(plan, *steps.next(), row),
              ElementsAre("0: receive u 32 from 1", "0: launch", "1: receive u 31 from 0", "1: launch",
                          "0: launch", "1: launch", "0: download out 0-31", "1: download out 32-63"));
  EXPECT_FALSE(steps.next());
}

TEST(Placed, HalosOfAGridMoveInOnePieceEach) {
  ir::Arena arena;
  const std::string cross =
      "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => n[0][1] + "
      "n[2][1] "
      "+ n[1][0] + n[1][2])";
  PlaceOptions options{std::vector<double>(9, 1), 3, 0, PlaceGrid{3, 3}};
  const PlacedPlan plan = placed(cross, {{"H", 96}, {"W", 96}}, options).plan;
  EXPECT_EQ(plan.tasks, 45U) << "borders are tasks of their own";
  PlacedSteps steps(plan);
  ASSERT_TRUE(steps.next());
  std::vector<std::string> of_middle;
  const auto nodes = steps.next();
  for (const PlacedNode& node : *nodes) {
    const auto* receive = std::get_if<PlacedNode::Receive>(&node.work);
    if (receive != nullptr && node.place == 4)
      of_middle.push_back(fmt::format("{} from {}", region_text(plan, receive->to), receive->from));
  }
  EXPECT_THAT(of_middle, testing::UnorderedElementsAre("u 31,32-63 from 1", "u 32-63,31 from 3",
                                                       "u 32-63,64 from 5", "u 64,32-63 from 7"));
}

TEST(Placed, LargeHalosMoveInPieces) {
  ir::Arena arena;
  const PlacedPlan plan = placed(stencil, {{"H", 16}, {"W", 786432}}, {{1, 1}, 2, 0}).plan;
  PlacedSteps steps(plan);
  ASSERT_TRUE(steps.next());
  // A row of 3 MiB from either place, in the order in which it is sent.
  const std::size_t piece = std::size_t{1} << 20;
  std::vector<std::size_t> offsets;
  const auto nodes = steps.next();
  for (const PlacedNode& node : *nodes) {
    const auto* receive = std::get_if<PlacedNode::Receive>(&node.work);
    if (receive == nullptr) continue;
    EXPECT_EQ(receive->to.rows.bytes, piece);
    offsets.push_back(receive->to.rows.offset / piece);
  }
  EXPECT_THAT(offsets, ElementsAre(24, 25, 26, 21, 22, 23));
}

TEST(Placed, BordersThatNobodyReadsAreNoTasks) {
  ir::Arena arena;
  const auto launches = [](const std::string& text) {
    std::vector<int> result(3);
    const PlacedPlan plan = placed(text, {{"H", 64}, {"W", 8}}, {{1, 1, 1}, 3, 0}).plan;
    PlacedSteps steps(plan);
    const auto nodes = steps.next();
    for (const PlacedNode& node : *nodes)
      result[node.place] += std::holds_alternative<TaskLaunch>(node.work) ? 1 : 0;
    return result;
  };
  EXPECT_THAT(launches(stencil), ElementsAre(2, 3, 2));
  EXPECT_THAT(launches("def p(u: [H][W]f32): [H][W]f32 = u |> map2(e => e + e)"), ElementsAre(1, 1, 1));
  // The last row's neighbour is the first: what lies from the one to the other counts as read.
  const std::string around =
      "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, wrap) |> slide2(3, 1) |> map2(n => n[0][1] + "
      "n[2][1])";
  EXPECT_THAT(launches(around), ElementsAre(1, 1, 1));
}

TEST(Placed, WhatIsNotCutRunsAtTheFirstPlace) {
  ir::Arena arena;
  const Placed sum = placed("def p(x: [N]i32): i32 = x |> reduce(+, 0)", {{"N", 100000}}, {{2, 1, 1}, 1, 0});
  bool has_gathered = false;
  for (PlacedSteps steps(sum.plan); const auto nodes = steps.next();) {
    for (const PlacedNode& node : *nodes) {
      const auto* receive = std::get_if<PlacedNode::Receive>(&node.work);
      if (receive != nullptr) {
        EXPECT_EQ(node.place, 0U);
      }
      has_gathered |= receive != nullptr;
    }
  }
  EXPECT_TRUE(has_gathered);
}

TEST(Placed, CountsByKeyTakeOneMemory) {
  ir::Arena arena;
  const ir::Program sized =
      driver::with_sizes(testing_support::program_of("def p(k: [N]i32, c: [B]i32): [B]i32 = fill(N, 1) |> "
                                                     "reduceByKey(+, c, k)"),
                         {{"N", 1000}, {"B", 8}})
          .value();
  lower::Options lowering;
  lowering.target = target::any_device(target::Language::OpenCL);
  const auto compiled = driver::compile(sized, {.lowering = lowering, .last = driver::Stage::Loop}).value();
  const auto made = placed_plan(compiled.plan, {{1, 1}, 1, 0});
  ASSERT_TRUE(made) << made.error().render();
  EXPECT_THAT(made->plan.notes, Contains(HasSubstr("in place, which takes one memory")));
}

TEST(Placed, SaysHowManyPartsThereMayBe) {
  ir::Arena arena;
  const ir::Program sized =
      driver::with_sizes(testing_support::program_of(stencil), {{"H", 3}, {"W", 8}}).value();
  lower::Options lowering;
  lowering.target = target::any_device(target::Language::Host);
  const auto compiled = driver::compile(sized, {.lowering = lowering, .last = driver::Stage::Loop}).value();
  const auto refused = placed_plan(compiled.plan, {{1, 1, 1, 1}, 1, 0});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("give at most 3 devices or ranks"));
}

TEST(Placed, ForecastOfAStencil) {
  ir::Arena arena;
  const PlacedPlan alone = placed(stencil, {{"H", 1024}, {"W", 256}}, {{1}, 4, 0}).plan;
  const PlacedPlan four = placed(stencil, {{"H", 1024}, {"W", 256}}, {{1, 1, 1, 1}, 4, 0}).plan;
  const std::size_t row = 256 * 4;
  // A network that costs nothing hides; one that is slower than the kernels does not.
  const Forecast fast = forecast(four, alone, 1e-3, {{1e12, 0}});
  EXPECT_EQ(fast.moved_bytes, 6 * row);
  EXPECT_EQ(fast.bytes_of_place, 2 * row);
  EXPECT_EQ(fast.messages_of_place, 2U);
  EXPECT_NEAR(fast.efficiency, 1, 1e-9);
  // Two devices for four places.
  const Forecast shared = forecast(four, alone, 1e-3, {{1e12, 0}, 2});
  EXPECT_NEAR(shared.step, 0.5e-3, 1e-9);
  EXPECT_NEAR(shared.efficiency, 1, 1e-9);
  const Forecast slow = forecast(four, alone, 1e-3, {{1e6, 1e-3}});
  EXPECT_NEAR(slow.transfer, 2.0 * static_cast<double>(row) * 1e-6 + 2e-3, 1e-12);
  EXPECT_NEAR(slow.step, 0.25e-3 * 0.25 + slow.transfer, 1e-9);
}

TEST(Placed, ForecastOfAGrid) {
  ir::Arena arena;
  const driver::NamedSizes sizes{{"H", 1024}, {"W", 1024}};
  const std::vector<double> even(16, 1.0);
  const PlacedPlan alone = placed(stencil, sizes, {{1}, 4, 0}).plan,
                   row = placed(stencil, sizes, {even, 4, 0}).plan,
                   grid = placed(stencil, sizes, {even, 4, 0, PlaceGrid{4, 4}}).plan;
  const std::size_t of_row = forecast(row, alone, 1e-3, {}).moved_bytes,
                    of_grid = forecast(grid, alone, 1e-3, {}).moved_bytes;
  EXPECT_EQ(of_row, 15U * 2 * 1024 * 4);
  // This one reads to the left, and not to the right.
  EXPECT_EQ(of_grid, (3U * 2 + 3) * 1024 * 4);
}

TEST(Placed, ProgramsWithoutTwoLoopsHaveNoGrid) {
  ir::Arena arena;
  const auto refused = [](const std::string& text, const driver::NamedSizes& sizes, const PlaceGrid& grid) {
    const ir::Program sized = driver::with_sizes(testing_support::program_of(text), sizes).value();
    lower::Options lowering;
    lowering.target = target::any_device(target::Language::Host);
    const auto compiled = driver::compile(sized, {.lowering = lowering, .last = driver::Stage::Loop}).value();
    const auto made = placed_plan(compiled.plan, {std::vector<double>(4, 1.0), 1, 0, grid});
    return made ? std::string() : made.error().render();
  };
  EXPECT_THAT(
      refused("def p(x: [N]f32): [N]f32 = x |> map(e => e + e)", {{"N", 100}}, {2, 2}),
      testing::AllOf(HasSubstr("cannot be cut into a grid of 2 by 2 parts"),
                     HasSubstr("has no two loops over work-groups"), HasSubstr("leave the grid out")));
  EXPECT_THAT(refused(stencil, {{"H", 64}, {"W", 3}}, {1, 4}), HasSubstr("they have 64 and 3 iterations"));
  EXPECT_THAT(refused(stencil, {{"H", 64}, {"W", 64}}, {3, 2}),
              HasSubstr("a grid of 3 by 2 has not 4 parts"));
  EXPECT_EQ(refused(stencil, {{"H", 64}, {"W", 3}}, {4, 1}), "") << "one column is no grid";
}

/// Runs on places of these devices, each of which is there once; the result of one device is the same.
void expect_same_on(const std::vector<std::string>& ids, const std::string& text,
                    const driver::NamedSizes& sizes, std::size_t step_count,
                    std::optional<PlaceGrid> grid = std::nullopt) {
  SCOPED_TRACE(fmt::format("{} on {}", text, fmt::join(ids, ", ")));
  ir::Arena arena;
  const ir::Program sized = driver::with_sizes(testing_support::program_of(text), sizes).value();
  const auto inputs = driver::random_inputs(sized, {}, 1).value();
  std::vector<std::unique_ptr<runtime::Device>> devices;
  std::vector<runtime::Partitioning> partitionings;
  LocalPlaces local;
  for (const std::string& id : ids) {
    devices.push_back(runtime::open_device(id).value());
    partitionings.push_back(devices.back()->partitions(1).value());
    local.places.push_back({devices.back().get(), partitionings.back().partitions.front().get()});
  }
  const auto compiled = driver::compile(sized, driver::options_for(devices.front()->info())).value();
  auto alone = Executable::prepare(*devices.front(), compiled).value();
  ASSERT_TRUE(alone.write_inputs(inputs));
  ASSERT_TRUE(alone.run_steps(step_count, 0));
  const Data expected = alone.read_outputs().value();
  auto executable = PlacedExecutable::prepare(
      compiled, {std::vector<double>(ids.size(), 1.0), step_count, 0, grid}, std::move(local));
  ASSERT_TRUE(executable) << executable.error().render();
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(executable->poison());
    Data got = expected;
    for (Tensor& tensor : got) std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{});
    const auto times = executable->run(
        [&](std::size_t, const runtime::Rows& rows) -> Result<RowsAt<const std::byte>> {
          return RowsAt<const std::byte>{inputs.front().front().bytes.data() + rows.offset, rows.pitch};
        },
        [&](std::size_t output, const runtime::Rows& rows) {
          return RowsAt<std::byte>{got[output].bytes.data() + rows.offset, rows.pitch};
        });
    ASSERT_TRUE(times) << times.error().render();
    for (std::size_t leaf = 0; leaf < got.size(); ++leaf) EXPECT_EQ(got[leaf].bytes, expected[leaf].bytes);
  }
}

void expect_same_on_all(const std::vector<std::string>& ids) {
  expect_same_on(ids, stencil, {{"H", 47}, {"W", 59}}, 9);
  expect_same_on(ids, stencil, {{"H", 47}, {"W", 59}}, 1);
  expect_same_on(ids, "def p(x: [N]f32): f32 = x |> reduce(+, 0.0)", {{"N", 5003}}, 1);
  expect_same_on(ids, "def p(A: [M][N]f32): [N]f32 = A |> transpose |> map(reduce(+, 0.0))",
                 {{"M", 61}, {"N", 17}}, 1);
}

/// Corners, too, and weights that are not even.
void expect_same_in_grid_on(const std::vector<std::string>& ids) {
  const std::string all_around =
      "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => n[0][0] + "
      "n[2][1] "
      "+ n[1][2] + n[2][0] + n[0][2])";
  expect_same_on(ids, all_around, {{"H", 47}, {"W", 59}}, 9, PlaceGrid{2, ids.size() / 2});
  expect_same_on(ids, all_around, {{"H", 47}, {"W", 59}}, 1, PlaceGrid{1, ids.size()});
  expect_same_on(ids,
                 "def p(u: [D][H][W]f32): [D][H][W]f32 = u |> pad3(1, 1, wrap) |> slide3(3, 1) |> map3(n => "
                 "n[0][1][1] + n[1][2][1] + n[1][1][0])",
                 {{"D", 13}, {"H", 17}, {"W", 11}}, 4, PlaceGrid{2, ids.size() / 2});
}

TEST(Placed, SumsAreHandedOn) {
  ir::Arena arena;
  const Placed sums = placed("def p(A: [M][N]f32): [N]f32 = A |> transpose |> map(reduce(+, 0.0))",
                             {{"M", 61}, {"N", 17}}, {{1, 1, 1, 1}, 1, 0});
  std::vector<std::size_t> from;
  for (PlacedSteps steps(sums.plan); const auto nodes = steps.next();) {
    for (const PlacedNode& node : *nodes) {
      if (const auto* receive = std::get_if<PlacedNode::Receive>(&node.work)) from.push_back(receive->from);
    }
  }
  EXPECT_THAT(from, ElementsAre(0, 1, 2));
}

TEST(Placed, OnTwoHosts) { expect_same_on_all({"host", "host"}); }

TEST(Placed, OnFourHostsInAGrid) { expect_same_in_grid_on({"host", "host", "host", "host"}); }

TEST(Placed, OnFourDevicesOfCudaInAGrid) {
  const ScopedVariable library("HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA),
      nvrtc("HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA), count("FAKE_CUDA_DEVICES", "4");
  for (const char* seed : {"", "1", "2"}) {
    const ScopedVariable random("FAKE_CUDA_SEED", seed);
    expect_same_in_grid_on({"cuda:0", "cuda:1", "cuda:2", "cuda:3"});
  }
}

TEST(Placed, OnTwoDevicesOfCuda) {
  const ScopedVariable library("HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA),
      nvrtc("HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA), count("FAKE_CUDA_DEVICES", "2");
  expect_same_on_all({"cuda:0", "cuda:1"});
  // Commands run as late as they may, and in a random order.
  for (const char* seed : {"1", "2", "3", "4"}) {
    const ScopedVariable random("FAKE_CUDA_SEED", seed);
    expect_same_on_all({"cuda:0", "cuda:1"});
  }
}

TEST(Placed, HalosMoveWhileTheRestIsComputed) {
  const ScopedVariable library("HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA),
      nvrtc("HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA), count("FAKE_CUDA_DEVICES", "2");
  ir::Arena arena;
  const ir::Program sized =
      driver::with_sizes(testing_support::program_of(stencil), {{"H", 64}, {"W", 4096}}).value();
  const auto inputs = driver::random_inputs(sized, {}, 1).value();
  std::vector<std::unique_ptr<runtime::Device>> devices;
  std::vector<runtime::Partitioning> partitionings;
  LocalPlaces local;
  for (const char* id : {"cuda:0", "cuda:1"}) {
    devices.push_back(runtime::open_device(id).value());
    partitionings.push_back(devices.back()->partitions(1).value());
    local.places.push_back({devices.back().get(), partitionings.back().partitions.front().get()});
  }
  const auto compiled = driver::compile(sized, driver::options_for(devices.front()->info())).value();
  auto executable = PlacedExecutable::prepare(compiled, {{1, 1}, 8, 0}, std::move(local)).value();
  Data got = inputs.front();
  const auto times = executable.run(
      [&](std::size_t, const runtime::Rows& rows) -> Result<RowsAt<const std::byte>> {
        return RowsAt<const std::byte>{inputs.front().front().bytes.data() + rows.offset, rows.pitch};
      },
      [&](std::size_t output, const runtime::Rows& rows) {
        return RowsAt<std::byte>{got[output].bytes.data() + rows.offset, rows.pitch};
      },
      true);
  ASSERT_TRUE(times) << times.error().render();
  using enum TraceRecord::Kind;
  std::size_t copies = 0;
  for (const TraceRecord& copy : times->records) {
    if (copy.kind != Copy) continue;
    ++copies;
    EXPECT_EQ(copy.queue, 1U);
    EXPECT_EQ(copy.bytes, 4096U * 4);
    // At first it waits for uploads.
    if (*copy.step > 1) {
      EXPECT_NEAR(copy.end - copy.start, 4096 * 4 * 1e-10, 1e-7)
          << "from memory to memory, not through the host's";
    }
    EXPECT_TRUE(std::any_of(times->records.begin(), times->records.end(), [&](const TraceRecord& each) {
      return each.kind == Launch && each.partition == copy.partition && each.start < copy.end &&
             copy.start < each.end;
    })) << "a halo moves while nothing is computed";
  }
  EXPECT_EQ(copies, 2U * 7);
  EXPECT_LT(times->uploaded, times->computed);
}

}  // namespace
}  // namespace hoist::execute
