// Index expressions as C expressions of the kernel's index type.
#include <algorithm>
#include <bit>
#include <limits>

#include "codegen/c_family.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using arith::Kind;

constexpr std::int64_t most_factors_of_a_power = 4;

bool is_non_negative(Expr e) { return e->facts.minimum && *e->facts.minimum >= 0; }

bool is_negative_term(Expr e) {
  const Expr leading = e.kind() == Kind::Product ? e->operands.front() : e;
  return leading.constant().value_or(0) < 0;
}

Code plain_literal(std::int64_t value) {
  const bool fits =
      value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
  return {fmt::format("{}{}", value, fits ? "" : "L"), value < 0 ? Precedence::Unary : Precedence::Postfix};
}

/// What a comparison becomes when its sides are exchanged.
std::string_view exchanged(arith::Relation relation) {
  switch (relation) {
    case arith::Relation::Less:
      return ">";
    case arith::Relation::LessEqual:
      return ">=";
    case arith::Relation::Equal:
      return "==";
    case arith::Relation::NotEqual:
      return "!=";
  }
  throw Bug("not a relation");
}

std::string_view symbol(arith::Relation relation) {
  switch (relation) {
    case arith::Relation::Less:
      return "<";
    case arith::Relation::LessEqual:
      return "<=";
    default:
      return exchanged(relation);
  }
}

}  // namespace

Code CFamily::index(Expr e) {
  if (e.kind() == Kind::Variable) return {name(e)};
  return print_index(e);
}

Code CFamily::print_index(Expr e) {
  if (e.constant()) return plain_literal(e->value);
  if (index_texts_at_ != names_.replacements()) {
    index_texts_.clear();
    index_texts_at_ = names_.replacements();
  }
  if (const auto known = index_texts_.find(e.get()); known != index_texts_.end()) return known->second;
  return index_texts_.emplace(e.get(), print_new_index(e)).first->second;
}

Code CFamily::print_new_index(Expr e) {
  const auto& operands = e->operands;
  switch (e.kind()) {
    case Kind::Constant:
      break;
    case Kind::Variable: {
      const auto declared = integer_variables_.find(e->name);
      // Two ints would be multiplied as ints even where indices are longs; an unsigned one would make all
      // unsigned.
      if (declared != integer_variables_.end() && declared->second != index_type_) {
        return cast(index_name(), {name(e)});
      }
      return {name(e)};
    }
    case Kind::Sum:
      return sum(e);
    case Kind::Product:
      return product(e);
    case Kind::Quotient:
      return quotient(operands[0], operands[1], false);
    case Kind::ExactQuotient:
      return quotient(operands[0], operands[1], true);
    case Kind::CeilingQuotient:
      return quotient(operands[0] + operands[1] - 1, operands[1], false);
    case Kind::Remainder:
      return remainder(operands[0], operands[1]);
    case Kind::Power:
      return power(operands[0], operands[1]);
    case Kind::Minimum:
    case Kind::Maximum:
      return extremum(e);
    case Kind::Conditional:
      return conditional(predicate(e->predicate), typed_index(operands[0]), typed_index(operands[1]));
  }
  throw Bug("not a kind of index expression");
}

Code CFamily::extremum(Expr e) {
  const bool is_minimum = e.kind() == Kind::Minimum;
  std::vector<Expr> operands(e->operands.begin(), e->operands.end());
  const bool is_positive_part = !is_minimum && hides_positive_parts_ &&
                                std::erase_if(operands, [](Expr each) { return each == 0; }) > 0;
  Code result = typed_index(operands[0]);
  for (std::size_t at = 1; at < operands.size(); ++at) {
    result = index_extremum(is_minimum, result, typed_index(operands[at]));
  }
  return is_positive_part ? positive_part({index_type_, 1}, result) : result;
}

Code CFamily::typed_index(Expr e) {
  Code code = print_index(e);
  if (e.constant() && index_type_ == Scalar::I64 && !code.text.ends_with('L')) code.text += 'L';
  return code;
}

Code CFamily::sum(Expr e) {
  std::vector<Expr> terms(e->operands.begin(), e->operands.end());
  const auto first = std::find_if_not(terms.begin(), terms.end(), is_negative_term);
  if (first != terms.end()) std::rotate(terms.begin(), first, first + 1);
  Code result = print_index(terms[0]);
  for (std::size_t at = 1; at < terms.size(); ++at) {
    const bool is_negative = is_negative_term(terms[at]);
    const Code term = print_index(is_negative ? -terms[at] : terms[at]);
    result = infix(result, is_negative ? "-" : "+", term, Precedence::Sum);
  }
  return result;
}

Code CFamily::product(Expr e) {
  std::vector<Expr> factors(e->operands.begin(), e->operands.end());
  if (factors[0].is_constant(-1)) {
    return prefix("-", print_index(arith::product(std::span(factors).subspan(1))));
  }
  for (auto factor = factors.begin(); factor != factors.end(); ++factor) {
    const Expr shift = binary_logarithm(*factor);
    if (!shift) continue;
    std::vector<Expr> others(factors.begin(), factor);
    others.insert(others.end(), factor + 1, factors.end());
    const Expr rest = arith::product(others);
    if (is_non_negative(rest)) return infix(typed_index(rest), "<<", print_index(shift), Precedence::Shift);
  }
  Code result = print_index(factors[0]);
  for (std::size_t at = 1; at < factors.size(); ++at) {
    result = infix(result, "*", print_index(factors[at]), Precedence::Product);
  }
  return result;
}

Code CFamily::quotient(Expr dividend, Expr divisor, bool is_exact) {
  const Expr shift = binary_logarithm(divisor);
  if (shift && (is_exact || is_non_negative(dividend))) {
    return infix(typed_index(dividend), ">>", print_index(shift), Precedence::Shift);
  }
  return infix(print_index(dividend), "/", print_index(divisor), Precedence::Product);
}

Code CFamily::remainder(Expr dividend, Expr divisor) {
  if (binary_logarithm(divisor) && is_non_negative(dividend)) {
    const Code below = infix(print_index(divisor), "-", {"1"}, Precedence::Sum);
    return infix(print_index(dividend), "&", below, Precedence::BitAnd);
  }
  return infix(print_index(dividend), "%", print_index(divisor), Precedence::Product);
}

Code CFamily::power(Expr base, Expr exponent) {
  const std::int64_t times = exponent.constant().value_or(0);
  if (times >= 1 && times <= most_factors_of_a_power) {
    Code result = print_index(base);
    for (std::int64_t at = 1; at < times; ++at) {
      result = infix(result, "*", print_index(base), Precedence::Product);
    }
    return result;
  }
  if (const Expr shift = binary_logarithm(arith::power(base, exponent))) {
    return infix(typed_index(1), "<<", print_index(shift), Precedence::Shift);
  }
  return index_power(typed_index(base), typed_index(exponent));
}

Expr CFamily::binary_logarithm(Expr e) {
  if (e.kind() != Kind::Power) return {};
  const std::int64_t base = e->operands[0].constant().value_or(0);
  if (base < 2 || !std::has_single_bit(static_cast<std::uint64_t>(base))) return {};
  return e->operands[1] * Expr(std::countr_zero(static_cast<std::uint64_t>(base)));
}

Code CFamily::predicate(const arith::Predicate& predicate) {
  const bool is_equality =
      predicate.relation == arith::Relation::Equal || predicate.relation == arith::Relation::NotEqual;
  const Precedence precedence = is_equality ? Precedence::Equality : Precedence::Relational;
  if (predicate.left.constant()) {
    return infix(print_index(predicate.right), exchanged(predicate.relation), print_index(predicate.left),
                 precedence);
  }
  return infix(print_index(predicate.left), symbol(predicate.relation), print_index(predicate.right),
               precedence);
}

}  // namespace hoist::codegen
