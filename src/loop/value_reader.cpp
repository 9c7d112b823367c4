// Reads the values and index expressions of the loop IR's text (grammar: syntax.hpp), as a parser by
// recursive descent:
//
//   as_f32(k) * x[4 * i + j] + 1.5
//
// `value` reads infix operations by precedence climbing: it reads an operand, then takes operators as long as
// they bind tightly enough. Below it are `postfix` (components, `v.s0`), `primary` (parentheses, literals,
// loads, variables) and `call` (functions by name). Values are made by their constructors, which infer types;
// `checked` turns what they refuse into an error with its place.
//
// What stands in brackets of a load and in `test(...)` is an index expression, another language, which arith
// reads: `expr` finds its end by counting parentheses, and `parsed` moves the places of arith's errors.
#include "loop/value_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "loop/syntax.hpp"

namespace hoist::loop {
namespace {

/// The scalar after `prefix` in `word`: "as_f32" with "as_" is F32.
std::optional<Scalar> scalar_after(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  return scalar_named(word.substr(prefix.size()));
}

}  // namespace

std::optional<ValueType> type_named(std::string_view word) {
  if (const auto scalar = scalar_named(word)) return ValueType{*scalar, 1};
  const std::size_t x = word.rfind('x');
  if (x == std::string_view::npos) return std::nullopt;
  const auto scalar = scalar_named(word.substr(0, x));
  int width = 0;
  const auto [end, error] = std::from_chars(word.data() + x + 1, word.data() + word.size(), width);
  if (!scalar || error != std::errc() || end != word.data() + word.size() || width < 1) return std::nullopt;
  return ValueType{*scalar, width};
}

// ---- Values

template <class Make>
ValuePtr ValueReader::checked(std::size_t begin, Make&& make) {
  try {
    return make();
  } catch (const Bug& refused) {
    fail_at(begin, at_, refused.what());
  }
}

ValuePtr ValueReader::value(int precedence) {
  const std::size_t begin = skip_space();
  ValuePtr left = postfix();
  for (;;) {
    const std::optional<ScalarOp> op = infix();
    if (!op || infix_precedence(*op) < precedence) return left;
    at_ += info(*op).symbol.size();
    std::vector<ValuePtr> operands{std::move(left), value(infix_precedence(*op) + 1)};
    left = checked(begin, [&] { return operation(*op, std::move(operands)); });
  }
}

std::optional<ScalarOp> ValueReader::infix() {
  skip_space();
  std::optional<ScalarOp> best;
  for (const ScalarOpInfo& row : all_scalar_ops()) {
    if (infix_precedence(row.op) == 0 || text_.compare(at_, row.symbol.size(), row.symbol) != 0) continue;
    if (!best || row.symbol.size() > info(*best).symbol.size()) best = row.op;
  }
  return best;
}

ValuePtr ValueReader::postfix() {
  const std::size_t begin = skip_space();
  ValuePtr vector = primary();
  while (accept(".s")) {
    const auto index = static_cast<int>(natural());
    vector = checked(begin, [&] { return component(std::move(vector), index); });
  }
  return vector;
}

ValuePtr ValueReader::primary() {
  const std::size_t begin = skip_space();
  if (accept("(")) {
    ValuePtr inner = value();
    expect(")");
    return inner;
  }
  if (const auto scalar = literal_scalar()) return literal(*scalar);
  const std::string_view word = this->word();
  const char next = at_ < text_.size() ? text_[at_] : '\0';
  if (next == '[') {
    at_ = begin;
    const BufferPtr buffer = known_buffer();
    const auto [index, width] = place();
    return load(buffer, index, width);
  }
  if (next == '{') {
    const auto type = type_named(word);
    if (!type) fail_at(begin, at_, fmt::format("'{}' is not a type", word));
    expect("{");
    const std::size_t inside = skip_space();
    const auto scalar = literal_scalar();
    if (!scalar || scalar->type != type->scalar) fail_at(inside, at_, "expected a literal of the type");
    expect("}");
    return literal(*scalar, type->width);
  }
  if (next == '(') return call(begin, word);
  const auto found = variables_.find(std::string(word));
  if (found == variables_.end()) fail_at(begin, at_, fmt::format("no variable '{}'", word));
  return reference(found->second);
}

ValuePtr ValueReader::call(std::size_t begin, std::string_view word) {
  expect("(");
  if (word == "test") {
    const arith::Predicate guard = predicate(")");
    expect(")");
    return test(guard);
  }
  if (const auto scalar = scalar_after(word, "index_")) {
    const arith::Expr index = expr(")");
    expect(")");
    return checked(begin, [&] { return index_value(index, *scalar); });
  }
  if (word == "shuffle") {
    ValuePtr operand = value();
    expect(",");
    const auto mask = static_cast<int>(natural());
    expect(")");
    return checked(begin, [&] { return shuffle(std::move(operand), mask); });
  }
  std::vector<ValuePtr> operands;
  do operands.push_back(value());
  while (accept(","));
  expect(")");
  if (const auto scalar = scalar_after(word, "as_"); scalar && operands.size() == 1) {
    return cast(operands[0], *scalar);
  }
  if (const auto type = type_named(word)) {
    return checked(begin, [&] { return make_vector(std::move(operands), type->width); });
  }
  const auto op = scalar_op_named(word);
  if (!op) fail_at(begin, begin + word.size(), fmt::format("no function '{}'", word));
  return checked(begin, [&] { return operation(*op, std::move(operands)); });
}

std::optional<ScalarValue> ValueReader::literal_scalar() {
  const std::size_t begin = skip_space();
  const std::size_t unsigned_begin = begin + (text_.compare(begin, 1, "-") == 0 ? 1 : 0);
  if (unsigned_begin < text_.size() && is_digit(text_[unsigned_begin])) return number(begin);
  at_ = unsigned_begin;
  const std::string_view word = is_name_at(at_) ? this->word() : std::string_view();
  const double sign = unsigned_begin > begin ? -1.0 : 1.0;
  if (begin == unsigned_begin && (word == "true" || word == "false")) {
    return ScalarValue::of_bool(word == "true");
  }
  if (const auto type = scalar_after(word, "inf_"); type && is_float(*type)) {
    return ScalarValue::of_real(*type, std::copysign(std::numeric_limits<double>::infinity(), sign));
  }
  if (const auto type = scalar_after(word, "nan_"); type && is_float(*type)) {
    return ScalarValue::of_real(*type, std::copysign(std::numeric_limits<double>::quiet_NaN(), sign));
  }
  at_ = begin;
  return std::nullopt;
}

ScalarValue ValueReader::number(std::size_t begin) {
  const char* const first = text_.data() + begin;
  const char* const last = text_.data() + text_.size();
  const char* const digits = first + (*first == '-' ? 1 : 0);
  const char* const integer_end = std::find_if_not(digits, last, is_digit);
  double real = 0;
  const auto [real_end, real_error] = std::from_chars(first, last, real);
  at_ = static_cast<std::size_t>(real_end - text_.data());
  const std::string_view suffix = is_name_at(at_) ? word() : std::string_view();
  Scalar type = real_end == integer_end ? Scalar::I32 : Scalar::F32;
  if (!suffix.empty()) {
    const auto named = scalar_named(suffix);
    if (!named) fail_at(begin, at_, "a number with an unknown type");
    type = *named;
  }
  if (type == Scalar::F32) {  // rounding a double once more could give another f32
    float single = 0;
    std::from_chars(first, last, single);
    return ScalarValue::of_real(type, single);
  }
  if (is_float(type)) return ScalarValue::of_real(type, real);
  const auto integer = integer_of({first, integer_end}, type);
  if (real_end != integer_end || !integer) {
    fail_at(begin, at_, fmt::format("not a number of type {}", name_of(type)));
  }
  return *integer;
}

// ---- Index expressions

std::pair<arith::Expr, int> ValueReader::place() {
  expect("[");
  const arith::Expr index = expr("]");
  int width = 1;
  if (accept("+:")) width = static_cast<int>(natural());
  expect("]");
  return {index, width};
}

arith::Expr ValueReader::expr(std::string_view stops) {
  const std::size_t begin = skip_space();
  skip_to(stops);
  return parsed(begin, at_);
}

arith::Expr ValueReader::parsed(std::size_t begin, std::size_t end) {
  while (end > begin && text_[end - 1] == ' ') --end;
  const std::string part = text_.substr(begin, end - begin);
  if (part == "_") return {};
  Result<arith::Expr> result = arith::parse(part, scope_);
  if (result) return *result;
  Error error = std::move(result.error());
  for (Diagnostic& diagnostic : error.diagnostics) {
    const Span inner = diagnostic.span.value_or(Span{0, static_cast<std::uint32_t>(part.size())});
    diagnostic.span = span(begin + inner.begin, begin + inner.end);
  }
  throw Failure(std::move(error));
}

arith::Expr ValueReader::atom() {
  const std::size_t begin = skip_space();
  if (!accept("(")) {
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    return parsed(begin, at_);
  }
  const arith::Expr inner = expr(")");
  expect(")");
  return inner;
}

arith::Predicate ValueReader::predicate(std::string_view stops) {
  const std::size_t begin = skip_space();
  skip_to(stops);
  const std::size_t end = at_;
  constexpr std::pair<std::string_view, arith::Relation> relations[] = {{" <= ", arith::Relation::LessEqual},
                                                                        {" < ", arith::Relation::Less},
                                                                        {" == ", arith::Relation::Equal},
                                                                        {" != ", arith::Relation::NotEqual}};
  int depth = 0;
  for (std::size_t at = begin; at < end; ++at) {
    depth += text_[at] == '(' ? 1 : text_[at] == ')' ? -1 : 0;
    for (const auto& [symbol, relation] : relations) {
      if (depth == 0 && text_.compare(at, symbol.size(), symbol) == 0) {
        return {relation, parsed(begin, at), parsed(at + symbol.size(), end)};
      }
    }
  }
  fail_at(begin, end, "expected a comparison: a < b, a <= b, a == b, a != b, with spaces around the symbol");
}

void ValueReader::skip_to(std::string_view stops) {
  int depth = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (depth == 0 && (stops.find(c) != std::string_view::npos || text_.compare(at_, 2, "+:") == 0)) return;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  fail_here(fmt::format("expected '{}'", stops));
}

BufferPtr ValueReader::known_buffer() {
  const std::size_t begin = skip_space();
  const std::string given(name());
  const auto found = buffers_.find(given);
  if (found == buffers_.end()) fail_at(begin, at_, fmt::format("no buffer '{}'", given));
  return found->second;
}

}  // namespace hoist::loop
