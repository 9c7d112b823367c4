// How the host's loops leave the edges of arrays, and sums in any order, to themselves.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A body over 10 rows of 64 elements.
std::string host_rows(const std::string& body) {
  return host_text(one_kernel("input x: global f32[640]; output y: global f32[640];",
                              "read x: global f32[640], write y: global f32[640]",
                              "global [64, 10, 1] local [64, 1, 1]",
                              "for g in global(1) [0, 10) step 1 : exactly_once {"
                              "for i in global(0) [0, 64) step 1 : exactly_once {" +
                                  body + "} }"));
}

TEST(Edges, AreApartFromTheMiddleOfARow) {
  const std::string text = host_rows("y[64*g + i] = x[64*g + max(i - 2, 0)] + x[64*g + min(i + 1, 63)];");
  EXPECT_THAT(text, HasSubstr("< 61; ++"));  // 2 before, 1 after
  EXPECT_THAT(text, Not(HasSubstr("std::m")));
}

TEST(Edges, OfTestsAreApartToo) {
  const std::string text =
      host_rows("y[64*g + i] = select(test(0 <= i - 1) && test(i + 1 < 64), x[64*g + i - 1], 0.0);");
  EXPECT_THAT(text, HasSubstr("< 62; ++"));
  EXPECT_THAT(text, Not(HasSubstr("?")));
}

TEST(Edges, OfComparisonsInComparisonsAreApartToo) {
  const std::string text = host_rows("y[64*g + i] = x[64*g + min(max(i - 2, 0), 60)];");
  EXPECT_THAT(text, HasSubstr("< 61; ++"));  // 2 before, 1 after
  EXPECT_THAT(text, Not(HasSubstr("smaller")));
}

TEST(Edges, OfEverySecondElementAreApartToo) {
  const std::string text = host_rows("y[64*g + i] = x[max(2*i - 3, 0)] + x[min(2*i + 1, 100)];");
  EXPECT_THAT(text, HasSubstr("< 48; ++"));  // 2 before, 14 after
  EXPECT_THAT(text, Not(HasSubstr("larger")));
}

TEST(Edges, OnTheOtherSideOfATestHaveTheOtherOutcome) {
  const std::string text = host_rows("y[64*g + i] = select(test(g % 2 < 1), x[64*g + i], x[i]);");
  EXPECT_THAT(text, HasSubstr("if (g % 2 >= 1)"));
  EXPECT_THAT(text, Not(HasSubstr("?")));
}

TEST(Edges, StayWhereTheRowIsAllEdge) {
  const std::string text = host_rows("y[64*g + i] = x[64*g + max(i - 40, 0)] + x[64*g + min(i + 40, 63)];");
  EXPECT_THAT(text, HasSubstr("< 64; ++"));
  EXPECT_EQ(occurrences(text, "y["), 1U);
}

TEST(Edges, AreNotWhereComparisonsAreDecidedAlready) {
  EXPECT_EQ(occurrences(host_rows("y[64*g + i] = x[64*g + i];"), "y["), 1U);
}

TEST(Edges, OfTheRowsAroundAreTestedOnce) {
  const std::string text = host_rows("y[64*g + i] = select(test(g < 9), x[64*g + i], 0.0);");
  EXPECT_THAT(text, HasSubstr("if (g < 9) {"));
  EXPECT_EQ(occurrences(text, "y["), 2U);
}

/// The same for rows of which a kernel is told where it begins, and how many elements it has.
std::string told_rows(const std::string& body) {
  return host_text(one_kernel("input x: global f32[640]; input k: global i32[2]; output y: global f32[640];",
                              "read x: global f32[640], read k: global i32[2], write y: global f32[640]",
                              "global [64, 10, 1] local [64, 1, 1]",
                              "for g in global(1) [0, 10) step 1 : exactly_once {"
                              "let first: i32 index [0, 64) = k[0];"
                              "let count: i32 index [1, 65 - first) = k[1];"
                              "for i in global(0) [0, count) step 1 : at_most_once {" +
                                  body + "} }"));
}

TEST(Edges, AreApartInPartsOfRows) {
  const std::string text =
      told_rows("y[64*g + first + i] = x[64*g + max(first + i - 2, 0)] + x[64*g + min(first + i + 1, 63)];");
  EXPECT_THAT(text, HasSubstr("< (long)count - 3; ++"));  // 2 before, 1 after, where the part has as many
  EXPECT_EQ(occurrences(text, "y["), 3U);
  const std::string middle = text.substr(text.find("< (long)count - 3; ++"));
  EXPECT_THAT(middle.substr(0, middle.find('}')), Not(HasSubstr("smaller<long>(")));
}

TEST(Sums, AsLongAsTheRowSaysAreMadeSideBySideForItsElements) {
  const std::string text = host_rows(
      "var sum: f32 = 0.0; for k in sequential [0, g*g + 1) step 1 reorderable { sum = sum + x[64*k + i]; }"
      "y[64*g + i] = sum;");
  EXPECT_THAT(text, HasSubstr("k < g * g + 1; ++k) {\n#pragma omp simd\n"));
  EXPECT_THAT(text, Not(HasSubstr("reduction")));
}

TEST(Sums, InAnyOrderAreSeveralSideBySide) {
  const std::string loop = "step 1 reorderable { sum = sum + x[i]; }";
  const auto host_sum = [](const std::string& rest) {
    return host_text(one_kernel("input x: global f32[64]; output y: global f32[1];",
                                "read x: global f32[64], write y: global f32[1]",
                                "global [1, 1, 1] local [1, 1, 1]",
                                "var sum: f32 = 0.0; for i in sequential [0, 64) " + rest + " y[0] = sum;"));
  };
  EXPECT_THAT(host_sum(loop), HasSubstr("#pragma omp simd reduction(+ : sum)\n"));
  EXPECT_THAT(host_sum("step 1 { sum = sum + x[i]; }"), Not(HasSubstr("reduction")));
  EXPECT_THAT(host_sum("step 1 reorderable { sum = sum + sum * x[i]; }"), Not(HasSubstr("reduction")));
  EXPECT_THAT(host_sum("step 1 reorderable { sum = max(sum, x[i]); }"), Not(HasSubstr("reduction")));
}

}  // namespace
}  // namespace hoist::codegen
