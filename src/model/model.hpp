#pragma once
// Predictors of speed: learned from measurements, applied to the features of candidates that nobody ran.
// docs/model.md says what each kind is and where it comes from.
//
// What is predicted is the natural logarithm of a candidate's throughput over the best of its task (program,
// sizes, device): 0 for the best, -0.69 for one that takes twice as long. Only predictions of the same task
// compare.
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/dataset.hpp"
#include "model/description.hpp"
#include "model/kinds.hpp"
#include "model/population.hpp"

namespace hoist::model {

class SpeedLearner;

struct Prediction {
  double mean = 0;            ///< ln of the throughput over the best of the task
  double deviation = 0;       ///< what `mean` may be wrong by: one standard deviation
  std::uint32_t outside = 0;  ///< how many features are outside the range that the model has seen
};

class Model {
 public:
  Model(Description description, std::unique_ptr<SpeedLearner> learner);
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  const Description& description() const { return description_; }

  /// Whether the model is made for such features and such a device; else a user's error that says what
  /// differs.
  Result<void> check(const Schema& schema, const std::string& device_class) const;

  /// Predictions for candidates of one task, a row each with the features of the schema. `population` are all
  /// candidates of the task that there are, or a fair sample: features mean something by comparison with
  /// them. An error where a number is not finite.
  Result<std::vector<Prediction>> predict(const Matrix& candidates, const Population& population) const;
  /// The same, for rows that are all candidates themselves.
  Result<std::vector<Prediction>> predict(const Matrix& candidates) const;
  /// The features of a row that are outside the range that the model has seen.
  std::vector<std::string> outside(std::span<const double> row) const;

  nlohmann::json to_json() const;

 private:
  Description description_;
  std::vector<std::uint32_t> used_;  ///< columns of the schema that the learner sees
  std::unique_ptr<SpeedLearner> learner_;
};

/// Learns a model of that kind from all rows that ran. An error when there is too little to learn from (it
/// says how much is needed), when a number is not finite, and when the library that trains trees is not
/// there.
Result<Model> fit(std::string_view kind, const Dataset& dataset, const FitOptions& options);

/// A versioned JSON file, packed by gzip when the path ends in ".gz".
Result<void> save(const Model& model, const std::string& path);
Result<Model> load(const std::string& path);
/// What save() writes, packed or not.
Result<Model> parse_model(const std::string& text, const std::string& name);

}  // namespace hoist::model
