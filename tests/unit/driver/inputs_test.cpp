// Random inputs and the suite's file: what tests, benchmarks and the command line share.
#include "driver/inputs.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "driver/suite.hpp"
#include "lang/lang.hpp"

namespace hoist::driver {
namespace {

ir::Program parse(const std::string& text) {
  const Source source{"test", text};
  auto program = lang::parse_program(source);
  if (!program) throw std::runtime_error(program.error().render(&source));
  return *program;
}

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.elements()); ++i) {
    const ScalarValue value = load_scalar(tensor.bytes.data(), tensor.scalar, i);
    result.push_back(is_float(tensor.scalar) ? value.real : static_cast<double>(value.integer));
  }
  return result;
}

std::string message(const Error& error) { return error.render(); }

TEST(NamedLeaves, FollowTuplesThroughArrays) {
  ir::Arena arena;
  const ir::Program program = parse("def f(x: [N](f32, [3](i32, f32x4)), y: f64): f64 = y");
  const auto leaves = named_leaves(program.parameters[0].type);
  ASSERT_EQ(leaves.size(), 3u);
  EXPECT_EQ(leaves[0].path, ".0");
  EXPECT_EQ(ir::to_string(leaves[0].type), "[N]f32");
  EXPECT_EQ(leaves[1].path, ".1.0");
  EXPECT_EQ(ir::to_string(leaves[1].type), "[N][3]i32");
  EXPECT_EQ(leaves[2].path, ".1.1");
  EXPECT_EQ(ir::to_string(leaves[2].type), "[N][3]f32x4");
  EXPECT_EQ(named_leaves(program.parameters[1].type)[0].path, "");
  // The order is that of the flattened form.
  const auto flattened = ir::leaves(program.parameters[0].type);
  ASSERT_EQ(flattened.size(), leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_EQ(ir::leaves(leaves[i].type).front().shape, flattened[i].shape);
  }
}

TEST(RandomInputs, DifferBetweenParametersAndLeavesAndAreRepeatable) {
  ir::Arena arena;
  const ir::Program program = parse("def f(x: [N](f32, f32), y: [N]f32, z: [N]f32): [N]f32 = y");
  const arith::Bindings sizes = bindings_of(program, {{"N", 64}, {"unknown", 3}});
  ASSERT_EQ(sizes.size(), 1u);
  const auto inputs = random_inputs(program, sizes, 1);
  ASSERT_TRUE(inputs);
  std::vector<std::vector<std::byte>> all;
  for (const Data& data : *inputs) {
    for (const Tensor& tensor : data) all.push_back(tensor.bytes);
  }
  ASSERT_EQ(all.size(), 4u);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  const auto again = random_inputs(program, sizes, 1);
  EXPECT_EQ((*again)[2][0].bytes, (*inputs)[2][0].bytes);
  EXPECT_NE((*random_inputs(program, sizes, 2))[2][0].bytes, (*inputs)[2][0].bytes);
}

TEST(RandomInputs, KeepTheirRanges) {
  ir::Arena arena;
  const ir::Program program = parse("def f(i: [N]i32, b: [N]u8, r: [N]f32): [N]f32 = r");
  const auto inputs = random_inputs(program, bindings_of(program, {{"N", 1000}}), 5,
                                    {{"i", {-2, 3}}, {"b", {250, 256}}, {"r", {0.5, 0.75}}});
  ASSERT_TRUE(inputs) << message(inputs.error());
  auto extremes = [&](std::size_t parameter) {
    const auto all = values((*inputs)[parameter][0]);
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    return std::pair(*least, *most);
  };
  EXPECT_EQ(extremes(0), std::pair(-2.0, 2.0));
  EXPECT_EQ(extremes(1), std::pair(250.0, 255.0));
  EXPECT_GE(extremes(2).first, 0.5);
  EXPECT_LT(extremes(2).second, 0.75);
  EXPECT_EQ((*inputs)[1][0].scalar, Scalar::U8);
  EXPECT_EQ((*inputs)[1][0].bytes.size(), 1000u);
}

TEST(RandomInputs, RefuseRangesThatTheTypeDoesNotHold) {
  ir::Arena arena;
  const ir::Program program = parse("def f(u: [N]u32, t: [N]bool): [N]bool = t");
  const arith::Bindings sizes = bindings_of(program, {{"N", 4}});
  auto refused = [&](const std::string& input, InputRange range) {
    auto inputs = random_inputs(program, sizes, 1, {{input, range}});
    return inputs ? std::string("accepted") : message(inputs.error());
  };
  EXPECT_NE(refused("u", {-1, 4}).find("the input u: u32 has no values from -1"), std::string::npos);
  EXPECT_NE(refused("u", {0, 5e9}).find("u32 has no values from 0"), std::string::npos);
  EXPECT_NE(refused("u", {4, 4}).find("is empty"), std::string::npos);
  EXPECT_NE(refused("u", {0.25, 0.75}).find("u32 has no values"), std::string::npos);
  EXPECT_NE(refused("t", {0, 1}).find("the input t: a bool takes both its values"), std::string::npos);
}

TEST(SmallerInputs, AreWhatComesFirst) {
  const ir::Arena arena;
  const ir::Program program = parse("def f(x: [M][N](f32, i32), a: f32, k: [10 - N]f32) = (x, a, k)");
  const NamedSizes large{{"M", 3}, {"N", 4}}, small{{"M", 2}, {"N", 2}};
  auto inputs = random_inputs(program, bindings_of(program, large), 1).value();
  for (std::size_t i = 0; i < 12; ++i) {
    store_scalar(inputs[0][0].bytes.data(), i, ScalarValue::of_real(Scalar::F32, static_cast<double>(i)));
    store_scalar(inputs[0][1].bytes.data(), i, ScalarValue::of_integer(Scalar::I32, static_cast<int>(i)));
  }
  const auto smaller = smaller_inputs(inputs, with_sizes(program, small).value(), 3);
  ASSERT_TRUE(smaller) << message(smaller.error());
  EXPECT_EQ(smaller->at(0)[0].shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(values(smaller->at(0)[0]), (std::vector<double>{0, 1, 4, 5}));
  EXPECT_EQ(values(smaller->at(0)[1]), (std::vector<double>{0, 1, 1, 2})) << "they may be indices";
  EXPECT_EQ(smaller->at(1)[0].bytes, inputs[1][0].bytes);
  // An array that is longer where the sizes are smaller.
  const std::vector<double> six = values(inputs[2][0]);
  EXPECT_EQ(values(smaller->at(2)[0]),
            (std::vector<double>{six[0], six[1], six[2], six[3], six[4], six[5], six[0], six[1]}));
}

class SuiteFile : public testing::Test {
 protected:
  void SetUp() override {
    directory = std::filesystem::temp_directory_path() / ("hoist-suite-" + std::to_string(getpid()));
    std::filesystem::create_directory(directory);
    write("a.hoist", "def a(x: [N]i32): [N]i32 = x\n");
  }
  void TearDown() override { std::filesystem::remove_all(directory); }
  void write(const std::string& name, const std::string& text) { std::ofstream(directory / name) << text; }
  std::string refused() {
    auto suite = load_suite(directory);
    return suite ? "accepted" : message(suite.error());
  }
  std::filesystem::path directory;
};

TEST_F(SuiteFile, GivesSizesAndRanges) {
  write("sizes.json",
        R"({"a": {"prime": {"N": 7}, "same_as": "b", "inputs": {"x": {"low": 1, "high": "N"}}}})");
  const auto suite = load_suite(directory);
  ASSERT_TRUE(suite) << message(suite.error());
  ASSERT_EQ(suite->size(), 1u);
  const SuiteProgram& program = suite->front();
  EXPECT_EQ(program.name, "a");
  EXPECT_EQ(program.same_as, "b");
  EXPECT_EQ(program.sizes.at("prime"), (NamedSizes{{"N", 7}}));
  const auto ranges = program.ranges(program.sizes.at("prime"));
  ASSERT_TRUE(ranges);
  EXPECT_EQ(ranges->at("x").low, 1);
  EXPECT_EQ(ranges->at("x").high, 7);
  EXPECT_FALSE(program.ranges({}));
  EXPECT_EQ(read_source(program.path)->text, "def a(x: [N]i32): [N]i32 = x\n");
}

TEST_F(SuiteFile, NamesWhatIsWrong) {
  EXPECT_NE(refused().find("sizes.json cannot be read"), std::string::npos);
  write("sizes.json", "{");
  EXPECT_NE(refused().find("does not have the form of a list of programs"), std::string::npos);
  write("sizes.json", R"({"a": {"prime": {"N": "seven"}}})");
  EXPECT_NE(refused().find("does not have the form of a list of programs"), std::string::npos);
  write("sizes.json", R"({"a": {"prime": {"N": 7}}, "b": {"prime": {"N": 7}}})");
  EXPECT_NE(refused().find("sizes.json has sizes of b, but there is no b.hoist"), std::string::npos);
  write("sizes.json", "{}");
  EXPECT_NE(refused().find("sizes.json has no sizes of a"), std::string::npos);
}

}  // namespace
}  // namespace hoist::driver
