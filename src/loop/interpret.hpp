#pragma once
// Executes a plan on the loop IR, work-item by work-item, counting what it does and watching for races.
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "loop/counts.hpp"
#include "loop/kernel.hpp"
#include "loop/observer.hpp"

namespace hoist::loop {

struct ExecutionReport {
  Counts counts;
  std::vector<std::string>
      faults;  ///< races, divergent barriers, accesses out of bounds, reads of unset memory; at
               ///< most a few of each kind, each naming buffer, index and work-items
};

/// Memory by buffer name: raw elements in row-major order. Inputs are given, outputs are added.
using Memory = std::map<std::string, std::vector<std::byte>>;

/// Runs the whole plan with the sizes bound. A fault does not stop it (an out-of-bounds load gives 0, such a
/// store is dropped). A violated assumption or an unbound size is an error. `observer`, when given, is told
/// of every access and operation.
Result<ExecutionReport> interpret(const Plan& plan, const arith::Bindings& sizes,
                                  const std::map<std::string, ScalarValue>& scalars, Memory& memory,
                                  Observer* observer = nullptr);

/// Runs one of the plan's steps on memory that holds the buffers that it touches, in place, all of it taken
/// for written.
Result<ExecutionReport> interpret_step(const Plan& plan, const PlanStep& step, const arith::Bindings& sizes,
                                       const std::map<std::string, ScalarValue>& scalars, Memory& memory,
                                       Observer* observer = nullptr);

}  // namespace hoist::loop
