// Tests of indices in sums do not keep vector instructions from them.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Sums of elements whose indices are data, a row of 100 indices for each of 64.
std::string sums(const std::string& test, const std::string& loop = "reorderable") {
  return host_text(one_kernel(
      "input x: global f32[512]; input k: global i32[6400]; output y: global f32[64]; temporary told: global "
      "i32[1];",
      "read x: global f32[512], read k: global i32[6400], write y: global f32[64], write told: global i32[1]",
      "global [64, 1, 1] local [1, 1, 1]",
      "for g in global(0) [0, 64) step 1 : exactly_once { var sum: f32 = 0.0;"
      "for i in sequential [0, 100) step 1 " +
          loop + " { let j: i32 index [_, _) = k[100*g + i]; " + test +
          " sum = sum + x[min(max(j, 0), 511)]; } y[g] = sum; }"));
}

TEST(FaultFlags, AreCollectedInSums) {
  const std::string text = sums("if (test(j < 0) || test(512 <= j)) { told[0] = 1; }");
  EXPECT_THAT(text, HasSubstr("#pragma omp simd reduction(+ : sum) reduction(| : is_told)")) << text;
  EXPECT_THAT(text, HasSubstr("if (is_told != 0) {\n      told[0] = 1;"));
}

TEST(FaultFlags, OfOtherBranchesStay) {
  // What is stored, or where, depends on the iteration.
  EXPECT_THAT(sums("if (test(j < 0)) { told[0] = j; }"), Not(HasSubstr("is_told")));
  EXPECT_THAT(sums("if (test(j < 0)) { y[g] = 1.0; }"), Not(HasSubstr("is_told")));
  // In order there is no sum side by side.
  EXPECT_THAT(sums("if (test(j < 0)) { told[0] = 1; }", ""), Not(HasSubstr("is_told")));
}

}  // namespace
}  // namespace hoist::codegen
