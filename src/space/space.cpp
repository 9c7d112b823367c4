// The points of a space, counted, ranked, sampled and walked without a filter over a product of domains.
//
// Parameters are chosen one after the other, so that choices make a search tree; the place of a parameter is
// its depth there. With ?t and ?u up to 1024 and the constraint
//
//   1024 % (t * u) == 0
//
// a filter would test 1024 * 1024 pairs. Here t takes the 11 divisors of 1024 only, then u the divisors of
// 1024 / t: 66 leaves, each a point. Subtrees are counted by dynamic programming: what a partial choice
// leaves to the rest is a short state (frontier.hpp), and subtrees of equal states are counted once
// (memoisation).
//
// In which order to read:
//   order            chooses the order of parameters: a multiple before its divisors (a topological order, as
//                    far as there are no circles), and greedily the one that leaves the fewest states
//   find_divisors    notes by place what the parameter there must divide and which constraints it decides
//   for_each_value   the branches of the tree at a place
//   count_behind     the points of a subtree, from the memo where its state was counted before
//   at, rank         the point of a number, the number of a point: both skip subtrees by their counts
//   visit, complete  backtracking over all points, and towards a point that is near to a wanted one
#include "space/space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "space/counts.hpp"
#include "space/divisors.hpp"

namespace hoist::space {

namespace {

/// What a predicate `dividend % divisor == 0` is made of.
struct Divisibility {
  arith::Expr dividend, divisor;
};
std::optional<Divisibility> division_of(const arith::Predicate& predicate) {
  if (predicate.relation != arith::Relation::Equal) return std::nullopt;
  for (auto [remainder, zero] :
       {std::pair{predicate.left, predicate.right}, std::pair{predicate.right, predicate.left}}) {
    if (remainder.kind() == arith::Kind::Remainder && zero.is_constant(0)) {
      return Divisibility{remainder->operands[0], remainder->operands[1]};
    }
  }
  return std::nullopt;
}

/// The two parameters of a quotient that has no others: the first stands above the line, the second below.
std::optional<std::pair<std::size_t, std::size_t>> link_of(const Requirement& requirement) {
  if (requirement.form != Requirement::Form::Integer || requirement.parameters.size() != 2)
    return std::nullopt;
  const auto [first, second] = std::pair{requirement.parameters[0], requirement.parameters[1]};
  const Monomial& quotient = requirement.terms[0];
  if (quotient.exponent(first) > 0 && quotient.exponent(second) < 0) return std::pair{first, second};
  if (quotient.exponent(second) > 0 && quotient.exponent(first) < 0) return std::pair{second, first};
  return std::nullopt;
}

}  // namespace

Result<Space> Space::make(std::vector<Parameter> parameters, std::vector<Constraint> constraints) {
  Space space;
  space.parameters_ = std::move(parameters);
  space.constraints_ = std::move(constraints);
  for (const Parameter& parameter : space.parameters_)
    space.variables_.push_back(arith::parameter(parameter.name));
  for (const Constraint& constraint : space.constraints_) {
    for (arith::Expr side : {constraint.predicate.left, constraint.predicate.right}) {
      for (arith::Expr variable : arith::variables(side)) {
        if (std::find(space.variables_.begin(), space.variables_.end(), variable) != space.variables_.end())
          continue;
        const bool is_users = !variable->name.starts_with('$');
        return user_error("a constraint on the tuning parameters mentions " + arith::to_string(variable) +
                              ", which has no value",
                          constraint.message,
                          is_users ? "give it one: " + variable->name + "=1024"
                                   : "it is the length of an array that iterate changes in each step");
      }
    }
  }
  for (const Constraint& constraint : space.constraints_)
    space.comparisons_.emplace_back(constraint.predicate, space.variables_);
  space.requirements_ = requirements_of(space.parameters_, space.constraints_, space.variables_);
  space.order();
  space.find_divisors();
  return space;
}

std::size_t Space::HashOfState::operator()(const State& state) const {
  std::size_t hash = 14695981039346656037U;
  for (const std::int64_t each : state) {
    hash = (hash ^ static_cast<std::size_t>(each)) * 1099511628211U;
    hash ^= hash >> 29;
  }
  return hash;
}

/// A multiple is chosen before its divisors, as far as there is no circle of such demands. Among the
/// parameters that may be next, the one is taken after which the frontier has the fewest states: so chains,
/// and parts of the space that nothing ties together, are chosen one after the other.
void Space::order() {
  const std::size_t count = parameters_.size();
  std::vector<double> values(count);
  std::vector<std::vector<std::size_t>> before(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Domain& domain = requirements_.domains[i];
    if (domain.multiple == 0 && !domain.is_power_of_two) {
      values[i] = static_cast<double>(std::max<std::int64_t>(domain.most - domain.least + 1, 0));
    } else {
      for_each_within(domain, domain.multiple, [&](std::int64_t) { ++values[i]; });
    }
  }
  for (const Requirement& each : requirements_.list) {
    if (const auto link = link_of(each)) before[link->second].push_back(link->first);
    if (each.form != Requirement::Form::General) continue;
    const auto division = division_of(constraints_[each.constraint].predicate);
    for (const std::size_t other : each.parameters) {
      if (!division || !arith::contains(division->dividend, variables_[other])) continue;
      for (const std::size_t divisor : each.parameters) {
        if (divisor != other && arith::contains(division->divisor, variables_[divisor]))
          before[divisor].push_back(other);
      }
    }
  }
  std::vector<bool> is_chosen(count);
  frontiers_.emplace_back(requirements_, constraints_, variables_, is_chosen);
  while (order_.size() < count) {
    std::size_t next = count;
    double least = 0;
    for (const bool must_be_free : {true, false}) {
      for (std::size_t at = 0; at < count && (must_be_free || next == count); ++at) {
        const auto is_before = [&](std::size_t b) { return is_chosen[b]; };
        if (is_chosen[at] || (must_be_free && !std::all_of(before[at].begin(), before[at].end(), is_before)))
          continue;
        is_chosen[at] = true;
        const double size = frontier_size(requirements_, is_chosen, values);
        is_chosen[at] = false;
        if (next != count && size >= least) continue;
        next = at;
        least = size;
      }
    }
    is_chosen[next] = true;
    order_.push_back(next);
    frontiers_.emplace_back(requirements_, constraints_, variables_, is_chosen);
  }
}

/// Notes for each place which constraints are decided there and what its parameter must divide.
void Space::find_divisors() {
  const std::size_t count = order_.size();
  std::vector<std::size_t> place_of(count);
  for (std::size_t place = 0; place < count; ++place) place_of[order_[place]] = place;
  decided_at_.resize(count);
  constraints_at_.resize(count);
  divisors_.resize(count);
  dividends_.resize(count);
  counts_.resize(count + 1);
  for (std::size_t which = 0; which < constraints_.size() && count > 0; ++which) {
    const arith::Predicate& predicate = constraints_[which].predicate;
    std::size_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (arith::contains(predicate.left, variables_[i]) || arith::contains(predicate.right, variables_[i]))
        last = std::max(last, place_of[i]);
    }
    constraints_at_[last].push_back(which);
  }
  for (std::size_t which = 0; which < requirements_.list.size(); ++which) {
    const Requirement& each = requirements_.list[which];
    std::size_t last = 0;  // a requirement without parameters is tested at the first place
    for (const std::size_t parameter : each.parameters) last = std::max(last, place_of[parameter]);
    if (count > 0) decided_at_[last].push_back(which);
    if (each.form == Requirement::Form::General && count > 0) find_dividend(each, last);
    if (each.form != Requirement::Form::Integer) continue;
    // Once all factors above the line are chosen, the quotient by the divisors chosen so far is a number
    // that each later divisor must divide.
    std::size_t multiples = 0;
    for (const auto& [parameter, exponent] : each.terms[0].powers) {
      if (exponent > 0) multiples = std::max(multiples, place_of[parameter] + 1);
    }
    for (std::size_t place = multiples; place < count; ++place) {
      if (each.terms[0].exponent(order_[place]) >= 0) continue;
      Monomial chosen = each.terms[0];
      std::erase_if(chosen.powers, [&](const auto& power) { return place_of[power.first] >= place; });
      divisors_[place].push_back(std::move(chosen));
    }
  }
}

/// Notes for a general constraint `n % p == 0` or `n % (m * p) == 0`, where p is its last parameter and not
/// in n, that p must divide n.
void Space::find_dividend(const Requirement& requirement, std::size_t place) {
  const arith::Expr variable = variables_[order_[place]];
  const auto division = division_of(constraints_[requirement.constraint].predicate);
  if (!division || arith::contains(division->dividend, variable)) return;
  const auto& factors = division->divisor->operands;
  const bool is_factor = division->divisor.kind() == arith::Kind::Product &&
                         std::find(factors.begin(), factors.end(), variable) != factors.end();
  if (division->divisor == variable || is_factor)
    dividends_[place].emplace_back(division->dividend, variables_);
}

/// The number that the parameter at a place must divide; 0 where there is none.
std::int64_t Space::multiple(const Slots& slots, std::size_t place) const {
  std::int64_t multiple = requirements_.domains[order_[place]].multiple;
  for (const Monomial& each : divisors_[place]) {
    const Fraction value = each.value(slots);
    if (value.is_narrow()) multiple = std::gcd(multiple, static_cast<std::int64_t>(value.numerator));
  }
  for (const Formula& dividend : dividends_[place]) {
    const auto value = dividend(slots);
    if (value && *value > 0) multiple = std::gcd(multiple, *value);
  }
  return multiple;
}

template <class Fn>
void Space::for_each_within(const Domain& domain, std::int64_t multiple, const Fn& fn) const {
  const auto is_power = [](std::int64_t value) { return (value & (value - 1)) == 0; };
  if (multiple != 0) {
    for (const std::int64_t value : divisors(multiple)) {
      const bool is_within = domain.least <= value && value <= domain.most;
      if (is_within && (!domain.is_power_of_two || is_power(value))) fn(value);
    }
    return;
  }
  constexpr std::int64_t largest_power = std::int64_t{1} << 62;
  std::int64_t value = domain.is_power_of_two ? 1 : domain.least;
  while (value < domain.least && value < largest_power) value *= 2;
  if (value < domain.least || value > domain.most) return;
  while (true) {
    fn(value);
    const std::int64_t step = domain.is_power_of_two ? value : 1;
    if (domain.most - value < step) return;  // the next value is too large, or would overflow
    value += step;
  }
}

bool Space::is_allowed(const Slots& slots, std::size_t place) const {
  return std::all_of(decided_at_[place].begin(), decided_at_[place].end(), [&](std::size_t which) {
    const Requirement& each = requirements_.list[which];
    if (each.form == Requirement::Form::General) return comparisons_[each.constraint].holds(slots);
    return is_met(each, slots);
  });
}

template <class Fn>
void Space::for_each_value(Slots& slots, std::size_t place, const Fn& fn) const {
  const std::size_t parameter = order_[place];
  for_each_within(requirements_.domains[parameter], multiple(slots, place), [&](std::int64_t value) {
    slots[parameter] = value;
    if (is_allowed(slots, place)) fn(value);
  });
}

std::uint64_t Space::count_behind(Slots& slots, std::size_t place) const {
  if (place == order_.size()) return 1;
  Counts& counts = counts_[place];
  if (!frontiers_[place].state(slots, counts.state)) return 0;
  if (place + 1 == order_.size()) return count_values(slots, place);
  // The memo is used only while states come again often enough; otherwise it costs more than it saves.
  constexpr std::size_t many = 10000, seldom = 4;
  const bool is_useful = counts.by_state.size() < many || counts.found > counts.by_state.size() / seldom;
  if (!is_useful) return count_values(slots, place);
  if (const auto known = counts.by_state.find(counts.state); known != counts.by_state.end()) {
    ++counts.found;
    return known->second;
  }
  const std::uint64_t total = count_values(slots, place);
  counts.by_state.emplace(counts.state, total);
  return total;
}

std::uint64_t Space::count_values(Slots& slots, std::size_t place) const {
  std::uint64_t total = 0;
  for_each_value(slots, place,
                 [&](std::int64_t) { total = saturating_sum(total, count_behind(slots, place + 1)); });
  return total;
}

std::uint64_t Space::count() const {
  Slots slots(parameters_.size());
  // Constraints without parameters are tested at the first place; where there is no place they alone decide.
  if (parameters_.empty()) return holds({}) ? 1 : 0;
  return count_behind(slots, 0);
}

Point Space::at(std::uint64_t rank) const {
  Slots slots(parameters_.size());
  for (std::size_t place = 0; place < order_.size(); ++place) {
    std::optional<std::int64_t> found;
    for_each_value(slots, place, [&](std::int64_t value) {
      if (found) return;
      const std::uint64_t behind = count_behind(slots, place + 1);
      if (rank < behind) {
        found = value;
      } else {
        rank -= behind;
      }
    });
    if (!found) throw Bug("no point of the space has this rank");
    slots[order_[place]] = *found;
  }
  return slots;
}

bool Space::holds(const Point& point) const {
  if (point.size() != parameters_.size()) return false;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    if (point[i] < parameter.least || point[i] > parameter.most) return false;
    if (parameter.is_power_of_two && (point[i] & (point[i] - 1)) != 0) return false;
  }
  return std::all_of(comparisons_.begin(), comparisons_.end(),
                     [&](const Comparison& comparison) { return comparison.holds(point); });
}

std::optional<std::uint64_t> Space::rank(const Point& point) const {
  if (!holds(point)) return std::nullopt;
  std::uint64_t result = 0;
  Slots slots(parameters_.size());
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const std::int64_t wanted = point[order_[place]];
    for_each_value(slots, place, [&](std::int64_t value) {
      if (value < wanted) result = saturating_sum(result, count_behind(slots, place + 1));
    });
    slots[order_[place]] = wanted;
  }
  return result;
}

bool Space::visit(Slots& slots, std::size_t place, const std::function<bool(const Point&)>& fn) const {
  if (place == order_.size()) return fn(slots);
  State state;
  if (!frontiers_[place].state(slots, state)) return true;
  bool goes_on = true;
  for_each_value(slots, place, [&](std::int64_t) { goes_on = goes_on && visit(slots, place + 1, fn); });
  return goes_on;
}

void Space::for_each(const std::function<bool(const Point&)>& fn) const {
  if (count() == 0) return;
  Slots slots(parameters_.size());
  visit(slots, 0, fn);
}

std::vector<std::uint64_t> Space::sample(std::size_t wanted, std::uint64_t seed) const {
  return sample_ranks(count(), wanted, seed);
}

std::vector<std::uint64_t> sample_ranks(std::uint64_t all, std::size_t wanted, std::uint64_t seed) {
  std::vector<std::uint64_t> result;
  if (wanted >= all) {
    for (std::uint64_t rank = 0; rank < all; ++rank) result.push_back(rank);
    return result;
  }
  // Floyd's method of sampling without replacement takes as many steps as ranks are wanted.
  Random random(seed);
  std::set<std::uint64_t> taken;
  for (std::uint64_t last = all - wanted; last < all; ++last) {
    std::uint64_t rank = random.below(last + 1);
    if (!taken.insert(rank).second) taken.insert(rank = last);
    result.push_back(rank);
  }
  return result;
}

std::vector<Point> Space::neighbours(const Point& point) const {
  std::vector<Point> result;
  for (std::size_t at = 0; at < parameters_.size(); ++at) {
    std::vector<std::int64_t> smaller, larger;
    const Domain& domain = requirements_.domains[at];
    for_each_within(domain, domain.multiple, [&](std::int64_t value) {
      if (value != point[at]) (value < point[at] ? smaller : larger).push_back(value);
    });
    std::reverse(smaller.begin(), smaller.end());
    for (const auto& values : {smaller, larger}) {
      for (const std::int64_t value : values) {
        const auto changed = nearest(point, at, value);
        if (!changed) continue;
        result.push_back(*changed);
        break;
      }
    }
  }
  return result;
}

/// The point with one value changed. Where that is no point of the space, a point with the changed value
/// whose other values are near to the old ones: parameters that are chosen earlier keep theirs first, since
/// later ones depend on them.
std::optional<Point> Space::nearest(const Point& point, std::size_t fixed, std::int64_t value) const {
  Point wanted = point;
  wanted[fixed] = value;
  if (holds(wanted)) return wanted;
  constexpr std::size_t most_attempts = 1000;
  std::size_t attempts = most_attempts;
  Slots slots(parameters_.size());
  if (!complete(wanted, fixed, slots, 0, attempts)) return std::nullopt;
  return slots;
}

bool Space::complete(const Point& wanted, std::size_t fixed, Slots& slots, std::size_t place,
                     std::size_t& attempts) const {
  if (place == order_.size()) return true;
  const std::size_t parameter = order_[place];
  std::vector<std::int64_t> values;
  for_each_value(slots, place, [&](std::int64_t value) {
    if (parameter != fixed || value == wanted[fixed]) values.push_back(value);
  });
  const auto distance = [&](std::int64_t value) {
    const auto positive = [](std::int64_t number) { return std::max(static_cast<double>(number), 0.5); };
    return std::abs(std::log2(positive(value) / positive(wanted[parameter])));
  };
  std::stable_sort(values.begin(), values.end(),
                   [&](std::int64_t a, std::int64_t b) { return distance(a) < distance(b); });
  for (const std::int64_t value : values) {
    if (attempts == 0) return false;
    --attempts;
    slots[parameter] = value;
    if (count_behind(slots, place + 1) != 0) {
      slots[parameter] = value;
      if (complete(wanted, fixed, slots, place + 1, attempts)) return true;
    }
  }
  return false;
}

std::string Space::emptied_by() const {
  // A depth-first search for the deepest place where no value is left; the answer is the constraint that
  // refused the last value there. Large spaces are not searched to the end: then the answer is from the part
  // that was.
  constexpr std::size_t most_attempts = 10000;
  std::size_t attempts = most_attempts, deepest = 0;
  std::string message;
  Slots slots(parameters_.size());
  if (parameters_.empty()) {
    for (std::size_t which = 0; which < constraints_.size(); ++which) {
      if (!comparisons_[which].holds(slots)) return constraints_[which].message;
    }
  }
  const std::function<void(std::size_t)> descend = [&](std::size_t place) {
    if (place == order_.size()) return;
    const Parameter& parameter = parameters_[order_[place]];
    const Domain bounds{parameter.least, parameter.most, 0, parameter.is_power_of_two};
    std::size_t refused_by = constraints_.size();
    std::vector<std::int64_t> values;
    for_each_within(bounds, multiple(slots, place), [&](std::int64_t value) {
      slots[order_[place]] = value;
      const auto broken = std::find_if(constraints_at_[place].begin(), constraints_at_[place].end(),
                                       [&](std::size_t which) { return !comparisons_[which].holds(slots); });
      if (broken == constraints_at_[place].end()) {
        values.push_back(value);
      } else {
        refused_by = *broken;
      }
    });
    if (values.empty() && (message.empty() || place > deepest)) {
      message = refused_by < constraints_.size() ? constraints_[refused_by].message
                                                 : "?" + parameter.name + " has no value within its bounds";
      deepest = place;
    }
    for (const std::int64_t value : values) {
      if (attempts == 0) return;
      --attempts;
      slots[order_[place]] = value;
      descend(place + 1);
    }
  };
  descend(0);
  return message;
}

}  // namespace hoist::space
