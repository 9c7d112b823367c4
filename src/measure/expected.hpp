#pragma once
// The result that candidates of a task are held against.
#include <optional>

#include "base/error.hpp"
#include "measure/task.hpp"
#include "measure/worker/station.hpp"
#include "measure/worker/task_memory.hpp"

namespace hoist::measure {

/// By the interpreter, or else by the default mapping on the first device, which is described: also where the
/// interpreter has not done in a quarter of the time that is left. The memory has the task's inputs, and gets
/// the result; the device's measuring worker, where one was needed, is left in `station`, since drivers may
/// take seconds to open a device. Errors: those of either; a Bug where they differ; a User error where they
/// do because the result overflows; a Device error where the time is over.
Result<Expected> expected_of(const Task& task, const MeasuringOptions& options, const target::Target& device,
                             TaskMemory& memory, std::optional<Station>& station);

}  // namespace hoist::measure
