#pragma once
#include <string>

#include "driver/compile.hpp"

namespace hoist::bench {

/// The sizes at which a kernel is timed: those of kernels/sizes.json made smaller, so that the plain loops
/// take some 5 to 200 ms on two cores; what only moves data still has more of it than a last-level cache of
/// 100 MB holds. User error for a kernel that has none.
Result<driver::NamedSizes> timed_sizes(const std::string& kernel);

}  // namespace hoist::bench
