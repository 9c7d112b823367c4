#pragma once
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with products of floats rounded where a condition chooses them: no sum is fused with them,
/// whether the condition is there when the kernel is printed or has been decided for a part of a loop.
loop::Kernel round_chosen_products(loop::Kernel kernel);

}  // namespace hoist::codegen
