// Steps that compute with scalars and vectors.
//
// What an operation means is defined once, in base/scalar_op.cpp; `GeneralScalar` calls that. The operations
// that make up most programs have fast forms beside it, templates that work on the words of the frame
// (`fast_scalar` chooses). They must agree with the general form bit by bit, so types that need care go
// there. Vectors are computed component by component by the general form.
#include "interpret/scalar_steps.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>

namespace hoist::interpret {
namespace {

[[noreturn]] void no_value(ScalarOp op, std::span<const ScalarValue> operands) {
  const std::string_view name = info(op).name;
  const std::string type(name_of(operands[0].type));
  switch (op) {
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      throw_user(fmt::format("{}: {} divided by zero", name, to_string(operands[0])),
                 fmt::format("division of {} by zero has no value", type));
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRight:
      throw_user(fmt::format("{}: a shift by {} bits", name, operands[1].integer),
                 fmt::format("{} can be shifted by 0 to {} bits", type, 8 * size_of(operands[0].type) - 1));
    case ScalarOp::Power:
      throw_user(fmt::format("{}: {} to the power {}", name, to_string(operands[0]), to_string(operands[1])),
                 "an integer to a negative power has no value");
    default:
      throw Bug(fmt::format("{} has no value for operands of type {}", name, type));
  }
}

ScalarValue apply_or_fail(ScalarOp op, std::span<const ScalarValue> operands) {
  const auto value = apply(op, operands);
  if (!value) no_value(op, operands);
  return *value;
}

/// Operands whose type is floating point do arithmetic that counts as flops.
std::uint64_t flops_of(ScalarOp op, Scalar operand) {
  return is_float(operand) ? static_cast<std::uint64_t>(info(op).flops) : 0;
}

/// Any operation on scalars, as hoist::apply defines it.
class GeneralScalar final : public Step {
 public:
  GeneralScalar(ScalarOp op, std::vector<Leaf> operands, Leaf result)
      : op_(op),
        operands_(std::move(operands)),
        result_(std::move(result)),
        flops_(flops_of(op, operands_.back().scalar)) {}
  void run(Machine& machine) override {
    machine.count(1, flops_);
    ScalarValue values[3];
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      values[i] = to_value(machine.frame[operands_[i].place], operands_[i].scalar);
    }
    machine.frame[result_.place] = to_word(apply_or_fail(op_, {values, operands_.size()}));
  }

 private:
  ScalarOp op_;
  std::vector<Leaf> operands_;
  Leaf result_;
  std::uint64_t flops_;
};

// ---- The operations that programs are full of, without going through ScalarValue. The unit tests hold each
// against hoist::apply.

/// An operation without error cases on two scalars of one type, as C++ computes it on doubles or on 64-bit
/// integers; `type` says how its result is rounded or wrapped.
template <class Operation, Scalar type>
class FastArithmetic final : public Step {
 public:
  FastArithmetic(ScalarOp op, FrameIndex a, FrameIndex b, FrameIndex result)
      : a_(a), b_(b), result_(result), flops_(flops_of(op, type)) {}
  void run(Machine& machine) override {
    machine.count(1, flops_);
    Word* frame = machine.frame.data();
    if constexpr (type == Scalar::F32) {
      frame[result_].real = static_cast<float>(Operation()(frame[a_].real, frame[b_].real));
    } else if constexpr (type == Scalar::F64) {
      frame[result_].real = Operation()(frame[a_].real, frame[b_].real);
    } else {
      static_assert(type == Scalar::I32);
      frame[result_].integer = static_cast<std::int32_t>(Operation()(frame[a_].integer, frame[b_].integer));
    }
  }

 private:
  FrameIndex a_, b_, result_;
  std::uint64_t flops_;
};

template <class Relation, bool real>
class FastComparison final : public Step {
 public:
  FastComparison(FrameIndex a, FrameIndex b, FrameIndex result) : a_(a), b_(b), result_(result) {}
  void run(Machine& machine) override {
    machine.count(1, 0);
    Word* frame = machine.frame.data();
    if constexpr (real) {
      frame[result_].integer = Relation()(frame[a_].real, frame[b_].real);
    } else {
      frame[result_].integer = Relation()(frame[a_].integer, frame[b_].integer);
    }
  }

 private:
  FrameIndex a_, b_, result_;
};

template <class Operation>
std::unique_ptr<Step> fast_arithmetic(ScalarOp op, Scalar type, FrameIndex a, FrameIndex b,
                                      FrameIndex result) {
  if (type == Scalar::F32) return std::make_unique<FastArithmetic<Operation, Scalar::F32>>(op, a, b, result);
  if (type == Scalar::F64) return std::make_unique<FastArithmetic<Operation, Scalar::F64>>(op, a, b, result);
  return nullptr;
}

template <class Operation>
std::unique_ptr<Step> fast_ring(ScalarOp op, Scalar type, FrameIndex a, FrameIndex b, FrameIndex result) {
  if (type == Scalar::I32) return std::make_unique<FastArithmetic<Operation, Scalar::I32>>(op, a, b, result);
  return fast_arithmetic<Operation>(op, type, a, b, result);
}

template <class Relation>
std::unique_ptr<Step> fast_comparison(Scalar type, FrameIndex a, FrameIndex b, FrameIndex result) {
  if (is_float(type)) return std::make_unique<FastComparison<Relation, true>>(a, b, result);
  return std::make_unique<FastComparison<Relation, false>>(a, b, result);
}

/// Null where there is no fast form.
std::unique_ptr<Step> fast_scalar(ScalarOp op, const std::vector<Leaf>& operands, FrameIndex result) {
  if (operands.size() != 2) return nullptr;
  const Scalar type = operands[0].scalar;
  const FrameIndex a = operands[0].place;
  const FrameIndex b = operands[1].place;
  if (type == Scalar::U64) return nullptr;  // the frame holds its larger values as negative numbers
  switch (op) {
    case ScalarOp::Add:
      return fast_ring<std::plus<>>(op, type, a, b, result);
    case ScalarOp::Subtract:
      return fast_ring<std::minus<>>(op, type, a, b, result);
    case ScalarOp::Multiply:
      return fast_ring<std::multiplies<>>(op, type, a, b, result);
    case ScalarOp::Divide:
      return fast_arithmetic<std::divides<>>(op, type, a, b, result);
    case ScalarOp::Less:
      return fast_comparison<std::less<>>(type, a, b, result);
    case ScalarOp::LessEqual:
      return fast_comparison<std::less_equal<>>(type, a, b, result);
    case ScalarOp::Greater:
      return fast_comparison<std::greater<>>(type, a, b, result);
    case ScalarOp::GreaterEqual:
      return fast_comparison<std::greater_equal<>>(type, a, b, result);
    case ScalarOp::Equal:
      return fast_comparison<std::equal_to<>>(type, a, b, result);
    case ScalarOp::NotEqual:
      return fast_comparison<std::not_equal_to<>>(type, a, b, result);
    default:
      return nullptr;
  }
}

// ---- Vectors.

/// Component `index` of a vector leaf, or the scalar of a scalar one.
ScalarValue component(const Machine& machine, const Leaf& leaf, std::int64_t index) {
  const Word* words = &machine.frame[leaf.place];
  if (leaf.is_scalar()) return to_value(words[0], leaf.scalar);
  return to_value(load_word(words[0].data + index * words[1].integer, leaf.scalar), leaf.scalar);
}

/// Where a step puts its vector.
class VectorResult {
 public:
  explicit VectorResult(Leaf leaf) : leaf_(std::move(leaf)) {}
  std::int64_t begin(Machine& machine) {
    first_ = buffer_.reserve(bytes_of(machine, leaf_));
    set_dense(machine, leaf_, first_);
    return machine.sizes[leaf_.shape[0]];
  }
  void set(std::int64_t index, const ScalarValue& value) const {
    store_scalar(first_, static_cast<std::size_t>(index), value);
  }

 private:
  Leaf leaf_;
  Buffer buffer_;
  std::byte* first_ = nullptr;
};

class VectorOperation final : public Step {
 public:
  VectorOperation(ScalarOp op, std::vector<Leaf> operands, Leaf result)
      : op_(op),
        operands_(std::move(operands)),
        result_(std::move(result)),
        flops_(flops_of(op, operands_.back().scalar)) {}
  void run(Machine& machine) override {
    const std::int64_t width = result_.begin(machine);
    machine.count(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(width) * flops_);
    ScalarValue values[3];
    for (std::int64_t c = 0; c < width; ++c) {
      for (std::size_t i = 0; i < operands_.size(); ++i) values[i] = component(machine, operands_[i], c);
      result_.set(c, apply_or_fail(op_, {values, operands_.size()}));
    }
  }

 private:
  ScalarOp op_;
  std::vector<Leaf> operands_;
  VectorResult result_;
  std::uint64_t flops_;
};

class ScalarCast final : public Step {
 public:
  ScalarCast(Leaf operand, Leaf result) : operand_(std::move(operand)), result_(std::move(result)) {}
  void run(Machine& machine) override {
    machine.count(1, 0);
    machine.frame[result_.place] =
        to_word(convert(to_value(machine.frame[operand_.place], operand_.scalar), result_.scalar));
  }

 private:
  Leaf operand_, result_;
};

class VectorCast final : public Step {
 public:
  VectorCast(Leaf operand, Leaf result)
      : operand_(std::move(operand)), scalar_(result.scalar), result_(std::move(result)) {}
  void run(Machine& machine) override {
    const std::int64_t width = result_.begin(machine);
    machine.count(static_cast<std::uint64_t>(width), 0);
    for (std::int64_t c = 0; c < width; ++c) {
      result_.set(c, convert(component(machine, operand_, c), scalar_));
    }
  }

 private:
  Leaf operand_;
  Scalar scalar_;
  VectorResult result_;
};

class SizeAsValue final : public Step {
 public:
  SizeAsValue(SizeSlot size, Leaf result) : size_(size), result_(std::move(result)) {}
  void run(Machine& machine) override {
    const std::int64_t value = machine.sizes[size_];
    if (value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::int32_t>::max()) {
      throw_user(fmt::format("the size {} is too large to be used as an i32", value));
    }
    machine.frame[result_.place].integer = value;
  }

 private:
  SizeSlot size_;
  Leaf result_;
};

class BroadcastStep final : public Step {
 public:
  BroadcastStep(Leaf scalar, Leaf result) : scalar_(std::move(scalar)), result_(std::move(result)) {}
  void run(Machine& machine) override {
    const std::int64_t width = result_.begin(machine);
    for (std::int64_t c = 0; c < width; ++c) result_.set(c, component(machine, scalar_, c));
  }

 private:
  Leaf scalar_;
  VectorResult result_;
};

class DotStep final : public Step {
 public:
  DotStep(Leaf x, Leaf y, Leaf result) : x_(std::move(x)), y_(std::move(y)), result_(std::move(result)) {}
  void run(Machine& machine) override {
    const std::int64_t width = machine.sizes[x_.shape[0]];
    const auto operations = static_cast<std::uint64_t>(2 * width - 1);
    machine.count(operations, is_float(x_.scalar) ? operations : 0);
    ScalarValue total = product(machine, 0);
    for (std::int64_t c = 1; c < width; ++c) {
      const ScalarValue terms[] = {total, product(machine, c)};
      total = apply_or_fail(ScalarOp::Add, terms);
    }
    machine.frame[result_.place] = to_word(total);
  }

 private:
  ScalarValue product(const Machine& machine, std::int64_t index) const {
    const ScalarValue factors[] = {component(machine, x_, index), component(machine, y_, index)};
    return apply_or_fail(ScalarOp::Multiply, factors);
  }

  Leaf x_, y_, result_;
};

}  // namespace

std::unique_ptr<Step> scalar_step(ScalarOp op, std::vector<Leaf> operands, Leaf result) {
  if (!result.is_scalar()) {
    return std::make_unique<VectorOperation>(op, std::move(operands), std::move(result));
  }
  if (auto fast = fast_scalar(op, operands, result.place)) return fast;
  return std::make_unique<GeneralScalar>(op, std::move(operands), std::move(result));
}

std::unique_ptr<Step> cast_step(Leaf operand, Leaf result) {
  if (result.is_scalar()) return std::make_unique<ScalarCast>(std::move(operand), std::move(result));
  return std::make_unique<VectorCast>(std::move(operand), std::move(result));
}

std::unique_ptr<Step> size_step(SizeSlot size, Leaf result) {
  return std::make_unique<SizeAsValue>(size, std::move(result));
}

std::unique_ptr<Step> broadcast_step(Leaf scalar, Leaf result) {
  return std::make_unique<BroadcastStep>(std::move(scalar), std::move(result));
}

std::unique_ptr<Step> dot_step(Leaf x, Leaf y, Leaf result) {
  return std::make_unique<DotStep>(std::move(x), std::move(y), std::move(result));
}

}  // namespace hoist::interpret
