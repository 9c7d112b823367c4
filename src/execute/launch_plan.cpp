#include "execute/launch_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "lower/lower.hpp"

namespace hoist::execute {

using loop::BufferPtr;

namespace {

constexpr const char* give_sizes = "give all sizes on the command line (NAME=SIZE)";

/// First and last step (in launch order) that touches each temporary: those whose lives do not meet share
/// memory.
struct Life {
  std::size_t first = SIZE_MAX, last = 0;
  void touch(std::size_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
  bool operator==(const Life&) const = default;
};
using Lives = std::unordered_map<const loop::Buffer*, Life>;

void collect_lives(const loop::Plan& plan, const std::vector<loop::PlanStep>& steps, std::size_t& clock,
                   Lives& lives) {
  for (const loop::PlanStep& step : steps) {
    if (auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
      for (const loop::KernelParameter& parameter : plan.kernels[launch->kernel].parameters) {
        if (auto* buffer = std::get_if<loop::BufferParameter>(&parameter))
          lives[buffer->buffer.get()].touch(clock);
      }
    } else if (auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
      lives[copy->from.get()].touch(clock);
      lives[copy->to.get()].touch(clock);
    } else {
      // What a repeated body touches lives through all of its rounds.
      auto& repeat = std::get<loop::RepeatStep>(step.node);
      Lives inside;
      std::size_t begin = clock;
      for (const BufferPtr& each : {repeat.count_from, repeat.condition}) {
        if (each) inside[each.get()].touch(begin);
      }
      collect_lives(plan, repeat.test, clock, inside);
      collect_lives(plan, repeat.body, clock, inside);
      for (const auto& [first, second] : repeat.exchanged) {
        for (const BufferPtr& each : {first, second}) inside[each.get()].touch(begin);
      }
      for (auto& [buffer, life] : inside) {
        lives[buffer].touch(begin);
        lives[buffer].touch(clock);
      }
    }
    ++clock;
  }
}

/// After a repetition an exchanged array may lie in the other's memory, as it does after an odd number of
/// rounds: both live as long as either is used. Returns whether a life grew; those of chains of exchanges
/// grow one after the other.
bool join_exchanged(const std::vector<loop::PlanStep>& steps, Lives& lives) {
  bool has_grown = false;
  for (const loop::PlanStep& step : steps) {
    auto* repeat = std::get_if<loop::RepeatStep>(&step.node);
    if (!repeat) continue;
    has_grown |= join_exchanged(repeat->body, lives);
    for (const auto& [one, other] : repeat->exchanged) {
      Life &first = lives[one.get()], &second = lives[other.get()];
      const Life both{std::min(first.first, second.first), std::max(first.last, second.last)};
      has_grown |= first != both || second != both;
      first = second = both;
    }
  }
  return has_grown;
}

/// Puts the numbers in.
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
    add_temporaries();
    add_numbers(plan_.steps);
    for (const loop::Kernel& kernel : plan_.kernels) result_.kernels.push_back(resolved(kernel));
    result_.steps = resolved(plan_.steps);
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
    result_.arrays.push_back({buffer.name, buffer.type.scalar, static_cast<std::size_t>(*scalars), memory});
    return result_.arrays.size() - 1;
  }

  std::size_t add_with_memory(const loop::Buffer& buffer) {
    std::size_t index = add(buffer, result_.memory.size());
    result_.memory.push_back(result_.arrays[index].bytes());
    return index;
  }

  void add_numbers(const std::vector<loop::PlanStep>& steps) {
    for (const loop::PlanStep& step : steps) {
      const auto* repeat = std::get_if<loop::RepeatStep>(&step.node);
      if (!repeat) continue;
      if (const auto& number = repeat->number) {
        scalar_index_.emplace(number.get(), result_.scalars.size());
        result_.scalars.push_back({number->name, number->type.scalar});
      }
      add_numbers(repeat->body);
    }
  }

  /// Each takes the smallest free memory that is large enough, or new memory.
  void add_temporaries() {
    Lives lives;
    std::size_t clock = 0;
    collect_lives(plan_, plan_.steps, clock, lives);
    while (join_exchanged(plan_.steps, lives)) {
    }
    std::vector<BufferPtr> by_start = plan_.temporaries;
    std::stable_sort(by_start.begin(), by_start.end(), [&](const BufferPtr& a, const BufferPtr& b) {
      return lives[a.get()].first < lives[b.get()].first;
    });
    const std::size_t first_shared = result_.memory.size();
    std::vector<std::size_t> busy_until;
    for (const BufferPtr& buffer : by_start) {
      Life life = lives[buffer.get()];
      if (life.first == SIZE_MAX) continue;  // nothing uses it
      const bool is_fault_flag = buffer->name == lower::fault_flag;
      if (is_fault_flag) life = {0, SIZE_MAX};  // looked at when all is done
      const std::size_t array = add(*buffer, 0);
      const std::size_t bytes = result_.arrays[array].bytes();
      if (is_fault_flag) result_.faults = array;
      std::size_t best = busy_until.size();
      auto bytes_of = [&](std::size_t slot) { return result_.memory[first_shared + slot]; };
      for (std::size_t slot = 0; slot < busy_until.size(); ++slot) {
        bool fits = busy_until[slot] < life.first && bytes_of(slot) >= bytes;
        if (fits && (best == busy_until.size() || bytes_of(slot) < bytes_of(best))) best = slot;
      }
      if (best == busy_until.size()) {
        result_.memory.push_back(bytes);
        busy_until.push_back(0);
      }
      busy_until[best] = life.last;
      result_.arrays[array].memory = first_shared + best;
    }
  }

  static runtime::ImageArgument image_of(const loop::ImageShape& shape, const LaunchPlan::Array& array) {
    const auto width = shape.width.constant();
    if (!width) {
      throw_user("the image " + array.name +
                     " has rows of a length that is not given: " + arith::to_string(shape.width),
                 {}, give_sizes);
    }
    runtime::ImageArgument image{nullptr, static_cast<std::size_t>(shape.channels),
                                 static_cast<std::size_t>(*width)};
    image.height = image.width == 0 ? 0 : array.elements / (image.channels * image.width);
    return image;
  }

  LaunchPlan::Kernel resolved(const loop::Kernel& kernel) {
    LaunchPlan::Kernel result{kernel.name, {}, {}};
    for (std::size_t d = 0; d < 3; ++d) {
      auto global = kernel.launch.global[d].constant(), local = kernel.launch.local[d].constant();
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
          result.parameters.back().image = image_of(*buffer->buffer->image, result_.arrays[array]);
      } else if (auto* scalar = std::get_if<loop::ScalarParameter>(&parameter)) {
        result.parameters.push_back({false, scalar_index_.at(scalar->variable.get())});
      } else {
        throw Bug("a size is still a parameter of a kernel that runs");
      }
    }
    return result;
  }

  std::vector<LaunchPlan::Step> resolved(const std::vector<loop::PlanStep>& steps) {
    std::vector<LaunchPlan::Step> result;
    for (const loop::PlanStep& step : steps) {
      if (auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
        result.push_back({LaunchPlan::Launch{launch->kernel}});
      } else if (auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
        result.push_back(
            {LaunchPlan::Copy{array_index_.at(copy->from.get()), array_index_.at(copy->to.get())}});
      } else {
        auto& repeat = std::get<loop::RepeatStep>(step.node);
        auto count = repeat.count_from ? std::optional<std::int64_t>(0) : repeat.count.constant();
        if (!count)
          throw_user("the number of iterations is not known: " + arith::to_string(repeat.count), {},
                     give_sizes);
        LaunchPlan::Repeat each{*count, {}, {}, resolved(repeat.test), {}, resolved(repeat.body), {}};
        if (repeat.count_from) each.count_from = array_index_.at(repeat.count_from.get());
        if (repeat.number) each.number = scalar_index_.at(repeat.number.get());
        if (repeat.condition) each.condition = array_index_.at(repeat.condition.get());
        for (const auto& [first, second] : repeat.exchanged) {
          each.exchanged.emplace_back(array_index_.at(first.get()), array_index_.at(second.get()));
          if (std::min(each.exchanged.back().first, each.exchanged.back().second) < first_temporary_) {
            throw Bug("an input or output of " + plan_.name + " exchanges its memory");
          }
        }
        result.push_back({std::move(each)});
      }
    }
    return result;
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
