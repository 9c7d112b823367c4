#include "assembly/dependences.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "assembly/ports.hpp"

namespace hoist::assembly {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

bool is_vector_place(Place place) {
  return place >= place_of({RegisterFile::Vector, 0, 0}) && place < place_of({RegisterFile::Mask, 0, 0});
}

/// Operations of a loop with numbers for the places in memory that stay where they are.
class FixedMemory {
 public:
  explicit FixedMemory(const std::vector<Operation>& operations) {
    std::set<Place> written;
    for (const Operation& each : operations) written.insert(each.writes.begin(), each.writes.end());
    for (const Operation& each : operations) {
      if (!each.memory || each.memory->index || !each.memory->base) continue;
      const Place base = place_of(*each.memory->base);
      if (base < 0 || written.contains(base)) continue;
      const Place next = register_places + static_cast<Place>(numbers_.size());
      numbers_.try_emplace({base, each.memory->displacement}, next);
    }
  }
  std::size_t places() const { return static_cast<std::size_t>(register_places) + numbers_.size(); }
  std::optional<Place> place(const Operation& operation) const {
    if (!operation.memory || operation.memory->index || !operation.memory->base) return std::nullopt;
    const auto found = numbers_.find({place_of(*operation.memory->base), operation.memory->displacement});
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::pair<Place, std::string>, Place> numbers_;
};

/// What an operation waits for, and what then is there.
struct Step {
  struct Input {
    Place place;
    int delay;  ///< from then until the operation begins
  };
  std::vector<Input> inputs;
  std::vector<Place> results;
  int latency;
};

std::vector<Step> steps_of(const std::vector<Operation>& operations, const FixedMemory& memory) {
  std::vector<Step> steps;
  for (const Operation& operation : operations) {
    const Cost cost = cost_of(operation);
    Step step{{}, operation.writes, cost.latency};
    for (Place each : operation.reads) step.inputs.push_back({each, 0});
    // What is stored does not wait for its address.
    if (operation.loads || !operation.stores) {
      for (Place each : operation.address) step.inputs.push_back({each, cost.load_latency});
    }
    if (const auto place = memory.place(operation)) {
      if (operation.loads) step.inputs.push_back({*place, cost.load_latency});
      if (operation.stores) step.results.push_back(*place);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Places that an iteration takes from the one before and writes for the next one.
std::vector<Place> carried_places(const std::vector<Step>& steps) {
  std::set<Place> written, read_first;
  for (const Step& step : steps) {
    for (const Step::Input& each : step.inputs) {
      if (!written.contains(each.place)) read_first.insert(each.place);
    }
    written.insert(step.results.begin(), step.results.end());
  }
  std::vector<Place> carried;
  std::set_intersection(written.begin(), written.end(), read_first.begin(), read_first.end(),
                        std::back_inserter(carried));
  return carried;
}

/// The longest ways through an iteration from one place to all carried ones.
std::vector<double> latencies_from(Place start, const std::vector<Step>& steps,
                                   const std::vector<Place>& carried, std::size_t places) {
  std::vector<double> ready(places, never);
  ready[static_cast<std::size_t>(start)] = 0;
  for (const Step& step : steps) {
    double begins = never;
    for (const Step::Input& each : step.inputs)
      begins = std::max(begins, ready[static_cast<std::size_t>(each.place)] + each.delay);
    for (Place each : step.results) ready[static_cast<std::size_t>(each)] = begins + step.latency;
  }
  std::vector<double> latencies;
  for (Place each : carried) latencies.push_back(ready[static_cast<std::size_t>(each)]);
  return latencies;
}

/// The greatest mean weight of a cycle in a graph given by its matrix of weights, by Karp's theorem (A
/// characterization of the minimum cycle mean in a digraph, 1978); 0 where there is no cycle.
double greatest_cycle_mean(const std::vector<std::vector<double>>& weights) {
  const std::size_t nodes = weights.size();
  std::vector<std::vector<double>> longest(nodes + 1, std::vector<double>(nodes, never));
  std::fill(longest[0].begin(), longest[0].end(), 0.0);
  for (std::size_t length = 0; length < nodes; ++length) {
    for (std::size_t from = 0; from < nodes; ++from) {
      if (longest[length][from] == never) continue;
      for (std::size_t to = 0; to < nodes; ++to)
        longest[length + 1][to] =
            std::max(longest[length + 1][to], longest[length][from] + weights[from][to]);
    }
  }
  double mean = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (longest[nodes][node] == never) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t length = 0; length < nodes; ++length) {
      if (longest[length][node] != never)
        least = std::min(
            least, (longest[nodes][node] - longest[length][node]) / static_cast<double>(nodes - length));
    }
    mean = std::max(mean, least);
  }
  return mean;
}

}  // namespace

std::vector<std::optional<std::size_t>> distances_to_consumers(const std::vector<Operation>& operations) {
  const std::size_t count = operations.size();
  // Backwards through two iterations, so that what the next one reads is known when the first is looked at.
  std::map<Place, std::size_t> next_reader;
  std::vector<std::optional<std::size_t>> distances(count);
  for (std::size_t position = 2 * count; position-- > 0;) {
    const Operation& operation = operations[position % count];
    for (Place place : operation.writes) {
      if (!is_vector_place(place)) continue;
      const auto reader = next_reader.find(place);
      if (position < count)
        distances[position] =
            reader == next_reader.end() ? std::nullopt : std::optional(reader->second - position);
      if (reader != next_reader.end()) next_reader.erase(reader);
    }
    for (const auto* places : {&operation.reads, &operation.address}) {
      for (Place place : *places) next_reader[place] = position;
    }
  }
  return distances;
}

Spills spills_of(const std::vector<Operation>& operations, bool has_frame_pointer) {
  Spills spills;
  std::set<std::pair<int, std::string>> loaded, stored;
  for (const Operation& operation : operations) {
    if (!operation.memory || operation.memory->index || !operation.memory->base) continue;
    const Register& base = *operation.memory->base;
    if (base.file != RegisterFile::General) continue;
    if (base.number != stack_pointer && !(has_frame_pointer && base.number == frame_pointer)) continue;
    const std::pair slot(base.number, operation.memory->displacement);
    if (operation.loads) {
      ++spills.loads;
      loaded.insert(slot);
    }
    if (operation.stores) {
      ++spills.stores;
      stored.insert(slot);
    }
  }
  spills.slots = static_cast<double>(
      std::count_if(stored.begin(), stored.end(), [&](const auto& slot) { return loaded.contains(slot); }));
  return spills;
}

double chain_latency(const std::vector<Operation>& operations) {
  const FixedMemory memory(operations);
  const std::vector<Step> steps = steps_of(operations, memory);
  const std::vector<Place> carried = carried_places(steps);
  std::vector<std::vector<double>> weights;
  for (Place each : carried) weights.push_back(latencies_from(each, steps, carried, memory.places()));
  return greatest_cycle_mean(weights);
}

}  // namespace hoist::assembly
