#pragma once
// Runs tasks of a launch plan on a device, each to its end before the next begins, or gives them to a queue.
#include <memory>
#include <vector>

#include "execute/launch_plan.hpp"
#include "runtime/device.hpp"
#include "runtime/queue.hpp"

namespace hoist::execute {

/// The time of one run, by what it was spent on; seconds.
struct RunTimes {
  double kernels = 0;
  std::vector<double> each_kernel;    ///< in the order of launches
  std::vector<std::size_t> launched;  ///< which kernel of the plan each of them is
};

/// Where tasks go that nobody waits for.
struct OnQueue {
  runtime::Queue& queue;
  std::vector<runtime::Event> after;  ///< what the first of them waits for
  runtime::Event last = {};           ///< of what was given last
};

/// The kernels of a launch plan, and where its arrays and scalars are at this moment of a run. A repetition
/// changes `places` and `scalars`.
struct PlanRun {
  runtime::Device& device;
  const LaunchPlan& plan;
  const std::vector<std::unique_ptr<runtime::Kernel>>& kernels;
  std::vector<ScalarValue>& scalars;
  std::vector<runtime::Buffer*>& places;  ///< by array of the plan
  /// Null: each task runs to its end, with its time. Else none may read what another has computed.
  OnQueue* on_queue = nullptr;

  /// What a kernel is launched with.
  std::vector<runtime::Argument> arguments(std::size_t kernel) const;
  Result<void> run(const LaunchPlan::Launch& launch, RunTimes& times) const;
  Result<void> run(const LaunchPlan::Copy& copy, RunTimes& times) const;
  Result<void> run(const LaunchPlan::Repeat& repeat, RunTimes& times) const;
  /// Tasks without uploads and downloads.
  Result<void> run(const std::vector<LaunchPlan::Task>& tasks, RunTimes& times) const;

  /// Whether the host reads during or after these tasks what they have computed.
  static bool needs_host(const std::vector<LaunchPlan::Task>& tasks);

  /// The array that kernels report faults in, where there is one, is cleared before a run ...
  Result<void> clear_faults() const;
  /// ... and looked at after it: the user's error that it tells of.
  Result<void> check_faults() const;
};

}  // namespace hoist::execute
