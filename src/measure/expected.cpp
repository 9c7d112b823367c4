#include "measure/expected.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "driver/work.hpp"
#include "interpret/conditioning.hpp"
#include "interpret/interpret.hpp"
#include "ir/print.hpp"
#include "measure/device_turn.hpp"
#include "measure/worker/task_memory.hpp"
#include "measure/worker/worker.hpp"

namespace hoist::measure {

namespace {

/// What evaluating the program costs the interpreter, roughly: scalar operations, but no fewer than elements.
Result<double> operations_of(const ir::Program& sized) {
  auto work = driver::work_of(sized);
  if (!work) return tl::unexpected(work.error());
  constexpr double bytes_per_element = 4;
  return std::max(work->flops, work->bytes / bytes_per_element);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Evaluated {
  Data data;
  interpret::ErrorBound bound;
};

/// Nothing where it has not done within so many seconds, or somebody ended it.
Result<std::optional<Evaluated>> by_interpreter(const Task& task, const MeasuringOptions& options,
                                                double seconds) {
  const arith::Bindings sizes = driver::bindings_of(task.program, task.sizes);
  Evaluated expected;
  interpret::Counts counts;
  const double until = seconds_now() + seconds;
  bool is_over = false;
  interpret::Options evaluating;
  evaluating.is_over = [&] { return is_over = seconds_now() > until || options.seconds_left() <= 0; };
  auto data = interpret::evaluate(task.program, task.inputs, sizes, evaluating, &counts);
  if (is_over) return std::nullopt;
  if (!data) return tl::unexpected(data.error());
  expected.data = std::move(*data);
  expected.bound = interpret::error_bound(task.program, sizes, &counts);
  auto widened =
      interpret::widen_if_needed(expected.bound, task.program, expected.data, [&](std::uint64_t noise) {
        interpret::Options disturbed = evaluating;
        disturbed.noise = noise;
        return interpret::evaluate(task.program, task.inputs, sizes, disturbed);
      });
  if (is_over) return std::nullopt;
  if (!widened) return tl::unexpected(widened.error());
  return expected;
}

tl::unexpected<Error> time_is_over() {
  return device_error("the time budget was used up before the expected result was computed", {},
                      "give more time (--budget) or smaller sizes");
}

/// Where a worker process wrote the default mapping's result, behind the inputs.
Result<Answer> by_device(const ir::Program& sized, const TaskMemory& memory, Station& station,
                         const MeasuringOptions& options) {
  if (auto ready = station.be_ready(); !ready) return tl::unexpected(ready.error());
  messages::Json message = candidate_message({.id = "default mapping", .program = ir::to_string(sized)});
  message["binary"] = messages::binary(std::string());
  message["output_at"] = memory.end();
  double limit = 0;
  const auto ask = [&](bool is_run) {
    message["is_run"] = is_run;
    limit = std::min(options.build_seconds + options.run_seconds, options.seconds_left());
    return station.ask(message, limit);
  };
  // Building may take seconds, in which others have the device.
  Answer answer = ask(false);
  if (answer.outcome.kind == OutcomeKind::Ok) {
    DeviceTurn turn(options.devices.at(0));
    if (!turn.take([&] { return options.seconds_left() <= 0; })) return time_is_over();
    answer = ask(true);
  }
  if (answer.outcome.kind == OutcomeKind::Timeout)
    return device_error(
        fmt::format("the default mapping, which candidates are compared with, was not built and "
                    "run on {} within {:.3g} s",
                    options.devices.at(0), limit),
        {}, "try another device, or smaller sizes");
  if (answer.outcome.kind != OutcomeKind::Ok)
    return device_error(
        fmt::format("the default mapping, which candidates are compared with, fails on {}: {}: {}",
                    options.devices.at(0), name_of(answer.outcome.kind), answer.outcome.message),
        {}, "try another device, or smaller sizes");
  return answer;
}

struct Small {
  driver::NamedSizes sizes;
  ir::Program sized;
};

/// Sizes halved, the largest first, until at most so many operations are left.
Result<Small> small_instance(const Task& task, double most) {
  Small small{task.sizes, task.program};
  for (;;) {
    auto sized = driver::with_sizes(task.program, small.sizes);
    if (!sized) return tl::unexpected(sized.error());
    small.sized = std::move(*sized);
    const auto operations = operations_of(small.sized);
    if (!operations) return tl::unexpected(operations.error());
    if (*operations <= most) return small;
    driver::NamedSizes by_value = small.sizes;
    std::stable_sort(by_value.begin(), by_value.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    const auto halved = std::find_if(by_value.begin(), by_value.end(), [&](const auto& each) {
      if (each.second < 2) return false;
      driver::NamedSizes fewer = small.sizes;
      for (auto& [name, value] : fewer) value = name == each.first ? value / 2 : value;
      if (!driver::with_sizes(task.program, fewer)) return false;
      small.sizes = std::move(fewer);
      return true;
    });
    if (halved == by_value.end())
      return user_error(
          "the program is too large for the reference interpreter, and has no smaller sizes at which the "
          "interpreter could check a device's result",
          {}, "name the sizes in the program that say how much it computes, in place of numbers");
  }
}

/// A number that is an index of every array of the program is less than this.
std::int64_t index_limit(const ir::Program& program, const driver::NamedSizes& sizes) {
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  for (arith::Expr size : program.sizes) {
    for (const auto& [name, value] : sizes) limit = size->name == name ? std::min(limit, value) : limit;
  }
  return limit;
}

/// A Bug where the device's result is another, but for one that overflows.
Result<void> agreement(const Evaluated& expected, const Data& got, const MeasuringOptions& options) {
  const auto comparison = interpret::compare(expected.data, got, expected.bound);
  if (!comparison) return tl::unexpected(comparison.error());
  if (comparison->agrees()) return {};
  const std::string words = interpret::to_string(*comparison);
  if (interpret::differs_by_overflow(expected.data, *comparison))
    return user_error("the result cannot be verified, since it overflows: " + words, {},
                      driver::overflow_help);
  return fail(ErrorKind::Bug,
              fmt::format("the default mapping's result on {} is wrong: {}", options.devices.at(0), words));
}

/// Sizes at which the first device's result is right; the error where it is not.
Result<driver::NamedSizes> verified_sizes(const Task& task, const MeasuringOptions& options,
                                          const target::Target& device, TaskMemory& memory,
                                          Station& station) {
  // What is counted of a program is rough: where evaluating takes longer than it should, less is evaluated.
  constexpr double share_of_time = 0.1, factor = 8;
  for (double most = 2e6; options.seconds_left() > 0; most /= factor) {
    auto small = small_instance(task, most);
    if (!small) return tl::unexpected(small.error());
    auto inputs = driver::smaller_inputs(task.inputs, small->sized, index_limit(task.program, small->sizes));
    if (!inputs) return tl::unexpected(inputs.error());
    const Task smaller{task.program, small->sizes, std::move(*inputs)};
    const auto expected = by_interpreter(smaller, options, share_of_time * options.seconds_left());
    if (!expected) return tl::unexpected(expected.error());
    if (!*expected) continue;
    auto setup = memory.task_of(smaller.inputs, options, device);
    if (!setup) return tl::unexpected(setup.error());
    station.change_task(std::move(*setup));
    const auto answer = by_device(small->sized, memory, station, options);
    if (!answer) return tl::unexpected(answer.error());
    const auto got = messages::shared(memory.memory(), answer->more);
    if (!got) return tl::unexpected(got.error());
    if (auto agrees = agreement(**expected, *got, options); !agrees) return tl::unexpected(agrees.error());
    return smaller.sizes;
  }
  return time_is_over();
}

}  // namespace

Result<Expected> expected_of(const Task& task, const MeasuringOptions& options, const target::Target& device,
                             TaskMemory& memory, std::optional<Station>& station) {
  auto sized = driver::with_sizes(task.program, task.sizes);
  if (!sized) return tl::unexpected(sized.error());
  const auto operations = operations_of(*sized);
  if (!operations) return tl::unexpected(operations.error());
  if (*operations <= options.most_interpreted) {
    constexpr double share_of_time = 0.25;
    auto evaluated = by_interpreter(task, options, share_of_time * options.seconds_left());
    if (!evaluated) return tl::unexpected(evaluated.error());
    if (*evaluated) {
      const auto kept = memory.expect((*evaluated)->data, (*evaluated)->bound);
      if (!kept) return tl::unexpected(kept.error());
      return Expected{std::move((*evaluated)->bound), {}};
    }
  }
  station.emplace(memory.station(options, device, measuring, options.is_cancelled));
  auto verified = verified_sizes(task, options, device, memory, *station);
  if (!verified) return tl::unexpected(verified.error());
  station->change_task(memory.task(options, device));
  auto answer = by_device(*sized, memory, *station, options);
  if (!answer) return tl::unexpected(answer.error());
  auto bound = interpret::error_bound(task.program, driver::bindings_of(task.program, task.sizes));
  if (auto kept = memory.expect(answer->more, bound); !kept) return tl::unexpected(kept.error());
  Expected expected{std::move(bound), std::move(*verified)};
  if (answer->outcome.median() >= options.rule.long_run) expected.run = std::move(answer->outcome);
  return expected;
}

}  // namespace hoist::measure
