// The structure of kernels, against what one counts by hand. Where no machine is named, warps have 32
// work-items, lines 128 bytes: 32 floats.
#include "variants/structure.hpp"

#include <gtest/gtest.h>

#include "loop/print.hpp"
#include "support/executed.hpp"

namespace hoist::variants {
namespace {

class Structures : public testing::Test {
 protected:
  ir::Arena arena;

  static Structure structure(const std::string& text, const target::Machine& machine = {}) {
    const auto plan = lower::lower(testing_support::program_of(text));
    if (!plan) throw std::runtime_error(plan.error().render() + "\n" + text);
    return structure_of(*plan, machine);
  }
  /// Of the loads and stores of a program of one work-item for each element of x.
  static double lines(const std::string& text, const target::Machine& machine = {}) {
    return structure("def f" + text, machine).access_lines;
  }
};

TEST_F(Structures, NeighboursReadNeighbours) {
  EXPECT_EQ(lines("(x: [1024]f32): [1024]f32 = x |> mapGlb(0, e => 2.0 * e)"), 1);
  // 32 doubles are two lines, and need two; 32 vectors of four are four.
  EXPECT_EQ(lines("(x: [1024]f64): [1024]f64 = x |> mapGlb(0, e => e + e)"), 1);
  EXPECT_EQ(lines("(x: [1024]f32): [1024]f32 = x |> asVector(4) |> mapGlb(0, e => e + e) |> asScalar"), 1);
  // All read one element; a line is the least.
  EXPECT_EQ(lines("(x: [8]f32, y: [1024]f32): [1024]f32 = y |> mapGlb(0, e => e * x[3])"), 1);
}

TEST_F(Structures, WhatLiesBetweenIsReadInVain) {
  EXPECT_EQ(lines("(x: [1024]f32): [512]f32 = x |> split(2) |> mapGlb(0, pair => 2.0 * pair[0])"), 2);
  EXPECT_EQ(lines("(x: [4096]f32): [512]f32 = x |> split(8) |> mapGlb(0, row => 2.0 * row[0])"), 8);
  // Each in a line of its own: no more than there are work-items.
  EXPECT_EQ(lines("(x: [64][32]f32): [64]f32 = x |> mapGlb(0, row => row |> reduceSeq(+, 0.0))"), 32);
  EXPECT_EQ(lines("(x: [64][512]f32): [64]f32 = x |> mapGlb(0, row => row |> reduceSeq(+, 0.0))"), 32);
  // The same by columns.
  EXPECT_EQ(
      lines("(x: [64][512]f32): [512]f32 = x |> transpose |> mapGlb(0, row => row |> reduceSeq(+, 0.0))"), 1);
}

TEST_F(Structures, AccessesThatBeginInsideALineTouchOneMore) {
  // Elements 1 to 32 of lines of 32.
  EXPECT_EQ(lines("(x: [1025]f32): [1024]f32 = x |> drop(1) |> mapGlb(0, e => 2.0 * e)"), 2);
}

/// Vectors of 8 floats, and lines of 16.
TEST_F(Structures, OnCpusAreSeenByTheirLanesAndLines) {
  const target::Machine cpu = target::usual_machine(target::Processor::Cpu);
  EXPECT_EQ(lines("(x: [1024]f32): [1024]f32 = x |> mapGlb(0, e => 2.0 * e)", cpu), 1);
  EXPECT_EQ(lines("(x: [1024]f32): [512]f32 = x |> split(2) |> mapGlb(0, pair => 2.0 * pair[0])", cpu), 1)
      << "eight of every second element are in one line";
  EXPECT_EQ(lines("(x: [64][512]f32): [64]f32 = x |> mapGlb(0, row => row |> reduceSeq(+, 0.0))", cpu), 8);
}

TEST_F(Structures, OnOtherGpusAreSeenByTheirLines) {
  target::Machine machine;
  machine.line_bytes = 64;
  // Elements 1 to 32 are in three lines of 16, and need two.
  EXPECT_EQ(lines("(x: [1025]f32): [1024]f32 = x |> drop(1) |> mapGlb(0, e => 2.0 * e)", machine), 1.5);
}

TEST_F(Structures, TheWorstAccessCounts) {
  EXPECT_EQ(lines("(x: [1024]f32, y: [8192]f32): [1024]f32 =\n"
                  "  zip(x, y |> split(8)) |> mapGlb(0, (e, row) => e * row[0])"),
            8);
  // Stores too.
  EXPECT_EQ(lines("(x: [64]f32): [64][32]f32 = x |> mapGlb(0, e => fill(32, e) |> mapSeq(id))"), 32);
}

TEST_F(Structures, IndicesThatOnlyTheRunKnowsSayNothing) {
  EXPECT_EQ(lines("(x: [1024]f32, places: [64]i32): [64]f32 = places |> mapGlb(0, i => x |> at(i))"), 1);
}

const auto copied_tiles = [](const std::string& copy) {
  return "def f(x: [64][64]f32): [64][64]f32 = x |> split(16) |> mapWrg(1, rows =>\n"
         "  rows |> map(split(16)) |> transpose |> mapWrg(0, tile =>\n"
         "    tile |> " +
         copy +
         " |> toLocal |> transpose |> mapLcl(1, mapLcl(0, id)))\n"
         "  |> join |> transpose) |> join |> transpose";
};

TEST_F(Structures, CopiesIntoLocalMemoryAreToldFromOtherAccesses) {
  const Structure rows = structure(copied_tiles("mapLcl(1, mapLcl(0, id))"));
  EXPECT_EQ(rows.kernels, 1U);
  EXPECT_EQ(rows.group_size, 256);
  EXPECT_EQ(rows.local_memory, 1024);
  EXPECT_EQ(rows.barriers, 1U);
  EXPECT_EQ(rows.loops, 0U);
  EXPECT_EQ(rows.branches, 0U);
  EXPECT_EQ(rows.global_loads, 1U);
  EXPECT_EQ(rows.local_stores, 1U);
  EXPECT_EQ(rows.local_loads, 1U);
  EXPECT_EQ(rows.global_stores, 1U);
  // A warp's 32 elements are halves of two rows of 64: two lines where one would do. It writes as many.
  EXPECT_EQ(rows.copy_lines, 2);
  EXPECT_EQ(rows.access_lines, 2);
  // By columns a warp reads two neighbours of each of 16 rows.
  const Structure columns = structure(copied_tiles("transpose |> mapLcl(1, mapLcl(0, id)) |> transpose"));
  EXPECT_EQ(columns.copy_lines, 16);
  EXPECT_EQ(columns.access_lines, 2);
}

TEST_F(Structures, WithoutCopiesThereAreNoLinesOfThem) {
  EXPECT_EQ(structure("def f(x: [1024]f32): [1024]f32 = x |> mapGlb(0, e => 2.0 * e)").copy_lines, 0);
}

/// What a copy touches is told before loops are unrolled: marked loops, whose iterations begin at other
/// places of a line, and loops over arrays of the work-item's own, which are unrolled for it after all.
TEST_F(Structures, CopiesAreToldWithoutUnrolling) {
  for (const char* text : {
           "def f(x: [64][65]f32): [64][65]f32 = x |> mapWrg(0, row =>"
           "  let tile = toLocal(row |> split(13) |> mapLcl(0, mapSeqUnroll(id)) |> join) in"
           "  tile |> mapLcl(0, e => 2.0 * e))",
           "def f(x: [64][64]f32): [64][64]f32 = x |> mapWrg(0, row =>"
           "  let tile = toLocal(row |> split(8) |> transpose |> mapLcl(0, mapSeqUnroll(id)) |> transpose |> "
           "join)"
           "  in tile |> mapLcl(0, e => 2.0 * e))",
           "def f(x: [64][64]f32): [64][64]f32 = x |> mapWrg(0, row =>"
           "  let tile = toLocal(row |> split(8) |> mapLcl(0, part =>"
           "    let own = toPrivate(part |> mapSeq(id)) in own |> mapSeq(id)) |> join)"
           "  in tile |> mapLcl(0, e => 2.0 * e))",
       }) {
    const auto lines = copy_lines_of(testing_support::program_of(text), {});
    ASSERT_TRUE(lines) << text;
    EXPECT_EQ(*lines, structure(text).copy_lines) << text;
  }
}

TEST_F(Structures, LoopsAndKernelsAreCounted) {
  const Structure s = structure(
      "def f(x: [64][512]f32): f32 = x |> mapGlb(0, row => row |> reduceSeq(+, 0.0)) |> reduceSeq(+, 0.0)");
  EXPECT_EQ(s.kernels, 2U);
  EXPECT_EQ(s.loops, 2U);
  EXPECT_EQ(s.global_loads, 2U);
  EXPECT_EQ(s.global_stores, 2U);
  EXPECT_EQ(s.local_memory, 0);
  EXPECT_EQ(s.barriers, 0U);
}

TEST_F(Structures, TheKernelThatTakesMostCounts) {
  const Structure s = structure(
      "def f(x: [1024]f32): [1024]f32 = x\n"
      "  |> split(64) |> mapWrg(0, t => t |> mapLcl(0, e => 2.0 * e) |> toLocal |> reverse |> mapLcl(0, id)) "
      "|> join\n"
      "  |> split(16) |> mapWrg(0, t => t |> mapLcl(0, e => 2.0 * e) |> toLocal |> reverse |> mapLcl(0, id)) "
      "|> join");
  EXPECT_EQ(s.kernels, 2U);
  EXPECT_EQ(s.group_size, 64);
  EXPECT_EQ(s.local_memory, 256);
}

}  // namespace
}  // namespace hoist::variants
