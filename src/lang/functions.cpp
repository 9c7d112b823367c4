// Expressions that stand for functions.
//
// `function_of` gives what an expression is as a function, without elaborating its body: a lambda with the
// environment that it stands in, a definition or a primitive with the arguments that it was given so far, an
// operator, a composition, or a function with claims about it. apply.cpp says what applying each does.
// `extend` gives a function more of its arguments, and `share_given` sees to it that those are evaluated
// once.
#include <fmt/format.h>

#include <algorithm>

#include "lang/elaborator.hpp"

namespace hoist::lang {

const Function* Elaborator::function_of(const Expression& expression, const Environment& environment) {
  const Location place = environment.place(expression.span);
  const LimitGuard guard(*this, place);
  if (const auto* lambda = expression.as<syntax::Lambda>()) {
    return function({Closure{lambda, environment}, place});
  }
  if (const auto* op = expression.as<syntax::Operator>()) return function({PartialScalar{op->op, {}}, place});
  if (const auto* name = expression.as<syntax::Name>()) {
    return function_of_name(name->name, environment, place);
  }
  if (const auto* apply = expression.as<syntax::Apply>())
    return function_of_apply(*apply, environment, place);
  if (const auto* let = expression.as<syntax::Let>()) return function_of_let(*let, environment);
  if (const auto* compose = expression.as<syntax::Compose>()) {
    const Function* first = function_of(*compose->first, environment);
    const Function* second = function_of(*compose->second, environment);
    return first && second ? function({Composition{first, second}, place}) : nullptr;
  }
  if (const auto* pipe = expression.as<syntax::Pipe>()) {
    const Function* callee = function_of(*pipe->function, environment);
    return callee ? extend(*callee, {argument(*pipe->argument, environment)}, place) : nullptr;
  }
  if (expression.as<syntax::If>() != nullptr) {
    report(place, "'if' does not choose between functions", "",
           "let one function choose: x => if c then f(x) else g(x)");
    return nullptr;
  }
  report(place, "a function is needed here, and this is a value", "",
         "a lambda x => ..., an operator, or the name of a definition or primitive is a function");
  return nullptr;
}

const Function* Elaborator::function_of(Argument& argument, const Location& place) {
  if (argument.has_failed) return nullptr;
  if (argument.function != nullptr) return argument.function;
  if (argument.expression == nullptr || argument.term) {
    report(place, argument.term ? fmt::format("a function is needed here, and this is {}",
                                              ir::to_string(argument.term.type()))
                                : std::string("a function is needed here, and this is a size"));
    return nullptr;
  }
  Anchor* const current = anchor_;
  anchor_ = argument.anchor;
  argument.function = function_of(*argument.expression, argument.environment);
  anchor_ = current;
  if (argument.function != nullptr) {
    share_given(*argument.function);
  } else if (!diagnostics_.is_quiet()) {
    argument.has_failed = true;
  }
  return argument.function;
}

const Function* Elaborator::function_of_name(std::string_view name, const Environment& environment,
                                             const Location& place) {
  if (Argument* bound = environment.find(name)) return function_of(*bound, place);
  const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
  const Global global = globals_.find(name, in_prelude);
  if (const auto* found = std::get_if<const syntax::Definition*>(&global)) {
    const PartialDefinition definition{*found, globals_.is_prelude(*found), {}};
    if (!(*found)->parameters.empty()) return function({definition, place});
    const Environment inside = expand(definition, {}, place);
    return inside.expansion == nullptr ? nullptr : function_of(*(*found)->body, inside);
  }
  if (const auto* op = std::get_if<ir::Op>(&global)) return function({PartialPrimitive{*op, {}}, place});
  if (const auto* op = std::get_if<ScalarOp>(&global)) return function({PartialScalar{*op, {}}, place});
  if (const auto* scalar = std::get_if<Scalar>(&global)) return function({Conversion{*scalar}, place});
  if (const auto* word = std::get_if<Word>(&global)) {
    if (*word == Word::Identity) return function({Identity{}, place});
    report(place, fmt::format("'{}' is no function that could be passed", name), "",
           *word == Word::Neutral ? "neutral(f, e) says that e is the neutral element of f" : "");
    return nullptr;
  }
  report(place, fmt::format("nothing is named '{}' here", name));
  return nullptr;
}

const Function* Elaborator::function_of_apply(const syntax::Apply& apply, const Environment& environment,
                                              const Location& place) {
  const auto* name = apply.callee->as<syntax::Name>();
  Global global;
  if (name != nullptr && environment.find(name->name) == nullptr) {
    const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
    global = globals_.find(name->name, in_prelude);
  }
  const auto* word = std::get_if<Word>(&global);
  const auto* op = std::get_if<ir::Op>(&global);
  if (word != nullptr && (*word == Word::Associative || *word == Word::Commutative)) {
    if (apply.arguments.size() != 1) {
      wrong_count(name->name, 1, apply.arguments.size(), place);
      return nullptr;
    }
    const Function* inner = function_of(*apply.arguments[0], environment);
    if (inner == nullptr) return nullptr;
    const ir::OperatorClaims claims{*word == Word::Associative, *word == Word::Commutative};
    return function({Claimed{claims, nullptr, inner}, place});
  }
  if (word != nullptr && *word == Word::Neutral) {
    if (apply.arguments.size() != 2) {
      wrong_count("'neutral'", 2, apply.arguments.size(), place);
      return nullptr;
    }
    const Function* inner = function_of(*apply.arguments[0], environment);
    return inner ? function({Claimed{{}, argument(*apply.arguments[1], environment), inner}, place})
                 : nullptr;
  }
  if (word != nullptr && *word == Word::Vectorize) {
    if (apply.arguments.size() != 2) {
      wrong_count(name->name, 2, apply.arguments.size(), place);
      return nullptr;
    }
    const arith::Expr width = size_of(*apply.arguments[0], environment);
    const Function* inner = function_of(*apply.arguments[1], environment);
    return width && inner ? function({Vectorized{width, inner}, place}) : nullptr;
  }
  const bool is_wrapper = op != nullptr && ir::is_address_space(*op) && apply.arguments.size() == 1 &&
                          kind_of(*apply.arguments[0], environment) == Kind::Function;
  if (is_wrapper) {
    const Function* inner = function_of(*apply.arguments[0], environment);
    return inner ? function({Kept{*op, inner}, place}) : nullptr;
  }
  const Function* callee = function_of(*apply.callee, environment);
  if (callee == nullptr) return nullptr;
  Arguments arguments;
  for (const Expression* expression : apply.arguments)
    arguments.push_back(argument(*expression, environment));
  return extend(*callee, arguments, place);
}

const Function* Elaborator::function_of_let(const syntax::Let& let, const Environment& environment) {
  if (const auto inside = without_value(let, environment)) return function_of(*let.body, *inside);
  ir::Term value = let_value(let, environment);
  if (value) value = shared(value, *anchor_, let.pattern->name);
  return function_of(*let.body, bind_let(let, value, environment));
}

const Function* Elaborator::extend(const Function& callee, const Arguments& arguments,
                                   const Location& place) {
  const auto is_value = [&]() -> const Function* {
    const std::string form = form_of(callee);
    report(place,
           fmt::format("a function is needed here, and {} with all its arguments is a value",
                       description(callee)),
           form, form.empty() ? "" : "what is piped into a function is its last argument");
    return nullptr;
  };
  const auto join = [&](const Arguments& given) {
    Arguments all = given;
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  };
  if (const auto* partial = callee.as<PartialDefinition>()) {
    const Arguments all = join(partial->given);
    const std::size_t count = partial->definition->parameters.size();
    if (all.size() < count) {
      return function({PartialDefinition{partial->definition, partial->is_prelude, all}, place});
    }
    const auto surplus = all.begin() + static_cast<std::ptrdiff_t>(count);
    const Environment inside =
        expand({partial->definition, partial->is_prelude, {}}, Arguments(all.begin(), surplus), place);
    if (inside.expansion == nullptr) return nullptr;
    if (kind_of(*partial->definition->body, inside) != Kind::Function) return is_value();
    const Function* result = function_of(*partial->definition->body, inside);
    if (result == nullptr || surplus == all.end()) return result;
    return extend(*result, Arguments(surplus, all.end()), place);
  }
  if (const auto* partial = callee.as<PartialPrimitive>()) {
    Arguments all = join(partial->given);
    Arguments normal = all;
    const ir::Op op = normalise(partial->op, normal);
    if (normal.size() >= primitive_arity(op, normal.size())) return is_value();
    return function({PartialPrimitive{partial->op, std::move(all)}, place});
  }
  if (const auto* partial = callee.as<PartialScalar>()) {
    Arguments all = join(partial->given);
    if (all.size() >= static_cast<std::size_t>(info(partial->op).arity)) return is_value();
    return function({PartialScalar{partial->op, std::move(all)}, place});
  }
  if (const auto* closure = callee.as<Closure>()) {
    const syntax::Lambda& lambda = *closure->lambda;
    if (arguments.size() != lambda.parameters.size()) {
      wrong_count(description(callee), lambda.parameters.size(), arguments.size(), place);
      return nullptr;
    }
    const Environment inside = bind_parameters(lambda.parameters, arguments, closure->environment);
    if (kind_of(*lambda.body, inside) != Kind::Function) return is_value();
    return function_of(*lambda.body, inside);
  }
  if (callee.as<Identity>() != nullptr && arguments.size() == 1) return function_of(*arguments[0], place);
  return is_value();
}

Environment Elaborator::expand(const PartialDefinition& definition, const Arguments& arguments,
                               const Location& place) {
  const syntax::Definition& callee = *definition.definition;
  if (globals_.is_recursive(&callee)) return {};
  if (arguments.size() != callee.parameters.size()) {
    wrong_count(fmt::format("'{}'", callee.name), callee.parameters.size(), arguments.size(), place,
                form_of({definition, place}));
    return {};
  }
  expansions_.push_back({&callee, definition.is_prelude, place.span, place.expansion});
  return bind_parameters(callee.parameters, arguments, {nullptr, &expansions_.back()});
}

std::size_t Elaborator::missing_count(const Function& callee) {
  if (const auto* closure = callee.as<Closure>()) return closure->lambda->parameters.size();
  if (const auto* partial = callee.as<PartialDefinition>()) {
    return partial->definition->parameters.size() - partial->given.size();
  }
  if (const auto* partial = callee.as<PartialPrimitive>()) {
    Arguments normal = partial->given;
    const ir::Op op = normalise(partial->op, normal);
    return primitive_arity(op, normal.size()) - normal.size();
  }
  if (const auto* partial = callee.as<PartialScalar>()) {
    return static_cast<std::size_t>(info(partial->op).arity) - partial->given.size();
  }
  if (const auto* composition = callee.as<Composition>()) return missing_count(*composition->first);
  if (const auto* kept = callee.as<Kept>()) return missing_count(*kept->function);
  if (const auto* vectorized = callee.as<Vectorized>()) return missing_count(*vectorized->function);
  if (const auto* claimed = callee.as<Claimed>()) return missing_count(*claimed->function);
  return 1;
}

std::string Elaborator::form_of(const Function& callee) {
  if (const auto* partial = callee.as<PartialPrimitive>())
    return fmt::format("the type of {} is {}", ir::primitive(partial->op).name,
                       ir::primitive(partial->op).scheme);
  const auto* partial = callee.as<PartialDefinition>();
  if (partial == nullptr) return {};
  std::string names;
  for (const syntax::Pattern* each : partial->definition->parameters) {
    std::vector<std::string_view> bound;
    collect_bound_names(*each, bound);
    const std::string joined = fmt::format("{}", fmt::join(bound, ", "));
    names += (names.empty() ? "" : ", ") + (each->components.empty() ? joined : "(" + joined + ")");
  }
  return fmt::format("its arguments are {}({})", partial->definition->name, names);
}

std::string Elaborator::description(const Function& callee) {
  if (const auto* partial = callee.as<PartialDefinition>())
    return fmt::format("'{}'", partial->definition->name);
  if (const auto* partial = callee.as<PartialPrimitive>()) {
    return fmt::format("'{}'", ir::primitive(partial->op).name);
  }
  if (const auto* partial = callee.as<PartialScalar>()) {
    const ScalarOpInfo& scalar = info(partial->op);
    return fmt::format("'{}'", scalar.symbol.empty() ? scalar.name : scalar.symbol);
  }
  if (const auto* conversion = callee.as<Conversion>()) return fmt::format("'{}'", name_of(conversion->to));
  return "this function";
}

std::vector<std::string> Elaborator::parameter_names(const Function& callee, std::size_t count) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<const syntax::Pattern*>& patterns, std::size_t first) {
    for (std::size_t index = first; index < patterns.size(); ++index) {
      std::vector<std::string_view> bound;
      collect_bound_names(*patterns[index], bound);
      std::string name(bound.empty() ? "x" : bound[0]);
      for (std::size_t part = 1; part < bound.size(); ++part) name += fmt::format("_{}", bound[part]);
      names.push_back(std::move(name));
    }
  };
  if (const auto* closure = callee.as<Closure>()) {
    add(closure->lambda->parameters, 0);
  } else if (const auto* partial = callee.as<PartialDefinition>()) {
    add(partial->definition->parameters, partial->given.size());
  } else if (const auto* composition = callee.as<Composition>()) {
    names = parameter_names(*composition->first, count);
  } else if (const auto* kept = callee.as<Kept>()) {
    names = parameter_names(*kept->function, count);
  } else if (const auto* vectorized = callee.as<Vectorized>()) {
    names = parameter_names(*vectorized->function, count);
  } else if (const auto* claimed = callee.as<Claimed>()) {
    names = parameter_names(*claimed->function, count);
  }
  if (names.size() > 1 && count == 1) {
    std::string joined = names[0];
    for (std::size_t index = 1; index < names.size(); ++index) joined += fmt::format("_{}", names[index]);
    names = {joined};
  }
  if (names.size() == count) return names;
  if (count == 1) return {"x"};
  names = {"a", "b", "c"};
  while (names.size() < count) names.push_back(fmt::format("x{}", names.size()));
  names.resize(count);
  return names;
}

void Elaborator::share_given(const Function& callee) {
  const auto share = [](const Arguments& given) {
    for (Argument* argument : given) {
      if (argument->name.empty()) argument->name = "value";
    }
  };
  if (const auto* partial = callee.as<PartialDefinition>()) {
    for (std::size_t index = 0; index < partial->given.size(); ++index) {
      Argument& argument = *partial->given[index];
      if (argument.name.empty()) argument.name = partial->definition->parameters[index]->name;
    }
    share(partial->given);
  }
  if (const auto* primitive = callee.as<PartialPrimitive>()) share(primitive->given);
  if (const auto* scalar = callee.as<PartialScalar>()) share(scalar->given);
  if (const auto* composition = callee.as<Composition>()) {
    share_given(*composition->first);
    share_given(*composition->second);
  }
  if (const auto* kept = callee.as<Kept>()) share_given(*kept->function);
  if (const auto* vectorized = callee.as<Vectorized>()) share_given(*vectorized->function);
  if (const auto* claimed = callee.as<Claimed>()) share_given(*claimed->function);
}

}  // namespace hoist::lang
