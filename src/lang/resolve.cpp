// Checks every name of a file, also in definitions that are never used.
//
// `Resolver` walks a definition with the names in scope. A name that nothing binds is reported with what it
// may have been meant to be, except in types, where it is a size. While it walks it notes which definitions
// use which; a cycle among those is recursion, which Hoist does not have, and is reported once.
#include <fmt/format.h>

#include <algorithm>

#include "lang/names.hpp"

namespace hoist::lang {
namespace {

using namespace syntax;

/// One definition's use of another.
struct Reference {
  const Definition* definition;
  Span span;
};
using References = std::unordered_map<const Definition*, std::vector<Reference>>;

class Resolver {
 public:
  Resolver(Globals& globals, Diagnostics& diagnostics, std::vector<Reference>& references)
      : globals_(globals), diagnostics_(diagnostics), references_(references) {}

  void definition(const Definition& definition) {
    bind(definition.parameters);
    if (definition.result != nullptr) type(*definition.result);
    expression(*definition.body);
  }

 private:
  void bind(const std::vector<const Pattern*>& patterns) {
    std::vector<std::string_view> names;
    for (const Pattern* pattern : patterns) {
      const std::size_t before = names.size();
      collect_bound_names(*pattern, names);
      for (std::size_t index = before; index < names.size(); ++index) {
        const bool is_double = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(index),
                                         names[index]) != names.begin() + static_cast<std::ptrdiff_t>(index);
        if (is_double && names[index] != "_") {
          diagnostics_.report(pattern->span, fmt::format("'{}' is bound twice here", names[index]), "",
                              "give each parameter a name of its own");
        }
      }
    }
    // The sizes of a later parameter's type may be those of an earlier one.
    for (const Pattern* pattern : patterns) types_of(*pattern);
    for (std::string_view name : names) {
      const bool is_declared = std::any_of(patterns.begin(), patterns.end(), [name](const Pattern* pattern) {
        return pattern->name == name && pattern->type != nullptr && pattern->type->kind == Type::Kind::Size;
      });
      const bool is_size = std::find(sizes_.begin(), sizes_.end(), name) != sizes_.end();
      if (is_size && !is_declared) {
        diagnostics_.report(patterns.front()->span, fmt::format("'{}' is a size and a parameter", name), "",
                            "rename one of them");
      }
      scope_.push_back(name);
    }
  }
  void types_of(const Pattern& pattern) {
    if (pattern.type != nullptr) type(*pattern.type);
    for (const Pattern* component : pattern.components) types_of(*component);
  }

  /// A name in a type that nothing binds is a size from here on.
  void type(const Type& type) {
    std::vector<std::string_view> names;
    collect_size_names(type, names);
    for (std::string_view name : names) {
      if (is_local(name) || is_size_definition(name)) continue;
      scope_.push_back(name);
      sizes_.push_back(name);
    }
    functions_of(type);
  }
  /// In types only what is applied can be unknown.
  void functions_of(const Type& type) {
    if (type.size != nullptr) expression(*type.size);
    for (const Type* element : type.elements) functions_of(*element);
  }

  bool is_local(std::string_view name) const {
    return std::find(scope_.begin(), scope_.end(), name) != scope_.end();
  }
  bool is_size_definition(std::string_view name) const {
    const Global global = globals_.find(name, false);
    const auto* definition = std::get_if<const Definition*>(&global);
    return definition != nullptr && (*definition)->parameters.empty();
  }

  void name(std::string_view name, Span span) {
    if (is_local(name)) return;
    const Global global = globals_.find(name, false);
    if (const auto* definition = std::get_if<const Definition*>(&global)) {
      if (!globals_.is_prelude(*definition)) references_.push_back({*definition, span});
    } else if (std::holds_alternative<std::monostate>(global)) {
      diagnostics_.report(span, fmt::format("nothing is named '{}' here", name), "",
                          globals_.suggestion(name, scope_));
    }
  }

  void expression(const Expression& e) {
    const std::size_t scope = scope_.size();
    const std::size_t sizes = sizes_.size();
    std::visit([&](const auto& node) { visit(node, e); }, e.node);
    scope_.resize(scope);
    sizes_.resize(sizes);
  }
  void visit(const Number&, const Expression&) {}
  void visit(const Boolean&, const Expression&) {}
  void visit(const Hole&, const Expression&) {}
  void visit(const Operator&, const Expression&) {}
  void visit(const Name& node, const Expression& e) { name(node.name, e.span); }
  void visit(const Lambda& node, const Expression&) {
    bind(node.parameters);
    expression(*node.body);
  }
  void visit(const Let& node, const Expression&) {
    expression(*node.value);
    bind({node.pattern});
    expression(*node.body);
  }
  void visit(const If& node, const Expression&) {
    expression(*node.condition);
    expression(*node.then_expression);
    expression(*node.else_expression);
  }
  void visit(const Pipe& node, const Expression&) {
    expression(*node.argument);
    expression(*node.function);
  }
  void visit(const Compose& node, const Expression&) {
    expression(*node.first);
    expression(*node.second);
  }
  void visit(const Binary& node, const Expression&) {
    expression(*node.left);
    expression(*node.right);
  }
  void visit(const Unary& node, const Expression&) { expression(*node.operand); }
  void visit(const Apply& node, const Expression&) {
    expression(*node.callee);
    for (const Expression* argument : node.arguments) expression(*argument);
  }
  void visit(const Index& node, const Expression&) {
    expression(*node.array);
    expression(*node.index);
  }
  void visit(const Get& node, const Expression&) { expression(*node.tuple); }
  void visit(const Tuple& node, const Expression&) {
    for (const Expression* component : node.components) expression(*component);
  }
  void visit(const Array& node, const Expression&) {
    for (const Expression* element : node.elements) expression(*element);
  }

  Globals& globals_;
  Diagnostics& diagnostics_;
  std::vector<Reference>& references_;
  std::vector<std::string_view> scope_;
  std::vector<std::string_view> sizes_;
};

/// Finds the definitions that reach themselves.
class RecursionSearch {
 public:
  RecursionSearch(const References& references, Globals& globals, Diagnostics& diagnostics)
      : references_(references), globals_(globals), diagnostics_(diagnostics) {}

  /// Without recursion of its own: a chain of definitions may be as long as the file.
  void visit(const Definition* root) {
    if (state_[root] != State::New) return;
    struct Visit {
      const Definition* definition;
      std::size_t next;
    };
    std::vector<Visit> path{{root, 0}};
    state_[root] = State::Active;
    while (!path.empty()) {
      Visit& current = path.back();
      const auto found = references_.find(current.definition);
      if (found == references_.end() || current.next == found->second.size()) {
        state_[current.definition] = State::Done;
        path.pop_back();
        continue;
      }
      const Reference& reference = found->second[current.next++];
      State& state = state_[reference.definition];
      if (state == State::Active) {
        std::string through;
        for (auto caller = path.rbegin(); caller->definition != reference.definition; ++caller) {
          through = fmt::format(" through '{}'", caller->definition->name);
        }
        diagnostics_.report(reference.span,
                            fmt::format("'{}' calls itself{}", reference.definition->name, through),
                            "a definition is expanded where it is used, so it cannot use itself",
                            "iterate, reduce and scan repeat a step");
        globals_.mark_recursive(reference.definition);
      } else if (state == State::New) {
        state = State::Active;
        path.push_back({reference.definition, 0});
      }
    }
  }

 private:
  enum class State { New, Active, Done };
  const References& references_;
  Globals& globals_;
  Diagnostics& diagnostics_;
  std::unordered_map<const Definition*, State> state_;
};

}  // namespace

void resolve(const File& file, Globals& globals, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, const Definition*> seen;
  References references;
  for (const Definition& definition : file.definitions) {
    if (!seen.emplace(definition.name, &definition).second) {
      diagnostics.report(definition.name_span, fmt::format("'{}' is defined twice", definition.name), "",
                         "rename one of the definitions");
    }
    if (!std::holds_alternative<std::monostate>(builtin_named(definition.name))) {
      diagnostics.report(definition.name_span, fmt::format("'{}' is part of the language", definition.name),
                         "", "give the definition another name");
    }
    Resolver(globals, diagnostics, references[&definition]).definition(definition);
  }
  RecursionSearch search(references, globals, diagnostics);
  for (const Definition& definition : file.definitions) search.visit(&definition);
}

}  // namespace hoist::lang
