// What recordings of the same kernel on other devices say of a space.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "search/replay.hpp"

namespace hoist::search {

namespace {

struct Elsewhere {
  double slowdown = 0;  ///< the sum of logarithms
  int times = 0, failures = 0;

  double mean() const { return times > 0 ? slowdown / times : 0; }
};

/// The standard deviation between logarithms of slowdowns on two devices, roughly. A replay does not ask for
/// it, since it ends by its budget.
constexpr double usual_difference = 0.3;

/// Where the target's parameters are among another's; nothing where the two do not have the same.
std::optional<std::vector<std::size_t>> places_of(const Recording& target, const Recording& other) {
  if (target.parameters.size() != other.parameters.size()) return std::nullopt;
  std::vector<std::size_t> places;
  for (const std::string& parameter : target.parameters) {
    const auto found = std::find(other.parameters.begin(), other.parameters.end(), parameter);
    if (found == other.parameters.end()) return std::nullopt;
    places.push_back(static_cast<std::size_t>(found - other.parameters.begin()));
  }
  return places;
}

/// The values of a configuration in the target's order.
std::string text_of(const Recording& other, const Configuration& configuration,
                    const std::vector<std::size_t>& places) {
  std::string text;
  for (const std::size_t place : places)
    text += other.values[place][static_cast<std::size_t>(configuration[place])] + ",";
  return text;
}

}  // namespace

std::vector<Expected> transfer_expectations(const Recording& target,
                                            const std::vector<const Recording*>& others) {
  std::map<std::string, Elsewhere> known;
  for (const Recording* other : others) {
    const auto places = places_of(target, *other);
    if (!places) continue;
    double best = std::numeric_limits<double>::infinity();
    for (const Trial& trial : other->trials) best = std::min(best, trial.outcome.seconds.value_or(best));
    for (const Trial& trial : other->trials) {
      Elsewhere& entry = known[text_of(*other, trial.configuration, *places)];
      if (trial.outcome.seconds) {
        entry.slowdown += std::log(*trial.outcome.seconds / best);
        ++entry.times;
      } else {
        ++entry.failures;
      }
    }
  }
  double greatest = 0;
  for (const auto& [values, entry] : known) greatest = std::max(greatest, entry.mean());
  const std::vector<std::size_t> own_places = *places_of(target, target);
  std::vector<Expected> expected;
  for (const Trial& trial : target.trials) {
    const auto found = known.find(text_of(target, trial.configuration, own_places));
    if (found == known.end()) continue;
    const Elsewhere& entry = found->second;
    const double slowdown = entry.mean() + (entry.failures > 0 ? greatest + 1 : 0);
    expected.push_back({trial.configuration, slowdown, usual_difference});
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Expected& a, const Expected& b) { return a.log_seconds < b.log_seconds; });
  return expected;
}

}  // namespace hoist::search
