// Matching. Terms are taken as they are, with loose indices: nothing is opened, so nothing is copied that
// does not become part of a binding.
//
// `Matcher` compares a pattern with a term from the head down. A metavariable that stands alone must not use
// what the pattern binds (`bind_independent`); one that is applied to bound variables becomes the function of
// them (`abstract`: a higher-order pattern in Miller's sense, for which there is one match at the most). What
// a metavariable stands for already must be the same again.
#include "rewrite/pattern.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Term;
using ir::Type;

const Metavariable* Law::find(std::string_view name) const {
  const auto found = std::find_if(metavariables.begin(), metavariables.end(),
                                  [&](const Metavariable& each) { return each.name == name; });
  return found == metavariables.end() ? nullptr : &*found;
}

Expr size_of(const SizePattern& size, const Bindings& bindings) {
  using Kind = SizePattern::Kind;
  if (size.kind == Kind::Constant) return size.value;
  if (size.kind == Kind::Metavariable) return bindings.sizes[size.metavariable];
  const Expr a = size_of(size.operands[0], bindings), b = size_of(size.operands[1], bindings);
  if (!a || !b) return {};
  switch (size.kind) {
    case Kind::Add:
      return a + b;
    case Kind::Subtract:
      return a - b;
    case Kind::Multiply:
      return a * b;
    case Kind::Divide:
      return a / b;
    case Kind::Remainder:
      return a % b;
    case Kind::ExactDivide:
      return arith::exact_quotient(a, b);
    case Kind::CeilingDivide:
      return arith::ceiling_quotient(a, b);
    case Kind::Minimum:
      return arith::minimum(a, b);
    default:
      return arith::maximum(a, b);
  }
}

namespace {

/// The variable behind components of it, with the path to the component.
const Pattern* variable_of(const Pattern& pattern, std::vector<std::uint32_t>& path) {
  const Pattern* at = &pattern;
  for (; at->kind == Pattern::Kind::Get; at = &at->children[0]) path.insert(path.begin(), at->index);
  return at->kind == Pattern::Kind::Variable ? at : nullptr;
}

class Matcher {
 public:
  Matcher(const Law& law, Bindings& bindings) : law_(law), bindings_(bindings) {}

  bool run(Term term) { return match(law_.left, term) && givens(); }

 private:
  bool match(const Pattern& pattern, Term term) {
    using Kind = Pattern::Kind;
    switch (pattern.kind) {
      case Kind::Data:
      case Kind::Function:
        return bind_independent(pattern, term);
      case Kind::Variable: {
        const auto* variable = term.as<ir::Bound>();
        return variable != nullptr && variable->index < types_.size() &&
               types_.size() - 1 - variable->index == pattern.index;
      }
      case Kind::Apply:
        return abstract(pattern, term);
      case Kind::Lambda: {
        const auto* function = term.as<ir::Lambda>();
        if (function == nullptr || function->parameters.size() != pattern.parameters) return false;
        for (std::size_t i = 0; i < function->parameters.size(); ++i) {
          types_.push_back(function->parameters[i]);
          names_.push_back(i < function->names.size() ? function->names[i] : "");
        }
        const bool matches = match(pattern.children[0], function->body);
        types_.resize(types_.size() - pattern.parameters);
        names_.resize(types_.size());
        return matches;
      }
      case Kind::Call: {
        const auto* call = term.as<ir::Call>();
        return call != nullptr && call->op == pattern.op && sizes(pattern.sizes, call->sizes) &&
               all(pattern.children, call->arguments);
      }
      case Kind::Scalar: {
        const auto* call = term.as<ir::ScalarCall>();
        return call != nullptr && call->op == pattern.scalar && all(pattern.children, call->arguments);
      }
      case Kind::Tuple: {
        const auto* tuple = term.as<ir::Tuple>();
        return tuple != nullptr && all(pattern.children, tuple->components);
      }
      case Kind::Get: {
        const auto* get = term.as<ir::Get>();
        return get != nullptr && get->index == pattern.index && match(pattern.children[0], get->tuple);
      }
      case Kind::Let: {
        const auto* let = term.as<ir::Let>();
        return let != nullptr && match(pattern.children[0], let->value) &&
               match(pattern.children[1], let->body);
      }
      case Kind::Vectorize:
      case Kind::SizeValue:
        return false;
    }
    return false;
  }

  bool all(const std::vector<Pattern>& patterns, const std::vector<Term>& terms) {
    if (patterns.size() != terms.size()) return false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (!match(patterns[i], terms[i])) return false;
    }
    return true;
  }

  bool sizes(const std::vector<SizePattern>& patterns, const std::vector<Expr>& values) {
    // iterate has one more, which its function's type says too.
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (!size(patterns[i], values[i])) return false;
    }
    return true;
  }

  bool size(const SizePattern& pattern, Expr value) {
    if (pattern.kind == SizePattern::Kind::Metavariable && !bindings_.sizes[pattern.metavariable]) {
      bindings_.sizes[pattern.metavariable] = value;
      return true;
    }
    const Expr known = size_of(pattern, bindings_);
    return known && (known == value || arith::equal(known, value) == arith::Truth::Yes);
  }

  bool bind(std::uint32_t metavariable, Term value) {
    Term& known = bindings_.terms[metavariable];
    if (known) return known == value;
    known = value;
    return true;
  }

  bool bind_independent(const Pattern& pattern, Term term) {
    if (pattern.kind == Pattern::Kind::Function) {
      const auto* function = term.as<ir::Lambda>();
      if (function == nullptr || function->parameters.size() != law_.metavariables[pattern.index].parameters)
        return false;
    }
    const auto depth = static_cast<std::uint32_t>(types_.size());
    if (term->loose > 0) {
      for (std::uint32_t index = 0; index < depth; ++index) {
        if (ir::occurrences(term, index) > 0) return false;
      }
    }
    return bind(pattern.index, ir::shift(term, -static_cast<std::int32_t>(depth)));
  }

  /// f(a, b) is matched by any term: f becomes the function of a and b that it is. It may use no other
  /// variable that the pattern binds.
  bool abstract(const Pattern& pattern, Term term) {
    const std::size_t depth = types_.size(), count = pattern.children.size();
    struct Use {
      std::size_t parameter;
      std::vector<std::uint32_t> path;
    };
    std::vector<std::vector<Use>> uses(depth);
    std::vector<Type> parameters;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::uint32_t> path;
      const Pattern* variable = variable_of(pattern.children[i], path);
      Type type = types_[variable->index];
      for (std::uint32_t component : path) {
        if (!ir::is_tuple(type) || component >= type->elements.size()) return false;
        type = type->elements[component];
      }
      parameters.push_back(type);
      names.push_back(path.empty() ? names_[variable->index] : "");
      uses[variable->index].push_back({i, std::move(path)});
    }
    bool is_direct = count == depth;
    for (std::size_t level = 0; level < depth; ++level) {
      if (uses[level].empty() && ir::occurrences(term, static_cast<std::uint32_t>(depth - 1 - level)) > 0)
        return false;
      is_direct = is_direct && uses[level].size() == 1 && uses[level][0].parameter == level &&
                  uses[level][0].path.empty();
    }
    if (is_direct) return bind(pattern.index, ir::raw_lambda(std::move(parameters), term, std::move(names)));

    // Each variable becomes a parameter of f, or the tuple of those that are its components. Components that
    // f is not given become further parameters, which must not occur.
    std::size_t missing = 0;
    std::vector<Term> arguments;
    for (std::size_t level = 0; level < depth; ++level) {
      const Type type = types_[level];
      if (uses[level].empty()) {
        arguments.push_back(ir::bound(0, type));  // does not occur
      } else if (uses[level].size() == 1 && uses[level][0].path.empty()) {
        arguments.push_back(parameter(uses[level][0].parameter, count, type));
      } else {
        if (!ir::is_tuple(type)) return false;
        std::vector<Term> components(type->elements.size());
        for (const Use& use : uses[level]) {
          if (use.path.size() != 1) return false;
          components[use.path[0]] = parameter(use.parameter, count, type->elements[use.path[0]]);
        }
        for (std::size_t i = 0; i < components.size(); ++i) {
          if (!components[i])
            components[i] = ir::bound(static_cast<std::uint32_t>(count + missing++), type->elements[i]);
        }
        arguments.push_back(ir::tuple(std::move(components)));
      }
    }
    const Term raised =
        ir::shift(term, static_cast<std::int32_t>(count + missing), static_cast<std::uint32_t>(depth));
    Term body = ir::apply(ir::raw_lambda(types_, raised), arguments);
    for (std::size_t i = 0; i < missing; ++i) {
      if (ir::occurrences(body, static_cast<std::uint32_t>(count + i)) > 0) return false;
    }
    body = ir::shift(body, -static_cast<std::int32_t>(missing), static_cast<std::uint32_t>(count));
    return bind(pattern.index, ir::raw_lambda(std::move(parameters), body, std::move(names)));
  }

  static Term parameter(std::size_t position, std::size_t count, Type type) {
    return ir::bound(static_cast<std::uint32_t>(count - 1 - position), type);
  }

  bool givens() {
    return std::all_of(law_.given.begin(), law_.given.end(), [&](const Law::Given& given) {
      return shape(given.shape, bindings_.terms[given.metavariable].type());
    });
  }
  bool shape(const TypeShape& wanted, Type type) {
    if (wanted.kind == TypeShape::Kind::Any) return true;
    return ir::is_array(type) && (wanted.size.empty() || size(wanted.size[0], type->size)) &&
           shape(wanted.elements[0], ir::element_of(type));
  }

  const Law& law_;
  Bindings& bindings_;
  std::vector<Type> types_;  ///< of the variables bound so far, the outermost first
  std::vector<std::string> names_;
};

}  // namespace

bool match(const Law& law, Term term, Bindings& bindings) {
  if (law.left.kind == Pattern::Kind::Call) {
    const auto* call = term.as<ir::Call>();
    if (call == nullptr || call->op != law.left.op) return false;
  }
  bindings.terms.assign(law.metavariables.size(), {});
  bindings.sizes.assign(law.metavariables.size(), {});
  return Matcher(law, bindings).run(term);
}

}  // namespace hoist::rewrite
