// A forest has outputs: the target of a regression, for each class whether a row is of it, 1 or 0, or what
// each class costs. A cut is as good as the squared error that both sides leave is small, summed over the
// outputs. For classes that is the Gini impurity. Of two classes one output is enough, since the other would
// leave the same error again.
//
// Grower grows the trees of all; Forest, ForestClassifier and CostForest give it outputs and read its leaves.
#include "learn/forest.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "learn/trees.hpp"

namespace hoist::learn {

namespace {

constexpr std::size_t tree_count = 40;
constexpr std::size_t cost_tree_count = 200;
constexpr std::size_t smallest_to_cut = 3;

/// How trees come to differ from each other.
enum class Growing {
  DrawnCuts,  ///< all learn from all rows, by cuts that are drawn (extremely randomised trees)
  DrawnRows,  ///< each learns from as many rows, drawn with replacement, by the best cuts of a few columns
              ///< that are drawn (a random forest; Breiman 2001)
};

/// Grows one tree after the other. A leaf has the mean of each output, and then the variance that it leaves
/// open.
class Grower {
 public:
  Grower(const Matrix& rows, const Matrix& outputs, Random& random, Growing growing = Growing::DrawnCuts)
      : rows_(rows),
        outputs_(outputs),
        random_(random),
        growing_(growing),
        all_(rows.count()),
        columns_(rows.width) {
    std::iota(columns_.begin(), columns_.end(), 0U);
  }

  Trees grow(std::size_t count = tree_count) {
    return Trees::grown(outputs_.width + 1, count, [&](Trees& trees, std::uint32_t root) {
      if (growing_ == Growing::DrawnRows) {
        for (std::uint32_t& each : all_) each = static_cast<std::uint32_t>(random_.below(all_.size()));
      } else {
        std::iota(all_.begin(), all_.end(), 0U);
      }
      grow(trees, root, all_.begin(), all_.end());
    });
  }

 private:
  using Row = std::vector<std::uint32_t>::iterator;
  struct Cut {
    std::uint32_t column = 0;
    double at = 0;
    double error = std::numeric_limits<double>::infinity();  ///< squared, that both sides leave
  };

  void grow(Trees& trees, std::uint32_t node, Row from, Row to) {
    const double count = static_cast<double>(to - from);
    double squares = 0;
    for (std::size_t output = 0; output < outputs_.width; ++output) {
      double sum = 0;
      for (Row each = from; each != to; ++each) sum += outputs_.at(*each, output);
      const double mean = sum / count;
      trees.leaf(node)[output] = mean;
      for (Row each = from; each != to; ++each) {
        const double error = outputs_.at(*each, output) - mean;
        squares += error * error;
      }
    }
    trees.leaf(node)[outputs_.width] = squares / count;
    if (static_cast<std::size_t>(to - from) < smallest_to_cut || squares <= 1e-12) return;
    const Cut cut = growing_ == Growing::DrawnRows ? best_of_some_columns(from, to) : best_cut(from, to);
    if (!std::isfinite(cut.error)) return;
    const Row middle =
        std::partition(from, to, [&](std::uint32_t i) { return rows_.at(i, cut.column) < cut.at; });
    const std::uint32_t left = trees.split(node, cut.column, cut.at);
    grow(trees, left, from, middle);
    grow(trees, left + 1, middle, to);
  }

  /// The best of one random cut for each column.
  Cut best_cut(Row from, Row to) {
    Cut best;
    for (std::uint32_t column = 0; column < rows_.width; ++column) {
      double least = std::numeric_limits<double>::infinity(), most = -least;
      for (Row each = from; each != to; ++each) {
        least = std::min(least, rows_.at(*each, column));
        most = std::max(most, rows_.at(*each, column));
      }
      if (least == most) continue;
      Cut cut{column, most - random_.unit() * (most - least), 0};
      for (std::size_t output = 0; output < outputs_.width; ++output)
        cut.error += error_of(from, to, cut, output);
      if (cut.error < best.error) best = cut;
    }
    return best;
  }

  /// The best of all cuts by log2(columns) + 1 columns that are drawn, or more where these are constant.
  Cut best_of_some_columns(Row from, Row to) {
    auto looks_at = static_cast<std::size_t>(std::log2(static_cast<double>(rows_.width))) + 1;
    Cut best;
    for (std::size_t left = columns_.size(); left > 0 && looks_at > 0; --left) {
      std::swap(columns_[random_.below(left)], columns_[left - 1]);
      const Cut cut = best_by(columns_[left - 1], from, to);
      if (!std::isfinite(cut.error)) continue;
      --looks_at;
      if (cut.error < best.error) best = cut;
    }
    return best;
  }

  /// The best cut by a column, in the middle between two of its numbers; none where it is constant.
  Cut best_by(std::uint32_t column, Row from, Row to) {
    std::sort(from, to, [&](std::uint32_t one, std::uint32_t other) {
      return std::pair(rows_.at(one, column), one) < std::pair(rows_.at(other, column), other);
    });
    const std::size_t width = outputs_.width;
    std::vector<double> before(width), after(width);
    double squares = 0;
    for (Row each = from; each != to; ++each) {
      for (std::size_t output = 0; output < width; ++output) {
        const double value = outputs_.at(*each, output);
        after[output] += value;
        squares += value * value;
      }
    }
    Cut best{column, 0};
    for (Row each = from; each + 1 < to; ++each) {
      const double number = rows_.at(*each, column), next = rows_.at(*(each + 1), column);
      const auto left = static_cast<double>(each + 1 - from), right = static_cast<double>(to - each - 1);
      double error = squares;
      for (std::size_t output = 0; output < width; ++output) {
        const double value = outputs_.at(*each, output);
        before[output] += value;
        after[output] -= value;
        error -= before[output] * before[output] / left + after[output] * after[output] / right;
      }
      // Between neighbours of doubles there is no middle.
      const double middle = number + (next - number) / 2;
      if (number < next && error < best.error) best = {column, middle > number ? middle : next, error};
    }
    return best;
  }

  double error_of(Row from, Row to, const Cut& cut, std::size_t output) const {
    double sums[2] = {}, squares[2] = {}, counts[2] = {};
    for (Row each = from; each != to; ++each) {
      const int side = rows_.at(*each, cut.column) < cut.at ? 0 : 1;
      const double value = outputs_.at(*each, output);
      sums[side] += value;
      squares[side] += value * value;
      ++counts[side];
    }
    double error = 0;
    for (const int side : {0, 1})
      error += counts[side] > 0 ? squares[side] - sums[side] * sums[side] / counts[side] : 0;
    return error;
  }

  const Matrix& rows_;
  const Matrix& outputs_;
  Random& random_;
  Growing growing_;
  std::vector<std::uint32_t> all_;
  std::vector<std::uint32_t> columns_;  ///< in the order that drawing has left
};

class Forest : public Regressor {
 public:
  explicit Forest(std::uint64_t seed) : random_(seed) {}

  void fit(const Examples& examples) override {
    expect_no_weights(examples, "a forest");
    trees_ = Grower(examples.rows, Matrix{1, examples.targets}, random_).grow();
  }

  std::vector<Prediction> predict(const Matrix& rows) const override {
    struct Sums {
      double mean = 0, squares = 0, within = 0;
    };
    std::vector<Sums> sums(rows.count());
    trees_.walk(rows, [&](std::size_t row, const double* leaf) {
      sums[row].mean += leaf[0];
      sums[row].squares += leaf[0] * leaf[0];
      sums[row].within += leaf[1];
    });
    std::vector<Prediction> result;
    result.reserve(rows.count());
    const double count = static_cast<double>(trees_.count());
    for (const Sums& each : sums) {
      const double mean = each.mean / count;
      result.push_back(
          {mean, std::sqrt(std::max(each.squares / count - mean * mean, 0.0) + each.within / count)});
    }
    return result;
  }

 private:
  Random random_;
  Trees trees_;
};

class ForestClassifier : public Classifier {
 public:
  explicit ForestClassifier(std::uint64_t seed) : random_(seed) {}

  void fit(const Matrix& rows, const std::vector<std::uint32_t>& classes,
           std::uint32_t class_count) override {
    class_count_ = class_count;
    Matrix outputs{class_count == 2 ? 1U : class_count, {}};
    outputs.numbers.resize(outputs.width * classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      // Where there are two classes, the output is the probability of the second.
      if (class_count == 2) {
        outputs.numbers[i] = classes[i];
      } else {
        outputs.numbers[i * outputs.width + classes[i]] = 1;
      }
    }
    trees_ = Grower(rows, outputs, random_).grow();
  }

  Matrix probabilities(const Matrix& rows) const override {
    Matrix result{class_count_, std::vector<double>(class_count_ * rows.count())};
    const std::size_t first = class_count_ == 2 ? 1 : 0, outputs = class_count_ - first;
    trees_.walk(rows, [&](std::size_t row, const double* leaf) {
      double* sums = result.numbers.data() + row * class_count_ + first;
      for (std::size_t output = 0; output < outputs; ++output) sums[output] += leaf[output];
    });
    for (double& each : result.numbers) each /= static_cast<double>(trees_.count());
    if (class_count_ == 2) {
      for (std::size_t i = 0; i < result.numbers.size(); i += 2)
        result.numbers[i] = 1 - result.numbers[i + 1];
    }
    return result;
  }

 private:
  Random random_;
  std::uint32_t class_count_ = 2;
  Trees trees_;
};

/// The class of the least cost, of one row's costs.
std::uint32_t cheapest(std::span<const double> costs) {
  return static_cast<std::uint32_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
}

class CostForest : public CostClassifier {
 public:
  explicit CostForest(std::uint64_t seed) : seed_(seed) {}

  void fit_costs(const Matrix& rows, const Matrix& costs) override {
    class_count_ = costs.width;
    Random random(seed_);
    trees_ = Grower(rows, costs, random, Growing::DrawnRows).grow(cost_tree_count);
  }
  Matrix costs(const Matrix& rows) const override {
    Matrix result{class_count_, std::vector<double>(class_count_ * rows.count())};
    trees_.walk(rows, [&](std::size_t row, const double* leaf) {
      for (std::size_t i = 0; i < class_count_; ++i)
        result.numbers[row * class_count_ + i] += leaf[i] / cost_tree_count;
    });
    return result;
  }
  Matrix probabilities(const Matrix& rows) const override {
    Matrix result{class_count_, std::vector<double>(class_count_ * rows.count())};
    trees_.walk(rows, [&](std::size_t row, const double* leaf) {
      result.numbers[row * class_count_ + cheapest({leaf, class_count_})] += 1.0 / cost_tree_count;
    });
    return result;
  }

 private:
  std::uint64_t seed_;
  std::size_t class_count_ = 0;
  Trees trees_;
};

}  // namespace

void CostClassifier::fit(const Matrix& rows, const std::vector<std::uint32_t>& classes,
                         std::uint32_t class_count) {
  Matrix costs{class_count, std::vector<double>(class_count * classes.size(), 1)};
  for (std::size_t i = 0; i < classes.size(); ++i) costs.numbers[i * class_count + classes[i]] = 0;
  fit_costs(rows, costs);
}

std::vector<std::uint32_t> CostClassifier::classify(const Matrix& rows) const {
  const Matrix expected = costs(rows);
  std::vector<std::uint32_t> classes;
  for (std::size_t i = 0; i < rows.count(); ++i) classes.push_back(cheapest(expected.row(i)));
  return classes;
}

std::unique_ptr<CostClassifier> make_cost_classifier(std::uint64_t seed) {
  return std::make_unique<CostForest>(seed);
}

std::unique_ptr<Regressor> make_forest(std::uint64_t seed) { return std::make_unique<Forest>(seed); }
std::unique_ptr<Classifier> make_forest_classifier(std::uint64_t seed) {
  return std::make_unique<ForestClassifier>(seed);
}

}  // namespace hoist::learn
