#include "learn/weka/multilayer_perceptron.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "learn/weka/column_ranges.hpp"
#include "learn/weka/java_random.hpp"
#include "learn/weka/stored_numbers.hpp"
#include "learn/weka/stored_point_regressor.hpp"

namespace hoist::learn {

namespace {

constexpr double first_rate = 0.3, momentum = 0.2;
constexpr int epochs = 500;
/// No rate below this is tried.
constexpr double least_rate = 1e-6;

/// The weighted sum of a unit's inputs; the first weight is its bias. Each weight has a velocity, by which it
/// changed last.
struct Unit {
  std::vector<double> weights, velocities;

  void connect(JavaRandom& random) {
    weights.push_back(random.unit() * 0.1 - 0.05);
    velocities.push_back(0);
  }
  double sum(std::span<const double> inputs) const {
    double result = weights[0];
    for (std::size_t i = 0; i < inputs.size(); ++i) result += inputs[i] * weights[i + 1];
    return result;
  }
  void learn(double step, std::span<const double> inputs) {
    move(0, step);
    for (std::size_t i = 0; i < inputs.size(); ++i) move(i + 1, step * inputs[i]);
  }

 private:
  void move(std::size_t i, double change) {
    velocities[i] = change + momentum * velocities[i];
    weights[i] += velocities[i];
  }
};

double sigmoid(double x) {
  if (x < -45) return 0;
  if (x > 45) return 1;
  return 1 / (1 + std::exp(-x));
}

double middle(const ColumnRange& range) { return (range.most + range.least) / 2; }
double half_width(const ColumnRange& range) { return (range.most - range.least) / 2; }

class MultilayerPerceptron : public StoredPointRegressor {
 public:
  void fit(const Examples& examples) override {
    expect_no_weights(examples, "a multilayer perceptron");
    columns_ = column_ranges(examples.rows);
    target_ = range_of(examples.targets);
    for (double rate = first_rate; rate > least_rate; rate /= 2) {
      if (learn(examples, rate)) return;
    }
    throw_user("the multilayer perceptron cannot learn", "its weights grow beyond all bounds at any rate");
  }
  Json to_json() const override {
    Json hidden = Json::array();
    for (const Unit& unit : hidden_) hidden.push_back(unit.weights);
    return {{"columns", json_of(columns_)},
            {"target", json_of(target_)},
            {"hidden", hidden},
            {"output", output_.weights}};
  }

 private:
  void read(const Json& learned, std::size_t width) override {
    columns_ = read_ranges(learned.at("columns"), width);
    target_ = read_range(learned.at("target"));
    hidden_.clear();
    for (const Json& unit : learned.at("hidden")) hidden_.push_back({read_numbers(unit, width + 1), {}});
    output_ = {read_numbers(learned.at("output"), hidden_.size() + 1), {}};
  }

  double predicted(std::span<const double> row) const override {
    return output(hidden_values(inputs_of(row)));
  }

  std::vector<double> inputs_of(std::span<const double> row) const {
    std::vector<double> inputs;
    for (std::size_t column = 0; column < row.size(); ++column)
      inputs.push_back(to_unit_range(row[column], columns_[column]));
    return inputs;
  }
  /// From -1 to 1 inside of the range; where that is a single number, the distance from it.
  static double to_unit_range(double number, const ColumnRange& range) {
    return (number - middle(range)) / (half_width(range) != 0 ? half_width(range) : 1);
  }
  double output(const std::vector<double>& hidden) const {
    return output_.sum(hidden) * half_width(target_) + middle(target_);
  }

  std::vector<double> hidden_values(const std::vector<double>& inputs) const {
    std::vector<double> values;
    for (const Unit& unit : hidden_) values.push_back(sigmoid(unit.sum(inputs)));
    return values;
  }

  /// False where the error stopped being a number.
  bool learn(const Examples& examples, double rate) {
    JavaRandom random(0);
    std::vector<std::size_t> order(examples.targets.size());
    std::iota(order.begin(), order.end(), 0U);
    random.shuffle(order);
    connect(examples.rows.width, random);
    std::vector<std::vector<double>> inputs;
    for (const std::size_t i : order) inputs.push_back(inputs_of(examples.rows.row(i)));
    for (int epoch = 0; epoch < epochs; ++epoch) {
      double squares = 0;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const double error = learn_one(inputs[i], examples.targets[order[i]], rate);
        squares += error * error;
      }
      if (!std::isfinite(squares)) return false;
    }
    return true;
  }

  /// Weka's order of draws: the bias of the output, those of the hidden units, all weights of the first
  /// input, of the second, and so on, then those of the output.
  void connect(std::size_t width, JavaRandom& random) {
    output_ = {};
    hidden_.assign((width + 1) / 2, {});
    output_.connect(random);
    for (Unit& unit : hidden_) unit.connect(random);
    for (std::size_t column = 0; column < width; ++column) {
      for (Unit& unit : hidden_) unit.connect(random);
    }
    for (std::size_t i = 0; i < hidden_.size(); ++i) output_.connect(random);
  }

  /// One step of backpropagation; returns the error before it.
  double learn_one(const std::vector<double>& inputs, double target, double rate) {
    const std::vector<double> values = hidden_values(inputs);
    const double error = half_width(target_) == 0 ? 0 : (target - output(values)) / half_width(target_);
    std::vector<double> hidden_errors;
    for (std::size_t i = 0; i < hidden_.size(); ++i)
      hidden_errors.push_back(error * output_.weights[i + 1] * (values[i] * (1 - values[i])));
    output_.learn(rate * error, values);
    for (std::size_t i = 0; i < hidden_.size(); ++i) hidden_[i].learn(rate * hidden_errors[i], inputs);
    return error;
  }

  std::vector<ColumnRange> columns_;
  ColumnRange target_;
  std::vector<Unit> hidden_;
  Unit output_;
};

}  // namespace

std::unique_ptr<StoredRegressor> make_multilayer_perceptron() {
  return std::make_unique<MultilayerPerceptron>();
}

}  // namespace hoist::learn
