// Sizes that follow from the arrays that a caller gives.
#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

const std::string gemv =
    "def gemv(A: [M][N]f32, x: [N]f32): [M]f32 = A |> map(row => zip(row, x) |> map(p => p.0 * p.1) |> "
    "reduce(+, 0.0))\n";

const std::vector<float> matrix{1, 2, 3, 4, 5, 6};
const std::vector<float> vector{1, 10, 100};

TEST(InferredSizes, AreThoseOfShapes) {
  const Program program = program_of(gemv);
  EXPECT_EQ(infer_sizes(program, {Input(matrix, {2, 3}), vector}).value(), (Sizes{{"M", 2}, {"N", 3}}));
  // x tells N, and how many elements A has then tells M.
  EXPECT_EQ(infer_sizes(program, {matrix, vector}).value(), (Sizes{{"M", 2}, {"N", 3}}));
  EXPECT_EQ(infer_sizes(program, {matrix, std::vector<float>(2)}, {{"M", 3}}).value(),
            (Sizes{{"M", 3}, {"N", 2}}));
}

TEST(InferredSizes, AreThoseOfBuffersToo) {
  const Device device = host();
  const Buffer x = Buffer::allocate(device, Scalar::F32, 3).value();
  EXPECT_EQ(infer_sizes(program_of(gemv), {matrix, x}).value().at("M"), 2);
}

TEST(InferredSizes, KeepWhatIsGivenBesideThem) {
  const Program program =
      program_of("def f(x: [N]f32): [N]f32 = x |> split(?t) |> map(map(e => e + 1.0)) |> join\n");
  EXPECT_EQ(infer_sizes(program, {std::vector<float>(8)}, {{"t", 4}}).value(), (Sizes{{"N", 8}, {"t", 4}}));
  expect_error(infer_sizes(program, {std::vector<float>(8)}), ErrorKind::User,
               "the tuning parameter ?t is not given");
  expect_error(infer_sizes(program, {std::vector<float>(8)}), ErrorKind::User, "give it by name: t = 16");
}

TEST(InferredSizes, SayWhatIsWrong) {
  const Program program = program_of(gemv);
  const auto refused = [&](const std::vector<Input>& inputs, const Sizes& sizes, const std::string& part) {
    expect_error(infer_sizes(program, inputs, sizes), ErrorKind::User, part);
  };
  const auto shaped = [] { return Input(matrix, {2, 3}); };
  refused({shaped(), std::vector<float>(4)}, {},
          "with N = 3 the input x: [N]f32 takes 3 elements, but the array given for it has 4");
  refused({shaped(), std::vector<float>(4)}, {}, "A: [M][N]f32 is given as [2][3]f32");
  refused({shaped(), vector}, {{"M", 4}}, "M=4 is given");
  refused({Input(matrix, {6}), vector}, {}, "the input A is [M][N]f32, but [6]f32 was given");
  refused({std::vector<float>(5), vector}, {}, "A: [M][N]f32 is given as an array of 5 elements");
  refused({matrix}, {}, "the program has 2 inputs, but 1 were given");
  refused({matrix}, {}, "they are A: [M][N]f32, x: [N]f32");
  refused({matrix, vector}, {{"K", 3}}, "no size or tuning parameter K");
  refused({Input(std::vector<float>{}), vector}, {}, "M would be 0, but sizes are at least 1");
}

TEST(InferredSizes, AreThoseThatAProgramIsCompiledFor) {
  const Program program = program_of(gemv);
  for (const Device& device : every_device()) {
    const std::vector<Input> inputs{matrix, vector};
    Compiled compiled = compile_for(program, device, inputs).value();
    EXPECT_EQ(compiled.inputs().at(0).shape, (std::vector<std::int64_t>{2, 3}));
    std::vector<float> result(2);
    ASSERT_TRUE(compiled.run(inputs, {result}));
    EXPECT_EQ(result, (std::vector<float>{321, 654}));
    EXPECT_EQ(compiled.source(), compile(program, device, {{"M", 2}, {"N", 3}}).value().source());
  }
  expect_error(compile_for(program, host(), {matrix, vector}, {{"N", 4}}), ErrorKind::User, "N=4 is given");
}

TEST(InferredSizes, AreThoseThatAProgramIsEvaluatedFor) {
  const Program program = program_of(gemv);
  std::vector<float> result(2);
  ASSERT_TRUE(evaluate(program, {}, {matrix, vector}, {result}));
  EXPECT_EQ(result, (std::vector<float>{321, 654}));
  result = {0, 0};
  ASSERT_TRUE(evaluate(program, {{"M", 2}}, {matrix, vector}, {result}));
  EXPECT_EQ(result, (std::vector<float>{321, 654}));
  std::vector<float> other(3);
  expect_error(evaluate(program, {}, {matrix, vector}, {other}), ErrorKind::User,
               "the output result is [2]f32, which has 2 elements, but 3 were given");
  expect_error(evaluate(program, {}, {matrix, std::vector<float>(4)}, {result}), ErrorKind::User,
               "the size M is not given");
}

}  // namespace
}  // namespace hoist::api
