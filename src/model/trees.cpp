#include "model/trees.hpp"

#include <algorithm>
#include <limits>

namespace hoist::model {

namespace {
constexpr std::size_t rows_at_once = 32;  ///< whose numbers stay in the first cache while all trees pass
}

Trees Trees::from_xgboost(const std::string& model) {
  const Json json = Json::parse(model);
  Trees trees;
  for (const Json& tree : json.at("learner").at("gradient_booster").at("model").at("trees"))
    trees.add_tree(tree);
  trees.measure_depths();
  return trees;
}

void Trees::add_leaf(float value) {
  nodes_.push_back({std::numeric_limits<float>::quiet_NaN(), 0, static_cast<std::uint32_t>(nodes_.size())});
  values_.push_back(value);
}

void Trees::add_tree(const Json& tree) {
  const auto left = tree.at("left_children").get<std::vector<std::int64_t>>();
  const auto right = tree.at("right_children").get<std::vector<std::int64_t>>();
  const auto column = tree.at("split_indices").get<std::vector<std::uint32_t>>();
  const auto number = tree.at("split_conditions").get<std::vector<float>>();
  // Breadth first, so that siblings are neighbours and what is visited most lies together.
  std::vector<std::size_t> sources = {0};
  const std::size_t first = nodes_.size();
  add_leaf(number[0]);
  for (std::size_t place = 0; place < sources.size(); ++place) {
    const std::size_t source = sources[place];
    if (left[source] < 0) continue;
    nodes_[first + place] = {number[source], column[source], static_cast<std::uint32_t>(nodes_.size())};
    for (const std::int64_t child : {left[source], right[source]}) {
      sources.push_back(static_cast<std::size_t>(child));
      add_leaf(number[sources.back()]);
    }
  }
  roots_.push_back({static_cast<std::uint32_t>(first), 0});
}

void Trees::measure_depths() {
  std::vector<std::uint32_t> below(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;)  // children come after their parents
    below[i] = is_leaf(i) ? 0 : 1 + std::max(below[nodes_[i].left], below[nodes_[i].left + 1]);
  for (Root& root : roots_) root.depth = below[root.node];
}

std::vector<double> Trees::predict(const Columns& columns) const {
  std::vector<double> sums(columns.count());
  std::uint32_t at[rows_at_once] = {};
  for (std::size_t from = 0; from < sums.size(); from += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, sums.size() - from);
    for (const Root& root : roots_) {
      std::fill_n(at, count, root.node);
      // All rows take a step before any takes the next: their loads do not wait for each other.
      for (std::uint32_t step = 0; step < root.depth; ++step) {
        const float* row = columns.row(from);
        for (std::size_t i = 0; i < count; ++i, row += columns.width) {
          const Node& node = nodes_[at[i]];
          at[i] = node.left + (row[node.column] >= node.threshold ? 1 : 0);
        }
      }
      for (std::size_t i = 0; i < count; ++i) sums[from + i] += values_[at[i]];
    }
  }
  return sums;
}

Json Trees::to_json() const {
  Json roots = Json::array(), number = Json::array(), column = Json::array(), left = Json::array();
  for (const Root& root : roots_) roots.push_back(root.node);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    number.push_back(shortest(is_leaf(i) ? values_[i] : nodes_[i].threshold));
    column.push_back(nodes_[i].column);
    left.push_back(is_leaf(i) ? 0 : nodes_[i].left);
  }
  return {{"roots", roots}, {"number", number}, {"column", column}, {"left", left}};
}

Trees Trees::from_json(const Json& json, std::size_t width) {
  Trees trees;
  const auto number = json.at("number").get<std::vector<float>>();
  const auto column = json.at("column").get<std::vector<std::uint32_t>>();
  const auto left = json.at("left").get<std::vector<std::uint32_t>>();
  if (column.size() != number.size() || left.size() != number.size())
    throw_user("trees have incomplete nodes");
  for (std::size_t i = 0; i < number.size(); ++i) {
    // Children come after their parent, so no walk goes in circles.
    if (column[i] >= width || (left[i] != 0 && (left[i] <= i || left[i] + 1 >= number.size())))
      throw_user(fmt::format("node {} of the trees is no node", i));
    trees.add_leaf(number[i]);
    if (left[i] != 0) trees.nodes_[i] = {number[i], column[i], left[i]};
  }
  for (const auto root : json.at("roots").get<std::vector<std::uint32_t>>()) {
    if (root >= number.size()) throw_user("a tree has no root");
    trees.roots_.push_back({root, 0});
  }
  trees.measure_depths();
  return trees;
}

}  // namespace hoist::model
