// Tiles that stick out of an array are the last ones of a dimension. All others need no tests, and no index
// of theirs is clamped: a kernel whose work-items test their tile computes the others by a copy of its body
// that tests nothing (loop versioning).
//
//   for g in global(0) [0, 32)                   for g in global(0) [0, 32)
//     for i in [0, 16)                             if (g < 31)
//       if (16 * g + i < 509)              to        for i in [0, 16)
//         out[..] = x[min(16 * g + i, 508)]            out[..] = x[16 * g + i]
//                                                  else
//                                                    as before
//
// In the copy the work-item's id is replaced by a variable that ends one earlier: what it implies, arithmetic
// finds by itself. The copy is only kept where no test and no bound of a loop mentions the id any more.
#include <algorithm>

#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using loop::Block;

/// Whether a test that is a statement's condition, or a loop's bound, mentions the variable.
bool is_tested(const Block& block, Expr variable) {
  bool found = false;
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    if (const auto* loop = std::get_if<loop::For>(&statement.node))
      found = found || arith::contains(loop->start, variable) || arith::contains(loop->stop, variable);
    const auto* branch = std::get_if<loop::If>(&statement.node);
    if (branch == nullptr) return;
    loop::for_each_value(branch->condition, [&](const loop::ValuePtr& value) {
      loop::for_each_own_index(*value,
                               [&](Expr index) { found = found || arith::contains(index, variable); });
    });
  });
  return found;
}

/// Work-items that share nothing, and wait for nobody.
bool are_independent(const Block& block) {
  bool found = loop::has_parallel_loop(block);
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
    found = found || std::holds_alternative<loop::Barrier>(statement.node) ||
            (allocate != nullptr && allocate->buffer->space != loop::AddressSpace::Private);
  });
  return !found;
}

class Versioning {
 public:
  Versioning(loop::Kernel& kernel, loop::NameSource& names) : kernel_(kernel), names_(names) {}

  void run() { visit(kernel_.body); }

 private:
  /// Finds the innermost of the loops over all work-items.
  void visit(Block& block) {
    for (loop::Statement& statement : block) {
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop == nullptr || loop->parallelism != loop::Parallelism::Global) continue;
      ids_.push_back(loop);
      if (loop::has_parallel_loop(loop->body)) {
        visit(loop->body);
      } else {
        add_interior(loop->body);
      }
      ids_.pop_back();
    }
  }

  void add_interior(Block& body) {
    arith::Substitution to_interior, back;
    loop::ValuePtr is_interior;
    for (const loop::For* loop : ids_) {
      const auto stop = loop->stop.constant();
      if (!loop->start.is_constant(0) || !loop->step.is_constant(1) || !stop || *stop < 2) continue;
      if (!is_tested(body, loop->variable)) continue;
      const Expr last = *stop - 1;
      const Expr variable = arith::index(loop->variable->name, 0, last, 1);
      to_interior.emplace(loop->variable.get(), variable);
      back.emplace(variable.get(), loop->variable);
      const loop::ValuePtr own = loop::test({arith::Relation::Less, loop->variable, last});
      is_interior = is_interior ? loop::operation(ScalarOp::And, {is_interior, own}) : own;
    }
    if (!is_interior || !are_independent(body)) return;
    Block interior =
        simplified_control_flow(loop::clone_with_fresh_names(body, names_, to_interior), kernel_.launch);
    for (const auto& [variable, original] : back) {
      if (is_tested(interior, Expr(variable))) return;
    }
    loop::If versions;
    versions.condition = is_interior;
    versions.then_body = loop::substitute(std::move(interior), back);
    versions.else_body = std::move(body);
    body.clear();
    body.push_back({std::move(versions)});
  }

  loop::Kernel& kernel_;
  loop::NameSource& names_;
  std::vector<const loop::For*> ids_;  ///< of the work-item, around
};

}  // namespace

void version_interior_tiles(loop::Kernel& kernel, loop::NameSource& names) {
  Versioning(kernel, names).run();
}

}  // namespace hoist::lower
