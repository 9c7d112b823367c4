// Tells functions and boundaries from values before elaborating them.
#include "lang/elaborator.hpp"

namespace hoist::lang {

Elaborator::Kind Elaborator::kind_of(const Argument& argument) {
  if (argument.function != nullptr) return Kind::Function;
  if (argument.has_failed || argument.term || argument.size || argument.expression == nullptr) {
    return Kind::Value;
  }
  return kind_of(*argument.expression, argument.environment);
}

Elaborator::Kind Elaborator::kind_of(const Expression& expression, const Environment& environment) {
  const LimitGuard guard(*this, environment.place(expression.span));
  if (expression.as<syntax::Lambda>() != nullptr || expression.as<syntax::Operator>() != nullptr) {
    return Kind::Function;
  }
  if (const auto* compose = expression.as<syntax::Compose>()) {
    return is_shift(*compose, environment) ? Kind::Value : Kind::Function;
  }
  if (const auto* name = expression.as<syntax::Name>()) return kind_of_name(name->name, environment);
  if (const auto* conditional = expression.as<syntax::If>()) {
    return kind_of(*conditional->then_expression, environment);
  }
  const Diagnostics::Quiet quiet(diagnostics_);
  if (const auto* let = expression.as<syntax::Let>()) {
    if (const auto inside = without_value(*let, environment)) return kind_of(*let->body, *inside);
    return kind_of(*let->body, bind_names({let->pattern}, {failed_argument()}, environment));
  }
  if (const auto* apply = expression.as<syntax::Apply>()) {
    Arguments arguments;
    for (const Expression* value : apply->arguments) arguments.push_back(argument(*value, environment));
    return kind_of_application(*apply->callee, arguments, environment);
  }
  if (const auto* pipe = expression.as<syntax::Pipe>()) {
    return kind_of_application(*pipe->function, {argument(*pipe->argument, environment)}, environment);
  }
  return Kind::Value;
}

bool Elaborator::is_shift(const syntax::Compose& node, const Environment& environment) {
  return kind_of(*node.first, environment) == Kind::Value &&
         kind_of(*node.second, environment) == Kind::Value;
}

Elaborator::Kind Elaborator::kind_of_name(std::string_view name, const Environment& environment) {
  if (const Argument* bound = environment.find(name)) return kind_of(*bound);
  const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
  const Global global = globals_.find(name, in_prelude);
  if (const auto* found = std::get_if<const syntax::Definition*>(&global)) {
    const syntax::Definition& definition = **found;
    if (!definition.parameters.empty()) return Kind::Function;
    if (globals_.is_recursive(&definition)) return Kind::Value;
    expansions_.push_back({&definition, globals_.is_prelude(&definition), {}, environment.expansion});
    return kind_of(*definition.body, {nullptr, &expansions_.back()});
  }
  if (std::holds_alternative<std::monostate>(global)) return Kind::Value;
  const auto* word = std::get_if<Word>(&global);
  return word != nullptr && boundary_named(*word) ? Kind::Boundary : Kind::Function;
}

Elaborator::Kind Elaborator::kind_of_application(const Expression& callee, const Arguments& arguments,
                                                 const Environment& environment) {
  const auto* name = callee.as<syntax::Name>();
  if (name != nullptr && environment.find(name->name) == nullptr) {
    const bool in_prelude = environment.expansion != nullptr && environment.expansion->is_prelude;
    const Global global = globals_.find(name->name, in_prelude);
    if (const auto* word = std::get_if<Word>(&global)) {
      const bool gives_function = *word == Word::Associative || *word == Word::Commutative ||
                                  *word == Word::Neutral || *word == Word::Vectorize;
      return gives_function ? Kind::Function : Kind::Value;
    }
    const auto* op = std::get_if<ir::Op>(&global);
    if (op != nullptr && ir::is_address_space(*op) && arguments.size() == 1) return kind_of(*arguments[0]);
  }
  const Function* function = function_of(callee, environment);
  if (function == nullptr) return Kind::Value;
  if (arguments.size() < missing_count(*function)) {
    if (arguments.size() == 1 && written_tuple(*arguments[0]) != nullptr) return Kind::Value;
    const bool is_partial = function->as<PartialDefinition>() != nullptr ||
                            function->as<PartialPrimitive>() != nullptr ||
                            function->as<PartialScalar>() != nullptr;
    return is_partial ? Kind::Function : Kind::Value;
  }
  if (const auto* closure = function->as<Closure>()) {
    if (arguments.size() != closure->lambda->parameters.size()) return Kind::Value;
    return kind_of(*closure->lambda->body,
                   bind_names(closure->lambda->parameters, arguments, closure->environment));
  }
  if (const auto* partial = function->as<PartialDefinition>()) {
    Arguments all = partial->given;
    all.insert(all.end(), arguments.begin(), arguments.end());
    if (all.size() != partial->definition->parameters.size()) return Kind::Value;
    if (globals_.is_recursive(partial->definition)) return Kind::Value;
    expansions_.push_back({partial->definition, partial->is_prelude, {}, environment.expansion});
    return kind_of(*partial->definition->body,
                   bind_names(partial->definition->parameters, all, {nullptr, &expansions_.back()}));
  }
  return Kind::Value;
}

Environment Elaborator::bind_names(const std::vector<const syntax::Pattern*>& patterns,
                                   const Arguments& values, Environment environment) {
  for (std::size_t index = 0; index < patterns.size(); ++index) {
    std::vector<std::string_view> names;
    collect_bound_names(*patterns[index], names);
    const bool is_name = !patterns[index]->name.empty();
    for (std::string_view name : names) {
      environment = bind(environment, name, is_name ? values[index] : failed_argument());
    }
  }
  return environment;
}

}  // namespace hoist::lang
