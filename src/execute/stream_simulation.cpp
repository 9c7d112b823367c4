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
      return fits && lies_in(touch.range.array, access.buffer) &&
             has(touch.range.rows, index * width, static_cast<std::size_t>(access.width) * width);
    });
  }

  /// Whether bytes lie in one of the rows.
  static bool has(const runtime::Rows& rows, std::size_t from, std::size_t bytes) {
    if (from < rows.offset || rows.end() < from + bytes) return false;
    const std::size_t in_row = rows.count == 1 ? from - rows.offset : (from - rows.offset) % rows.pitch;
    return in_row + bytes <= rows.bytes;
  }

  /// Whether a kernel's array is in that memory in the node's step.
  bool lies_in(std::size_t memory, std::string_view buffer) const {
    const auto& arrays = plan_.launch.arrays;
    if (memory >= arrays.size()) return false;
    return arrays[plan_.memory_of(memory, plan_.nodes[node_].step)].name == buffer;
  }

  const StreamedPlan& plan_;
  std::size_t node_;
  std::vector<std::string>& faults_;
};

class Simulator {
 public:
  Simulator(const Streamed& streamed, const std::vector<std::vector<std::byte>>& inputs, std::uint64_t seed)
      : streamed_(streamed), plan_(unrolled(streamed.plan)), inputs_(inputs), random_(seed) {}

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
    for (auto& [caller, other] : results_) result_.outputs.push_back(std::move(caller));
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
      const std::vector<std::byte> poisoned(bytes, std::byte{poison_byte});
      results_.emplace_back(poisoned, poisoned);
    }
  }

  std::byte* at(const StreamedPlan::Range& range) {
    auto& bytes = memory_[range.array].at(range.slot);
    if (range.rows.end() > bytes.size()) throw Bug("a range is outside of its array");
    return bytes.data() + range.rows.offset;
  }

  void run_node(std::size_t number) {
    const StreamedPlan::Node& node = plan_.nodes[number];
    std::visit(
        Overloaded{
            [&](const StreamedPlan::Upload& each) {
              const auto* fed = plan_.fed_to(each.input, node.step);
              const auto& from = fed ? host_result(fed->output, node.step - 1) : inputs_.at(each.input);
              if (each.host.end() > from.size()) throw Bug("a range is outside of its array");
              for (std::size_t row = 0; row < each.host.count; ++row)
                std::memcpy(at(each.to) + row * each.to.rows.pitch,
                            from.data() + each.host.offset + row * each.host.pitch, each.host.bytes);
            },
            [&](const StreamedPlan::Download& each) {
              std::memcpy(host_result(each.output, node.step).data() + each.host_offset, at(each.from),
                          each.from.rows.total());
            },
            [&](const StreamedPlan::Launch& each) {
              for (const auto& [scalar, value] : each.numbers)
                scalars_[plan_.launch.scalars[scalar].name] = value;
              run_step(number, {loop::LaunchStep{each.kernel}});
            },
            [&](const StreamedPlan::Step& each) { run_step(number, streamed_.cut.plan.steps[each.step]); }},
        node.work);
  }

  std::vector<std::byte>& host_result(std::size_t output, std::size_t step) {
    auto& [caller, other] = results_.at(output);
    return plan_.host_slot(step) == 0 ? caller : other;
  }

  void run_step(std::size_t number, const loop::PlanStep& step) {
    const StreamedPlan::Node& node = plan_.nodes[number];
    loop::Memory memory;
    const auto& arrays = plan_.launch.arrays;
    const auto place = [&](std::size_t array) -> std::vector<std::byte>& {
      return memory_[plan_.memory_of(array, node.step)][node.slots[array]];
    };
    for (std::size_t array = 0; array < arrays.size(); ++array)
      memory[arrays[array].name] = std::move(place(array));
    TouchWatcher watcher(plan_, number, result_.faults);
    auto report = loop::interpret_step(streamed_.cut.plan, step, {}, scalars_, memory, &watcher);
    if (!report) throw Failure(report.error());
    for (const std::string& fault : report->faults) result_.faults.push_back(fault);
    for (std::size_t array = 0; array < arrays.size(); ++array)
      place(array) = std::move(memory[arrays[array].name]);
  }

  const Streamed& streamed_;
  const StreamedPlan plan_;
  const std::vector<std::vector<std::byte>>& inputs_;
  Random random_;
  std::vector<std::vector<std::vector<std::byte>>> memory_;  ///< by array and slot
  /// By flattened output: the caller's memory, and the other that steps write to.
  std::vector<std::pair<std::vector<std::byte>, std::vector<std::byte>>> results_;
  std::map<std::string, ScalarValue> scalars_;
  SimulatedRun result_;
};

}  // namespace

Result<SimulatedRun> simulate(const Streamed& streamed, const std::vector<std::vector<std::byte>>& inputs,
                              std::uint64_t seed) {
  return catch_failure([&] { return Simulator(streamed, inputs, seed).run(); });
}

}  // namespace hoist::execute
