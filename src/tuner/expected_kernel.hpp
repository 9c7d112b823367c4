#pragma once
// The kernel that is expected to be the fastest, where nothing was measured.
#include <optional>

#include "tuner/stored_kernel.hpp"

namespace hoist::tuner {

/// What is expected of a program's candidates, none of which is built or run, each nest's by itself: of
/// reductions of two arrays that the nearest cache does not hold, such as products, the fastest of those that
/// are blocked for the caches (blockLoops), as analysis expects (blocking_analysis.hpp); of others that the
/// caches hold, and where blocks fit badly, the fastest of those whose loops are in an order of their own
/// (orderLoops), as the model that ships for a processor expects. Takes a few seconds at the most; what was
/// not looked at by then is left out. Nothing where neither is known, or where no order is expected to be
/// clearly faster than the default mapping. GPUs have no such kernel: their default mapping loses less, and
/// tuning finds the rest. `sized` has its sizes put in. Errors: those of the model and of exploring.
Result<std::optional<ChosenKernel>> expected_kernel(const ir::Program& sized, const target::Target& device);

}  // namespace hoist::tuner
