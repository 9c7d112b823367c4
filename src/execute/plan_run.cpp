#include "execute/plan_run.hpp"

#include <algorithm>

#include "base/overloaded.hpp"
#include "lower/lower.hpp"

namespace hoist::execute {

std::vector<runtime::Argument> PlanRun::arguments(std::size_t kernel) const {
  std::vector<runtime::Argument> result;
  for (const LaunchPlan::Parameter& parameter : plan.kernels[kernel].parameters) {
    if (parameter.image) {
      runtime::ImageArgument image = *parameter.image;
      image.buffer = places[parameter.index];
      result.emplace_back(image);
    } else if (parameter.is_array) {
      result.emplace_back(places[parameter.index]);
    } else {
      result.emplace_back(scalars[parameter.index]);
    }
  }
  return result;
}

namespace {

/// The end of what a queue was given takes the place of the one before, as what the next task is behind.
Result<void> keep(OnQueue& on, Result<runtime::Event> given) {
  if (!given) return tl::unexpected(std::move(given.error()));
  on.last = *std::move(given);
  on.after.clear();
  return {};
}

}  // namespace

Result<void> PlanRun::run(const LaunchPlan::Launch& launch, RunTimes& times) const {
  if (on_queue) {
    return keep(*on_queue, on_queue->queue.launch(*kernels[launch.kernel], arguments(launch.kernel),
                                                  plan.kernels[launch.kernel].range, on_queue->after));
  }
  auto seconds =
      device.launch(*kernels[launch.kernel], arguments(launch.kernel), plan.kernels[launch.kernel].range);
  if (!seconds) return tl::unexpected(seconds.error());
  times.kernels += *seconds;
  times.each_kernel.push_back(*seconds);
  times.launched.push_back(launch.kernel);
  return {};
}

Result<void> PlanRun::run(const LaunchPlan::Copy& copy, RunTimes&) const {
  const std::size_t bytes = plan.arrays[copy.to].bytes();
  if (on_queue) {
    return keep(*on_queue,
                on_queue->queue.copy(*places[copy.from], 0, *places[copy.to], 0, bytes, on_queue->after));
  }
  return device.copy(*places[copy.from], *places[copy.to], bytes);
}

Result<void> PlanRun::run(const LaunchPlan::Repeat& repeat, RunTimes& times) const {
  std::int64_t count = repeat.count;
  if (repeat.count_from) {
    std::int32_t given = 0;
    auto read = device.read(*places[*repeat.count_from], std::as_writable_bytes(std::span(&given, 1)));
    if (!read) return read;
    count = given;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (auto ran = run(repeat.test, times); !ran) return ran;
    if (repeat.condition) {
      std::uint8_t goes_on = 0;
      auto read = device.read(*places[*repeat.condition], std::as_writable_bytes(std::span(&goes_on, 1)));
      if (!read) return read;
      if (goes_on == 0) break;
    }
    if (repeat.number) scalars[*repeat.number] = ScalarValue::of_integer(Scalar::I32, i);
    if (auto ran = run(repeat.body, times); !ran) return ran;
    for (const auto& [first, second] : repeat.exchanged) std::swap(places[first], places[second]);
  }
  return {};
}

Result<void> PlanRun::run(const std::vector<LaunchPlan::Task>& tasks, RunTimes& times) const {
  const auto none = [](const auto&) -> Result<void> { throw Bug("a repetition has no transfers"); };
  for (const LaunchPlan::Task& task : tasks) {
    auto ran = std::visit(Overloaded{[&](const LaunchPlan::Upload& each) { return none(each); },
                                     [&](const LaunchPlan::Download& each) { return none(each); },
                                     [&](const LaunchPlan::Launch& each) { return run(each, times); },
                                     [&](const LaunchPlan::Copy& each) { return run(each, times); },
                                     [&](const LaunchPlan::Repeat& each) { return run(each, times); }},
                          task.node);
    if (!ran) return ran;
  }
  return {};
}

bool PlanRun::needs_host(const std::vector<LaunchPlan::Task>& tasks) {
  return std::ranges::any_of(tasks, [](const LaunchPlan::Task& task) {
    const auto* repeat = std::get_if<LaunchPlan::Repeat>(&task.node);
    return repeat &&
           (repeat->count_from || repeat->condition || needs_host(repeat->test) || needs_host(repeat->body));
  });
}

Result<void> PlanRun::clear_faults() const {
  if (!plan.faults) return {};
  constexpr std::int32_t none = 0;
  return device.write(*places[*plan.faults], std::as_bytes(std::span(&none, 1)));
}

Result<void> PlanRun::check_faults() const {
  if (!plan.faults) return {};
  std::int32_t flag = 0;
  auto read = device.read(*places[*plan.faults], std::as_writable_bytes(std::span(&flag, 1)));
  if (!read) return read;
  if (flag == static_cast<std::int32_t>(lower::Fault::NoValue)) {
    return user_error(
        "an operation on integers had no value while " + plan.name + " ran",
        "a division by zero, a shift by as many bits as the type has or more, or a negative power",
        "`hoist eval` with the same inputs says which");
  }
  if (flag != 0) {
    return user_error("an index was outside its array while " + plan.name + " ran",
                      "the program reads an element by a number that it computed or was given",
                      "`hoist eval` with the same inputs says which index");
  }
  return {};
}

}  // namespace hoist::execute
