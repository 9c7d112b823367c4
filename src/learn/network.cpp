// A multilayer perceptron: inputs, standardised and cut at four standard deviations, go through two hidden
// layers of 48 and 24 neurons with rectified linear units (ReLU) to one number.
//
// It learns by stochastic gradient descent: a step draws a batch of 64 rows, finds the gradient of their
// squared error by backpropagation, and moves the weights by Adam. The learning rate falls as half a cosine,
// and weights decay by themselves (decoupled weight decay, as in AdamW). A batch draws a group first and
// then a row of it, so that every group counts alike, however many rows it has.
//
// Read `fit`, which lists the steps, then `begin` (initial weights), `learn` (the loop over batches) and
// `gradients` (backpropagation). `predict` is the forward pass alone. All is in single precision, and drawn
// from one seed.
#include "learn/network.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"

namespace hoist::learn {

namespace {

using Values = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Line = Eigen::Matrix<float, 1, Eigen::Dynamic>;

constexpr int widths[] = {48, 24, 1};  ///< neurons in each layer behind the input
constexpr std::size_t layer_count = std::size(widths);
constexpr int batch = 64;
constexpr Eigen::Index passes = 40;  ///< over all rows (epochs), as far as the least and most steps allow
constexpr double fewest_steps = 800, most_steps = 4000;
constexpr float greatest_rate = 4e-3F, decay = 1e-4F;
constexpr float farthest = 4;  ///< inputs are cut at so many standard deviations

struct Layer {
  Values weights;
  Line biases;
};
using Layers = std::vector<Layer>;

/// The optimiser: it keeps Adam's two moments of the gradient of each weight and bias.
class Adam {
 public:
  explicit Adam(const Layers& layers) {
    for (const Layer& layer : layers) {
      const Layer zero{Values::Zero(layer.weights.rows(), layer.weights.cols()),
                       Line::Zero(layer.biases.size())};
      first_.push_back(zero);
      second_.push_back(zero);
    }
  }

  void step(Layers& layers, const Layers& gradients, float rate) {
    ++steps_;
    const float one = 1 - std::pow(0.9F, static_cast<float>(steps_));
    const float two = 1 - std::pow(0.999F, static_cast<float>(steps_));
    const auto move = [&](auto& numbers, const auto& gradient, auto& mean, auto& square) {
      mean = 0.9F * mean + 0.1F * gradient;
      square = 0.999F * square + 0.001F * gradient.cwiseAbs2();
      numbers.array() -= rate * (mean.array() / one / ((square.array() / two).sqrt() + 1e-8F));
    };
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].weights *= 1 - rate * decay / greatest_rate;
      move(layers[i].weights, gradients[i].weights, first_[i].weights, second_[i].weights);
      move(layers[i].biases, gradients[i].biases, first_[i].biases, second_[i].biases);
    }
  }

 private:
  Layers first_, second_;
  int steps_ = 0;
};

/// Copies some rows of a table, in single precision.
Values values_of(const Matrix& rows, std::size_t from, std::size_t count) {
  using Doubles = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Doubles>(rows.numbers.data() + from * rows.width, static_cast<Eigen::Index>(count),
                                   static_cast<Eigen::Index>(rows.width))
      .cast<float>();
}

/// Lists where each group begins, and at last where the last one ends.
std::vector<std::size_t> starts_of_groups(const Examples& examples) {
  const std::vector<std::uint32_t>& groups = examples.groups;
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i] != groups[i - 1]) starts.push_back(i);
  }
  starts.push_back(examples.targets.size());
  return starts;
}

class Network : public StoredRegressor {
 public:
  explicit Network(const Training& training) : training_(training) {}

  void fit(const Examples& examples) override {
    expect_no_weights(examples, "a network");
    Random random(training_.seed);
    Values inputs = values_of(examples.rows, 0, examples.rows.count());
    standardize(inputs);
    Line targets = Eigen::Map<const Eigen::RowVectorXd>(examples.targets.data(), inputs.rows()).cast<float>();
    center_ = targets.mean();
    targets.array() -= center_;
    begin(random);
    learn(inputs, targets, starts_of_groups(examples), random);
  }

  std::vector<Prediction> predict(const Matrix& rows) const override {
    constexpr std::size_t rows_at_once = 256;
    std::vector<Prediction> result;
    for (std::size_t from = 0; from < rows.count(); from += rows_at_once) {
      Values values = values_of(rows, from, std::min(rows_at_once, rows.count() - from));
      standardized(values);
      for (std::size_t i = 0; i < layer_count; ++i) {
        values = ((values * layers_[i].weights).rowwise() + layers_[i].biases).eval();
        if (i + 1 < layer_count) values = values.cwiseMax(0.0F);
      }
      for (Eigen::Index i = 0; i < values.rows(); ++i) result.push_back({values(i, 0) + center_, 0});
    }
    return result;
  }

  Json to_json() const override;
  void read(const Json& learned, std::size_t width) override;

 private:
  void standardize(Values& inputs) {
    mean_ = inputs.colwise().mean();
    const Line variance =
        (inputs.rowwise() - mean_).colwise().squaredNorm() / static_cast<float>(inputs.rows());
    scale_ = variance.unaryExpr([](float each) { return each > 0 ? 1 / std::sqrt(each) : 0.0F; });
    standardized(inputs);
  }
  void standardized(Values& inputs) const {
    inputs.rowwise() -= mean_;
    inputs.array().rowwise() *= scale_.array();
    inputs = inputs.cwiseMax(-farthest).cwiseMin(farthest);
  }

  /// Draws the initial weights as He et al., 2015, do: normal, with variance 2 divided by the number of
  /// inputs of the layer.
  void begin(Random& random) {
    layers_.clear();
    Eigen::Index before = mean_.size();
    for (const int width : widths) {
      const double deviation = std::sqrt(2.0 / static_cast<double>(before));
      Values weights(before, width);
      for (float& weight : weights.reshaped()) weight = static_cast<float>(deviation * random.normal());
      layers_.push_back({std::move(weights), Line::Zero(width)});
      before = width;
    }
  }

  void learn(const Values& inputs, const Line& targets, const std::vector<std::size_t>& starts,
             Random& random) {
    const double enough = static_cast<double>(passes * inputs.rows()) / batch;
    const auto steps =
        static_cast<std::size_t>(std::clamp(enough, fewest_steps, most_steps) * training_.effort);
    Adam adam(layers_);
    Values rows(batch, inputs.cols());
    Line wanted(batch);
    for (std::size_t step = 0; step < steps; ++step) {
      for (Eigen::Index i = 0; i < batch; ++i) {
        const std::size_t group = random.below(starts.size() - 1);
        const auto row =
            static_cast<Eigen::Index>(starts[group] + random.below(starts[group + 1] - starts[group]));
        rows.row(i) = inputs.row(row);
        wanted(i) = targets(row);
      }
      const double progress = static_cast<double>(step) / static_cast<double>(steps);
      adam.step(layers_, gradients(rows, wanted),
                static_cast<float>(greatest_rate * 0.5 * (1 + std::cos(std::numbers::pi * progress))));
    }
  }

  /// The gradient of half the mean squared error of a batch, by backpropagation.
  Layers gradients(const Values& rows, const Line& wanted) const {
    std::vector<Values> values = {rows};
    for (std::size_t i = 0; i < layer_count; ++i) {
      values.emplace_back((values[i] * layers_[i].weights).rowwise() + layers_[i].biases);
      if (i + 1 < layer_count) values.back() = values.back().cwiseMax(0.0F);
    }
    Layers result(layer_count);
    Values error = (values.back() - wanted.transpose()) / static_cast<float>(rows.rows());
    for (std::size_t i = layer_count; i-- > 0;) {
      result[i] = {values[i].transpose() * error, error.colwise().sum()};
      if (i == 0) break;
      error = (error * layers_[i].weights.transpose()).eval();
      error.array() *= (values[i].array() > 0).cast<float>();
    }
    return result;
  }

  Training training_;
  Line mean_, scale_;
  float center_ = 0;
  Layers layers_;
};

template <class Numbers>
Json floats(const Numbers& numbers) {
  Json json = Json::array();
  for (const float number : numbers.reshaped()) json.push_back(shortest(number));
  return json;
}

/// Throws Failure where there are not `rows` times `columns` numbers.
template <class Numbers>
void read_floats(const Json& json, Eigen::Index rows, Eigen::Index columns, Numbers& numbers) {
  const auto list = json.get<std::vector<float>>();
  if (static_cast<Eigen::Index>(list.size()) != rows * columns)
    throw_user("a layer of the network has the wrong number of weights");
  numbers.resize(rows, columns);
  std::copy(list.begin(), list.end(), numbers.reshaped().begin());
}

Json Network::to_json() const {
  Json layers = Json::array();
  for (const Layer& layer : layers_)
    layers.push_back({{"weights", floats(layer.weights)}, {"biases", floats(layer.biases)}});
  return {
      {"mean", floats(mean_)}, {"scale", floats(scale_)}, {"center", shortest(center_)}, {"layers", layers}};
}

void Network::read(const Json& learned, std::size_t width) {
  auto before = static_cast<Eigen::Index>(width);
  read_floats(learned.at("mean"), 1, before, mean_);
  read_floats(learned.at("scale"), 1, before, scale_);
  center_ = learned.at("center").get<float>();
  layers_.assign(layer_count, {});
  for (std::size_t i = 0; i < layer_count; ++i) {
    const Json& layer = learned.at("layers").at(i);
    read_floats(layer.at("weights"), before, widths[i], layers_[i].weights);
    read_floats(layer.at("biases"), 1, widths[i], layers_[i].biases);
    before = widths[i];
  }
}

}  // namespace

std::unique_ptr<StoredRegressor> make_network(const Training& training) {
  return std::make_unique<Network>(training);
}

}  // namespace hoist::learn
