#pragma once
// What the tests of lowering share: the plan of a low-level program, its text, and whether it computes what
// the program means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arith/arena.hpp"
#include "interpret/compare.hpp"
#include "interpret/interpret.hpp"
#include "interpret/random.hpp"
#include "loop/check.hpp"
#include "loop/print.hpp"
#include "loop/traverse.hpp"
#include "lower/lower.hpp"
#include "support/executed.hpp"

namespace hoist::lower {

class Lowering : public testing::Test {
 protected:
  static constexpr std::uint64_t seed = 20261121;

  loop::Plan plan_of(const std::string& text, const Options& options = {}) {
    auto plan = lower(testing_support::program_of(text), options);
    if (!plan) throw std::runtime_error(plan.error().render() + "\n" + text);
    return *plan;
  }
  std::string loops_of(const std::string& text, const Options& options = {}) {
    return loop::to_string(plan_of(text, options));
  }
  std::string message_of(const std::string& text, const Options& options = {}) {
    auto plan = lower(testing_support::program_of(text), options);
    return plan ? "it was compiled: " + loop::to_string(*plan) : plan.error().render();
  }

  /// Checks the plan and holds what it computes, on random inputs, against the reference interpreter. No
  /// sizes are open.
  void expect_right(const std::string& text, const Options& options = {}) {
    ir::Program program = testing_support::program_of(text);
    auto plan = lower(program, options);
    ASSERT_TRUE(plan) << plan.error().render() << "\n" << text;
    std::string what = text + "\n" + loop::to_string(*plan);
    auto checked = loop::check(*plan);
    ASSERT_TRUE(checked) << checked.error().render() << what;
    std::vector<Data> inputs;
    for (const ir::ParameterDeclaration& parameter : program.parameters) {
      inputs.push_back(interpret::random_data(parameter.type, {}, seed + inputs.size()).value());
    }
    auto executed = testing_support::execute(*plan, program.result(), inputs);
    ASSERT_TRUE(executed) << executed.error().render() << what;
    EXPECT_THAT(executed->report.faults, testing::IsEmpty()) << what;
    auto expected = interpret::evaluate(program, inputs, {});
    ASSERT_TRUE(expected) << expected.error().render();
    auto comparison = interpret::compare(*expected, executed->outputs, interpret::error_bound(program, {}));
    ASSERT_TRUE(comparison);
    EXPECT_TRUE(comparison->agrees()) << interpret::to_string(*comparison) << what;
  }

  static std::size_t barriers_in(const loop::Plan& plan) {
    std::size_t count = 0;
    for (const loop::Kernel& kernel : plan.kernels) {
      loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
        count += std::holds_alternative<loop::Barrier>(statement.node);
      });
    }
    return count;
  }
  static Options launched(std::array<std::int64_t, 3> local, std::array<std::int64_t, 3> global) {
    auto expressions = [](const std::array<std::int64_t, 3>& lengths) {
      return std::array<arith::Expr, 3>{arith::constant(lengths[0]), arith::constant(lengths[1]),
                                        arith::constant(lengths[2])};
    };
    Options options;
    options.local_size = expressions(local);
    options.global_size = expressions(global);
    return options;
  }

  ir::Arena arena;
};

}  // namespace hoist::lower
