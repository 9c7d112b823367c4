#include "learn/weighted_rank.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

#include "learn/cross_validation.hpp"
#include "learn/statistics.hpp"
#include "learn/weka/linear_regression.hpp"

namespace hoist::learn {

namespace {

/// The rank of each number: 1 for the greatest.
std::vector<double> descending_ranks(const std::vector<double>& numbers) {
  std::vector<double> result = ranks(numbers);
  for (double& each : result) each = static_cast<double>(numbers.size()) - each;
  return result;
}

class WeightedRank : public StoredRanker {
 public:
  explicit WeightedRank(std::vector<std::function<std::unique_ptr<StoredRegressor>()>> make_learners)
      : make_learners_(std::move(make_learners)) {}

  void fit(const Examples& examples) override {
    expect_no_weights(examples, "WeightedRank");
    const auto groups = static_cast<std::uint32_t>(count_different(examples.groups));
    if (groups < 2) {
      weights_.assign(make_learners_.size(), 1);
    } else {
      Examples votes;
      Random random(1);  // the order of the folds, which has no effect
      for (const Fold& fold : folds_of(examples.groups, groups, random)) {
        const Examples left_out = examples.select(fold.left_out);
        const Matrix ranked = ranks_by(fitted(examples.select(fold.seen)), left_out.rows);
        for (std::size_t i = 0; i < ranked.count(); ++i) votes.rows.add(ranked.row(i));
        const std::vector<double> actual = descending_ranks(left_out.targets);
        votes.targets.insert(votes.targets.end(), actual.begin(), actual.end());
      }
      std::vector<std::size_t> all(make_learners_.size());
      std::iota(all.begin(), all.end(), 0U);
      weights_ = fit_linear_model(votes, all).coefficients;
    }
    learners_ = fitted(examples);
  }

  std::vector<double> scores(const Matrix& rows) const override {
    const Matrix ranked = ranks_by(learners_, rows);
    std::vector<double> result;
    for (std::size_t i = 0; i < ranked.count(); ++i) {
      const auto row = ranked.row(i);
      result.push_back(-std::inner_product(row.begin(), row.end(), weights_.begin(), 0.0));
    }
    return result;
  }

  Json to_json() const override {
    Json learners = Json::array();
    for (const auto& learner : learners_) learners.push_back(learner->to_json());
    return {{"weights", weights_}, {"learners", learners}};
  }

 private:
  using Learners = std::vector<std::unique_ptr<StoredRegressor>>;

  void read(const Json& learned, std::size_t width) override {
    weights_ = learned.at("weights").get<std::vector<double>>();
    const Json& stored = learned.at("learners");
    if (weights_.size() != make_learners_.size() || stored.size() != make_learners_.size())
      throw_user(fmt::format("the weighted rank is not of {} learners", make_learners_.size()));
    learners_.clear();
    for (std::size_t i = 0; i < make_learners_.size(); ++i) {
      learners_.push_back(make_learners_[i]());
      if (const auto read = learners_.back()->from_json(stored.at(i), width); !read)
        throw Failure(read.error());
    }
  }

  Learners fitted(const Examples& examples) const {
    Learners result;
    for (const auto& make : make_learners_) {
      result.push_back(make());
      result.back()->fit(examples);
    }
    return result;
  }

  /// The ranks of the rows by each learner, a column for each.
  static Matrix ranks_by(const Learners& learners, const Matrix& rows) {
    Matrix result{learners.size(), std::vector<double>(rows.count() * learners.size())};
    for (std::size_t column = 0; column < learners.size(); ++column) {
      std::vector<double> predicted;
      for (const Prediction& each : learners[column]->predict(rows)) predicted.push_back(each.mean);
      const std::vector<double> ranked = descending_ranks(predicted);
      for (std::size_t i = 0; i < ranked.size(); ++i)
        result.numbers[i * learners.size() + column] = ranked[i];
    }
    return result;
  }

  std::vector<std::function<std::unique_ptr<StoredRegressor>()>> make_learners_;
  Learners learners_;
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<StoredRanker> make_weighted_rank(
    std::vector<std::function<std::unique_ptr<StoredRegressor>()>> make_learners) {
  return std::make_unique<WeightedRank>(std::move(make_learners));
}

}  // namespace hoist::learn
