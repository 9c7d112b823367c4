#include "rules/instances.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "rewrite/pattern_types.hpp"

namespace hoist::testing_support {

using arith::Expr;
using ir::Op;
using ir::Term;
using ir::Type;
using rewrite::Bindings;
using rewrite::Condition;
using rewrite::Metavariable;
using rewrite::Pattern;
using rewrite::Rule;

namespace {

Type i32() { return ir::scalar_type(Scalar::I32); }

/// The metavariables that stand for what happens outside an array.
void collect_boundaries(const Pattern& pattern, std::vector<std::uint32_t>& found) {
  const bool is_pad = pattern.kind == Pattern::Kind::Call && pattern.op == Op::Pad;
  if (is_pad && pattern.sizes[2].kind == rewrite::SizePattern::Kind::Metavariable)
    found.push_back(pattern.sizes[2].metavariable);
  for (const Pattern& child : pattern.children) collect_boundaries(child, found);
}

/// The metavariables that stand for the function of a gather or scatter, and for indices.
void collect_roles(const Pattern& pattern, std::vector<std::uint32_t>& orders,
                   std::vector<std::uint32_t>& indices) {
  if (pattern.kind == Pattern::Kind::Call) {
    const Pattern& first = pattern.children[0];
    if ((pattern.op == Op::Gather || pattern.op == Op::Scatter) && first.kind == Pattern::Kind::Function)
      orders.push_back(first.index);
    if (pattern.op == Op::At && first.kind == Pattern::Kind::Data) indices.push_back(first.index);
  }
  for (const Pattern& child : pattern.children) collect_roles(child, orders, indices);
}

/// The length of the array that the first gather or scatter is on.
Expr reordered_length(Term term) {
  if (const auto* call = term.as<ir::Call>(); call && (call->op == Op::Gather || call->op == Op::Scatter))
    return call->arguments[1].type()->size;
  for (Term child : ir::children(term)) {
    if (const Expr length = reordered_length(child)) return length;
  }
  return {};
}

void collect_sizes(Expr size, std::vector<Expr>& found) {
  for (Expr variable : arith::variables(size)) {
    if (variable->variable_kind == arith::VariableKind::Size &&
        std::find(found.begin(), found.end(), variable) == found.end())
      found.push_back(variable);
  }
}
void collect_sizes(Type type, std::vector<Expr>& found) {
  if (type->size) collect_sizes(type->size, found);
  for (Type element : type->elements) collect_sizes(element, found);
}
void collect_sizes(Term term, std::vector<Expr>& found) {
  collect_sizes(term.type(), found);
  if (const auto* call = term.as<ir::Call>()) {
    for (std::size_t i = 0; i < call->sizes.size(); ++i) {
      if (call->op != Op::Iterate || i == 0) collect_sizes(call->sizes[i], found);
    }
  }
  if (const auto* value = term.as<ir::SizeValue>()) collect_sizes(value->size, found);
  for (Term child : ir::children(term)) collect_sizes(child, found);
}

}  // namespace

Type Instances::element() {
  switch (below(10)) {
    case 0:
      return ir::tuple_type({i32(), ir::scalar_type(Scalar::F32)});
    case 1:
    case 2:
      return ir::array_type(arith::size("m" + std::to_string(++sizes_)), i32());
    case 3:
    case 4:
      return ir::scalar_type(Scalar::F32);
    default:
      return i32();
  }
}

Term Instances::parameter(Type type) {
  const Term variable = ir::fresh(type, "p" + std::to_string(parameters_.size()));
  parameters_.push_back(variable);
  scope_.push_back(variable);
  return variable;
}

Term Instances::literal(Scalar scalar) {
  if (is_float(scalar)) return ir::literal(ScalarValue::of_real(scalar, static_cast<double>(below(9)) - 4.0));
  return ir::literal(ScalarValue::of_integer(scalar, static_cast<std::int64_t>(below(7)) - 2));
}

Term Instances::inside(Type parameter, const std::function<Term()>& body) {
  const Term variable = ir::fresh(parameter, "v");
  scope_.push_back(variable);
  const Term result = body();
  scope_.pop_back();
  return ir::lambda(std::vector<Term>{variable}, result);
}

Term Instances::scalar_value(Scalar scalar, int fuel) {
  const Type type = ir::scalar_type(scalar);
  if (fuel > 0 && !chance(0.3)) {
    if (scalar == Scalar::Bool) {
      return ir::scalar_call(ScalarOp::Less, {value(i32(), fuel - 1), value(i32(), fuel - 1)});
    }
    static constexpr ScalarOp operations[] = {ScalarOp::Add, ScalarOp::Subtract, ScalarOp::Multiply,
                                              ScalarOp::Maximum, ScalarOp::Minimum};
    if (chance(0.15)) {
      return ir::if_then_else(value(ir::scalar_type(Scalar::Bool), fuel - 1), value(type, fuel - 1),
                              value(type, fuel - 1));
    }
    return ir::scalar_call(operations[below(5)], {value(type, fuel - 1), value(type, fuel - 1)});
  }
  // Something of a variable, the inner ones first: functions should depend on their arguments.
  std::vector<Term> found;
  for (Term variable : scope_) {
    Term part = variable;
    while (ir::is_tuple(part.type()))
      part = ir::get(static_cast<std::uint32_t>(below(part.type()->elements.size())), part);
    bool is_reduced = false;
    while (ir::is_array(part.type()) && ir::is_array(ir::element_of(part.type())))
      part = ir::call(Op::At, {}, {literal_index(), part});
    if (ir::is_array(part.type()) && ir::is_scalar(ir::element_of(part.type()))) {
      const Scalar of = ir::element_of(part.type())->scalar;
      if (of == Scalar::Bool) continue;
      const Term maximum =
          ir::lambda({ir::scalar_type(of), ir::scalar_type(of)}, [](const std::vector<Term>& both) {
            return ir::scalar_call(ScalarOp::Maximum, {both[0], both[1]});
          });
      part = ir::call(Op::Reduce, {}, {maximum, literal(of), part});
      is_reduced = true;
    }
    if (!ir::is_scalar(part.type()) || part.type()->scalar == Scalar::Bool) continue;
    if (is_reduced && chance(0.5)) continue;
    if (part.type()->scalar != scalar && scalar != Scalar::Bool) part = ir::cast(scalar, part);
    if (part.type() == type) found.push_back(part);
  }
  if (found.empty() || chance(0.1)) return literal(scalar);
  const std::size_t last = found.size() - 1;
  return chance(0.6) ? found[last] : found[below(found.size())];
}

Term Instances::literal_index() { return ir::literal(ScalarValue::of_integer(Scalar::I32, 0)); }

Term Instances::array_value(Type type, int fuel) {
  const Type inner = ir::element_of(type);
  if (fuel > 0) {
    for (Term variable : scope_) {
      const bool fits = ir::is_array(variable.type()) && variable.type()->size == type->size;
      if (!fits || chance(0.4)) continue;
      const Term f = inside(ir::element_of(variable.type()), [&] { return value(inner, fuel - 1); });
      return ir::call(Op::Map, {}, {f, variable});
    }
  }
  return ir::call(Op::Generate, {type->size}, {inside(i32(), [&] { return value(inner, fuel - 1); })});
}

Term Instances::value(Type type, int fuel) {
  std::vector<Term> same;
  for (Term variable : scope_) {
    if (variable.type() == type) same.push_back(variable);
  }
  if (!same.empty() && chance(0.3)) return same[below(same.size())];
  switch (type->kind) {
    case ir::TypeKind::Scalar:
      return scalar_value(type->scalar, fuel);
    case ir::TypeKind::Vector: {
      const Term one = ir::call(Op::Broadcast, {type->size}, {scalar_value(type->scalar, fuel - 1)});
      return same.empty() ? one : ir::scalar_call(ScalarOp::Add, {same[below(same.size())], one});
    }
    case ir::TypeKind::Tuple: {
      std::vector<Term> components;
      for (Type each : type->elements) components.push_back(value(each, fuel - 1));
      return ir::tuple(std::move(components));
    }
    default:
      return array_value(type, fuel);
  }
}

Term Instances::function(Type type) {
  std::vector<Term> variables;
  const std::size_t before = scope_.size();
  for (std::size_t i = 0; i + 1 < type->elements.size(); ++i) {
    variables.push_back(ir::fresh(type->elements[i], "a" + std::to_string(i)));
    scope_.push_back(variables.back());
  }
  const Term body = value(type->elements.back(), 3);
  scope_.resize(before);
  return ir::lambda(variables, body);
}

Term Instances::permutation(Expr length) {
  return ir::lambda({i32()}, [&](const std::vector<Term>& i) {
    if (chance(0.5)) return ir::scalar_call(ScalarOp::Subtract, {ir::size_value(length - 1), i[0]});
    const Term moved =
        ir::scalar_call(ScalarOp::Add, {i[0], ir::literal(ScalarValue::of_integer(Scalar::I32, 1))});
    return ir::scalar_call(ScalarOp::Remainder, {moved, ir::size_value(length)});
  });
}

/// Operators that conditions ask something of.
void Instances::fill_operator(const Rule& rule, Bindings& bindings, const std::vector<Type>& types) {
  for (const Condition& condition : rule.conditions) {
    const bool is_of_operator = condition.kind == Condition::Kind::Associative ||
                                condition.kind == Condition::Kind::Commutative ||
                                condition.kind == Condition::Kind::Neutral;
    if (!is_of_operator) continue;
    const std::uint32_t f = condition.terms[0];
    Type state = types[f]->elements.back();
    if (!ir::is_scalar(state)) continue;
    const Scalar scalar = state->scalar;
    const bool needs_commutative =
        std::any_of(rule.conditions.begin(), rule.conditions.end(), [](const Condition& each) {
          return each.kind == Condition::Kind::Commutative || each.kind == Condition::Kind::Neutral;
        });
    if (!needs_commutative && !bindings.terms[f] && chance(0.5)) {
      // The last element that is not negative: associative, and all that is known of it is claimed.
      bindings.terms[f] = ir::lambda(
          {state, state},
          [&](const std::vector<Term>& both) {
            const Term zero = ir::cast(scalar, ir::literal(ScalarValue::of_integer(Scalar::I32, 0)));
            return ir::if_then_else(ir::scalar_call(ScalarOp::Less, {both[1], zero}), both[0], both[1]);
          },
          {}, {true, false});
    }
    static constexpr ScalarOp operations[] = {ScalarOp::Add, ScalarOp::Multiply, ScalarOp::BitOr};
    const ScalarOp op = operations[below(is_integer(scalar) ? 3 : 2)];
    if (!bindings.terms[f]) {
      bindings.terms[f] = ir::lambda({state, state}, [&](const std::vector<Term>& both) {
        return ir::scalar_call(op, {both[0], both[1]});
      });
    }
    if (condition.kind == Condition::Kind::Neutral) {
      const auto* used = bindings.terms[f].as<ir::Lambda>()->body.as<ir::ScalarCall>();
      const int neutral = used->op == ScalarOp::Multiply ? 1 : 0;
      bindings.terms[condition.terms[1]] =
          ir::literal(is_float(scalar) ? ScalarValue::of_real(scalar, neutral)
                                       : ScalarValue::of_integer(scalar, neutral));
    }
  }
}

void Instances::fill(const Rule& rule, Bindings& bindings, const std::vector<Type>& types) {
  std::vector<std::uint32_t> orders, indices;
  collect_roles(rule.law.left, orders, indices);
  const auto has = [](const std::vector<std::uint32_t>& list, std::size_t i) {
    return std::find(list.begin(), list.end(), i) != list.end();
  };
  const auto& metavariables = rule.law.metavariables;
  // Data first: functions may use it.
  for (std::size_t i = 0; i < metavariables.size(); ++i) {
    if (bindings.terms[i] || metavariables[i].kind != Metavariable::Kind::Data) continue;
    if (has(indices, i)) {
      bindings.terms[i] =
          ir::literal(ScalarValue::of_integer(Scalar::I32, static_cast<std::int64_t>(below(3))));
    } else {
      bindings.terms[i] = chance(0.75) ? parameter(types[i]) : value(types[i], 2);
    }
  }
  for (std::size_t i = 0; i < metavariables.size(); ++i) {
    if (bindings.terms[i] || metavariables[i].kind != Metavariable::Kind::Function) continue;
    bindings.terms[i] = has(orders, i) ? permutation(1) : function(types[i]);
  }
  if (orders.empty()) return;
  const Expr length = reordered_length(rewrite::instantiate(rule.law, rule.law.left, bindings));
  for (std::uint32_t each : orders) bindings.terms[each] = permutation(length);
}

ir::Program Instances::program(const Rule& rule) {
  parameters_.clear();
  scope_.clear();
  parameter(i32());
  // Half of the instances stand inside a function and use its variable; those for a map of local work-items
  // must.
  const bool needs_group =
      std::any_of(rule.conditions.begin(), rule.conditions.end(), [](const Condition& each) {
        return each.kind == Condition::Kind::Hierarchy && each.op == Op::MapLocal;
      });
  const bool is_inside = needs_group || chance(0.5);
  Term around, variable;
  if (is_inside) {
    around = parameter(ir::array_type(arith::size("k"), i32()));
    variable = ir::fresh(i32(), "around");
    scope_.push_back(variable);
  }
  const rewrite::InferredTypes inferred = rewrite::infer_types(rule, [this] { return element(); });
  Bindings bindings;
  bindings.sizes = inferred.sizes;
  bindings.terms.resize(inferred.types.size());
  std::vector<std::uint32_t> boundaries;
  collect_boundaries(rule.law.left, boundaries);
  for (std::uint32_t each : boundaries) bindings.sizes[each] = static_cast<std::int64_t>(below(3));
  fill_operator(rule, bindings, inferred.types);
  fill(rule, bindings, inferred.types);
  Term body = rewrite::instantiate(rule.law, rule.law.left, bindings);
  if (is_inside) {
    const Term function_around = ir::lambda(std::vector<Term>{variable}, body);
    body = needs_group ? ir::call(Op::MapGroup, {0}, {function_around, around})
                       : ir::call(Op::Map, {}, {function_around, around});
  }
  ir::Program program;
  program.name = "instance";
  for (Term each : parameters_) program.parameters.push_back({each.as<ir::Free>()->name, each.type()});
  program.function = ir::lambda(parameters_, body);
  for (Term each : parameters_) collect_sizes(each.type(), program.sizes);
  collect_sizes(body, program.sizes);
  return program;
}

}  // namespace hoist::testing_support
