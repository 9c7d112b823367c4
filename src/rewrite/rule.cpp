#include "rewrite/rule.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "ir/print.hpp"

namespace hoist::rewrite {

using ir::Term;

namespace {

Outcome rewritten(const Rule& rule, Term term, Context& context) {
  Bindings bindings;
  if (!match(rule.law, term, bindings))
    return declined("it does not have the form of the left side of " + rule.name);
  std::vector<arith::Expr> all_choices = context.choices;
  for (std::size_t i = 0; i < rule.law.metavariables.size(); ++i) {
    const Metavariable& each = rule.law.metavariables[i];
    // A size that is declared but that nothing of the left determines is caught when the rule is read.
    if (each.is_chosen) bindings.sizes[i] = context.choose(each.name);
  }
  for (const Condition& condition : rule.conditions) {
    if (auto reason = violation(condition, bindings, context)) {
      context.choices = std::move(all_choices);
      return declined(rule.name + ": " + *reason);
    }
  }
  try {
    return instantiate(rule.law, bindings);
  } catch (const Failure& failure) {
    context.choices = std::move(all_choices);
    return declined(rule.name + ": " + failure.error().diagnostics.front().message);
  }
}

}  // namespace

Outcome apply(const Rule& rule, Term term, Context& context) {
  Outcome result = rule.function != nullptr ? rule.function(term, context) : rewritten(rule, term, context);
  if (!result) return result;
  if (!ir::is_equal(term.type(), result->type())) {
    return declined(fmt::format("{}: {} is not proven to be {}", rule.name, ir::to_string(result->type()),
                                ir::to_string(term.type())));
  }
  context.trace.push_back({rule.name, context.path, term, *result});
  return result;
}

}  // namespace hoist::rewrite
