// toImage: inputs that kernels read as images, where the target has them.
#include "target/kinds.hpp"
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

Options with_images() {
  Options options;
  options.target = with_usual_images(std::move(options.target));
  return options;
}

std::string blurred(const std::string& type, const std::string& x) {
  return "def p(x: " + type + ") = " + x +
         " |> pad2(1, 1, clamp) |> slide2(3, 1) |> mapGlb2(n => n[0][1] + n[2][1])";
}

TEST_F(Lowering, ImagesAreInputsWhereTheTargetHasThem) {
  const std::string text = blurred("[5][7]f32", "x |> toImage");
  EXPECT_THAT(loops_of(text), Not(HasSubstr("image")));
  EXPECT_THAT(loops_of(text, with_images()), HasSubstr("input x: global f32[35] image(1, 7);"));
  expect_right(text);
  expect_right(text, with_images());
  Options without = with_images();
  ASSERT_TRUE(disable_pass(without, "images"));
  EXPECT_EQ(loops_of(text, without), loops_of(text));
}

TEST_F(Lowering, ImagesOfThreeDimensionsAreTheirRows) {
  const std::string text =
      "def p(x: [3][5][7]f32) = x |> join |> toImage |> split(5) |> pad3(1, 1, clamp) |> slide3(3, 1)"
      " |> mapGlb(2, mapGlb2(n => n[0][1][1] + n[2][1][0]))";
  const std::string plan = loops_of(
      "def p(x: [3][5][7]f32) = x |> join |> toImage |> split(5)"
      " |> mapGlb(2, mapGlb2(e => e + e))",
      with_images());
  EXPECT_THAT(plan, HasSubstr("input x: global f32[105] image(1, 7);"));
  EXPECT_THAT(plan, HasSubstr("x[35*"));
  expect_right(text, with_images());
  // Or rows of another length.
  const std::string other =
      "def p(x: [4][6]f32) = x |> join |> split(3) |> toImage |> join |> split(6) |> mapGlb2(e => e + e)";
  EXPECT_THAT(loops_of(other, with_images()), HasSubstr("input x: global f32[24] image(1, 3);"));
  expect_right(other, with_images());
}

TEST_F(Lowering, RowsThatAreTooManyForAnImageAreBlocksSideBySide) {
  Options few = with_images();
  few.target.largest_image = {100, 9};
  const std::string planes =
      "def p(x: [4][5][7]f32) = x |> join |> toImage |> split(5) |> mapGlb(2, mapGlb2(e => e + e))";
  EXPECT_THAT(loops_of(planes, few), HasSubstr("input x: global f32[140] image(1, 7, 4);"));
  expect_right(planes, few);
  few.target.largest_image[1] = 10;
  EXPECT_THAT(loops_of(planes, few), HasSubstr("image(1, 7, 2);"));
  // No number of blocks is narrow enough: the device refuses what it cannot hold.
  few.target.largest_image = {20, 9};
  EXPECT_THAT(loops_of(planes, few), HasSubstr("image(1, 7);"));
}

TEST_F(Lowering, ImagesOfIntegers) {
  const std::string text = blurred("[5][7]i32", "x |> toImage");
  EXPECT_THAT(loops_of(text, with_images()), HasSubstr("input x: global i32[35] image(1, 7);"));
  expect_right(text, with_images());
}

TEST_F(Lowering, ImagesOfVectors) {
  const std::string text = blurred("[5][7]f32x4", "x |> toImage");
  EXPECT_THAT(loops_of(text, with_images()), HasSubstr("input x: global f32[140] image(4, 7);"));
  expect_right(text, with_images());
}

TEST_F(Lowering, OnlyInputsOfNumbersOf32BitsAreImages) {
  EXPECT_THAT(message_of(blurred("[5][7]f32", "x |> transpose |> toImage")),
              HasSubstr("toImage is applied to an array that is not an input"));
  EXPECT_THAT(message_of(blurred("[2][5][7]f32", "x[1] |> toImage")),
              HasSubstr("toImage is applied to an array that is not an input"));
  EXPECT_THAT(message_of(blurred("[5][7]f64", "x |> toImage")), HasSubstr("an image of f64"));
  EXPECT_THAT(message_of(blurred("[5][7]f32x2", "x |> toImage")), HasSubstr("an image of f32x2"));
}

}  // namespace
}  // namespace hoist::lower
