#pragma once
// Devices of one kind that are not equally fast: a node that throttles, or that others use, is seen by the
// candidates that it and others have measured. Each tuner measures the default mapping and, at the end, the
// best ones, whoever found them, so there are always some.
#include <span>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace hoist::tuner {

/// Where this process is, for a run on these devices: JSON, with "host", "cores", "devices", and where the
/// numbers of GPUs count only some of them "visible_devices".
std::string environment_of(const std::vector<std::string>& devices);

/// Where a run was: "node17 (cuda:0)", from its environment; empty where that does not tell.
std::string node_of(const std::string& environment);

struct NodePace {
  std::string node;
  double slowdown = 1;         ///< how many times as long as the others it takes
  std::size_t candidates = 0;  ///< that both it and others have timed
};

/// The nodes that are slower than the others by a tenth and more, the slowest first. A node's slowdown at a
/// candidate is its median over the median of the other nodes'; the node's own is the median of these, of
/// three candidates or more, three quarters of which must say the same.
std::vector<NodePace> slow_nodes(std::span<const store::TimeOnNode> times);

/// "node17 (cuda:0) takes 1.31 times as long as others of its kind, by 6 candidates that both timed".
std::string to_string(const NodePace& pace);

}  // namespace hoist::tuner
