// Types, sizes and boundaries.
//
// `type_of` and `size_of` turn the text of types and sizes into theirs; a size is made of whole numbers,
// sizes and their operators, and everything else is an error that says so. The other direction is
// `bind_sizes`: given that a parameter of type [2 * N]f32 gets an array of 10, it solves 2 * N = 10 for N.
// `check_type` compares a stated type with the one that was inferred: sizes that may differ are told apart
// from sizes that do.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lang/elaborator.hpp"
#include "lang/limits.hpp"

namespace hoist::lang {
namespace {

using arith::Truth;

/// With exact division written as division: what divides is a matter of assumptions, not of types.
arith::Expr without_exactness(arith::Expr e) {
  if (!e->has_variables || e.kind() == arith::Kind::Variable) return e;
  std::vector<arith::Expr> operands;
  for (arith::Expr operand : e->operands) operands.push_back(without_exactness(operand));
  switch (e.kind()) {
    case arith::Kind::Sum:
      return arith::sum(operands);
    case arith::Kind::Product:
      return arith::product(operands);
    case arith::Kind::Quotient:
    case arith::Kind::ExactQuotient:
      return operands[0] / operands[1];
    case arith::Kind::Remainder:
      return operands[0] % operands[1];
    case arith::Kind::CeilingQuotient:
      return arith::ceiling_quotient(operands[0], operands[1]);
    case arith::Kind::Power:
      return arith::power(operands[0], operands[1]);
    case arith::Kind::Minimum:
      return arith::minimum(operands[0], operands[1]);
    case arith::Kind::Maximum:
      return arith::maximum(operands[0], operands[1]);
    default:
      return e;
  }
}

Truth same_size(arith::Expr a, arith::Expr b) {
  const Truth truth = arith::equal(a, b);
  return truth == Truth::Yes ? truth : arith::equal(without_exactness(a), without_exactness(b));
}

/// Two sizes that differ or may differ.
struct Mismatch {
  Truth truth = Truth::Yes;
  arith::Expr stated, actual;
};

Mismatch compare(ir::Type stated, ir::Type actual) {
  if (stated == actual) return {};
  if (stated->kind != actual->kind || stated->elements.size() != actual->elements.size())
    return {Truth::No, {}, {}};
  Mismatch result;
  switch (stated->kind) {
    case ir::TypeKind::Scalar:
      return {Truth::No, {}, {}};
    case ir::TypeKind::Vector:
    case ir::TypeKind::Array: {
      if (stated->kind == ir::TypeKind::Vector && stated->scalar != actual->scalar)
        return {Truth::No, {}, {}};
      const Truth truth = same_size(stated->size, actual->size);
      if (truth != Truth::Yes) result = {truth, stated->size, actual->size};
      break;
    }
    default:
      break;
  }
  for (std::size_t index = 0; index < stated->elements.size() && result.truth != Truth::No; ++index) {
    const Mismatch inner = compare(stated->elements[index], actual->elements[index]);
    if (inner.truth == Truth::No || result.truth == Truth::Yes) result = inner;
  }
  return result;
}

constexpr std::string_view size_help =
    "a size is made of whole numbers, size names, ?parameters and + - * / % ** min max ceildiv exactdiv";

}  // namespace

ir::Type Elaborator::type_of(const syntax::Type& type, const Environment& environment, ir::Type given) {
  using TypeKind = syntax::Type::Kind;
  const auto element_of = [&](std::size_t index) {
    const bool is_given = given && index < given->elements.size();
    return type_of(*type.elements[index], environment, is_given ? given->elements[index] : ir::Type{});
  };
  switch (type.kind) {
    case TypeKind::Scalar:
      return ir::scalar_type(type.scalar);
    case TypeKind::Vector: {
      const arith::Expr width = array_length_of(*type.size, environment);
      return width ? ir::vector_type(type.scalar, width) : ir::Type{};
    }
    case TypeKind::Tuple: {
      std::vector<ir::Type> components;
      for (std::size_t index = 0; index < type.elements.size(); ++index)
        components.push_back(element_of(index));
      const bool is_known =
          std::all_of(components.begin(), components.end(), [](ir::Type t) { return bool(t); });
      return is_known ? ir::tuple_type(std::move(components)) : ir::Type{};
    }
    case TypeKind::Array: {
      const arith::Expr length = array_length_of(*type.size, environment);
      const ir::Type element = element_of(0);
      return length && element ? ir::array_type(length, element) : ir::Type{};
    }
    case TypeKind::Any:
      if (given) return given;
      report(environment.place(type.span), "nothing says what type this is", "",
             "'_' stands for any type of what is given to a definition or a lambda");
      return {};
    case TypeKind::Size:
      break;
  }
  report(environment.place(type.span), "'size' is no type of data", "",
         "a parameter of a definition, or a let, may be a size: def tile(s: size, x) = ...");
  return {};
}

ir::Type Elaborator::literal_type(const syntax::Type* type) const {
  if (type == nullptr) return {};
  if (type->kind == syntax::Type::Kind::Scalar) return ir::scalar_type(type->scalar);
  if (type->kind != syntax::Type::Kind::Tuple) return {};
  std::vector<ir::Type> components;
  for (const syntax::Type* element : type->elements) {
    components.push_back(literal_type(element));
    if (!components.back()) return {};
  }
  return ir::tuple_type(std::move(components));
}

arith::Expr Elaborator::array_length_of(const Expression& expression, const Environment& environment) {
  const arith::Expr size = size_of(expression, environment);
  if (!size || arith::less(size, 0) != Truth::Yes) return size;
  report(environment.place(expression.span),
         fmt::format("an array has at least 0 elements, and this is {}", arith::to_string(size)));
  return {};
}

arith::Expr Elaborator::size_of(const syntax::Hole& hole, const Location& place) {
  if (hole.digits.empty()) return arith::parameter(hole.name);
  std::int64_t value = 0;
  const char* end = hole.digits.data() + hole.digits.size();
  const auto [stop, error] = std::from_chars(hole.digits.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value > limits::size_constant) {
    report(place,
           fmt::format("a number that kernels learn at their launch is from 1 to {}", limits::size_constant));
    return {};
  }
  const std::int64_t known = launched_.emplace(hole.name, value).first->second;
  if (known != value) {
    report(place,
           fmt::format("?{} is {} in one place and {} in another", hole.name, std::min(value, known),
                       std::max(value, known)),
           "", "kernels learn one number for each name");
    return {};
  }
  return arith::launched(hole.name, value);
}

arith::Expr Elaborator::size_of(const Expression& expression, const Environment& environment) {
  const Location place = environment.place(expression.span);
  const LimitGuard guard(*this, place);
  if (const auto* number = expression.as<syntax::Number>()) {
    std::int64_t value = 0;
    const char* end = number->digits.data() + number->digits.size();
    const auto [stop, error] = std::from_chars(number->digits.data(), end, value);
    if (number->is_real || (number->suffix && *number->suffix != Scalar::I32)) {
      report(place, "a size is a whole number", "", std::string(size_help));
      return {};
    }
    if (error != std::errc() || stop != end || value > limits::size_constant ||
        value < -limits::size_constant) {
      report(place, fmt::format("a size may not exceed {}", limits::size_constant));
      return {};
    }
    return value;
  }
  if (const auto* hole = expression.as<syntax::Hole>()) return size_of(*hole, place);
  if (const auto* name = expression.as<syntax::Name>()) {
    if (Argument* bound = environment.find(name->name)) return size_of(*bound, place);
    const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
    const Global global = globals_.find(name->name, in_prelude);
    if (const auto* definition = std::get_if<const syntax::Definition*>(&global)) {
      const Environment inside = expand({*definition, globals_.is_prelude(*definition), {}}, {}, place);
      if (inside.expansion == nullptr) return {};
      return size_of(*(*definition)->body, inside);
    }
    if (std::holds_alternative<std::monostate>(global)) {
      report(place, fmt::format("the size '{}' does not follow from the arguments", name->name), "",
             "name it in the type of a parameter, or pass it as a parameter of its own");
      return {};
    }
    report(place, fmt::format("'{}' is a function, where a size is needed", name->name), "",
           std::string(size_help));
    return {};
  }
  if (const auto* binary = expression.as<syntax::Binary>()) {
    const arith::Expr left = size_of(*binary->left, environment);
    const arith::Expr right = size_of(*binary->right, environment);
    return left && right ? size_of_binary(binary->op, left, right, place) : arith::Expr{};
  }
  if (const auto* unary = expression.as<syntax::Unary>(); unary && unary->op == ScalarOp::Negate) {
    const arith::Expr operand = size_of(*unary->operand, environment);
    return operand ? -operand : operand;
  }
  if (const auto* apply = expression.as<syntax::Apply>()) return size_of_call(*apply, environment, place);
  if (const auto* let = expression.as<syntax::Let>()) {
    if (const auto inside = without_value(*let, environment)) return size_of(*let->body, *inside);
  }
  if (const auto* conditional = expression.as<syntax::If>()) {
    const auto predicate = predicate_of(*conditional->condition, environment);
    const arith::Expr then_size = size_of(*conditional->then_expression, environment);
    const arith::Expr else_size = size_of(*conditional->else_expression, environment);
    if (!predicate || !then_size || !else_size) return {};
    return check_limits(place, arith::conditional(*predicate, then_size, else_size));
  }
  report(place, "a size is needed here", "", std::string(size_help));
  return {};
}

arith::Expr Elaborator::size_of(Argument& argument, const Location& place) {
  if (argument.has_failed) return {};
  if (argument.size) return argument.size;
  if (argument.term || argument.expression == nullptr) {
    // A literal is a number that is known now, whatever else it was used for.
    const auto* literal = argument.term ? argument.term.as<ir::Literal>() : nullptr;
    if (literal != nullptr && literal->value.type == Scalar::I32) return literal->value.integer;
    const auto* size = argument.term ? argument.term.as<ir::SizeValue>() : nullptr;
    if (size != nullptr) return size->size;
    if (argument.expression == nullptr) {
      report(place, "a size is needed here, and this value is only known when the program runs",
             "sizes are known before a program runs",
             "a size that is given a name is written: let h: size = N / 2");
      return {};
    }
  }
  const arith::Expr size = size_of(*argument.expression, argument.environment);
  if (size) argument.size = size;
  return size;
}

arith::Expr Elaborator::size_if_any(Argument& argument, const Location& place) {
  const Diagnostics::Quiet quiet(diagnostics_);
  return size_of(argument, place);
}

arith::Expr Elaborator::size_of_call(const syntax::Apply& apply, const Environment& environment,
                                     const Location& place) {
  const auto* name = apply.callee->as<syntax::Name>();
  if (name == nullptr || environment.find(name->name) != nullptr) {
    report(place, "a size is needed here", "", std::string(size_help));
    return {};
  }
  const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
  const Global global = globals_.find(name->name, in_prelude);
  if (const auto* definition = std::get_if<const syntax::Definition*>(&global)) {
    Arguments arguments;
    for (const Expression* expression : apply.arguments) {
      arguments.push_back(argument(*expression, environment));
    }
    const Environment inside = expand({*definition, globals_.is_prelude(*definition), {}}, arguments, place);
    if (inside.expansion == nullptr) return {};
    return size_of(*(*definition)->body, inside);
  }
  const auto* op = std::get_if<ScalarOp>(&global);
  const auto* word = std::get_if<Word>(&global);
  const bool is_division = word != nullptr && (*word == Word::CeilingDivide || *word == Word::ExactDivide);
  const bool is_binary = is_division || (op != nullptr && info(*op).arity == 2);
  const bool is_identity = word != nullptr && *word == Word::Size;
  if ((!is_binary && !is_identity) || apply.arguments.size() != (is_identity ? 1U : 2U)) {
    report(place, "a size is needed here", "", std::string(size_help));
    return {};
  }
  const arith::Expr first = size_of(*apply.arguments[0], environment);
  if (is_identity) return first;
  const arith::Expr second = size_of(*apply.arguments[1], environment);
  if (!first || !second) return {};
  if (!is_division) return size_of_binary(*op, first, second, place);
  if (arith::less(second, 1) == Truth::Yes) {
    report(place,
           fmt::format("{} divides by {}, which is not positive", name->name, arith::to_string(second)));
    return {};
  }
  if (*word == Word::CeilingDivide) return check_limits(place, arith::ceiling_quotient(first, second));
  if (arith::divides(second, first) == Truth::No) {
    report(place, fmt::format("{} does not divide {}", arith::to_string(second), arith::to_string(first)), "",
           "ceildiv(a, b) rounds up, a / b rounds down");
    return {};
  }
  return check_limits(place, arith::exact_quotient(first, second));
}

arith::Expr Elaborator::size_of_binary(ScalarOp op, arith::Expr left, arith::Expr right,
                                       const Location& place) {
  const auto a = left.constant();
  const auto b = right.constant();
  switch (op) {
    case ScalarOp::Add:
      return check_limits(place, left + right);
    case ScalarOp::Subtract:
      return check_limits(place, left - right);
    case ScalarOp::Multiply:
      return check_limits(place, left * right);
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      if (right.is_constant(0)) {
        report(place, "this size divides by zero");
        return {};
      }
      return check_limits(place, op == ScalarOp::Divide ? left / right : left % right);
    case ScalarOp::Power: {
      if (b && *b < 0) {
        report(place, "a size is not raised to a negative power");
        return {};
      }
      const bool is_large = a && b && std::abs(*a) > 1 &&
                            static_cast<double>(*b) * std::log2(std::abs(static_cast<double>(*a))) > 40;
      return check_limits(place,
                          is_large ? arith::Expr(limits::size_constant + 1) : arith::power(left, right));
    }
    case ScalarOp::Minimum:
      return check_limits(place, arith::minimum(left, right));
    case ScalarOp::Maximum:
      return check_limits(place, arith::maximum(left, right));
    default:
      report(place, "a size is needed here", "", std::string(size_help));
      return {};
  }
}

std::optional<arith::Predicate> Elaborator::predicate_of(const Expression& expression,
                                                         const Environment& environment) {
  const auto* binary = expression.as<syntax::Binary>();
  const bool is_comparison = binary != nullptr && info(binary->op).gives_bool &&
                             info(binary->op).domain != ScalarOpInfo::Domain::Boolean;
  if (!is_comparison) {
    report(environment.place(expression.span), "a size may only depend on the comparison of two sizes");
    return std::nullopt;
  }
  const arith::Expr left = size_of(*binary->left, environment);
  const arith::Expr right = size_of(*binary->right, environment);
  if (!left || !right) return std::nullopt;
  switch (binary->op) {
    case ScalarOp::Less:
      return arith::Predicate{arith::Relation::Less, left, right};
    case ScalarOp::LessEqual:
      return arith::Predicate{arith::Relation::LessEqual, left, right};
    case ScalarOp::Greater:
      return arith::Predicate{arith::Relation::Less, right, left};
    case ScalarOp::GreaterEqual:
      return arith::Predicate{arith::Relation::LessEqual, right, left};
    case ScalarOp::Equal:
      return arith::Predicate{arith::Relation::Equal, left, right};
    default:
      return arith::Predicate{arith::Relation::NotEqual, left, right};
  }
}

std::optional<ir::Boundary> Elaborator::boundary_of(const Expression& expression,
                                                    const Environment& environment) {
  const Expression* current = &expression;
  const Environment* scope = &environment;
  while (const auto* name = current->as<syntax::Name>()) {
    const Argument* bound = scope->find(name->name);
    if (bound == nullptr) {
      const Global global = builtin_named(name->name);
      const auto* word = std::get_if<Word>(&global);
      return word == nullptr ? std::nullopt : boundary_named(*word);
    }
    if (bound->expression == nullptr || bound->term) return std::nullopt;
    current = bound->expression;
    scope = &bound->environment;
  }
  return std::nullopt;
}

void Elaborator::bind_sizes(const std::vector<Stated>& stated, Environment& environment) {
  struct Equation {
    const Expression* stated;
    arith::Expr actual;
    Location place;
  };
  std::vector<Equation> equations;
  const auto walk = [&](const auto& self, const syntax::Type& type, ir::Type actual,
                        const Location& place) -> void {
    using TypeKind = syntax::Type::Kind;
    const bool is_sized = (type.kind == TypeKind::Array && ir::is_array(actual)) ||
                          (type.kind == TypeKind::Vector && ir::is_vector(actual));
    if (is_sized) equations.push_back({type.size, actual->size, place});
    const bool is_same_shape =
        (is_sized || (type.kind == TypeKind::Tuple && ir::is_tuple(actual))) &&
        (type.kind == TypeKind::Vector || type.elements.size() == actual->elements.size());
    if (!is_same_shape) return;
    for (std::size_t index = 0; index < type.elements.size(); ++index) {
      self(self, *type.elements[index], actual->elements[index], place);
    }
  };
  for (const Stated& value : stated) walk(walk, *value.type, value.actual, value.place);
  const auto is_unbound = [&](std::string_view name) {
    return environment.find(name) == nullptr &&
           !std::holds_alternative<const syntax::Definition*>(globals_.find(name, false));
  };
  // [N] gives N at once; [2 * N] is solved for N when nothing gives it directly.
  for (const Equation& equation : equations) {
    const auto* name = equation.stated->as<syntax::Name>();
    if (name != nullptr && is_unbound(name->name)) {
      environment = bind(environment, name->name, known_size(equation.actual));
    }
  }
  for (const Equation& equation : equations) {
    std::vector<std::string_view> names;
    collect_size_names(*equation.stated, names);
    std::erase_if(names, [&](std::string_view name) { return !is_unbound(name); });
    if (names.size() != 1) continue;
    // A name that no text can contain, so that it is no size of the program.
    const arith::Expr unknown = arith::size(fmt::format("{}'", names[0]));
    const Environment with_unknown = bind(environment, names[0], known_size(unknown));
    const arith::Expr left = size_of(*equation.stated, with_unknown);
    if (!left) continue;
    const arith::Expr solution = arith::solve(left, equation.actual, unknown);
    if (!solution) {
      const arith::Substitution readable{{unknown.get(), arith::size(names[0])}};
      report(equation.place, fmt::format("no value of the size {} is known for which {} is {}", names[0],
                                         arith::to_string(arith::substitute(left, readable)),
                                         arith::to_string(equation.actual)));
    }
    environment = bind(environment, names[0], solution ? known_size(solution) : failed_argument());
  }
}

bool Elaborator::check_type(const syntax::Type& stated, const Environment& environment, ir::Type actual,
                            const Location& place, std::string_view what) {
  const ir::Type expected = type_of(stated, environment, actual);
  if (!expected || !actual) return false;
  const Mismatch mismatch = compare(expected, actual);
  switch (mismatch.truth) {
    case Truth::Yes:
      return true;
    case Truth::No: {
      std::string note;
      if (mismatch.stated) {
        note =
            fmt::format("{} is not {}", arith::to_string(mismatch.actual), arith::to_string(mismatch.stated));
      }
      report(place, fmt::format("{} is {}, not {}", what, ir::to_string(actual), ir::to_string(expected)),
             note);
      return false;
    }
    case Truth::Unknown:
      report(place,
             fmt::format("{} is {}; that this is {} cannot be proven", what, ir::to_string(actual),
                         ir::to_string(expected)),
             fmt::format("nothing is known that makes {} equal to {}", arith::to_string(mismatch.actual),
                         arith::to_string(mismatch.stated)),
             fmt::format("write {} where {} is stated, or leave the type out",
                         arith::to_string(mismatch.actual), arith::to_string(mismatch.stated)));
      return false;
  }
  return false;
}

}  // namespace hoist::lang
