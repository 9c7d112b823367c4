#pragma once
// What nodes of a streamed plan wait for, and whether a plan says all of it.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "execute/stream_graph.hpp"

namespace hoist::execute {

/// Whether two nodes must not run at the same time: they touch the same bytes, and not both only read or only
/// update them.
bool is_conflict(const StreamedPlan::Node& one, const StreamedPlan::Node& other);

/// Fills in `after` of all nodes: the fewest that put each behind all earlier ones that it conflicts with, on
/// in-order queues.
void order_nodes(StreamedPlan& plan);

/// Two nodes that conflict, of which nothing makes the second wait for the first.
struct MissingDependence {
  std::size_t first = 0, second = 0;
  std::string text;  ///< "launch of k (task 1) does not wait for the upload of x (task 1)"
};

/// The plan with all of its steps listed.
StreamedPlan unrolled(const StreamedPlan& plan);

/// Checks a plan, all of whose steps are listed, without running it; nothing where it is right. It does not
/// use what order_nodes does, but compares all pairs.
std::optional<MissingDependence> missing_dependence(const StreamedPlan& plan);

/// "upload of x (task 3)", "upload of x (task 3 of step 17)".
std::string node_text(const StreamedPlan& plan, std::size_t node);

}  // namespace hoist::execute
