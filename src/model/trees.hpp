#pragma once
// Sums of regression trees, and their evaluation: predicting needs no library.
#include <cstdint>
#include <vector>

#include "model/inputs.hpp"

namespace hoist::model {

class Trees {
 public:
  /// Takes the trees from a model of xgboost's as JSON.
  static Trees from_xgboost(const std::string& model);

  std::size_t count() const { return roots_.size(); }
  /// The sum of all trees for each row.
  std::vector<double> predict(const Columns& columns) const;

  Json to_json() const;
  /// Throws Failure when the trees are no trees, or ask for columns beyond `width`.
  static Trees from_json(const Json& json, std::size_t width);

 private:
  /// A leaf has no number (NaN) to compare with, and is its own left child: so every walk can take as many
  /// steps as the deepest, without asking whether it has arrived.
  struct Node {
    float threshold = 0;  ///< what is not less goes right
    std::uint32_t column = 0;
    std::uint32_t left = 0;  ///< the right child is the next
  };
  struct Root {
    std::uint32_t node = 0, depth = 0;
  };
  bool is_leaf(std::size_t node) const { return nodes_[node].left == node; }
  void add_tree(const Json& tree);
  void add_leaf(float value);
  void measure_depths();

  std::vector<Node> nodes_;
  std::vector<float> values_;  ///< of each node that is a leaf
  std::vector<Root> roots_;
};

}  // namespace hoist::model
