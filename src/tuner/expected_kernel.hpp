#pragma once
// The kernel that a model expects to be the fastest, where nothing was measured.
#include <optional>

#include "tuner/stored_kernel.hpp"

namespace hoist::tuner {

/// What the model that ships for a processor expects of a program's candidates, none of which is built or
/// run: the fastest of those whose loops are in an order of their own (orderLoops), each nest's by itself.
/// Takes a few seconds at the most; what was not looked at by then is left out. Nothing where no model is of
/// such a device, or where none is expected to be clearly faster than the default mapping. GPUs have no such
/// kernel: their default mapping loses less, and tuning finds the rest. `sized` has its sizes put in. Errors:
/// those of the model and of exploring.
Result<std::optional<ChosenKernel>> expected_kernel(const ir::Program& sized, const target::Target& device);

}  // namespace hoist::tuner
