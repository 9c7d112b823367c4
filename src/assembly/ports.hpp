#pragma once
// What instructions take of a processor: the ports of a core that execute them, and how long.
//
// The table is that of Intel's Skylake-X (Skylake server), after A. Fog, Instruction tables, "SkylakeX"
// (agner.org/optimize), and A. Abel and J. Reineke, uops.info: Characterizing latency, throughput, and port
// usage of instructions (ASPLOS 2019). Ports 0, 1, 5 and 6 compute, 2 and 3 load, 4 stores, 7 has addresses
// of stores. Of 512 bits operations on vectors run at ports 0 and 5 alone. Its successors up to Cascade Lake
// are alike, and later ones near enough to order variants by.
#include <array>
#include <cstdint>
#include <vector>

#include "assembly/operation.hpp"

namespace hoist::assembly {

inline constexpr std::size_t ports = 8;
inline constexpr double issued_in_a_cycle = 4;

/// A set of ports, bit p for port p.
using PortSet = std::uint8_t;

struct Cost {
  std::vector<PortSet> micro_operations;  ///< the ports that may execute each
  double issued = 1;     ///< micro-operations as the front end counts them, loads fused with what uses them
  double divider = 0;    ///< cycles for which the divider is taken
  int latency = 0;       ///< from a register that it reads to its result
  int load_latency = 0;  ///< from an address to what is loaded from it; before the latency
};

Cost cost_of(const Operation& operation);

/// The cycles that a loop's micro-operations need where each may go to any of its ports: the greatest number,
/// over all sets of ports, of those that must go there, divided by the size of the set.
double port_bound(const std::vector<PortSet>& micro_operations);

/// Micro-operations at each port where each is shared out evenly among those that may execute it.
std::array<double, ports> port_uses(const std::vector<PortSet>& micro_operations);

}  // namespace hoist::assembly
