#include "rewrite/iteration.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;

bool is_worth_kernels(ir::Type state) {
  constexpr std::int64_t least_scalars = 512;
  std::int64_t scalars = 0;
  for (const ir::Leaf& leaf : ir::leaves(state)) {
    arith::Expr count = 1;
    for (arith::Expr extent : leaf.shape) count = count * extent;
    if (!count.constant()) return true;
    scalars += *count.constant();
  }
  return scalars >= least_scalars;
}

Term as_iteration(const ir::Call& reduce) {
  const Term f = reduce.arguments[0], init = reduce.arguments[1], x = reduce.arguments[2];
  const Term number = ir::fresh(ir::scalar_type(Scalar::I32), "i"), state = ir::fresh(init.type(), "state");
  const Term always =
      ir::lambda({init.type()},
                 [](const std::vector<Term>&) { return ir::literal(ScalarValue::of_bool(true)); }, {"state"});
  const Term body = ir::apply(f, {state, ir::call(Op::At, {}, {number, x})});
  return ir::call(
      Op::IterateWhile, {},
      {always, ir::size_value(x.type()->size), ir::lambda(std::vector<Term>{number, state}, body), init});
}

}  // namespace hoist::rewrite
