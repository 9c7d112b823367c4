#include "space/space.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <unordered_map>

namespace hoist::space {

namespace {

constexpr std::uint64_t most_points = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) { return a > most_points - b ? most_points : a + b; }

const std::vector<std::int64_t>& divisors(std::int64_t number) {
  constexpr std::size_t most_kept = 4096;
  thread_local std::unordered_map<std::int64_t, std::vector<std::int64_t>> known;
  if (const auto found = known.find(number); found != known.end()) return found->second;
  if (known.size() > most_kept) known.clear();
  std::vector<std::int64_t> small, large;
  for (std::int64_t each = 1; each * each <= number; ++each) {
    if (number % each != 0) continue;
    small.push_back(each);
    if (each != number / each) large.push_back(number / each);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return known[number] = std::move(small);
}

/// n where the predicate says n % divisor == 0.
struct Divisibility {
  arith::Expr dividend, divisor;
};
std::optional<Divisibility> division_of(const arith::Predicate& predicate) {
  if (predicate.relation != arith::Relation::Equal) return std::nullopt;
  for (auto [remainder, zero] : {std::pair{predicate.left, predicate.right}, std::pair{predicate.right, predicate.left}}) {
    if (remainder.kind() == arith::Kind::Remainder && zero.is_constant(0)) {
      return Divisibility{remainder->operands[0], remainder->operands[1]};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Space> Space::make(std::vector<Parameter> parameters, std::vector<Constraint> constraints) {
  Space space;
  space.parameters_ = std::move(parameters);
  space.constraints_ = std::move(constraints);
  for (const Parameter& parameter : space.parameters_) space.variables_.push_back(arith::parameter(parameter.name));
  for (const Constraint& constraint : space.constraints_) {
    for (arith::Expr side : {constraint.predicate.left, constraint.predicate.right}) {
      for (arith::Expr variable : arith::variables(side)) {
        if (std::find(space.variables_.begin(), space.variables_.end(), variable) != space.variables_.end()) continue;
        return user_error("a constraint of the space mentions " + arith::to_string(variable) + ", which has no value", constraint.message,
                          "give it one: " + variable->name + "=1024");
      }
    }
  }
  for (const Constraint& constraint : space.constraints_)
    space.comparisons_.emplace_back(constraint.predicate, space.variables_);
  space.order();
  space.find_probes();
  space.find_divisions();
  return space;
}

/// What a parameter must divide is chosen before it, as far as that goes without a circle; else as they were given.
void Space::order() {
  const std::size_t count = parameters_.size();
  std::vector<std::set<std::size_t>> before(count);
  for (const Constraint& constraint : constraints_) {
    auto division = division_of(constraint.predicate);
    if (!division) continue;
    for (std::size_t divisor = 0; divisor < count; ++divisor) {
      if (!arith::contains(division->divisor, variables_[divisor])) continue;
      for (std::size_t other = 0; other < count; ++other) {
        if (other != divisor && arith::contains(division->dividend, variables_[other])) before[divisor].insert(other);
      }
    }
  }
  std::vector<bool> is_placed(count);
  while (order_.size() < count) {
    std::size_t next = count;
    for (std::size_t at = 0; at < count && next == count; ++at) {
      bool is_free = !is_placed[at] && std::all_of(before[at].begin(), before[at].end(), [&](std::size_t b) { return is_placed[b]; });
      if (is_free) next = at;
    }
    for (std::size_t at = 0; at < count && next == count; ++at) {
      if (!is_placed[at]) next = at;
    }
    is_placed[next] = true;
    order_.push_back(next);
  }
}

namespace {

/// The largest parts of an expression that the variables of `known` decide: choices that agree in them leave the same choices.
void collect_probes(arith::Expr e, const std::set<const arith::Node*>& known, std::vector<arith::Expr>& probes) {
  auto is_known = [&](arith::Expr part) {
    const auto own = arith::variables(part);
    return std::all_of(own.begin(), own.end(), [&](arith::Expr v) { return known.contains(v.get()); });
  };
  auto add = [&](arith::Expr probe) {
    if (!probe.constant() && std::find(probes.begin(), probes.end(), probe) == probes.end()) probes.push_back(probe);
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

}  // namespace

void Space::find_probes() {
  const std::size_t count = order_.size();
  checked_at_.resize(count);
  std::vector<std::vector<arith::Expr>> probes(count + 1);
  std::vector<std::set<const arith::Node*>> chosen(count + 1);  // by place, before it
  for (std::size_t place = 0; place < count; ++place) {
    chosen[place + 1] = chosen[place];
    chosen[place + 1].insert(variables_[order_[place]].get());
  }
  for (std::size_t which = 0; which < constraints_.size(); ++which) {
    const arith::Predicate& predicate = constraints_[which].predicate;
    std::size_t last = 0;  // one without parameters holds or not; it is asked with the first
    for (std::size_t place = 0; place < count; ++place) {
      arith::Expr variable = variables_[order_[place]];
      if (arith::contains(predicate.left, variable) || arith::contains(predicate.right, variable)) last = place;
    }
    if (count > 0) checked_at_[last].push_back(which);
    for (std::size_t place = 1; place <= last; ++place) {
      collect_probes(predicate.left, chosen[place], probes[place]);
      collect_probes(predicate.right, chosen[place], probes[place]);
    }
  }
  for (const auto& exprs : probes) {
    probes_.emplace_back();
    for (arith::Expr probe : exprs) probes_.back().emplace_back(probe, variables_);
  }
  counts_.resize(count + 1);
}

/// What a parameter must divide that is decided before it: alone, or as a factor of what divides.
void Space::find_divisions() {
  divisions_.resize(order_.size());
  left_to_check_ = checked_at_;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    arith::Expr variable = variables_[order_[place]];
    for (std::size_t which : checked_at_[place]) {
      const auto division = division_of(constraints_[which].predicate);
      if (!division || arith::contains(division->dividend, variable)) continue;
      const auto& factors = division->divisor->operands;
      const bool is_factor = division->divisor.kind() == arith::Kind::Product &&
                             std::find(factors.begin(), factors.end(), variable) != factors.end();
      if (division->divisor == variable || is_factor)
        divisions_[place].emplace_back(division->dividend, variables_);
      if (division->divisor != variable) continue;
      auto& left = left_to_check_[place];
      left.erase(std::find(left.begin(), left.end(), which));
    }
  }
}

std::vector<std::int64_t> Space::slots(const Prefix& prefix) const {
  std::vector<std::int64_t> slots(parameters_.size());
  for (std::size_t place = 0; place < prefix.size(); ++place) slots[order_[place]] = prefix[place];
  return slots;
}

/// The values that divide what the next parameter must divide; null where it need not divide anything, or what has no value.
const std::vector<std::int64_t>* Space::divisors_for(const std::vector<std::int64_t>& slots, std::size_t place) const {
  std::int64_t multiple = 0;
  for (const Formula& dividend : divisions_[place]) {
    const auto value = dividend(slots);
    if (!value || *value <= 0) return nullptr;
    multiple = std::gcd(multiple, *value);
  }
  return multiple == 0 ? nullptr : &divisors(multiple);
}

/// What the next parameter may be; `refused_by` is the constraint that refused the last value, if none is left.
std::vector<std::int64_t> Space::values(const Prefix& prefix, std::size_t* refused_by) const {
  const std::size_t place = prefix.size();
  const Parameter& parameter = parameters_[order_[place]];
  std::vector<std::int64_t> result;
  std::vector<std::int64_t> chosen = slots(prefix);
  const std::vector<std::int64_t>* dividing = divisors_for(chosen, place);
  const std::vector<std::size_t>& checks = dividing != nullptr ? left_to_check_[place] : checked_at_[place];
  const auto attempt = [&](std::int64_t value) {
    if (parameter.is_power_of_two && (value & (value - 1)) != 0) return;
    chosen[order_[place]] = value;
    const auto broken = std::find_if(checks.begin(), checks.end(),
                                     [&](std::size_t which) { return !comparisons_[which].holds(chosen); });
    if (broken == checks.end()) {
      result.push_back(value);
    } else if (refused_by != nullptr) {
      *refused_by = *broken;
    }
  };
  if (dividing != nullptr) {
    for (std::int64_t value : *dividing) {
      if (value >= parameter.least && value <= parameter.most) attempt(value);
    }
    return result;
  }
  std::int64_t value = parameter.is_power_of_two ? 1 : parameter.least;
  while (value < parameter.least) value *= 2;
  for (; value <= parameter.most; value = parameter.is_power_of_two ? 2 * value : value + 1) attempt(value);
  return result;
}

std::uint64_t Space::count_behind(const Prefix& prefix) const {
  if (prefix.size() == order_.size()) return 1;
  if (prefix.size() + 1 == order_.size()) return values(prefix).size();
  // Where as much is asked as was chosen no two ways meet again; near the leaves counting is as cheap as looking up.
  constexpr std::size_t near_leaves = 2;
  const bool is_shared = probes_[prefix.size()].size() < prefix.size();
  if (!is_shared && prefix.size() + near_leaves >= order_.size()) return count_values(prefix);
  std::vector<std::int64_t> asked;
  const std::vector<std::int64_t> chosen = slots(prefix);
  // What has no value (an exact quotient that is not) is like nothing else: no choice behind it is possible.
  constexpr std::int64_t no_value = std::numeric_limits<std::int64_t>::min();
  for (const Formula& probe : probes_[prefix.size()]) asked.push_back(probe(chosen).value_or(no_value));
  if (auto known = counts_[prefix.size()].find(asked); known != counts_[prefix.size()].end()) return known->second;
  const std::uint64_t total = count_values(prefix);
  counts_[prefix.size()].emplace(std::move(asked), total);
  return total;
}

std::uint64_t Space::count_values(const Prefix& prefix) const {
  std::uint64_t total = 0;
  Prefix longer = prefix;
  longer.push_back(0);
  for (std::int64_t value : values(prefix)) {
    longer.back() = value;
    total = saturating_sum(total, count_behind(longer));
  }
  return total;
}

std::uint64_t Space::count() const { return count_behind({}); }

Point Space::point_of(const Prefix& prefix) const {
  Point point(prefix.size());
  for (std::size_t place = 0; place < prefix.size(); ++place) point[order_[place]] = prefix[place];
  return point;
}

Point Space::at(std::uint64_t rank) const {
  Prefix prefix;
  while (prefix.size() < order_.size()) {
    bool is_found = false;
    for (std::int64_t value : values(prefix)) {
      prefix.push_back(value);
      std::uint64_t behind = count_behind(prefix);
      if (rank < behind) {
        is_found = true;
        break;
      }
      rank -= behind;
      prefix.pop_back();
    }
    if (!is_found) throw Bug("no point of the space has this rank");
  }
  return point_of(prefix);
}

std::optional<std::uint64_t> Space::rank(const Point& point) const {
  if (point.size() != order_.size()) return std::nullopt;
  std::uint64_t result = 0;
  Prefix prefix;
  while (prefix.size() < order_.size()) {
    const std::int64_t wanted = point[order_[prefix.size()]];
    const auto all = values(prefix);
    if (std::find(all.begin(), all.end(), wanted) == all.end()) return std::nullopt;
    prefix.push_back(0);
    for (std::int64_t value : all) {
      prefix.back() = value;
      if (value == wanted) break;
      result = saturating_sum(result, count_behind(prefix));
    }
  }
  return result;
}

bool Space::visit(Prefix& prefix, const std::function<bool(const Point&)>& fn) const {
  if (prefix.size() == order_.size()) return fn(point_of(prefix));
  for (std::int64_t value : values(prefix)) {
    prefix.push_back(value);
    const bool goes_on = visit(prefix, fn);
    prefix.pop_back();
    if (!goes_on) return false;
  }
  return true;
}

void Space::for_each(const std::function<bool(const Point&)>& fn) const {
  Prefix prefix;
  visit(prefix, fn);
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
  // Floyd's method: as many steps as ranks are wanted. The generator's own numbers, since distributions differ between
  // standard libraries.
  std::mt19937_64 random(seed);
  auto below = [&](std::uint64_t limit) {
    const std::uint64_t whole = most_points - most_points % limit;
    std::uint64_t number = random();
    while (number >= whole) number = random();
    return number % limit;
  };
  std::set<std::uint64_t> taken;
  for (std::uint64_t last = all - wanted; last < all; ++last) {
    std::uint64_t rank = below(last + 1);
    if (!taken.insert(rank).second) taken.insert(rank = last);
    result.push_back(rank);
  }
  return result;
}

std::vector<Point> Space::neighbours(const Point& point) const {
  std::vector<Point> result;
  for (std::size_t at = 0; at < parameters_.size(); ++at) {
    const std::size_t place = static_cast<std::size_t>(std::find(order_.begin(), order_.end(), at) - order_.begin());
    Prefix prefix;
    for (std::size_t earlier = 0; earlier < place; ++earlier) prefix.push_back(point[order_[earlier]]);
    const auto all = values(prefix);
    const auto here = std::find(all.begin(), all.end(), point[at]);
    if (here == all.end()) continue;
    auto is_taken = [&](std::int64_t value) {
      Point changed = point;
      changed[at] = value;
      if (!rank(changed)) return false;
      result.push_back(std::move(changed));
      return true;
    };
    for (auto smaller = here; smaller != all.begin() && !is_taken(*--smaller);) continue;
    for (auto larger = here + 1; larger != all.end() && !is_taken(*larger); ++larger) continue;
  }
  return result;
}

std::string Space::emptied_by() const {
  // Down the first way that goes furthest: the constraint that refused its last value.
  std::string message;
  Prefix prefix;
  std::function<std::size_t(std::size_t)> descend = [&](std::size_t deepest) {
    if (prefix.size() == order_.size()) return prefix.size();
    std::size_t refused_by = constraints_.size();
    const auto all = values(prefix, &refused_by);
    if (all.empty() && (message.empty() || prefix.size() > deepest)) {
      message = refused_by < constraints_.size()
                    ? constraints_[refused_by].message
                    : "no value of ?" + parameters_[order_[prefix.size()]].name + " is within its bounds";
      deepest = prefix.size();
    }
    for (std::int64_t value : all) {
      prefix.push_back(value);
      deepest = descend(deepest);
      prefix.pop_back();
      if (deepest == order_.size()) break;
    }
    return deepest;
  };
  descend(0);
  return message;
}

}  // namespace hoist::space
