#include "tune/tuning/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace hoist::tune {

namespace {

using search::Configuration;

std::size_t derivation_of(const Configuration& configuration) {
  return static_cast<std::size_t>(configuration.front());
}
space::Point point_of(const Configuration& configuration) {
  return {configuration.begin() + 1, configuration.end()};
}
Configuration configuration_of(std::size_t derivation, const space::Point& point) {
  Configuration configuration{static_cast<std::int64_t>(derivation)};
  configuration.insert(configuration.end(), point.begin(), point.end());
  return configuration;
}

/// The steps with one left out; with a mark in its place where it may be any other.
std::vector<std::string> without(const std::vector<std::string>& steps, std::size_t position,
                                 bool is_marked) {
  std::vector<std::string> rest = steps;
  if (is_marked) {
    rest[position].assign(1, '?');
  } else {
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(position));
  }
  return rest;
}

}  // namespace

SearchSpace::SearchSpace(const Exploration& exploration) : exploration_(exploration) {
  for (std::size_t d = 0; d < exploration.derivations(); ++d) {
    std::vector<std::string> steps;
    for (const rewrite::Step& step : exploration.derivation(d).trace) steps.push_back(step.rule);
    steps_.push_back(std::move(steps));
  }
  find_neighbouring_derivations();
  number_features();
}

void SearchSpace::find_neighbouring_derivations() {
  std::vector<std::set<std::size_t>> found(steps_.size());
  const auto connect = [&](std::size_t a, std::size_t b) {
    if (a == b) return;
    found[a].insert(b);
    found[b].insert(a);
  };
  // Derivations with one step left out (or marked) that are then the same differ in that step.
  std::map<std::vector<std::string>, std::vector<std::size_t>> by_steps, by_marked;
  for (std::size_t d = 0; d < steps_.size(); ++d) by_steps[steps_[d]].push_back(d);
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    for (std::size_t position = 0; position < steps_[d].size(); ++position) {
      by_marked[without(steps_[d], position, true)].push_back(d);
      const auto shorter = by_steps.find(without(steps_[d], position, false));
      if (shorter == by_steps.end()) continue;
      for (const std::size_t other : shorter->second) connect(d, other);
    }
  }
  for (const auto& [steps, derivations] : by_marked) {
    for (const std::size_t a : derivations) {
      for (const std::size_t b : derivations) connect(a, b);
    }
  }
  for (const std::set<std::size_t>& each : found) neighbours_.emplace_back(each.begin(), each.end());
}

void SearchSpace::number_features() {
  std::map<std::string, std::size_t> parameters, steps;
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    for (const space::Parameter& parameter : exploration_.space(d).parameters())
      parameters[parameter.name] = 0;
    for (const std::string& step : steps_[d]) steps[step] = 0;
  }
  std::size_t next = 0;
  for (auto& [name, position] : parameters) position = next++;
  for (auto& [name, position] : steps) position = next++;
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    std::vector<std::size_t>& positions = parameter_features_.emplace_back();
    for (const space::Parameter& parameter : exploration_.space(d).parameters())
      positions.push_back(parameters.at(parameter.name));
    std::vector<double>& numbers = step_features_.emplace_back(next);
    for (const std::string& step : steps_[d]) numbers[steps.at(step)] += 1;
  }
}

Configuration SearchSpace::at(std::uint64_t rank) const {
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    const std::uint64_t points = exploration_.space(d).count();
    if (rank < points) return configuration_of(d, exploration_.space(d).at(rank));
    rank -= points;
  }
  throw Bug("a rank beyond the space");
}

bool SearchSpace::contains(const Configuration& configuration) const {
  return !configuration.empty() && configuration.front() >= 0 &&
         derivation_of(configuration) < steps_.size() &&
         exploration_.space(derivation_of(configuration)).rank(point_of(configuration)).has_value();
}

Configuration SearchSpace::draw(Random& random) const {
  const std::size_t d = random.below(steps_.size());
  const space::Space& space = exploration_.space(d);
  return configuration_of(d, space.at(random.below(space.count())));
}

std::vector<Configuration> SearchSpace::neighbours(const Configuration& configuration) const {
  std::vector<Configuration> result;
  const std::size_t d = derivation_of(configuration);
  for (const space::Point& point : exploration_.space(d).neighbours(point_of(configuration)))
    result.push_back(configuration_of(d, point));
  const auto now = values(configuration);
  for (const std::size_t other : neighbours_[d]) result.push_back(nearest(other, now));
  return result;
}

Configuration SearchSpace::nearest(std::size_t derivation,
                                   const std::map<std::string, std::int64_t>& values) const {
  const space::Space& space = exploration_.space(derivation);
  const auto& parameters = space.parameters();
  const auto wanted = [&](std::size_t i) {
    const auto same = values.find(parameters[i].name);
    return same == values.end() ? std::int64_t{0} : same->second;
  };
  space::Point point;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    point.push_back(std::max(wanted(i), parameters[i].least));
  if (space.rank(point)) return configuration_of(derivation, point);
  const auto distance = [&](const space::Point& other) {
    double sum = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (wanted(i) == 0) continue;
      sum += std::fabs(std::log2(static_cast<double>(other[i]) / static_cast<double>(wanted(i))));
    }
    return sum;
  };
  constexpr std::size_t tries = 16;
  space::Point best;
  double least = 0;
  for (const std::uint64_t rank : space.sample(tries, derivation)) {
    space::Point other = space.at(rank);
    const double apart = distance(other);
    if (!best.empty() && apart >= least) continue;
    best = std::move(other);
    least = apart;
  }
  return configuration_of(derivation, best);
}

std::map<std::string, std::int64_t> SearchSpace::values(const Configuration& configuration) const {
  std::map<std::string, std::int64_t> result;
  const auto& parameters = exploration_.space(derivation_of(configuration)).parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) result[parameters[i].name] = configuration[i + 1];
  return result;
}

std::vector<double> SearchSpace::features(const Configuration& configuration) const {
  // Surrogates take numbers of about 0 to 1; 0 is a parameter that the derivation does not have.
  constexpr double doublings = 12;
  const std::size_t d = derivation_of(configuration);
  std::vector<double> numbers = step_features_[d];
  for (std::size_t i = 0; i < parameter_features_[d].size(); ++i)
    numbers[parameter_features_[d][i]] =
        (1 + std::log2(static_cast<double>(configuration[i + 1]))) / doublings;
  return numbers;
}

CandidateId SearchSpace::id(const Configuration& configuration) const {
  const std::size_t d = derivation_of(configuration);
  return {d, exploration_.space(d).rank(point_of(configuration)).value()};
}

Configuration SearchSpace::configuration(const CandidateId& id) const {
  return configuration_of(id.derivation, exploration_.space(id.derivation).at(id.point));
}

}  // namespace hoist::tune
