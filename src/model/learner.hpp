#pragma once
// What kinds of model differ in. Model (model.hpp) has what they share: schema, ranges, checks, files.
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "learn/learners.hpp"
#include "model/dataset.hpp"
#include "model/description.hpp"
#include "model/population.hpp"

namespace hoist::model {

using learn::Json;

/// Measured candidates, task by task, with the features that vary and that the options do not exclude.
struct MeasuredCandidates {
  std::vector<Feature> features;  ///< of the columns
  Matrix numbers;
  std::vector<double> speeds;           ///< of each row: ln of the throughput over the best of its task
  std::vector<std::uint32_t> tasks;     ///< of each row; ascending
  std::vector<Population> populations;  ///< of each task: all its candidates, those that failed among them
  std::vector<std::uint32_t> programs;  ///< of each task
};

/// One kind of model. Throws Failure for what is the user's error.
class SpeedLearner {
 public:
  virtual ~SpeedLearner() = default;
  virtual void fit(const MeasuredCandidates& examples, const FitOptions& options) = 0;
  /// Rows of one task with the columns of the examples, and the population of these columns.
  virtual std::vector<learn::Prediction> predict(const Matrix& numbers,
                                                 const Population& population) const = 0;
  virtual Json to_json() const = 0;
  /// Throws Failure, or a JSON exception, where it is not what to_json gave for so many columns.
  virtual void from_json(const Json& learned, std::size_t width) = 0;
};

/// Throws Failure for a name that is no kind's.
std::unique_ptr<SpeedLearner> make_speed_learner(std::string_view kind);

std::unique_ptr<SpeedLearner> make_paper();
std::unique_ptr<SpeedLearner> make_roofline();
/// Members of these kinds (member.hpp) that decide together.
std::unique_ptr<SpeedLearner> make_committee(std::vector<std::string> kinds);

/// How much each row counts, 1 in the mean, from the rows' tasks and ln(t_best / t): the same for each task,
/// and more for the fast: an error among them costs more than one among the slow, of which none will be run.
std::vector<double> row_weights(const std::vector<std::uint32_t>& tasks, const std::vector<double>& speeds);

}  // namespace hoist::model
