// What a block reads of memory that it overwrites in place: too late, or in time.
#include "lower/late_reads.hpp"

#include "unit/loop/programs.hpp"

namespace hoist::lower {
namespace {

class LateReads : public testing::Test {
 protected:
  /// Whether A, which the body overwrites, is read late.
  static bool are_late(const std::string& body, bool by_many) {
    const loop::Plan plan = loop::parsed(loop::one_kernel(
        "size N; output A: global i32[N]; output B: global i32[N];",
        "write A: global i32[N], write B: global i32[N], size N", "global [N, 1, 1] local [1, 1, 1]",
        "for g in global(0) [0, N) step 1 { " + body + " }"));
    const loop::Buffer* a = plan.outputs.at(0).get();
    return read_late(plan.kernels.at(0).body, {a}, by_many).contains(a);
  }
};

TEST_F(LateReads, AnElementMayBeReadBeforeItIsWritten) {
  for (bool by_many : {false, true}) {
    EXPECT_FALSE(are_late("let v: i32 = A[g]; A[g] = v + 1;", by_many));
    EXPECT_TRUE(are_late("A[g] = 1; B[g] = A[g];", by_many));
    EXPECT_TRUE(are_late("let v: i32 = A[g]; A[g] = v + 1; B[g] = A[g] + v;", by_many));
  }
}

TEST_F(LateReads, OthersElementsOnlyWhileNobodyWrites) {
  const std::string before = "let v: i32 = A[N - 1 - g]; let w: i32 = A[g]; A[g] = v + w;";
  EXPECT_TRUE(are_late(before, true));
  EXPECT_TRUE(are_late("let w: i32 = A[g]; A[g] = w; B[g] = A[N - 1 - g];", true));
  EXPECT_TRUE(are_late("let w: i32 = A[g]; A[g] = w; B[g] = A[N - 1 - g];", false));
}

TEST_F(LateReads, WhatIsWrittenTwiceIsNeverInTime) {
  EXPECT_TRUE(are_late("let v: i32 = A[g]; A[g] = v; A[g] = 2;", false));
}

}  // namespace
}  // namespace hoist::lower
