#pragma once
// A sound mapping of any high-level program onto a device, for programs that nobody has tuned: outer maps
// onto up to three dimensions of work-items, whole-array reductions and scans in stages, everything else
// sequential and fused.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ir/term.hpp"
#include "target/processor.hpp"

namespace hoist::rewrite {

struct MappedProgram {
  ir::Program program;             ///< in low-level patterns
  std::vector<std::string> notes;  ///< what stayed sequential, and why
};

/// Programs that already say how (a parallel map occurs in them) are returned as they are. Shared
/// intermediate arrays are computed once, by kernels of their own. A reduction is parallelised only when its
/// operator is known, or claimed, to be associative; otherwise it stays in one work-item and a note says so.
Result<MappedProgram> default_mapping(const ir::Program& program, target::Processor processor);

}  // namespace hoist::rewrite
