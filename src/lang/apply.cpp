// Functions applied to arguments.
//
// Functions are no values in Hoist: when the elaborator meets an application it knows the callee (values.hpp
// lists the kinds: closures, definitions and primitives with some of their arguments, compositions ...), and
// `apply` elaborates the callee's body with the arguments bound to its parameters. That is a beta reduction
// at compile time, so that no function is left in a term but where a pattern takes one: `instantiate` makes
// such a lambda, by applying the function to fresh variables of the types that the pattern gives.
//
// Read `apply` first, then what it does for each kind of function. `apply_scalar` gives literals the type of
// the operand beside them.
#include <fmt/format.h>

#include <algorithm>

#include "lang/elaborator.hpp"

namespace hoist::lang {
namespace {

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool is_numeric(ir::Type type) { return ir::is_scalar(type) || ir::is_vector(type); }

}  // namespace

ir::Term Elaborator::wrong_count(std::string_view what, std::size_t wanted, std::size_t given,
                                 const Location& place, std::string note, std::string help) {
  report(place,
         fmt::format("{} takes {}, and {} {} given", what, plural(wanted, "argument"),
                     given == 0 ? "none" : std::to_string(given), given < 2 ? "is" : "are"),
         std::move(note), std::move(help));
  return {};
}

ir::Term Elaborator::wrong_count_of_lambda(std::size_t wanted, const Arguments& given,
                                           const Location& place) {
  std::string types;
  bool has_tuple = false;
  for (Argument* each : given) {
    const ir::Term term = kind_of(*each) == Kind::Value ? term_of(*each, place) : ir::Term{};
    if (!term) return wrong_count("this function", wanted, given.size(), place);
    types += (types.empty() ? "" : " and ") + ir::to_string(term.type());
    has_tuple = has_tuple || ir::is_tuple(term.type());
  }
  return wrong_count("this function", wanted, given.size(), place,
                     given.empty() ? "" : fmt::format("it is given {}", types),
                     has_tuple ? "parentheses take a tuple apart: (s, (a, b)) => ..." : "");
}

Arguments Elaborator::spread(Arguments arguments, std::size_t missing) {
  if (arguments.size() != 1 || missing < 2 || kind_of(*arguments[0]) != Kind::Value) return arguments;
  auto parts = components(arguments[0], missing);
  return parts ? std::move(*parts) : std::move(arguments);
}

void Elaborator::check_unused(const Arguments& arguments, const Location& place) {
  for (Argument* argument : arguments) {
    const bool is_used = argument->has_failed || argument->term || argument->size || argument->function ||
                         argument->expression == nullptr;
    if (!is_used && kind_of(*argument) == Kind::Value) term_of(*argument, place);
  }
}

ir::Term Elaborator::apply_callee(const Expression& callee, const Environment& environment,
                                  const Arguments& arguments, const Location& place, ir::Type expected) {
  const auto* name = callee.as<syntax::Name>();
  if (name != nullptr && environment.find(name->name) == nullptr) {
    const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
    const Global global = globals_.find(name->name, in_prelude);
    const auto* word = std::get_if<Word>(&global);
    if (word != nullptr && *word == Word::Size) {
      if (arguments.size() != 1) return wrong_count("'size'", 1, arguments.size(), place);
      const arith::Expr size = size_of(*arguments[0], place);
      return size ? make(place, [&] { return ir::size_value(size); }) : ir::Term{};
    }
    if (word != nullptr && (*word == Word::CeilingDivide || *word == Word::ExactDivide)) {
      report(place, fmt::format("'{}' works on sizes only", name->name), "",
             fmt::format("size({}(a, b)) makes a number of a size", name->name));
      return {};
    }
  }
  const Function* function = function_of(callee, environment);
  if (function == nullptr) {
    // The arguments may have errors of their own.
    check_unused(arguments, place);
    return {};
  }
  return apply(*function, arguments, place, expected);
}

ir::Term Elaborator::apply(const Function& callee, Arguments arguments, const Location& place,
                           ir::Type expected) {
  const LimitGuard guard(*this, place);
  arguments = spread(std::move(arguments), missing_count(callee));
  const auto single = [&]() -> ir::Term {
    if (arguments.size() == 1) return single_use(*arguments[0], place, expected);
    return wrong_count(description(callee), 1, arguments.size(), place);
  };
  const auto with_given = [&](const Arguments& given) {
    Arguments all = given;
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  };
  if (const auto* closure = callee.as<Closure>()) {
    const std::size_t count = closure->lambda->parameters.size();
    if (arguments.size() != count) return wrong_count_of_lambda(count, arguments, callee.place);
    return apply_closure(*closure, arguments, expected);
  }
  if (const auto* partial = callee.as<PartialDefinition>()) {
    return apply_definition(*partial, with_given(partial->given), place, expected);
  }
  if (const auto* partial = callee.as<PartialPrimitive>()) {
    return apply_primitive(partial->op, with_given(partial->given), place, expected);
  }
  if (const auto* partial = callee.as<PartialScalar>()) {
    return apply_scalar(partial->op, with_given(partial->given), place, expected);
  }
  if (const auto* conversion = callee.as<Conversion>()) {
    expected = arguments.size() == 1 ? type_of_converted(*arguments[0], conversion->to) : ir::Type{};
    const ir::Term operand = single();
    if (!operand || (expected && ir::is_equal(operand.type(), expected))) return operand;
    return make(place, [&] { return ir::cast(conversion->to, operand); });
  }
  if (callee.as<Identity>() != nullptr) return single();
  if (const auto* composition = callee.as<Composition>()) {
    const ir::Term between = apply(*composition->first, arguments, place, {});
    if (!between) return {};
    return apply(*composition->second, {known_argument(shared(between, *anchor_, {}))}, place, expected);
  }
  if (const auto* kept = callee.as<Kept>()) {
    const ir::Term value = apply(*kept->function, arguments, place, expected);
    return value ? make(place, [&] { return ir::call(kept->op, {}, {value}); }) : value;
  }
  if (const auto* vectorized = callee.as<Vectorized>())
    return apply_vectorized(*vectorized, arguments, place);
  return apply(*std::get<Claimed>(callee.kind).function, arguments, place, expected);
}

/// The type that a conversion asks of a literal: its own, where by itself the literal would be rounded first,
/// as an f32, or be too large.
ir::Type Elaborator::type_of_converted(const Argument& argument, Scalar to) {
  if (!is_untyped(argument)) return {};
  const auto* number = argument.expression->as<syntax::Number>();
  const bool is_too_large =
      number != nullptr && !number->is_real && !integer_of(number->digits, Scalar::I32).has_value();
  return is_float(to) || is_too_large ? ir::scalar_type(to) : ir::Type{};
}

ir::Term Elaborator::apply_closure(const Closure& closure, const Arguments& arguments, ir::Type expected) {
  const syntax::Lambda& lambda = *closure.lambda;
  const Environment inside = bind_parameters(lambda.parameters, arguments, closure.environment);
  const ir::Term result = term_of(*lambda.body, inside, expected);
  check_unused(arguments, closure.environment.place(lambda.body->span));
  return result;
}

ir::Term Elaborator::apply_definition(const PartialDefinition& partial, const Arguments& arguments,
                                      const Location& place, ir::Type expected) {
  const syntax::Definition& definition = *partial.definition;
  const std::size_t count = definition.parameters.size();
  if (arguments.size() > count) {
    const auto surplus = arguments.begin() + static_cast<std::ptrdiff_t>(count);
    const Function* result = extend(Function{PartialDefinition{&definition, partial.is_prelude, {}}, place},
                                    Arguments(arguments.begin(), surplus), place);
    return result ? apply(*result, Arguments(surplus, arguments.end()), place, expected) : ir::Term{};
  }
  Environment inside = expand({&definition, partial.is_prelude, {}}, arguments, place);
  if (inside.expansion == nullptr) {
    check_unused(arguments, place);
    return {};
  }
  const ir::Term result = term_of(*definition.body, inside, expected);
  check_unused(arguments, place);
  if (!result || definition.result == nullptr) return result;
  bind_sizes({{definition.result, result.type(), place}}, inside);
  const bool is_stated =
      check_type(*definition.result, inside, result.type(), inside.place(definition.body->span),
                 fmt::format("the result of '{}'", definition.name));
  return is_stated ? result : ir::Term{};
}

ir::Term Elaborator::apply_vectorized(const Vectorized& vectorized, const Arguments& arguments,
                                      const Location& place) {
  for (Argument* argument : arguments) {
    const ir::Term term = term_of(*argument, place);
    if (!term) return {};
    const std::vector<ir::Leaf> leaves = ir::leaves(term.type());
    const bool is_wide = std::all_of(leaves.begin(), leaves.end(), [&](const ir::Leaf& leaf) {
      return !leaf.shape.empty() && leaf.shape.back() == vectorized.width;
    });
    if (!is_wide) {
      report(place,
             fmt::format("a function on vectors of width {} is given {}", arith::to_string(vectorized.width),
                         ir::to_string(term.type())),
             "",
             fmt::format("asVector({}) makes vectors of an array's elements",
                         arith::to_string(vectorized.width)));
      return {};
    }
  }
  const ir::Term result = apply(*vectorized.function, arguments, place, {});
  if (!result || !ir::is_scalar(result.type())) return result;
  return make(place, [&] { return ir::call(ir::Op::Broadcast, {vectorized.width}, {result}); });
}

ir::Term Elaborator::apply_scalar(ScalarOp op, Arguments arguments, const Location& place,
                                  ir::Type expected) {
  const ScalarOpInfo& operation = info(op);
  const std::string name(operation.symbol.empty() ? operation.name : operation.symbol);
  const auto arity = static_cast<std::size_t>(operation.arity);
  if (arguments.size() != arity) {
    return wrong_count(fmt::format("'{}'", name), arity, arguments.size(), place);
  }
  // Operands have one type, so one that states its type decides that of literals.
  ir::Type hint = operation.gives_bool ? ir::Type{} : expected;
  std::vector<ir::Term> operands(arity);
  const auto elaborate = [&](bool untyped) {
    for (std::size_t index = 0; index < arity; ++index) {
      const bool is_condition = op == ScalarOp::Select && index == 0;
      const Argument& argument = *arguments[index];
      const bool is_late = !is_condition && !argument.has_failed && !argument.term &&
                           argument.expression != nullptr &&
                           is_untyped(*argument.expression, argument.environment);
      if (is_late != untyped) continue;
      operands[index] = single_use(*arguments[index], place, is_condition ? ir::Type{} : hint);
      if (operands[index] && !is_condition && is_numeric(operands[index].type())) {
        hint = ir::scalar_type(operands[index].type()->scalar);
      }
    }
  };
  elaborate(false);
  elaborate(true);
  if (std::any_of(operands.begin(), operands.end(), [](ir::Term operand) { return !operand; })) return {};
  const std::size_t first = op == ScalarOp::Select ? 1 : 0;
  for (std::size_t index = 0; index < arity; ++index) {
    if (is_numeric(operands[index].type())) continue;
    report(place_of(*arguments[index], place),
           fmt::format("'{}' works on numbers, and this is {}", name, ir::to_string(operands[index].type())),
           "",
           ir::is_array(operands[index].type()) ? "map applies a function to every element of an array"
           : ir::is_tuple(operands[index].type())
               ? "parentheses take a tuple apart, ((a, b), c) => ..., and t.0 is a component of t"
               : "");
    return {};
  }
  for (std::size_t index = first + 1; index < arity; ++index) {
    const Scalar a = operands[first].type()->scalar;
    const Scalar b = operands[index].type()->scalar;
    if (a == b) continue;
    // Towards the type that holds more.
    const bool to_first = is_float(a) == is_float(b) ? hoist::size_of(a) >= hoist::size_of(b) : is_float(a);
    const Scalar to = to_first ? a : b;
    const std::string operand = text_at(place_of(*arguments[to_first ? index : first], place));
    report(place,
           fmt::format("'{}' has operands of type {} and {}", name, ir::to_string(operands[first].type()),
                       ir::to_string(operands[index].type())),
           "types are converted only where the text says so",
           to == Scalar::Bool ? std::string()
                              : fmt::format("write {}({})", name_of(to), operand.empty() ? "..." : operand));
    return {};
  }
  return make(place, [&] { return ir::scalar_call(op, operands); });
}

ir::Term Elaborator::instantiate(const Function& callee, const std::vector<ir::Type>& types,
                                 ir::Type expected_result, const Location& place) {
  share_given(callee);
  const std::vector<std::string> names = parameter_names(callee, types.size());
  std::vector<ir::Term> variables;
  Arguments arguments;
  for (std::size_t index = 0; index < types.size(); ++index) {
    variables.push_back(ir::fresh(types[index], names[index]));
    arguments.push_back(known_argument(variables.back()));
  }
  ir::Term body;
  {
    const AnchorScope scope(*this);
    body = scope.close(apply(callee, arguments, place, expected_result));
  }
  if (!body) return {};
  ir::OperatorClaims claims;
  for (const auto* claimed = callee.as<Claimed>(); claimed; claimed = claimed->function->as<Claimed>()) {
    claims.associative = claims.associative || claimed->claims.associative;
    claims.commutative = claims.commutative || claimed->claims.commutative;
    if (claimed->neutral == nullptr) continue;
    const AnchorScope scope(*this);
    claims.neutral = scope.close(single_use(*claimed->neutral, place, types[0]));
    if (!claims.neutral) return {};
  }
  return make(place, [&] { return ir::lambda(variables, body, claims); });
}

}  // namespace hoist::lang
