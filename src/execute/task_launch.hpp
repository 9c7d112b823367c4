#pragma once
// What a task of a cut plan launches: whoever places tasks, on queues of one device or on several devices,
// launches them alike.
#include "execute/launch_plan.hpp"
#include "tasks/cut.hpp"

namespace hoist::execute {

/// The launch of a step, which is one of the plan's that launch a kernel, in a task. `launch` is the launch
/// plan of the cut.
TaskLaunch task_launch(const tasks::Cut& cut, const LaunchPlan& launch, const tasks::TaskStep& step,
                       std::size_t task);

}  // namespace hoist::execute
