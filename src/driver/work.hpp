#pragma once
// How much a program moves and computes.
#include "base/error.hpp"
#include "ir/term.hpp"

namespace hoist::driver {

/// Bytes that the inputs and outputs of a program hold, and the floating-point operations it specifies, all
/// sizes given: what `--repeat` divides by the time. Every input byte counts as read once, every output byte
/// as written once.
struct Work {
  double bytes = 0;
  double flops = 0;
};
Result<Work> work_of(const ir::Program& program);

}  // namespace hoist::driver
