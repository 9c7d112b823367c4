// What a column says of an example depends on two numbers alone: the row's and the example's. Columns often
// have few different numbers, so a row looks once at each different number of the examples (Column), and rows
// with the same number share its scale.
#include "learn/weka/k_star.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "learn/weka/stored_numbers.hpp"

namespace hoist::learn {

namespace {

/// The share of the examples, but for those at the least distance, that count.
constexpr double blend = 0.20;
/// How exactly the number of examples that count is met, and in how many steps of bisection at most.
constexpr double accuracy = 0.01;
constexpr int most_steps = 40;
/// Distances that differ by less are the same.
constexpr double same_distance = 1e-5;

/// P*: the density of a random walk with this scale that ends so far away.
double walk(double distance, double scale) { return scale * std::exp(-2 * distance * scale); }

/// The numbers of a column among the examples.
class Column {
 public:
  explicit Column(std::vector<double> numbers) : numbers_(std::move(numbers)), different_(numbers_) {
    std::sort(different_.begin(), different_.end());
    different_.erase(std::unique(different_.begin(), different_.end()), different_.end());
    counts_.resize(different_.size());
    for (const double number : numbers_) {
      places_.push_back(static_cast<std::uint32_t>(
          std::lower_bound(different_.begin(), different_.end(), number) - different_.begin()));
      ++counts_[places_.back()];
    }
  }

  /// Where the number of an example is among the different numbers.
  std::uint32_t place(std::size_t example) const { return places_[example]; }
  /// The probability that a number becomes each of the different numbers, by a walk with the scale of the
  /// number.
  void probabilities(double number, double scale, std::vector<double>& result) const {
    result.clear();
    for (const double each : different_) result.push_back(walk(std::abs(number - each), scale));
  }
  /// The scale at which the examples that count are the nearest and `blend` of the others, by bisection. It
  /// begins at the inverse of the difference between the two least distances, and 16 times that is the most.
  double scale_of(double number) const {
    const Nearest nearest = nearest_to(number);
    if (nearest.second < 0) return 1;
    const double aim = (static_cast<double>(numbers_.size()) - nearest.count) * blend + nearest.count;
    double scale = 1 / (nearest.second - nearest.first);
    double low = accuracy / 2, high = scale * 16;
    if (examples_that_count(number, low) < aim) return low;
    if (examples_that_count(number, high) > aim) return high;
    double best = scale, least_error = 9e300;
    for (int step = 0; step <= most_steps; ++step) {
      const double error = examples_that_count(number, scale) - aim;
      if (std::abs(error) < least_error) {
        least_error = std::abs(error);
        best = scale;
      }
      if (std::abs(error) <= accuracy) break;
      (error > 0 ? low : high) = scale;
      scale = (low + high) / 2;
    }
    return best;
  }

 private:
  struct Nearest {
    double first = -1, second = -1;  ///< the least distance and the next one; negative: none
    double count = 0;                ///< of examples at the least
  };

  /// Distances are compared in the order of the examples, as Weka does it: `second` may be another than the
  /// second least.
  Nearest nearest_to(double number) const {
    Nearest nearest;
    for (const double each : numbers_) {
      const double distance = std::abs(each - number);
      if (nearest.second >= 0 && distance + same_distance >= nearest.second) continue;
      if (nearest.first < 0 || distance + same_distance < nearest.first) {
        nearest = {distance, nearest.first, 1};
      } else if (std::abs(distance - nearest.first) < same_distance) {
        ++nearest.count;
      } else {
        nearest.second = distance;
      }
    }
    return nearest;
  }

  /// The effective number of examples at a scale: the square of the sum of probabilities over the sum of
  /// their squares.
  double examples_that_count(double number, double scale) const {
    const auto all = static_cast<double>(numbers_.size());
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < different_.size(); ++i) {
      const double share = walk(std::abs(different_[i] - number), scale) / all;
      sum += counts_[i] * share;
      squares += counts_[i] * share * share;
    }
    return squares == 0 ? 0 : sum * sum / squares;
  }

  std::vector<double> numbers_, different_;
  std::vector<double> counts_;         ///< how often each different number occurs
  std::vector<std::uint32_t> places_;  ///< of each example's number among the different ones
};

class KStar : public StoredRegressor {
 public:
  void fit(const Examples& examples) override {
    expect_no_weights(examples, "K*");
    examples_ = {examples.rows, examples.targets};
    columns_.clear();
    for (std::size_t column = 0; column < examples.rows.width; ++column) {
      std::vector<double> numbers;
      for (std::size_t i = 0; i < examples.rows.count(); ++i) numbers.push_back(examples.rows.at(i, column));
      columns_.emplace_back(std::move(numbers));
    }
  }

  Json to_json() const override { return json_of(examples_); }

  std::vector<Prediction> predict(const Matrix& rows) const override {
    // A scale takes dozens of passes over a column, probabilities take one.
    std::vector<std::map<double, double>> scales(columns_.size());
    std::vector<std::vector<double>> probabilities(columns_.size());
    std::vector<Prediction> result;
    for (std::size_t i = 0; i < rows.count(); ++i) {
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const double number = rows.at(i, column);
        const auto [entry, is_new] = scales[column].try_emplace(number);
        if (is_new) entry->second = columns_[column].scale_of(number);
        columns_[column].probabilities(number, entry->second, probabilities[column]);
      }
      result.push_back({mean(probabilities), 0});
    }
    return result;
  }

 private:
  void read(const Json& learned, std::size_t width) override { fit(read_examples(learned, width)); }

  /// The mean of the targets; `probabilities` are each column's, at the places of its different numbers. 0,
  /// as Weka has it, where all examples are so far away that each probability is 0.
  double mean(const std::vector<std::vector<double>>& probabilities) const {
    double sum = 0, total = 0;
    for (std::size_t example = 0; example < examples_.targets.size(); ++example) {
      double probability = 1;
      for (std::size_t column = 0; column < columns_.size(); ++column)
        probability *= probabilities[column][columns_[column].place(example)];
      probability /= static_cast<double>(examples_.targets.size());
      sum += probability * examples_.targets[example];
      total += probability;
    }
    return total != 0 ? sum / total : 0;
  }

  std::vector<Column> columns_;
  Examples examples_;
};

}  // namespace

std::unique_ptr<StoredRegressor> make_k_star() { return std::make_unique<KStar>(); }

}  // namespace hoist::learn
