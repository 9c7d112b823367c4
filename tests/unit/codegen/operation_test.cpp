// Every scalar operation and conversion, on every type and vector width, against hoist::apply and
// hoist::convert.
#include <cmath>
#include <limits>

#include "runtime/cuda/compiler.hpp"
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using loop::BufferPtr;
using loop::ValuePtr;

using Scalars = std::vector<ScalarValue>;

/// Values where operations are most likely to go wrong.
Scalars edges(Scalar type) {
  Scalars values;
  if (is_float(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double largest = type == Scalar::F32 ? std::numeric_limits<float>::max() : 1e300;
    for (double each : {0.0,          -0.0,
                        1.0,          -1.0,
                        0.5,          -0.5,
                        1.5,          2.5,
                        -2.5,         3.7,
                        -0.3,         1e-3,
                        100.25,       254.9,
                        255.5,        2147483520.0,
                        2147483648.0, -2147483648.0,
                        4294967296.0, 9.3e18,
                        -9.3e18,      1e10,
                        largest,      infinity,
                        -infinity,    std::numeric_limits<double>::quiet_NaN()}) {
      values.push_back(ScalarValue::of_real(type, each));
    }
    return values;
  }
  if (type == Scalar::Bool) return {ScalarValue::of_bool(false), ScalarValue::of_bool(true)};
  using Limits32 = std::numeric_limits<std::int32_t>;
  using Limits64 = std::numeric_limits<std::int64_t>;
  for (std::int64_t each :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, std::int64_t{3},
        std::int64_t{-7}, std::int64_t{100}, std::int64_t{200}, std::int64_t{255}, std::int64_t{65537},
        std::int64_t{Limits32::max()}, std::int64_t{Limits32::min()}, std::int64_t{4294967295},
        std::int64_t{1} << 40, Limits64::max(), Limits64::min()}) {
    const ScalarValue value = ScalarValue::of_integer(type, each);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

bool is_defined_for(const ScalarOpInfo& row, Scalar type) {
  using Domain = ScalarOpInfo::Domain;
  switch (row.domain) {
    case Domain::Numeric:
      return type != Scalar::Bool;
    case Domain::Float:
      return is_float(type);
    case Domain::Integer:
      return is_integer(type);
    case Domain::Boolean:
      return type == Scalar::Bool;
    case Domain::Any:
      return true;
  }
  return false;
}

/// An operand for which the operation has a value: `b`, or what it is brought to.
ScalarValue admissible(ScalarOp op, const ScalarValue& b) {
  const auto width = static_cast<std::int64_t>(8 * size_of(b.type));
  if (is_float(b.type)) return b;
  switch (op) {
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      return b.integer == 0 ? ScalarValue::of_integer(b.type, 3) : b;
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRight:
      return ScalarValue::of_integer(b.type, (b.integer % width + width) % width);
    case ScalarOp::Power:
      return ScalarValue::of_integer(b.type, b.integer & 63);
    default:
      return b;
  }
}

/// Computations on an integer that give something else where its overflow is undefined, since compilers
/// simplify them as if it never happened. On values, or on scalars with what `apply` and `constant` make of
/// them.
template <class T, class Apply, class Constant>
std::vector<std::pair<std::string, T>> overflowing(Scalar type, const T& a, const Apply& apply,
                                                   const Constant& constant) {
  using Op = ScalarOp;
  const T one = constant(1), two = constant(2), four = constant(4), least = constant(smallest(type));
  const auto twice = [&](Op op, Op back, const T& by) { return apply(back, {apply(op, {a, by}), by}); };
  return {{"next_is_greater", apply(Op::Greater, {apply(Op::Add, {a, one}), a})},
          {"last_is_less", apply(Op::Less, {apply(Op::Subtract, {a, one}), a})},
          {"doubled_and_halved", twice(Op::Multiply, Op::Divide, two)},
          {"by_four_and_back", twice(Op::Multiply, Op::Divide, four)},
          {"shifted_and_back", twice(Op::ShiftLeft, Op::ShiftRight, one)},
          {"absolute_is_positive", apply(Op::GreaterEqual, {apply(Op::Absolute, {a}), constant(0)})},
          {"negated_twice", apply(Op::Equal, {apply(Op::Negate, {apply(Op::Negate, {a})}), a})},
          {"negated_is_less", apply(Op::Less, {apply(Op::Negate, {a}), constant(0)})},
          {"with_least_is_less", apply(Op::Less, {apply(Op::Add, {a, least}), a})},
          {"fused_is_greater", apply(Op::Greater, {apply(Op::FusedMultiplyAdd, {a, one, one}), a})},
          {"square_is_positive", apply(Op::GreaterEqual, {apply(Op::Power, {a, two}), constant(0)})},
          {"by_minus_one", apply(Op::Divide, {apply(Op::Add, {a, least}), constant(-1)})}};
}

/// One kernel for a type and width: every result of its operations and conversions over all pairs of edges.
class Trial {
 public:
  Trial(Scalar type, int width)
      : type_(type), width_(width), name_(fmt::format("{}x{}", name_of(type), width)) {
    const Scalars values = edges(type);
    for (const ScalarValue& a : values) {
      for (const ScalarValue& b : values) {
        a_.push_back(a);
        b_.push_back(b);
        c_.push_back(values[(a_.size() * 7) % values.size()]);
        conditions_.push_back(ScalarValue::of_bool(a_.size() % 3 == 0));
      }
    }
    while (a_.size() % static_cast<std::size_t>(width) != 0) {
      for (Scalars* each : {&a_, &b_, &c_, &conditions_}) each->push_back(each->front());
    }
  }

  void add_to(loop::Plan& plan, loop::Memory& memory) {
    kernel_.name = "k" + name_;
    const arith::Expr i = arith::index("i", 0, static_cast<std::int64_t>(a_.size()) / width_);
    index_ = width_ * i;
    kernel_.launch.global[0] = 4;
    kernel_.launch.local[0] = 4;
    const ValuePtr a = input(plan, memory, "a", a_), c = input(plan, memory, "c", c_);
    const ValuePtr condition = input(plan, memory, "condition", conditions_);
    for (const ScalarOpInfo& row : all_scalar_ops()) {
      if (!is_defined_for(row, type_)) continue;
      Scalars second;
      for (const ScalarValue& each : b_) second.push_back(admissible(row.op, each));
      const ValuePtr b = input(plan, memory, fmt::format("b_{}", row.name), second);
      std::vector<ValuePtr> operands{a, b, c};
      std::vector<const Scalars*> columns{&a_, &second, &c_};
      if (row.op == ScalarOp::Select) {
        operands.insert(operands.begin(), condition);
        columns.insert(columns.begin(), &conditions_);
      }
      operands.resize(static_cast<std::size_t>(row.arity));
      Scalars expected;
      for (std::size_t at = 0; at < a_.size(); ++at) {
        Scalars arguments;
        for (int each = 0; each < row.arity; ++each)
          arguments.push_back((*columns[static_cast<std::size_t>(each)])[at]);
        expected.push_back(hoist::apply(row.op, arguments).value());
      }
      output(plan, std::string(row.name), loop::operation(row.op, operands), expected);
      // A literal operand is printed differently.
      if (row.arity == 2 && width_ > 1) {
        const ScalarValue three = admissible(row.op, convert(ScalarValue::of_integer(Scalar::I32, 3), type_));
        Scalars beside;
        for (const ScalarValue& each : a_)
          beside.push_back(hoist::apply(row.op, Scalars{each, three}).value());
        output(plan, fmt::format("{}_three", row.name), loop::operation(row.op, {a, loop::literal(three)}),
               beside);
      }
    }
    if (is_integer(type_)) overflows(plan, a);
    for (Scalar to : all_scalars) {
      if (to == type_) continue;
      Scalars expected;
      for (const ScalarValue& each : a_) expected.push_back(convert(each, to));
      output(plan, fmt::format("as_{}", name_of(to)), loop::cast(a, to), expected);
    }
    if (width_ > 1) masks(plan, a, c, condition);
    kernel_.body.push_back({loop::For{i, 0, i->stop, 1, loop::Parallelism::Global, 0, loop::LoopForm::Loop,
                                      nullptr, false, false, false, 0, std::move(body_)}});
    plan.steps.push_back({loop::LaunchStep{plan.kernels.size()}});
    plan.kernels.push_back(std::move(kernel_));
  }

  void compare(const loop::Memory& memory, const target::Target& info) const {
    for (const auto& [name, expected] : expected_) {
      if (is_wrong_in_pocl(name, info)) continue;
      const auto& bytes = memory.at(name);
      for (std::size_t at = 0; at < expected.size(); ++at) {
        const ScalarValue got = load_scalar(bytes.data(), expected[at].type, at);
        if (is_same(name, expected[at], got)) continue;
        ADD_FAILURE() << name << ": a = " << to_string(a_[at]) << ", b = " << to_string(b_[at])
                      << ", c = " << to_string(c_[at]) << " gives " << to_string(got) << ", not "
                      << to_string(expected[at]);
      }
    }
  }

 private:
  void overflows(loop::Plan& plan, const ValuePtr& a) {
    const auto values = overflowing(
        type_, a,
        [](ScalarOp op, std::vector<ValuePtr> operands) { return loop::operation(op, std::move(operands)); },
        [&](std::int64_t value) { return loop::literal(ScalarValue::of_integer(type_, value)); });
    std::vector<Scalars> expected(values.size());
    for (const ScalarValue& each : a_) {
      const auto scalars = overflowing(
          type_, each,
          [](ScalarOp op, const Scalars& operands) { return hoist::apply(op, operands).value(); },
          [&](std::int64_t value) { return ScalarValue::of_integer(type_, value); });
      for (std::size_t at = 0; at < scalars.size(); ++at) expected[at].push_back(scalars[at].second);
    }
    for (std::size_t at = 0; at < values.size(); ++at) {
      output(plan, values[at].first, values[at].second, expected[at]);
    }
  }

  /// Conditions of several widths at once, kept in variables, negated, and selected by conditions.
  void masks(loop::Plan& plan, const ValuePtr& a, const ValuePtr& c, const ValuePtr& condition) {
    using Op = ScalarOp;
    const ValuePtr less = loop::operation(type_ == Scalar::Bool ? Op::NotEqual : Op::Less, {a, c});
    const auto kept =
        std::make_shared<const loop::Variable>(loop::Variable{"kept", {Scalar::Bool, width_}, false});
    body_.push_back({loop::Let{kept, less, {}}});
    const ValuePtr either = loop::operation(
        Op::Or, {loop::operation(Op::And, {loop::reference(kept), loop::operation(Op::Not, {condition})}),
                 condition});
    const ValuePtr chosen = loop::operation(Op::Select, {either, loop::reference(kept), less});
    const ValuePtr first = loop::component(chosen, 1);
    Scalars expected, counted, repeated;
    for (std::size_t at = 0; at < a_.size(); ++at) {
      const Op op = type_ == Scalar::Bool ? Op::NotEqual : Op::Less;
      const bool value = hoist::apply(op, Scalars{a_[at], c_[at]})->integer != 0;
      expected.push_back(ScalarValue::of_bool(value));
      counted.push_back(ScalarValue::of_real(Scalar::F64, value ? 1 : 0));
    }
    for (std::size_t at = 0; at < a_.size(); ++at) {
      const std::size_t base = at - at % static_cast<std::size_t>(width_);
      repeated.push_back(expected[base + 1].integer != 0 ? a_[at] : c_[at]);
    }
    output(plan, "chosen", chosen, expected);
    output(plan, "counted", loop::cast(chosen, Scalar::F64), counted);
    output(plan, "repeated", loop::operation(Op::Select, {first, a, c}), repeated);
  }

  BufferPtr declare(const std::string& name, Scalar type) {
    return std::make_shared<const loop::Buffer>(loop::Buffer{fmt::format("{}_{}", name, name_),
                                                             {type, 1},
                                                             loop::AddressSpace::Global,
                                                             static_cast<std::int64_t>(a_.size()),
                                                             false});
  }
  ValuePtr input(loop::Plan& plan, loop::Memory& memory, const std::string& name, const Scalars& values) {
    const BufferPtr buffer = declare(name, values[0].type);
    plan.inputs.emplace_back(buffer);
    kernel_.parameters.emplace_back(loop::BufferParameter{buffer, false});
    auto& bytes = memory[buffer->name];
    bytes.resize(values.size() * size_of(values[0].type));
    for (std::size_t at = 0; at < values.size(); ++at) store_scalar(bytes.data(), at, values[at]);
    return loop::load(buffer, index_, width_);
  }
  void output(loop::Plan& plan, const std::string& name, const ValuePtr& value, const Scalars& expected) {
    const BufferPtr buffer = declare("out_" + name, value->type.scalar);
    plan.outputs.push_back(buffer);
    kernel_.parameters.emplace_back(loop::BufferParameter{buffer, true});
    body_.push_back({loop::Store{buffer, index_, value}});
    expected_.emplace_back(buffer->name, expected);
  }

  /// PoCL 3.1 computes a wrong component of fmod and pow for some double8 that hold an infinity.
  bool is_wrong_in_pocl(const std::string& name, const target::Target& info) const {
    return info.is_pocl() && type_ == Scalar::F64 && width_ >= 8 &&
           (name.starts_with("out_rem") || name.starts_with("out_pow"));
  }

  static bool is_same(const std::string& name, const ScalarValue& want, const ScalarValue& got) {
    if (!is_float(want.type)) return want.integer == got.integer;
    if (std::isnan(want.real)) return std::isnan(got.real);
    if (want.real == got.real) return true;
    if (std::isinf(want.real) || std::isinf(got.real)) return false;
    // OpenCL allows tan, pow and the like some units in the last place.
    const bool is_exact = name.starts_with("out_add") || name.starts_with("out_sub") ||
                          name.starts_with("out_mul") || name.starts_with("out_as") ||
                          name.starts_with("out_min") || name.starts_with("out_max");
    const double precision = want.type == Scalar::F32 ? 2e-6 : 1e-14;
    return !is_exact && std::fabs(want.real - got.real) <= precision * std::fabs(want.real);
  }

  Scalar type_;
  int width_;
  std::string name_;
  Scalars a_, b_, c_, conditions_;
  arith::Expr index_;
  loop::Kernel kernel_;
  loop::Block body_;
  std::vector<std::pair<std::string, Scalars>> expected_;
};

void expect_all_widths(Scalar type) {
  for (const std::string& id : devices()) {
    if (type == Scalar::F64 && !device(id).info().has_f64) continue;
    for (int width : {1, 2, 3, 4, 8, 16}) {
      SCOPED_TRACE(fmt::format("{} x {} on {}", name_of(type), width, id));
      loop::Plan plan;
      plan.name = "operations";
      loop::Memory memory;
      Trial trial(type, width);
      trial.add_to(plan, memory);
      const Result<void> checked = loop::check(plan);
      ASSERT_TRUE(checked) << checked.error().render();
      Execution execution(id, plan, {}, {});
      execution.run(memory);
      trial.compare(memory, device(id).info());
      if (testing::Test::HasFailure()) std::puts(execution.text().c_str());
    }
  }
}

class Operations : public testing::TestWithParam<Scalar> {};
TEST_P(Operations, GiveWhatTheyMeanOnEveryDevice) { expect_all_widths(GetParam()); }

/// The printed text of everything, by NVIDIA's compiler where it is installed: this needs no device.
TEST_P(Operations, CompileForCuda) {
  const auto nvrtc = runtime::cuda::load_nvrtc();
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().render();
  for (int width : {1, 3, 4}) {
    SCOPED_TRACE(width);
    loop::Plan plan;
    plan.name = "operations";
    loop::Memory memory;
    Trial(GetParam(), width).add_to(plan, memory);
    const auto image = runtime::cuda::compile(*nvrtc, text_of(cuda(plan)), 9, 0);
    EXPECT_TRUE(image) << image.error().render();
  }
}
INSTANTIATE_TEST_SUITE_P(AllTypes, Operations, testing::ValuesIn(all_scalars),
                         [](const auto& each) { return std::string(name_of(each.param)); });

}  // namespace
}  // namespace hoist::codegen
