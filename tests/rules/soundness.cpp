#include "rules/soundness.hpp"

#include <fmt/format.h>

#include <optional>

#include "interpret/compare.hpp"
#include "interpret/interpret.hpp"
#include "interpret/random.hpp"
#include "ir/print.hpp"
#include "rewrite/strategy.hpp"
#include "rules/instances.hpp"

namespace hoist::testing_support {

using arith::Expr;
using rewrite::Rule;

namespace {

constexpr std::int64_t some_sizes[] = {1, 2, 3, 4, 6, 8, 5, 12};
constexpr std::int64_t most_elements = 4096;

bool hold(const std::vector<ir::SizeAssumption>& assumptions, const arith::Bindings& values) {
  for (const ir::SizeAssumption& each : assumptions) {
    if (!arith::evaluate(each.predicate, values).value_or(false)) return false;
  }
  return true;
}

/// Values for which the assumptions hold; nothing if none were found soon.
std::optional<arith::Bindings> values_for(const std::vector<Expr>& variables, arith::Bindings values,
                                          const std::vector<ir::SizeAssumption>& assumptions,
                                          Instances& random) {
  for (int tries = 0; tries < 60; ++tries) {
    // Small values for most tries: they fit more often.
    const std::size_t range = tries % 3 == 0 ? std::size(some_sizes) : 5;
    for (Expr each : variables) values[each.get()] = some_sizes[random.below(range)];
    if (hold(assumptions, values)) return values;
  }
  return std::nullopt;
}

bool is_small(ir::Type type, const arith::Bindings& values) {
  for (const ir::Leaf& leaf : ir::leaves(type)) {
    std::int64_t count = 1;
    for (Expr size : leaf.shape) {
      const auto extent = arith::evaluate(size, values);
      if (!extent || *extent < 0) return false;
      count *= *extent;
      if (count > most_elements) return false;
    }
  }
  return true;
}

/// Nothing: the program could not be run. An empty text: the meaning stayed.
std::optional<std::string> difference(const Rule& rule, const ir::Program& before, const ir::Program& after,
                                      Instances& random, std::uint64_t seed) {
  const auto values = values_for(before.sizes, {}, ir::size_assumptions(before.function), random);
  if (!values) return std::nullopt;
  std::vector<Data> inputs;
  for (const ir::ParameterDeclaration& each : before.parameters) {
    if (!is_small(each.type, *values)) return std::nullopt;
    auto data = interpret::random_data(each.type, *values, seed + inputs.size());
    if (!data) return std::nullopt;
    inputs.push_back(std::move(*data));
  }
  interpret::Options limits;
  limits.max_operations = 200'000;
  interpret::Counts counts;
  const auto expected = interpret::evaluate(before, inputs, *values, limits, &counts);
  if (!expected) return std::nullopt;

  arith::Bindings chosen = *values;
  const std::vector<Expr> parameters = ir::open_parameters(after.function);
  const std::vector<ir::SizeAssumption> assumptions = ir::size_assumptions(after.function);
  if (!parameters.empty()) {
    auto found = values_for(parameters, *values, assumptions, random);
    if (!found) return std::nullopt;
    chosen = std::move(*found);
  }
  std::string with;
  for (const auto& [variable, value] : chosen) with += fmt::format(" {} = {}", variable->name, value);
  const std::string what =
      fmt::format("{}, seed {},{}\n{}{}", rule.name, seed, with, ir::to_string(before), ir::to_string(after));
  const auto got = interpret::evaluate(after, inputs, chosen);
  if (!got) return what + got.error().render();
  interpret::ErrorBound bound = interpret::error_bound(before, *values, &counts);
  if (rule.floats == rewrite::Floats::Exact) bound = {0, false};
  const auto comparison = interpret::compare(*expected, *got, bound);
  if (!comparison) return what + comparison.error().render();
  return comparison->agrees() ? "" : what + interpret::to_string(*comparison);
}

/// The program with numbers for its sizes, which decide more conditions.
ir::Program with_numbers(const ir::Program& program, Instances& random) {
  const auto values = values_for(program.sizes, {}, ir::size_assumptions(program.function), random);
  if (!values) return program;
  arith::Substitution numbers;
  for (const auto& [variable, value] : *values) numbers[variable] = value;
  ir::Program result = program;
  for (ir::ParameterDeclaration& each : result.parameters) each.type = ir::substitute(each.type, numbers);
  result.sizes.clear();
  result.function = ir::substitute_sizes(program.function, numbers);
  return result;
}

}  // namespace

Soundness hold_against_interpreter(const Rule& rule, const Rule& instances, int wanted, std::uint64_t seed) {
  Soundness result;
  while (result.fired < wanted && result.tried < 40 * wanted && result.fault.empty()) {
    ++result.tried;
    const ir::Arena arena;
    const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(result.tried);
    Instances random(own_seed);
    auto before = catch_failure([&] {
      const ir::Program program = random.program(instances);
      return random.below(10) < 4 ? with_numbers(program, random) : program;
    });
    if (!before) continue;
    const auto rewritten = rewrite::rewrite(*before, rewrite::top_down(rewrite::rule(rule)));
    if (!rewritten) continue;
    const auto found = difference(rule, *before, rewritten->program, random, own_seed);
    if (!found) continue;
    ++result.fired;
    result.fault = *found;
  }
  return result;
}

}  // namespace hoist::testing_support
