// reduceByKeySeq, reduceByKeyLcl and reduceByKeyGlb against the reference, and what they are made of.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class KeyedReduction : public Lowering {
 protected:
  void expect_right_in_groups(const std::string& text) {
    expect_right(text);
    for (const std::array<std::int64_t, 3>& local :
         {std::array<std::int64_t, 3>{1, 1, 1}, {5, 1, 1}, {32, 1, 1}, {8, 4, 1}}) {
      SCOPED_TRACE(testing::PrintToString(local));
      expect_right(text, launched(local, {2 * local[0], local[1], local[2]}));
    }
  }
};

TEST_F(KeyedReduction, ByOneWorkItem) {
  expect_right("def p(x: [40]f32, k: [40]i32) = x |> reduceByKeySeq(+, fill(5, 1.0), k)");
  expect_right("def p(x: [40]f32, k: [40]i32) = x |> reduceByKey((a, b) => 0.5 * a - b, fill(5, 1.0), k)");
  expect_right(
      "def p(x: [4][10]f32, k: [4][10]i32) = zip(x, k)\n"
      "  |> mapGlb((row, keys) => row |> reduceByKeySeq(+, fill(3, 0.0), keys))");
  expect_right(
      "def p(x: [3][10]f32, k: [3][10]i32) = zip(x, k)\n"
      "  |> mapWrg(0, (row, keys) => row |> reduceByKeySeq(+, fill(3, 0.0), keys) |> mapLcl(id))");
}

TEST_F(KeyedReduction, OfWhatFollowsAndPrecedes) {
  expect_right(
      "def p(x: [4][10]f32) = x |> mapGlb(row => row |> map(e => 2.0 * e)\n"
      "  |> reduceByKeySeq(+, fill(3, 0.0), iota(10) |> map(i => i % 4)) |> reverse |> reduceSeq((a, b) => "
      "0.5 * a + b, 0.0))");
  expect_right(
      "def p(x: [30]i32) = x |> reduceByKeySeq(max, fill(6, -100), iota(30) |> map(i => 7 * i % 11)) |> "
      "reverse");
}

TEST_F(KeyedReduction, StateThatIsATupleOrAnArray) {
  expect_right(
      "def p(x: [40]f32, k: [40]i32) = zip(x, k)\n"
      "  |> reduceByKeySeq(((a, b), (e, i)) => (b + e, a), fill(4, (0.0, 1.0)), k)");
  expect_right(
      "def p(x: [20][3]f32, k: [20]i32) = x\n"
      "  |> reduceByKeySeq((a, b) => zip(reverse(a), b) |> map(+), fill(4, fill(3, 0.0)), k)");
}

TEST_F(KeyedReduction, ByTheWorkItemsOfAGroup) {
  expect_right_in_groups(
      "def p(x: [3][40]i32, k: [3][40]i32) = zip(x, k)\n"
      "  |> mapWrg(0, (row, keys) => row |> reduceByKeyLcl(0, +, fill(7, 2), keys))");
  // What each group reads of all bins comes after its last update.
  expect_right_in_groups(
      "def p(x: [3][40]i32, k: [3][40]i32) = zip(x, k)\n"
      "  |> mapWrg(0, (row, keys) => row |> reduceByKeyLcl(0, max, fill(7, -5), keys) |> reverse\n"
      "    |> mapLcl(0, e => e * 2))");
  EXPECT_EQ(
      barriers_in(plan_of("def p(x: [3][40]i32, k: [3][40]i32) = zip(x, k)\n"
                          "  |> mapWrg(0, (row, keys) => row |> reduceByKeyLcl(0, +, fill(7, 2), keys))")),
      2U)
      << "after the start and before the end, none between updates";
}

TEST_F(KeyedReduction, ByAllWorkItems) {
  expect_right_in_groups("def p(x: [40]f32, k: [40]i32, s: [7]f32) = x |> reduceByKeyGlb(0, +, s, k)");
  expect_right_in_groups(
      "def p(x: [40]f32, k: [40]i32, s: [90]i64) = zip(x, k)\n"
      "  |> reduceByKeyGlb(0, (a, (e, i)) => i64(i) + a, s, k)");
  expect_right_in_groups("def p(x: [40]u32, k: [40]i32, s: [7]u32) = x |> reduceByKeyGlb(0, bit_and, s, k)");
  expect_right("def p(x: [40]u32, k: [40]i32, s: [7]u32) = x |> reduceByKeyGlb(0, bit_and, s, k) |> reverse");
  EXPECT_THAT(loops_of("def p(x: [40]f32, k: [40]i32, s: [7]f32) = x |> reduceByKeyGlb(0, +, s, k)"),
              HasSubstr("atomic(add) out[k_1] = x[j];"));
}

// Keys that are known to be in range need no test; others have one, and are not taken for indices where they
// may wrap.
TEST_F(KeyedReduction, KeysOutsideAreDropped) {
  EXPECT_THAT(loops_of("def p(x: [40]f32) = x |> reduceByKeyGlb(0, +, fill(50, 0.0), iota(40))"),
              Not(HasSubstr("if (")));
  EXPECT_THAT(loops_of("def p(x: [40]f32, k: [40]i32) = x |> reduceByKeyGlb(0, +, fill(50, 0.0), k)"),
              HasSubstr("if (index_i32(0) <= key && key < index_i32(50))"));
  expect_right("def p(x: [40]f32) = x |> reduceByKeyGlb(0, +, fill(50, 0.0), iota(40) |> map(i => i - 5))");
  expect_right(
      "def p(x: [40]f32) = x |> reduceByKeySeq(+, fill(50, 0.0), iota(40) |> map(i => i * 2000000000))");
}

TEST_F(KeyedReduction, OperatorsWithoutAtomicUpdates) {
  EXPECT_THAT(
      message_of(
          "def p(x: [40]f32, k: [40]i32) = x |> reduceByKeyGlb(0, (a, b) => a * b + 1.0, fill(5, 0.0), k)"),
      AllOf(HasSubstr("reduceByKeyGlb needs atomic updates"), HasSubstr("use reduceByKeySeq")));
  EXPECT_THAT(message_of("def p(x: [40]u8, k: [40]i32) = x |> reduceByKeyGlb(0, +, fill(5, 0u8), k)"),
              HasSubstr("devices have no atomic add of u8"));
  EXPECT_THAT(
      message_of(
          "def p(x: [3][4]f32, k: [4]i32) = x |> mapGlb(r => r |> reduceByKeyGlb(1, +, fill(5, 0.0), k))"),
      HasSubstr("reduceByKeyGlb inside a kernel"));
}

}  // namespace
}  // namespace hoist::lower
