// Which loads on the host must stay behind branches.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A body over 64 rows of 3 elements.
std::string host_rows(const std::string& body) {
  return host_text(one_kernel("input x: global f32[192]; output y: global f32[192];",
                              "read x: global f32[192], write y: global f32[192]",
                              "global [64, 1, 1] local [64, 1, 1]",
                              "for g in global(0) [0, 64) step 1 : exactly_once {" + body + "}"));
}
std::string short_rows(const std::string& body) {
  return host_rows("for i in sequential [0, 3) step 1 { let a: f32 = x[3*g + i]; " + body + " }");
}

TEST(MaskedLoads, AreNotMadeOfShortRows) {
  EXPECT_THAT(short_rows("y[3*g + i] = select(a < 1.0, x[191 - 3*g - i], a);"), HasSubstr("by_branch(x["));
  EXPECT_THAT(short_rows("var c: f32 = a; if (a < 1.0) { c = x[191 - 3*g - i]; } y[3*g + i] = c;"),
              HasSubstr("by_branch(x["));
  EXPECT_THAT(host_rows("let a: f32 = x[3*g]; var c: f32 = a; var d: f32 = a;"
                        "if (a < 1.0) { c = x[3*g + 1]; d = x[3*g + 2]; } y[g] = c + d;"),
              HasSubstr("by_branch(x["));
  EXPECT_THAT(short_rows("y[3*g + i] = select(test(g < 7), x[191 - 3*g - i], a);"),
              HasSubstr("by_branch(x["));
}

TEST(MaskedLoads, AreLeftToTheCompilerElsewhere) {
  // All iterations read.
  EXPECT_THAT(short_rows("y[3*g + i] = select(a < 1.0, 2.0, a);"), Not(HasSubstr("by_branch")));
  // One load in each iteration, and loads of neighbours.
  EXPECT_THAT(host_rows("let a: f32 = x[g]; y[g] = select(a < 1.0, x[g + 64], a);"),
              Not(HasSubstr("by_branch")));
  EXPECT_THAT(
      host_rows("let a: f32 = x[g]; y[g] = select(a < 1.0, x[g + 64], select(a < 2.0, x[g + 65], a));"),
      Not(HasSubstr("by_branch")));
}

}  // namespace
}  // namespace hoist::codegen
