// What a term assumes of its sizes, and which of them are left open.
#include <algorithm>
#include <unordered_set>

#include "base/need.hpp"
#include "ir/arena_data.hpp"
#include "ir/iterate.hpp"
#include "ir/scheme.hpp"

namespace hoist::ir {

namespace {

class Assumptions {
 public:
  void collect(Term term) {
    if (!interned(term)->has_assumption || !seen_.insert(term).second) return;
    const auto* called = term.as<Call>();
    if (called != nullptr && interned(term)->makes_assumption) add_own(*called);
    const arith::Expr length = bound_length(term);
    if (length) {
      add_iterations(*called, length);
      collect(called->arguments[1]);
    } else {
      for_each_child(term, [this](Term child) { collect(child); });
    }
  }
  std::vector<SizeAssumption> take() { return std::move(found_); }

 private:
  void add(const SizeAssumption& assumption) {
    if (arith::holds(assumption.predicate) == arith::Truth::Yes) return;
    const bool is_known = std::any_of(found_.begin(), found_.end(), [&](const SizeAssumption& known) {
      return known.predicate == assumption.predicate;
    });
    if (!is_known) found_.push_back(assumption);
  }

  void add_own(const Call& call) {
    CallTyping typing(call.op, call.arguments.size());
    const std::vector<SchemeArgument>& wanted = typing.arguments();
    const std::size_t statics = wanted.size() - call.arguments.size();
    for (std::size_t i = 0; i < statics; ++i) typing.give_static(i, call.sizes[i]);
    for (const bool is_function : {false, true}) {
      for (std::size_t i = statics; i < wanted.size(); ++i) {
        if ((wanted[i].kind == ArgumentKind::Function) != is_function) continue;
        const Type type = call.arguments[i - statics].type();
        need(is_function ? typing.give_function(i, type) : typing.give_data(i, type));
      }
    }
    need(typing.result());
    for (const SizeAssumption& assumption : typing.assumptions()) add(assumption);
  }

  /// What iterate's function assumes of its length holds for the length in every step.
  void add_iterations(const Call& call, arith::Expr k) {
    if (!interned(call.arguments[0])->has_assumption) return;
    Assumptions inner;
    inner.collect(call.arguments[0]);
    std::vector<SizeAssumption> of_length;
    for (SizeAssumption& assumption : inner.found_) {
      const bool is_of_length =
          arith::contains(assumption.predicate.left, k) || arith::contains(assumption.predicate.right, k);
      if (is_of_length) {
        of_length.push_back(std::move(assumption));
      } else {
        add(assumption);
      }
    }
    if (of_length.empty()) return;
    const arith::Expr n = call.arguments[1].type()->size, count = call.sizes[0];
    const arith::Expr next = call.arguments[0].as<Lambda>()->body.type()->size;
    const auto add_step = [&](arith::Expr step, arith::Expr length) {
      for (const SizeAssumption& assumption : of_length) {
        add({where_it_runs(arith::substitute(assumption.predicate, {{k.get(), length}}), count),
             assumption.message + ", where k is " + arith::to_string(length) + " in step " +
                 arith::to_string(step + 1) + " of iterate"});
      }
    };
    if (count.is_constant(0)) return;
    add_step(0, n);
    if (next == k) return;
    if (!count.constant()) {
      // The lengths grow or shrink steadily: the first and the last are the extremes.
      if (const arith::Expr last = length_after(next, k, n, count - 1)) add_step(count - 1, last);
      return;
    }
    constexpr std::int64_t most_steps = 1024;
    arith::Expr length = n;
    for (std::int64_t step = 1; step < std::min(*count.constant(), most_steps); ++step) {
      const arith::Expr following = arith::substitute(next, {{k.get(), length}});
      if (following == length) return;
      length = following;
      add_step(step, length);
    }
  }

  /// The predicate, or nothing assumed where there is no step.
  static arith::Predicate where_it_runs(arith::Predicate predicate, arith::Expr count) {
    const arith::Predicate runs{arith::Relation::Less, 0, count};
    if (arith::holds(runs) == arith::Truth::Yes) return predicate;
    const bool is_strict =
        predicate.relation == arith::Relation::Less || predicate.relation == arith::Relation::NotEqual;
    const arith::Expr trivial = is_strict ? predicate.right - 1 : predicate.right;
    return {predicate.relation, arith::conditional(runs, predicate.left, trivial), predicate.right};
  }

  std::unordered_set<Term> seen_;
  std::vector<SizeAssumption> found_;
};

/// Tuning parameters, or numbers that kernels learn at their launch.
class Parameters {
 public:
  explicit Parameters(arith::VariableKind kind) : kind_(kind) {}
  void collect(Term term) {
    if (!interned(term)->has_parameter || !seen_.insert(term).second) return;
    collect(term.type());
    if (const auto* called = term.as<Call>()) {
      for (arith::Expr size : called->sizes) collect(size);
    } else if (const auto* value = term.as<SizeValue>()) {
      collect(value->size);
    }
    for_each_child(term, [this](Term child) { collect(child); });
  }
  std::vector<arith::Expr> take() { return std::move(found_); }

 private:
  void collect(Type type) {
    if (!interned(type)->has_parameter || !seen_types_.insert(type).second) return;
    if (type->size) collect(type->size);
    for (Type element : type->elements) collect(element);
  }
  void collect(arith::Expr size) {
    for (arith::Expr variable : arith::variables(size)) {
      if (variable->variable_kind != kind_) continue;
      if (std::find(found_.begin(), found_.end(), variable) == found_.end()) found_.push_back(variable);
    }
  }

  arith::VariableKind kind_;
  std::unordered_set<Term> seen_;
  std::unordered_set<Type> seen_types_;
  std::vector<arith::Expr> found_;
};

}  // namespace

std::vector<SizeAssumption> size_assumptions(Term term) {
  Assumptions assumptions;
  assumptions.collect(term);
  return assumptions.take();
}

std::vector<arith::Expr> open_parameters(Term term) {
  Parameters parameters(arith::VariableKind::Parameter);
  parameters.collect(term);
  return parameters.take();
}

std::vector<arith::Expr> launched_numbers(Term term) {
  Parameters numbers(arith::VariableKind::Launched);
  numbers.collect(term);
  return numbers.take();
}

}  // namespace hoist::ir
