// A multilayer perceptron: inputs, standardised and cut at four standard deviations, go through hidden layers
// (by default two, of 48 and 24 neurons with rectified linear units) to one number.
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

/// The hidden layers of a form and the last one, which has a single neuron.
std::vector<int> widths_of(const NetworkForm& form) {
  std::vector<int> widths = form.hidden;
  widths.push_back(1);
  return widths;
}

void activate(Values& sums, Activation activation) {
  switch (activation) {
    case Activation::RectifiedLinear:
      sums = sums.cwiseMax(0.0F);
      return;
    case Activation::HyperbolicTangent:
      sums = sums.array().tanh();
      return;
  }
  throw Bug("no such activation");
}

/// The derivative of the activation by the sum, from the values that it gave.
Values slopes(const Values& activated, Activation activation) {
  switch (activation) {
    case Activation::RectifiedLinear:
      return (activated.array() > 0).cast<float>();
    case Activation::HyperbolicTangent:
      return 1 - activated.array().square();
  }
  throw Bug("no such activation");
}

/// How far the initial weights of a layer are spread: such that activations neither grow nor vanish from one
/// layer to the next (He et al., 2015, for rectified linear units; Glorot and Bengio, 2010).
double initial_deviation(Activation activation, Eigen::Index inputs, int outputs) {
  switch (activation) {
    case Activation::RectifiedLinear:
      return std::sqrt(2.0 / static_cast<double>(inputs));
    case Activation::HyperbolicTangent:
      return std::sqrt(2.0 / (static_cast<double>(inputs) + outputs));
  }
  throw Bug("no such activation");
}

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
  Network(const Training& training, const NetworkForm& form)
      : training_(training), activation_(form.activation), widths_(widths_of(form)) {}

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
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        values = ((values * layers_[i].weights).rowwise() + layers_[i].biases).eval();
        if (i + 1 < layers_.size()) activate(values, activation_);
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

  /// Draws the initial weights, normally distributed.
  void begin(Random& random) {
    layers_.clear();
    Eigen::Index before = mean_.size();
    for (const int width : widths_) {
      const double deviation = initial_deviation(activation_, before, width);
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
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      values.emplace_back((values[i] * layers_[i].weights).rowwise() + layers_[i].biases);
      if (i + 1 < layers_.size()) activate(values.back(), activation_);
    }
    Layers result(layers_.size());
    Values error = (values.back() - wanted.transpose()) / static_cast<float>(rows.rows());
    for (std::size_t i = layers_.size(); i-- > 0;) {
      result[i] = {values[i].transpose() * error, error.colwise().sum()};
      if (i == 0) break;
      error = (error * layers_[i].weights.transpose()).eval();
      error.array() *= slopes(values[i], activation_).array();
    }
    return result;
  }

  Training training_;
  Activation activation_;
  std::vector<int> widths_;  ///< neurons in each layer behind the input
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
  layers_.assign(widths_.size(), {});
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Json& layer = learned.at("layers").at(i);
    read_floats(layer.at("weights"), before, widths_[i], layers_[i].weights);
    read_floats(layer.at("biases"), 1, widths_[i], layers_[i].biases);
    before = widths_[i];
  }
}

}  // namespace

std::unique_ptr<StoredRegressor> make_network(const Training& training, const NetworkForm& form) {
  return std::make_unique<Network>(training, form);
}

}  // namespace hoist::learn
