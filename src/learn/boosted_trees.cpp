#include "learn/boosted_trees.hpp"

#include <nlohmann/json.hpp>

#include "learn/trees.hpp"
#include "learn/xgboost.hpp"

namespace hoist::learn {

namespace {

struct Recipe {
  std::vector<xgboost::Parameter> parameters;
  int trees = 0;
  bool is_parallel = false;  ///< all trees in one round, side by side
};

const Recipe boosted = {{{"objective", "reg:squarederror"},
                         {"max_depth", "6"},
                         {"learning_rate", "0.1"},
                         {"subsample", "0.7"},
                         {"colsample_bynode", "0.4"},
                         {"min_child_weight", "4"}},
                        120};
const Recipe bagged = {{{"objective", "reg:squarederror"},
                        {"max_depth", "12"},
                        {"learning_rate", "1"},
                        {"subsample", "0.63"},
                        {"colsample_bynode", "0.3"},
                        {"min_child_weight", "3"},
                        {"lambda", "0"}},
                       40,
                       true};
const Recipe ranking = {{{"objective", "rank:pairwise"},
                         {"max_depth", "6"},
                         {"learning_rate", "0.1"},
                         {"subsample", "0.7"},
                         {"colsample_bynode", "0.4"},
                         {"min_child_weight", "0.5"}},
                        120};

Trees grown(const Recipe& recipe, const xgboost::Data& data, const Training& training) {
  std::vector<xgboost::Parameter> parameters = recipe.parameters;
  // xgboost keeps seeds as 32 bits with a sign.
  parameters.push_back({"seed", std::to_string(training.seed & 0x7fffffff)});
  parameters.push_back({"nthread", std::to_string(training.threads)});
  parameters.push_back({"tree_method", "hist"});
  parameters.push_back({"max_bin", "64"});
  parameters.push_back({"base_score", "0"});
  parameters.push_back({"verbosity", "0"});
  const double trees = std::max(recipe.trees * training.effort, 1.0);
  if (recipe.is_parallel) parameters.push_back({"num_parallel_tree", fmt::format("{:.0f}", trees)});
  const int rounds = recipe.is_parallel ? 1 : static_cast<int>(trees);
  return Trees::from_xgboost(xgboost::train(data, parameters, rounds));
}

xgboost::Data data_of(const Examples& examples) {
  return {examples.rows.width,
          {examples.rows.numbers.begin(), examples.rows.numbers.end()},
          {examples.targets.begin(), examples.targets.end()},
          {examples.weights.begin(), examples.weights.end()},
          {}};
}

/// The mean target, which is taken from targets before trees are grown.
double center_of(const xgboost::Data& data) {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < data.targets.size(); ++i) {
    sum += static_cast<double>(data.weights[i]) * data.targets[i];
    weight += data.weights[i];
  }
  return sum / weight;
}

/// What regressors and rankers keep alike.
struct Learned {
  double center = 0;
  Trees trees;

  std::vector<double> sums(const Matrix& rows) const {
    std::vector<double> result = trees.sums(rows);
    for (double& each : result) each += center;
    return result;
  }
  Json to_json() const { return {{"center", center}, {"trees", trees.to_json()}}; }
  static Learned from_json(const Json& learned, std::size_t width) {
    return {learned.at("center").get<double>(), Trees::from_json(learned.at("trees"), width)};
  }
};

class TreeRegressor : public StoredRegressor {
 public:
  TreeRegressor(const Recipe& recipe, const Training& training) : recipe_(recipe), training_(training) {}

  void fit(const Examples& examples) override {
    xgboost::Data data = data_of(examples);
    if (data.weights.empty()) data.weights.assign(data.targets.size(), 1);
    learned_.center = center_of(data);
    for (float& target : data.targets) target -= static_cast<float>(learned_.center);
    learned_.trees = grown(recipe_, data, training_);
  }
  std::vector<Prediction> predict(const Matrix& rows) const override {
    std::vector<Prediction> result;
    for (const double mean : learned_.sums(rows)) result.push_back({mean, 0});
    return result;
  }
  Json to_json() const override { return learned_.to_json(); }
  void read(const Json& learned, std::size_t width) override {
    learned_ = Learned::from_json(learned, width);
  }

 private:
  const Recipe& recipe_;
  Training training_;
  Learned learned_;
};

class TreeRanker : public StoredRanker {
 public:
  explicit TreeRanker(const Training& training) : training_(training) {}

  void fit(const Examples& examples) override {
    expect_no_weights(examples, "a ranker");
    xgboost::Data data = data_of(examples);
    // Groups are xgboost's queries; each weighs the same, however many rows it has.
    const std::vector<std::uint32_t>& groups = examples.groups;
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
      if (i == 0 || (!groups.empty() && groups[i] != groups[i - 1])) data.groups.push_back(0);
      ++data.groups.back();
    }
    for (const std::uint32_t rows : data.groups) {
      data.weights.push_back(static_cast<float>(data.targets.size()) /
                             static_cast<float>(data.groups.size() * rows));
    }
    learned_ = {0, grown(ranking, data, training_)};
  }
  std::vector<double> scores(const Matrix& rows) const override { return learned_.sums(rows); }
  Json to_json() const override { return learned_.to_json(); }
  void read(const Json& learned, std::size_t width) override {
    learned_ = Learned::from_json(learned, width);
  }

 private:
  Training training_;
  Learned learned_;
};

}  // namespace

std::unique_ptr<StoredRegressor> make_boosted_trees(const Training& training) {
  return std::make_unique<TreeRegressor>(boosted, training);
}
std::unique_ptr<StoredRegressor> make_bagged_trees(const Training& training) {
  return std::make_unique<TreeRegressor>(bagged, training);
}
std::unique_ptr<StoredRanker> make_ranking_trees(const Training& training) {
  return std::make_unique<TreeRanker>(training);
}

}  // namespace hoist::learn
