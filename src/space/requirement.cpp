// From constraints to requirements: the forms of which counting knows what a partial choice leaves open
// (frontier.cpp).
//
//   1024 % (t * u) == 0          Integer: 1024 / (t * u) is an integer
//   4 * t * u + 8 * v <= 4096    Bounded: the sum of the terms, all positive, is at most 4096
//   min(t, 64) % u == 0          General: no polynomial; the constraint itself is evaluated
//
// Read `requirements_of` first. It translates each constraint (`parts_of`), narrows the domains of the
// parameters by what all others leave them (`Bounding`, bounds propagation in a few rounds), and translates
// again: only now it is known which products fit in the numbers that counting uses; a constraint with one
// that may not stays General. `drop_implied` leaves out divisions that follow from others: if t / u
// and u / v are integers, so is t / v.
#include "space/requirement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hoist::space {

using arith::Relation;
using Form = Requirement::Form;

double extreme(const Monomial& term, bool is_least, const std::vector<Domain>& domains) {
  double result = static_cast<double>(term.numerator) / static_cast<double>(term.denominator);
  for (const auto& [parameter, exponent] : term.powers) {
    const Domain& domain = domains[parameter];
    result *=
        std::pow(static_cast<double>((exponent > 0) == is_least ? domain.least : domain.most), exponent);
  }
  return result;
}

namespace {

/// Constraints with larger bounds stay General: evaluating them checks for overflows.
constexpr std::int64_t largest_bound = std::int64_t{1} << 50;

Requirement integer(const Monomial& quotient) {
  return {Form::Integer, {quotient}, 0, Requirement::unbounded, 0, {}};
}

/// What a constraint says, as requirements over polynomials; nothing where a side is no polynomial.
using Parts = std::optional<std::vector<Requirement>>;

Parts parts_of_division(arith::Expr remainder, const std::vector<arith::Expr>& variables) {
  const auto dividend = polynomial_of(remainder->operands[0], variables);
  const auto divisor = polynomial_of(remainder->operands[1], variables);
  if (!dividend || !divisor || dividend->terms.size() != 1 || divisor->terms.size() != 1) return std::nullopt;
  if (dividend->terms[0].numerator < 1 || divisor->terms[0].numerator < 1) return std::nullopt;
  const auto whole = quotient(dividend->terms[0], divisor->terms[0]);
  if (!whole) return std::nullopt;
  std::vector<Requirement> parts{integer(*whole)};
  for (const Polynomial* each : {&*dividend, &*divisor}) {
    for (const Monomial& inner : each->quotients) parts.push_back(integer(inner));
  }
  return parts;
}

Parts parts_of_comparison(const arith::Predicate& predicate, const std::vector<arith::Expr>& variables) {
  if (predicate.relation == Relation::NotEqual) return std::nullopt;
  const auto difference = polynomial_of(predicate.left - predicate.right, variables);
  const auto left = polynomial_of(predicate.left, variables);
  const auto right = polynomial_of(predicate.right, variables);
  if (!difference || !left || !right) return std::nullopt;
  Requirement sum{Form::Bounded, {}, 0, Requirement::unbounded, 0, {}};
  std::int64_t constant = 0;
  std::size_t negative = 0;
  for (Monomial term : difference->terms) {
    if (term.powers.empty()) {
      if (term.denominator != 1 || constant != 0) return std::nullopt;
      constant = term.numerator;
      continue;
    }
    negative += term.numerator < 0 ? 1 : 0;
    term.numerator = std::abs(term.numerator);
    sum.terms.push_back(std::move(term));
  }
  if (sum.terms.empty() || std::abs(constant) > largest_bound) return std::nullopt;
  if (negative != 0 && negative != sum.terms.size()) return std::nullopt;
  // The comparison is sum + constant <= 0, or constant - sum <= 0.
  const std::int64_t strict = predicate.relation == Relation::Less ? 1 : 0;
  const bool is_equal = predicate.relation == Relation::Equal;
  if (negative == 0 || is_equal) sum.most = (negative == 0 ? -constant : constant) - strict;
  if (negative != 0 || is_equal) sum.least = (negative == 0 ? -constant : constant) + strict;
  sum.least = std::max<std::int64_t>(sum.least, 0);
  std::vector<Requirement> parts{sum};
  for (const Polynomial* each : {&*left, &*right}) {
    for (const Monomial& inner : each->quotients) parts.push_back(integer(inner));
  }
  return parts;
}

Parts parts_of(const arith::Predicate& predicate, const std::vector<arith::Expr>& variables) {
  if (predicate.relation == Relation::Equal) {
    for (auto [remainder, zero] :
         {std::pair{predicate.left, predicate.right}, std::pair{predicate.right, predicate.left}}) {
      if (remainder.kind() == arith::Kind::Remainder && zero.is_constant(0))
        return parts_of_division(remainder, variables);
    }
  }
  return parts_of_comparison(predicate, variables);
}

/// Adds a requirement to the list. Sums of equal terms become one with both bounds; divisions are kept once.
void add(Requirement part, std::vector<Requirement>& list) {
  if (part.form == Form::Integer && part.terms[0].is_integer()) return;
  for (Requirement& other : list) {
    if (part.form == Form::General || other.form != part.form || other.terms != part.terms) continue;
    other.least = std::max(other.least, part.least);
    other.most = std::min(other.most, part.most);
    return;
  }
  list.push_back(std::move(part));
}

/// Whether the monomial is a product of monomials of the list that are integers; `unused` says which may be
/// taken. A search of bounded depth.
bool follows(const Monomial& whole, const std::vector<Requirement>& list, std::vector<bool>& unused,
             std::size_t depth) {
  if (whole.is_integer()) return true;
  if (depth == 0) return false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!unused[i]) continue;
    const Monomial& factor = list[i].terms[0];
    // Only a factor that takes a divisor away brings the rest nearer to an integer.
    const bool helps = std::any_of(factor.powers.begin(), factor.powers.end(), [&](const auto& power) {
      return power.second < 0 && whole.exponent(power.first) < 0;
    });
    if (!helps) continue;
    const auto rest = quotient(whole, factor);
    if (!rest) continue;
    unused[i] = false;
    const bool is_product = follows(*rest, list, unused, depth - 1);
    unused[i] = true;
    if (is_product) return true;
  }
  return false;
}

/// Divisions that follow from others say nothing, but would have the counting remember more.
void drop_implied(std::vector<Requirement>& list) {
  constexpr std::size_t most_factors = 3;
  for (std::size_t i = list.size(); i-- > 0;) {
    if (list[i].form != Form::Integer) continue;
    std::vector<bool> unused(list.size());
    for (std::size_t other = 0; other < list.size(); ++other)
      unused[other] = other != i && list[other].form == Form::Integer;
    if (follows(list[i].terms[0], list, unused, most_factors))
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

class Bounding {
 public:
  Bounding(const std::vector<Requirement>& list, std::vector<Domain>& domains)
      : list_(list), domains_(domains) {}

  void run() {
    constexpr std::size_t rounds = 4;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (const Requirement& each : list_) {
        const auto is_empty = [](const Domain& domain) { return domain.least > domain.most; };
        if (std::any_of(domains_.begin(), domains_.end(), is_empty)) return;
        if (each.form == Form::Integer) bound_by_division(each.terms[0]);
        if (each.form == Form::Bounded) bound_by_sum(each);
      }
    }
  }

 private:
  /// The only divisor of a quotient divides the product of the numbers that its multiples must divide.
  void bound_by_division(const Monomial& whole) {
    std::size_t divisor = domains_.size();
    std::int64_t multiple = whole.numerator;
    for (const auto& [parameter, exponent] : whole.powers) {
      if (exponent < 0) {
        if (divisor != domains_.size() || exponent != -1) return;
        divisor = parameter;
        continue;
      }
      for (int i = 0; i < exponent; ++i) {
        if (domains_[parameter].multiple == 0) return;
        if (__builtin_mul_overflow(multiple, domains_[parameter].multiple, &multiple)) return;
      }
    }
    if (divisor == domains_.size()) return;
    Domain& domain = domains_[divisor];
    domain.multiple = std::gcd(domain.multiple, multiple);
    domain.most = std::min(domain.most, domain.multiple);
  }

  /// Bounds a parameter by what remains of the sum while all others are at their extremes.
  void bound_by_sum(const Requirement& sum) {
    constexpr double rounding = 1e-6;
    for (std::size_t t = 0; t < sum.terms.size() && sum.most != Requirement::unbounded; ++t) {
      double left = static_cast<double>(sum.most);
      for (std::size_t other = 0; other < sum.terms.size(); ++other) {
        if (other != t) left -= extreme(sum.terms[other], true, domains_);
      }
      for (const auto& [parameter, exponent] : sum.terms[t].powers) {
        if (exponent != 1) continue;
        Domain& domain = domains_[parameter];
        const double most = left * static_cast<double>(domain.least) / extreme(sum.terms[t], true, domains_);
        if (most < static_cast<double>(domain.most))
          domain.most = static_cast<std::int64_t>(std::floor(std::max(most, 0.0) + rounding));
      }
    }
    if (sum.terms.size() != 1 || sum.least == 0) return;
    for (const auto& [parameter, exponent] : sum.terms[0].powers) {
      if (exponent != 1) continue;
      Domain& domain = domains_[parameter];
      const double others = extreme(sum.terms[0], false, domains_) / static_cast<double>(domain.most);
      const double least = static_cast<double>(sum.least) / others;
      if (least > static_cast<double>(domain.most) + rounding) {
        domain.least = domain.most + 1;
      } else if (least > static_cast<double>(domain.least)) {
        domain.least = static_cast<std::int64_t>(std::ceil(least - rounding));
      }
    }
  }

  const std::vector<Requirement>& list_;
  std::vector<Domain>& domains_;
};

std::vector<std::size_t> parameters_of(const Requirement& requirement,
                                       const std::vector<Constraint>& constraints,
                                       const std::vector<arith::Expr>& variables) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    bool is_in = std::any_of(requirement.terms.begin(), requirement.terms.end(),
                             [&](const Monomial& term) { return term.exponent(i) != 0; });
    if (requirement.form == Form::General) {
      const arith::Predicate& predicate = constraints[requirement.constraint].predicate;
      is_in = arith::contains(predicate.left, variables[i]) || arith::contains(predicate.right, variables[i]);
    }
    if (is_in) result.push_back(i);
  }
  return result;
}

}  // namespace

Requirements requirements_of(const std::vector<Parameter>& parameters,
                             const std::vector<Constraint>& constraints,
                             const std::vector<arith::Expr>& variables) {
  Requirements result;
  bool are_positive = true;
  for (const Parameter& each : parameters) {
    result.domains.push_back({each.least, each.most, 0, each.is_power_of_two});
    are_positive = are_positive && each.least >= 1;
  }
  std::vector<Parts> parts;
  for (const Constraint& each : constraints) {
    parts.push_back(are_positive ? parts_of(each.predicate, variables) : std::nullopt);
    for (const Requirement& part : parts.back().value_or(std::vector<Requirement>{})) add(part, result.list);
  }
  // Divisions bound how large parameters are, and only then it is known which products fit.
  Bounding(result.list, result.domains).run();
  std::vector<std::int64_t> most;
  for (const Domain& each : result.domains) most.push_back(each.most);
  result.list.clear();
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const bool fits =
        parts[i] && std::all_of(parts[i]->begin(), parts[i]->end(), [&](const Requirement& part) {
          return std::all_of(part.terms.begin(), part.terms.end(),
                             [&](const Monomial& term) { return term.fits(most); });
        });
    if (fits) {
      for (const Requirement& part : *parts[i]) add(part, result.list);
    } else {
      result.list.push_back({Form::General, {}, 0, Requirement::unbounded, i, {}});
    }
  }
  drop_implied(result.list);
  for (Requirement& each : result.list) each.parameters = parameters_of(each, constraints, variables);
  return result;
}

}  // namespace hoist::space
