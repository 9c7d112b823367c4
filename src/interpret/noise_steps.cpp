#include "interpret/noise_steps.hpp"

#include <cmath>
#include <limits>

#include "interpret/error_bound.hpp"

namespace hoist::interpret {
namespace {

/// From -1 to 1, by splitmix64.
double next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  mixed ^= mixed >> 31U;
  return static_cast<double>(mixed >> 11U) * 0x1p-52 - 1;
}

double epsilon_of(Scalar type) {
  return type == Scalar::F32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                             : std::numeric_limits<double>::epsilon();
}

/// `value` with an error of up to `ulps` units in the last place of `magnitude`.
double disturbed(Machine& machine, Scalar type, double value, double magnitude, double ulps) {
  const double error = epsilon_of(type) * ulps * magnitude * next_random(machine.noise);
  return std::isfinite(error) ? ScalarValue::of_real(type, value + error).real : value;
}

double component(const Machine& machine, const Leaf& leaf, std::int64_t index) {
  const Word* words = &machine.frame[leaf.place];
  const Word word =
      leaf.is_scalar() ? words[0] : load_word(words[0].data + index * words[1].integer, leaf.scalar);
  return is_float(leaf.scalar) ? word.real : static_cast<double>(word.integer);
}

/// Whether `result` is what the operation gives without rounding, by error-free transformations (Dekker 1971,
/// Knuth 1969). Elementary functions never count as exact: devices compute them in their own ways.
bool is_exact(ScalarOp op, const double* operands, double result) {
  const double a = operands[0], b = operands[1];
  switch (op) {
    case ScalarOp::Add:
    case ScalarOp::Subtract: {
      const double addend = op == ScalarOp::Add ? b : -b;
      const double sum = a + addend, part = sum - a;
      return sum == result && (a - (sum - part)) + (addend - part) == 0;
    }
    case ScalarOp::Multiply:
      return a * b == result && std::fma(a, b, -result) == 0;
    case ScalarOp::Divide:
      return std::fma(result, b, -a) == 0;
    case ScalarOp::Sqrt:
      return std::fma(result, result, -a) == 0;
    default:
      return false;
  }
}

/// What disturbs a scalar, or each component of a vector.
class Disturbance : public Step {
 public:
  explicit Disturbance(Leaf result) : result_(std::move(result)) {}
  void run(Machine& machine) final {
    Word* words = &machine.frame[result_.place];
    if (result_.is_scalar()) {
      words[0].real = component_of(machine, 0, words[0].real);
      return;
    }
    // The vector lies in memory of the step that made it.
    const std::int64_t width = machine.sizes[result_.shape[0]];
    std::byte* memory = buffer_.reserve(bytes_of(machine, result_));
    for (std::int64_t c = 0; c < width; ++c) {
      Word word;
      word.real = component_of(machine, c, component(machine, result_, c));
      store_word(memory + c * static_cast<std::int64_t>(size_of(result_.scalar)), result_.scalar, word);
    }
    set_dense(machine, result_, memory);
  }

 protected:
  virtual double component_of(Machine& machine, std::int64_t index, double value) = 0;
  Scalar type() const { return result_.scalar; }

 private:
  Leaf result_;
  Buffer buffer_;
};

class OperationNoise final : public Disturbance {
 public:
  OperationNoise(ScalarOp op, std::vector<Leaf> operands, Leaf result)
      : Disturbance(std::move(result)), op_(op), operands_(std::move(operands)), ulps_(1 + ulps_of(op)) {}

 protected:
  double component_of(Machine& machine, std::int64_t index, double value) override {
    double operands[3] = {};
    for (std::size_t i = 0; i < operands_.size(); ++i) operands[i] = component(machine, operands_[i], index);
    return is_exact(op_, operands, value) ? value : disturbed(machine, type(), value, value, ulps_);
  }

 private:
  ScalarOp op_;
  std::vector<Leaf> operands_;
  double ulps_;
};

class CastNoise final : public Disturbance {
 public:
  CastNoise(Leaf operand, Leaf result) : Disturbance(std::move(result)), operand_(std::move(operand)) {}

 protected:
  double component_of(Machine& machine, std::int64_t index, double value) override {
    return component(machine, operand_, index) == value ? value : disturbed(machine, type(), value, value, 1);
  }

 private:
  Leaf operand_;
};

class DotNoise final : public Disturbance {
 public:
  DotNoise(Leaf x, Leaf y, Leaf result)
      : Disturbance(std::move(result)), x_(std::move(x)), y_(std::move(y)) {}

 protected:
  double component_of(Machine& machine, std::int64_t, double value) override {
    double magnitude = 0;
    for (std::int64_t c = 0; c < machine.sizes[x_.shape[0]]; ++c) {
      magnitude += std::fabs(component(machine, x_, c) * component(machine, y_, c));
    }
    return disturbed(machine, type(), value, magnitude, 1);
  }

 private:
  Leaf x_, y_;
};

}  // namespace

std::unique_ptr<Step> noise_step(ScalarOp op, std::vector<Leaf> operands, Leaf result) {
  return std::make_unique<OperationNoise>(op, std::move(operands), std::move(result));
}

std::unique_ptr<Step> cast_noise_step(Leaf operand, Leaf result) {
  return std::make_unique<CastNoise>(std::move(operand), std::move(result));
}

std::unique_ptr<Step> dot_noise_step(Leaf x, Leaf y, Leaf result) {
  return std::make_unique<DotNoise>(std::move(x), std::move(y), std::move(result));
}

}  // namespace hoist::interpret
