#pragma once
// Which loops are worth the threads that they are shared out to.
#include <cstdint>

#include "loop/kernel.hpp"

namespace hoist::codegen {

/// Whether all iterations of a parallel loop together are less work than waking threads and waiting for them:
/// some microseconds, and more where other programs keep the processors busy. `is_vector` where its innermost
/// loops fit vector instructions. False where a number of iterations has no bound.
bool is_too_little_to_share(const loop::For& loop, bool is_vector);

/// Of a loop that is worth it with the most iterations that it may have: how many of them are.
std::int64_t iterations_worth_sharing(const loop::For& loop, bool is_vector);

}  // namespace hoist::codegen
