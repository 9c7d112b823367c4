#include "space/monomial.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hoist::space {

using arith::Kind;

int Monomial::exponent(std::size_t parameter) const {
  for (const auto& [each, exponent] : powers) {
    if (each == parameter) return exponent;
  }
  return 0;
}

bool Monomial::has_positive() const {
  return std::any_of(powers.begin(), powers.end(), [](const auto& power) { return power.second > 0; });
}
bool Monomial::has_negative() const {
  return std::any_of(powers.begin(), powers.end(), [](const auto& power) { return power.second < 0; });
}

namespace {

Wide common_divisor(Wide a, Wide b) {
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  while (b != 0) {
    if (a <= most && b <= most) return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace

Fraction Monomial::value(const std::vector<std::int64_t>& slots) const {
  // Nearly all fit in 64 bits, whose divisions take a fraction of the time.
  if (const auto narrow = narrow_value(slots)) {
    const auto [above, below] = *narrow;
    if (below == 1) return {above, 1};
    const std::int64_t common = std::gcd(above, below);
    return {above / common, below / common};
  }
  const auto [above, below] = wide_value(slots);
  const Wide common = common_divisor(above, below);
  if (common > 1) return {above / common, below / common};
  return {above, below};
}

std::optional<Wide> Monomial::integer_value(const std::vector<std::int64_t>& slots) const {
  if (const auto narrow = narrow_value(slots)) {
    const auto [above, below] = *narrow;
    if (below == 1) return above;
    return above % below == 0 ? std::optional<Wide>(above / below) : std::nullopt;
  }
  const auto [above, below] = wide_value(slots);
  return above % below == 0 ? std::optional<Wide>(above / below) : std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> Monomial::narrow_value(
    const std::vector<std::int64_t>& slots) const {
  std::int64_t above = numerator, below = denominator;
  for (const auto& [parameter, exponent] : powers) {
    for (int i = 0; i < exponent; ++i) {
      if (__builtin_mul_overflow(above, slots[parameter], &above)) return std::nullopt;
    }
    for (int i = 0; i > exponent; --i) {
      if (__builtin_mul_overflow(below, slots[parameter], &below)) return std::nullopt;
    }
  }
  return std::pair{above, below};
}

std::pair<Wide, Wide> Monomial::wide_value(const std::vector<std::int64_t>& slots) const {
  Wide above = numerator, below = denominator;
  for (const auto& [parameter, exponent] : powers) {
    for (int i = 0; i < exponent; ++i) above *= slots[parameter];
    for (int i = 0; i > exponent; --i) below *= slots[parameter];
  }
  return {above, below};
}

bool Monomial::fits(const std::vector<std::int64_t>& most) const {
  constexpr double limit = 1e36;
  double above = static_cast<double>(std::abs(numerator)), below = static_cast<double>(denominator);
  for (const auto& [parameter, exponent] : powers) {
    for (int i = 0; i < exponent; ++i) above *= static_cast<double>(most[parameter]);
    for (int i = 0; i > exponent; --i) below *= static_cast<double>(most[parameter]);
  }
  return above < limit && below < limit;
}

namespace {

/// a * b^sign; false where a number is too large.
bool multiply(Monomial& a, const Monomial& b, int sign) {
  const std::int64_t above = sign > 0 ? b.numerator : b.denominator;
  const std::int64_t below = sign > 0 ? b.denominator : b.numerator;
  if (__builtin_mul_overflow(a.numerator, above, &a.numerator)) return false;
  if (__builtin_mul_overflow(a.denominator, below, &a.denominator)) return false;
  const std::int64_t common = std::gcd(a.numerator, a.denominator);
  a.numerator /= common;
  a.denominator /= common;
  for (const auto& [parameter, exponent] : b.powers) {
    const auto at = std::lower_bound(a.powers.begin(), a.powers.end(), std::pair{parameter, INT32_MIN});
    if (at == a.powers.end() || at->first != parameter) {
      a.powers.insert(at, {parameter, sign * exponent});
    } else if ((at->second += sign * exponent) == 0) {
      a.powers.erase(at);
    }
  }
  return true;
}

class Reader {
 public:
  explicit Reader(const std::vector<arith::Expr>& variables) : variables_(variables) {}

  using Terms = std::optional<std::vector<Monomial>>;
  Terms read(arith::Expr e) {
    switch (e.kind()) {
      case Kind::Constant:
        return std::vector<Monomial>{{e->value, 1, {}}};
      case Kind::Variable: {
        const auto slot = std::find(variables_.begin(), variables_.end(), e);
        if (slot == variables_.end()) return std::nullopt;
        return std::vector<Monomial>{{1, 1, {{static_cast<std::size_t>(slot - variables_.begin()), 1}}}};
      }
      case Kind::Sum:
        return read_sum(e);
      case Kind::Product:
        return read_product(e);
      case Kind::ExactQuotient:
        return read_quotient(e);
      default:
        return std::nullopt;
    }
  }
  std::vector<Monomial> quotients;

 private:
  Terms read_sum(arith::Expr e) {
    std::vector<Monomial> terms;
    for (arith::Expr operand : e->operands) {
      const Terms part = read(operand);
      if (!part) return std::nullopt;
      for (const Monomial& term : *part) add(term, terms);
    }
    return terms;
  }

  /// Like terms become one.
  static void add(const Monomial& term, std::vector<Monomial>& terms) {
    for (Monomial& other : terms) {
      const bool is_like = other.powers == term.powers && other.denominator == 1 && term.denominator == 1;
      if (is_like && !__builtin_add_overflow(other.numerator, term.numerator, &other.numerator)) return;
    }
    terms.push_back(term);
  }

  Terms read_product(arith::Expr e) {
    constexpr std::size_t most_terms = 16;
    std::vector<Monomial> terms{{}};
    for (arith::Expr operand : e->operands) {
      const Terms factor = read(operand);
      if (!factor || terms.size() * factor->size() > most_terms) return std::nullopt;
      std::vector<Monomial> all;
      for (const Monomial& a : terms) {
        for (const Monomial& b : *factor) {
          Monomial both = a;
          if (!multiply(both, b, 1)) return std::nullopt;
          add(both, all);
        }
      }
      terms = std::move(all);
    }
    return terms;
  }

  Terms read_quotient(arith::Expr e) {
    const Terms above = read(e->operands[0]), below = read(e->operands[1]);
    if (!above || !below || above->size() != 1 || below->size() != 1) return std::nullopt;
    if (above->front().numerator < 1 || below->front().numerator < 1) return std::nullopt;
    const auto result = quotient(above->front(), below->front());
    if (!result) return std::nullopt;
    quotients.push_back(*result);
    return std::vector<Monomial>{*result};
  }

  const std::vector<arith::Expr>& variables_;
};

}  // namespace

std::optional<Monomial> quotient(const Monomial& a, const Monomial& b) {
  Monomial result = a;
  if (!multiply(result, b, -1)) return std::nullopt;
  return result;
}

std::optional<Polynomial> polynomial_of(arith::Expr e, const std::vector<arith::Expr>& variables) {
  Reader reader(variables);
  auto terms = reader.read(e);
  if (!terms) return std::nullopt;
  return Polynomial{std::move(*terms), std::move(reader.quotients)};
}

}  // namespace hoist::space
