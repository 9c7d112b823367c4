#include "codegen/host/masked_loads.hpp"

#include <algorithm>
#include <vector>

#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using loop::ValuePtr;

/// The most iterations of a loop that g++ puts one after the other (its parameter max-completely-peel-times).
constexpr std::int64_t most_unrolled = 16;

class MaskedLoads {
 public:
  std::set<const loop::Load*> in(const loop::Kernel& kernel) {
    walk(kernel.body, false);
    return std::move(found_);
  }

 private:
  void walk(const loop::Block& block, bool is_masked) {
    for (const loop::Statement& statement : block) {
      loop::for_each_root_value(statement, [&](const ValuePtr& root) { visit(root, is_masked); });
      if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
        walk_loop(*loop, is_masked);
      } else if (const auto* branch = std::get_if<loop::If>(&statement.node)) {
        walk(branch->then_body, true);
        walk(branch->else_body, true);
      }
    }
  }

  void walk_loop(const loop::For& loop, bool is_masked) {
    std::vector<const loop::Load*> outer;
    outer.swap(masked_);
    loops_.push_back(&loop);
    walk(loop.body, is_masked && is_short(loop));  // a branch around a loop that stays one is a branch
    find_groups();
    loops_.pop_back();
    masked_ = std::move(outer);
  }

  void visit(const ValuePtr& value, bool is_masked) {
    if (const auto* load = std::get_if<loop::Load>(&value->node); load && is_masked && !loops_.empty()) {
      masked_.push_back(load);
    }
    const auto* operation = std::get_if<loop::Operation>(&value->node);
    const bool chooses = operation && value->type.width == 1 &&
                         (operation->op == ScalarOp::Select || operation->op == ScalarOp::And ||
                          operation->op == ScalarOp::Or);
    bool is_first = true;
    loop::for_each_operand(*value, [&](const ValuePtr& operand) {
      visit(operand, is_masked || (chooses && !is_first));
      is_first = false;
    });
  }

  /// Finds the groups among the loads that the innermost loop has under conditions.
  void find_groups() {
    const loop::For& innermost = *loops_.back();
    const bool is_row = loops_.size() > 1 && is_short(innermost);
    for (const loop::Load* load : masked_) {
      const bool is_in_row = is_row && arith::contains(load->index, innermost.variable);
      if (is_in_row || (!is_dense(*load, innermost) && is_beside_others(*load))) found_.insert(load);
    }
  }

  bool is_beside_others(const loop::Load& load) const {
    return std::any_of(masked_.begin(), masked_.end(), [&](const loop::Load* other) {
      if (other->buffer != load.buffer || other->index == load.index) return false;
      return (other->index - load.index).constant().has_value();
    });
  }

  static bool is_short(const loop::For& loop) {
    const auto count = (loop.stop - loop.start).constant();
    return count && *count <= most_unrolled;
  }

  /// Whether iterations that follow each other read elements that do.
  static bool is_dense(const loop::Load& load, const loop::For& loop) {
    const arith::Expr next =
        arith::substitute(load.index, {{loop.variable.get(), loop.variable + loop.step}});
    const auto distance = (next - load.index).constant();
    return distance && *distance >= -1 && *distance <= 1;
  }

  std::vector<const loop::For*> loops_;
  std::vector<const loop::Load*> masked_;  // in the innermost of these loops
  std::set<const loop::Load*> found_;
};

}  // namespace

std::set<const loop::Load*> grouped_masked_loads(const loop::Kernel& kernel) {
  return MaskedLoads().in(kernel);
}

}  // namespace hoist::codegen
