#pragma once
// Programs of f64 evaluated by the interpreter, for tests that hold them against plain loops.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/span.hpp"
#include "driver/compile.hpp"
#include "interpret/interpret.hpp"
#include "lang/lang.hpp"

namespace hoist::workloads {

using Extents = std::map<char, std::int64_t>;
using Sizes = std::map<std::string, std::int64_t>;

struct Input {
  std::vector<std::int64_t> shape;
  std::vector<double> elements;
};

inline std::size_t elements_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

/// Whole numbers, so that sums and products are exact in any order.
inline std::vector<double> small_numbers(std::size_t count, Random& random) {
  std::vector<double> numbers(count);
  for (double& each : numbers) each = static_cast<double>(random.below(17)) - 8;
  return numbers;
}

inline ir::Program parsed(const std::string& text) {
  const auto program = lang::parse_program(Source{"program", text});
  if (!program) throw std::runtime_error(program.error().render() + text);
  return *program;
}

/// The elements of the result.
inline std::vector<double> evaluated(const std::string& text, const std::vector<Input>& inputs,
                                     const Sizes& sizes) {
  ir::Arena arena;
  const driver::NamedSizes values(sizes.begin(), sizes.end());
  const auto program = driver::with_sizes(parsed(text), values);
  EXPECT_TRUE(program.has_value()) << text;
  std::vector<Data> data;
  for (const Input& input : inputs) {
    Tensor tensor{Scalar::F64, input.shape, std::vector<std::byte>(input.elements.size() * sizeof(double))};
    std::memcpy(tensor.bytes.data(), input.elements.data(), tensor.bytes.size());
    data.push_back({std::move(tensor)});
  }
  const auto result = interpret::evaluate(*program, data, {});
  EXPECT_TRUE(result.has_value()) << result.error().render() << text;
  std::vector<double> elements(static_cast<std::size_t>(result->at(0).elements()));
  std::memcpy(elements.data(), result->at(0).bytes.data(), elements.size() * sizeof(double));
  return elements;
}

}  // namespace hoist::workloads
