// Members made of trees: boosted, ranking, forest.
#include <algorithm>

#include "model/member.hpp"
#include "model/trees.hpp"
#include "model/xgboost.hpp"

namespace hoist::model {

namespace {

/// Slower than this, e^-6 of the best, is slow: no tree is spent on how slow.
constexpr float slowest = -6;

struct Recipe {
  std::string_view kind;
  std::vector<xgboost::Parameter> parameters;
  int trees;
};

const Recipe& recipe(std::string_view kind) {
  static const std::vector<Recipe> recipes = {
      {"boosted",
       {{"objective", "reg:squarederror"},
        {"max_depth", "6"},
        {"learning_rate", "0.1"},
        {"subsample", "0.7"},
        {"colsample_bynode", "0.4"},
        {"min_child_weight", "4"}},
       120},
      {"ranking",
       {{"objective", "rank:pairwise"},
        {"max_depth", "6"},
        {"learning_rate", "0.1"},
        {"subsample", "0.7"},
        {"colsample_bynode", "0.4"},
        {"min_child_weight", "0.5"}},
       120},
      {"forest",
       {{"objective", "reg:squarederror"},
        {"max_depth", "12"},
        {"learning_rate", "1"},
        {"subsample", "0.63"},
        {"colsample_bynode", "0.3"},
        {"min_child_weight", "3"},
        {"lambda", "0"}},
       40},
  };
  return *std::find_if(recipes.begin(), recipes.end(), [&](const Recipe& each) { return each.kind == kind; });
}

class TreeMember : public Member {
 public:
  explicit TreeMember(std::string_view kind) : recipe_(recipe(kind)) {}

  void fit(const Lesson& lesson, std::uint64_t seed, const FitOptions& options) override {
    const bool ranks = recipe_.kind == "ranking";
    xgboost::Training training{lesson.columns, lesson.speeds, {}, {}};
    for (float& speed : training.targets) speed = std::max(speed, slowest);
    if (ranks) {
      give_groups(lesson.tasks, training);
    } else {
      training.weights = row_weights(lesson.tasks, lesson.speeds);
    }
    center_ = ranks ? 0 : center(training);
    for (float& target : training.targets) target -= static_cast<float>(center_);
    std::vector<xgboost::Parameter> parameters = recipe_.parameters;
    // xgboost keeps seeds as 32 bits with a sign.
    parameters.push_back({"seed", std::to_string(seed & 0x7fffffff)});
    parameters.push_back({"nthread", std::to_string(options.threads)});
    parameters.push_back({"tree_method", "hist"});
    parameters.push_back({"max_bin", "64"});
    parameters.push_back({"base_score", "0"});
    parameters.push_back({"verbosity", "0"});
    const double trees = std::max(recipe_.trees * options.effort, 1.0);
    if (recipe_.kind == "forest") parameters.push_back({"num_parallel_tree", fmt::format("{:.0f}", trees)});
    const int rounds = recipe_.kind == "forest" ? 1 : static_cast<int>(trees);
    trees_ = Trees::from_xgboost(xgboost::train(training, parameters, rounds));
  }

  std::vector<double> predict(const Columns& columns) const override {
    std::vector<double> sums = trees_.predict(columns);
    for (double& sum : sums) sum += center_;
    return sums;
  }

  Json to_json() const override { return {{"center", center_}, {"trees", trees_.to_json()}}; }
  void from_json(const Json& learned, std::size_t width) override {
    center_ = learned.at("center").get<double>();
    trees_ = Trees::from_json(learned.at("trees"), width);
  }

 private:
  /// Where objectives rank, tasks are the queries, and each weighs the same.
  static void give_groups(const std::vector<std::uint32_t>& tasks, xgboost::Training& training) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (i == 0 || tasks[i] != tasks[i - 1]) training.groups.push_back(0);
      ++training.groups.back();
    }
    for (const std::uint32_t rows : training.groups) {
      training.weights.push_back(static_cast<float>(tasks.size()) /
                                 static_cast<float>(training.groups.size() * rows));
    }
  }
  static double center(const xgboost::Training& training) {
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < training.targets.size(); ++i) {
      sum += static_cast<double>(training.weights[i]) * training.targets[i];
      weight += training.weights[i];
    }
    return sum / weight;
  }

  const Recipe& recipe_;
  double center_ = 0;
  Trees trees_;
};

}  // namespace

std::unique_ptr<Member> make_member(std::string_view kind) {
  if (kind == "network") return make_network();
  return std::make_unique<TreeMember>(kind);
}

}  // namespace hoist::model
