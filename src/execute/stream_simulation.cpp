#include "execute/stream_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/overloaded.hpp"
#include "base/random.hpp"
#include "execute/guard_zone.hpp"
#include "execute/stream_order.hpp"
#include "loop/interpret.hpp"

namespace hoist::execute {
namespace {

/// Notes where a node goes beyond what it says that it touches.
class TouchWatcher final : public loop::Observer {
 public:
  TouchWatcher(const StreamedPlan& plan, std::size_t node, std::vector<std::string>& faults)
      : plan_(plan), node_(node), faults_(faults) {}

  void launch(std::string_view, const std::array<std::int64_t, 3>&) override {}
  void operation(ScalarOp, Scalar, int, std::size_t) override {}
  void barrier(std::size_t) override {}
  void access(const loop::ObservedAccess& access) override {
    if (access.space != loop::AddressSpace::Global) return;
    for (const std::uint32_t lane : access.lanes) {
      if (is_said(access, static_cast<std::size_t>(access.indices[lane]))) continue;
      const std::string text =
          fmt::format("the {} {} {} without the plan's saying so", node_text(plan_, node_),
                      access.is_store ? "writes" : "reads", access.buffer);
      if (std::find(faults_.begin(), faults_.end(), text) == faults_.end()) faults_.push_back(text);
      return;
    }
  }

 private:
  bool is_said(const loop::ObservedAccess& access, std::size_t index) const {
    const auto& touches = plan_.nodes[node_].touches;
    const std::size_t width = size_of(access.scalar);
    return std::any_of(touches.begin(), touches.end(), [&](const StreamedPlan::Touch& touch) {
      const bool is_store = touch.access != StreamedPlan::Access::Read;
      const bool fits = is_store == access.is_store || touch.access == StreamedPlan::Access::Update;
      return fits && plan_.launch.arrays[touch.range.array].name == access.buffer &&
             touch.range.offset <= index * width &&
             (index + static_cast<std::size_t>(access.width)) * width <=
                 touch.range.offset + touch.range.bytes;
    });
  }

  const StreamedPlan& plan_;
  std::size_t node_;
  std::vector<std::string>& faults_;
};

class Simulator {
 public:
  Simulator(const Streamed& streamed, const std::vector<std::vector<std::byte>>& inputs, std::uint64_t seed)
      : streamed_(streamed), plan_(streamed.plan), inputs_(inputs), random_(seed) {}

  SimulatedRun run() {
    prepare();
    std::vector<bool> is_done(plan_.nodes.size());
    std::vector<std::size_t> waiting(plan_.nodes.size());
    for (std::size_t at = 0; at < waiting.size(); ++at) waiting[at] = at;
    while (!waiting.empty()) {
      std::vector<std::size_t> ready;
      std::set<std::size_t> queues;  // of which the first that waits has been seen
      for (const std::size_t node : waiting) {
        if (!queues.insert(plan_.nodes[node].queue).second) continue;
        const auto& after = plan_.nodes[node].after;
        if (std::all_of(after.begin(), after.end(), [&](std::size_t each) { return is_done[each]; }))
          ready.push_back(node);
      }
      if (ready.empty()) throw Bug("nodes of a streamed plan wait for each other");
      const std::size_t node = ready[random_.below(ready.size())];
      run_node(node);
      is_done[node] = true;
      waiting.erase(std::find(waiting.begin(), waiting.end(), node));
    }
    return std::move(result_);
  }

 private:
  void prepare() {
    const LaunchPlan& launch = plan_.launch;
    for (std::size_t array = 0; array < launch.arrays.size(); ++array) {
      const bool is_flag = launch.faults == array;
      memory_.emplace_back(plan_.slots[array],
                           std::vector<std::byte>(launch.arrays[array].bytes(),
                                                  is_flag ? std::byte{0} : std::byte{poison_byte}));
    }
    for (const LaunchPlan::ScalarInput& scalar : launch.scalars)
      scalars_[scalar.name] = ScalarValue::of_integer(scalar.type, 0);
    for (std::size_t leaf = 0; leaf < plan_.program_inputs; ++leaf) {
      const LaunchPlan::Input& input = launch.inputs[leaf];
      if (input.is_array) continue;
      const LaunchPlan::ScalarInput& scalar = launch.scalars[input.index];
      scalars_[scalar.name] = load_scalar(inputs_.at(leaf).data(), scalar.type, 0);
    }
    for (const std::size_t output : launch.outputs) {
      const std::size_t bytes = plan_.array_elements[output] * size_of(launch.arrays[output].scalar);
      result_.outputs.emplace_back(bytes, std::byte{poison_byte});
    }
  }

  std::byte* at(const StreamedPlan::Range& range) {
    auto& bytes = memory_[range.array].at(range.slot);
    if (range.offset + range.bytes > bytes.size()) throw Bug("a range is outside of its array");
    return bytes.data() + range.offset;
  }

  void run_node(std::size_t number) {
    const StreamedPlan::Node& node = plan_.nodes[number];
    std::visit(Overloaded{[&](const StreamedPlan::Upload& each) {
                            std::memcpy(at(each.to), inputs_.at(each.input).data() + each.host_offset,
                                        each.to.bytes);
                          },
                          [&](const StreamedPlan::Download& each) {
                            std::memcpy(result_.outputs[each.output].data() + each.host_offset, at(each.from),
                                        each.from.bytes);
                          },
                          [&](const StreamedPlan::Launch& each) {
                            for (const auto& [scalar, value] : each.numbers)
                              scalars_[plan_.launch.scalars[scalar].name] = value;
                            run_step(number, {loop::LaunchStep{each.kernel}}, node.slots);
                          },
                          [&](const StreamedPlan::Step& each) {
                            run_step(number, streamed_.cut.plan.steps[each.step], node.slots);
                          }},
               node.work);
  }

  void run_step(std::size_t number, const loop::PlanStep& step, const std::vector<std::size_t>& slots) {
    loop::Memory memory;
    const auto& arrays = plan_.launch.arrays;
    for (std::size_t array = 0; array < arrays.size(); ++array)
      memory[arrays[array].name] = std::move(memory_[array][slots[array]]);
    TouchWatcher watcher(plan_, number, result_.faults);
    auto report = loop::interpret_step(streamed_.cut.plan, step, {}, scalars_, memory, &watcher);
    if (!report) throw Failure(report.error());
    for (const std::string& fault : report->faults) result_.faults.push_back(fault);
    for (std::size_t array = 0; array < arrays.size(); ++array)
      memory_[array][slots[array]] = std::move(memory[arrays[array].name]);
  }

  const Streamed& streamed_;
  const StreamedPlan& plan_;
  const std::vector<std::vector<std::byte>>& inputs_;
  Random random_;
  std::vector<std::vector<std::vector<std::byte>>> memory_;  ///< by array and slot
  std::map<std::string, ScalarValue> scalars_;
  SimulatedRun result_;
};

}  // namespace

Result<SimulatedRun> simulate(const Streamed& streamed, const std::vector<std::vector<std::byte>>& inputs,
                              std::uint64_t seed) {
  return catch_failure([&] { return Simulator(streamed, inputs, seed).run(); });
}

}  // namespace hoist::execute
