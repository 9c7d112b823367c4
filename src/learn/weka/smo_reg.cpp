// The dual problem has two multipliers for each example, `above` for targets above the insensitive zone and
// `below` for those below it, from 0 to C. A step takes two examples and moves their multipliers along the
// line on which the sum of all `above` less that of all `below` stays 0, to the optimum (Solver::step). The
// error of an example is its target less the weighted sum of its columns, without the threshold. The solution
// is optimal where one threshold fits all examples: the greatest of its lower bounds (`low_`) is not above
// the least of its upper bounds (`up_`). A step takes an example that violates one of these two, and the
// example that the bound comes from.
//
// Whether an example's error is still that of the bound that came from it, is a matter of rounding, and what
// follows differs by more than the tolerance. So errors are summed over the support vectors in the order in
// which Weka has them; weights of the columns, which a linear kernel has, would be faster.
#include "learn/weka/smo_reg.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "learn/weka/column_ranges.hpp"
#include "learn/weka/stored_numbers.hpp"
#include "learn/weka/stored_point_regressor.hpp"

namespace hoist::learn {

namespace {

constexpr double capacity = 1;  ///< C
constexpr double zone = 1e-3, tolerance = 1e-3;
/// Multipliers so near to a bound are at the bound, and smaller changes are none.
constexpr double at_bound = 1e-10, least_change = 1e-12;

double product(std::span<const double> one, std::span<const double> other) {
  double sum = 0;
  for (std::size_t column = 0; column < one.size(); ++column) sum += one[column] * other[column];
  return sum;
}

/// A set of indices in the order in which they came, the last first. Whoever stands at an index that leaves
/// the set goes on from where it stood.
class IndexSet {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  explicit IndexSet(std::size_t size) : next_(size, none), previous_(size, none), contained_(size, false) {}
  bool contains(std::size_t index) const { return contained_[index]; }
  std::size_t first() const { return first_; }
  std::size_t after(std::size_t index) const { return next_[index]; }
  void insert(std::size_t index) {
    if (contained_[index]) return;
    contained_[index] = true;
    next_[index] = first_;
    previous_[index] = none;
    if (first_ != none) previous_[first_] = index;
    first_ = index;
  }
  void erase(std::size_t index) {
    if (!contained_[index]) return;
    contained_[index] = false;
    (first_ == index ? first_ : next_[previous_[index]]) = next_[index];
    if (next_[index] != none) previous_[next_[index]] = previous_[index];
  }

 private:
  std::size_t first_ = none;
  std::vector<std::size_t> next_, previous_;
  std::vector<bool> contained_;
};

/// Where the multipliers of an example are, of which one at least is 0.
enum class Position { above_inside, below_inside, both_zero, below_at_capacity, above_at_capacity };

struct Multipliers {
  double above = 0, below = 0;

  double difference() const { return above - below; }
  Position position() const {
    if (above > 0) return above < capacity ? Position::above_inside : Position::above_at_capacity;
    if (below > 0) return below < capacity ? Position::below_inside : Position::below_at_capacity;
    return Position::both_zero;
  }
};

double rounded_to_bound(double multiplier) {
  if (multiplier > capacity - at_bound * capacity) return capacity;
  return multiplier <= at_bound * capacity ? 0 : multiplier;
}

/// The optimum for two examples. `difference` is the first error less the second, `curvature` the squared
/// distance of the examples. Tries each choice of one multiplier of both once, while it can improve.
void optimize_pair(Multipliers& first, Multipliers& second, double difference, double curvature) {
  struct Choice {
    double first_sign, second_sign;  ///< 1: above; -1: below
    bool is_tried = false;
  };
  Choice choices[] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  const double sum = first.above - first.below + second.above - second.below;
  const auto own = [](Multipliers& pair, double sign) -> double& {
    return sign > 0 ? pair.above : pair.below;
  };
  const auto slope = [&](const Choice& choice) {
    return difference + zone * (choice.second_sign - choice.first_sign);
  };
  const auto can_improve = [&](const Choice& choice) {
    const auto [first_sign, second_sign, is_tried] = choice;
    return !is_tried &&
           (own(first, first_sign) > 0 || (own(first, -first_sign) == 0 && first_sign * slope(choice) > 0)) &&
           (own(second, second_sign) > 0 ||
            (own(second, -second_sign) == 0 && second_sign * slope(choice) < 0));
  };
  for (Choice* choice = std::begin(choices); choice != std::end(choices);) {
    if (!can_improve(*choice)) {
      ++choice;
      continue;
    }
    choice->is_tried = true;
    const auto [first_sign, second_sign, is_tried] = *choice;
    const bool same = first_sign == second_sign;
    const double least = std::max(0.0, second_sign * sum - (same ? capacity : 0));
    const double most = std::min(capacity, second_sign * sum + (same ? 0 : capacity));
    if (!(least < most)) return;
    double &of_first = own(first, first_sign), &of_second = own(second, second_sign);
    const double best = of_second - second_sign * slope(*choice) / curvature;
    const double new_second = rounded_to_bound(std::max(least, std::min(best, most)));
    const double change = new_second - of_second;
    const double new_first = rounded_to_bound(of_first - first_sign * second_sign * change);
    if (std::abs(of_first - new_first) > least_change) {
      difference += second_sign * curvature * change;
      of_first = new_first;
      of_second = new_second;
    }
    choice = std::begin(choices);
  }
}

class Solver {
 public:
  /// Of scaled rows and targets.
  explicit Solver(const Examples& examples)
      : rows_(examples.rows),
        targets_(examples.targets),
        multipliers_(targets_.size()),
        errors_(targets_),
        inside_(targets_.size()),
        support_(targets_.size()),
        up_{targets_[0] + zone, 0},
        low_{targets_[0] - zone, 0} {}

  /// Looks at all examples, then at those with a multiplier inside of its bounds until none of them changes,
  /// and so on, until none of all changes.
  void solve() {
    bool changed = true;
    for (bool all = true; changed || all; all = !all && !changed) {
      changed = false;
      if (all) {
        for (std::size_t i = 0; i < targets_.size(); ++i) changed = examine(i) || changed;
        continue;
      }
      for (std::size_t i = inside_.first(); i != IndexSet::none; i = inside_.after(i)) {
        changed = examine(i) || changed;
        if (low_.at - up_.at < 2 * tolerance) {
          changed = false;
          break;
        }
      }
    }
  }

  std::vector<double> weights() const {
    std::vector<double> result(rows_.width);
    for (std::size_t k = support_.first(); k != IndexSet::none; k = support_.after(k)) {
      for (std::size_t column = 0; column < result.size(); ++column)
        result[column] += multipliers_[k].difference() * rows_.at(k, column);
    }
    return result;
  }
  double threshold() const { return (low_.at + up_.at) / 2; }

 private:
  struct Bound {
    double at;
    std::size_t example;  ///< from which it comes
  };

  /// Without the threshold.
  double output(std::size_t example) const {
    double sum = 0;
    for (std::size_t k = support_.first(); k != IndexSet::none; k = support_.after(k))
      sum += multipliers_[k].difference() * product(rows_.row(example), rows_.row(k));
    return sum;
  }

  /// Lowers the upper bound to that of an example, if it has one that is lower.
  bool lower_up(std::size_t i) {
    const Position position = multipliers_[i].position();
    if (position == Position::below_at_capacity) return false;
    const bool is_over = position == Position::both_zero || position == Position::below_inside;
    const double at = errors_[i] + (is_over ? zone : -zone);
    if (!(at < up_.at)) return false;
    up_ = {at, i};
    return true;
  }
  bool raise_low(std::size_t i) {
    const Position position = multipliers_[i].position();
    if (position == Position::above_at_capacity) return false;
    const bool is_over = position == Position::below_at_capacity || position == Position::below_inside;
    const double at = errors_[i] + (is_over ? zone : -zone);
    if (!(at > low_.at)) return false;
    low_ = {at, i};
    return true;
  }

  /// True where multipliers changed.
  bool examine(std::size_t i) {
    if (!inside_.contains(i)) {
      errors_[i] = targets_[i] - output(i);
      if (!lower_up(i)) raise_low(i);
    }
    const std::size_t other = violated_with(i);
    return other != i && step(other, i);
  }

  /// The example from which the bound comes that this one violates most; itself where it violates none.
  std::size_t violated_with(std::size_t i) const {
    const double over = errors_[i] + zone, under = errors_[i] - zone;
    const auto below_low = [&](double at) { return low_.at - at; };
    const auto above_up = [&](double at) { return at - up_.at; };
    double at_low = over, at_up = under;
    switch (multipliers_[i].position()) {
      case Position::below_at_capacity:
        return above_up(over) > 2 * tolerance ? up_.example : i;
      case Position::above_at_capacity:
        return below_low(under) > 2 * tolerance ? low_.example : i;
      case Position::above_inside:
        at_low = under;
        break;
      case Position::below_inside:
        at_up = over;
        break;
      case Position::both_zero:
        break;
    }
    if (below_low(at_low) > 2 * tolerance)
      return above_up(at_low) > below_low(at_low) ? up_.example : low_.example;
    if (above_up(at_up) > 2 * tolerance)
      return below_low(at_up) > above_up(at_up) ? low_.example : up_.example;
    return i;
  }

  bool step(std::size_t one, std::size_t other) {
    const auto row = rows_.row(one), other_row = rows_.row(other);
    const double own = product(row, row), mixed = product(row, other_row),
                 others = product(other_row, other_row);
    const double curvature = -2 * mixed + own + others;
    if (curvature <= 0) return false;
    Multipliers first = multipliers_[one], second = multipliers_[other];
    optimize_pair(first, second, errors_[one] - errors_[other], curvature);
    const auto is_change = [](double before, double after) {
      return std::abs(after - before) > least_change;
    };
    const Multipliers old_first = multipliers_[one], old_second = multipliers_[other];
    if (!is_change(old_first.above, first.above) && !is_change(old_first.below, first.below) &&
        !is_change(old_second.above, second.above) && !is_change(old_second.below, second.below))
      return false;
    multipliers_[one] = first;
    multipliers_[other] = second;
    for (const std::size_t i : {one, other}) {
      if (multipliers_[i].position() == Position::both_zero) {
        support_.erase(i);
      } else {
        support_.insert(i);
      }
    }
    const double change = first.above - old_first.above - (first.below - old_first.below);
    const double other_change = second.above - old_second.above - (second.below - old_second.below);
    for (std::size_t j = inside_.first(); j != IndexSet::none; j = inside_.after(j)) {
      if (j != one && j != other)
        errors_[j] -= change * product(row, rows_.row(j)) + other_change * product(other_row, rows_.row(j));
    }
    errors_[one] -= change * own + other_change * mixed;
    errors_[other] -= change * mixed + other_change * others;
    find_bounds(one, other);
    return true;
  }

  /// The bounds of the examples with a multiplier inside of its bounds and of these two.
  void find_bounds(std::size_t one, std::size_t other) {
    for (const std::size_t i : {one, other}) {
      const Position position = multipliers_[i].position();
      if (position == Position::above_inside || position == Position::below_inside) {
        inside_.insert(i);
      } else {
        inside_.erase(i);
      }
    }
    up_.at = std::numeric_limits<double>::max();
    low_.at = -up_.at;
    const auto include = [&](std::size_t i) {
      raise_low(i);
      lower_up(i);
    };
    for (std::size_t j = inside_.first(); j != IndexSet::none; j = inside_.after(j)) include(j);
    for (const std::size_t i : {one, other}) {
      if (!inside_.contains(i)) include(i);
    }
  }

  const Matrix& rows_;
  const std::vector<double>& targets_;
  std::vector<Multipliers> multipliers_;
  std::vector<double> errors_;  ///< up to date for examples that are inside_
  IndexSet inside_;             ///< examples with a multiplier that is neither 0 nor C
  IndexSet support_;            ///< examples with a multiplier that is not 0
  Bound up_, low_;
};

class SmoReg : public StoredPointRegressor {
 public:
  void fit(const Examples& examples) override {
    expect_no_weights(examples, "SMOreg");
    columns_ = column_ranges(examples.rows);
    target_ = range_of(examples.targets);
    Examples scaled;
    for (std::size_t i = 0; i < examples.targets.size(); ++i) {
      scaled.rows.add(inputs_of(examples.rows.row(i)));
      scaled.targets.push_back(target_.scaled(examples.targets[i]));
    }
    Solver solver(scaled);
    solver.solve();
    weights_ = solver.weights();
    threshold_ = solver.threshold();
  }
  Json to_json() const override {
    return {{"columns", json_of(columns_)},
            {"target", json_of(target_)},
            {"weights", weights_},
            {"threshold", threshold_}};
  }

 private:
  void read(const Json& learned, std::size_t width) override {
    columns_ = read_ranges(learned.at("columns"), width);
    target_ = read_range(learned.at("target"));
    weights_ = read_numbers(learned.at("weights"), width);
    threshold_ = learned.at("threshold").get<double>();
  }

  double predicted(std::span<const double> row) const override {
    return (threshold_ + product(weights_, inputs_of(row))) * (target_.most - target_.least) + target_.least;
  }

  std::vector<double> inputs_of(std::span<const double> row) const {
    std::vector<double> inputs;
    for (std::size_t column = 0; column < row.size(); ++column)
      inputs.push_back(columns_[column].scaled(row[column]));
    return inputs;
  }

  std::vector<ColumnRange> columns_;
  ColumnRange target_;
  std::vector<double> weights_;
  double threshold_ = 0;
};

}  // namespace

std::unique_ptr<StoredRegressor> make_smo_reg() { return std::make_unique<SmoReg>(); }

}  // namespace hoist::learn
