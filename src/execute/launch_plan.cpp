// From a plan of the loop IR, whose sizes are expressions, to a launch plan, whose sizes are numbers. Three
// things happen on the way:
//
// - Sizes are evaluated; where one is still a variable, the user is told which.
// - The host's steps become tasks, each with the tasks that it waits for: a dependence graph, made from what
//   the steps read and write (task_order.hpp). Copies from and to the caller's memory become tasks of it.
// - Temporary arrays get memory. Two share a buffer where their live ranges do not overlap, as variables
//   share a register.
//
// As an example of the last, in
//
//   kernel0: x -> a     kernel1: a -> b     kernel2: b -> c     kernel3: c -> y
//
// kernel1 is the last to touch `a`, and kernel2, which must wait for it, is the first to touch `c`: so `c`
// takes the memory of `a` where that is large enough. Live ranges are compared in the partial order of the
// tasks, not in the order in which they are listed, so that sharing is right in whatever order the graph
// runs.
//
// Read `Resolution::run` first, which lists the steps; then `lives_of` and `add_temporaries` (live ranges,
// best fit), `resolved` (kernels and tasks) and `with_transfers` (uploads and downloads).
#include "execute/launch_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "execute/task_order.hpp"
#include "loop/traverse.hpp"
#include "loop/uses.hpp"
#include "lower/lower.hpp"

namespace hoist::execute {

using loop::BufferPtr;

namespace {

constexpr const char* give_sizes = "give all sizes on the command line (NAME=SIZE)";

using Touched = std::vector<const loop::Buffer*>;
using loop::Uses;

/// After a repetition an exchanged array may lie in the other's memory, as it does after an odd number of
/// rounds: both live as long as either is used. Calls fn(one, other) for each pair.
template <class Fn>
void for_each_exchange(const std::vector<loop::PlanStep>& steps, Fn&& fn) {
  loop::for_each_step(steps, [&](const loop::PlanStep& step) {
    const auto* repeat = std::get_if<loop::RepeatStep>(&step.node);
    if (!repeat) return;
    for (const auto& [one, other] : repeat->exchanged) fn(one.get(), other.get());
  });
}

/// Makes one launch plan of one plan.
class Resolution {
 public:
  explicit Resolution(const loop::Plan& plan) : plan_(plan) { result_.name = plan.name; }

  LaunchPlan run() {
    for (const loop::Assumption& assumption : plan_.assumptions) {
      if (arith::holds(assumption.predicate) == arith::Truth::No) throw_user(assumption.message);
    }
    for (const loop::PlanInput& input : plan_.inputs) {
      if (auto* buffer = std::get_if<BufferPtr>(&input)) {
        result_.inputs.push_back({true, add_with_memory(**buffer)});
      } else {
        const loop::Variable& variable = *std::get<loop::ScalarInput>(input).variable;
        scalar_index_.emplace(&variable, result_.scalars.size());
        result_.inputs.push_back({false, result_.scalars.size()});
        result_.scalars.push_back({variable.name, variable.type.scalar});
      }
    }
    for (const BufferPtr& buffer : plan_.outputs) result_.outputs.push_back(add_with_memory(*buffer));
    first_temporary_ = result_.arrays.size();
    const std::vector<Uses> uses = uses_of(plan_.steps);
    const TaskOrder order = order_of(uses);
    add_temporaries(uses, order);
    add_numbers();
    for (const loop::Kernel& kernel : plan_.kernels) result_.kernels.push_back(resolved(kernel));
    result_.tasks = with_transfers(resolved(plan_.steps, order), uses);
    return std::move(result_);
  }

 private:
  std::size_t add(const loop::Buffer& buffer, std::size_t memory) {
    auto scalars = buffer.scalars.constant();
    if (!scalars) {
      throw_user("the size of " + buffer.name + " is not known: " + arith::to_string(buffer.scalars), {},
                 give_sizes);
    }
    array_index_.emplace(&buffer, result_.arrays.size());
    result_.arrays.push_back(
        {buffer.name, buffer.type.scalar, static_cast<std::size_t>(*scalars), memory,
         std::bit_ceil(size_of(buffer.type.scalar) * static_cast<std::size_t>(buffer.type.width))});
    return result_.arrays.size() - 1;
  }

  std::size_t add_with_memory(const loop::Buffer& buffer) {
    std::size_t index = add(buffer, result_.memory.size());
    result_.memory.push_back(result_.arrays[index].bytes());
    return index;
  }

  void add_numbers() {
    loop::for_each_step(plan_.steps, [&](const loop::PlanStep& step) {
      const auto* repeat = std::get_if<loop::RepeatStep>(&step.node);
      if (!repeat || !repeat->number) return;
      scalar_index_.emplace(repeat->number.get(), result_.scalars.size());
      result_.scalars.push_back({repeat->number->name, repeat->number->type.scalar});
    });
  }

  std::vector<Uses> uses_of(const std::vector<loop::PlanStep>& steps) const {
    std::vector<Uses> uses;
    for (const loop::PlanStep& step : steps) uses.push_back(loop::uses_of(plan_, step));
    return uses;
  }

  /// Orders the steps by what they read and write. Kernels that raise the same fault flag need not wait for
  /// each other: the flag only ever becomes something else than 0.
  static TaskOrder order_of(const std::vector<Uses>& uses) {
    std::unordered_map<const loop::Buffer*, std::size_t> numbers;
    const auto numbered = [&](const Touched& buffers) {
      std::vector<std::size_t> result;
      for (const loop::Buffer* buffer : buffers) {
        if (buffer->name != lower::fault_flag)
          result.push_back(numbers.emplace(buffer, numbers.size()).first->second);
      }
      return result;
    };
    std::vector<Accesses> accesses;
    for (const Uses& each : uses) accesses.push_back({numbered(each.read), numbered(each.written)});
    return TaskOrder(accesses);
  }

  /// The live range of each buffer: the steps, in order, that touch it or a buffer with which it exchanges
  /// its memory.
  using Lives = std::unordered_map<const loop::Buffer*, std::vector<std::size_t>>;
  Lives lives_of(const std::vector<Uses>& uses) const {
    Lives lives;
    for (std::size_t step = 0; step < uses.size(); ++step) {
      for (const Touched* touched : {&uses[step].read, &uses[step].written}) {
        for (const loop::Buffer* buffer : *touched) lives[buffer].push_back(step);
      }
    }
    // Where exchanges form a chain, live ranges grow one after the other until nothing changes (a fixed
    // point).
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for_each_exchange(plan_.steps, [&](const loop::Buffer* one, const loop::Buffer* other) {
        std::set<std::size_t> both(lives[one].begin(), lives[one].end());
        both.insert(lives[other].begin(), lives[other].end());
        std::vector<std::size_t> joined(both.begin(), both.end());
        has_grown |= joined != lives[one] || joined != lives[other];
        lives[one] = lives[other] = std::move(joined);
      });
    }
    return lives;
  }

  /// Gives each temporary, in the order of their first uses, the smallest memory that is free and large
  /// enough (best fit), or new memory.
  void add_temporaries(const std::vector<Uses>& uses, const TaskOrder& order) {
    Lives lives = lives_of(uses);
    const auto begin_of = [&](const BufferPtr& buffer) {
      const auto& life = lives[buffer.get()];
      return life.empty() ? SIZE_MAX : life.front();
    };
    std::vector<BufferPtr> by_start = plan_.temporaries;
    std::stable_sort(by_start.begin(), by_start.end(),
                     [&](const BufferPtr& a, const BufferPtr& b) { return begin_of(a) < begin_of(b); });
    const std::size_t first_shared = result_.memory.size();
    std::vector<std::vector<const loop::Buffer*>> tenants;  // the temporaries in each shared memory
    const auto all_end_before = [&](const std::vector<const loop::Buffer*>& earlier,
                                    const loop::Buffer* later) {
      return std::all_of(earlier.begin(), earlier.end(), [&](const loop::Buffer* each) {
        if (each->name == lower::fault_flag) return false;  // the host reads it at the end
        return std::all_of(lives[each].begin(), lives[each].end(), [&](std::size_t end) {
          return std::all_of(lives[later].begin(), lives[later].end(),
                             [&](std::size_t begin) { return order.precedes(end, begin); });
        });
      });
    };
    for (const BufferPtr& buffer : by_start) {
      if (lives[buffer.get()].empty()) continue;  // nothing uses it
      const bool is_fault_flag = buffer->name == lower::fault_flag;
      const std::size_t array = add(*buffer, 0);
      const std::size_t bytes = result_.arrays[array].bytes();
      if (is_fault_flag) result_.faults = array;
      std::size_t best = tenants.size();
      auto bytes_of = [&](std::size_t slot) { return result_.memory[first_shared + slot]; };
      for (std::size_t slot = 0; slot < tenants.size(); ++slot) {
        const bool fits =
            !is_fault_flag && bytes_of(slot) >= bytes && all_end_before(tenants[slot], buffer.get());
        if (fits && (best == tenants.size() || bytes_of(slot) < bytes_of(best))) best = slot;
      }
      if (best == tenants.size()) {
        result_.memory.push_back(bytes);
        tenants.emplace_back();
      }
      tenants[best].push_back(buffer.get());
      result_.arrays[array].memory = first_shared + best;
    }
  }

  static runtime::ImageArgument image_of(const loop::Buffer& buffer, const LaunchPlan::Array& array) {
    const loop::ImageShape& shape = *buffer.image;
    const auto width = shape.width.constant();
    if (!width) {
      throw_user("the image " + array.name +
                     " has rows of a length that is not given: " + arith::to_string(shape.width),
                 {}, give_sizes);
    }
    const auto blocks = static_cast<std::size_t>(shape.blocks);
    runtime::ImageArgument image{nullptr, buffer.type.scalar, static_cast<std::size_t>(shape.channels),
                                 blocks * static_cast<std::size_t>(*width)};
    image.blocks = blocks;
    image.height = image.width == 0 ? 0 : array.elements / (image.channels * image.width);
    return image;
  }

  /// Nothing where that depends on sizes. A launch may depend on scalars, which have bounds.
  static std::optional<std::int64_t> most_work_items(arith::Expr extent) {
    for (const arith::Expr& variable : arith::variables(extent)) {
      if (variable->variable_kind != arith::VariableKind::Data) return std::nullopt;
    }
    return extent->facts.maximum;
  }

  LaunchPlan::Kernel resolved(const loop::Kernel& kernel) {
    LaunchPlan::Kernel result{kernel.name, {}, {}};
    for (std::size_t d = 0; d < 3; ++d) {
      auto global = most_work_items(kernel.launch.global[d]), local = kernel.launch.local[d].constant();
      if (!global || !local) {
        throw_user("the launch of " + kernel.name +
                       " depends on sizes that are not given: " + arith::to_string(kernel.launch.global[d]),
                   {}, give_sizes);
      }
      result.range.global[d] = static_cast<std::size_t>(*global);
      result.range.local[d] = static_cast<std::size_t>(*local);
    }
    for (const loop::KernelParameter& parameter : kernel.parameters) {
      if (auto* buffer = std::get_if<loop::BufferParameter>(&parameter)) {
        const std::size_t array = array_index_.at(buffer->buffer.get());
        result.parameters.push_back({true, array, buffer->is_written});
        if (buffer->buffer->image && !buffer->is_written)
          result.parameters.back().image = image_of(*buffer->buffer, result_.arrays[array]);
      } else if (auto* scalar = std::get_if<loop::ScalarParameter>(&parameter)) {
        result.parameters.push_back({false, scalar_index_.at(scalar->variable.get())});
      } else {
        throw Bug("a size is still a parameter of a kernel that runs");
      }
    }
    return result;
  }

  std::vector<LaunchPlan::Task> resolved_inside(const std::vector<loop::PlanStep>& steps) {
    return resolved(steps, order_of(uses_of(steps)));
  }

  std::vector<LaunchPlan::Task> resolved(const std::vector<loop::PlanStep>& steps, const TaskOrder& order) {
    std::vector<LaunchPlan::Task> result;
    for (const loop::PlanStep& step : steps) {
      if (auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
        result.push_back({LaunchPlan::Launch{launch->kernel}, {}});
      } else if (auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
        result.push_back(
            {LaunchPlan::Copy{array_index_.at(copy->from.get()), array_index_.at(copy->to.get())}, {}});
      } else {
        auto& repeat = std::get<loop::RepeatStep>(step.node);
        auto count = repeat.count_from ? std::optional<std::int64_t>(0) : repeat.count.constant();
        if (!count)
          throw_user("the number of iterations is not known: " + arith::to_string(repeat.count), {},
                     give_sizes);
        LaunchPlan::Repeat each{
            *count, {}, {}, resolved_inside(repeat.test), {}, resolved_inside(repeat.body), {}};
        if (repeat.count_from) each.count_from = array_index_.at(repeat.count_from.get());
        if (repeat.number) each.number = scalar_index_.at(repeat.number.get());
        if (repeat.condition) each.condition = array_index_.at(repeat.condition.get());
        for (const auto& [first, second] : repeat.exchanged) {
          each.exchanged.emplace_back(array_index_.at(first.get()), array_index_.at(second.get()));
          if (std::min(each.exchanged.back().first, each.exchanged.back().second) < first_temporary_) {
            throw Bug("an input or output of " + plan_.name + " exchanges its memory");
          }
        }
        result.push_back({std::move(each), {}});
      }
    }
    for (std::size_t task = 0; task < result.size(); ++task) result[task].after = order.after(task);
    return result;
  }

  /// Adds the tasks that copy arrays from and to the caller's memory: an upload stands just before the first
  /// task that touches its array, a download just behind the last.
  std::vector<LaunchPlan::Task> with_transfers(std::vector<LaunchPlan::Task> tasks,
                                               const std::vector<Uses>& uses) const {
    const auto arrays = [&](const Uses& each) {
      std::set<std::size_t> result;
      for (const Touched* touched : {&each.read, &each.written}) {
        for (const loop::Buffer* buffer : *touched) result.insert(array_index_.at(buffer));
      }
      return result;
    };
    std::vector<std::set<std::size_t>> touched;
    for (const Uses& each : uses) touched.push_back(arrays(each));
    std::vector<std::optional<std::size_t>> uploads(result_.arrays.size());
    std::vector<std::size_t> place(tasks.size());  // where each task is in the new list
    std::vector<LaunchPlan::Task> result;
    const auto download = [&](std::size_t output, std::vector<std::size_t> after) {
      result.push_back({LaunchPlan::Download{output}, std::move(after)});
    };
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      std::vector<std::size_t> after;
      for (std::size_t leaf = 0; leaf < result_.inputs.size(); ++leaf) {
        const LaunchPlan::Input& input = result_.inputs[leaf];
        if (!input.is_array || !touched[task].contains(input.index)) continue;
        if (!uploads[input.index]) {
          uploads[input.index] = result.size();
          result.push_back({LaunchPlan::Upload{leaf}, {}});
        }
        after.push_back(*uploads[input.index]);
      }
      for (std::size_t earlier : tasks[task].after) after.push_back(place[earlier]);
      std::sort(after.begin(), after.end());
      place[task] = result.size();
      result.push_back({std::move(tasks[task].node), std::move(after)});
      for (std::size_t leaf = 0; leaf < result_.outputs.size(); ++leaf) {
        const auto touches = [&](const std::set<std::size_t>& each) {
          return each.contains(result_.outputs[leaf]);
        };
        const bool is_last =
            touches(touched[task]) &&
            std::none_of(touched.begin() + static_cast<std::ptrdiff_t>(task) + 1, touched.end(), touches);
        if (is_last) download(leaf, writers_of(result_.outputs[leaf], uses, task, place));
      }
    }
    return result;
  }

  /// Finds the last task, among those up to `last`, that writes an array, and returns its place in the new
  /// list; nothing where none does.
  std::vector<std::size_t> writers_of(std::size_t array, const std::vector<Uses>& uses, std::size_t last,
                                      const std::vector<std::size_t>& place) const {
    for (std::size_t task = last + 1; task-- > 0;) {
      const Touched& written = uses[task].written;
      const bool writes = std::any_of(written.begin(), written.end(), [&](const loop::Buffer* buffer) {
        return array_index_.at(buffer) == array;
      });
      if (writes) return {place[task]};
    }
    return {};
  }

  const loop::Plan& plan_;
  LaunchPlan result_;
  std::size_t first_temporary_ = 0;
  std::unordered_map<const loop::Buffer*, std::size_t> array_index_;
  std::unordered_map<const loop::Variable*, std::size_t> scalar_index_;
};

}  // namespace

Result<LaunchPlan> launch_plan(const loop::Plan& plan) {
  return catch_failure([&] { return Resolution(plan).run(); });
}

}  // namespace hoist::execute
