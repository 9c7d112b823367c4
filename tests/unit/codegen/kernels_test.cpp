// Whole kernels: what was printed, run on every device here, computes what the interpreter of loop IR does.
#include <cmath>

#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

/// Runs a plan in the interpreter, which must find no fault, and on every device, and compares f32 outputs.
struct Comparison {
  arith::Bindings sizes;
  std::map<std::string, ScalarValue> scalars;
  loop::Memory inputs;
  std::vector<std::string> texts;  // by device

  Comparison& bind(const std::string& size, std::int64_t value) {
    sizes[arith::size(size).get()] = value;
    return *this;
  }
  Comparison& scalar(const std::string& name, const ScalarValue& value) {
    scalars[name] = value;
    return *this;
  }
  template <class Element>
  Comparison& input(const std::string& name, const std::vector<Element>& elements) {
    inputs[name] = bytes_of(elements);
    return *this;
  }

  void holds(const std::string& text, bool is_checked = true) {
    const loop::Plan plan = parsed(text);
    if (is_checked) {
      const Result<void> checked = loop::check(plan);
      ASSERT_TRUE(checked) << checked.error().render();
    }
    loop::Memory expected = inputs;
    const auto report = loop::interpret(plan, sizes, scalars, expected);
    ASSERT_TRUE(report) << report.error().render();
    ASSERT_THAT(report->faults, testing::IsEmpty());
    for (const std::string& id : devices()) {
      SCOPED_TRACE(id);
      loop::Memory memory = inputs;
      Execution execution(id, plan, sizes, scalars);
      execution.run(memory);
      SCOPED_TRACE(execution.text());
      for (const loop::BufferPtr& output : plan.outputs)
        compare(*output, expected[output->name], memory[output->name]);
      texts.push_back(execution.text());
    }
  }

  static void compare(const loop::Buffer& buffer, const std::vector<std::byte>& expected,
                      const std::vector<std::byte>& actual) {
    ASSERT_EQ(expected.size(), actual.size());
    const Scalar type = buffer.type.scalar;
    for (std::size_t at = 0; at < expected.size() / size_of(type); ++at) {
      const ScalarValue want = load_scalar(expected.data(), type, at),
                        got = load_scalar(actual.data(), type, at);
      if (is_float(type)) {
        ASSERT_NEAR(want.real, got.real, 1e-5 * (1 + std::fabs(want.real)))
            << buffer.name << "[" << at << "]";
      } else {
        ASSERT_EQ(want.integer, got.integer) << buffer.name << "[" << at << "]";
      }
    }
  }
};

std::vector<float> floats(std::size_t count) {
  std::vector<float> elements(count);
  for (std::size_t at = 0; at < count; ++at) elements[at] = 0.25F * static_cast<float>(at * 7 % 19) - 1.5F;
  return elements;
}

TEST(Kernels, ScaleOverAGridStrideLoop) {
  const auto text = one_kernel("size N; input x: global f32[N]; input a: f32; output y: global f32[N];",
                               "read x: global f32[N], write y: global f32[N], scalar a: f32, size N",
                               "global [256, 1, 1] local [64, 1, 1]",
                               "for i in global(0) [0, N) step 1 { y[i] = a * x[i]; }");
  Comparison()
      .bind("N", 1000)
      .input("x", floats(1000))
      .scalar("a", ScalarValue::of_real(Scalar::F32, 2.5))
      .holds(text);
}

}  // namespace
}  // namespace hoist::codegen
