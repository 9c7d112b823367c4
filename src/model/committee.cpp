// Several members of each kind, of which none has seen all programs. Each predicts what it has not seen; that
// says how far the committee is to be trusted, and how much each kind's voice counts (Krogh and Vedelsby,
// Neural network ensembles, cross validation, and active learning, 1995; Wolpert, Stacked generalization,
// 1992).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "learn/cross_validation.hpp"
#include "learn/stacking.hpp"
#include "model/inputs.hpp"
#include "model/learner.hpp"
#include "model/member.hpp"

namespace hoist::model {

namespace {

constexpr std::uint32_t most_folds = 5;
/// Fewer programs than this are too few to leave some out: then tasks are left out, and else candidates.
constexpr std::uint32_t fewest_groups = 4;

/// What each row belongs to, which is left out as a whole.
std::vector<std::uint32_t> groups_of(const MeasuredCandidates& examples) {
  std::vector<std::uint32_t> groups;
  for (const std::uint32_t task : examples.tasks) groups.push_back(examples.programs[task]);
  if (learn::count_different(groups) < fewest_groups) groups = examples.tasks;
  if (learn::count_different(groups) < fewest_groups) std::iota(groups.begin(), groups.end(), 0U);
  return groups;
}

class Committee : public SpeedLearner {
 public:
  explicit Committee(std::vector<std::string> kinds) : kinds_(std::move(kinds)) {}

  void fit(const MeasuredCandidates& examples, const FitOptions& options) override {
    Random random(options.seed);
    inputs_.fit(examples);
    const learn::Examples whole{inputs_.apply(examples), examples.speeds, {}, examples.tasks};
    std::vector<std::vector<double>> unseen(kinds_.size(), std::vector<double>(examples.speeds.size()));
    members_.clear();
    for (const learn::Fold& fold : learn::folds_of(groups_of(examples), most_folds, random)) {
      const learn::Examples lesson = whole.select(fold.seen), exam = whole.select(fold.left_out);
      auto& members = members_.emplace_back();
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        members.push_back(make_member(kinds_[k], {random.bits(), options.threads, options.effort}));
        members[k]->fit(lesson);
        const std::vector<double> answers = members[k]->predict(exam.rows);
        for (std::size_t i = 0; i < answers.size(); ++i) unseen[k][fold.left_out[i]] = answers[i];
      }
    }
    judge(unseen, examples, row_weights(examples.tasks, examples.speeds));
  }

  std::vector<learn::Prediction> predict(const Matrix& numbers, const Population& population) const override {
    const Matrix rows = inputs_.apply(numbers, population);
    std::vector<double> sums(rows.count()), squares(rows.count());
    for (const auto& members : members_) {
      std::vector<double> votes(rows.count(), stack_.constant);
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const std::vector<double> voice = members[k]->predict(rows);
        for (std::size_t i = 0; i < votes.size(); ++i) votes[i] += stack_.weights[k] * voice[i];
      }
      for (std::size_t i = 0; i < votes.size(); ++i) {
        sums[i] += votes[i];
        squares[i] += votes[i] * votes[i];
      }
    }
    std::vector<learn::Prediction> predictions;
    const auto count = static_cast<double>(members_.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double mean = sums[i] / count, variance = std::max(squares[i] / count - mean * mean, 0.0);
      predictions.push_back({mean, std::sqrt(variance + residual_ * residual_)});
    }
    return predictions;
  }

  Json to_json() const override {
    Json members = Json::array();
    for (const auto& fold : members_) {
      Json of_fold = Json::array();
      for (const auto& member : fold) of_fold.push_back(member->to_json());
      members.push_back(std::move(of_fold));
    }
    return {{"inputs", inputs_.to_json()}, {"weights", stack_.weights}, {"constant", stack_.constant},
            {"residual", residual_},       {"kinds", kinds_},           {"members", members}};
  }

  void from_json(const Json& learned, std::size_t width) override {
    inputs_.from_json(learned.at("inputs"), width);
    stack_ = {learned.at("weights").get<std::vector<double>>(), learned.at("constant").get<double>()};
    residual_ = learned.at("residual").get<double>();
    if (learned.at("kinds").get<std::vector<std::string>>() != kinds_ ||
        stack_.weights.size() != kinds_.size())
      throw_user("the kinds of its members are not those of this kind of model");
    members_.clear();
    for (const Json& fold : learned.at("members")) {
      auto& members = members_.emplace_back();
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        members.push_back(make_member(kinds_[k], {}));
        members[k]->from_json(fold.at(k), inputs_.width());
      }
    }
    if (members_.empty()) throw_user("it has no members");
  }

 private:
  /// From what each member said of the rows that it had not seen.
  void judge(const std::vector<std::vector<double>>& unseen, const MeasuredCandidates& examples,
             const std::vector<double>& shares) {
    stack_ = learn::Stack::of(unseen, examples.speeds, shares);
    double squares = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      double error = stack_.constant - examples.speeds[i];
      for (std::size_t k = 0; k < unseen.size(); ++k) error += stack_.weights[k] * unseen[k][i];
      squares += shares[i] * error * error;
    }
    residual_ = std::sqrt(squares / static_cast<double>(shares.size()));
  }

  std::vector<std::string> kinds_;
  Inputs inputs_;
  std::vector<std::vector<std::unique_ptr<Member>>> members_;  ///< of each fold, one of each kind
  learn::Stack stack_;                                         ///< of the kinds' voices
  double residual_ = 0;  ///< the standard error of what was predicted unseen
};

}  // namespace

std::unique_ptr<SpeedLearner> make_committee(std::vector<std::string> kinds) {
  return std::make_unique<Committee>(std::move(kinds));
}

}  // namespace hoist::model
