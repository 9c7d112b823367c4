// Right sides: terms from patterns, directly with de Bruijn indices.
#include "base/error.hpp"
#include "base/need.hpp"
#include "ir/scheme.hpp"
#include "rewrite/pattern.hpp"
#include "rewrite/sharing.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;
using ir::Type;

namespace {

class Instantiation {
 public:
  Instantiation(const Law& law, const Bindings& bindings) : law_(law), bindings_(bindings) {}

  Term run(const Pattern& pattern) {
    using Kind = Pattern::Kind;
    switch (pattern.kind) {
      case Kind::Data:
        return raised(pattern.index);
      case Kind::Variable:
        return ir::bound(static_cast<std::uint32_t>(types_.size() - 1 - pattern.index),
                         types_[pattern.index]);
      case Kind::Apply:
        return apply_once(raised(pattern.index), all(pattern.children));
      case Kind::Call:
        return call(pattern);
      case Kind::Scalar:
        return ir::scalar_call(pattern.scalar, all(pattern.children));
      case Kind::Tuple:
        return ir::tuple(all(pattern.children));
      case Kind::Get:
        return ir::get(pattern.index, run(pattern.children[0]));
      case Kind::Let: {
        const Term value = run(pattern.children[0]);
        return ir::let(value, function(pattern.children[1], {value.type()}));
      }
      case Kind::SizeValue: {
        const Expr size = value(pattern.sizes[0]);
        if (const auto number = size.constant())
          return ir::literal(ScalarValue::of_integer(Scalar::I32, *number));
        return ir::size_value(size);
      }
      case Kind::Function:
      case Kind::Vectorize:
      case Kind::Lambda:
        break;
    }
    throw Bug("a function where a rule's pattern wants a value");
  }

 private:
  Term raised(std::uint32_t metavariable) const {
    return ir::shift(bindings_.terms[metavariable], static_cast<std::int32_t>(types_.size()));
  }
  Expr value(const SizePattern& size) const { return size_of(size, bindings_); }

  std::vector<Term> all(const std::vector<Pattern>& patterns) {
    std::vector<Term> terms;
    terms.reserve(patterns.size());
    for (const Pattern& each : patterns) terms.push_back(run(each));
    return terms;
  }

  static bool is_function(const Pattern& pattern) {
    using Kind = Pattern::Kind;
    return pattern.kind == Kind::Function || pattern.kind == Kind::Vectorize || pattern.kind == Kind::Lambda;
  }

  Term function(const Pattern& pattern, const std::vector<Type>& parameters) {
    if (pattern.kind == Pattern::Kind::Function) return raised(pattern.index);
    if (pattern.kind == Pattern::Kind::Vectorize)
      return vectorized(function(pattern.children[0], parameters), value(pattern.sizes[0]));
    types_.insert(types_.end(), parameters.begin(), parameters.end());
    const Term body = run(pattern.children[0]);
    types_.resize(types_.size() - parameters.size());
    return ir::raw_lambda(parameters, body, pattern.names);
  }

  Term call(const Pattern& pattern) {
    std::vector<Expr> sizes;
    sizes.reserve(pattern.sizes.size());
    for (const SizePattern& each : pattern.sizes) sizes.push_back(value(each));
    std::vector<Term> arguments(pattern.children.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!is_function(pattern.children[i])) arguments[i] = run(pattern.children[i]);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i]) continue;
      const Pattern& wanted = pattern.children[i];
      arguments[i] =
          function(wanted, wanted.kind == Pattern::Kind::Lambda ? parameters_of(pattern, sizes, arguments, i)
                                                                : std::vector<Type>());
    }
    return ir::call(pattern.op, std::move(sizes), std::move(arguments));
  }

  /// The types that a function argument's parameters must have.
  static std::vector<Type> parameters_of(const Pattern& pattern, const std::vector<Expr>& sizes,
                                         const std::vector<Term>& arguments, std::size_t position) {
    const Type data = arguments.back() ? arguments.back().type() : Type();
    if (ir::is_map(pattern.op) && data && ir::is_array(data)) return {ir::element_of(data)};
    if ((ir::is_reduce(pattern.op) || ir::is_scan(pattern.op)) && data && ir::is_array(data))
      return {arguments[1].type(), ir::element_of(data)};
    ir::CallTyping typing(pattern.op, arguments.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) typing.give_static(i, sizes[i]);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i] || ir::is_function(arguments[i].type())) continue;
      need(typing.give_data(sizes.size() + i, arguments[i].type()));
    }
    return need(typing.function_parameters(sizes.size() + position));
  }

  const Law& law_;
  const Bindings& bindings_;
  std::vector<Type> types_;  ///< of the variables bound so far, the outermost first
};

}  // namespace

Term instantiate(const Law& law, const Pattern& pattern, const Bindings& bindings) {
  return Instantiation(law, bindings).run(pattern);
}

Term instantiate(const Law& law, const Bindings& bindings) {
  for (std::size_t i = 0; i < law.metavariables.size(); ++i) {
    const Term value = bindings.terms[i];
    if (!law.metavariables[i].is_repeated || is_free_of_cost(value)) continue;
    Bindings inside = bindings;
    for (Term& each : inside.terms) {
      if (each) each = ir::shift(each, 1);
    }
    inside.terms[i] = ir::bound(0, value.type());
    return ir::let(value,
                   ir::raw_lambda({value.type()}, instantiate(law, inside), {law.metavariables[i].name}));
  }
  return instantiate(law, law.right, bindings);
}

}  // namespace hoist::rewrite
