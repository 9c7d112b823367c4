#pragma once
// Values for the tuning parameters that a program leaves open, by which its default mapping runs.
#include "driver/compile.hpp"
#include "target/target.hpp"
#include "variants/open_sizes.hpp"

namespace hoist::tuner {

/// The point in the middle of their space: the first has the smallest values, of which the default mapping
/// would be slow. `sized` has its size variables put in. User error: no values satisfy all constraints.
Result<driver::NamedSizes> default_parameters(const ir::Program& sized, const target::Target& device,
                                              const variants::ParameterBounds& bounds = {});

}  // namespace hoist::tuner
