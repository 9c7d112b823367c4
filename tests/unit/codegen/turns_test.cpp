// Loops over arrays that interleave others, unrolled by the host.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A plan that sets 4 x 60 elements to a value of row g and column i.
std::string plan_of(const std::string& value) {
  return one_kernel("input x: global f32[1000]; output y: global f32[240];",
                    "read x: global f32[1000], write y: global f32[240]", "global [60, 4, 1] local [1, 1, 1]",
                    "for g in global(1) [0, 4) step 1 { for i in global(0) [0, 60) step 1 {"
                    "y[60*g + i] = " +
                        value + "; } }");
}

void expect_right(const std::string& text) {
  const loop::Plan plan = parsed(text);
  std::vector<float> numbers(1000);
  for (std::size_t at = 0; at < numbers.size(); ++at) numbers[at] = static_cast<float>(at * 7 % 101);
  loop::Memory expected{{"x", bytes_of(numbers)}}, memory = expected;
  ASSERT_TRUE(loop::interpret(plan, {}, {}, expected));
  Execution("host", plan, {}, {}).run(memory);
  EXPECT_EQ(elements_of<float>(memory["y"]), elements_of<float>(expected["y"])) << text;
}

TEST(Turns, AreUnrolled) {
  const std::string plan = plan_of("select(test(i % 2 < 1), x[60*g + i / 2], x[60*g + i / 2 + 500])");
  const std::string text = host_text(plan);
  EXPECT_THAT(text, HasSubstr("< 30;"));
  EXPECT_THAT(text, HasSubstr("+ 1] = x[60 * g + i_1 + 500];"));
  EXPECT_THAT(text, Not(HasSubstr("/ 2")));
  expect_right(plan);
}

TEST(Turns, OfSeveralArraysAreUnrolled) {
  const std::string plan = plan_of("x[60*g + 200 * (i % 3) + i / 3]");
  EXPECT_THAT(host_text(plan), HasSubstr("< 20;"));
  expect_right(plan);
}

TEST(Turns, StayWhereTheyDoNotDivideTheLoop) {
  const std::string plan = plan_of("x[60*g + i / 2 + 90 * ((i + 1) / 7)]");
  EXPECT_THAT(host_text(plan), HasSubstr("< 60;"));
  expect_right(plan);
}

TEST(Turns, OfManyIterationsStay) {
  const std::string plan = plan_of("x[60*g + i % 10]");
  EXPECT_THAT(host_text(plan), HasSubstr("< 60;"));
  expect_right(plan);
}

}  // namespace
}  // namespace hoist::codegen
