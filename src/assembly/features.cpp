// The features, one row each in the table `rows`: what it is and how it is computed from a Summary. The
// paper's come first, in the order of its sets. `summary_of` adds up counts (counts.hpp), dependences
// (dependences.hpp) and costs (ports.hpp) over the instructions of the loop.
#include "assembly/features.hpp"

#include <algorithm>
#include <array>

#include "assembly/counts.hpp"
#include "assembly/dependences.hpp"
#include "assembly/ports.hpp"

namespace hoist::assembly {

namespace {

/// All that features are made of.
struct Summary {
  Counts counts;
  Spills spills;
  double depth = 0;
  double vector_bits = 0;
  double sufficient_distance = 0;
  double issued = 0, divider = 0, chain = 0;
  double port_cycles = 0;
  std::array<double, ports> port_uses{};

  double issue_cycles() const { return issued / issued_in_a_cycle; }
  double cycles() const { return std::max({issue_cycles(), port_cycles, divider, chain}); }
};

/// The distance at which a result is ready when its first consumer comes: the paper's.
constexpr std::size_t sufficient_distance = 4;

double count_sufficient(const std::vector<Operation>& operations) {
  const auto distances = distances_to_consumers(operations);
  double sufficient = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!distances[i] || *distances[i] >= sufficient_distance)
      sufficient += counts_of(operations[i]).arithmetic();
  }
  return sufficient;
}

/// Whether the processor takes two instructions for one: a comparison, or arithmetic that sets the flags, and
/// the conditional jump behind it.
bool is_fused_with_jump(const Operation& operation, const Operation& next) {
  return next.kind == Kind::ConditionalJump && operation.kind == Kind::GeneralArithmetic &&
         !operation.stores &&
         std::find(operation.writes.begin(), operation.writes.end(), flags_place) != operation.writes.end();
}

void add_costs(const std::vector<Operation>& operations, Summary& summary) {
  std::vector<PortSet> micro_operations;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Cost cost = cost_of(operations[i]);
    const bool is_fused = i + 1 < operations.size() && is_fused_with_jump(operations[i], operations[i + 1]);
    // The jump stands for both; a load stays.
    const std::size_t skipped = is_fused ? 1 : 0;
    micro_operations.insert(micro_operations.end(),
                            cost.micro_operations.begin() +
                                static_cast<std::ptrdiff_t>(std::min(skipped, cost.micro_operations.size())),
                            cost.micro_operations.end());
    summary.issued += is_fused ? cost.issued - 1 : cost.issued;
    summary.divider += cost.divider;
  }
  summary.port_uses = port_uses(micro_operations);
  summary.port_cycles = port_bound(micro_operations);
}

Summary summary_of(const HotLoop& loop) {
  std::vector<Operation> operations;
  for (const Instruction& each : loop.instructions) operations.push_back(operation_of(each));
  Summary summary;
  for (const Operation& each : operations) {
    const Counts counts = counts_of(each);
    summary.counts += counts;
    if (counts.vector_operations() > 0)
      summary.vector_bits = std::max(summary.vector_bits, static_cast<double>(each.bits));
  }
  summary.depth = static_cast<double>(loop.depth);
  summary.sufficient_distance = count_sufficient(operations);
  summary.spills = spills_of(operations, loop.has_frame_pointer);
  summary.chain = chain_latency(operations);
  add_costs(operations, summary);
  return summary;
}

using All = const Summary&;

/// Divided by at least one.
double per(double value, double other) { return value / std::max(1.0, other); }

template <std::size_t port>
double uses(All all) {
  return all.port_uses[port];
}

struct Row {
  features::Definition definition;
  double (*value)(All);
};

constexpr const char* paper = "Stock et al. 2012";
constexpr const char* own = "Hoist";

constexpr std::array rows = std::to_array<Row>({
    {{"arithmetic_intensity", "operations / load", "fs1", paper,
      "Additions and multiplications for each load, or in all where there is no load."},
     [](All all) { return per(all.counts.arithmetic(), all.counts.loads); }},
    {{"additions", "operations", "fs2", paper,
      "Vector additions and subtractions; a fused multiply-add is one, too."},
     [](All all) { return all.counts.additions; }},
    {{"multiplications", "operations", "fs2", paper,
      "Vector multiplications; a fused multiply-add is one, too."},
     [](All all) { return all.counts.multiplications; }},
    {{"loads", "operations", "fs2", paper,
      "Loads into vector registers, those that operands of arithmetic are and those of single elements, "
      "too."},
     [](All all) { return all.counts.loads; }},
    {{"stores", "operations", "fs2", paper, "Stores of vector registers."},
     [](All all) { return all.counts.stores; }},
    {{"miscellaneous", "operations", "fs2", paper,
      "Other operations on whole vectors: shuffles, copies, divisions, comparisons, logic."},
     [](All all) { return all.counts.miscellaneous; }},
    {{"vector_operations", "operations", "fs2", paper, "The sum of the five counts before."},
     [](All all) { return all.counts.vector_operations(); }},
    {{"sufficient_distance_ratio", "", "fs3", paper,
      "The share of additions and multiplications that have a sufficient distance."},
     [](All all) { return per(all.sufficient_distance, all.counts.arithmetic()); }},
    {{"sufficient_distance", "operations", "fs4", paper,
      "Additions and multiplications whose result is not read by any of the three instructions that follow, "
      "those of the next "
      "iteration included."},
     [](All all) { return all.sufficient_distance; }},
    {{"critical_path", "operations", "fs4", paper,
      "Vector operations that must follow each other where an addition and a multiplication go together: "
      "loads, stores, "
      "miscellaneous ones, and the greater count of additions and multiplications."},
     [](All all) {
       return all.counts.loads + all.counts.stores + all.counts.miscellaneous +
              std::max(all.counts.additions, all.counts.multiplications);
     }},
    {{"total_operations", "instructions", "fs4", paper, "All instructions."},
     [](All all) { return all.counts.instructions; }},
    {{"depth", "loops", "loop", own, "Loops of its function that the loop is in, itself included."},
     [](All all) { return all.depth; }},
    {{"vector_bits", "bits", "loop", own, "The widest vector register of a vector operation."},
     [](All all) { return all.vector_bits; }},
    {{"element_operations", "operations", "loop", own,
      "Additions and multiplications of elements: one for each lane."},
     [](All all) { return all.counts.element_operations; }},
    {{"scalar_arithmetic", "operations", "loop", own,
      "Additions and multiplications of single floating-point numbers."},
     [](All all) { return all.counts.scalar_arithmetic; }},
    {{"bytes_loaded", "bytes", "memory", own, "Bytes that are loaded, into general registers, too."},
     [](All all) { return all.counts.bytes_loaded; }},
    {{"bytes_stored", "bytes", "memory", own, "Bytes that are stored, from general registers, too."},
     [](All all) { return all.counts.bytes_stored; }},
    {{"spill_slots", "slots", "memory", own, "Places of the stack that are both stored to and loaded from."},
     [](All all) { return all.spills.slots; }},
    {{"spill_loads", "loads", "memory", own, "Loads from the stack at constant addresses."},
     [](All all) { return all.spills.loads; }},
    {{"spill_stores", "stores", "memory", own, "Stores to the stack at constant addresses."},
     [](All all) { return all.spills.stores; }},
    {{"micro_operations", "micro-operations", "ports", own,
      "Micro-operations that the front end issues: loads and what uses them, and a comparison and its jump, "
      "are one."},
     [](All all) { return all.issued; }},
    {{"port_0", "micro-operations", "ports", own,
      "Micro-operations at port 0 (vector arithmetic), each shared out evenly among the ports that may "
      "execute it."},
     uses<0>},
    {{"port_1", "micro-operations", "ports", own,
      "The same at port 1 (vector arithmetic of up to 256 bits)."},
     uses<1>},
    {{"port_2", "micro-operations", "ports", own, "The same at port 2 (loads)."}, uses<2>},
    {{"port_3", "micro-operations", "ports", own, "The same at port 3 (loads)."}, uses<3>},
    {{"port_4", "micro-operations", "ports", own, "The same at port 4 (data of stores)."}, uses<4>},
    {{"port_5", "micro-operations", "ports", own,
      "The same at port 5 (shuffles, vector arithmetic of 512 bits)."},
     uses<5>},
    {{"port_6", "micro-operations", "ports", own, "The same at port 6 (scalars, jumps)."}, uses<6>},
    {{"port_7", "micro-operations", "ports", own, "The same at port 7 (addresses of stores)."}, uses<7>},
    {{"port_cycles", "cycles", "ports", own,
      "The time that the ports need where each micro-operation goes to the best of its ports."},
     [](All all) { return all.port_cycles; }},
    {{"divider_cycles", "cycles", "ports", own, "The time that divisions and square roots take their unit."},
     [](All all) { return all.divider; }},
    {{"issue_cycles", "cycles", "ports", own,
      "The time that the front end needs: four micro-operations a cycle."},
     [](All all) { return all.issue_cycles(); }},
    {{"chain_cycles", "cycles", "ports", own,
      "The latency of the longest chain of dependences from one iteration to the next, for each iteration."},
     [](All all) { return all.chain; }},
    {{"cycles", "cycles", "ports", own, "The greatest of these four times."},
     [](All all) { return all.cycles(); }},
    {{"operations_per_cycle", "operations / cycle", "ports", own,
      "Additions and multiplications of elements and of single numbers for each of these cycles."},
     [](All all) {
       const double operations = all.counts.element_operations + all.counts.scalar_arithmetic;
       return all.cycles() > 0 ? operations / all.cycles() : 0;
     }},
});

constexpr std::array all_definitions = [] {
  std::array<features::Definition, rows.size()> result{};
  for (std::size_t i = 0; i < rows.size(); ++i) result[i] = rows[i].definition;
  return result;
}();

/// How many features the groups up to this one have.
constexpr std::size_t count_up_to(std::string_view group) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].definition.group == group) count = i + 1;
  }
  return count;
}

constexpr std::array sets = std::to_array<FeatureSet>({{"fs1", count_up_to("fs1")},
                                                       {"fs2", count_up_to("fs2")},
                                                       {"fs3", count_up_to("fs3")},
                                                       {"fs4", count_up_to("fs4")}});

}  // namespace

std::span<const features::Definition> definitions() { return all_definitions; }

std::span<const FeatureSet> feature_sets() { return sets; }

std::vector<double> features_of(const HotLoop& loop) {
  const Summary summary = summary_of(loop);
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(row.value(summary));
  return values;
}

}  // namespace hoist::assembly
