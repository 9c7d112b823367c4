#include "rewrite/cost_model.hpp"

#include <algorithm>
#include <numeric>

#include "ir/inspect.hpp"
#include "ir/iterate.hpp"
#include "rewrite/invariants.hpp"

namespace hoist::rewrite {

using ir::contains_array;
using ir::Op;
using ir::Term;
using ir::Type;

const CostModel::Binders& CostModel::dependences(Term term) {
  static const Binders none;
  if (!term->has_free) return none;
  auto known = dependences_.find(term);
  if (known != dependences_.end()) return known->second;
  Binders result;
  if (term.as<ir::Free>()) {
    auto variable = variables.find(term);
    if (variable != variables.end()) result = variable->second.depends_on;
  } else {
    for (Term child : ir::children(term)) {
      const Binders& inner = dependences(child);
      result.insert(inner.begin(), inner.end());
    }
  }
  return dependences_.emplace(term, std::move(result)).first->second;
}

double CostModel::distinct(Term term) {
  double result = 1;
  for (Term binder : dependences(term)) result *= variables.at(binder).extent;
  return result;
}

bool CostModel::depends_on_state(Term term) {
  const Binders& binders = dependences(term);
  return std::any_of(binders.begin(), binders.end(),
                     [&](Term binder) { return variables.at(binder).is_state; });
}

double CostModel::cost(Term term) {
  if (term.as<ir::Free>()) {
    auto known = variables.find(term);
    if (known == variables.end()) return contains_array(term.type()) ? load_cost : 0;
    const std::vector<double>& each = known->second.cost;
    const double whole = std::accumulate(each.begin(), each.end(), 0.0);
    return variables_are_stored_ ? std::min(whole, load_cost) : whole;
  }
  if (term.as<ir::Literal>() || term.as<ir::SizeValue>() || term.as<ir::Bound>()) return 0;
  auto& costs = variables_are_stored_ ? own_costs_ : costs_;
  auto known = costs.find(term);
  if (known != costs.end()) return known->second;
  const double result = computed_cost(term);
  costs.emplace(term, result);
  return result;
}

double CostModel::own_cost(Term term) {
  variables_are_stored_ = true;
  const double result = cost(term);
  variables_are_stored_ = false;
  return result;
}

std::vector<double> CostModel::costs_of_components(Term term) {
  Type type = term.type();
  while (ir::is_array(type)) type = ir::element_of(type);
  if (!ir::is_tuple(type)) return {cost(term)};
  if (auto* variable = term.as<ir::Free>(); variable && variables.count(term)) return variables.at(term).cost;
  if (auto* call = term.as<ir::Call>()) {
    if (call->op == Op::Zip) {
      std::vector<double> result;
      for (Term argument : call->arguments) result.push_back(cost(argument));
      return result;
    }
    if (call->op == Op::Map && is_layout_only(call->arguments[0]))
      return costs_of_components(call->arguments[1]);
    if (ir::is_layout(call->op) && call->op != Op::Scatter)
      return costs_of_components(call->arguments.back());
  }
  if (auto* tuple = term.as<ir::Tuple>()) {
    std::vector<double> result;
    for (Term component : tuple->components) result.push_back(cost(component));
    return result;
  }
  // Who asks for one component computes what they share.
  return std::vector<double>(type->elements.size(), cost(term) / static_cast<double>(type->elements.size()));
}

double CostModel::computed_cost(Term term) {
  if (auto* get = term.as<ir::Get>()) {
    std::vector<double> each = costs_of_components(get->tuple);
    return each.size() > get->index ? each[get->index] : cost(get->tuple);
  }
  if (auto* operation = term.as<ir::ScalarCall>()) {
    double total = cost_of(operation->op);
    for (Term argument : operation->arguments) total += cost(argument);
    return total;
  }
  if (auto* let = term.as<ir::Let>()) {
    const bool is_scalar = !contains_array(let->value.type());
    auto* function = let->body.as<ir::Lambda>();
    Term variable = ir::fresh(function->parameters[0], "v");
    Variable known{dependences(let->value),
                   is_scalar ? std::vector<double>{0} : costs_of_components(let->value)};
    variables.emplace(variable, std::move(known));
    return (is_scalar ? cost(let->value) : 0) + cost(ir::apply(let->body, {variable}));
  }
  if (auto* call = term.as<ir::Call>()) return cost_of_call(*call);
  double total = 0;
  for (Term child : ir::children(term)) total += cost(child);
  return total;
}

double CostModel::cost_of_body(Term lambda, const std::vector<Variable>& parameters) {
  auto* function = lambda.as<ir::Lambda>();
  std::vector<Term> opened;
  for (std::size_t i = 0; i < function->parameters.size(); ++i) {
    opened.push_back(ir::fresh(function->parameters[i], "v"));
    variables.emplace(opened.back(), parameters[i]);
  }
  return cost(ir::apply(lambda, opened));
}

double CostModel::combined(const ir::Call& fold) {
  const double length = estimated(fold.arguments.back().type()->size);
  return fold.op == Op::ReduceRange ? std::max(1.0, length / 2) : length;
}

double CostModel::most_steps(const ir::Call& call) {
  const arith::Expr most = ir::known_steps(call.arguments[1]);
  return estimated(most ? most : arith::size("most"));
}

double CostModel::cost_of_call(const ir::Call& call) {
  auto element = [&](Term array) { return Variable{{}, costs_of_components(array)}; };
  const Variable free{{}, {0}};
  if (ir::is_map(call.op)) {
    if (is_layout_only(call.arguments[0])) return cost(call.arguments[1]);
    return cost_of_body(call.arguments[0], {element(call.arguments[1])});
  }
  if (call.op == Op::Generate) return cost_of_body(call.arguments[0], {free});
  if (ir::is_reduce(call.op) || ir::is_scan(call.op)) {
    Term x = call.arguments.back();
    const double each = 1 + cost_of_body(call.arguments[0], {free, element(x)});
    return ir::is_scan(call.op) ? each : each * combined(call) / elements(call.arguments[1].type());
  }
  if (ir::is_keyed_reduce(call.op)) {
    Term keys = call.arguments[2], x = call.arguments[3];
    const double each = 1 + cost(keys) + cost_of_body(call.arguments[0], {free, element(x)});
    return cost(call.arguments[1]) + each * estimated(x.type()->size) / elements(call.arguments[1].type());
  }
  if (call.op == Op::Iterate) {
    auto* function = call.arguments[0].as<ir::Lambda>();
    const std::vector<Variable> parameters(function->parameters.size(), free);
    return cost(call.arguments[1]) +
           estimated(call.sizes[0]) * (1 + cost_of_body(call.arguments[0], parameters));
  }
  if (call.op == Op::IterateWhile) {
    return cost(call.arguments[3]) + most_steps(call) * (1 + cost_of_body(call.arguments[2], {free, free}) +
                                                         cost_of_body(call.arguments[0], {free}));
  }
  double total = ir::is_layout(call.op) ? 0 : 1;
  for (Term argument : call.arguments) {
    if (!argument.as<ir::Lambda>()) total += cost(argument);
  }
  return total;
}

}  // namespace hoist::rewrite
