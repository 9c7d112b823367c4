#pragma once
// A program that is cut into tasks and printed, for a device that need not be there.
#include <string>
#include <vector>

#include "driver/compile.hpp"
#include "execute/streamed_plan.hpp"
#include "target/target.hpp"

namespace hoist::execute {

/// A program cut into tasks, whose kernels are printed and not built yet. It keeps no expression, so it
/// outlives the arena of what it was made from.
struct CutProgram {
  StreamedPlan plan;
  std::string source;                             ///< of all kernels
  std::vector<std::size_t> dynamic_local_memory;  ///< by kernel, as driver::Compiled has it
  bool unpins = false;                            ///< as StreamOptions have it
};
/// Cuts the plan of `compiled`, the program without tasks, all of whose sizes are numbers. The limit of
/// memory is the options' or the device's, whichever is less. User errors: those of streamed_plan.
Result<CutProgram> cut_program(const driver::Compiled& compiled, StreamOptions options,
                               const target::Target& device);

}  // namespace hoist::execute
