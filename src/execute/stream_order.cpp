// The happens-before relation of a streamed plan: a node runs after the ones before it in its queue, after
// those that it names, and so after all that these run after.
#include "execute/stream_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/overloaded.hpp"

namespace hoist::execute {
namespace {

using Node = StreamedPlan::Node;
using Access = StreamedPlan::Access;
using runtime::Rows;

/// Whether a run of bytes has some of these rows.
bool meets(std::size_t from, std::size_t to, const Rows& rows) {
  if (to <= rows.offset || rows.end() <= from) return false;
  if (rows.count == 1 || from <= rows.offset) return from < to;
  // From some byte of a row on, or of what is between it and the next one.
  const std::size_t row = (from - rows.offset) / rows.pitch, in_row = (from - rows.offset) % rows.pitch;
  return in_row < rows.bytes || (row + 1 < rows.count && rows.offset + (row + 1) * rows.pitch < to);
}

/// Of rows whose pitches differ each are compared with all that the others lie in: they may be said to
/// overlap without need.
bool overlap(const Rows& a, const Rows& b) {
  if (a.total() == 0 || b.total() == 0) return false;
  if (a.count == 1) return meets(a.offset, a.end(), b);
  if (b.count == 1) return meets(b.offset, b.end(), a);
  if (a.pitch != b.pitch) return meets(a.offset, a.end(), b) && meets(b.offset, b.end(), a);
  // Further rows lie to each other as the first one that begins behind another does.
  return a.offset <= b.offset ? meets(b.offset, b.offset + b.bytes, a)
                              : meets(a.offset, a.offset + a.bytes, b);
}

bool overlap(const StreamedPlan::Range& a, const StreamedPlan::Range& b) {
  return a.array == b.array && a.slot == b.slot && overlap(a.rows, b.rows);
}

/// Whether one is known to have all of the other.
bool covers(const StreamedPlan::Range& a, const StreamedPlan::Range& b) {
  return a.array == b.array && a.slot == b.slot &&
         (a.rows == b.rows ||
          (a.rows.count == 1 && a.rows.offset <= b.rows.offset && b.rows.end() <= a.rows.end()));
}

bool excludes(const StreamedPlan::Touch& a, const StreamedPlan::Touch& b) {
  if (a.access == b.access && a.access != Access::Write) return false;
  return overlap(a.range, b.range);
}

/// Sets of nodes.
class NodeSet {
 public:
  explicit NodeSet(std::size_t nodes) : words_((nodes + 63) / 64) {}
  void insert(std::size_t node) { words_[node / 64] |= std::uint64_t{1} << (node % 64); }
  bool contains(std::size_t node) const { return (words_[node / 64] >> (node % 64) & 1U) != 0; }
  void insert(const NodeSet& other) {
    for (std::size_t at = 0; at < words_.size(); ++at) words_[at] |= other.words_[at];
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace

bool is_conflict(const Node& one, const Node& other) {
  return std::any_of(one.touches.begin(), one.touches.end(), [&](const StreamedPlan::Touch& a) {
    return std::any_of(other.touches.begin(), other.touches.end(),
                       [&](const StreamedPlan::Touch& b) { return excludes(a, b); });
  });
}

void order_nodes(StreamedPlan& plan) {
  // A node is behind another where that, or a later one of the same queue, is before it: by node and queue,
  // how many nodes of the queue are.
  std::vector<std::vector<std::size_t>> before(plan.nodes.size(), std::vector<std::size_t>(plan.queues()));
  std::vector<std::size_t> place(plan.nodes.size());            // in its queue, from 1 on
  std::vector<std::optional<std::size_t>> last(plan.queues());  // by queue
  struct Past {
    std::size_t node;
    StreamedPlan::Touch touch;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Past>> past;  // by array and slot
  for (std::size_t at = 0; at < plan.nodes.size(); ++at) {
    Node& node = plan.nodes[at];
    const auto is_before = [&](std::size_t earlier) {
      return before[at][plan.nodes[earlier].queue] >= place[earlier];
    };
    const auto wait_for = [&](std::size_t earlier) {
      for (std::size_t queue = 0; queue < plan.queues(); ++queue)
        before[at][queue] = std::max(before[at][queue], before[earlier][queue]);
      std::size_t& own = before[at][plan.nodes[earlier].queue];
      own = std::max(own, place[earlier]);
    };
    if (last[node.queue]) wait_for(*last[node.queue]);
    place[at] = before[at][node.queue] + 1;
    std::vector<std::size_t> conflicts;
    for (const StreamedPlan::Touch& touch : node.touches) {
      for (const Past& each : past[{touch.range.array, touch.range.slot}]) {
        if (!is_before(each.node) && excludes(each.touch, touch)) conflicts.push_back(each.node);
      }
    }
    // The last first: what it waits for need not be named again.
    std::sort(conflicts.rbegin(), conflicts.rend());
    node.after.clear();
    for (const std::size_t earlier : conflicts) {
      if (is_before(earlier)) continue;
      node.after.insert(node.after.begin(), earlier);
      wait_for(earlier);
    }
    last[node.queue] = at;
    for (const StreamedPlan::Touch& touch : node.touches) {
      auto& others = past[{touch.range.array, touch.range.slot}];
      // Whoever conflicts with what this node writes over waits for this node, too.
      if (touch.access == Access::Write)
        std::erase_if(others, [&](const Past& each) { return covers(touch.range, each.touch.range); });
      others.push_back({at, touch});
    }
  }
}

StreamedPlan unrolled(const StreamedPlan& plan) {
  StreamedPlan result = plan;
  if (plan.loop_times == 1) return result;
  const std::size_t length = plan.loop_end - plan.loop_begin;
  result.nodes.clear();
  const auto add = [&](std::size_t from, std::size_t to, std::size_t round) {
    for (std::size_t at = from; at < to; ++at) {
      Node node = plan.nodes[at];
      node.step += round * StreamedPlan::steps_of_loop;
      for (std::size_t& earlier : node.after) earlier += round * length;
      result.nodes.push_back(std::move(node));
    }
  };
  add(0, plan.loop_begin, 0);
  for (std::size_t round = 0; round < plan.loop_times; ++round) add(plan.loop_begin, plan.loop_end, round);
  add(plan.loop_end, plan.nodes.size(), plan.loop_times - 1);
  result.steps = plan.all_steps();
  result.loop_begin = result.loop_end = 0;
  result.loop_times = 1;
  return result;
}

std::optional<MissingDependence> missing_dependence(const StreamedPlan& plan) {
  std::vector<NodeSet> before(plan.nodes.size(), NodeSet(plan.nodes.size()));
  for (std::size_t at = 0; at < plan.nodes.size(); ++at) {
    const Node& node = plan.nodes[at];
    for (std::size_t earlier = 0; earlier < at; ++earlier) {
      const bool is_named = std::find(node.after.begin(), node.after.end(), earlier) != node.after.end();
      if (!is_named && plan.nodes[earlier].queue != node.queue) continue;
      before[at].insert(earlier);
      before[at].insert(before[earlier]);
    }
    for (std::size_t earlier = 0; earlier < at; ++earlier) {
      if (before[at].contains(earlier) || !is_conflict(plan.nodes[earlier], node)) continue;
      return MissingDependence{
          earlier, at,
          fmt::format("the {} does not wait for the {}", node_text(plan, at), node_text(plan, earlier))};
    }
  }
  return std::nullopt;
}

std::string node_text(const StreamedPlan& plan, std::size_t node) {
  const LaunchPlan& launch = plan.launch;
  const std::string what = std::visit(
      Overloaded{
          [&](const StreamedPlan::Upload& each) {
            return "upload of " + launch.arrays[launch.inputs[each.input].index].name;
          },
          [&](const StreamedPlan::Download& each) {
            return "download of " + launch.arrays[launch.outputs[each.output]].name;
          },
          [&](const StreamedPlan::Launch& each) { return "launch of " + launch.kernels[each.kernel].name; },
          [&](const StreamedPlan::Step& each) { return fmt::format("copy or repetition {}", each.step); }},
      plan.nodes[node].work);
  const StreamedPlan::Node& is = plan.nodes[node];
  if (plan.steps == 1) return fmt::format("{} (task {})", what, is.task);
  return fmt::format("{} (task {} of step {})", what, is.task, is.step);
}

}  // namespace hoist::execute
