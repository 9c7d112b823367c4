// What the interpreter says about programs and inputs that have no value.
#include <gmock/gmock.h>

#include "programs.hpp"

namespace hoist::interpret {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Errors : public InterpretTest {
 protected:
  const arith::Expr N = arith::size("N");
  const arith::Expr M = arith::size("M");
};

TEST_F(Errors, IndexOutOfBounds) {
  const auto error = [&](std::int32_t index) {
    return error_of({i32_array({N}), i32_type()}, [&](const auto& p) { return at(p[1], p[0]); },
                    {{counting({10})}, {i32({}, {index})}}, {{"N", 10}});
  };
  EXPECT_THAT(error(12), HasSubstr("at: index 12 is outside an array of 10 elements"));
  EXPECT_THAT(error(10), HasSubstr("at: index 10 is outside an array of 10 elements"));
  EXPECT_THAT(error(-1), HasSubstr("at: index -1 is outside an array of 10 elements"));
  EXPECT_EQ(error(9), "no error");
}

TEST_F(Errors, GatherOutOfBounds) {
  const Body shifted = [&](const auto& p) {
    return ir::call(Op::Gather, {}, {function(i32_type(), [](Term i) { return i + number(1); }), p[0]});
  };
  EXPECT_THAT(error_of({i32_array({N})}, shifted, {{counting({3})}}, {{"N", 3}}),
              HasSubstr("gather: index 3 (for element 2) is outside an array of 3 elements"));
}

TEST_F(Errors, ScatterThatIsNoPermutation) {
  const Body collide = [&](const auto& p) {
    return ir::call(Op::Scatter, {}, {function(i32_type(), [](Term i) { return i / number(2); }), p[0]});
  };
  EXPECT_THAT(error_of({i32_array({N})}, collide, {{counting({3})}}, {{"N", 3}}),
              AllOf(HasSubstr("scatter: its index function is not a permutation"),
                    HasSubstr("elements 0 and 1 both go to 0")));
}

TEST_F(Errors, IntegerDivisionByZero) {
  for (ScalarOp op : {ScalarOp::Divide, ScalarOp::Remainder}) {
    EXPECT_THAT(error_of({i32_type(), i32_type()},
                         [&](const auto& p) {
                           return ir::scalar_call(op, {p[0], p[1]});
                         },
                         {{i32({}, {7})}, {i32({}, {0})}}),
                HasSubstr(": 7 divided by zero"));
  }
  EXPECT_EQ(run({f32_type(), f32_type()}, [&](const auto& p) { return p[0] / p[1]; },
                {{f32({}, {1})}, {f32({}, {0})}}),
            f32({}, {std::numeric_limits<float>::infinity()}));
}

TEST_F(Errors, ShiftsOutOfRange) {
  EXPECT_THAT(error_of({i32_type(), i32_type()},
                       [&](const auto& p) {
                         return ir::scalar_call(ScalarOp::ShiftLeft, {p[0], p[1]});
                       },
                       {{i32({}, {1})}, {i32({}, {32})}}),
              AllOf(HasSubstr("shl: a shift by 32 bits"), HasSubstr("0 to 31 bits")));
}

TEST_F(Errors, InputsOfAnotherShapeOrType) {
  const Body identity = [](const auto& p) { return p[1]; };
  const std::vector<Type> types = {i32_type(), i32_array({N, M})};
  const Sizes sizes = {{"M", 3}, {"N", 2}};
  const Data scalar = {i32({}, {1})};
  EXPECT_THAT(
      error_of(types, identity, {scalar, {counting({2, 4})}}, sizes),
      AllOf(HasSubstr("the input b is [2][4]i32, not [2][3]i32"), HasSubstr("its type is [N][M]i32")));
  EXPECT_THAT(error_of(types, identity, {scalar, {f32({2, 3}, {1, 2, 3, 4, 5, 6})}}, sizes),
              HasSubstr("the input b is [2][3]f32, not [2][3]i32"));
  EXPECT_THAT(error_of(types, identity, {{counting({1})}, {counting({2, 3})}}, sizes),
              HasSubstr("the input a is [1]i32, not i32"));
  EXPECT_THAT(error_of(types, identity, {scalar}, sizes), HasSubstr("test takes 2 inputs, not 1"));
  EXPECT_THAT(error_of(types, identity, {scalar, {}}, sizes), HasSubstr("the input b has 0 arrays"));
}

TEST_F(Errors, UnboundSizesAndOpenParameters) {
  const ir::Program program_of_sizes =
      program({i32_array({N, M})}, [](const auto& p) { return p[0]; }, {"N", "M"});
  const auto unbound = evaluate(program_of_sizes, {{counting({2, 3})}}, bindings({{"N", 2}}));
  ASSERT_FALSE(unbound);
  EXPECT_EQ(unbound.error().kind, ErrorKind::User);
  EXPECT_THAT(unbound.error().render(), HasSubstr("the size M has no value"));

  const arith::Expr tile = arith::parameter("tile");
  const ir::Program tiled = program(
      {i32_array({4})}, [&](const auto& p) { return layout(Op::Join, {}, layout(Op::Split, {tile}, p[0])); });
  const auto open = evaluate(tiled, {{counting({4})}}, {});
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().render(), HasSubstr("the tuning parameter ?tile is open"));
  // With a value it is a size like any other.
  const auto closed = evaluate(tiled, {{counting({4})}}, {{tile.get(), 2}});
  ASSERT_TRUE(closed) << closed.error().render();
  EXPECT_EQ(closed->at(0), counting({4}));
}

TEST_F(Errors, AssumptionsAboutSizes) {
  const Body split = [&](const auto& p) { return layout(Op::Split, {4}, p[0]); };
  EXPECT_THAT(error_of({i32_array({N})}, split, {{counting({10})}}, {{"N", 10}}),
              AllOf(HasSubstr("4"), HasSubstr("here N = 10")));
  EXPECT_EQ(error_of({i32_array({N})}, split, {{counting({8})}}, {{"N", 8}}), "no error");
}

TEST_F(Errors, NegativeLengths) {
  // The type is well-formed for large enough N only.
  EXPECT_THAT(error_of({i32_array({N - arith::Expr(5)})}, [](const auto& p) { return p[0]; },
                       {{counting({2})}}, {{"N", 3}}),
              AllOf(HasSubstr("an array would have -2 elements"), HasSubstr("N")));
}

TEST_F(Errors, WindowsThatDoNotFit) {
  const Body slide = [&](const auto& p) { return layout(Op::Slide, {5, 1}, p[0]); };
  EXPECT_NE(error_of({i32_array({N})}, slide, {{counting({3})}}, {{"N", 3}}), "no error");
}

TEST_F(Errors, TooMuchMemory) {
  const auto result = try_run(
      {},
      [&](const auto&) { return generate(N, [&](Term) { return generate(M, [](Term i) { return i; }); }); },
      {}, {{"N", 1000000}, {"M", 1000000}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Device);
  EXPECT_THAT(result.error().render(), HasSubstr("not enough memory for an array of 4000000000000 bytes"));
}

TEST_F(Errors, SizesBeyondAllMemory) {
  const Sizes sizes = {{"N", std::int64_t{1} << 30U}, {"M", std::int64_t{1} << 40U}};
  const auto result = try_run(
      {},
      [&](const auto&) { return generate(N, [&](Term) { return generate(M, [](Term i) { return i; }); }); },
      {}, sizes);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Device);
}

TEST_F(Errors, DeepTermsAreNone) {
  const auto deep = run({i32_type()},
                        [](const auto& p) {
                          Term x = p[0];
                          for (int i = 0; i < 2000; ++i) x = x + number(i);
                          return x;
                        },
                        {{i32({}, {0})}});
  EXPECT_EQ(deep, i32({}, {1999000}));
}

TEST_F(Errors, TheLimitOfOperations) {
  const ir::Program twice =
      program({i32_array({N})}, [](const auto& p) { return map([](Term x) { return x + x; }, p[0]); }, {"N"});
  const auto sizes = bindings({{"N", 100}});
  EXPECT_TRUE(evaluate(twice, {{counting({100})}}, sizes, {.max_operations = 100}));
  const auto stopped = evaluate(twice, {{counting({100})}}, sizes, {.max_operations = 99});
  ASSERT_FALSE(stopped);
  EXPECT_THAT(stopped.error().render(), HasSubstr("stopped after 99 scalar operations"));
}

TEST_F(Errors, AnEvaluationIsEndedFromOutside) {
  // Loops that do not count a single scalar operation.
  const auto long_loop = [](const auto& p) {
    return map([&](Term) { return reduce([](Term, Term b) { return b; }, number(0), p[0]); }, p[0]);
  };
  const ir::Program copies = program({i32_array({N})}, long_loop, {"N"});
  int asked = 0;
  Options options;
  options.is_over = [&] { return ++asked > 10; };
  const auto ended = evaluate(copies, {{counting({500})}}, bindings({{"N", 500}}), options);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().render(), HasSubstr("was stopped before the result was computed"));
  EXPECT_EQ(asked, 11) << "and not again";
  options.is_over = [] { return false; };
  EXPECT_TRUE(evaluate(copies, {{counting({5})}}, bindings({{"N", 5}}), options));
}

}  // namespace
}  // namespace hoist::interpret
