#pragma once
// Walking and rebuilding blocks: what passes over the loop IR are written with.
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "loop/kernel.hpp"

namespace hoist::loop {

// ---- Walking. `fn` is any callable; parents come before what they contain.

/// fn(const ValuePtr&) for each direct operand of a value.
template <class Fn>
void for_each_operand(const Value& value, Fn&& fn) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Operation>) {
          for (const ValuePtr& operand : node.operands) fn(operand);
        } else if constexpr (std::is_same_v<Node, Cast>) {
          fn(node.operand);
        } else if constexpr (std::is_same_v<Node, Component>) {
          fn(node.vector);
        } else if constexpr (std::is_same_v<Node, MakeVector>) {
          for (const ValuePtr& each : node.components) fn(each);
        } else if constexpr (std::is_same_v<Node, Shuffle>) {
          fn(node.operand);
        }
      },
      value.node);
}

/// fn(const ValuePtr&) for the value and every value in it.
template <class Fn>
void for_each_value(const ValuePtr& value, Fn&& fn) {
  fn(value);
  for_each_operand(*value, [&](const ValuePtr& operand) { for_each_value(operand, fn); });
}

/// fn(const Block&) for each block directly in a statement.
template <class Fn>
void for_each_block(const Statement& statement, Fn&& fn) {
  if (const auto* loop = std::get_if<For>(&statement.node)) {
    fn(loop->body);
  } else if (const auto* branch = std::get_if<If>(&statement.node)) {
    fn(branch->then_body);
    fn(branch->else_body);
  }
}

/// fn(const Statement&) for every statement, also those in loops and branches.
template <class Fn>
void for_each_statement(const Block& block, Fn&& fn) {
  for (const Statement& statement : block) {
    fn(statement);
    for_each_block(statement, [&](const Block& inner) { for_each_statement(inner, fn); });
  }
}

/// Whether a loop in the block is shared out among work-items.
inline bool has_parallel_loop(const Block& block) {
  bool found = false;
  for_each_statement(block, [&](const Statement& statement) {
    auto* loop = std::get_if<For>(&statement.node);
    found = found || (loop && loop->parallelism != Parallelism::Sequential);
  });
  return found;
}

/// fn(const ValuePtr&) for the values that stand directly in a statement (a condition, what is stored ...),
/// without those inside them or in nested blocks.
template <class Fn>
void for_each_root_value(const Statement& statement, Fn&& fn) {
  if (const auto* branch = std::get_if<If>(&statement.node)) {
    fn(branch->condition);
  } else if (const auto* loop = std::get_if<For>(&statement.node)) {
    if (loop->condition) fn(loop->condition);
  } else if (const auto* let = std::get_if<Let>(&statement.node)) {
    if (let->value) fn(let->value);
  } else if (const auto* assign = std::get_if<Assign>(&statement.node)) {
    fn(assign->value);
  } else if (const auto* store = std::get_if<Store>(&statement.node)) {
    fn(store->value);
  }
}

/// fn(const ValuePtr&) for every value in a statement or block, nested blocks included.
template <class Fn>
void for_each_value(const Block& block, Fn&& fn) {
  for_each_statement(block, [&](const Statement& statement) {
    for_each_root_value(statement, [&](const ValuePtr& root) { for_each_value(root, fn); });
  });
}
template <class Fn>
void for_each_value(const Statement& statement, Fn&& fn) {
  for_each_root_value(statement, [&](const ValuePtr& root) { for_each_value(root, fn); });
  for_each_block(statement, [&](const Block& inner) { for_each_value(inner, fn); });
}

/// fn(arith::Expr) for the index expressions of one value, without those of its operands.
template <class Fn>
void for_each_own_index(const Value& value, Fn&& fn) {
  if (const auto* index = std::get_if<IndexValue>(&value.node)) {
    fn(index->expr);
  } else if (const auto* test = std::get_if<Test>(&value.node)) {
    fn(test->predicate.left);
    fn(test->predicate.right);
  } else if (const auto* load = std::get_if<Load>(&value.node)) {
    fn(load->index);
  }
}

/// fn(arith::Expr) for every index expression that is evaluated in a block: loop bounds, indices of loads and
/// stores, tests and index values.
template <class Fn>
void for_each_index(const Block& block, Fn&& fn) {
  for_each_statement(block, [&](const Statement& statement) {
    if (const auto* loop = std::get_if<For>(&statement.node)) {
      fn(loop->start);
      fn(loop->stop);
      fn(loop->step);
    } else if (const auto* store = std::get_if<Store>(&statement.node)) {
      fn(store->index);
    }
    for_each_root_value(statement, [&](const ValuePtr& root) {
      for_each_value(root, [&](const ValuePtr& value) { for_each_own_index(*value, fn); });
    });
  });
}

// ---- Rebuilding. Each takes the block by value: move it in where the old one is not needed.

/// The value with its operands replaced; itself where all are the same.
ValuePtr with_operands(const ValuePtr& value, std::vector<ValuePtr> operands);

/// `value` with `fn` (ValuePtr -> ValuePtr) applied to every value in it, operands first. What does not
/// change is shared.
template <class Fn>
ValuePtr map_value(const ValuePtr& value, Fn&& fn) {
  std::vector<ValuePtr> operands;  // once one of them changes
  std::size_t at = 0;
  for_each_operand(*value, [&](const ValuePtr& operand) {
    ValuePtr mapped = map_value(operand, fn);
    if (operands.empty() && mapped != operand)
      for_each_operand(*value, [&](const ValuePtr& each) { operands.push_back(each); });
    if (!operands.empty()) operands[at] = std::move(mapped);
    ++at;
  });
  return operands.empty() ? fn(value) : fn(with_operands(value, std::move(operands)));
}

/// The block with `fn` (ValuePtr -> ValuePtr) applied to every value in it, operands first.
template <class Fn>
Block map_values(Block block, Fn&& fn) {
  for (Statement& statement : block) {
    if (auto* loop = std::get_if<For>(&statement.node)) {
      if (loop->condition) loop->condition = map_value(loop->condition, fn);
      loop->body = map_values(std::move(loop->body), fn);
    } else if (auto* branch = std::get_if<If>(&statement.node)) {
      branch->condition = map_value(branch->condition, fn);
      branch->then_body = map_values(std::move(branch->then_body), fn);
      branch->else_body = map_values(std::move(branch->else_body), fn);
    } else if (auto* let = std::get_if<Let>(&statement.node)) {
      if (let->value) let->value = map_value(let->value, fn);
    } else if (auto* assign = std::get_if<Assign>(&statement.node)) {
      assign->value = map_value(assign->value, fn);
    } else if (auto* store = std::get_if<Store>(&statement.node)) {
      store->value = map_value(store->value, fn);
    }
  }
  return block;
}

/// Replaces variables of index expressions in all index expressions, tests and index values. What the block
/// declares keeps its name and, unless its range or size mentions a replaced variable, its identity.
Block substitute(Block block, const arith::Substitution& replacements);
ValuePtr substitute(const ValuePtr& value, const arith::Substitution& replacements);

/// Gives names that are not in use.
class NameSource {
 public:
  NameSource() = default;
  /// Knows the names of everything that the kernel or plan declares.
  explicit NameSource(const Kernel& kernel);
  explicit NameSource(const Plan& plan);

  /// Marks a name, or all that a block declares, as used.
  void reserve(std::string_view name);
  void reserve(const Block& block);
  /// `base` if it is free, else `base_1`, `base_2`, ... (a number that `base` ends with so is not kept).
  std::string fresh(std::string_view base);

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> next_;  // by base: the number to try first
};

/// A copy in which every declared loop variable, variable and buffer is a new one with a new name; what is
/// declared outside stays. For duplicated bodies, as unrolling makes them.
Block clone_with_fresh_names(const Block& block, NameSource& names);
/// The same with variables of index expressions replaced on the way: one iteration of an unrolled loop.
Block clone_with_fresh_names(const Block& block, NameSource& names, const arith::Substitution& replacements);

/// fn(const PlanStep&) for every step of the host; after a repetition come the steps of its test and of its
/// body.
template <class Fn>
void for_each_step(const std::vector<PlanStep>& steps, Fn&& fn) {
  for (const PlanStep& step : steps) {
    fn(step);
    if (const auto* repeat = std::get_if<RepeatStep>(&step.node)) {
      for_each_step(repeat->test, fn);
      for_each_step(repeat->body, fn);
    }
  }
}

}  // namespace hoist::loop
