#pragma once
// Nests whose loops run as a schedule says.
#include "loop/kernel.hpp"
#include "loop/traverse.hpp"
#include "lower/schedule.hpp"

namespace hoist::lower {

/// Gives the nest that a kernel is the loops that a schedule asks for. User error where the kernel is no
/// perfect nest of loops of constant lengths, whatever its reduction does at their end, or where the schedule
/// is of other loops.
void run_by_schedule(loop::Kernel& kernel, const Schedule& schedule, loop::NameSource& names);

}  // namespace hoist::lower
