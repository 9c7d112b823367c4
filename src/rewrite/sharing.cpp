#include "rewrite/sharing.hpp"

#include <optional>

#include "base/error.hpp"
#include "ir/inspect.hpp"
#include "rewrite/invariants.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;
using ir::Type;

namespace {

constexpr int longest_chain = 8;
constexpr std::size_t most_nodes = 32;

/// Whether the term has at most `left` nodes; takes off what it has.
bool is_short(Term term, std::size_t& left) {
  if (left == 0) return false;
  --left;
  for (Term child : ir::children(term)) {
    if (!is_short(child, left)) return false;
  }
  return true;
}

bool is_free(Term term, int links) {
  if (links == 0) return false;
  if (term.as<ir::Free>() || term.as<ir::Bound>() || term.as<ir::Literal>() || term.as<ir::SizeValue>())
    return true;
  if (const auto* get = term.as<ir::Get>()) return is_free(get->tuple, links - 1);
  if (const auto* tuple = term.as<ir::Tuple>()) {
    for (Term each : tuple->components) {
      if (!is_free(each, links - 1)) return false;
    }
    return true;
  }
  const auto* call = term.as<ir::Call>();
  if (call == nullptr || !ir::is_layout(call->op)) return false;
  for (Term argument : call->arguments) {
    if (argument.as<ir::Lambda>() || !is_free(argument, links - 1)) return false;
  }
  return true;
}

struct Uses {
  std::size_t count = 0;
  bool is_repeated = false;  ///< inside a function that a pattern calls any number of times
};

/// Counts the uses of the variable, or of its component if one is asked for, up to two: more makes no
/// difference.
void count_uses(Term term, std::uint32_t index, std::optional<std::uint32_t> component, bool is_repeated,
                Uses& uses) {
  if (uses.count > 1 || uses.is_repeated || term->loose <= index) return;
  if (const auto* get = term.as<ir::Get>(); get && component && get->index != *component) {
    const auto* variable = get->tuple.as<ir::Bound>();
    if (variable && variable->index == index) return;
  }
  if (const auto* variable = term.as<ir::Bound>()) {
    if (variable->index != index) return;
    ++uses.count;
    uses.is_repeated = is_repeated;
    return;
  }
  const auto* lambda = term.as<ir::Lambda>();
  const auto inside = index + static_cast<std::uint32_t>(lambda ? lambda->parameters.size() : 0);
  const bool is_call = term.as<ir::Call>() != nullptr;
  for (Term child : ir::children(term)) {
    count_uses(child, inside, component, is_repeated || (is_call && child.as<ir::Lambda>() != nullptr), uses);
  }
}

bool is_used_once(const ir::Lambda& function, std::size_t parameter, std::optional<std::uint32_t> component) {
  Uses uses;
  count_uses(function.body, static_cast<std::uint32_t>(function.parameters.size() - 1 - parameter), component,
             false, uses);
  return uses.count == 0 || (uses.count == 1 && !uses.is_repeated);
}

/// let name = value in apply_once(lambda, arguments), where everything from outside is one binder further
/// away and `replace` puts the variable in its place.
template <class Replace>
Term bound_once(Term lambda, const std::vector<Term>& arguments, Term value, const std::string& name,
                Replace&& replace) {
  std::vector<Term> inside;
  for (Term each : arguments) inside.push_back(ir::shift(each, 1));
  replace(inside, ir::bound(0, value.type()));
  const Term body = apply_once(ir::shift(lambda, 1), inside);
  return ir::let(value, ir::raw_lambda({value.type()}, body, {name}));
}

}  // namespace

Term outside_lets(Term term, std::vector<Binding>& bindings) {
  while (const auto* let = term.as<ir::Let>()) {
    bindings.push_back({ir::fresh_parameters(*let->body.as<ir::Lambda>())[0], let->value});
    term = ir::apply(let->body, {bindings.back().variable});
  }
  return term;
}

Term with_lets(std::span<const Binding> bindings, Term term) {
  for (std::size_t i = bindings.size(); i-- > 0;)
    term = ir::let(bindings[i].value, ir::lambda(std::vector<Term>{bindings[i].variable}, term));
  return term;
}

bool is_free_of_cost(Term term) {
  if (is_free(term, longest_chain)) return true;
  std::size_t left = most_nodes;
  return is_layout_only(term) && is_short(term, left);
}

bool may_inline(Term lambda, std::size_t parameter, Term value) {
  return is_free_of_cost(value) || is_used_once(*lambda.as<ir::Lambda>(), parameter, std::nullopt);
}

Term apply_once(Term lambda, const std::vector<Term>& arguments) {
  const auto* function = lambda.as<ir::Lambda>();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (may_inline(lambda, i, arguments[i])) continue;
    const auto* tuple = arguments[i].as<ir::Tuple>();
    if (tuple == nullptr) {
      const std::string name =
          i < function->names.size() && !function->names[i].empty() ? function->names[i] : "value";
      return bound_once(lambda, arguments, arguments[i], name,
                        [i](std::vector<Term>& inside, Term variable) { inside[i] = variable; });
    }
    // A tuple that is written out goes apart: only its components cost something.
    for (std::uint32_t c = 0; c < tuple->components.size(); ++c) {
      const Term component = tuple->components[c];
      if (is_free_of_cost(component) || is_used_once(*function, i, c)) continue;
      return bound_once(lambda, arguments, component, "value",
                        [i, c](std::vector<Term>& inside, Term variable) {
                          std::vector<Term> components = inside[i].as<ir::Tuple>()->components;
                          components[c] = variable;
                          inside[i] = ir::tuple(std::move(components));
                        });
    }
  }
  return ir::apply(lambda, arguments);
}

namespace {

Type widened(Type type, arith::Expr width) {
  if (ir::is_scalar(type)) return ir::vector_type(type->scalar, width);
  if (!ir::is_tuple(type))
    throw_user("only functions of scalars, or tuples of scalars, become functions of vectors");
  std::vector<Type> elements;
  for (Type each : type->elements) elements.push_back(widened(each, width));
  return ir::tuple_type(std::move(elements));
}

/// `count` parameters are the innermost loose indices of the body.
class Widening {
 public:
  Widening(arith::Expr width, std::uint32_t count) : width_(width), count_(count) {}

  Term run(Term term) const {
    if (const auto* variable = term.as<ir::Bound>()) {
      if (variable->index >= count_) return scalar(term);
      return ir::bound(variable->index, widened(term.type(), width_));
    }
    if (term.as<ir::Literal>() || term.as<ir::Free>() || term.as<ir::SizeValue>()) return scalar(term);
    const bool is_scalar_operation =
        term.as<ir::ScalarCall>() || term.as<ir::Cast>() || term.as<ir::Get>() || term.as<ir::Tuple>();
    if (!is_scalar_operation) throw_user("only scalar operations become operations on vectors");
    std::vector<Term> children = ir::children(term);
    for (Term& child : children) child = run(child);
    return ir::with_children(term, children);
  }

 private:
  static Term scalar(Term term) {
    if (!ir::is_scalar(term.type())) throw_user("only scalars can be used beside vectors");
    return term;
  }
  arith::Expr width_;
  std::uint32_t count_;
};

/// Scalars, by themselves or in a tuple, repeated to vectors.
Term repeated(Term term, arith::Expr width) {
  if (ir::is_vector(term.type())) return term;
  if (ir::is_scalar(term.type())) return ir::call(Op::Broadcast, {width}, {term});
  std::vector<Term> components;
  for (std::uint32_t i = 0; i < term.type()->elements.size(); ++i) {
    components.push_back(repeated(ir::get(i, term), width));
  }
  return ir::tuple(std::move(components));
}

}  // namespace

Term vectorized(Term lambda, arith::Expr width) {
  const auto* function = lambda.as<ir::Lambda>();
  std::vector<Type> parameters;
  for (Type each : function->parameters) parameters.push_back(widened(each, width));
  const Widening widening(width, static_cast<std::uint32_t>(parameters.size()));
  const Term body = repeated(widening.run(function->body), width);
  ir::OperatorClaims claims = function->claims;
  if (claims.neutral) claims.neutral = repeated(claims.neutral, width);
  return ir::raw_lambda(std::move(parameters), body, function->names, claims);
}

}  // namespace hoist::rewrite
