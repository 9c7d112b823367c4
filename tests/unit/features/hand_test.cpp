// Features of small programs, against what one counts by hand: the papers' examples, and estimates that no
// run shows. Warps have 32 work-items, lines 128 bytes, sectors 32.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "features/features.hpp"
#include "support/executed.hpp"
#include "unit/loop/programs.hpp"

namespace hoist::features {
namespace {

using Values = std::map<std::string_view, double>;

class ByHand : public testing::Test {
 protected:
  ir::Arena arena;
  target::Target target;

  Values of(const loop::Plan& plan) const {
    const std::vector<double> values = features_of(plan, target);
    Values result;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string_view name = schema(target.machine.processor).features[i].name;
      EXPECT_TRUE(std::isfinite(values[i])) << name;
      result[name] = values[i];
    }
    return result;
  }
  /// By name, of a text in low-level patterns.
  Values of(const std::string& text) const {
    const auto plan = lower::lower(testing_support::program_of(text));
    if (!plan) throw std::runtime_error(plan.error().render() + "\n" + text);
    return of(*plan);
  }
  /// Of one kernel over x and out, 1024 f32 each, and a tile in local memory, by 16 groups of 64.
  Values of_body(const std::string& body) const {
    return of(
        loop::parsed("plan f {\n  input x: global f32[1024];\n  output out: global f32[1024];\n"
                     "  kernel f(read x: global f32[1024], write out: global f32[1024])\n"
                     "    launch global [1024, 1, 1] local [64, 1, 1] index i32 {\n"
                     "    allocate tile: local f32[2048];\n" +
                     body + "  }\n  steps {\n    launch f;\n  }\n}\n"));
  }
};

TEST_F(ByHand, SchemasHaveDifferentNames) {
  for (const target::Processor processor : target::all_processors) {
    std::set<std::string_view> names;
    for (const Definition& each : schema(processor).features) {
      EXPECT_TRUE(names.insert(each.name).second) << each.name;
      EXPECT_FALSE(each.unit.empty() || each.group.empty() || each.source.empty() || each.meaning.empty());
    }
    EXPECT_FALSE(schema(processor).name.empty());
  }
}

// Listing 3: 2 N loads from and N stores to global memory, N of each with local memory.
TEST_F(ByHand, AccessesOfListing3) {
  const Values f =
      of("def f(x: [1024]f32, y: [1024]f32): [1024]f32 = zip(x, y) |> split(64) |> mapWrg(0, chunk =>\n"
         "  chunk |> mapLcl(0, (a, b) => a + b) |> toLocal |> mapLcl(0, e => 2.0 * e)) |> join");
  const double items = f.at("work_items");
  EXPECT_EQ(items, 1024);
  EXPECT_EQ(f.at("global_loads") * items, 2 * 1024);
  EXPECT_EQ(f.at("global_stores") * items, 1024);
  EXPECT_EQ(f.at("local_loads") * items, 1024);
  EXPECT_EQ(f.at("local_stores") * items, 1024);
  EXPECT_EQ(f.at("local_memory"), 256);
  EXPECT_EQ(f.at("local_size_0"), 64);
  EXPECT_EQ(f.at("float_add"), 1);
  EXPECT_EQ(f.at("float_multiply"), 1);
  EXPECT_EQ(f.at("estimated"), 0);
}

// Listing 4: work-items read rows of so many elements; the first of a warp's are as far apart. The paper's
// list for rows of 4 has eight lines: those of 16 words. Of 32 words, its line size, it would be four.
TEST_F(ByHand, LinesOfListing4) {
  const auto lines = [&](int row) {
    return of("def f(x: [8192]f32): [8192]f32 = x |> split(" + std::to_string(row) +
              ") |> mapGlb(0, row => row |> mapSeq(e => 2.0 * e)) |> join")
        .at("lines_per_access");
  };
  EXPECT_EQ(lines(1), 1);
  EXPECT_EQ(lines(4), 4);
  EXPECT_EQ(lines(8), 8);
  EXPECT_EQ(lines(32), 32);
  EXPECT_EQ(lines(64), 32);
  target.machine.line_bytes = 64;
  EXPECT_EQ(lines(4), 8);
}

TEST_F(ByHand, ClassesAndWidths) {
  const Values uniform = of("def f(x: [8]f32, y: [1024]f32): [1024]f32 = y |> mapGlb(0, e => e * x[3])");
  EXPECT_DOUBLE_EQ(uniform.at("uniform_accesses"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(uniform.at("dense_accesses"), 2.0 / 3);
  EXPECT_EQ(uniform.at("global_load_width"), 4);
  const Values strided =
      of("def f(x: [8192]f32): [1024]f32 = x |> split(8) |> mapGlb(0, row => 2.0 * row[0])");
  EXPECT_DOUBLE_EQ(strided.at("strided_accesses"), 0.5);
  // A sector of eight floats for each work-item, and four sectors for a warp's stores.
  EXPECT_DOUBLE_EQ(strided.at("load_sectors"), 1);
  EXPECT_DOUBLE_EQ(strided.at("store_sectors"), 4.0 / 32);
  const Values wide =
      of("def f(x: [1024]f32): [1024]f32 = x |> asVector(4) |> mapGlb(0, e => e + e) |> asScalar");
  EXPECT_EQ(wide.at("global_load_width"), 16);
  EXPECT_EQ(wide.at("global_store_width"), 16);
  EXPECT_EQ(wide.at("float_add"), 4);
  EXPECT_DOUBLE_EQ(wide.at("sector_use"), 1);
}

TEST_F(ByHand, PlacesThatOnlyTheRunKnows) {
  const Values f = of("def f(x: [1024]f32, places: [64]i32): [64]f32 = places |> mapGlb(0, i => x |> at(i))");
  EXPECT_DOUBLE_EQ(f.at("unknown_accesses"), 1.0 / 3);
  EXPECT_GT(f.at("estimated"), 0);
  EXPECT_DOUBLE_EQ(f.at("lines_per_access"), (1 + 32 + 1) / 3.0);
}

TEST_F(ByHand, Edges) {
  // Elements at the ends are read twice, which changes no count; lines are those of the inside.
  const Values clamped =
      of("def f(x: [1024]f32): [1024]f32 = x |> pad(1, 1, clamp) |> slide(3, 1) |> mapGlb(0, w => w[0] + "
         "w[1] + w[2])");
  EXPECT_EQ(clamped.at("global_loads"), 3);
  EXPECT_EQ(clamped.at("lines_per_access"), 1);
  EXPECT_EQ(clamped.at("compulsory_bytes"), 2 * 4096);
  // Of a value outside two loads are left out.
  const Values valued =
      of("def f(x: [1024]f32): [1024]f32 = x |> pad(1, 1, 0.0) |> slide(3, 1) |> mapGlb(0, w => w[0] + w[1] "
         "+ w[2])");
  EXPECT_DOUBLE_EQ(valued.at("global_loads") * valued.at("work_items"), 3 * 1024 - 2);
  EXPECT_EQ(valued.at("estimated"), 0);
}

constexpr const char* row_loops =
    "    for wg in group(0) [0, 16) step 1 : exactly_once {\n"
    "      for l in local(0) [0, 64) step 1 : exactly_once {\n";

TEST_F(ByHand, BankConflicts) {
  const auto passes = [&](const std::string& index) {
    const Values f =
        of_body(row_loops + std::string("        tile[") + index + "] = x[64*wg + l];\n      }\n    }\n");
    EXPECT_DOUBLE_EQ(f.at("store_passes"), f.at("bank_conflicts") / 32);
    return f.at("bank_conflicts");
  };
  EXPECT_EQ(passes("l"), 1);
  EXPECT_EQ(passes("2*l"), 2);
  EXPECT_EQ(passes("3*l"), 1);
  EXPECT_EQ(passes("32*l"), 32);
  EXPECT_EQ(passes("33*(l % 32)"), 1);
  EXPECT_EQ(passes("l / 8"), 1);  // a word that several want is read once
}

TEST_F(ByHand, LinesOfGroupsAndAll) {
  const Values f = of(
      "def f(x: [1024]f32): [1024]f32 = x |> pad(1, 1, clamp) |> slide(3, 1) |> split(64) |> mapWrg(0, t =>\n"
      "  t |> mapLcl(0, w => w[0] + w[1] + w[2])) |> join");
  // 66 elements are read, 64 written: three lines and two.
  EXPECT_EQ(f.at("group_bytes"), 5 * 128);
  EXPECT_EQ(f.at("groups_bytes"), 16 * 5 * 128);
  EXPECT_EQ(f.at("compulsory_bytes"), 2 * 4096);
  EXPECT_DOUBLE_EQ(f.at("group_overlap"), 16.0 * 5 * 128 / 8192);
  EXPECT_DOUBLE_EQ(f.at("group_reuse"), 1024.0 * 16 / (16 * 5 * 128));
  EXPECT_EQ(f.at("input_bytes"), 4096);
  EXPECT_EQ(f.at("output_bytes"), 4096);
  EXPECT_EQ(f.at("flops"), 2048);
  EXPECT_DOUBLE_EQ(f.at("flops_per_byte"), 2.0 / 16);
}

TEST_F(ByHand, WavesAndOccupancy) {
  target.machine.compute_units = 2;
  target.machine.groups_per_unit = 3;
  const std::string body =
      row_loops + std::string("        out[64*wg + l] = x[64*wg + l];\n      }\n    }\n");
  Values f = of_body(body);
  EXPECT_EQ(f.at("groups_per_unit"), 3);
  EXPECT_DOUBLE_EQ(f.at("occupancy"), 3 * 64 / 2048.0);
  EXPECT_DOUBLE_EQ(f.at("waves"), 16 / 6.0);
  EXPECT_DOUBLE_EQ(f.at("wave_fill"), 16 / 6.0 / 3);
  // 6 groups of 64, read and written.
  EXPECT_EQ(f.at("wave_bytes"), 2 * 6 * 256);
  target.machine.groups_per_unit = 32;
  target.machine.local_bytes_per_unit = 5 * 8192;  // the tile has 8192
  f = of_body(body);
  EXPECT_EQ(f.at("groups_per_unit"), 5);
  target.machine.registers_per_unit = 16 * 64 * 2;  // 16 registers are the least
  EXPECT_EQ(of_body(body).at("groups_per_unit"), 2);
  EXPECT_EQ(f.at("warp_fill"), 1);
}

TEST_F(ByHand, ChainsOfTheInnerLoop) {
  const Values f =
      of_body(row_loops + std::string("        var acc: f32 = 0.0;\n"
                                      "        for i in sequential [0, 16) step 1 unroll_by 4 {\n"
                                      "          let a: f32 = x[64*wg + i];\n"
                                      "          acc = acc + a * a;\n"
                                      "        }\n"
                                      "        out[64*wg + l] = acc;\n      }\n    }\n"));
  EXPECT_EQ(f.at("inner_operations"), 2);
  EXPECT_EQ(f.at("inner_loads"), 1);
  EXPECT_EQ(f.at("inner_depth"), 3);    // load, multiply, add
  EXPECT_EQ(f.at("inner_carried"), 1);  // the addition waits for the one before
  EXPECT_EQ(f.at("inner_parallelism"), 3);
  EXPECT_EQ(f.at("inner_trips"), 16);
  EXPECT_EQ(f.at("inner_unroll"), 4);
  EXPECT_EQ(f.at("loop_bodies"), 16);
  EXPECT_EQ(f.at("loop_branches"), 4);
  EXPECT_EQ(f.at("contracted"), 16);
  // acc, a and the counter, and one intermediate result.
  EXPECT_EQ(f.at("live_values"), 4);
}

TEST_F(ByHand, LaunchesOfRepeatedKernels) {
  const Values f = of(loop::parsed(
      "plan f {\n  input x: global f32[1024];\n  output out: global f32[1024];\n"
      "  temporary t: global f32[1024];\n"
      "  kernel f(read t: global f32[1024], write out: global f32[1024])\n"
      "    launch global [1024, 1, 1] local [64, 1, 1] index i32 {\n"
      "    for g in global(0) [0, 1024) step 1 : exactly_once {\n"
      "      out[g] = t[g] + 1.0;\n    }\n  }\n"
      "  steps {\n    copy x to t;\n    repeat (5) exchange t, out {\n      launch f;\n    }\n  }\n}\n"));
  EXPECT_EQ(f.at("launches"), 5);
  EXPECT_EQ(f.at("work_items"), 5 * 1024);
  EXPECT_EQ(f.at("global_loads"), 1);
  EXPECT_EQ(f.at("flops"), 5 * 1024);
  EXPECT_EQ(f.at("copied_bytes"), 4096);
  EXPECT_EQ(f.at("temporary_bytes"), 4096);
  EXPECT_DOUBLE_EQ(f.at("launch_seconds"), 5 * target.machine.launch_seconds);
}

TEST_F(ByHand, ConditionsOnData) {
  const Values f =
      of_body(row_loops + std::string("        let a: f32 = x[64*wg + l];\n"
                                      "        if (a < 0.0) {\n          out[64*wg + l] = a;\n        }\n"
                                      "        let b: f32 = select(a < 1.0, x[l], 0.0);\n"
                                      "        tile[l] = b;\n      }\n    }\n"));
  EXPECT_EQ(f.at("estimated"), 2);
  EXPECT_EQ(f.at("global_stores"), 0.5);
  EXPECT_EQ(f.at("global_loads"), 2);  // both sides of the choice
  EXPECT_EQ(f.at("ifs"), 1);
  // What reports a fault of the input does not happen.
  const Values check =
      of_body(row_loops + std::string("        let a: f32 = x[64*wg + l];\n"
                                      "        if (a < 0.0) {\n          out[0] = 1.0;\n        }\n"
                                      "      }\n    }\n"));
  EXPECT_EQ(check.at("global_stores"), 0);
}

TEST_F(ByHand, TheRooflineOfACopy) {
  target.machine.l2_bytes = 1024;
  const Values f =
      of_body(row_loops + std::string("        out[64*wg + l] = x[64*wg + l];\n      }\n    }\n"));
  EXPECT_EQ(f.at("memory_bytes"), 8192);
  EXPECT_DOUBLE_EQ(f.at("memory_seconds"), 8192 / target.machine.memory_bytes_per_second);
  // 64 lines, one a cycle on each of 16 units.
  EXPECT_DOUBLE_EQ(f.at("l1_seconds"), 4 / target.machine.cycles_per_second);
  EXPECT_GE(f.at("roofline_seconds"), f.at("launch_seconds") + f.at("memory_seconds"));
}

}  // namespace
}  // namespace hoist::features
