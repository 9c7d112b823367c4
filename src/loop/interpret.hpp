#pragma once
// Executes a plan on the loop IR, work-item by work-item, counting what it does and watching for races.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "loop/kernel.hpp"
#include "loop/observer.hpp"

namespace hoist::loop {

/// Counts by address space (index: AddressSpace), summed over all work-items; vectors count once an access.
struct Counts {
  std::uint64_t loads[3] = {0, 0, 0};
  std::uint64_t stores[3] = {0, 0, 0};
  std::uint64_t barriers = 0;         ///< once per group that passes one
  std::uint64_t loop_iterations = 0;  ///< of loops that may run more than once
  std::uint64_t operations = 0;       ///< Operation values computed; index expressions are not counted
  std::uint64_t branches = 0;  ///< If statements and loops that run at most once, each time they are met
};

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

}  // namespace hoist::loop
