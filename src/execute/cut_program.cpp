#include "execute/cut_program.hpp"

#include "execute/executable.hpp"

namespace hoist::execute {

Result<CutProgram> cut_program(const driver::Compiled& compiled, StreamOptions options,
                               const target::Target& device) {
  if (device.global_memory > 0 && (options.memory == 0 || options.memory > device.global_memory))
    options.memory = device.global_memory;
  options.largest_buffer = device.largest_buffer;
  auto streamed = streamed_plan(compiled.plan, options);
  if (!streamed) return tl::unexpected(streamed.error());
  auto cut = driver::with_plan(compiled, std::move(streamed->cut.plan), device);
  if (!cut) return tl::unexpected(cut.error());
  if (auto checked = check_kernels_fit(*cut, device); !checked) return tl::unexpected(checked.error());
  return CutProgram{std::move(streamed->plan), std::move(cut->source), std::move(cut->dynamic_local_memory),
                    options.unpins};
}

}  // namespace hoist::execute
