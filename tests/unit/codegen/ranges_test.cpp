// How the host's loops are split where a branch around a loop turns, and which are shared out to threads.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A body over 640 elements, with the number of a step.
std::string host_elements(const std::string& body) {
  return host_text(one_kernel("size s; input x: global f32[640]; output y: global f32[640];",
                              "read x: global f32[640], size s, write y: global f32[640]",
                              "global [640, 1, 1] local [64, 1, 1]",
                              "for i in global(0) [0, 640) step 1 : exactly_once {" + body + "}"));
}

const std::string sum = "for k in sequential [0, 100) step 1 reorderable { sum = sum + x[k]; }";

std::string sums_where(const std::string& condition) {
  return host_elements("var sum: f32 = 0.0; if (" + condition + ") {" + sum + "} y[i] = sum;");
}

TEST(Ranges, AreSplitWhereABranchAroundALoopTurns) {
  for (const std::string condition :
       {"test(s < i)", "test(s <= i)", "test(i < s)", "test(i <= s)", "test(i + s < 600)"}) {
    const std::string text = sums_where(condition);
    EXPECT_EQ(occurrences(text, "y["), 2U) << condition << text;
    EXPECT_EQ(occurrences(text, "< 100; k"), 1U) << condition << text;
    EXPECT_THAT(text, Not(HasSubstr("if ("))) << condition;
  }
}

TEST(Ranges, HaveAPartBeforeAndAPartBehind) {
  const std::string text = sums_where("test(s <= i) && test(i < s + 100)");
  EXPECT_EQ(occurrences(text, "y["), 3U) << text;
  EXPECT_EQ(occurrences(text, "< 100; k"), 1U) << text;
}

TEST(Ranges, StayWhereTheBranchHasNoLoopOrTurnsOften) {
  EXPECT_EQ(
      occurrences(host_elements("var sum: f32 = 0.0; if (test(s < i)) { sum = x[i]; } y[i] = sum;"), "y["),
      1U);
  EXPECT_EQ(occurrences(sums_where("test(i % 2 < s)"), "y["), 1U);
  EXPECT_EQ(occurrences(sums_where("test(2 * i < s)"), "y["), 1U);
}

TEST(Sharing, IsForLoopsOfMoreWorkThanWakingThreads) {
  EXPECT_THAT(host_elements("y[i] = x[i];"), Not(HasSubstr("parallel")));
  EXPECT_THAT(host_elements("var sum: f32 = 0.0;" + sum + "y[i] = sum;"), HasSubstr("parallel"));
  EXPECT_THAT(host_elements(
                  "var sum: f32 = 0.0; for k in sequential [0, s) step 1 { sum = sum + x[k]; } y[i] = sum;"),
              HasSubstr("parallel"));
}

}  // namespace
}  // namespace hoist::codegen
