#include "suite_case.hpp"

#include "driver/inputs.hpp"
#include "execute/executable.hpp"

namespace hoist::bench {

namespace {

constexpr std::uint64_t seed = 20261121;

}  // namespace

Result<SuiteCase> suite_case(const driver::SuiteProgram& entry, const ir::Program& program,
                             const driver::NamedSizes& sizes) {
  auto ranges = entry.ranges(sizes);
  if (!ranges) return tl::unexpected(ranges.error());
  auto inputs = driver::random_inputs(program, driver::bindings_of(program, sizes), seed, *ranges);
  if (!inputs) return tl::unexpected(inputs.error());
  auto sized = driver::with_sizes(program, sizes);
  if (!sized) return tl::unexpected(sized.error());
  auto outputs = driver::empty_leaves(sized->result());
  if (!outputs) return tl::unexpected(outputs.error());
  return SuiteCase{sizes, std::move(*sized), std::move(*inputs), std::move(*outputs)};
}

Result<std::shared_ptr<execute::Executable>> right_executable(runtime::Device& device,
                                                              const driver::Compiled& compiled,
                                                              const std::vector<Data>& inputs,
                                                              const Data& expected,
                                                              const interpret::ErrorBound& bound) {
  auto prepared = execute::Executable::prepare(device, compiled);
  if (!prepared) return tl::unexpected(prepared.error());
  auto executable = std::make_shared<execute::Executable>(std::move(*prepared));
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
