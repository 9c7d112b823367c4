#pragma once
// How many work-items a kernel is launched with, read from the lengths of its parallel maps.
#include "ir/term.hpp"
#include "loop/kernel.hpp"
#include "lower/lower.hpp"

namespace hoist::lower {

/// What a kernel's term uses of the device's hierarchy, and the launch that follows.
struct KernelShape {
  bool uses_global = false;      ///< mapGlb
  bool uses_groups = false;      ///< mapWrg
  bool uses_local = false;       ///< mapLcl
  bool spreads_private = false;  ///< some private array is spread over the work-items of a group
  loop::LaunchRange launch;
};

/// A reduction by key asks for no longer groups: its work-items go on in a loop.
inline constexpr std::int64_t most_keyed_items = 256;

/// The shape of the launch of a term that becomes one kernel. Throws Failure (User) when mapGlb and mapWrg or
/// mapLcl are mixed.
KernelShape kernel_shape(ir::Term term, const Options& options);

/// Whether a parallel map occurs anywhere in the term, under lambdas too.
bool contains_parallel_map(ir::Term term);

}  // namespace hoist::lower
