// Work that does not depend on a function's parameters is done once, and only where it is reached.
#include "programs.hpp"

namespace hoist::interpret {
namespace {

class Invariants : public InterpretTest {
 protected:
  static Term sum(Term x) {
    return reduce([](Term a, Term b) { return a + b; }, number(0), x);
  }

  Data evaluate_counting(const ir::Program& measured, const std::vector<Data>& inputs, const Sizes& sizes) {
    counts_ = {};
    const auto result = evaluate(measured, inputs, bindings(sizes), {}, &counts_);
    if (!result) {
      ADD_FAILURE() << result.error().render();
      return {};
    }
    return *result;
  }

  Counts counts_;
  const arith::Expr N = arith::size("N");
  const arith::Expr M = arith::size("M");
};

TEST_F(Invariants, OfTheProgramsInputs) {
  // x |> map(e => e - sum(x))
  const ir::Program centred =
      program({i32_array({N})},
              [](const auto& p) { return map([&](Term e) { return e - sum(p[0]); }, p[0]); }, {"N"});
  EXPECT_EQ(evaluate_counting(centred, {{counting({4})}}, {{"N", 4}}), (Data{i32({4}, {-6, -5, -4, -3})}));
  EXPECT_EQ(counts_.operations, 4U + 4U);
}

TEST_F(Invariants, OfAnOuterFunction) {
  // Row by row: each row's sum once for the row, the whole array's once for all.
  const ir::Program of_rows =
      program({i32_array({N, M})},
              [](const auto& p) {
                return map(
                    [&](Term row) {
                      return map([&](Term e) { return e + sum(row) * sum(layout(Op::Join, {}, p[0])); }, row);
                    },
                    p[0]);
              },
              {"N", "M"});
  EXPECT_EQ(evaluate_counting(of_rows, {{counting({2, 2})}}, {{"N", 2}, {"M", 2}}),
            (Data{i32({2, 2}, {6, 7, 32, 33})}));
  EXPECT_EQ(counts_.operations, 4U /* the array */ + 4U /* its rows */ + 2U * 4U);
}

TEST_F(Invariants, ThatAreReachedOnlySometimes) {
  // The sum of quotients fails for a zero in y; it is reached for positive elements of x only.
  const ir::Program guarded = program(
      {i32_array({N}), i32_array({N})},
      [](const auto& p) {
        const Unary body = [&](Term e) {
          const Term quotients = map([](Term d) { return number(12) / d; }, p[1]);
          return ir::if_then_else(ir::scalar_call(ScalarOp::Greater, {e, number(0)}), sum(quotients), e);
        };
        return map(body, p[0]);
      },
      {"N"});
  const auto sizes = bindings({{"N", 3}});
  const Data zeros = {i32({3}, {4, 0, 3})};
  const auto unreached = evaluate(guarded, {{i32({3}, {-1, -2, 0})}, zeros}, sizes);
  ASSERT_TRUE(unreached) << unreached.error().render();
  EXPECT_EQ(*unreached, (Data{i32({3}, {-1, -2, 0})}));
  EXPECT_FALSE(evaluate(guarded, {{i32({3}, {-1, 2, 0})}, zeros}, sizes));
  const auto reached = evaluate(guarded, {{i32({3}, {-1, 2, 5})}, {i32({3}, {4, 2, 3})}}, sizes);
  ASSERT_TRUE(reached) << reached.error().render();
  EXPECT_EQ(*reached, (Data{i32({3}, {-1, 13, 13})}));
}

TEST_F(Invariants, OfAReductionsAccumulator) {
  // (a, row) => a |> map(e => e + sum(a)) depends on the accumulator, which changes with each row.
  const ir::Program growing = program(
      {i32_array({N}), i32_array({M})},
      [](const auto& p) {
        return reduce([](Term a, Term) { return map([&](Term e) { return e + sum(a); }, a); }, p[1], p[0]);
      },
      {"N", "M"});
  // {1, 2} -> {4, 5} -> {13, 14}
  EXPECT_EQ(evaluate_counting(growing, {{counting({2})}, {i32({2}, {1, 2})}}, {{"N", 2}, {"M", 2}}),
            (Data{i32({2}, {13, 14})}));
}

TEST_F(Invariants, OfIterationsWhoseLengthsChange) {
  // The generated array has another length in each iteration: 4 + 3 + 2 + 1 ... of the current length.
  const arith::Expr k = arith::size("k");
  const Unary step = [&](Term v) {
    const Unary add = [&](Term pair) {
      return at(0, pair) + at(1, pair) + sum(generate(k, [](Term) { return number(1); }));
    };
    return map(add, layout(Op::Split, {2}, v));
  };
  const ir::Program halving = program({i32_array({4})}, [&](const auto& p) {
    return ir::call(Op::Iterate, {2, k}, {function(i32_array({k}), step), p[0]});
  });
  // {0, 1, 2, 3} -> {0 + 1 + 4, 2 + 3 + 4} -> {5 + 9 + 2}
  EXPECT_EQ(evaluate_counting(halving, {{counting({4})}}, {}), (Data{i32({1}, {16})}));
}

TEST_F(Invariants, OfLetsInsideFunctions) {
  // let s = x[0] * 2 in x |> map(e => let t = s + 1 in y |> map(d => d + t * sum(y)))
  const ir::Program lets = program(
      {i32_array({N}), i32_array({M})},
      [](const auto& p) {
        const Unary with_s = [&](Term s) {
          const Unary row = [&](Term e) {
            const Unary with_t = [&](Term t) {
              return map([&](Term d) { return d + t * sum(map([&](Term y) { return y + e; }, p[1])); }, p[1]);
            };
            return ir::let(s + number(1), function(i32_type(), with_t));
          };
          return map(row, p[0]);
        };
        return ir::let(at(0, p[0]) * number(2), function(i32_type(), with_s));
      },
      {"N", "M"});
  // s = 2, t = 3; for e = 1: sum = 3, + 2 = 5, 3 * 5 = 15; for e = 4: sum = 3 + 8 = 11, 33
  EXPECT_EQ(evaluate_counting(lets, {{i32({2}, {1, 4})}, {i32({2}, {1, 2})}}, {{"N", 2}, {"M", 2}}),
            (Data{i32({2, 2}, {16, 17, 34, 35})}));
}

}  // namespace
}  // namespace hoist::interpret
