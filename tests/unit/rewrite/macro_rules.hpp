#pragma once
// What tests of macro rules share: a program after a strategy, and whether it means the same.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "interpret/compare.hpp"
#include "interpret/interpret.hpp"
#include "interpret/random.hpp"
#include "ir/print.hpp"
#include "lang/lang.hpp"
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

inline ir::Program program_of(const std::string& text) {
  auto program = lang::parse_program({"test", text});
  if (!program) throw std::runtime_error(program.error().render() + text);
  return *program;
}

/// The program after the strategy at the outermost place where it fits, as text that reads back; or why it
/// declined.
inline std::string after(const Strategy& strategy, const std::string& text,
                         std::vector<arith::Expr> choices = {}) {
  const auto result = rewrite(program_of(text), top_down(strategy), std::move(choices));
  if (!result) return "declined: " + result.error().reason;
  const std::string printed = ir::to_string(result->program);
  EXPECT_EQ(program_of(printed).function, result->program.function) << printed;
  return printed;
}

/// Why it declines the program's body itself.
inline std::string reason(const Strategy& strategy, const std::string& text) {
  const auto result = rewrite(program_of(text), strategy);
  return result ? "rewritten: " + ir::to_string(result->program) : result.error().reason;
}

/// What it computes from random inputs; sizes by name.
inline Data value_of(const ir::Program& program, const std::map<std::string, std::int64_t>& sizes) {
  arith::Bindings bindings;
  for (const arith::Expr& size : program.sizes) bindings[size.get()] = sizes.at(arith::to_string(size));
  std::vector<Data> inputs;
  for (const ir::ParameterDeclaration& each : program.parameters)
    inputs.push_back(interpret::random_data(each.type, bindings, 1 + inputs.size()).value());
  auto value = interpret::evaluate(program, inputs, bindings);
  if (!value) throw std::runtime_error(value.error().render() + ir::to_string(program));
  return *value;
}
inline Data value_of(const std::string& text, const std::map<std::string, std::int64_t>& sizes) {
  return value_of(program_of(text), sizes);
}

/// Two programs over integers with the same parameters.
inline void expect_same(const std::string& before, const std::string& rewritten,
                        const std::map<std::string, std::int64_t>& sizes) {
  const auto comparison = interpret::compare(value_of(before, sizes), value_of(rewritten, sizes), {0, false});
  ASSERT_TRUE(comparison) << comparison.error().render() << rewritten;
  EXPECT_TRUE(comparison->agrees()) << interpret::to_string(*comparison) << "\n" << rewritten;
}

}  // namespace hoist::rewrite
