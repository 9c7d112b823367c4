#include "loop/uses.hpp"

namespace hoist::loop {
namespace {

void collect(const Plan& plan, const PlanStep& step, Uses& uses) {
  if (auto* launch = std::get_if<LaunchStep>(&step.node)) {
    for (const KernelParameter& parameter : plan.kernels[launch->kernel].parameters) {
      auto* buffer = std::get_if<BufferParameter>(&parameter);
      if (!buffer) continue;
      uses.read.push_back(buffer->buffer.get());
      if (buffer->is_written) uses.written.push_back(buffer->buffer.get());
    }
  } else if (auto* copy = std::get_if<CopyStep>(&step.node)) {
    uses.read.push_back(copy->from.get());
    uses.written.push_back(copy->to.get());
  } else {
    auto& repeat = std::get<RepeatStep>(step.node);
    for (const BufferPtr& each : {repeat.count_from, repeat.condition}) {
      if (each) uses.read.push_back(each.get());
    }
    for (const auto* steps : {&repeat.test, &repeat.body}) {
      for (const PlanStep& inner : *steps) collect(plan, inner, uses);
    }
    for (const auto& [first, second] : repeat.exchanged) {
      uses.written.push_back(first.get());
      uses.written.push_back(second.get());
    }
  }
}

}  // namespace

Uses uses_of(const Plan& plan, const PlanStep& step) {
  Uses uses;
  collect(plan, step, uses);
  return uses;
}

}  // namespace hoist::loop
