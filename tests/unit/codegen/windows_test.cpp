// Loops over the few elements of a window are written out by the host, where vectors serve the row.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A body over 10 rows of 64 elements, each at the middle of a window.
std::string host_rows(const std::string& body) {
  return host_text(one_kernel("input x: global f32[8192]; output y: global f32[640];",
                              "read x: global f32[8192], write y: global f32[640]",
                              "global [64, 10, 1] local [64, 1, 1]",
                              "for g in global(1) [0, 10) step 1 : exactly_once {"
                              "for i in global(0) [0, 64) step 1 : exactly_once {"
                              "var sum: f32 = 0.0;" +
                                  body + "y[64*g + i] = sum; } }"));
}

TEST(Windows, AreWrittenOut) {
  const std::string text = host_rows(
      "for k in sequential [0, 9) step 1 reorderable { sum = sum + x[100*(g + k / 3) + i + k % 3]; }");
  EXPECT_EQ(occurrences(text, "+= x["), 9U) << text;
  EXPECT_THAT(text, HasSubstr("x[100 * g + i + 202]"));
  EXPECT_THAT(text, HasSubstr("#pragma omp simd\n    for (long i = 0; i < 64; ++i)"));
}

TEST(Windows, OfNestedLoopsAreWrittenOutByTheirProduct) {
  const auto nested = [](int rows) {
    return "for k in sequential [0, " + std::to_string(rows) +
           ") step 1 reorderable { var line: f32 = 0.0;"
           "for l in sequential [0, 5) step 1 reorderable { line = line + x[100*(g + k) + i + l]; }"
           "sum = sum + line; }";
  };
  const std::string small = host_rows(nested(5));
  EXPECT_EQ(occurrences(small, "+= x["), 25U) << small;
  // The outer loop of a larger one stays.
  const std::string large = host_rows(nested(13));
  EXPECT_EQ(occurrences(large, "+= x["), 5U) << large;
  EXPECT_THAT(large, HasSubstr("k < 13; ++k"));
}

TEST(Windows, OfManyElementsStayLoops) {
  const std::string text = host_rows("for k in sequential [0, 81) step 1 { sum = sum + x[100*g + i + k]; }");
  EXPECT_EQ(occurrences(text, "+= x["), 1U) << text;
}

TEST(Windows, OfManyElementsAreReadFourAtATimeInSums) {
  const std::string text =
      host_rows("for k in sequential [0, 82) step 1 reorderable { sum = sum + x[100*g + i + k]; }");
  // Four in the loop, and two behind it.
  EXPECT_EQ(occurrences(text, "+= x["), 6U) << text;
  EXPECT_THAT(text, HasSubstr("< 80; k"));
  EXPECT_THAT(text, HasSubstr("x[100 * g + i + 81]"));
}

TEST(Windows, OfLengthsThatAreNotKnownStayLoops) {
  const std::string text =
      host_rows("for k in sequential [0, g + 1) step 1 { sum = sum + x[100*g + i + k]; }");
  EXPECT_EQ(occurrences(text, "+= x["), 1U) << text;
}

TEST(Windows, DecideTestsOfTheirVariables) {
  const std::string text = host_rows(
      "for k in sequential [0, 3) step 1 { sum = sum + select(test(k < 1), x[100*g + i], x[100*g + i + k + "
      "7]); }");
  EXPECT_EQ(occurrences(text, "x[100 * g + i]"), 1U) << text;
  EXPECT_THAT(text, HasSubstr("x[100 * g + i + 9]"));
  EXPECT_THAT(text, Not(HasSubstr("?")));
}

/// Vectors serve the sum there: neighbours of the row are far apart.
TEST(Windows, AlongRowsOfAMatrixStayLoops) {
  const std::string text =
      host_rows("for k in sequential [0, 8) step 1 reorderable { sum = sum + x[800*g + 8*i + k]; }");
  EXPECT_EQ(occurrences(text, "+= x["), 1U) << text;
  EXPECT_THAT(text, HasSubstr("reduction"));
}

}  // namespace
}  // namespace hoist::codegen
