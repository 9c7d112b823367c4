#include <cstdio>
#include <fstream>

#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

TEST(Program, TellsItsTypeAndWhatItNeeds) {
  const Program program = program_of(
      "def tiled(x: [N](f32, i32), a: f32): ([N]f32, f32) =\n"
      "  (x |> split(?t) |> map(map((e, i) => a * e)) |> join, a)\n");
  EXPECT_EQ(program.name(), "tiled");
  EXPECT_EQ(program.result_type(), "([N]f32, f32)");
  ASSERT_EQ(program.parameters().size(), 2U);
  EXPECT_EQ(program.parameters()[0].type, "[N](f32, i32)");
  ASSERT_EQ(program.inputs().size(), 3U);
  EXPECT_EQ(program.inputs()[1].name, "x.1");
  EXPECT_EQ(program.inputs()[1].type, "[N]i32");
  EXPECT_EQ(program.inputs()[1].scalar, Scalar::I32);
  EXPECT_EQ(program.inputs()[1].shape, std::vector<std::string>{"N"});
  EXPECT_TRUE(program.inputs()[2].shape.empty());
  ASSERT_EQ(program.outputs().size(), 2U);
  EXPECT_EQ(program.outputs()[0].name, "result.0");
  EXPECT_EQ(program.size_variables(), std::vector<std::string>{"N"});
  EXPECT_EQ(program.tuning_parameters(), std::vector<std::string>{"t"});
  ASSERT_EQ(program.assumptions().size(), 1U);
  EXPECT_NE(program.assumptions()[0].find("divide"), std::string::npos) << program.assumptions()[0];
}

TEST(Program, TakesTheEntryThatIsNamed) {
  const std::string text = "def f(x: f32) = x + 1.0\ndef g(x: f32) = x * 2.0\n";
  EXPECT_EQ(program_of(text).name(), "g");
  EXPECT_EQ(Program::parse(text, "f").value().name(), "f");
  expect_error(Program::parse(text, "h"), ErrorKind::User, "no definition is named 'h'");
}

TEST(Program, TellsEveryErrorWithItsPlace) {
  const auto program =
      Program::parse("def f(x: [N]f32) = x |> mapp(e => e)\ndef g(x: [N]f32): f32 =\n  y\n", "", "two.hoist");
  ASSERT_FALSE(program);
  const Error& error = program.error();
  ASSERT_EQ(error.problems.size(), 2U) << error.text();
  ASSERT_TRUE(error.location());
  EXPECT_EQ(error.location()->source, "two.hoist");
  EXPECT_EQ(error.location()->line, 1);
  EXPECT_EQ(error.location()->column, 25);
  EXPECT_EQ(error.problems[1].location->line, 3);
  EXPECT_NE(error.problems[1].excerpt.find("^"), std::string::npos);
  EXPECT_NE(error.text().find("two.hoist:3:3: error: "), std::string::npos) << error.text();
}

TEST(Program, IsLoadedFromAFile) {
  const std::string path = testing::TempDir() + "hoist_api_load.hoist";
  std::ofstream(path) << "def f(x: f32) = x + 1.0\n";
  EXPECT_EQ(Program::load(path).value().name(), "f");
  std::remove(path.c_str());
  expect_error(Program::load(path), ErrorKind::User, "cannot be read: No such file");
  expect_error(Program::load(testing::TempDir()), ErrorKind::User, "is a directory");
}

TEST(Result, ThrowsItsErrorOnlyWhenAskedForAValue) {
  auto program = Program::parse("def f(x: [N]f32) = y\n");
  ASSERT_FALSE(program);
  EXPECT_THROW(std::move(program).value(), std::runtime_error);
}

}  // namespace
}  // namespace hoist::api
