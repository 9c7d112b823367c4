#include "learn/trees.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace hoist::learn {

Trees Trees::grown(std::size_t outputs, std::size_t count,
                   const std::function<void(Trees& trees, std::uint32_t root)>& grow) {
  Trees trees;
  trees.outputs_ = outputs;
  for (std::size_t tree = 0; tree < count; ++tree) {
    const std::uint32_t root = trees.add_leaf(0);
    trees.roots_.push_back({root, 0});
    grow(trees, root);
  }
  trees.measure_depths();
  return trees;
}

Trees Trees::from_xgboost(const std::string& model) {
  const Json json = Json::parse(model);
  Trees trees;
  trees.is_single_ = true;
  for (const Json& tree : json.at("learner").at("gradient_booster").at("model").at("trees"))
    trees.add_tree(tree);
  trees.measure_depths();
  return trees;
}

std::uint32_t Trees::add_leaf(double value) {
  const auto place = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({std::numeric_limits<double>::quiet_NaN(), 0, place});
  values_.resize(values_.size() + outputs_, value);
  return place;
}

std::uint32_t Trees::split(std::uint32_t leaf, std::uint32_t column, double threshold) {
  const std::uint32_t left = add_leaf(0);
  add_leaf(0);
  nodes_[leaf] = {threshold, column, left};
  return left;
}

void Trees::add_tree(const Json& tree) {
  const auto left = tree.at("left_children").get<std::vector<std::int64_t>>();
  const auto right = tree.at("right_children").get<std::vector<std::int64_t>>();
  const auto column = tree.at("split_indices").get<std::vector<std::uint32_t>>();
  const auto number = tree.at("split_conditions").get<std::vector<float>>();
  // Breadth first, so that siblings are neighbours and what is visited most lies together.
  std::vector<std::size_t> sources = {0};
  const std::uint32_t first = add_leaf(number[0]);
  for (std::uint32_t place = 0; place < sources.size(); ++place) {
    const std::size_t source = sources[place];
    if (left[source] < 0) continue;
    const std::uint32_t child = split(first + place, column[source], number[source]);
    sources.push_back(static_cast<std::size_t>(left[source]));
    sources.push_back(static_cast<std::size_t>(right[source]));
    values_[child] = number[sources.end()[-2]];
    values_[child + 1] = number[sources.back()];
  }
  roots_.push_back({first, 0});
}

void Trees::measure_depths() {
  std::vector<std::uint32_t> below(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;)  // children come after their parents
    below[i] = is_leaf(i) ? 0 : 1 + std::max(below[nodes_[i].left], below[nodes_[i].left + 1]);
  for (Root& root : roots_) root.depth = below[root.node];
}

std::vector<double> Trees::sums(const Matrix& rows) const {
  std::vector<double> sums(rows.count());
  walk(rows, [&](std::size_t row, const double* value) { sums[row] += *value; });
  return sums;
}

Json Trees::to_json() const {
  Json roots = Json::array(), number = Json::array(), column = Json::array(), left = Json::array();
  for (const Root& root : roots_) roots.push_back(root.node);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    number.push_back(shortest(static_cast<float>(is_leaf(i) ? values_[i] : nodes_[i].threshold)));
    column.push_back(nodes_[i].column);
    left.push_back(is_leaf(i) ? 0 : nodes_[i].left);
  }
  return {{"roots", roots}, {"number", number}, {"column", column}, {"left", left}};
}

Trees Trees::from_json(const Json& json, std::size_t width) {
  Trees trees;
  trees.is_single_ = true;
  const auto number = json.at("number").get<std::vector<float>>();
  const auto column = json.at("column").get<std::vector<std::uint32_t>>();
  const auto left = json.at("left").get<std::vector<std::uint32_t>>();
  if (column.size() != number.size() || left.size() != number.size())
    throw_user("the columns of its trees differ in length");
  trees.nodes_.reserve(number.size());
  trees.values_.reserve(number.size());
  for (std::size_t i = 0; i < number.size(); ++i) {
    // Children come after their parent, so no walk goes in circles.
    if (column[i] >= width || (left[i] != 0 && (left[i] <= i || left[i] + 1 >= number.size())))
      throw_user(fmt::format("node {} of its trees names a feature or a child that does not exist", i));
    trees.add_leaf(number[i]);
    if (left[i] != 0) trees.nodes_[i] = {number[i], column[i], left[i]};
  }
  for (const auto root : json.at("roots").get<std::vector<std::uint32_t>>()) {
    if (root >= number.size()) throw_user("the root of a tree is not one of its nodes");
    trees.roots_.push_back({root, 0});
  }
  trees.measure_depths();
  return trees;
}

}  // namespace hoist::learn
