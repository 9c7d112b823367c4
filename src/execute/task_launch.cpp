#include "execute/task_launch.hpp"

#include <algorithm>

namespace hoist::execute {
namespace {

/// The work-items that a task's numbers say.
runtime::Range range_of(const tasks::Cut& cut, const LaunchPlan& launch, std::size_t kernel,
                        const tasks::TaskStep& step, std::size_t task) {
  runtime::Range range = launch.kernels[kernel].range;
  const loop::LaunchRange& said = cut.plan.kernels[kernel].launch;
  for (std::size_t d = 0; d < said.global.size(); ++d) {
    arith::Bindings values;
    for (const arith::Expr& variable : arith::variables(said.global[d])) {
      for (const tasks::TaskNumber& each : step.numbers) {
        if (each.scalar == variable->name) values[variable.get()] = each.values[task];
      }
    }
    const auto items = arith::evaluate(said.global[d], values);
    if (!items) throw Bug("a launch depends on what its task is not told");
    range.global[d] = static_cast<std::size_t>(*items);
  }
  return range;
}

}  // namespace

TaskLaunch task_launch(const tasks::Cut& cut, const LaunchPlan& launch, const tasks::TaskStep& step,
                       std::size_t task) {
  const std::size_t kernel = std::get<loop::LaunchStep>(cut.plan.steps[step.step].node).kernel;
  TaskLaunch result{kernel, range_of(cut, launch, kernel, step, task), {}};
  for (const tasks::TaskNumber& each : step.numbers) {
    const auto scalar = std::find_if(launch.scalars.begin(), launch.scalars.end(),
                                     [&](const auto& known) { return known.name == each.scalar; });
    if (scalar == launch.scalars.end()) throw Bug("a launch plan lacks a number of a task");
    result.numbers.emplace_back(static_cast<std::size_t>(scalar - launch.scalars.begin()),
                                ScalarValue::of_integer(each.type, each.values[task]));
  }
  return result;
}

}  // namespace hoist::execute
