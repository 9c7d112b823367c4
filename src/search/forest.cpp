#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/predictor.hpp"
#include "search/random.hpp"

namespace hoist::search {

namespace {

constexpr std::size_t tree_count = 40;
constexpr std::size_t smallest_to_cut = 3;

struct Node {
  std::uint32_t feature = 0;
  std::uint32_t right = 0;  ///< the left child is the next node; 0 in a leaf
  double cut = 0;
  double mean = 0, variance = 0;
};

class Tree {
 public:
  Tree(const Matrix& rows, const std::vector<double>& values, Random& random)
      : rows_(rows), values_(values), random_(random) {
    std::vector<std::uint32_t> all(values.size());
    std::iota(all.begin(), all.end(), 0U);
    grow(all.begin(), all.end());
  }
  std::vector<Node> take() { return std::move(nodes_); }

 private:
  using Place = std::vector<std::uint32_t>::iterator;
  struct Cut {
    std::uint32_t feature = 0;
    double at = 0;
    double error = std::numeric_limits<double>::infinity();  ///< squared, that both sides leave
  };

  void grow(Place from, Place to) {
    const std::size_t place = nodes_.size();
    nodes_.emplace_back();
    double sum = 0, squares = 0;
    for (Place each = from; each != to; ++each) sum += values_[*each];
    const double count = static_cast<double>(to - from), mean = sum / count;
    for (Place each = from; each != to; ++each) squares += (values_[*each] - mean) * (values_[*each] - mean);
    nodes_[place].mean = mean;
    nodes_[place].variance = squares / count;
    if (static_cast<std::size_t>(to - from) < smallest_to_cut || squares <= 1e-12) return;
    const Cut cut = best_cut(from, to);
    if (!std::isfinite(cut.error)) return;
    const Place middle =
        std::partition(from, to, [&](std::uint32_t i) { return rows_.row(i)[cut.feature] < cut.at; });
    nodes_[place].feature = cut.feature;
    nodes_[place].cut = cut.at;
    grow(from, middle);
    nodes_[place].right = static_cast<std::uint32_t>(nodes_.size());
    grow(middle, to);
  }

  /// The best of one random cut for each number.
  Cut best_cut(Place from, Place to) {
    Cut best;
    for (std::uint32_t feature = 0; feature < rows_.width; ++feature) {
      double least = std::numeric_limits<double>::infinity(), most = -least;
      for (Place each = from; each != to; ++each) {
        least = std::min(least, rows_.row(*each)[feature]);
        most = std::max(most, rows_.row(*each)[feature]);
      }
      if (least == most) continue;
      Cut cut{feature, most - random_.unit() * (most - least), 0};
      cut.error = error_of(from, to, cut);
      if (cut.error < best.error) best = cut;
    }
    return best;
  }

  double error_of(Place from, Place to, const Cut& cut) const {
    double sums[2] = {}, squares[2] = {}, counts[2] = {};
    for (Place each = from; each != to; ++each) {
      const int side = rows_.row(*each)[cut.feature] < cut.at ? 0 : 1;
      const double value = values_[*each];
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
  const std::vector<double>& values_;
  Random& random_;
  std::vector<Node> nodes_;
};

class Forest : public Predictor {
 public:
  explicit Forest(std::uint64_t seed) : random_(seed) {}

  void fit(const Matrix& rows, const std::vector<double>& values) override {
    trees_.clear();
    for (std::size_t tree = 0; tree < tree_count; ++tree)
      trees_.push_back(Tree(rows, values, random_).take());
  }

  std::vector<Prediction> predict(const Matrix& rows) const override {
    std::vector<Prediction> result;
    result.reserve(rows.count());
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const auto row = rows.row(i);
      double sum = 0, squares = 0, within = 0;
      for (const auto& tree : trees_) {
        const Node* node = tree.data();
        while (node->right != 0) node = row[node->feature] < node->cut ? node + 1 : tree.data() + node->right;
        sum += node->mean;
        squares += node->mean * node->mean;
        within += node->variance;
      }
      const double count = static_cast<double>(trees_.size()), mean = sum / count;
      result.push_back({mean, std::sqrt(std::max(squares / count - mean * mean, 0.0) + within / count)});
    }
    return result;
  }

 private:
  Random random_;
  std::vector<std::vector<Node>> trees_;
};

}  // namespace

std::unique_ptr<Predictor> make_forest(std::uint64_t seed) { return std::make_unique<Forest>(seed); }

}  // namespace hoist::search
