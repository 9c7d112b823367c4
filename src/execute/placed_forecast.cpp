#include "execute/placed_forecast.hpp"

#include <algorithm>
#include <vector>

namespace hoist::execute {
namespace {

/// Of a launch; what is no launch (a copy, a repetition) is not counted.
double work_items(const PlacedPlan::Work& work) {
  const auto* launch = std::get_if<TaskLaunch>(&work.work);
  if (launch == nullptr) return 0;
  double items = 1;
  for (const std::size_t each : launch->range.global) items *= static_cast<double>(each);
  return items;
}

/// Each phase as long as its place with most work-items.
double longest(const PlacedPlan& plan) {
  double total = 0;
  for (const auto& phase : plan.phases) {
    std::vector<double> items(plan.places);
    for (const PlacedPlan::Work& work : phase) items[work.place] += work_items(work);
    total += *std::max_element(items.begin(), items.end());
  }
  return total;
}

struct Traffic {
  std::size_t bytes = 0, messages = 0;
  void add(std::size_t more) {
    bytes += more;
    ++messages;
  }
};

/// The nodes of a step in the middle, which later ones are like.
std::vector<PlacedNode> middle_step(const PlacedPlan& plan) {
  PlacedSteps steps(plan);
  std::vector<PlacedNode> nodes;
  for (std::size_t step = 0; step < std::max<std::size_t>(plan.steps, 2) - 1; ++step) nodes = *steps.next();
  return nodes;
}

}  // namespace

Forecast forecast(const PlacedPlan& plan, const PlacedPlan& alone, double kernel_seconds,
                  const Machines& machines) {
  Forecast result;
  const Interconnect& interconnect = machines.interconnect;
  const auto places = static_cast<double>(plan.places);
  const double devices =
      machines.at_once == 0 ? places : std::min(places, static_cast<double>(machines.at_once));
  std::vector<Traffic> sent(plan.places), received(plan.places);
  for (const PlacedNode& node : middle_step(plan)) {
    if (const auto* send = std::get_if<PlacedNode::Send>(&node.work)) {
      sent[node.place].add(send->from.rows.total());
      received[send->to].add(send->from.rows.total());
      result.moved_bytes += send->from.rows.total();
    }
  }
  const auto seconds = [&](const Traffic& each) {
    return static_cast<double>(each.bytes) / interconnect.bytes_per_second +
           static_cast<double>(each.messages) * interconnect.latency;
  };
  for (const auto* traffic : {&sent, &received}) {
    for (const Traffic& each : *traffic) {
      if (seconds(each) < result.transfer) continue;
      result.transfer = seconds(each);
      result.bytes_of_place = each.bytes;
      result.messages_of_place = each.messages;
    }
  }
  // Places that share a device take turns on it.
  result.compute = kernel_seconds * longest(plan) / longest(alone) * places / devices;
  // Where parts have borders, these are sent while the rest of each part is computed.
  const double hidden = plan.has_borders() ? result.compute * plan.inner_share() : 0;
  result.step = result.compute - hidden + std::max(hidden, result.transfer);
  result.efficiency = kernel_seconds / (devices * result.step);
  return result;
}

}  // namespace hoist::execute
