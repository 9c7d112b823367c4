#pragma once
// Polynomials with whole coefficients in symbols: what indices of arrays are compared and bounded by.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hoist::openmp {

/// The number of a symbol in a table of symbols.
using SymbolId = int;

class Poly {
 public:
  /// A product of symbols, sorted; without any it is 1.
  using Monomial = std::vector<SymbolId>;

  Poly() = default;
  Poly(std::int64_t constant);  // NOLINT: a number is a polynomial
  static Poly symbol(SymbolId id);

  Poly operator+(const Poly& other) const;
  Poly operator-(const Poly& other) const;
  Poly operator*(const Poly& other) const;
  bool operator==(const Poly& other) const { return terms_ == other.terms_; }
  bool operator<(const Poly& other) const { return terms_ < other.terms_; }

  const std::map<Monomial, std::int64_t>& terms() const { return terms_; }
  std::optional<std::int64_t> constant() const;
  std::int64_t constant_term() const;
  bool uses(SymbolId id) const;
  /// What the symbol is multiplied with; nothing when the polynomial is not linear in it.
  std::optional<Poly> coefficient(SymbolId id) const;
  Poly substituted(SymbolId id, const Poly& value) const;
  std::int64_t evaluated(const std::vector<std::int64_t>& values) const;

 private:
  void add(const Monomial& monomial, std::int64_t coefficient);

  std::map<Monomial, std::int64_t> terms_;
};

}  // namespace hoist::openmp
