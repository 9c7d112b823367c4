// The state of a frontier: what a partial choice of parameters leaves to those that are not chosen yet.
//
// Counting is dynamic programming over these states (space.cpp), so a state should hold as little as decides
// which continuations there are. Let t be chosen, u and v be open:
//
//   1024 % (t * u) == 0     leaves u a divisor of 1024 / t; the state holds that number
//   t * u <= 512            leaves u <= 512 / t; the state holds 5 for t = 100 and for t = 101
//   t * u + 8 * v <= 512    leaves two open terms; the state holds the bound 512 and the factors t and 8, or
//                           zeros where the bound holds whatever u and v are
//   min(t, 64) % u == 0     is no polynomial; the state holds the value of min(t, 64), the largest part that
//                           the chosen parameters decide
//
// The constructor sorts the requirements that are open (partly chosen) into these kinds: divisions, sums and
// formulas. `state` evaluates each for one partial choice, and prunes: it gives false where no continuation
// can exist, since a division leaves a fraction or a sum misses its bounds at the extremes of the open
// parameters. `frontier_size` estimates how many states there will be, to compare orders of choices. `is_met`
// tests a requirement of which nothing is open.
#include "space/frontier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace hoist::space {

using Form = Requirement::Form;

namespace {

/// Collects the largest parts of an expression that contain variables of `known` only. Two partial choices
/// for which all these parts have equal values have the same continuations.
void collect_probes(arith::Expr e, const std::set<const arith::Node*>& known,
                    std::vector<arith::Expr>& probes) {
  const auto is_known = [&](arith::Expr part) {
    const auto own = arith::variables(part);
    return std::all_of(own.begin(), own.end(), [&](arith::Expr v) { return known.contains(v.get()); });
  };
  const auto add = [&](arith::Expr probe) {
    if (!probe.constant() && std::find(probes.begin(), probes.end(), probe) == probes.end())
      probes.push_back(probe);
  };
  if (is_known(e)) return add(e);
  if (e.kind() == arith::Kind::Sum || e.kind() == arith::Kind::Product) {
    std::vector<arith::Expr> decided;
    for (arith::Expr operand : e->operands) {
      if (is_known(operand)) {
        decided.push_back(operand);
      } else {
        collect_probes(operand, known, probes);
      }
    }
    if (!decided.empty()) add(e.kind() == arith::Kind::Sum ? arith::sum(decided) : arith::product(decided));
    return;
  }
  for (arith::Expr operand : e->operands) collect_probes(operand, known, probes);
  if (e.kind() == arith::Kind::Conditional) {
    collect_probes(e->predicate.left, known, probes);
    collect_probes(e->predicate.right, known, probes);
  }
}

std::vector<std::size_t> chosen_of(const Requirement& requirement, const std::vector<bool>& is_chosen) {
  std::vector<std::size_t> chosen = requirement.parameters;
  std::erase_if(chosen, [&](std::size_t each) { return !is_chosen[each]; });
  return chosen;
}

/// Whether some of its parameters are chosen and some are not.
bool is_open(const Requirement& requirement, const std::vector<bool>& is_chosen) {
  const auto& all = requirement.parameters;
  const auto chosen =
      std::count_if(all.begin(), all.end(), [&](std::size_t each) { return is_chosen[each]; });
  return chosen > 0 && chosen < static_cast<std::ptrdiff_t>(all.size());
}

struct Split {
  Monomial chosen, open;  ///< the constant is with the chosen
};
Split split(const Monomial& whole, const std::vector<bool>& is_chosen) {
  Split result;
  result.chosen.numerator = whole.numerator;
  result.chosen.denominator = whole.denominator;
  for (const auto& power : whole.powers)
    (is_chosen[power.first] ? result.chosen : result.open).powers.push_back(power);
  return result;
}

}  // namespace

Frontier::Frontier(const Requirements& requirements, const std::vector<Constraint>& constraints,
                   const std::vector<arith::Expr>& variables, const std::vector<bool>& is_chosen) {
  std::set<const arith::Node*> known;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (is_chosen[i]) known.insert(variables[i].get());
  }
  std::vector<arith::Expr> probes;
  for (const Requirement& each : requirements.list) {
    if (!is_open(each, is_chosen)) continue;
    switch (each.form) {
      case Form::Integer: {
        const Split parts = split(each.terms[0], is_chosen);
        divisions_.push_back(
            {parts.chosen, parts.open.has_positive(), parts.open.has_negative(), chosen_of(each, is_chosen)});
        break;
      }
      case Form::Bounded:
        add_sum(each, requirements.domains, is_chosen);
        break;
      case Form::General:
        collect_probes(constraints[each.constraint].predicate.left, known, probes);
        collect_probes(constraints[each.constraint].predicate.right, known, probes);
        break;
    }
  }
  for (arith::Expr probe : probes) formulas_.emplace_back(probe, variables);
}

void Frontier::add_sum(const Requirement& requirement, const std::vector<Domain>& domains,
                       const std::vector<bool>& is_chosen) {
  Sum sum{{}, {}, requirement.least, requirement.most, false, chosen_of(requirement, is_chosen)};
  std::vector<Monomial> open;
  bool is_whole = true;
  for (const Monomial& term : requirement.terms) {
    Split parts = split(term, is_chosen);
    if (parts.open.powers.empty()) {
      sum.decided.push_back(std::move(parts.chosen));
      continue;
    }
    // Fractions are not added up.
    const auto known = std::find(open.begin(), open.end(), parts.open);
    const auto same = static_cast<std::size_t>(known - open.begin());
    const bool is_added =
        known != open.end() && parts.chosen.is_integer() && sum.groups[same].chosen[0].is_integer();
    if (is_added) {
      sum.groups[same].chosen.push_back(std::move(parts.chosen));
      continue;
    }
    sum.groups.push_back(
        {{std::move(parts.chosen)}, extreme(parts.open, true, domains), extreme(parts.open, false, domains)});
    is_whole = is_whole && !parts.open.has_negative();
    open.push_back(std::move(parts.open));
  }
  sum.has_one_factor = sum.groups.size() == 1 && is_whole;
  sums_.push_back(std::move(sum));
}

namespace {

/// Writes the chosen values themselves, where a number made of them would not fit in a state. The number in
/// front marks such a part of a state.
void push_values(const std::vector<std::size_t>& chosen, const Frontier::Slots& slots,
                 std::vector<std::int64_t>& state) {
  state.push_back(std::numeric_limits<std::int64_t>::min());
  for (const std::size_t parameter : chosen) state.push_back(slots[parameter]);
}

/// bound / factor, rounded up or down.
std::int64_t scaled(Wide bound, const Fraction& factor, bool is_rounded_up) {
  const Wide exact = bound * factor.denominator + (is_rounded_up ? factor.numerator - 1 : 0);
  return static_cast<std::int64_t>(std::min<Wide>(exact / factor.numerator, Requirement::unbounded));
}

}  // namespace

bool Frontier::state_of(const Division& division, const Slots& slots, std::vector<std::int64_t>& state) {
  const Fraction chosen = division.chosen.value(slots);
  if (!division.may_multiply && chosen.denominator != 1) return false;
  if (!chosen.is_narrow()) {
    push_values(division.parameters, slots, state);
    return true;
  }
  if (division.may_multiply) state.push_back(static_cast<std::int64_t>(chosen.denominator));
  if (division.may_divide) state.push_back(static_cast<std::int64_t>(chosen.numerator));
  return true;
}

bool Frontier::state_of(const Sum& sum, const Slots& slots, std::vector<std::int64_t>& state) {
  Wide least = sum.least, most = sum.most;
  const bool has_most = sum.most != Requirement::unbounded;
  for (const Monomial& term : sum.decided) {
    const auto value = term.integer_value(slots);
    if (!value) return false;
    least -= *value;
    if (has_most) most -= *value;
  }
  const bool has_least = least > 0;
  const std::size_t begin = state.size();
  state.insert(state.end(), {0, Requirement::unbounded});
  double smallest = 0, largest = 0;
  bool is_narrow = true;
  Fraction factor;
  for (const Group& group : sum.groups) {
    factor = group.chosen[0].value(slots);
    for (std::size_t i = 1; i < group.chosen.size(); ++i)
      factor.numerator += group.chosen[i].value(slots).numerator;
    const double each = static_cast<double>(factor.numerator) / static_cast<double>(factor.denominator);
    smallest += each * group.least;
    largest += each * group.most;
    is_narrow = is_narrow && factor.is_narrow();
    if (!sum.has_one_factor)
      state.insert(state.end(), {static_cast<std::int64_t>(factor.numerator),
                                 static_cast<std::int64_t>(factor.denominator)});
  }
  // All sums are integers, and the rounding errors of the estimates are less than a quarter.
  if (has_most && smallest > static_cast<double>(most) + 0.25) return false;
  if (has_least && largest < static_cast<double>(least) - 0.25) return false;
  const bool needs_most = has_most && largest >= static_cast<double>(most) + 0.75;
  const bool needs_least = has_least && smallest <= static_cast<double>(least) - 0.75;
  if (!needs_most && !needs_least) {
    std::fill(state.begin() + static_cast<std::ptrdiff_t>(begin), state.end(), 0);
  } else if (!is_narrow) {
    state.resize(begin);
    push_values(sum.parameters, slots, state);
  } else if (sum.has_one_factor) {
    if (needs_least) state[begin] = scaled(least, factor, true);
    if (needs_most) state[begin + 1] = scaled(most, factor, false);
  } else {
    if (needs_least) state[begin] = static_cast<std::int64_t>(least);
    if (needs_most) state[begin + 1] = static_cast<std::int64_t>(most);
  }
  return true;
}

bool Frontier::state(const Slots& slots, std::vector<std::int64_t>& state) const {
  state.clear();
  for (const Division& each : divisions_) {
    if (!state_of(each, slots, state)) return false;
  }
  for (const Sum& each : sums_) {
    if (!state_of(each, slots, state)) return false;
  }
  // A formula has no value where an exact quotient is not exact or a number is too large.
  constexpr std::int64_t no_value = std::numeric_limits<std::int64_t>::min();
  for (const Formula& each : formulas_) state.push_back(each(slots).value_or(no_value));
  return true;
}

namespace {

/// The chosen parameters that a term brings into a state, as a set of bits.
std::uint64_t told(const Monomial& term, bool is_division, const std::vector<bool>& is_chosen) {
  std::uint64_t set = 0;
  bool may_divide = !is_division;
  for (const auto& [parameter, exponent] : term.powers)
    may_divide = may_divide || (!is_chosen[parameter] && exponent < 0);
  for (const auto& [parameter, exponent] : term.powers) {
    // Where the open factors can only multiply, the state holds nothing but the denominator.
    if (is_chosen[parameter] && (may_divide || exponent < 0)) set |= std::uint64_t{1} << (parameter % 64);
  }
  return set;
}

}  // namespace

double frontier_size(const Requirements& requirements, const std::vector<bool>& is_chosen,
                     const std::vector<double>& values) {
  std::vector<std::uint64_t> sets;
  double size = 0;
  const auto add = [&](std::uint64_t set) {
    if (set == 0 || std::find(sets.begin(), sets.end(), set) != sets.end()) return;
    sets.push_back(set);
    // Products of numbers that divide each other take about as many values as all of them together.
    double together = 1;
    for (std::size_t i = 0; i < values.size(); ++i)
      together += (set >> (i % 64) & 1) != 0 ? values[i] - 1 : 0;
    size += std::log2(std::max(together, 1.0));
  };
  for (const Requirement& each : requirements.list) {
    if (!is_open(each, is_chosen)) continue;
    for (const Monomial& term : each.terms) add(told(term, each.form == Form::Integer, is_chosen));
    for (const std::size_t parameter : each.parameters) {
      if (each.form == Form::General && is_chosen[parameter]) add(std::uint64_t{1} << (parameter % 64));
    }
  }
  return size;
}

bool is_met(const Requirement& requirement, const Frontier::Slots& slots) {
  Wide sum = 0;
  for (const Monomial& term : requirement.terms) {
    const auto value = term.integer_value(slots);
    if (!value) return false;
    sum += *value;
  }
  return requirement.form == Form::Integer || (requirement.least <= sum && sum <= requirement.most);
}

}  // namespace hoist::space
