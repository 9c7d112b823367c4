#include "suite_case.hpp"

#include "tune/inputs.hpp"

namespace hoist::bench {

namespace {

constexpr std::uint64_t seed = 20261121;

}  // namespace

Result<SuiteCase> suite_case(const tune::SuiteProgram& entry, const ir::Program& program,
                             const tune::NamedSizes& sizes) {
  auto ranges = entry.ranges(sizes);
  if (!ranges) return tl::unexpected(ranges.error());
  auto inputs = tune::random_inputs(program, tune::bindings_of(program, sizes), seed, *ranges);
  if (!inputs) return tl::unexpected(inputs.error());
  auto sized = tune::with_sizes(program, sizes);
  if (!sized) return tl::unexpected(sized.error());
  auto outputs = tune::empty_leaves(sized->result());
  if (!outputs) return tl::unexpected(outputs.error());
  return SuiteCase{sizes, std::move(*sized), std::move(*inputs), std::move(*outputs)};
}

Result<std::shared_ptr<tune::Executable>> right_executable(runtime::Device& device,
                                                           const tune::Compiled& compiled,
                                                           const std::vector<Data>& inputs,
                                                           const Data& expected,
                                                           const interpret::ErrorBound& bound) {
  auto prepared = tune::Executable::prepare(device, compiled);
  if (!prepared) return tl::unexpected(prepared.error());
  auto executable = std::make_shared<tune::Executable>(std::move(*prepared));
  if (auto written = executable->write_inputs(inputs); !written) return tl::unexpected(written.error());
  if (auto poisoned = executable->poison(); !poisoned) return tl::unexpected(poisoned.error());
  if (auto ran = executable->run(); !ran) return tl::unexpected(ran.error());
  auto got = executable->read_outputs();
  if (!got) return tl::unexpected(got.error());
  auto comparison = interpret::compare(expected, *got, bound);
  if (!comparison) return tl::unexpected(comparison.error());
  if (!comparison->agrees()) return user_error("wrong: " + interpret::to_string(*comparison));
  return executable;
}

}  // namespace hoist::bench
