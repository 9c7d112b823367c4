#include "features/summary.hpp"

namespace hoist::features {

namespace {

double bytes_of(const loop::Buffer& buffer) {
  return static_cast<double>(buffer.scalars.constant().value_or(1)) *
         static_cast<double>(size_of(buffer.type.scalar));
}

/// How often each kernel is launched, and what is copied.
void count(const std::vector<loop::PlanStep>& steps, double times, std::vector<double>& launches,
           double& copied) {
  for (const loop::PlanStep& step : steps) {
    if (const auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
      launches[launch->kernel] += times;
    } else if (const auto* repeat = std::get_if<loop::RepeatStep>(&step.node)) {
      const auto rounds = repeat->count ? repeat->count.constant() : std::nullopt;
      for (const auto* inner : {&repeat->test, &repeat->body}) {
        count(*inner, times * static_cast<double>(rounds.value_or(1)), launches, copied);
      }
    } else if (const auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
      copied += times * bytes_of(*copy->from);
    }
  }
}

}  // namespace

double Summary::flops() const {
  return operations(OperationKind::FloatAdd) + operations(OperationKind::FloatMultiply) +
         2 * operations(OperationKind::FloatFused) + operations(OperationKind::FloatSimple) +
         operations(OperationKind::FloatDivide) + operations(OperationKind::FloatSpecial);
}

Summary summary_of(const loop::Plan& plan, const target::Machine& machine) {
  Summary result;
  result.machine = machine;
  std::vector<double> times(plan.kernels.size());
  count(plan.steps, 1, times, result.copied_bytes);
  double longest = -1;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    Launch launch = launch_of(plan.kernels[i], machine);
    launch.times = times[i];
    result.launch_count += times[i];
    if (times[i] * launch.estimate.total > longest) {
      longest = times[i] * launch.estimate.total;
      result.main = i;
    }
    result.launches.push_back(std::move(launch));
  }
  for (const loop::PlanInput& input : plan.inputs) {
    if (const auto* buffer = std::get_if<loop::BufferPtr>(&input)) result.input_bytes += bytes_of(**buffer);
  }
  for (const loop::BufferPtr& output : plan.outputs) result.output_bytes += bytes_of(*output);
  for (const loop::BufferPtr& temporary : plan.temporaries) result.temporary_bytes += bytes_of(*temporary);
  return result;
}

}  // namespace hoist::features
