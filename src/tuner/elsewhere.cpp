#include "tuner/elsewhere.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/statistics.hpp"
#include "store/stored_target.hpp"
#include "tuner/sizes.hpp"

namespace hoist::tuner {

namespace {

/// The standard deviation between the logarithms of slowdowns for two tasks, roughly: for devices of one
/// type, for others, and for each factor of two between the sizes.
constexpr double same_type = 0.3, other_type = 0.6, factor_of_two = 0.1;
/// What was measured for more tasks than these, or further away, is not read.
constexpr std::size_t most_tasks = 4;
constexpr double farthest = 8;

struct Near {
  store::StoredTask task;
  double distance = 0, deviation = 0;
};

std::vector<Near> nearest_tasks(std::vector<store::StoredTask> tasks, const store::Task& own) {
  const target::Type type = store::target_of(own.device).type;
  std::vector<Near> list;
  for (store::StoredTask& each : tasks) {
    const store::Device& device = each.task.device;
    const double distance = size_distance(each.task.sizes, own.sizes);
    const bool is_own = distance == 0 && device.language == own.device.language &&
                        device.name == own.device.name && device.driver == own.device.driver;
    if (is_own || !each.best || distance > farthest) continue;
    const double base = store::target_of(device).type == type ? same_type : other_type;
    list.push_back({std::move(each), distance, base + factor_of_two * distance});
  }
  std::ranges::stable_sort(list, {}, &Near::deviation);
  if (list.size() > most_tasks) list.resize(most_tasks);
  return list;
}

/// What the tasks say of one candidate: the sum of logarithms of slowdowns and of weights.
struct Told {
  double slowdown = 0, weight = 0, deviation = std::numeric_limits<double>::infinity();
  bool has_failed = false;

  double mean() const { return weight > 0 ? slowdown / weight : 0; }
};

}  // namespace

Result<Elsewhere> known_elsewhere(store::Store& store, const store::Task& task, const FindCandidate& find) {
  auto tasks = store.tasks(task.program.hash);
  if (!tasks) return tl::unexpected(tasks.error());
  Elsewhere elsewhere;
  std::map<search::Configuration, Told> told;
  for (const Near& near : nearest_tasks(std::move(*tasks), task)) {
    const auto evaluations = store.evaluations(near.task.id);
    if (!evaluations) return tl::unexpected(evaluations.error());
    bool is_of_use = false;
    for (const store::StoredEvaluation& each : *evaluations) {
      if (each.evaluation.origin != store::Origin::Explored) continue;
      const auto configuration = find(each.candidate.derivation, each.candidate.parameters);
      if (!configuration) continue;
      is_of_use = true;
      Told& entry = told[*configuration];
      entry.deviation = std::min(entry.deviation, near.deviation);
      if (each.median) {
        const double weight = 1 / (near.deviation * near.deviation);
        entry.slowdown += weight * std::log(*each.median / *near.task.best);
        entry.weight += weight;
      } else {
        entry.has_failed = true;
      }
    }
    if (!is_of_use) continue;
    const store::Device& device = near.task.task.device;
    elsewhere.tasks.push_back(
        fmt::format("{} ({}){}", device.name, device.language,
                    near.distance > 0 ? " at " + sizes_text(near.task.task.sizes) : ""));
  }
  double greatest = 0;
  for (const auto& [configuration, entry] : told) greatest = std::max(greatest, entry.mean());
  for (const auto& [configuration, entry] : told) {
    // What failed elsewhere may do here, but comes after all that did there.
    const double slowdown = entry.mean() + (entry.has_failed ? greatest + 1 : 0);
    elsewhere.expected.push_back({configuration, slowdown, entry.deviation});
  }
  std::ranges::stable_sort(elsewhere.expected, {}, &search::Expected::log_seconds);
  return elsewhere;
}

std::optional<double> order_held(const std::vector<search::Expected>& said,
                                 const std::map<search::Configuration, double>& measured,
                                 std::vector<std::string>& notes) {
  std::vector<double> there, here;
  for (const search::Expected& each : said) {
    const auto known = measured.find(each.configuration);
    if (known == measured.end()) continue;
    there.push_back(each.log_seconds);
    here.push_back(known->second);
  }
  constexpr std::size_t fewest = 5;
  if (here.size() < fewest) return std::nullopt;
  const double held = learn::rank_correlation(there, here);
  notes.push_back(fmt::format("their order there and here: a rank correlation of {:.2f}, of {} candidates",
                              held, here.size()));
  return held;
}

}  // namespace hoist::tuner
