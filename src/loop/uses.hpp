#pragma once
// Which of a plan's buffers a step of the host touches.
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::loop {

/// The buffers that a step reads and those that it writes; one may be named several times. A repetition is
/// one step: what it touches lives through all of its rounds, and exchanged memory is written.
struct Uses {
  std::vector<const Buffer*> read, written;
};

Uses uses_of(const Plan& plan, const PlanStep& step);

}  // namespace hoist::loop
