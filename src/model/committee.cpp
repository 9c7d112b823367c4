// Several members of each kind, of which none has seen all programs. Each predicts what it has not seen; that
// says how far the committee is to be trusted, and how much each kind's voice counts (Krogh and Vedelsby,
// Neural network ensembles, cross validation, and active learning, 1995; Wolpert, Stacked generalization,
// 1992).
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "model/learner.hpp"
#include "model/member.hpp"
#include "model/random.hpp"

namespace hoist::model {

namespace {

constexpr std::uint32_t most_parts = 5;
/// Fewer programs than this are too few to leave some out: then tasks are left out, and else candidates.
constexpr std::uint32_t fewest_groups = 4;

/// The part that each row belongs to, of `most_parts` or fewer; what belongs together is in the same part.
std::vector<std::uint32_t> parts_of(const Examples& examples, Random& random) {
  const auto count = [](std::vector<std::uint32_t> groups) {
    std::sort(groups.begin(), groups.end());
    return static_cast<std::uint32_t>(std::unique(groups.begin(), groups.end()) - groups.begin());
  };
  std::vector<std::uint32_t> groups;
  for (const std::uint32_t task : examples.tasks) groups.push_back(examples.programs[task]);
  if (count(groups) < fewest_groups) groups = examples.tasks;
  if (count(groups) < fewest_groups) std::iota(groups.begin(), groups.end(), 0U);
  std::vector<std::uint32_t> different = groups;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  random.shuffle(different);
  std::vector<std::uint32_t> parts;
  std::map<std::uint32_t, std::uint32_t> part;
  for (std::uint32_t i = 0; i < different.size(); ++i) part[different[i]] = i % most_parts;
  for (const std::uint32_t group : groups) parts.push_back(part[group]);
  return parts;
}

Lesson take(const Lesson& whole, const std::vector<std::uint32_t>& rows) {
  Lesson lesson;
  lesson.columns.width = whole.columns.width;
  for (const std::uint32_t row : rows) {
    const float* numbers = whole.columns.row(row);
    lesson.columns.numbers.insert(lesson.columns.numbers.end(), numbers, numbers + whole.columns.width);
    lesson.speeds.push_back(whole.speeds[row]);
    lesson.tasks.push_back(whole.tasks[row]);
  }
  return lesson;
}

/// Of two lists, in which each row counts by its share; the mean of the shares is 1.
double covariance(const std::vector<double>& one, const std::vector<double>& other,
                  const std::vector<float>& shares) {
  double one_sum = 0, other_sum = 0, products = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    one_sum += shares[i] * one[i];
    other_sum += shares[i] * other[i];
    products += shares[i] * one[i] * other[i];
  }
  const auto rows = static_cast<double>(one.size());
  return products / rows - one_sum / rows * (other_sum / rows);
}

/// By which the sum of several voices becomes a prediction.
struct Weights {
  std::vector<double> of_voices;
  double constant = 0;
};

/// Weights that are not negative, for the sum that is next to `wanted`: least squares with a little
/// shrinking, one weight at a time until they stay.
Weights weigh(const std::vector<std::vector<double>>& voices, const std::vector<double>& wanted,
              const std::vector<float>& shares) {
  constexpr int rounds = 1000;
  constexpr double shrinking = 1e-3, little = 1e-3;
  const std::size_t kinds = voices.size();
  std::vector<std::vector<double>> among(kinds);
  std::vector<double> with_wanted, weights(kinds, 0.0);
  for (std::size_t k = 0; k < kinds; ++k) {
    for (std::size_t other = 0; other < kinds; ++other)
      among[k].push_back(covariance(voices[k], voices[other], shares));
    with_wanted.push_back(covariance(voices[k], wanted, shares));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < kinds; ++k) {
      double rest = with_wanted[k] + among[k][k] * weights[k];
      for (std::size_t other = 0; other < kinds; ++other) rest -= among[k][other] * weights[other];
      weights[k] = among[k][k] > 0 ? std::max(rest / (among[k][k] * (1 + shrinking)), 0.0) : 0.0;
    }
  }
  // Where no voice says anything of what it has not seen, all count the same, little.
  if (std::all_of(weights.begin(), weights.end(), [](double each) { return each < little; }))
    weights.assign(kinds, little);
  Weights result{weights, 0};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    double voice = 0;
    for (std::size_t k = 0; k < kinds; ++k) voice += weights[k] * voices[k][i];
    result.constant += shares[i] * (wanted[i] - voice) / static_cast<double>(wanted.size());
  }
  return result;
}

class Committee : public Learner {
 public:
  explicit Committee(std::vector<std::string> kinds) : kinds_(std::move(kinds)) {}

  void fit(const Examples& examples, const FitOptions& options) override {
    Random random(options.seed);
    inputs_.fit(examples);
    Lesson whole{inputs_.apply(examples), {}, examples.tasks};
    for (const double speed : examples.speeds) whole.speeds.push_back(static_cast<float>(speed));
    const std::vector<std::uint32_t> parts = parts_of(examples, random);
    const std::uint32_t part_count = *std::max_element(parts.begin(), parts.end()) + 1;
    std::vector<std::vector<double>> unseen(kinds_.size(), std::vector<double>(parts.size()));
    members_.clear();
    for (std::uint32_t part = 0; part < part_count; ++part) {
      std::vector<std::uint32_t> seen, left_out;
      for (std::uint32_t row = 0; row < parts.size(); ++row)
        (parts[row] == part ? left_out : seen).push_back(row);
      const Lesson lesson = take(whole, seen), exam = take(whole, left_out);
      auto& members = members_.emplace_back();
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        members.push_back(make_member(kinds_[k]));
        members[k]->fit(lesson, random.bits(), options);
        const std::vector<double> answers = members[k]->predict(exam.columns);
        for (std::size_t i = 0; i < answers.size(); ++i) unseen[k][left_out[i]] = answers[i];
      }
    }
    judge(unseen, examples, row_weights(whole.tasks, whole.speeds));
  }

  std::vector<Estimate> predict(const Matrix& numbers, const Population& population) const override {
    const Columns columns = inputs_.apply(numbers, population);
    std::vector<double> sums(columns.count()), squares(columns.count());
    for (const auto& members : members_) {
      std::vector<double> votes(columns.count(), weights_.constant);
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const std::vector<double> voice = members[k]->predict(columns);
        for (std::size_t i = 0; i < votes.size(); ++i) votes[i] += weights_.of_voices[k] * voice[i];
      }
      for (std::size_t i = 0; i < votes.size(); ++i) {
        sums[i] += votes[i];
        squares[i] += votes[i] * votes[i];
      }
    }
    std::vector<Estimate> estimates;
    const auto count = static_cast<double>(members_.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double mean = sums[i] / count, variance = std::max(squares[i] / count - mean * mean, 0.0);
      estimates.push_back({mean, std::sqrt(variance + residual_ * residual_)});
    }
    return estimates;
  }

  Json to_json() const override {
    Json members = Json::array();
    for (const auto& part : members_) {
      Json of_part = Json::array();
      for (const auto& member : part) of_part.push_back(member->to_json());
      members.push_back(std::move(of_part));
    }
    return {{"inputs", inputs_.to_json()},
            {"weights", weights_.of_voices},
            {"constant", weights_.constant},
            {"residual", residual_},
            {"kinds", kinds_},
            {"members", members}};
  }

  void from_json(const Json& learned, std::size_t width) override {
    inputs_.from_json(learned.at("inputs"), width);
    weights_ = {learned.at("weights").get<std::vector<double>>(), learned.at("constant").get<double>()};
    residual_ = learned.at("residual").get<double>();
    if (learned.at("kinds").get<std::vector<std::string>>() != kinds_ ||
        weights_.of_voices.size() != kinds_.size())
      throw_user("its members are of other kinds");
    members_.clear();
    for (const Json& part : learned.at("members")) {
      auto& members = members_.emplace_back();
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        members.push_back(make_member(kinds_[k]));
        members[k]->from_json(part.at(k), inputs_.width());
      }
    }
    if (members_.empty()) throw_user("it has no members");
  }

 private:
  /// From what each member said of the rows that it had not seen.
  void judge(const std::vector<std::vector<double>>& unseen, const Examples& examples,
             const std::vector<float>& shares) {
    weights_ = weigh(unseen, examples.speeds, shares);
    double squares = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      double error = weights_.constant - examples.speeds[i];
      for (std::size_t k = 0; k < unseen.size(); ++k) error += weights_.of_voices[k] * unseen[k][i];
      squares += shares[i] * error * error;
    }
    residual_ = std::sqrt(squares / static_cast<double>(shares.size()));
  }

  std::vector<std::string> kinds_;
  Inputs inputs_;
  std::vector<std::vector<std::unique_ptr<Member>>> members_;  ///< of each part, one of each kind
  Weights weights_;
  double residual_ = 0;  ///< the standard error of what was predicted unseen
};

}  // namespace

std::unique_ptr<Learner> make_committee(std::vector<std::string> kinds) {
  return std::make_unique<Committee>(std::move(kinds));
}

}  // namespace hoist::model
