#include "model/learner.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/kinds.hpp"

namespace hoist::model {

std::vector<double> row_weights(const std::vector<std::uint32_t>& tasks, const std::vector<double>& speeds) {
  // Added to a candidate's share of the best throughput: the slow count a little.
  constexpr float least = 0.1F;
  std::map<std::uint32_t, float> counts;
  for (const std::uint32_t task : tasks) ++counts[task];
  // In single precision, which is what trees are given.
  std::vector<float> weights;
  double sum = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    weights.push_back((least + std::exp(static_cast<float>(speeds[i]))) / counts[tasks[i]]);
    sum += weights.back();
  }
  for (float& weight : weights) weight *= static_cast<float>(static_cast<double>(tasks.size()) / sum);
  return {weights.begin(), weights.end()};
}

std::unique_ptr<SpeedLearner> make_speed_learner(std::string_view kind) {
  if (kind == "paper") return make_paper();
  if (kind == "roofline") return make_roofline();
  if (kind == "ensemble") return make_committee({"boosted", "ranking", "forest", "network"});
  std::string names;
  for (const Kind& each : kinds()) {
    if (each.name == kind) return make_committee({std::string(kind)});
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  }
  throw_user(fmt::format("there is no kind of model '{}'", kind), {}, "the kinds are " + names);
}

}  // namespace hoist::model
