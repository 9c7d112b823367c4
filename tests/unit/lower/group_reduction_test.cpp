// reduceLcl: by shuffles inside warps where the target has them, through local memory elsewhere; both against
// the reference.
#include "target/kinds.hpp"
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Options with_warps(Options options = {}) {
  options.target = target::any_device(target::Language::Cuda);
  return options;
}

class GroupReduction : public Lowering {
 protected:
  static std::size_t shuffles_in(const loop::Plan& plan) {
    std::size_t count = 0;
    for (const loop::Kernel& kernel : plan.kernels) {
      loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
        count += std::holds_alternative<loop::Shuffle>(value->node);
      });
    }
    return count;
  }

  /// In both forms, in the launch that follows from the program and in groups of other lengths.
  void expect_right_in_groups(const std::string& text,
                              const std::vector<std::array<std::int64_t, 3>>& lengths) {
    expect_right(text);
    expect_right(text, with_warps());
    for (const std::array<std::int64_t, 3>& local : lengths) {
      SCOPED_TRACE(testing::PrintToString(local));
      const Options options = launched(local, {2 * local[0], local[1], local[2]});
      expect_right(text, options);
      expect_right(text, with_warps(options));
    }
  }
};

std::string sums(const std::string& x, const std::string& reduction) {
  return "def p(x: " + x + ") = x |> mapWrg(0, row => row |> " + reduction + ")";
}

TEST_F(GroupReduction, SumsOfRows) {
  for (const int length : {1, 31, 32, 64, 100, 256, 300}) {
    SCOPED_TRACE(length);
    expect_right_in_groups(sums("[3][" + std::to_string(length) + "]f32", "reduceLcl(0, +, 0.0)"),
                           {{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {5, 1, 1}, {1, 1, 1}});
  }
}

TEST_F(GroupReduction, ExtremaOfIntegers) {
  expect_right_in_groups(sums("[3][70]i32", "reduceLcl(0, max, -2147483648)"),
                         {{32, 1, 1}, {64, 1, 1}, {7, 1, 1}});
  expect_right_in_groups(sums("[3][70]u8", "reduceLcl(0, min, 255)"), {{32, 1, 1}, {64, 1, 1}, {7, 1, 1}});
}

// What is no neutral element is combined once.
TEST_F(GroupReduction, StartsWithAnyValue) {
  expect_right_in_groups(sums("[2][64]i32", "reduceLcl(0, +, 1000)"),
                         {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {9, 1, 1}});
  const std::string text = sums("[2][64]i32", "reduceLcl(0, +, 1000)");
  EXPECT_EQ(shuffles_in(plan_of(text, with_warps())), 5U);
  EXPECT_EQ(shuffles_in(plan_of(text, with_warps(launched({128, 1, 1}, {256, 1, 1})))), 0U)
      << "half of the work-items have nothing to exchange";
  EXPECT_EQ(shuffles_in(plan_of(sums("[2][64]i32", "reduceLcl(0, +, 0)"),
                                with_warps(launched({128, 1, 1}, {256, 1, 1})))),
            5U);
}

TEST_F(GroupReduction, TuplesAndVectors) {
  expect_right_in_groups(
      "def p(x: [3][80]f32, k: [3][80]i32) = zip(x, k) |> mapWrg(0, (u, v) => zip(u, v)\n"
      "  |> reduceLcl(0, ((s, m), (a, b)) => (s + a, max(m, b)), (0.0, -2147483648)))",
      {{32, 1, 1}, {64, 1, 1}, {24, 1, 1}});
  expect_right_in_groups(sums("[3][320]f32", "asVector(4) |> reduceLcl(0, +, broadcast(4, 0.0))"),
                         {{32, 1, 1}, {64, 1, 1}, {24, 1, 1}});
}

// The largest and the first place of it: the claims are the program's.
TEST_F(GroupReduction, PlaceOfTheLargest) {
  const std::string text =
      "def better((a, i): (f32, i32), (b, j): (f32, i32)): (f32, i32) =\n"
      "  if a > b || (a == b && i < j) then (a, i) else (b, j)\n"
      "def p(x: [3][96]f32) = x |> mapWrg(0, row => zip(row, generate(96, i => i))\n"
      "  |> reduceLcl(0, associative(commutative(better)), (-inf, 2147483647)))";
  expect_right_in_groups(text, {{32, 1, 1}, {96, 1, 1}, {128, 1, 1}, {10, 1, 1}});
  EXPECT_EQ(shuffles_in(plan_of(text, with_warps())), 10U);
}

TEST_F(GroupReduction, OfWhatMapsLeave) {
  for (const std::string space : {"toLocal", "toPrivate"}) {
    expect_right_in_groups(
        sums("[3][64]f32", "mapLcl(0, e => 2.0 * e) |> " + space + " |> reduceLcl(0, +, 0.0)"),
        {{32, 1, 1}, {64, 1, 1}, {20, 1, 1}});
  }
}

TEST_F(GroupReduction, EveryWorkItemGetsTheResult) {
  const std::string text =
      "def p(x: [3][64]f32) = x |> mapWrg(0, row =>\n"
      "  let total = row |> reduceLcl(0, +, 0.0) in row |> mapLcl(0, e => e - total * 0.015625))";
  expect_right_in_groups(text, {{32, 1, 1}, {64, 1, 1}, {20, 1, 1}});
}

TEST_F(GroupReduction, OneAfterAnother) {
  expect_right_in_groups(
      "def p(x: [2][3][64]f32) = x |> mapWrg(0, plane => plane\n"
      "  |> reduceSeq((acc, row) => acc + (row |> reduceLcl(0, max, -inf)), 0.0))",
      {{32, 1, 1}, {64, 1, 1}, {20, 1, 1}});
}

// A row of work-items for each row of the array, and for all rows together.
TEST_F(GroupReduction, GroupsOfTwoDimensions) {
  const std::string rows =
      "def p(x: [2][4][64]f32) = x |> mapWrg(0, plane => plane |> mapLcl(1, row => row |> reduceLcl(0, +, "
      "0.0)))";
  expect_right_in_groups(rows, {{32, 4, 1}, {64, 2, 1}, {32, 3, 1}, {64, 8, 1}, {20, 3, 1}});
  EXPECT_EQ(barriers_in(plan_of(rows, with_warps(launched({32, 3, 1}, {64, 3, 1})))), 0U)
      << "a warp for a row";
  EXPECT_EQ(shuffles_in(plan_of(rows, with_warps(launched({16, 4, 1}, {32, 4, 1})))), 0U)
      << "two rows in a warp";
  expect_right_in_groups(
      "def p(x: [2][4][64]f32) = x |> mapWrg(0, plane => plane |> join |> reduceLcl(0, +, 0.0))",
      {{32, 4, 1}, {64, 2, 3}, {20, 3, 1}});
  expect_right_in_groups(
      "def p(x: [2][4][64]f32) = x |> mapWrg(0, plane => plane |> transpose\n"
      "  |> mapLcl(0, column => column |> reduceLcl(1, +, 0.0)))",
      {{32, 4, 1}, {64, 2, 1}, {20, 3, 1}});
}

TEST_F(GroupReduction, WithoutAGroupAround) {
  expect_right_in_groups("def p(x: [500]f32) = x |> reduceLcl(0, +, 0.0)", {});
  expect_right_in_groups("def p(x: [500]f32) = x |> mapGlb(0, e => e * e) |> reduceLcl(0, +, 0.0)", {});
}

TEST_F(GroupReduction, SizesThatAreNotKnown) {
  const std::string text = "def p(x: [M][N]f32) = x |> mapWrg(0, row => row |> reduceLcl(0, +, 0.0))";
  EXPECT_EQ(shuffles_in(plan_of(text, with_warps())), 5U);
  EXPECT_EQ(shuffles_in(plan_of(text)), 0U);
}

TEST_F(GroupReduction, IsSwitchable) {
  const std::string text = sums("[2][64]f32", "reduceLcl(0, +, 0.0)");
  Options options = with_warps();
  EXPECT_EQ(barriers_in(plan_of(text, options)), 1U);
  ASSERT_TRUE(disable_pass(options, "warp-shuffles"));
  EXPECT_EQ(shuffles_in(plan_of(text, options)), 0U);
  EXPECT_GT(barriers_in(plan_of(text, options)), 5U);
  for (const std::string& pass : optional_passes()) {
    SCOPED_TRACE(pass);
    Options without = with_warps();
    ASSERT_TRUE(disable_pass(without, pass));
    expect_right(text, without);
    expect_right(sums("[2][70]i32", "reduceLcl(0, +, 3)"), without);
    without.local_size = launched({32, 1, 1}, {64, 1, 1}).local_size;
    expect_right(sums("[2][96]i32", "mapLcl(0, e => e + 1) |> toPrivate |> reduceLcl(0, +, 0)"), without);
  }
}

TEST_F(GroupReduction, SaysWhatItCannotDo) {
  EXPECT_THAT(
      message_of(sums("[2][64]f32", "reduceLcl(0, (a, b) => a - b, 0.0)")),
      AllOf(HasSubstr("the operator of reduceLcl is not known to be associative"), HasSubstr("reduceSeq")));
  EXPECT_THAT(message_of(sums("[2][64]f32", "reduceLcl(0, associative((a, b) => b), 0.0)")),
              HasSubstr("not known to be commutative"));
  EXPECT_THAT(message_of("def p(x: [2][4][64]f32) = x |> mapWrg(0, plane => plane |> mapLcl(0, row => row |> "
                         "reduceLcl(0, +, 0.0)))"),
              HasSubstr("reduceLcl(0, ...) inside mapLcl(0, ...)"));
  EXPECT_THAT(message_of("def p(x: [2][4][64]f32) = x |> mapWrg(0, plane => plane\n"
                         "  |> reduceLcl(0, associative(commutative((a, b) => zip(a, b) |> map((u, v) => u + "
                         "v))), fill(64, 0.0)))"),
              HasSubstr("reduceLcl of arrays"));
}

}  // namespace
}  // namespace hoist::lower
