// A loop over arrays that were joined asks in each iteration in which of them it is. Where the lengths divide
// its range it becomes a nest of loops, one for each level of the arrays (strip mining), in which indices are
// linear:
//
//   for i in [0, 576)                              for p in [0, 3)
//     acc = acc + w[i] * x[100 * (i / 192)    to     for i in [0, 192)
//                          + i % 192]                  acc = acc + w[192 * p + i] * x[100 * p + i]
//
// The order of the iterations stays. Loops of a few iterations stay as they are: compilers write them out,
// and divide then. So do loops that are to be unrolled, and those that index private arrays.
#include <algorithm>

#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using arith::Kind;
using loop::Block;

/// Loops of at most as many iterations are written out by compilers.
constexpr std::int64_t few_iterations = 64;

/// The divisions and remainders in an expression whose dividends mention one of the variables.
void collect_divisions(Expr e, const std::vector<Expr>& variables, std::vector<Expr>& divisions) {
  if (!e->has_variables) return;
  if ((e.kind() == Kind::Quotient || e.kind() == Kind::Remainder) &&
      std::any_of(variables.begin(), variables.end(),
                  [&](Expr each) { return arith::contains(e->operands[0], each); })) {
    divisions.push_back(e);
  }
  for (const Expr operand : e->operands) collect_divisions(operand, variables, divisions);
  if (e.kind() == Kind::Conditional) {
    collect_divisions(e->predicate.left, variables, divisions);
    collect_divisions(e->predicate.right, variables, divisions);
  }
}

std::vector<Expr> divisions_in(const Block& block, const std::vector<Expr>& variables) {
  std::vector<Expr> divisions;
  loop::for_each_index(block, [&](Expr index) { collect_divisions(index, variables, divisions); });
  return divisions;
}

class Nesting {
 public:
  Nesting(loop::NameSource& names, bool also_short)
      : names_(names), most_left_(also_short ? 1 : few_iterations) {}

  Block nested(Block block) {
    for (loop::Statement& statement : block) {
      if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        branch->then_body = nested(std::move(branch->then_body));
        branch->else_body = nested(std::move(branch->else_body));
      } else if (auto* loop = std::get_if<loop::For>(&statement.node)) {
        make_nest(*loop);
        loop->body = nested(std::move(loop->body));
      }
    }
    return block;
  }

 private:
  /// Splits the loop by a divisor that makes divisions disappear.
  void make_nest(loop::For& loop) {
    const auto count = loop.stop.constant();
    if (!is_free_to_change(loop) || !loop.start.is_constant(0) || (count && *count <= most_left_)) return;
    const std::vector<Expr> divisions = divisions_in(loop.body, {loop.variable});
    for (const Expr division : divisions) {
      const Expr length = division->operands[1];
      if (arith::contains(length, loop.variable) || !arith::is_divisor(length, loop.stop)) continue;
      const Expr parts = arith::exact_quotient(loop.stop, length);
      const Expr part = arith::index(loop.variable->name, 0, parts);
      const Expr element = arith::index(names_.fresh(loop.variable->name), 0, length);
      Block body = loop::substitute(loop.body, {{loop.variable.get(), length * part + element}});
      if (divisions_in(body, {part, element}).size() >= divisions.size()) continue;
      loop::For inner = loop;
      inner.variable = element;
      inner.stop = length;
      inner.body = std::move(body);
      loop.variable = part;
      loop.stop = parts;
      loop.body.clear();
      loop.body.push_back({std::move(inner)});
      return make_nest(loop);
    }
  }

  loop::NameSource& names_;
  std::int64_t most_left_;  ///< iterations of loops that stay as they are
};

}  // namespace

void nest_joined_parts(loop::Kernel& kernel, loop::NameSource& names, bool also_short) {
  kernel.body = Nesting(names, also_short).nested(std::move(kernel.body));
}

}  // namespace hoist::lower
