#include "tune/verify.hpp"

#include <algorithm>

#include "tune/inputs.hpp"

namespace hoist::tune {

Result<Verification> verify(const ir::Program& program, const NamedSizes& sizes,
                            const std::vector<Data>& inputs, const Data& got) {
  const arith::Bindings bindings = bindings_of(program, sizes);
  Verification result;
  auto expected = interpret::evaluate(program, inputs, bindings, {}, &result.counts);
  if (!expected) return tl::unexpected(expected.error());
  result.expected = std::move(*expected);
  result.bound = interpret::error_bound(program, bindings, &result.counts);
  auto comparison = interpret::compare(result.expected, got, result.bound);
  if (!comparison) return tl::unexpected(comparison.error());
  result.comparison = std::move(*comparison);
  return result;
}

lower::Options options_for(const runtime::DeviceInfo& device) {
  lower::Options options;
  options.max_group_size =
      static_cast<std::int64_t>(std::clamp<std::size_t>(device.max_group_size, 1, options.max_group_size));
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
