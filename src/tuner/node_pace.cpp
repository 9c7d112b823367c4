#include "tuner/node_pace.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "learn/statistics.hpp"

namespace hoist::tuner {

std::string environment_of(const std::vector<std::string>& devices) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  nlohmann::ordered_json facts = {{"host", host},
                                  {"cores", std::to_string(sysconf(_SC_NPROCESSORS_ONLN))},
                                  {"devices", fmt::format("{}", fmt::join(devices, ", "))}};
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto is_cuda = [](const std::string& id) { return id.starts_with("cuda:"); };
  if (visible != nullptr && std::ranges::any_of(devices, is_cuda)) facts["visible_devices"] = visible;
  return facts.dump();
}

std::string node_of(const std::string& environment) {
  const auto facts = nlohmann::json::parse(environment, nullptr, false);
  const auto text = [&](const char* name) {
    const bool is_text = facts.is_object() && facts.contains(name) && facts[name].is_string();
    return is_text ? facts[name].get<std::string>() : std::string();
  };
  const std::string host = text("host"), devices = text("devices"), visible = text("visible_devices");
  if (host.empty() || devices.empty()) return host;
  return fmt::format("{} ({}{}{})", host, devices, visible.empty() ? "" : " of ", visible);
}

std::vector<NodePace> slow_nodes(std::span<const store::TimeOnNode> times) {
  constexpr double least_slowdown = 1.1;
  constexpr std::size_t fewest = 3;
  std::map<std::string, std::string> names;  // of environments, of which there are few
  std::map<store::CandidateId, std::map<std::string, std::vector<double>>> by_candidate;
  for (const store::TimeOnNode& each : times) {
    const auto [name, is_new] = names.try_emplace(each.environment);
    if (is_new) name->second = node_of(each.environment);
    if (!name->second.empty()) by_candidate[each.candidate][name->second].push_back(each.median);
  }
  std::map<std::string, std::vector<double>> slowdowns;
  for (const auto& [candidate, by_node] : by_candidate) {
    std::map<std::string, double> medians;
    for (const auto& [node, list] : by_node) medians.emplace(node, learn::median(list));
    for (const auto& [node, median] : medians) {
      std::vector<double> others;
      for (const auto& [other, of_other] : medians) {
        if (other != node) others.push_back(of_other);
      }
      if (!others.empty()) slowdowns[node].push_back(median / learn::median(std::move(others)));
    }
  }
  std::vector<NodePace> slow;
  for (auto& [node, list] : slowdowns) {
    std::ranges::sort(list);
    const bool is_slow = list.size() >= fewest && list[list.size() / 4] >= least_slowdown;
    if (is_slow) slow.push_back({node, learn::median(list), list.size()});
  }
  std::ranges::stable_sort(slow, std::greater<>(), &NodePace::slowdown);
  return slow;
}

std::string to_string(const NodePace& pace) {
  return fmt::format("{} takes {:.2f} times as long as others of its kind, by {} candidates that both timed",
                     pace.node, pace.slowdown, pace.candidates);
}

}  // namespace hoist::tuner
