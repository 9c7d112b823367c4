#include "rewrite/invariants.hpp"

#include <unordered_map>

#include "ir/inspect.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;

bool is_layout_only(Term lambda) {
  if (auto* function = lambda.as<ir::Lambda>()) return is_layout_only(function->body);
  if (lambda.as<ir::ScalarCall>() || lambda.as<ir::Cast>() || lambda.as<ir::If>()) return false;
  if (auto* call = lambda.as<ir::Call>()) {
    if (!ir::is_view(call->op) && call->op != Op::Map) return false;
  }
  for (Term child : ir::children(lambda)) {
    if (!is_layout_only(child)) return false;
  }
  return true;
}

bool contains_loop(Term term) {
  if (!ir::any_op(term, ir::is_loop)) return false;
  if (auto* call = term.as<ir::Call>()) {
    if (ir::carries_state(call->op)) return true;
    if (ir::is_map(call->op) && !is_layout_only(call->arguments[0])) return true;
    if (call->op == Op::Generate && contains_loop(call->arguments[0])) return true;
  }
  for (Term child : ir::children(term)) {
    if (contains_loop(child)) return true;
  }
  return false;
}

namespace {

class Hoister {
 public:
  Term run(Term term) {
    auto known = done_.find(term);
    if (known != done_.end()) return known->second;
    Term result = term;
    if (auto* call = term.as<ir::Call>()) {
      result = run_call(term, *call);
    } else if (!term.as<ir::Lambda>()) {
      std::vector<Term> children = ir::children(term);
      for (Term& child : children) child = child.as<ir::Lambda>() ? run_lambda(child) : run(child);
      result = ir::with_children(term, children);
    }
    done_.emplace(term, result);
    return result;
  }

 private:
  Term run_lambda(Term lambda) {
    auto* function = lambda.as<ir::Lambda>();
    std::vector<Term> parameters = ir::fresh_parameters(*function);
    Term body = run(ir::apply(lambda, parameters));
    return ir::lambda(parameters, body, function->claims);
  }

  Term run_call(Term term, const ir::Call& call) {
    std::vector<Term> arguments;
    std::vector<std::pair<Term, Term>> hoisted;  // variable, value
    for (Term argument : call.arguments) {
      auto* function = argument.as<ir::Lambda>();
      if (!function) {
        arguments.push_back(run(argument));
        continue;
      }
      std::vector<Term> parameters = ir::fresh_parameters(*function);
      Term body = run(ir::apply(argument, parameters));
      // Iterate's function has a length of its own in its types: nothing that mentions it may leave.
      if (call.op != Op::Iterate) body = extract(body, parameters, hoisted);
      arguments.push_back(ir::lambda(parameters, body, function->claims));
    }
    Term result = ir::with_children(term, arguments);
    for (std::size_t i = hoisted.size(); i-- > 0;) {
      result = ir::let(hoisted[i].second, ir::lambda(std::vector<Term>{hoisted[i].first}, result));
    }
    return result;
  }

  static bool mentions(Term term, const std::vector<Term>& variables) {
    if (!term->has_free) return false;
    for (Term variable : variables) {
      if (term == variable) return true;
    }
    for (Term child : ir::children(term)) {
      if (mentions(child, variables)) return true;
    }
    return false;
  }

  /// Replaces the largest costly subterms that are closed but for outer variables.
  Term extract(Term term, const std::vector<Term>& parameters, std::vector<std::pair<Term, Term>>& hoisted) {
    if (term.as<ir::Lambda>()) return term_under_binder(term, parameters, hoisted);
    bool is_data = !ir::is_function(term.type());
    if (is_data && term->loose == 0 && contains_loop(term) && !mentions(term, parameters)) {
      for (auto& [variable, value] : hoisted) {
        if (value == term) return variable;
      }
      Term variable = ir::fresh(term.type(), "shared");
      hoisted.emplace_back(variable, term);
      return variable;
    }
    std::vector<Term> children = ir::children(term);
    bool changed = false;
    for (Term& child : children) {
      Term next = extract(child, parameters, hoisted);
      changed |= next != child;
      child = next;
    }
    return changed ? ir::with_children(term, children) : term;
  }

  Term term_under_binder(Term lambda, const std::vector<Term>& parameters,
                         std::vector<std::pair<Term, Term>>& hoisted) {
    // Closed subterms are closed under any binder: the de Bruijn form shows it (loose == 0).
    auto* function = lambda.as<ir::Lambda>();
    Term body = extract(function->body, parameters, hoisted);
    return body == function->body
               ? lambda
               : ir::raw_lambda(function->parameters, body, function->names, function->claims);
  }

  std::unordered_map<Term, Term> done_;
};

}  // namespace

Term hoist_invariants(Term term) { return Hoister().run(term); }

}  // namespace hoist::rewrite
