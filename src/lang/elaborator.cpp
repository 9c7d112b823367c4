// The elaborator's foundations: errors, limits, bindings, and whole programs.
//
// Definitions are expanded where they are used, so a place is a span of text with the uses that led to it,
// and `report` tells an error at the innermost use that the user wrote. Expansion may be exponential:
// `LimitGuard` counts expressions and depth, `check_limits` sizes and types, and both end an elaboration that
// goes too far. Names are bound to arguments, which are elaborated when they are asked for and then once
// (`bind_pattern`, `components`). `program`, last in the file, elaborates a definition whose parameters all
// have types.
#include "lang/elaborator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/limits.hpp"

namespace hoist::lang {
namespace {

bool mentions(ir::Type type, arith::Expr size) {
  return (type->size && arith::contains(type->size, size)) ||
         std::any_of(type->elements.begin(), type->elements.end(),
                     [&](ir::Type element) { return mentions(element, size); });
}

}  // namespace

// ---- Reporting.

void Elaborator::report(const Location& place, std::string message, std::string note, std::string help) {
  Span span = place.span;
  const Expansion* expansion = place.expansion;
  std::string_view inside;
  // A place in the prelude is none that the user could look at: the use of the prelude is.
  while (expansion != nullptr && expansion->is_prelude) {
    inside = expansion->definition->name;
    span = expansion->use;
    expansion = expansion->outer;
  }
  const auto add_note = [&](const std::string& text) {
    if (!note.empty()) note += "; ";
    note += text;
  };
  if (!inside.empty()) add_note(fmt::format("inside the prelude's '{}'", inside));
  if (expansion != nullptr) {
    const std::string_view name = expansion->definition->name;
    // Only the text outside the prelude has positions to tell.
    const Expansion* use = expansion;
    while (use->outer != nullptr && use->outer->is_prelude) use = use->outer;
    const Position position = position_of(source_, use->use.begin);
    add_note(fmt::format("in '{}' as used on line {}, column {}", name, position.line, position.column));
  }
  diagnostics_.report(span, std::move(message), std::move(note), std::move(help));
}

void Elaborator::report(const Location& place, const Error& error) {
  for (const Diagnostic& diagnostic : error.diagnostics) {
    report(place, diagnostic.message, diagnostic.note, diagnostic.help);
  }
}

std::string Elaborator::text_at(const Location& place) const {
  constexpr std::size_t longest = 30;
  if (place.expansion != nullptr && place.expansion->is_prelude) return {};
  if (place.span.end <= place.span.begin || place.span.end > source_.text.size()) return {};
  std::string text = source_.text.substr(place.span.begin, place.span.end - place.span.begin);
  if (text.size() > longest || text.find('\n') != std::string::npos) return {};
  return text;
}

// ---- Limits.

Elaborator::LimitGuard::LimitGuard(Elaborator& elaborator, const Location& place) : elaborator_(elaborator) {
  if (++elaborator.steps_ > limits::steps) {
    throw LimitExceeded{
        place, "this program expands to too much",
        fmt::format("more than {} expressions after expanding every definition", limits::steps)};
  }
  if (elaborator.depth_ >= limits::elaboration_depth) {
    throw LimitExceeded{
        place, "this expands too deeply",
        "definitions are expanded where they are used; perhaps two functions pass each other on"};
  }
  ++elaborator.depth_;
}

std::size_t Elaborator::depth_of(ir::Term term) {
  const auto known = depths_.find(term.get());
  if (known != depths_.end()) return known->second;
  std::size_t depth = 0;
  for (ir::Term child : ir::children(term)) depth = std::max(depth, depth_of(child));
  depths_.emplace(term.get(), depth + 1);
  return depth + 1;
}

std::size_t Elaborator::weight_of(ir::Type type) {
  const auto known = weights_.find(type.get());
  if (known != weights_.end()) return known->second;
  std::size_t weight = 1;
  for (ir::Type element : type->elements) weight += weight_of(element);
  if (type->size && weight_of(type->size) > limits::size_weight) weight = limits::type_weight + 1;
  weight = std::min(weight, limits::type_weight + 1);
  weights_.emplace(type.get(), weight);
  return weight;
}

std::size_t Elaborator::weight_of(arith::Expr size) {
  const auto known = size_weights_.find(size.get());
  if (known != size_weights_.end()) return known->second;
  std::size_t weight = 1;
  for (arith::Expr operand : size->operands) weight += weight_of(operand);
  if (size->predicate.left) weight += weight_of(size->predicate.left) + weight_of(size->predicate.right);
  const bool is_large = size.kind() == arith::Kind::Constant &&
                        (size->value > limits::size_constant || size->value < -limits::size_constant);
  if (is_large) weight = limits::size_weight + 1;
  weight = std::min(weight, limits::size_weight + 1);
  size_weights_.emplace(size.get(), weight);
  return weight;
}

arith::Expr Elaborator::check_limits(const Location& place, arith::Expr size) {
  if (weight_of(size) <= limits::size_weight) return size;
  throw LimitExceeded{place, "this size is too large",
                      fmt::format("it has more than {} parts, or one that exceeds {}", limits::size_weight,
                                  limits::size_constant)};
}

void Elaborator::check_limits(const Location& place, ir::Term term) {
  if (depth_of(term) > limits::term_depth) {
    throw LimitExceeded{place, "this program nests its computations too deeply",
                        fmt::format("more than {} calls inside each other after expanding every definition",
                                    limits::term_depth)};
  }
  if (weight_of(term.type()) > limits::type_weight) {
    throw LimitExceeded{place, "the type of this value is too large",
                        fmt::format("it has more than {} parts, or a size that exceeds {}",
                                    limits::type_weight, limits::size_constant)};
  }
}

// ---- Bindings.

Environment Elaborator::bind(const Environment& environment, std::string_view name, Argument* value) {
  if (name == "_") return environment;
  bindings_.push_back({name, value, environment.bindings});
  return {&bindings_.back(), environment.expansion};
}

Argument* Elaborator::argument(const Expression& expression, const Environment& environment) {
  arguments_.push_back({.expression = &expression, .environment = environment, .anchor = anchor_});
  return &arguments_.back();
}
Argument* Elaborator::known_argument(ir::Term term) {
  arguments_.push_back({.term = term});
  return &arguments_.back();
}
Argument* Elaborator::known_size(arith::Expr size) {
  arguments_.push_back({.size = size});
  return &arguments_.back();
}
Argument* Elaborator::failed_argument() {
  arguments_.push_back({.has_failed = true});
  return &arguments_.back();
}
const Function* Elaborator::function(Function value) {
  functions_.push_back(std::move(value));
  return &functions_.back();
}

Location Elaborator::place_of(const Argument& argument, const Location& otherwise) const {
  return argument.expression == nullptr ? otherwise : argument.environment.place(argument.expression->span);
}

const Argument* Elaborator::written_tuple(const Argument& argument) {
  const Argument* written = &argument;
  while (written != nullptr && !written->term && !written->has_failed && written->expression != nullptr) {
    if (written->expression->as<syntax::Tuple>() != nullptr) return written;
    const auto* name = written->expression->as<syntax::Name>();
    written = name == nullptr ? nullptr : written->environment.find(name->name);
  }
  return nullptr;
}

std::optional<Arguments> Elaborator::components(Argument* tuple, std::size_t count) {
  // The components of a written tuple need not become one first.
  const Argument* written = written_tuple(*tuple);
  if (written != nullptr) {
    const auto& node = *written->expression->as<syntax::Tuple>();
    if (node.components.size() != count) return std::nullopt;
    Arguments result;
    for (const Expression* component : node.components) {
      Argument* value = argument(*component, written->environment);
      value->anchor = written->anchor;
      result.push_back(value);
    }
    return result;
  }
  const ir::Term term = term_of(*tuple, place_of(*tuple, {}));
  if (!term || !ir::is_tuple(term.type()) || term.type()->elements.size() != count) return std::nullopt;
  Arguments result;
  const auto* node = term.as<ir::Tuple>();
  for (std::uint32_t index = 0; index < count; ++index) {
    result.push_back(known_argument(node != nullptr ? node->components[index] : ir::get(index, term)));
  }
  return result;
}

void Elaborator::bind_pattern(const syntax::Pattern& pattern, Argument* value, Environment& environment,
                              std::vector<Stated>& stated) {
  const Location place = place_of(*value, environment.place(pattern.span));
  const auto bind_failed = [&] {
    std::vector<std::string_view> names;
    collect_bound_names(pattern, names);
    for (std::string_view name : names) environment = bind(environment, name, failed_argument());
  };
  if (pattern.type != nullptr && pattern.type->kind == syntax::Type::Kind::Size) {
    const arith::Expr size = size_of(*value, place);
    environment = bind(environment, pattern.name, size ? known_size(size) : failed_argument());
    return;
  }
  if (pattern.type != nullptr) {
    const ir::Type expected = literal_type(pattern.type);
    const ir::Term term = term_of(*value, place, expected);
    if (!term) return bind_failed();
    stated.push_back({pattern.type, term.type(), place});
    // A literal is of the type that is stated here, and no longer of that of its place.
    if (is_untyped(*value)) value = known_argument(term);
  }
  if (pattern.components.empty()) {
    if (value->name.empty()) value->name = pattern.name;
    environment = bind(environment, pattern.name, value);
    return;
  }
  const auto parts = components(value, pattern.components.size());
  if (!parts) {
    if (const ir::Term term = term_of(*value, place)) {
      report(environment.place(pattern.span),
             fmt::format("this takes apart a tuple of {}, but is given {}", pattern.components.size(),
                         ir::to_string(term.type())));
    }
    return bind_failed();
  }
  for (std::size_t index = 0; index < parts->size(); ++index) {
    bind_pattern(*pattern.components[index], (*parts)[index], environment, stated);
  }
}

Environment Elaborator::bind_parameters(const std::vector<const syntax::Pattern*>& patterns,
                                        const Arguments& values, Environment environment) {
  std::vector<Stated> stated;
  for (std::size_t index = 0; index < patterns.size(); ++index) {
    bind_pattern(*patterns[index], values[index], environment, stated);
  }
  bind_sizes(stated, environment);
  bool is_as_stated = true;
  for (const Stated& value : stated) {
    is_as_stated =
        check_type(*value.type, environment, value.actual, value.place, "this value") && is_as_stated;
  }
  if (is_as_stated) return environment;
  for (const syntax::Pattern* pattern : patterns) {
    std::vector<std::string_view> names;
    collect_bound_names(*pattern, names);
    for (std::string_view name : names) environment = bind(environment, name, failed_argument());
  }
  return environment;
}

// ---- Programs.

std::optional<ir::Program> Elaborator::program(const syntax::Definition& definition) {
  ir::Program program;
  program.name = definition.name;
  Environment environment;
  std::vector<std::string_view> sizes;
  std::vector<const syntax::Pattern*> inputs;
  std::vector<std::string_view> declared;
  for (const syntax::Pattern* parameter : definition.parameters) {
    const bool is_size = parameter->type->kind == syntax::Type::Kind::Size;
    if (is_size) {
      declared.push_back(parameter->name);
      sizes.push_back(parameter->name);
    } else {
      inputs.push_back(parameter);
    }
  }
  for (const syntax::Pattern* parameter : inputs) {
    std::vector<std::string_view> names;
    collect_size_names(*parameter->type, names);
    for (std::string_view name : names) {
      if (std::find(sizes.begin(), sizes.end(), name) == sizes.end()) sizes.push_back(name);
    }
  }
  if (definition.result != nullptr) collect_size_names(*definition.result, sizes);
  for (std::string_view name : sizes) {
    const Global global = globals_.find(name, false);
    const bool is_declared = std::find(declared.begin(), declared.end(), name) != declared.end();
    if (!is_declared && std::holds_alternative<const syntax::Definition*>(global)) continue;
    const arith::Expr size = arith::size(name);
    program.sizes.push_back(size);
    environment = bind(environment, name, known_size(size));
  }
  try {
    std::vector<ir::Term> variables;
    std::vector<Stated> stated;
    std::vector<ir::Type> types;
    for (const syntax::Pattern* parameter : inputs) types.push_back(type_of(*parameter->type, environment));
    const ir::Type expected =
        definition.result == nullptr ? ir::Type{} : type_of(*definition.result, environment);
    const Environment sizes_only = environment;
    for (std::size_t index = 0; index < types.size(); ++index) {
      const syntax::Pattern* parameter = inputs[index];
      const ir::Type type = types[index];
      if (!type) {
        bind_pattern(*parameter, failed_argument(), environment, stated);
        continue;
      }
      const std::string name(parameter->name.empty() ? "input" : parameter->name);
      variables.push_back(ir::fresh(type, name));
      program.parameters.push_back({name, type});
      syntax::Pattern untyped = *parameter;
      untyped.type = nullptr;
      bind_pattern(untyped, known_argument(variables.back()), environment, stated);
    }
    ir::Term body;
    {
      const AnchorScope scope(*this);
      body = scope.close(term_of(*definition.body, environment, expected));
    }
    if (!body || variables.size() != inputs.size()) return std::nullopt;
    if (definition.result != nullptr &&
        !check_type(*definition.result, sizes_only, body.type(), {definition.body->span},
                    fmt::format("the result of '{}'", definition.name))) {
      return std::nullopt;
    }
    for (arith::Expr size : program.sizes) {
      if (std::any_of(types.begin(), types.end(), [&](ir::Type type) { return mentions(type, size); }))
        continue;
      if (mentions(body.type(), size)) continue;
      if (std::find(declared.begin(), declared.end(), size->name) != declared.end()) continue;
      report({definition.name_span}, fmt::format("nothing determines the size {}", size->name),
             "the type of the program is the same for every value of it");
      return std::nullopt;
    }
    program.function = make({definition.span}, [&] { return ir::lambda(variables, body); });
    if (!program.function) return std::nullopt;
  } catch (const LimitExceeded& exceeded) {
    report(exceeded.place, exceeded.message, exceeded.note);
    return std::nullopt;
  }
  return program;
}

}  // namespace hoist::lang
