#include <algorithm>
#include <limits>

#include "interpret/conditioning.hpp"
#include "ir/print.hpp"
#include "tune/inputs.hpp"
#include "tune/verify.hpp"
#include "tune/worker/task_memory.hpp"
#include "tune/worker/worker.hpp"

namespace hoist::tune {

namespace {

/// What evaluating the program costs the interpreter, roughly: scalar operations, but no fewer than elements.
Result<double> operations_of(const ir::Program& sized) {
  auto work = work_of(sized);
  if (!work) return tl::unexpected(work.error());
  constexpr double bytes_per_element = 4;
  return std::max(work->flops, work->bytes / bytes_per_element);
}

Result<Expected> by_interpreter(const Task& task) {
  const arith::Bindings sizes = bindings_of(task.program, task.sizes);
  Expected expected;
  interpret::Counts counts;
  auto data = interpret::evaluate(task.program, task.inputs, sizes, {}, &counts);
  if (!data) return tl::unexpected(data.error());
  expected.data = std::move(*data);
  expected.bound = interpret::error_bound(task.program, sizes, &counts);
  auto widened =
      interpret::widen_if_needed(expected.bound, task.program, expected.data, [&](std::uint64_t noise) {
        return interpret::evaluate(task.program, task.inputs, sizes, {.noise = noise});
      });
  if (!widened) return tl::unexpected(widened.error());
  return expected;
}

/// The default mapping's result, from worker processes.
Result<Data> by_device(const ir::Program& sized, const std::vector<Data>& inputs,
                       const MeasuringOptions& options) {
  auto memory = TaskMemory::of(inputs, nullptr);
  if (!memory) return tl::unexpected(memory.error());
  Station station(memory->station(options, options.devices.at(0), measuring, nullptr));
  if (auto ready = station.be_ready(); !ready) return tl::unexpected(ready.error());
  messages::Json message = candidate_message({.id = "default mapping", .program = ir::to_string(sized)});
  message["binary"] = messages::binary(std::string());
  message["output_at"] = memory->end();
  const Answer answer = station.ask(message, options.build_seconds + options.run_seconds);
  if (answer.outcome.kind != OutcomeKind::Ok)
    return device_error(
        fmt::format("the default mapping, which candidates are held against, fails on {}: {}: {}",
                    options.devices.at(0), name_of(answer.outcome.kind), answer.outcome.message),
        {}, "try another device, or smaller sizes");
  return messages::shared(memory->memory(), answer.more);
}

struct Small {
  NamedSizes sizes;
  ir::Program sized;
};

/// Sizes halved, the largest first, until the interpreter is done in a moment.
Result<Small> small_instance(const Task& task) {
  constexpr double most = 2e6;
  Small small{task.sizes, task.program};
  for (;;) {
    auto sized = with_sizes(task.program, small.sizes);
    if (!sized) return tl::unexpected(sized.error());
    small.sized = std::move(*sized);
    const auto operations = operations_of(small.sized);
    if (!operations) return tl::unexpected(operations.error());
    if (*operations <= most) return small;
    NamedSizes by_value = small.sizes;
    std::stable_sort(by_value.begin(), by_value.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    const auto halved = std::find_if(by_value.begin(), by_value.end(), [&](const auto& each) {
      if (each.second < 2) return false;
      NamedSizes fewer = small.sizes;
      for (auto& [name, value] : fewer) value = name == each.first ? value / 2 : value;
      if (!with_sizes(task.program, fewer)) return false;
      small.sizes = std::move(fewer);
      return true;
    });
    if (halved == by_value.end())
      return user_error(
          "the program is too large for the reference interpreter, and has no smaller sizes at which a "
          "device's result could be held against it",
          {}, "leave sizes open that say how much there is to compute");
  }
}

/// A number that is an index of every array of the program is less than this.
std::int64_t index_limit(const ir::Program& program, const NamedSizes& sizes) {
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  for (arith::Expr size : program.sizes) {
    for (const auto& [name, value] : sizes) limit = size->name == name ? std::min(limit, value) : limit;
  }
  return limit;
}

/// Sizes at which the first device's result is right; a Bug where it is not.
Result<NamedSizes> verified_sizes(const Task& task, const MeasuringOptions& options) {
  auto small = small_instance(task);
  if (!small) return tl::unexpected(small.error());
  auto inputs = smaller_inputs(task.inputs, small->sized, index_limit(task.program, small->sizes));
  if (!inputs) return tl::unexpected(inputs.error());
  const Task smaller{task.program, small->sizes, std::move(*inputs)};
  const auto expected = by_interpreter(smaller);
  if (!expected) return tl::unexpected(expected.error());
  const auto got = by_device(small->sized, smaller.inputs, options);
  if (!got) return tl::unexpected(got.error());
  const auto comparison = interpret::compare(expected->data, *got, expected->bound);
  if (!comparison) return tl::unexpected(comparison.error());
  if (comparison->agrees()) return smaller.sizes;
  return fail(ErrorKind::Bug, fmt::format("the default mapping's result on {} is wrong: {}",
                                          options.devices.at(0), interpret::to_string(*comparison)));
}

}  // namespace

Result<Expected> expected_of(const Task& task, const MeasuringOptions& options) {
  auto sized = with_sizes(task.program, task.sizes);
  if (!sized) return tl::unexpected(sized.error());
  const auto operations = operations_of(*sized);
  if (!operations) return tl::unexpected(operations.error());
  if (*operations <= options.most_interpreted) return by_interpreter(task);
  Expected expected;
  auto verified = verified_sizes(task, options);
  if (!verified) return tl::unexpected(verified.error());
  expected.verified_at = std::move(*verified);
  auto data = by_device(*sized, task.inputs, options);
  if (!data) return tl::unexpected(data.error());
  expected.data = std::move(*data);
  expected.bound = interpret::error_bound(task.program, bindings_of(task.program, task.sizes));
  return expected;
}

}  // namespace hoist::tune
