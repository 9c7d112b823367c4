#pragma once
// A sound mapping of any high-level program onto a device, for programs that nobody has tuned: outer maps
// onto up to three dimensions of work-items, whole-array reductions and scans in stages, everything else
// sequential and fused.
#include <functional>
#include <optional>
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

/// How somebody else maps a nest that the default mapping meets; nothing where it is to be mapped by default.
/// A nest is a term that kernels of its own compute: an array whose elements can be computed alone, or a
/// reduction that can be done in parallel; or several of them, bound by `let`. Its arguments are variables.
using NestMapping = std::function<std::optional<ir::Term>(ir::Term)>;

/// The default mapping of a term that is in stages (rewrite/stages.hpp): it has no loose indices. Failures:
/// as default_mapping.
ir::Term map_by_default(ir::Term term, target::Processor processor, std::vector<std::string>& notes,
                        const NestMapping& own = {});

}  // namespace hoist::rewrite
