#include "loop/interpret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "loop/executable.hpp"
#include "loop/group_executor.hpp"
#include "loop/traverse.hpp"

namespace hoist::loop {
namespace {

/// Runs a plan's steps on memory that is known by the names of the plan's buffers.
class PlanExecutor {
 public:
  PlanExecutor(const Plan& plan, const arith::Bindings& sizes,
               const std::map<std::string, ScalarValue>& scalars, Observer* observer)
      : plan_(plan), sizes_(sizes), scalars_(scalars) {
    state_.observer = observer;
    declare_numbers();
    for (const arith::Expr& size : plan.sizes) {
      if (!sizes.contains(size.get())) throw_user(fmt::format("size {} is not bound", size->name));
    }
    for (const Assumption& assumption : plan.assumptions) {
      const auto holds = arith::evaluate(assumption.predicate, sizes);
      if (!holds.value_or(false)) throw_user(assumption.message);
    }
    kernels_.resize(plan.kernels.size());
  }

  ExecutionReport run(Memory& memory) {
    for (const PlanInput& input : plan_.inputs) {
      const auto* buffer = std::get_if<BufferPtr>(&input);
      if (!buffer) continue;
      WatchedMemory& watched = add(**buffer);
      const auto given = memory.find((*buffer)->name);
      if (given == memory.end()) throw_user(fmt::format("input '{}' is not given", (*buffer)->name));
      if (given->second.size() != watched.bytes().size()) {
        throw_user(fmt::format("input '{}' has {} bytes, not {}", (*buffer)->name, watched.bytes().size(),
                               given->second.size()));
      }
      watched.bytes() = given->second;
      watched.mark_all_set();
    }
    for (const BufferPtr& output : plan_.outputs) add(*output);
    for (const BufferPtr& temporary : plan_.temporaries) add(*temporary);
    run(plan_.steps);
    for (const BufferPtr& output : plan_.outputs) {
      WatchedMemory& watched = named(output->name);
      if (const std::int64_t unset = watched.count_unset(); unset > 0) {
        state_.faults.add(FaultKind::Unset, fmt::format("{} of the {} scalars of output {} are never written",
                                                        unset, watched.scalars(), output->name));
      }
      memory[output->name] = std::move(watched.bytes());
    }
    return {state_.counts, state_.faults.take()};
  }

  ExecutionReport run_step(const PlanStep& step, Memory& memory) {
    for (const Buffer* buffer : all_buffers()) {
      const auto given = memory.find(buffer->name);
      if (given == memory.end()) continue;
      WatchedMemory& watched = add(*buffer);
      if (given->second.size() != watched.bytes().size())
        throw Bug(fmt::format("the memory of '{}' has {} bytes, not {}", buffer->name, given->second.size(),
                              watched.bytes().size()));
      watched.bytes() = std::move(given->second);
      watched.mark_all_set();
    }
    run({step});
    for (auto& [name, watched] : memory_) memory[name] = std::move(watched->bytes());
    return {state_.counts, state_.faults.take()};
  }

 private:
  std::vector<const Buffer*> all_buffers() const {
    std::vector<const Buffer*> result;
    for (const PlanInput& input : plan_.inputs) {
      if (const auto* buffer = std::get_if<BufferPtr>(&input)) result.push_back(buffer->get());
    }
    for (const auto* buffers : {&plan_.outputs, &plan_.temporaries}) {
      for (const BufferPtr& buffer : *buffers) result.push_back(buffer.get());
    }
    return result;
  }

  /// The rounds that kernels of a repetition are told, until it begins.
  void declare_numbers() {
    for_each_step(plan_.steps, [&](const PlanStep& step) {
      const auto* repeat = std::get_if<RepeatStep>(&step.node);
      if (!repeat || !repeat->number) return;
      scalars_[repeat->number->name] = ScalarValue::of_integer(Scalar::I32, 0);
      numbers_.insert(repeat->number->name);
    });
  }

  bool is_told_a_round(const Kernel& kernel) const {
    return std::ranges::any_of(kernel.parameters, [&](const KernelParameter& parameter) {
      const auto* scalar = std::get_if<ScalarParameter>(&parameter);
      return scalar && numbers_.contains(scalar->variable->name);
    });
  }

  /// What the host reads while it runs the plan.
  template <class T>
  T one(const Buffer& buffer) {
    T value;
    std::memcpy(&value, named(buffer.name).bytes().data(), sizeof value);
    return value;
  }

  WatchedMemory& add(const Buffer& buffer) {
    const std::int64_t scalars = evaluate_size(buffer.scalars, sizes_, "the size of buffer " + buffer.name);
    if (scalars < 0) throw_user(fmt::format("buffer {} has a negative size", buffer.name));
    auto& place = memory_[buffer.name];
    place =
        std::make_unique<WatchedMemory>(buffer.name, buffer.type.scalar, AddressSpace::Global, scalars, 1);
    return *place;
  }

  WatchedMemory& named(const std::string& name) {
    const auto found = memory_.find(name);
    if (found == memory_.end()) throw Bug(fmt::format("the plan has no buffer '{}'", name));
    return *found->second;
  }

  void run(const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) {
      if (const auto* launch = std::get_if<LaunchStep>(&step.node)) {
        run(*launch);
      } else if (const auto* repeat = std::get_if<RepeatStep>(&step.node)) {
        const std::int64_t count = repeat->count_from
                                       ? one<std::int32_t>(*repeat->count_from)
                                       : evaluate_size(repeat->count, sizes_, "the number of repetitions");
        for (std::int64_t time = 0; time < count; ++time) {
          run(repeat->test);
          if (repeat->condition && one<std::uint8_t>(*repeat->condition) == 0) break;
          if (repeat->number) scalars_[repeat->number->name] = ScalarValue::of_integer(Scalar::I32, time);
          run(repeat->body);
          for (const auto& [first, second] : repeat->exchanged)
            named(first->name).exchange(named(second->name));
        }
      } else if (const auto* copy = std::get_if<CopyStep>(&step.node)) {
        named(copy->to->name).assign(named(copy->from->name));
      }
    }
  }

  void run(const LaunchStep& launch) {
    const Kernel& source = plan_.kernels.at(launch.kernel);
    auto& prepared = kernels_.at(launch.kernel);
    if (!prepared || is_told_a_round(source)) prepared = prepare(source, sizes_, scalars_);
    const Executable& kernel = *prepared;
    std::vector<WatchedMemory*> parameters(kernel.buffers.size());
    for (std::size_t slot = 0; slot < kernel.buffers.size(); ++slot) {
      const ReadyBuffer& buffer = kernel.buffers[slot];
      if (!buffer.is_parameter) continue;
      parameters[slot] = &named(buffer.name);
      if (parameters[slot]->scalars() != buffer.scalars || parameters[slot]->scalar() != buffer.scalar) {
        throw Bug(fmt::format("kernel {} and the plan disagree on buffer '{}'", kernel.name, buffer.name));
      }
    }
    if (state_.observer != nullptr) state_.observer->launch(kernel.name, kernel.local);
    GroupExecutor(kernel, parameters, state_).run_all_groups();
  }

  const Plan& plan_;
  const arith::Bindings& sizes_;
  std::map<std::string, ScalarValue> scalars_;
  std::unordered_set<std::string> numbers_;  ///< of rounds, among the scalars
  std::vector<std::optional<Executable>> kernels_;  ///< prepared at the first launch
  std::unordered_map<std::string, std::unique_ptr<WatchedMemory>> memory_;
  ExecutionState state_;
};

}  // namespace

Result<ExecutionReport> interpret(const Plan& plan, const arith::Bindings& sizes,
                                  const std::map<std::string, ScalarValue>& scalars, Memory& memory,
                                  Observer* observer) {
  return catch_failure([&] { return PlanExecutor(plan, sizes, scalars, observer).run(memory); });
}

Result<ExecutionReport> interpret_step(const Plan& plan, const PlanStep& step, const arith::Bindings& sizes,
                                       const std::map<std::string, ScalarValue>& scalars, Memory& memory,
                                       Observer* observer) {
  return catch_failure([&] { return PlanExecutor(plan, sizes, scalars, observer).run_step(step, memory); });
}

}  // namespace hoist::loop
