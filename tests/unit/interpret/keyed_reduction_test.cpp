// reduceByKey and its low-level forms.
#include "programs.hpp"

namespace hoist::interpret {
namespace {

class KeyedReductions : public InterpretTest {
 protected:
  const arith::Expr N = arith::size("N");
  const arith::Expr B = arith::size("B");
};

TEST_F(KeyedReductions, CombineInOrderAndDropKeysOutside) {
  for (const auto& [op, sizes] :
       std::vector<std::pair<Op, std::vector<arith::Expr>>>{{Op::ReduceByKey, {}},
                                                            {Op::ReduceByKeySeq, {}},
                                                            {Op::ReduceByKeyLocal, {0}},
                                                            {Op::ReduceByKeyGlobal, {1}}}) {
    const auto body = [&, op = op, sizes = sizes](const auto& p) {
      const Term f = function(i32_type(), i32_type(), [](Term a, Term b) { return a * number(10) + b; });
      return ir::call(op, sizes, {f, p[0], p[1], p[2]});
    };
    EXPECT_EQ(run({i32_array({B}), i32_array({N}), i32_array({N})}, body,
                  {{i32({3}, {0, 5, 7})}, {i32({6}, {2, 0, -1, 0, 3, 2})}, {i32({6}, {1, 2, 3, 4, 5, 6})}},
                  {{"B", 3}, {"N", 6}}),
              i32({3}, {24, 5, 716}))
        << ir::primitive(op).name;
  }
}

TEST_F(KeyedReductions, StateMayBeArrays) {
  const auto body = [&](const auto& p) {
    const Term f = function(i32_array({2}), i32_array({2}), [&](Term a, Term b) {
      return map(
          [](Term pair) { return ir::get(0, pair) + ir::get(1, pair); },
          zip({ir::call(Op::Gather, {}, {function(i32_type(), [](Term i) { return number(1) - i; }), a}),
               b}));
    });
    return ir::call(Op::ReduceByKey, {}, {f, p[0], p[1], p[2]});
  };
  EXPECT_EQ(run({i32_array({B, 2}), i32_array({N}), i32_array({N, 2})}, body,
                {{i32({2, 2}, {1, 2, 3, 4})}, {i32({3}, {1, 1, 0})}, {i32({3, 2}, {10, 20, 30, 40, 50, 60})}},
                {{"B", 2}, {"N", 3}}),
            i32({2, 2}, {52, 61, 53, 54}));
}

}  // namespace
}  // namespace hoist::interpret
