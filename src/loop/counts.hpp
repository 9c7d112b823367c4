#pragma once
// What the interpreter of plans counts.
#include <cstdint>

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

}  // namespace hoist::loop
