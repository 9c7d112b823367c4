#include "execute/placed_simulation.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "base/overloaded.hpp"
#include "base/random.hpp"
#include "execute/guard_zone.hpp"
#include "loop/interpret.hpp"

namespace hoist::execute {
namespace {

using Bytes = std::vector<std::byte>;

/// The memory of one place, and what it still has to do: nodes, and between two steps the exchange of what is
/// fed, which is no node.
struct SimulatedPlace {
  std::vector<Bytes> memory;  ///< by array
  std::map<std::string, ScalarValue> scalars;
  std::deque<std::optional<PlacedNode>> nodes;
};

class PlaceSimulator {
 public:
  PlaceSimulator(const Placed& placed, const std::vector<Bytes>& inputs, std::uint64_t seed)
      : placed_(placed), plan_(placed.plan), inputs_(inputs), random_(seed), places_(plan_.places) {}

  SimulatedRun run() {
    prepare();
    while (true) {
      std::vector<SimulatedPlace*> ready;
      bool is_done = true;
      for (SimulatedPlace& place : places_) {
        is_done = is_done && place.nodes.empty();
        if (!place.nodes.empty() && can_run(place.nodes.front())) ready.push_back(&place);
      }
      if (is_done) return std::move(result_);
      if (ready.empty()) throw Bug("places wait for each other");
      SimulatedPlace& place = *ready[random_.below(ready.size())];
      const std::optional<PlacedNode> node = std::move(place.nodes.front());
      place.nodes.pop_front();
      if (!node) {
        exchange(place);
      } else {
        run_node(place, *node);
      }
    }
  }

 private:
  void prepare() {
    const LaunchPlan& launch = plan_.launch;
    for (SimulatedPlace& place : places_) {
      for (std::size_t array = 0; array < launch.arrays.size(); ++array)
        place.memory.emplace_back(launch.arrays[array].bytes(),
                                  launch.faults == array ? std::byte{0} : std::byte{poison_byte});
      for (const LaunchPlan::ScalarInput& scalar : launch.scalars)
        place.scalars[scalar.name] = ScalarValue::of_integer(scalar.type, 0);
      for (std::size_t leaf = 0; leaf < plan_.program_inputs; ++leaf) {
        const LaunchPlan::Input& input = launch.inputs[leaf];
        if (input.is_array) continue;
        const LaunchPlan::ScalarInput& scalar = launch.scalars[input.index];
        place.scalars[scalar.name] = load_scalar(inputs_.at(leaf).data(), scalar.type, 0);
      }
    }
    for (const std::size_t output : launch.outputs)
      result_.outputs.emplace_back(launch.arrays[output].bytes(), std::byte{poison_byte});
    PlacedSteps steps(plan_);
    for (bool is_first = true; auto nodes = steps.next(); is_first = false) {
      for (SimulatedPlace& place : places_) {
        if (!is_first) place.nodes.emplace_back(std::nullopt);
      }
      for (PlacedNode& node : *nodes) places_.at(node.place).nodes.emplace_back(std::move(node));
    }
  }

  bool can_run(const std::optional<PlacedNode>& node) const {
    const auto* receive = node ? std::get_if<PlacedNode::Receive>(&node->work) : nullptr;
    return receive == nullptr || sent_.contains(receive->transfer);
  }

  void exchange(SimulatedPlace& place) const {
    for (const PlacedPlan::Fed& each : plan_.fed)
      std::swap(place.memory[each.input_array], place.memory[each.output_array]);
  }

  /// What rows of a memory hold, one behind the other.
  static Bytes gathered(const Bytes& memory, const runtime::Rows& rows) {
    if (rows.end() > memory.size()) throw Bug("a range is outside of its array");
    Bytes result;
    for (std::size_t row = 0; row < rows.count; ++row) {
      const std::byte* from = memory.data() + rows.offset + row * rows.pitch;
      result.insert(result.end(), from, from + rows.bytes);
    }
    return result;
  }
  static void scatter(const Bytes& bytes, Bytes& memory, const runtime::Rows& rows) {
    if (rows.end() > memory.size()) throw Bug("a range is outside of its array");
    if (bytes.size() != rows.total()) throw Bug("more is received than was sent, or less");
    for (std::size_t row = 0; row < rows.count; ++row)
      std::memcpy(memory.data() + rows.offset + row * rows.pitch, bytes.data() + row * rows.bytes,
                  rows.bytes);
  }

  void run_node(SimulatedPlace& place, const PlacedNode& node) {
    const auto memory = [&](const PlacedNode::Range& range) -> Bytes& { return place.memory[range.array]; };
    std::visit(
        Overloaded{[&](const PlacedNode::Upload& each) {
                     scatter(gathered(inputs_.at(each.input), each.to.rows), memory(each.to), each.to.rows);
                   },
                   [&](const PlacedNode::Download& each) {
                     scatter(gathered(memory(each.from), each.from.rows), result_.outputs.at(each.output),
                             each.from.rows);
                   },
                   [&](const PlacedNode::Send& each) {
                     sent_[each.transfer] = gathered(memory(each.from), each.from.rows);
                   },
                   [&](const PlacedNode::Receive& each) {
                     scatter(sent_.at(each.transfer), memory(each.to), each.to.rows);
                     sent_.erase(each.transfer);
                   },
                   [&](const TaskLaunch& each) {
                     for (const auto& [scalar, value] : each.numbers)
                       place.scalars[plan_.launch.scalars[scalar].name] = value;
                     run_step(place, {loop::LaunchStep{each.kernel}});
                   },
                   [&](const PlacedNode::Step& each) { run_step(place, placed_.cut.plan.steps[each.step]); }},
        node.work);
  }

  void run_step(SimulatedPlace& place, const loop::PlanStep& step) {
    loop::Memory memory;
    const auto& arrays = plan_.launch.arrays;
    for (std::size_t array = 0; array < arrays.size(); ++array)
      memory[arrays[array].name] = std::move(place.memory[array]);
    auto report = loop::interpret_step(placed_.cut.plan, step, {}, place.scalars, memory, nullptr);
    if (!report) throw Failure(report.error());
    for (const std::string& fault : report->faults) result_.faults.push_back(fault);
    for (std::size_t array = 0; array < arrays.size(); ++array)
      place.memory[array] = std::move(memory[arrays[array].name]);
  }

  const Placed& placed_;
  const PlacedPlan& plan_;
  const std::vector<Bytes>& inputs_;
  Random random_;
  std::vector<SimulatedPlace> places_;
  std::map<std::size_t, Bytes> sent_;  ///< by transfer
  SimulatedRun result_;
};

}  // namespace

Result<SimulatedRun> simulate(const Placed& placed, const std::vector<std::vector<std::byte>>& inputs,
                              std::uint64_t seed) {
  return catch_failure([&] { return PlaceSimulator(placed, inputs, seed).run(); });
}

}  // namespace hoist::execute
