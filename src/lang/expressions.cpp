// Expressions whose result is a value.
//
// `term_of` elaborates an expression to a term; there is a `visit` for each kind of expression. The type that
// is expected is handed down, but only literals without a suffix look at it: so `is_untyped` tells which
// expressions have no type but that of their place, and those are elaborated after what stands beside them.
#include <fmt/format.h>

#include <algorithm>

#include "lang/elaborator.hpp"
#include "lang/literals.hpp"

namespace hoist::lang {
namespace {

std::optional<Scalar> scalar_of(ir::Type type) {
  if (type && (ir::is_scalar(type) || ir::is_vector(type))) return type->scalar;
  return std::nullopt;
}

/// Whether it is numbers, names and what operators make of them.
bool is_arithmetic(const syntax::Expression& expression) {
  if (expression.as<syntax::Number>() != nullptr || expression.as<syntax::Name>() != nullptr) return true;
  if (const auto* unary = expression.as<syntax::Unary>()) return is_arithmetic(*unary->operand);
  const auto* binary = expression.as<syntax::Binary>();
  return binary != nullptr && is_arithmetic(*binary->left) && is_arithmetic(*binary->right);
}

bool is_bool_vector(ir::Type type) { return ir::is_vector(type) && type->scalar == Scalar::Bool; }

}  // namespace

ir::Term Elaborator::term_of(const Expression& expression, const Environment& environment,
                             ir::Type expected) {
  const LimitGuard guard(*this, environment.place(expression.span));
  return std::visit([&](const auto& node) { return visit(node, expression, environment, expected); },
                    expression.node);
}

ir::Term Elaborator::term_of(Argument& argument, const Location& place, ir::Type expected) {
  if (argument.has_failed) return {};
  if (argument.term) return argument.term;
  if (argument.size && argument.expression == nullptr) {
    return make(place, [&] { return ir::size_value(argument.size); });
  }
  // A literal takes its type from each place anew; what is computed of literals, once for each type.
  const bool has_any_type = is_untyped(argument);
  const bool is_computed = argument.expression->as<syntax::Number>() == nullptr &&
                           argument.expression->as<syntax::Name>() == nullptr;
  if (has_any_type && !is_computed) return term_of(*argument.expression, argument.environment, expected);
  ir::Term& result = has_any_type ? argument.terms[scalar_of(expected)] : argument.term;
  if (result) return result;
  Anchor* const current = anchor_;
  anchor_ = argument.anchor;
  const ir::Term term = term_of(*argument.expression, argument.environment, expected);
  if (term) result = shared(term, *argument.anchor, argument.name);
  anchor_ = current;
  if (!term && !diagnostics_.is_quiet()) argument.has_failed = true;
  return result;
}

ir::Term Elaborator::single_use(Argument& argument, const Location& place, ir::Type expected) {
  const bool is_known = argument.has_failed || argument.term || argument.expression == nullptr;
  if (is_known || !argument.name.empty()) return term_of(argument, place, expected);
  return term_of(*argument.expression, argument.environment, expected);
}

bool Elaborator::is_untyped(const Argument& argument) {
  if (argument.has_failed || argument.term || argument.expression == nullptr) return false;
  if (!argument.is_untyped) {
    argument.is_untyped =
        is_arithmetic(*argument.expression) && is_untyped(*argument.expression, argument.environment);
  }
  return *argument.is_untyped;
}

bool Elaborator::is_untyped(const Expression& expression, const Environment& environment) {
  if (const auto* number = expression.as<syntax::Number>()) return !number->suffix;
  if (const auto* name = expression.as<syntax::Name>()) {
    const Argument* bound = environment.find(name->name);
    return bound != nullptr && is_untyped(*bound);
  }
  if (const auto* unary = expression.as<syntax::Unary>()) return is_untyped(*unary->operand, environment);
  if (const auto* binary = expression.as<syntax::Binary>()) {
    return !info(binary->op).gives_bool && is_untyped(*binary->left, environment) &&
           is_untyped(*binary->right, environment);
  }
  if (const auto* conditional = expression.as<syntax::If>()) {
    return is_untyped(*conditional->then_expression, environment) &&
           is_untyped(*conditional->else_expression, environment);
  }
  const auto are_untyped = [&](const std::vector<const Expression*>& parts) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const Expression* part) { return is_untyped(*part, environment); });
  };
  if (const auto* tuple = expression.as<syntax::Tuple>()) return are_untyped(tuple->components);
  if (const auto* array = expression.as<syntax::Array>()) return are_untyped(array->elements);
  if (const auto* compose = expression.as<syntax::Compose>())
    return are_untyped({compose->first, compose->second});
  if (const auto* apply = expression.as<syntax::Apply>()) {
    const auto inside = inside_of_call(*apply, environment);
    return inside && is_untyped(*inside->first, inside->second);
  }
  return false;
}

std::optional<std::pair<const Elaborator::Expression*, Environment>> Elaborator::inside_of_call(
    const syntax::Apply& apply, const Environment& environment) {
  const auto* name = apply.callee->as<syntax::Name>();
  if (name == nullptr || environment.find(name->name) != nullptr) return std::nullopt;
  const LimitGuard guard(*this, environment.place(apply.callee->span));
  const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
  const Global global = globals_.find(name->name, in_prelude);
  const auto* op = std::get_if<ir::Op>(&global);
  if (op != nullptr && *op == ir::Op::Generate && apply.arguments.size() == 2) {
    const auto* lambda = apply.arguments[1]->as<syntax::Lambda>();
    if (lambda == nullptr || lambda->parameters.size() != 1) return std::nullopt;
    return std::pair{lambda->body, bind_names(lambda->parameters, {failed_argument()}, environment)};
  }
  const auto* found = std::get_if<const syntax::Definition*>(&global);
  const bool is_expanded = found != nullptr && !globals_.is_recursive(*found) &&
                           (*found)->parameters.size() == apply.arguments.size();
  if (!is_expanded) return std::nullopt;
  Arguments arguments;
  for (const Expression* each : apply.arguments) arguments.push_back(argument(*each, environment));
  expansions_.push_back({*found, globals_.is_prelude(*found), {}, environment.expansion});
  return std::pair{(*found)->body,
                   bind_names((*found)->parameters, arguments, {nullptr, &expansions_.back()})};
}

ir::Term Elaborator::not_a_value(const Location& place, std::string_view what) {
  report(place, fmt::format("{} stands where a value is needed", what), "functions are no values",
         "apply it, or pass it to a function that takes one, as in map(f, x)");
  return {};
}

ir::Term Elaborator::visit(const syntax::Number& number, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const auto value = value_of(number, scalar_of(expected));
  if (!value) {
    report(environment.place(e.span), value.error());
    return {};
  }
  return ir::literal(*value);
}

ir::Term Elaborator::visit(const syntax::Boolean& boolean, const Expression&, const Environment&, ir::Type) {
  return ir::literal(ScalarValue::of_bool(boolean.value));
}

ir::Term Elaborator::visit(const syntax::Name& name, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const Location place = environment.place(e.span);
  if (Argument* bound = environment.find(name.name)) return term_of(*bound, place, expected);
  const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
  const Global global = globals_.find(name.name, in_prelude);
  if (const auto* definition = std::get_if<const syntax::Definition*>(&global)) {
    if ((*definition)->parameters.empty()) {
      const AnchorScope scope(*this);
      const Function function{PartialDefinition{*definition, globals_.is_prelude(*definition), {}}, place};
      return scope.close(apply(function, {}, place, expected));
    }
    return not_a_value(place, fmt::format("the function '{}'", name.name));
  }
  if (std::holds_alternative<std::monostate>(global)) {
    // What is unknown everywhere is reported already; a size in the type of a result may be known there only.
    report(place, fmt::format("nothing is named '{}' here", name.name));
    return {};
  }
  const auto* word = std::get_if<Word>(&global);
  if (word != nullptr && boundary_named(*word)) {
    report(place, fmt::format("'{}' says what pad puts around an array; it is no value", name.name));
    return {};
  }
  return not_a_value(place, fmt::format("the function '{}'", name.name));
}

ir::Term Elaborator::visit(const syntax::Hole& hole, const Expression& e, const Environment& environment,
                           ir::Type) {
  const Location place = environment.place(e.span);
  const arith::Expr size = size_of(hole, place);
  if (!size) return {};
  return make(place, [&] { return ir::size_value(size); });
}

ir::Term Elaborator::visit(const syntax::Operator& node, const Expression& e, const Environment& environment,
                           ir::Type) {
  return not_a_value(environment.place(e.span), fmt::format("the operator {}", info(node.op).symbol));
}

ir::Term Elaborator::visit(const syntax::Lambda&, const Expression& e, const Environment& environment,
                           ir::Type) {
  return not_a_value(environment.place(e.span), "a function");
}

ir::Term Elaborator::visit(const syntax::Compose& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  if (!is_shift(node, environment))
    return not_a_value(environment.place(e.span), "a composition of functions");
  const Arguments arguments{argument(*node.first, environment), argument(*node.second, environment)};
  return apply_scalar(ScalarOp::ShiftRight, arguments, environment.place(e.span), expected);
}

std::optional<Environment> Elaborator::without_value(const syntax::Let& let, const Environment& environment) {
  const syntax::Pattern& pattern = *let.pattern;
  if (binds_untyped(pattern, *let.value, environment))
    return bind_parameters({&pattern}, {argument(*let.value, environment)}, environment);
  if (pattern.name.empty()) return std::nullopt;
  const bool is_size = pattern.type != nullptr && pattern.type->kind == syntax::Type::Kind::Size;
  if (is_size) {
    const arith::Expr size = size_of(*let.value, environment);
    return bind(environment, pattern.name, size ? known_size(size) : failed_argument());
  }
  const Kind kind = kind_of(*let.value, environment);
  if (kind != Kind::Function && kind != Kind::Boundary) return std::nullopt;
  Argument* value = argument(*let.value, environment);
  value->name = pattern.name;
  return bind(environment, pattern.name, value);
}

bool Elaborator::binds_untyped(const syntax::Pattern& pattern, const Expression& value,
                               const Environment& environment) {
  if (pattern.type != nullptr) return false;
  if (pattern.components.empty()) return is_arithmetic(value) && is_untyped(value, environment);
  const auto* tuple = value.as<syntax::Tuple>();
  if (tuple == nullptr || tuple->components.size() != pattern.components.size()) return false;
  for (std::size_t index = 0; index < pattern.components.size(); ++index) {
    if (!binds_untyped(*pattern.components[index], *tuple->components[index], environment)) return false;
  }
  return true;
}

ir::Term Elaborator::let_value(const syntax::Let& let, const Environment& environment) {
  const ir::Type expected = literal_type(let.pattern->type);
  const AnchorScope scope(*this);
  return scope.close(term_of(*let.value, environment, expected));
}

Environment Elaborator::bind_let(const syntax::Let& let, ir::Term value, const Environment& environment) {
  return bind_parameters({let.pattern}, {value ? known_argument(value) : failed_argument()}, environment);
}

ir::Term Elaborator::visit(const syntax::Let& let, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const Location place = environment.place(e.span);
  if (const auto inside = without_value(let, environment)) return term_of(*let.body, *inside, expected);
  const ir::Term value = let_value(let, environment);
  ir::Term variable;
  if (value) {
    std::vector<std::string_view> names;
    collect_bound_names(*let.pattern, names);
    std::string name(names.empty() ? "value" : names[0]);
    for (std::size_t index = 1; index < names.size(); ++index) name += fmt::format("_{}", names[index]);
    variable = ir::fresh(value.type(), name);
  }
  ir::Term body;
  {
    const AnchorScope scope(*this);
    body = scope.close(term_of(*let.body, bind_let(let, variable, environment), expected));
  }
  if (!value || !body) return {};
  return make(place, [&] { return ir::let(value, ir::lambda({variable}, body)); });
}

ir::Term Elaborator::visit(const syntax::If& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const Location place = environment.place(e.span);
  const ir::Term condition = term_of(*node.condition, environment);
  const auto branch = [&](const Expression* expression, ir::Type type) {
    const AnchorScope scope(*this);
    return scope.close(term_of(*expression, environment, type));
  };
  ir::Term then_term, else_term;
  if (is_untyped(*node.then_expression, environment)) {
    else_term = branch(node.else_expression, expected);
    then_term = branch(node.then_expression, else_term && !expected ? else_term.type() : expected);
  } else {
    then_term = branch(node.then_expression, expected);
    else_term = branch(node.else_expression, then_term && !expected ? then_term.type() : expected);
  }
  if (!condition || !then_term || !else_term) return {};
  const bool is_condition =
      is_bool_vector(condition.type()) || condition.type() == ir::scalar_type(Scalar::Bool);
  if (!is_condition) {
    report(environment.place(node.condition->span),
           fmt::format("the condition of 'if' is {}, not bool", ir::to_string(condition.type())), "",
           is_integer(scalar_of(condition.type()).value_or(Scalar::F32)) ? "compare it: x != 0" : "");
    return {};
  }
  // On vectors each component chooses for itself.
  if (is_bool_vector(condition.type())) {
    return make(place, [&] { return ir::scalar_call(ScalarOp::Select, {condition, then_term, else_term}); });
  }
  if (then_term.type() != else_term.type()) {
    report(place, fmt::format("'if' gives {} or {}; both must have one type", ir::to_string(then_term.type()),
                              ir::to_string(else_term.type())));
    return {};
  }
  return make(place, [&] { return ir::if_then_else(condition, then_term, else_term); });
}

ir::Term Elaborator::visit(const syntax::Pipe& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const AnchorScope scope(*this);
  const Arguments arguments{argument(*node.argument, environment)};
  return scope.close(
      apply_callee(*node.function, environment, arguments, environment.place(e.span), expected));
}

ir::Term Elaborator::visit(const syntax::Apply& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const AnchorScope scope(*this);
  Arguments arguments;
  for (const Expression* expression : node.arguments) arguments.push_back(argument(*expression, environment));
  return scope.close(apply_callee(*node.callee, environment, arguments, environment.place(e.span), expected));
}

ir::Term Elaborator::visit(const syntax::Binary& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const Arguments arguments{argument(*node.left, environment), argument(*node.right, environment)};
  return apply_scalar(node.op, arguments, environment.place(e.span), expected);
}

ir::Term Elaborator::visit(const syntax::Unary& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  return apply_scalar(node.op, {argument(*node.operand, environment)}, environment.place(e.span), expected);
}

ir::Term Elaborator::visit(const syntax::Index& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const Location place = environment.place(e.span);
  const Arguments arguments{argument(*node.index, environment), argument(*node.array, environment)};
  return apply_primitive(ir::Op::At, arguments, place, expected);
}

ir::Term Elaborator::visit(const syntax::Get& node, const Expression& e, const Environment& environment,
                           ir::Type) {
  const Location place = environment.place(e.span);
  const ir::Term tuple = term_of(*node.tuple, environment);
  if (!tuple) return {};
  const ir::Type type = tuple.type();
  if (!ir::is_tuple(type)) {
    report(
        place,
        fmt::format("'.{}' takes a component of a tuple, and this is {}", node.position, ir::to_string(type)),
        "", ir::is_array(type) ? fmt::format("x[{}] is an element of an array", node.position) : "");
    return {};
  }
  if (node.position >= type->elements.size()) {
    report(place, fmt::format("there is no component {} in {}", node.position, ir::to_string(type)), "",
           "components are numbered from 0");
    return {};
  }
  return make(place, [&] { return ir::get(node.position, tuple); });
}

ir::Term Elaborator::visit(const syntax::Tuple& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const bool is_expected =
      expected && ir::is_tuple(expected) && expected->elements.size() == node.components.size();
  std::vector<ir::Term> components;
  for (std::size_t index = 0; index < node.components.size(); ++index) {
    components.push_back(
        term_of(*node.components[index], environment, is_expected ? expected->elements[index] : ir::Type{}));
  }
  if (std::any_of(components.begin(), components.end(), [](ir::Term term) { return !term; })) return {};
  return make(environment.place(e.span), [&] { return ir::tuple(components); });
}

namespace {

/// The element at an index that is one of `count` from `from` on.
ir::Term element_at(ir::Term index, const std::vector<ir::Term>& elements, std::size_t from,
                    std::size_t count) {
  if (count == 1) return elements[from];
  const std::size_t half = count / 2;
  const auto border = static_cast<std::int64_t>(from + half);
  return ir::if_then_else(
      ir::scalar_call(ScalarOp::Less, {index, ir::literal(ScalarValue::of_integer(Scalar::I32, border))}),
      element_at(index, elements, from, half), element_at(index, elements, from + half, count - half));
}

}  // namespace

ir::Term Elaborator::visit(const syntax::Array& node, const Expression& e, const Environment& environment,
                           ir::Type expected) {
  const Location place = environment.place(e.span);
  const std::size_t count = node.elements.size();
  ir::Type type = expected && ir::is_array(expected) ? ir::element_of(expected) : ir::Type{};
  std::vector<ir::Term> elements(count);
  if (!type && is_untyped(e, environment)) {
    // Where all elements are literals, those with a point decide.
    const Diagnostics::Quiet quiet(diagnostics_);
    for (const Expression* element : node.elements) {
      const ir::Term plain = term_of(*element, environment);
      if (!type && plain && is_float(ir::leaves(plain.type())[0].scalar)) type = plain.type();
    }
  }
  for (const bool late : {false, true}) {
    for (std::size_t index = 0; index < count; ++index) {
      if (is_untyped(*node.elements[index], environment) != late) continue;
      elements[index] = term_of(*node.elements[index], environment, type);
      if (elements[index] && !type) type = elements[index].type();
    }
  }
  if (std::any_of(elements.begin(), elements.end(), [](ir::Term term) { return !term; })) return {};
  for (std::size_t index = 1; index < count; ++index) {
    if (elements[index].type() == elements[0].type()) continue;
    report(environment.place(node.elements[index]->span),
           fmt::format("the elements of an array have one type, and this is {} beside {}",
                       ir::to_string(elements[index].type()), ir::to_string(elements[0].type())));
    return {};
  }
  for (ir::Term& element : elements) element = shared(element, *anchor_, "element");
  const ir::Term index = ir::fresh(ir::scalar_type(Scalar::I32), "i");
  return make(place, [&] {
    return ir::call(ir::Op::Generate, {static_cast<std::int64_t>(count)},
                    {ir::lambda(std::vector<ir::Term>{index}, element_at(index, elements, 0, count))});
  });
}

}  // namespace hoist::lang
