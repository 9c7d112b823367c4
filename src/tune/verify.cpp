#include "tune/verify.hpp"

#include <algorithm>

#include "interpret/conditioning.hpp"
#include "tune/inputs.hpp"

namespace hoist::tune {

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

Result<Verification> verify(const ir::Program& program, const NamedSizes& sizes,
                            const std::vector<Data>& inputs, const Data& got, const Steps& steps) {
  const arith::Bindings bindings = bindings_of(program, sizes);
  Verification result;
  const auto evaluate = [&](std::uint64_t noise, interpret::Counts* counts) -> Result<Data> {
    std::vector<Data> now = inputs;
    Data last;
    for (std::size_t step = 0; step < steps.count; ++step) {
      interpret::Options options;
      if (noise != 0) options.noise = noise + step * (interpret::spread_runs + 1);
      auto made = interpret::evaluate(program, now, bindings, options, counts);
      if (!made) return made;
      last = std::move(*made);
      replace_leaves(now, steps.fed, last);
    }
    return last;
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

lower::Options options_for(const runtime::DeviceInfo& device, lower::Options options) {
  options.max_group_size =
      static_cast<std::int64_t>(std::clamp<std::size_t>(device.max_group_size, 1, options.max_group_size));
  const auto& sizes = device.sub_group_sizes;
  options.has_warps = std::find(sizes.begin(), sizes.end(), std::size_t{loop::warp_size}) != sizes.end();
  // Compilers of OpenCL for processors vectorise over the work-items of a group what is unrolled: kernels of
  // a dozen unrolled loops take seconds to build, and run slower.
  constexpr std::int64_t most_on_processor = 1024;
  if (device.type == runtime::DeviceInfo::Type::Cpu) options.most_unrolled_operations = most_on_processor;
  options.has_images = device.largest_image[0] > 0;
  return options;
}

Result<Data> run_once(runtime::Device& device, const ir::Program& program, const NamedSizes& sizes,
                      const std::vector<Data>& inputs) {
  auto sized = with_sizes(program, sizes);
  if (!sized) return tl::unexpected(sized.error());
  auto compiled = compile(*sized, device.info().language, options_for(device.info()));
  if (!compiled) return tl::unexpected(compiled.error());
  auto executable = Executable::prepare(device, *compiled);
  if (!executable) return tl::unexpected(executable.error());
  if (auto written = executable->write_inputs(inputs); !written) return tl::unexpected(written.error());
  if (auto poisoned = executable->poison(); !poisoned) return tl::unexpected(poisoned.error());
  if (auto ran = executable->run(); !ran) return tl::unexpected(ran.error());
  return executable->read_outputs();
}

}  // namespace hoist::tune
