#pragma once
// A program whose text leaves holes ?t stands for a family: the space of what they may be, and what each choice becomes.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "space/space.hpp"
#include "tune/compile.hpp"

namespace hoist::tune {

/// What a candidate must fit: the device's limits.
struct DeviceLimits {
  std::int64_t group_size = 1024;      ///< work-items
  std::int64_t local_memory = 48 * 1024;  ///< bytes of a group
};
DeviceLimits limits_of(const runtime::DeviceInfo& device);

/// Smallest and largest values of parameters by name, where the caller bounds them.
using ParameterBounds = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

/// The space of a program's tuning parameters under what its patterns assume (a tile divides, a window fits). User errors: it
/// has none; a size that it depends on is not given; a bound for a parameter that it does not have.
Result<space::Space> space_of(const ir::Program& program, const ParameterBounds& bounds = {});

/// One point: its values, and the plan that it becomes or the reason why it is discarded.
struct Candidate {
  std::uint64_t id = 0;  ///< its rank in the space: the same in every run
  NamedSizes values;
  std::string discarded;  ///< empty, or why: "a group of 2048 work-items is larger than 1024"
  std::string reason;     ///< the kind of it, to count by: "group size", "local memory", "not compiled"
  std::size_t kernels = 0;
  std::int64_t group_size = 0;    ///< the largest of its kernels'
  std::int64_t local_memory = 0;  ///< bytes of a group, the most of its kernels
  std::size_t barriers = 0;       ///< in the text of all kernels
};
Candidate candidate(const ir::Program& program, const space::Space& space, std::uint64_t id,
                    const DeviceLimits& limits, const lower::Options& options);

}  // namespace hoist::tune
