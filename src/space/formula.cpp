#include "space/formula.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace hoist::space {

using arith::Kind;

namespace {

/// Where more values than these wait for their operation, arith computes the expression.
constexpr std::size_t deepest = 64;

}  // namespace

Formula::Formula(arith::Expr e, const std::vector<arith::Expr>& variables) {
  add(e, variables);
  if (!whole_ && height() <= deepest) return;
  instructions_.clear();
  whole_ = e;
  variables_ = variables;
}

void Formula::add(arith::Expr e, const std::vector<arith::Expr>& variables) {
  switch (e.kind()) {
    case Kind::Constant:
      instructions_.push_back({Kind::Constant, 0, e->value});
      return;
    case Kind::Variable: {
      const auto slot = std::find(variables.begin(), variables.end(), e);
      if (slot == variables.end()) throw Bug("a formula mentions a variable that has no slot");
      instructions_.push_back({Kind::Variable, 0, slot - variables.begin()});
      return;
    }
    case Kind::Conditional:
      whole_ = e;
      return;
    default:
      for (arith::Expr operand : e->operands) add(operand, variables);
      instructions_.push_back({e.kind(), static_cast<std::uint32_t>(e->operands.size())});
  }
}

/// How many values wait for their operation, at the most.
std::size_t Formula::height() const {
  std::size_t now = 0, most = 0;
  for (const Instruction& step : instructions_) {
    now = now + 1 - step.count;
    most = std::max(most, now);
  }
  return most;
}

namespace {

/// a ** b; false where that has no value.
bool raise(std::int64_t& a, std::int64_t b) {
  if (b < 0) return false;
  // Other bases are too large after 63 steps.
  if (a >= -1 && a <= 1) b = b == 0 ? 0 : 2 - b % 2;
  std::int64_t result = 1;
  for (; b > 0; --b) {
    if (__builtin_mul_overflow(result, a, &result)) return false;
  }
  a = result;
  return true;
}

/// a op b; false where that has no value.
bool combine(Kind kind, std::int64_t& a, std::int64_t b) {
  switch (kind) {
    case Kind::Sum:
      return !__builtin_add_overflow(a, b, &a);
    case Kind::Product:
      return !__builtin_mul_overflow(a, b, &a);
    case Kind::Minimum:
      a = std::min(a, b);
      return true;
    case Kind::Maximum:
      a = std::max(a, b);
      return true;
    case Kind::Power:
      return raise(a, b);
    default:
      break;
  }
  if (b == 0 || (b == -1 && a == INT64_MIN && kind != Kind::Remainder)) return false;
  switch (kind) {
    case Kind::Quotient:
      a /= b;
      return true;
    case Kind::Remainder:
      a = b == -1 ? 0 : a % b;
      return true;
    case Kind::ExactQuotient:
      if (a % b != 0) return false;
      a /= b;
      return true;
    case Kind::CeilingQuotient:
      if (a < 0 || b < 1) return false;
      a = a / b + (a % b != 0 ? 1 : 0);
      return true;
    default:
      throw Bug("not an operation of a formula");
  }
}

}  // namespace

std::optional<std::int64_t> Formula::operator()(const std::vector<std::int64_t>& slots) const {
  if (whole_) {
    arith::Bindings bindings;
    for (std::size_t i = 0; i < variables_.size(); ++i) bindings[variables_[i].get()] = slots[i];
    return arith::evaluate(whole_, bindings);
  }
  std::array<std::int64_t, deepest> stack;  // NOLINT: read only where it was written
  std::size_t height = 0;
  for (const Instruction& step : instructions_) {
    if (step.kind == Kind::Constant || step.kind == Kind::Variable) {
      stack[height++] =
          step.kind == Kind::Constant ? step.value : slots[static_cast<std::size_t>(step.value)];
      continue;
    }
    const std::size_t first = height - step.count;
    for (std::size_t i = first + 1; i < height; ++i) {
      if (!combine(step.kind, stack[first], stack[i])) return std::nullopt;
    }
    height = first + 1;
  }
  return stack[0];
}

bool Comparison::holds(const std::vector<std::int64_t>& slots) const {
  const auto a = left(slots), b = right(slots);
  if (!a || !b) return false;
  switch (relation) {
    case arith::Relation::Less:
      return *a < *b;
    case arith::Relation::LessEqual:
      return *a <= *b;
    case arith::Relation::Equal:
      return *a == *b;
    case arith::Relation::NotEqual:
      return *a != *b;
  }
  return false;
}

}  // namespace hoist::space
