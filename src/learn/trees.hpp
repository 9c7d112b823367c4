#pragma once
// Decision trees, whoever grew them, and walks through them.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "learn/json.hpp"

namespace hoist::learn {

class Trees {
 public:
  Trees() = default;
  /// So many trees with `outputs` numbers in each leaf; `grow` splits each, beginning at its root.
  static Trees grown(std::size_t outputs, std::size_t count,
                     const std::function<void(Trees& trees, std::uint32_t root)>& grow);
  /// Takes the trees from a model of xgboost's as JSON. They compare in single precision.
  static Trees from_xgboost(const std::string& model);

  // For `grow`.
  /// A leaf gets children: what has less than `threshold` in `column` goes left. Gives the left child; the
  /// right one is the next.
  std::uint32_t split(std::uint32_t leaf, std::uint32_t column, double threshold);
  /// The numbers of a leaf.
  std::span<double> leaf(std::uint32_t node) { return {values_.data() + node * outputs_, outputs_}; }

  std::size_t count() const { return roots_.size(); }
  /// Calls visit(row's place, numbers of its leaf) for each row and each tree; for a row, trees come in their
  /// order.
  template <class Visit>
  void walk(const Matrix& rows, const Visit& visit) const;
  /// The sum of all trees for each row, of trees with one number in each leaf.
  std::vector<double> sums(const Matrix& rows) const;

  /// Precondition: the trees compare in single precision, with one number in each leaf.
  Json to_json() const;
  /// Throws Failure when the trees are no trees, or ask for columns beyond `width`.
  static Trees from_json(const Json& json, std::size_t width);

 private:
  static constexpr std::size_t rows_at_once =
      32;  ///< whose numbers stay in the first cache while all trees pass

  /// A leaf has no number (NaN) to compare with, and is its own left child: so every walk can take as many
  /// steps as the deepest, without asking whether it has arrived.
  struct Node {
    double threshold = 0;  ///< what is not less goes right
    std::uint32_t column = 0;
    std::uint32_t left = 0;  ///< the right child is the next
  };
  struct Root {
    std::uint32_t node = 0, depth = 0;
  };
  bool is_leaf(std::size_t node) const { return nodes_[node].left == node; }
  std::uint32_t add_leaf(double value);
  void add_tree(const Json& tree);
  void measure_depths();

  std::size_t outputs_ = 1;
  bool is_single_ = false;  ///< rows are rounded to single precision before they are compared
  std::vector<Node> nodes_;
  std::vector<double> values_;  ///< as many as outputs for each node; they mean something in leaves
  std::vector<Root> roots_;
};

template <class Visit>
void Trees::walk(const Matrix& rows, const Visit& visit) const {
  std::uint32_t at[rows_at_once] = {};
  std::vector<double> rounded(is_single_ ? rows_at_once * rows.width : 0);
  for (std::size_t from = 0; from < rows.count(); from += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, rows.count() - from);
    const double* numbers = rows.numbers.data() + from * rows.width;
    if (is_single_) {
      std::transform(numbers, numbers + count * rows.width, rounded.begin(),
                     [](double number) { return static_cast<float>(number); });
      numbers = rounded.data();
    }
    for (const Root& root : roots_) {
      std::fill_n(at, count, root.node);
      // All rows take a step before any takes the next: their loads do not wait for each other.
      for (std::uint32_t step = 0; step < root.depth; ++step) {
        const double* row = numbers;
        for (std::size_t i = 0; i < count; ++i, row += rows.width) {
          const Node& node = nodes_[at[i]];
          at[i] = node.left + (row[node.column] >= node.threshold ? 1 : 0);
        }
      }
      for (std::size_t i = 0; i < count; ++i) visit(from + i, values_.data() + at[i] * outputs_);
    }
  }
}

}  // namespace hoist::learn
