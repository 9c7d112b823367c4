#include "openmp/poly.hpp"

#include <algorithm>

namespace hoist::openmp {

Poly::Poly(std::int64_t constant) { add({}, constant); }

Poly Poly::symbol(SymbolId id) {
  Poly result;
  result.add({id}, 1);
  return result;
}

void Poly::add(const Monomial& monomial, std::int64_t coefficient) {
  if (coefficient == 0) return;
  const auto [place, is_new] = terms_.emplace(monomial, coefficient);
  if (is_new) return;
  place->second += coefficient;
  if (place->second == 0) terms_.erase(place);
}

Poly Poly::operator+(const Poly& other) const {
  Poly result = *this;
  for (const auto& [monomial, coefficient] : other.terms_) result.add(monomial, coefficient);
  return result;
}

Poly Poly::operator-(const Poly& other) const { return *this + other * Poly(-1); }

Poly Poly::operator*(const Poly& other) const {
  Poly result;
  for (const auto& [left, a] : terms_) {
    for (const auto& [right, b] : other.terms_) {
      Monomial product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end());
      result.add(product, a * b);
    }
  }
  return result;
}

std::optional<std::int64_t> Poly::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

std::int64_t Poly::constant_term() const {
  const auto found = terms_.find({});
  return found == terms_.end() ? 0 : found->second;
}

bool Poly::uses(SymbolId id) const {
  return std::any_of(terms_.begin(), terms_.end(), [id](const auto& term) {
    return std::binary_search(term.first.begin(), term.first.end(), id);
  });
}

std::optional<Poly> Poly::coefficient(SymbolId id) const {
  Poly result;
  for (const auto& [monomial, coefficient] : terms_) {
    const auto times = std::count(monomial.begin(), monomial.end(), id);
    if (times > 1) return std::nullopt;
    if (times == 0) continue;
    Monomial rest;
    std::copy_if(monomial.begin(), monomial.end(), std::back_inserter(rest),
                 [id](SymbolId each) { return each != id; });
    result.add(rest, coefficient);
  }
  return result;
}

Poly Poly::substituted(SymbolId id, const Poly& value) const {
  Poly result;
  for (const auto& [monomial, coefficient] : terms_) {
    Poly product(coefficient);
    for (const SymbolId each : monomial) product = product * (each == id ? value : symbol(each));
    result = result + product;
  }
  return result;
}

std::int64_t Poly::evaluated(const std::vector<std::int64_t>& values) const {
  std::int64_t sum = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    std::int64_t product = coefficient;
    for (const SymbolId each : monomial) product *= values[static_cast<std::size_t>(each)];
    sum += product;
  }
  return sum;
}

}  // namespace hoist::openmp
