#include "driver/verify.hpp"

#include <algorithm>

#include "driver/inputs.hpp"
#include "interpret/conditioning.hpp"
#include "interpret/interpret.hpp"

namespace hoist::driver {

namespace {

/// Puts `leaves` in the place of the flattened inputs from `first` on.
void replace_leaves(std::vector<Data>& inputs, std::size_t first, const Data& leaves) {
  std::size_t leaf = 0;
  for (Data& input : inputs) {
    for (Tensor& tensor : input) {
      if (leaf >= first && leaf < first + leaves.size()) tensor = leaves[leaf - first];
      ++leaf;
    }
  }
}

}  // namespace

Result<Data> evaluate_steps(
    const Steps& steps, std::vector<Data> inputs,
    const std::function<Result<Data>(std::size_t step, const std::vector<Data>& inputs)>& evaluate) {
  Data last;
  for (std::size_t step = 0; step < steps.count; ++step) {
    auto made = evaluate(step, inputs);
    if (!made) return made;
    last = std::move(*made);
    replace_leaves(inputs, steps.fed, last);
  }
  return last;
}

Result<Verification> verify(const ir::Program& program, const NamedSizes& sizes,
                            const std::vector<Data>& inputs, const Data& got, const Steps& steps) {
  const arith::Bindings bindings = bindings_of(program, sizes);
  Verification result;
  const auto evaluate = [&](std::uint64_t noise, interpret::Counts* counts) -> Result<Data> {
    return evaluate_steps(steps, inputs, [&](std::size_t step, const std::vector<Data>& now) {
      interpret::Options options;
      if (noise != 0) options.noise = noise + step * (interpret::spread_runs + 1);
      return interpret::evaluate(program, now, bindings, options, counts);
    });
  };
  auto expected = evaluate(0, &result.counts);
  if (!expected) return tl::unexpected(expected.error());
  result.expected = std::move(*expected);
  result.bound = interpret::error_bound(program, bindings, &result.counts);
  result.bound.factor *= static_cast<double>(steps.count);
  auto comparison = interpret::compare(result.expected, got, result.bound,
                                       [&](std::uint64_t noise) { return evaluate(noise, nullptr); });
  if (!comparison) return tl::unexpected(comparison.error());
  result.comparison = std::move(*comparison);
  return result;
}

}  // namespace hoist::driver
