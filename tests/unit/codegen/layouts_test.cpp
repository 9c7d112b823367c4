// Which temporary arrays the host stores transposed.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;

constexpr const char* first_kernel =
    "kernel first(read u: global f32[6000], write t: global f32[6000])"
    " launch global [60, 100, 1] local [1, 1, 1] index i32 {"
    "for x in global(1) [0, 100) step 1 { for y in global(0) [0, 60) step 1 {"
    "t[60*x + y] = u[100*y + x] + u[100*y + max(x - 1, 0)]; } } }";

std::string second_kernel(const std::string& value) {
  return "kernel second(read t: global f32[6000], write v: global f32[6000])"
         " launch global [100, 60, 1] local [1, 1, 1] index i32 {"
         "for y in global(1) [0, 60) step 1 { for x in global(0) [0, 100) step 1 {"
         "v[100*y + x] = " +
         value + "; } } }";
}

std::string plan_of(const std::string& value, const std::string& steps = "launch first; launch second;") {
  return "plan p { input u: global f32[6000]; output v: global f32[6000]; temporary t: global f32[6000];" +
         std::string(first_kernel) + second_kernel(value) + "steps { " + steps + " } }";
}

TEST(Layouts, FollowTheKernels) {
  const std::string text = host_text(plan_of("t[60*x + y] + t[60*x + max(y - 1, 0)]"));
  EXPECT_THAT(text, HasSubstr("t[100 * y + x_2 + 1] = u[100 * y + x_2 + 1] + u[100 * y + x_2]"));
  EXPECT_THAT(text, HasSubstr("v[100 * y + x] = t[100 * y + x] + t[100 * larger<long>(y - 1, 0L) + x]"));
}

TEST(Layouts, StayWhereIndicesWouldBeDivided) {
  const std::string text = host_text(plan_of("t[(60*x + y + 7) % 6000]"));
  EXPECT_THAT(text, HasSubstr("t[60 * x_2 + y + 60] ="));
}

TEST(Layouts, StayWhereTheHostCopies) {
  const std::string text = host_text(
      plan_of("t[60*x + y] + t[60*x + max(y - 1, 0)]", "launch first; launch second; copy t to v;"));
  EXPECT_THAT(text, HasSubstr("t[60 * x_2 + y + 60] ="));
}

TEST(Layouts, KeepTheMeaning) {
  const loop::Plan plan = parsed(plan_of("t[60*x + y] + t[60*x + max(y - 1, 0)]"));
  std::vector<float> image(6000);
  for (std::size_t at = 0; at < image.size(); ++at) image[at] = static_cast<float>(at * 7 % 101);
  loop::Memory expected{{"u", bytes_of(image)}}, memory = expected;
  ASSERT_TRUE(loop::interpret(plan, {}, {}, expected));
  Execution("host", plan, {}, {}).run(memory);
  EXPECT_EQ(elements_of<float>(memory["v"]), elements_of<float>(expected["v"]));
}

}  // namespace
}  // namespace hoist::codegen
