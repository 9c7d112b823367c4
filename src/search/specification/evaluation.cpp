#include "search/specification/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace hoist::search::specification {

namespace {

[[noreturn]] void fail_too_large(const Expression& expression) {
  fail_at(expression.span, "the result has more than 64 bits");
}

std::int64_t checked(const Expression& expression, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool is_too_large = false;
  switch (expression.operation) {
    case Operator::Negate:
      is_too_large = __builtin_sub_overflow(std::int64_t{0}, left, &result);
      break;
    case Operator::Add:
      is_too_large = __builtin_add_overflow(left, right, &result);
      break;
    case Operator::Subtract:
      is_too_large = __builtin_sub_overflow(left, right, &result);
      break;
    case Operator::Multiply:
      is_too_large = __builtin_mul_overflow(left, right, &result);
      break;
    case Operator::Divide:
    case Operator::Remainder: {
      const bool is_division = expression.operation == Operator::Divide;
      if (right == 0)
        fail_at(expression.operands[1].span, is_division ? "a division by zero" : "a remainder by zero");
      is_too_large = left == std::numeric_limits<std::int64_t>::min() && right == -1;
      if (!is_too_large) result = is_division ? left / right : left % right;
      break;
    }
    case Operator::Least:
      return std::min(left, right);
    case Operator::Most:
      return std::max(left, right);
    case Operator::Less:
      return left < right ? 1 : 0;
    case Operator::LessEqual:
      return left <= right ? 1 : 0;
    case Operator::Greater:
      return left > right ? 1 : 0;
    case Operator::GreaterEqual:
      return left >= right ? 1 : 0;
    case Operator::Equal:
      return left == right ? 1 : 0;
    case Operator::NotEqual:
      return left != right ? 1 : 0;
  }
  if (is_too_large) fail_too_large(expression);
  return result;
}

}  // namespace

void fail_at(Span span, std::string message, std::string note, std::string help) {
  throw Failure(Error{ErrorKind::User, {{std::move(message), span, std::move(note), std::move(help)}}});
}

bool is_constant(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::Number:
      return true;
    case Expression::Kind::Name:
    case Expression::Kind::Value:
    case Expression::Kind::Best:
      return false;
    case Expression::Kind::Operation:
      break;
  }
  return std::all_of(expression.operands.begin(), expression.operands.end(), is_constant);
}

std::int64_t evaluate(const Expression& expression, const Surroundings& surroundings) {
  const auto value_in = [&](const NamedValues* values, const char* where) {
    if (values == nullptr || !(*values)[expression.place])
      fail_at(expression.span, fmt::format("{} has no value {}", expression.name, where));
    return *(*values)[expression.place];
  };
  switch (expression.kind) {
    case Expression::Kind::Number:
      return expression.number;
    case Expression::Kind::Name:
      throw Bug("a specification was evaluated before its names were bound");
    case Expression::Kind::Value:
      return value_in(surroundings.at_hand, "here");
    case Expression::Kind::Best:
      return value_in(surroundings.best, "in the best configuration so far");
    case Expression::Kind::Operation:
      break;
  }
  const std::int64_t left = evaluate(expression.operands[0], surroundings);
  const bool has_two = expression.operation != Operator::Negate;
  return checked(expression, left, has_two ? evaluate(expression.operands[1], surroundings) : 0);
}

void RangeBounds::for_each(const std::function<bool(std::int64_t)>& fn) const {
  std::int64_t value = from;
  bool is_last = is_empty();
  while (!is_last && fn(value)) {
    std::int64_t next = 0;
    const bool is_beyond =
        multiplies ? __builtin_mul_overflow(value, step, &next) : __builtin_add_overflow(value, step, &next);
    is_last = is_beyond || next > to;
    value = next;
  }
}

RangeBounds bounds_of(const Range& range, const Surroundings& surroundings) {
  RangeBounds bounds;
  bounds.multiplies = range.multiplies;
  bounds.step = evaluate(range.step, surroundings);
  const std::int64_t least_step = bounds.multiplies ? 2 : 1;
  if (bounds.step < least_step)
    fail_at(range.step.span,
            fmt::format("a step of {}{} never comes to the range's end", bounds.multiplies ? '*' : '+',
                        bounds.step),
            {}, bounds.multiplies ? "multiply by 2 or more" : "add 1 or more");
  bounds.from = evaluate(range.from, surroundings);
  bounds.to = evaluate(range.to, surroundings);
  if (bounds.multiplies && bounds.from < 1)
    fail_at(range.from.span, fmt::format("multiplying {} never comes to the range's end", bounds.from), {},
            "such a range begins with 1 or more");
  return bounds;
}

}  // namespace hoist::search::specification
