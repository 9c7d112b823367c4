// A tree is grown, pruned and smoothed, in that order.
//
// Growing (grow) cuts the examples of a node in two by the column and the number that reduce the fifth root
// of the targets' variance most, until there are fewer than 4 examples or their deviation is under 5% of that
// of all.
//
// Pruning (prune) goes from the leaves to the root. Each node gets a linear model of the columns that the
// grown tree cuts by below it; a leaf's is a constant. The node becomes a leaf where its model's error on its
// examples is not greater than that of its subtree, both times a factor that grows with the number of
// parameters.
//
// Smoothing (smooth) mixes the model of a leaf with those of all nodes above it, from the leaf to the root.
// Models are linear, so a mixture is a linear model again, and the leaf keeps that alone.
#include "learn/weka/m5p.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "learn/weka/java_random.hpp"
#include "learn/weka/linear_regression.hpp"
#include "learn/weka/quicksort.hpp"
#include "learn/weka/stored_numbers.hpp"
#include "learn/weka/stored_point_regressor.hpp"

namespace hoist::learn {

namespace {

constexpr std::size_t least_to_cut = 4;
/// Nodes are not cut where the deviation of their targets is a smaller share of all targets' deviation.
constexpr double least_deviation = 0.05;
/// Values of a column that differ by less are not parted.
constexpr double same_value = 1e-6;
/// A column's reduction of impurity must be greater than another's by as much.
constexpr double same_impurity = 1e-6;
constexpr double smoothing = 15;

using Rows = std::vector<std::uint32_t>;

struct Sums {
  double count = 0, sum = 0, squares = 0;

  void add(double number) {
    ++count;
    sum += number;
    squares += number * number;
  }
  void remove(double number) {
    --count;
    sum -= number;
    squares -= number * number;
  }
  double variance() const { return count > 1 ? std::abs((squares - sum * sum / count) / count) : 0; }
  double impurity() const {
    return std::pow(std::abs((count * squares - sum * sum) / (count * count)), 1.0 / 5);
  }
};

struct Cut {
  std::size_t column = 0;
  double at = 0;             ///< smaller numbers, and this one, go left
  double reduction = -1e20;  ///< of impurity
  bool exists = false;
};

struct Node {
  Rows rows;
  std::unique_ptr<Node> left, right;  ///< none: a leaf
  Cut cut;
  std::vector<bool> columns;  ///< by which it or nodes below it were cut before pruning
  LinearModel model;
  std::size_t parameters = 1;

  bool is_leaf() const { return left == nullptr; }
  const Node& leaf_of(std::span<const double> row) const {
    const Node* node = this;
    while (!node->is_leaf())
      node = row[node->cut.column] <= node->cut.at ? node->left.get() : node->right.get();
    return *node;
  }
};

class Grower {
 public:
  explicit Grower(const Examples& examples) : examples_(examples) {}

  Node grow_tree() {
    Node root;
    root.rows.resize(examples_.targets.size());
    std::iota(root.rows.begin(), root.rows.end(), 0U);
    JavaRandom(1).shuffle(root.rows);
    deviation_ = deviation_of(root.rows);
    grow(root);
    prune(root);
    smooth(root, {});
    return root;
  }

 private:
  double value(std::uint32_t row, std::size_t column) const { return examples_.rows.at(row, column); }

  Sums sums_of(const Rows& rows) const {
    Sums sums;
    for (const std::uint32_t row : rows) sums.add(examples_.targets[row]);
    return sums;
  }
  double deviation_of(const Rows& rows) const { return std::sqrt(sums_of(rows).variance()); }

  void grow(Node& node) {
    node.columns.assign(examples_.rows.width, false);
    if (node.rows.size() < least_to_cut || deviation_of(node.rows) < deviation_ * least_deviation) return;
    for (std::size_t column = 0; column < examples_.rows.width; ++column) {
      const Cut cut = best_cut(node.rows, column);
      if (cut.exists && cut.reduction > node.cut.reduction + same_impurity) node.cut = cut;
    }
    if (!node.cut.exists) return;
    node.left = std::make_unique<Node>();
    node.right = std::make_unique<Node>();
    for (const std::uint32_t row : node.rows)
      (value(row, node.cut.column) <= node.cut.at ? node.left : node.right)->rows.push_back(row);
    node.columns[node.cut.column] = true;
    for (Node* side : {node.left.get(), node.right.get()}) {
      grow(*side);
      for (std::size_t column = 0; column < node.columns.size(); ++column)
        node.columns[column] = node.columns[column] || side->columns[column];
    }
  }

  /// The best cut by a column that leaves more than a fifth of the rows on each side. Orders the rows by the
  /// column.
  Cut best_cut(Rows& rows, std::size_t column) const {
    quicksort(std::span(rows), [&](std::uint32_t row) { return value(row, column); });
    const std::size_t least = std::max<std::size_t>(rows.size() / 5, 1);
    Sums left, right;
    for (std::size_t i = 0; i < rows.size(); ++i) (i < least ? left : right).add(examples_.targets[rows[i]]);
    const Sums all = sums_of(rows);
    const double impurity = std::pow(all.variance(), 1.0 / 5);
    Cut best{column};
    for (std::size_t i = least; i + least + 1 < rows.size(); ++i) {
      const double target = examples_.targets[rows[i]];
      left.add(target);
      right.remove(target);
      const double here = value(rows[i], column), next = value(rows[i + 1], column);
      if (std::abs(next - here) < same_value) continue;
      const double reduction =
          impurity - left.count / all.count * left.impurity() - right.count / all.count * right.impurity();
      if (reduction > best.reduction) best = {column, (here + next) * 0.5, reduction, true};
    }
    return best;
  }

  void prune(Node& node) const {
    if (!node.is_leaf()) {
      prune(*node.left);
      prune(*node.right);
    }
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < node.columns.size(); ++column) {
      if (node.columns[column]) columns.push_back(column);
    }
    node.model = fit_linear_model(examples_.select(node.rows), columns);
    if (node.is_leaf()) return;
    const auto used = std::count_if(node.model.coefficients.begin(), node.model.coefficients.end(),
                                    [](double each) { return each != 0; });
    const std::size_t of_model = static_cast<std::size_t>(used) + 1;
    const std::size_t of_subtree = node.left->parameters + node.right->parameters + 1;
    const double model_error = error_of(
        node, [&](auto row) { return node.model.at(row); }, of_model);
    const double subtree_error = error_of(
        node, [&](auto row) { return node.leaf_of(row).model.at(row); }, of_subtree);
    if (model_error <= subtree_error || model_error < deviation_ * 0.00001) {
      node.left = nullptr;
      node.right = nullptr;
      node.parameters = of_model;
    } else {
      node.parameters = of_subtree;
    }
  }

  /// The root of the mean squared error on the rows of a node, times the factor for the number of parameters.
  template <class Predicted>
  double error_of(const Node& node, const Predicted& predicted, std::size_t parameters) const {
    double squares = 0;
    for (const std::uint32_t row : node.rows) {
      const double error = predicted(examples_.rows.row(row)) - examples_.targets[row];
      squares += error * error;
    }
    const auto rows = static_cast<double>(node.rows.size()), freedom = static_cast<double>(parameters);
    const double factor = rows <= freedom ? 10 : (rows + 2 * freedom) / (rows - freedom);
    return std::sqrt(squares / rows) * factor;
  }

  /// `above` are the nodes on the way from the root, that of the root first.
  void smooth(Node& node, std::vector<const Node*> above) const {
    above.push_back(&node);
    if (!node.is_leaf()) {
      smooth(*node.left, above);
      smooth(*node.right, above);
      return;
    }
    LinearModel mixed = node.model;
    for (std::size_t i = above.size() - 1; i > 0; --i) {
      const auto rows = static_cast<double>(above[i]->rows.size());
      const LinearModel& parent = above[i - 1]->model;
      const auto mix = [&](double& own, double other) {
        own = own * rows / (rows + smoothing) + smoothing * other / (rows + smoothing);
      };
      for (std::size_t column = 0; column < mixed.coefficients.size(); ++column)
        mix(mixed.coefficients[column], parent.coefficients[column]);
      mix(mixed.intercept, parent.intercept);
    }
    node.model = std::move(mixed);
  }

  const Examples& examples_;
  double deviation_ = 0;  ///< of all targets
};

/// A node of the finished tree, which is a list with parents before their children.
struct Branch {
  std::size_t column = 0;
  double at = 0;
  std::size_t left = 0, right = 0;  ///< places in the list; 0: a leaf
  LinearModel model;                ///< of a leaf
};

class M5p : public StoredPointRegressor {
 public:
  void fit(const Examples& examples) override {
    expect_no_weights(examples, "M5P");
    tree_.clear();
    add(Grower(examples).grow_tree());
  }

  /// For each node its column, number, left and right child; for a leaf its coefficients and its intercept.
  Json to_json() const override {
    Json json = Json::array();
    for (const Branch& branch : tree_) {
      if (branch.left != 0) {
        json.push_back(
            {{"column", branch.column}, {"at", branch.at}, {"children", {branch.left, branch.right}}});
      } else {
        json.push_back({{"coefficients", branch.model.coefficients}, {"intercept", branch.model.intercept}});
      }
    }
    return {{"nodes", json}};
  }

 private:
  void read(const Json& learned, std::size_t width) override {
    tree_.clear();
    const Json& nodes = learned.at("nodes");
    for (const Json& node : nodes) {
      if (!node.contains("children")) {
        tree_.push_back(
            {0, 0, 0, 0, {read_numbers(node.at("coefficients"), width), node.at("intercept").get<double>()}});
        continue;
      }
      const auto children = node.at("children").get<std::array<std::size_t, 2>>();
      const auto column = node.at("column").get<std::size_t>();
      // Children come after their parent, so no way to a leaf goes in circles.
      for (const std::size_t child : children) {
        if (column >= width || child <= tree_.size() || child >= nodes.size())
          throw_user(fmt::format("node {} names a column or a child that does not exist", tree_.size()));
      }
      tree_.push_back({column, node.at("at").get<double>(), children[0], children[1], {}});
    }
    if (tree_.empty()) throw_user("the tree has no nodes");
  }

  double predicted(std::span<const double> row) const override {
    std::size_t place = 0;
    while (tree_[place].left != 0)
      place = row[tree_[place].column] <= tree_[place].at ? tree_[place].left : tree_[place].right;
    return tree_[place].model.at(row);
  }

  /// Returns the place of the node.
  std::size_t add(const Node& node) {
    const std::size_t place = tree_.size();
    tree_.push_back({node.cut.column, node.cut.at, 0, 0, {}});
    if (node.is_leaf()) {
      tree_[place].model = node.model;
    } else {
      const std::size_t left = add(*node.left);
      const std::size_t right = add(*node.right);
      tree_[place].left = left;
      tree_[place].right = right;
    }
    return place;
  }

  std::vector<Branch> tree_;
};

}  // namespace

std::unique_ptr<StoredRegressor> make_m5p() { return std::make_unique<M5p>(); }

}  // namespace hoist::learn
