// What is known of the operator of a reduction.
//
// An operator is recognised when it applies one scalar operation to each component of its two parameters:
// (a, b) => a + b, or ((a, i), (b, j)) => (max(a, b), i + j). `for_each_component` takes the function apart
// that way, and `operator_properties`, `is_neutral` and `neutral_element` ask the table of scalar operations.
// Programs may claim the same of other functions (`OperatorClaims`).
//
// `decomposed` is for operators that prepare the element first, (acc, x) => acc + f(x): they are split into a
// map of f and an operator that is associative and commutative, which can be reduced in parallel.
#include "ir/reduction.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace hoist::ir {

std::optional<ScalarValue> neutral_scalar(ScalarOp op, Scalar type) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case ScalarOp::Add:
    case ScalarOp::BitOr:
    case ScalarOp::BitXor:
    case ScalarOp::Or:
      return ScalarValue::of_integer(type, 0);
    case ScalarOp::Multiply:
    case ScalarOp::And:
      return ScalarValue::of_integer(type, 1);
    case ScalarOp::BitAnd:
      return ScalarValue::of_integer(type, -1);
    case ScalarOp::Minimum:
      return is_float(type) ? ScalarValue::of_real(type, infinity)
                            : ScalarValue::of_integer(type, largest(type));
    case ScalarOp::Maximum:
      return is_float(type) ? ScalarValue::of_real(type, -infinity)
                            : ScalarValue::of_integer(type, smallest(type));
    default:
      return std::nullopt;
  }
}

namespace {

/// The operation a lambda of two parameters applies to `path` of both: op(acc, x) or op(x, acc).
std::optional<ScalarOp> operation_of(Term body, const std::vector<std::uint32_t>& path) {
  auto* call = body.as<ScalarCall>();
  if (!call || call->arguments.size() != 2) return std::nullopt;
  auto is_operand = [&](Term term, std::uint32_t index) {
    for (std::size_t i = path.size(); i-- > 0;) {
      auto* get_node = term.as<Get>();
      if (!get_node || get_node->index != path[i]) return false;
      term = get_node->tuple;
    }
    auto* variable = term.as<Bound>();
    return variable && variable->index == index;
  };
  bool in_order = is_operand(call->arguments[0], 1) && is_operand(call->arguments[1], 0);
  bool swapped = is_operand(call->arguments[0], 0) && is_operand(call->arguments[1], 1);
  if (in_order || (swapped && info(call->op).commutative)) return call->op;
  return std::nullopt;
}

/// Calls fn(operation, scalar type, literal of `value` if given) for each component; false when one is not
/// recognised.
template <class Fn>
bool for_each_component(Term body, Term value, std::vector<std::uint32_t>& path, Fn&& fn) {
  if (auto* made = body.as<Tuple>()) {
    auto* values = value ? value.as<Tuple>() : nullptr;
    if (value && !values) return false;
    for (std::uint32_t i = 0; i < made->components.size(); ++i) {
      path.push_back(i);
      bool ok = for_each_component(made->components[i], values ? values->components[i] : Term(), path, fn);
      path.pop_back();
      if (!ok) return false;
    }
    return true;
  }
  auto operation = operation_of(body, path);
  return operation && fn(*operation, body.type(), value);
}

/// Either zero is neutral.
bool is_same_number(const ScalarValue& a, const ScalarValue& b) {
  return a.type == b.type && a.real == b.real && a.integer == b.integer;
}

/// The neutral element of the operation that gives `component`, by itself or in a tuple.
Term neutral_of_body(Term body, std::vector<std::uint32_t>& path) {
  if (auto* made = body.as<Tuple>()) {
    std::vector<Term> components;
    for (std::uint32_t i = 0; i < made->components.size(); ++i) {
      path.push_back(i);
      components.push_back(neutral_of_body(made->components[i], path));
      path.pop_back();
      if (!components.back()) return {};
    }
    return tuple(std::move(components));
  }
  auto operation = operation_of(body, path);
  auto neutral = operation ? neutral_scalar(*operation, body.type()->scalar) : std::nullopt;
  if (!neutral) return {};
  return is_vector(body.type()) ? call(Op::Broadcast, {body.type()->size}, {literal(*neutral)})
                                : literal(*neutral);
}

}  // namespace

namespace {

bool is_idempotent(ScalarOp op) {
  switch (op) {
    case ScalarOp::Minimum:
    case ScalarOp::Maximum:
    case ScalarOp::And:
    case ScalarOp::Or:
    case ScalarOp::BitAnd:
    case ScalarOp::BitOr:
      return true;
    default:
      return false;
  }
}

}  // namespace

OperatorProperties operator_properties(Term lambda) {
  OperatorProperties result;
  auto* function = lambda.as<Lambda>();
  if (!function || function->parameters.size() != 2 || function->parameters[0] != function->parameters[1])
    return result;
  bool associative = true, commutative = true, idempotent = true;
  std::vector<std::uint32_t> path;
  bool known = for_each_component(function->body, {}, path, [&](ScalarOp op, Type type, Term) {
    associative &= info(op).associative;
    commutative &= info(op).commutative;
    idempotent &= is_idempotent(op);
    bool rounds = op == ScalarOp::Add || op == ScalarOp::Multiply;
    result.floats |= rounds && is_float(type->scalar);
    return true;
  });
  result.associative = (known && associative) || function->claims.associative;
  result.commutative = (known && commutative) || function->claims.commutative;
  result.idempotent = known && associative && idempotent;
  if (!known) result.floats = true;
  return result;
}

bool is_neutral(Term lambda, Term value) {
  auto* function = lambda.as<Lambda>();
  if (!function || function->parameters.size() != 2 || function->parameters[0] != value.type()) return false;
  if (function->claims.neutral && function->claims.neutral == value) return true;
  std::vector<std::uint32_t> path;
  return for_each_component(function->body, value, path, [](ScalarOp op, Type, Term component) {
    if (auto* call = component.as<Call>(); call && call->op == Op::Broadcast) component = call->arguments[0];
    auto* constant = component.as<Literal>();
    auto neutral = constant ? neutral_scalar(op, constant->value.type) : std::nullopt;
    return neutral && is_same_number(*neutral, constant->value);
  });
}

Term neutral_element(Term lambda) {
  auto* function = lambda.as<Lambda>();
  if (!function || function->parameters.size() != 2 || function->parameters[0] != function->parameters[1])
    return {};
  if (function->claims.neutral) return function->claims.neutral;
  std::vector<std::uint32_t> path;
  return neutral_of_body(function->body, path);
}

std::optional<DecomposedOperator> decomposed(Term operation) {
  auto* function = operation.as<Lambda>();
  const Type state = function->parameters[0], element = function->parameters[1];
  if (state == element) {
    const OperatorProperties properties = operator_properties(operation);
    if (properties.associative) return DecomposedOperator{operation, {}, properties.commutative};
  }
  const Term acc = fresh(state, "acc"), x = fresh(element, "x");
  const Term body = apply(operation, {acc, x});
  const std::function<bool(Term)> mentions_acc = [&](Term term) {
    if (term == acc) return true;
    const std::vector<Term> inside = children(term);
    return std::any_of(inside.begin(), inside.end(), mentions_acc);
  };
  // One scalar of the state: op(acc, rest) or op(rest, acc).
  struct Part {
    ScalarOp op;
    Term rest;
  };
  const auto part = [&](Term value, Term own) -> std::optional<Part> {
    auto* call = value.as<ScalarCall>();
    if (!call || call->arguments.size() != 2 || !info(call->op).associative || !info(call->op).commutative) {
      return std::nullopt;
    }
    for (std::size_t side : {0U, 1U}) {
      const Term rest = call->arguments[1 - side];
      if (call->arguments[side] == own && !mentions_acc(rest) && rest.type() == own.type())
        return Part{call->op, rest};
    }
    return std::nullopt;
  };
  if (auto* made = body.as<Tuple>()) {
    std::vector<Part> parts;
    std::vector<Term> prepared;
    for (std::uint32_t i = 0; i < made->components.size(); ++i) {
      const auto each = part(made->components[i], get(i, acc));
      if (!each) return std::nullopt;
      prepared.push_back(each->rest);
      parts.push_back(*each);
    }
    const Term combine = lambda({state, state}, [&](const std::vector<Term>& two) {
      std::vector<Term> components;
      for (std::uint32_t i = 0; i < parts.size(); ++i) {
        components.push_back(scalar_call(parts[i].op, {get(i, two[0]), get(i, two[1])}));
      }
      return tuple(components);
    });
    return DecomposedOperator{combine, lambda(std::vector<Term>{x}, tuple(prepared)), true};
  }
  const auto whole = part(body, acc);
  if (!whole) return std::nullopt;
  const Term combine = lambda({state, state}, [&](const std::vector<Term>& two) {
    return scalar_call(whole->op, {two[0], two[1]});
  });
  return DecomposedOperator{combine, lambda(std::vector<Term>{x}, whole->rest), true};
}

std::optional<std::vector<ScalarOp>> componentwise_operations(Term operation) {
  auto* function = operation.as<Lambda>();
  if (!function || function->parameters.size() != 2 || function->parameters[0] != function->parameters[1])
    return std::nullopt;
  std::vector<ScalarOp> operations;
  std::vector<std::uint32_t> path;
  const bool known = for_each_component(function->body, {}, path, [&](ScalarOp op, Type, Term) {
    operations.push_back(op);
    return true;
  });
  if (!known) return std::nullopt;
  return operations;
}

}  // namespace hoist::ir
