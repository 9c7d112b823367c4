#include "interpret/sizes.hpp"

#include <algorithm>

namespace hoist::interpret {
namespace {

std::vector<arith::Expr> variables_of(const ir::SizeAssumption& assumption) {
  std::vector<arith::Expr> variables = arith::variables(assumption.predicate.left);
  for (arith::Expr variable : arith::variables(assumption.predicate.right)) {
    if (std::find(variables.begin(), variables.end(), variable) == variables.end()) {
      variables.push_back(variable);
    }
  }
  return variables;
}

}  // namespace

SizeSlot SizeTable::slot(arith::Expr size, SizeUse use) {
  auto& slots = slots_[static_cast<std::size_t>(use)];
  if (const auto found = slots.find(size.get()); found != slots.end()) return found->second;
  const auto slot = static_cast<SizeSlot>(entries_.size());
  const std::vector<arith::Expr> variables = arith::variables(size);
  bool changes = false;
  for (arith::Expr variable : variables) {
    if (const auto iterated = iterated_.find(variable.get()); iterated != iterated_.end()) {
      iterated->second.dependents.push_back(slot);
      changes = true;
    }
  }
  if (!changes) check_bound(variables);
  values_.push_back(is_settled(variables) ? value_of(size, use) : 0);
  entries_.push_back({size, use, changes});
  slots.emplace(size.get(), slot);
  return slot;
}

void SizeTable::declare(arith::Expr variable) { iterated_.try_emplace(variable.get()); }

std::optional<std::int64_t> SizeTable::current(arith::Expr variable) const {
  const auto found = bindings_.find(variable.get());
  if (found == bindings_.end()) return std::nullopt;
  return found->second;
}

void SizeTable::bind(arith::Expr variable, std::optional<std::int64_t> value) {
  if (current(variable) == value) return;
  if (!value) {
    bindings_.erase(variable.get());
    return;
  }
  bindings_[variable.get()] = *value;
  const Iterated& iterated = iterated_.at(variable.get());
  for (std::size_t assumption : iterated.assumptions) {
    if (is_settled(variables_of(changing_assumptions_[assumption]))) check(changing_assumptions_[assumption]);
  }
  for (SizeSlot slot : iterated.dependents) {
    const Entry& entry = entries_[slot];
    if (is_settled(arith::variables(entry.size))) values_[slot] = value_of(entry.size, entry.use);
  }
}

void SizeTable::require(const ir::SizeAssumption& assumption) {
  const std::vector<arith::Expr> variables = variables_of(assumption);
  bool changes = false;
  for (arith::Expr variable : variables) {
    if (const auto iterated = iterated_.find(variable.get()); iterated != iterated_.end()) {
      iterated->second.assumptions.push_back(changing_assumptions_.size());
      changes = true;
    }
  }
  if (changes) {
    changing_assumptions_.push_back(assumption);
  } else {
    check_bound(variables);
    check(assumption);
  }
}

std::string SizeTable::describe(const std::vector<arith::Expr>& expressions) const {
  std::vector<arith::Expr> seen;
  std::string text;
  for (arith::Expr expression : expressions) {
    for (arith::Expr variable : arith::variables(expression)) {
      const auto value = current(variable);
      if (!value || std::find(seen.begin(), seen.end(), variable) != seen.end()) continue;
      seen.push_back(variable);
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", arith::to_string(variable), *value);
    }
  }
  return text;
}

bool SizeTable::is_settled(const std::vector<arith::Expr>& variables) const {
  return std::all_of(variables.begin(), variables.end(),
                     [&](arith::Expr variable) { return is_bound(variable); });
}

bool SizeTable::is_bound(arith::Expr variable) const {
  return variable->variable_kind == arith::VariableKind::Launched || bindings_.contains(variable.get());
}

std::int64_t SizeTable::value_of(arith::Expr size, SizeUse use) const {
  const auto value = arith::evaluate(size, bindings_);
  if (!value) {
    throw_user(fmt::format("the size {} has no value", arith::to_string(size)),
               fmt::format("it divides by zero or overflows for {}", describe({size})));
  }
  if (use == SizeUse::Extent && *value < 0) {
    const std::string sizes = describe({size});
    throw_user(fmt::format("an array would have {} elements", *value),
               sizes.empty() ? "" : fmt::format("its length is {}, where {}", arith::to_string(size), sizes));
  }
  return *value;
}

void SizeTable::check(const ir::SizeAssumption& assumption) const {
  const auto holds = arith::evaluate(assumption.predicate, bindings_);
  if (holds && *holds) return;
  const std::string sizes = describe({assumption.predicate.left, assumption.predicate.right});
  throw_user(assumption.message, sizes.empty() ? "" : fmt::format("here {}", sizes));
}

void SizeTable::check_bound(const std::vector<arith::Expr>& variables) const {
  for (arith::Expr variable : variables) {
    if (is_bound(variable)) continue;
    const std::string name = arith::to_string(variable);
    switch (variable->variable_kind) {
      case arith::VariableKind::Parameter:
        throw_user(fmt::format("the tuning parameter {} is open", name), "",
                   "give it a value before the program runs");
      case arith::VariableKind::Size:
        throw_user(fmt::format("the size {} has no value", name), "", fmt::format("bind it: {}=...", name));
      default:
        throw Bug(fmt::format("the size of a program mentions the index {}", name));
    }
  }
}

}  // namespace hoist::interpret
