// Which of two parallel loops the host makes the inner one.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;

/// A body over 1000 x 1000 elements, `i` the inner loop's variable as the kernel has it.
std::string host_square(const std::string& body) {
  return host_text(one_kernel("input x: global f32[1000000]; output y: global f32[1000000];",
                              "read x: global f32[1000000], write y: global f32[1000000]",
                              "global [1000, 1000, 1] local [64, 1, 1]",
                              "for g in global(1) [0, 1000) step 1 : exactly_once {"
                              "for i in global(0) [0, 1000) step 1 : exactly_once {" +
                                  body + "} }"));
}

constexpr const char* as_it_is = "for (long g = 0; g < 1000; ++g) {\n#pragma omp simd\n    for (long i = 0;";
constexpr const char* exchanged = "for (long i = 0; i < 1000; ++i) {\n#pragma omp simd\n    for (long g = 0;";

TEST(LoopOrder, FollowsMostAccesses) {
  EXPECT_THAT(host_square("y[1000*g + i] = x[1000*i + g] + x[1000*i + 999 - g];"), HasSubstr(exchanged));
}

TEST(LoopOrder, StaysWhereAsMuchIsFarApart) {
  EXPECT_THAT(host_square("y[1000*g + i] = x[1000*i + g];"), HasSubstr(as_it_is));
}

TEST(LoopOrder, StaysWhereElementsAreNeighbours) {
  EXPECT_THAT(host_square("y[1000*g + i] = x[1000*g + i] + x[2*i];"), HasSubstr(as_it_is));
}

}  // namespace
}  // namespace hoist::codegen
