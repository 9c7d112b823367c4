#include "model/member.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "learn/boosted_trees.hpp"
#include "learn/network.hpp"
#include "model/learner.hpp"

namespace hoist::model {

namespace {

/// Slower than e to these numbers is slow: neither trees nor steps are spent on how slow.
constexpr double slowest_of_trees = -6, slowest_of_network = -4;

std::vector<double> cut_below(std::vector<double> speeds, double slowest) {
  for (double& speed : speeds) speed = std::max(speed, slowest);
  return speeds;
}

/// Learns the speeds themselves.
class RegressorMember : public Member {
 public:
  RegressorMember(std::unique_ptr<learn::StoredRegressor> learner, double slowest, bool weighs)
      : learner_(std::move(learner)), slowest_(slowest), weighs_(weighs) {}

  void fit(const learn::Examples& lesson) override {
    learn::Examples examples{lesson.rows, cut_below(lesson.targets, slowest_), {}, lesson.groups};
    if (weighs_) examples.weights = row_weights(lesson.groups, lesson.targets);
    learner_->fit(examples);
  }
  std::vector<double> predict(const Matrix& rows) const override {
    std::vector<double> speeds;
    for (const learn::Prediction& each : learner_->predict(rows)) speeds.push_back(each.mean);
    return speeds;
  }
  learn::Json to_json() const override { return learner_->to_json(); }
  void from_json(const learn::Json& learned, std::size_t width) override {
    need(learner_->from_json(learned, width));
  }

 private:
  std::unique_ptr<learn::StoredRegressor> learner_;
  double slowest_;
  bool weighs_;  ///< rows, by row_weights; else the learner takes of all tasks alike by itself
};

/// Learns which of two candidates of a task is faster.
class RankerMember : public Member {
 public:
  RankerMember(std::unique_ptr<learn::StoredRanker> learner, double slowest)
      : learner_(std::move(learner)), slowest_(slowest) {}

  void fit(const learn::Examples& lesson) override {
    learner_->fit({lesson.rows, cut_below(lesson.targets, slowest_), {}, lesson.groups});
  }
  std::vector<double> predict(const Matrix& rows) const override { return learner_->scores(rows); }
  learn::Json to_json() const override { return learner_->to_json(); }
  void from_json(const learn::Json& learned, std::size_t width) override {
    need(learner_->from_json(learned, width));
  }

 private:
  std::unique_ptr<learn::StoredRanker> learner_;
  double slowest_;
};

}  // namespace

std::unique_ptr<Member> make_member(std::string_view kind, const learn::Training& training) {
  if (kind == "ranking")
    return std::make_unique<RankerMember>(learn::make_ranking_trees(training), slowest_of_trees);
  if (kind == "network")
    return std::make_unique<RegressorMember>(learn::make_network(training), slowest_of_network, false);
  auto trees = kind == "forest" ? learn::make_bagged_trees(training) : learn::make_boosted_trees(training);
  return std::make_unique<RegressorMember>(std::move(trees), slowest_of_trees, true);
}

}  // namespace hoist::model
