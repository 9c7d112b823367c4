// The dual problem of a machine has a multiplier for each example, from 0 to C, and maximises the sum of all
// multipliers less half the squared length of the weighted sum of the examples in the kernel's space. A step
// takes two examples and moves their multipliers along the line on which the sum of multipliers, each times
// its example's sign, stays 0, to the optimum. The two are chosen by the second-order information of Fan,
// Chen and Lin (Working set selection using second order information for training SVM, 2005).
//
// Read `Machine::fit`, which lists the steps, then `Solver`.
#include "learn/support_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hoist::learn {

namespace {

constexpr double tolerance = 1e-6;         ///< of the optimality conditions
constexpr double least_curvature = 1e-12;  ///< of two examples that lie at one place
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

double squared_distance(std::span<const double> one, std::span<const double> other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += (one[i] - other[i]) * (one[i] - other[i]);
  return sum;
}

/// Of some examples with their signs, 1 or -1.
class Solver {
 public:
  /// `kernel` has a row and a column for each example.
  Solver(const Matrix& kernel, const std::vector<double>& signs, double capacity)
      : kernel_(kernel),
        signs_(signs),
        capacity_(capacity),
        multipliers_(signs.size()),
        gradient_(signs.size(), -1) {}

  void solve() {
    // Each step lowers the objective; the limit is for what rounding makes of the last ones.
    const std::size_t most_steps = std::max<std::size_t>(100000, 100 * signs_.size());
    for (std::size_t step = 0; step < most_steps; ++step) {
      const std::size_t first = most_violating();
      const std::size_t second = first == none ? none : partner_of(first);
      if (second == none) return;
      move(first, second);
    }
  }

  const std::vector<double>& multipliers() const { return multipliers_; }

  /// What is taken from the weighted sum of kernels: by the mean of the examples inside of their bounds,
  /// whose outputs are 1 and -1, or else by the middle of what the others allow.
  double threshold() const {
    double free_sum = 0, least = -std::numeric_limits<double>::infinity(), most = -least;
    std::size_t free_count = 0;
    for (std::size_t i = 0; i < signs_.size(); ++i) {
      const double at = signs_[i] * gradient_[i];
      if (multipliers_[i] > 0 && multipliers_[i] < capacity_) {
        free_sum += at;
        ++free_count;
      } else if (may_rise(i)) {
        most = std::min(most, at);
      } else {
        least = std::max(least, at);
      }
    }
    return free_count > 0 ? free_sum / static_cast<double>(free_count) : (least + most) / 2;
  }

 private:
  /// Whether the multiplier, times its sign, may become greater.
  bool may_rise(std::size_t i) const {
    return signs_[i] > 0 ? multipliers_[i] < capacity_ : multipliers_[i] > 0;
  }
  bool may_fall(std::size_t i) const {
    return signs_[i] > 0 ? multipliers_[i] > 0 : multipliers_[i] < capacity_;
  }
  double slope(std::size_t i) const { return -signs_[i] * gradient_[i]; }

  std::size_t most_violating() const {
    std::size_t best = none;
    for (std::size_t i = 0; i < signs_.size(); ++i) {
      if (may_rise(i) && (best == none || slope(i) > slope(best))) best = i;
    }
    return best;
  }

  /// The example with which a step lowers the objective most; none where no other violates optimality with
  /// the first.
  std::size_t partner_of(std::size_t first) const {
    std::size_t best = none;
    double best_gain = 0;
    for (std::size_t i = 0; i < signs_.size(); ++i) {
      const double violation = slope(first) - slope(i);
      if (!may_fall(i) || violation <= tolerance) continue;
      const double gain = violation * violation / curvature(first, i);
      if (gain <= best_gain) continue;
      best = i;
      best_gain = gain;
    }
    return best;
  }

  double curvature(std::size_t one, std::size_t other) const {
    return std::max(kernel_.at(one, one) + kernel_.at(other, other) - 2 * kernel_.at(one, other),
                    least_curvature);
  }

  void move(std::size_t first, std::size_t second) {
    double& rising = multipliers_[first];
    double& falling = multipliers_[second];
    double step = (slope(first) - slope(second)) / curvature(first, second);
    step = std::min(step, signs_[first] > 0 ? capacity_ - rising : rising);
    step = std::min(step, signs_[second] > 0 ? falling : capacity_ - falling);
    rising = std::clamp(rising + signs_[first] * step, 0.0, capacity_);
    falling = std::clamp(falling - signs_[second] * step, 0.0, capacity_);
    for (std::size_t i = 0; i < signs_.size(); ++i)
      gradient_[i] += signs_[i] * step * (kernel_.at(first, i) - kernel_.at(second, i));
  }

  const Matrix& kernel_;
  const std::vector<double>& signs_;
  double capacity_;
  std::vector<double> multipliers_;
  std::vector<double> gradient_;  ///< of the objective that is minimised, by each multiplier
};

/// What tells one class from another.
struct Machine {
  std::uint32_t positive = 0, negative = 0;  ///< the classes
  std::vector<std::size_t> vectors;          ///< places of examples
  std::vector<double> weights;               ///< of each of these
  double threshold = 0;

  /// `kernel` is that of all examples.
  static Machine fit(const Matrix& kernel, const std::vector<std::uint32_t>& classes, std::uint32_t positive,
                     std::uint32_t negative, double capacity) {
    Machine machine{positive, negative, {}, {}, 0};
    std::vector<std::size_t> places;
    std::vector<double> signs;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] != positive && classes[i] != negative) continue;
      places.push_back(i);
      signs.push_back(classes[i] == positive ? 1 : -1);
    }
    Matrix own{places.size(), {}};
    for (const std::size_t row : places) {
      for (const std::size_t column : places) own.numbers.push_back(kernel.at(row, column));
    }
    Solver solver(own, signs, capacity);
    solver.solve();
    machine.threshold = solver.threshold();
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (solver.multipliers()[i] == 0) continue;
      machine.vectors.push_back(places[i]);
      machine.weights.push_back(signs[i] * solver.multipliers()[i]);
    }
    return machine;
  }
};

class SupportVectorClassifier : public Classifier {
 public:
  explicit SupportVectorClassifier(const SupportVectorOptions& options) : options_(options) {}

  void fit(const Matrix& rows, const std::vector<std::uint32_t>& classes,
           std::uint32_t class_count) override {
    rows_ = rows;
    class_count_ = class_count;
    machines_.clear();
    Matrix kernel{rows.count(), {}};
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const std::vector<double> line = kernels_with(rows.row(i));
      kernel.numbers.insert(kernel.numbers.end(), line.begin(), line.end());
    }
    std::vector<bool> occurs(class_count);
    for (const std::uint32_t each : classes) occurs[each] = true;
    only_ = classes.front();
    for (std::uint32_t one = 0; one < class_count; ++one) {
      for (std::uint32_t other = one + 1; other < class_count; ++other) {
        if (occurs[one] && occurs[other])
          machines_.push_back(Machine::fit(kernel, classes, one, other, options_.capacity));
      }
    }
  }

  Matrix probabilities(const Matrix& rows) const override {
    Matrix votes{class_count_, std::vector<double>(rows.count() * class_count_)};
    for (std::size_t i = 0; i < rows.count(); ++i) {
      double* own = votes.numbers.data() + i * class_count_;
      if (machines_.empty()) own[only_] = 1;
      const std::vector<double> kernels = kernels_with(rows.row(i));
      for (const Machine& each : machines_) {
        double sum = -each.threshold;
        for (std::size_t k = 0; k < each.vectors.size(); ++k)
          sum += each.weights[k] * kernels[each.vectors[k]];
        own[sum > 0 ? each.positive : each.negative] += 1 / static_cast<double>(machines_.size());
      }
    }
    return votes;
  }

 private:
  std::vector<double> kernels_with(std::span<const double> row) const {
    std::vector<double> line;
    line.reserve(rows_.count());
    for (std::size_t i = 0; i < rows_.count(); ++i)
      line.push_back(std::exp(-options_.gamma * squared_distance(row, rows_.row(i))));
    return line;
  }

  SupportVectorOptions options_;
  Matrix rows_;
  std::uint32_t class_count_ = 2;
  std::uint32_t only_ = 0;  ///< the class of all examples, where there are no machines
  std::vector<Machine> machines_;
};

}  // namespace

std::unique_ptr<Classifier> make_support_vector_classifier(const SupportVectorOptions& options) {
  return std::make_unique<SupportVectorClassifier>(options);
}

}  // namespace hoist::learn
