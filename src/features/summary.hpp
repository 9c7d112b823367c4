#pragma once
// All launches of a plan together: what the rows of the schema are computed from.
#include <algorithm>
#include <vector>

#include "features/estimate.hpp"

namespace hoist::features {

struct Summary {
  std::vector<Launch> launches;  ///< one a kernel
  std::size_t main = 0;          ///< the kernel whose launches take longest by the estimate
  double input_bytes = 0, output_bytes = 0, temporary_bytes = 0, copied_bytes = 0;
  double launch_count = 0;
  target::Machine machine;

  const Launch& main_launch() const { return launches[main]; }
  /// The sum over all launches of what `of` says of one.
  template <class Of>
  double sum(Of&& of) const {
    double result = 0;
    for (const Launch& launch : launches) result += launch.times * of(launch);
    return result;
  }
  template <class Of>
  double most(Of&& of) const {
    double result = 0;
    for (const Launch& launch : launches) result = std::max(result, static_cast<double>(of(launch)));
    return result;
  }
  double items() const {
    return sum([](const Launch& launch) { return launch.profile.work_items(); });
  }
  double per_item(double Profile::*total) const {
    return sum([&](const Launch& launch) { return launch.profile.*total; }) / items();
  }
  double operations(OperationKind kind) const {
    return sum(
        [&](const Launch& launch) { return launch.profile.operations[static_cast<std::size_t>(kind)]; });
  }
  /// Floating-point operations: a fused multiply-add is two.
  double flops() const;
};

Summary summary_of(const loop::Plan& plan, const target::Machine& machine);

}  // namespace hoist::features
