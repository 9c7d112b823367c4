#include "variants/neighbourhood.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.hpp"

namespace hoist::variants {

namespace {

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

Neighbourhood::Neighbourhood(std::span<const Derivation> derivations,
                             std::vector<std::shared_ptr<const space::Space>> spaces)
    : spaces_(std::move(spaces)) {
  for (const Derivation& each : derivations) {
    std::vector<std::string> steps;
    for (const rewrite::Step& step : each.trace) steps.push_back(step.rule);
    steps_.push_back(std::move(steps));
  }
  find_neighbouring_derivations();
  number_choices();
}

void Neighbourhood::find_neighbouring_derivations() {
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

void Neighbourhood::number_choices() {
  std::map<std::string, std::size_t> parameters, steps;
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    for (const space::Parameter& parameter : spaces_[d]->parameters()) parameters[parameter.name] = 0;
    for (const std::string& step : steps_[d]) steps[step] = 0;
  }
  std::size_t next = 0;
  for (auto& [name, position] : parameters) position = next++;
  for (auto& [name, position] : steps) position = next++;
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    std::vector<std::size_t>& positions = parameter_places_.emplace_back();
    for (const space::Parameter& parameter : spaces_[d]->parameters())
      positions.push_back(parameters.at(parameter.name));
    std::vector<double>& numbers = step_numbers_.emplace_back(next);
    for (const std::string& step : steps_[d]) numbers[steps.at(step)] += 1;
  }
}

std::vector<CandidateId> Neighbourhood::neighbours(const CandidateId& id) const {
  const space::Space& space = *spaces_[id.derivation];
  std::vector<CandidateId> result;
  for (const space::Point& point : space.neighbours(space.at(id.point))) {
    const auto rank = space.rank(point);
    if (!rank) throw Bug("a point's neighbour is not in its space");
    result.push_back({id.derivation, *rank});
  }
  const Values now = values(id);
  for (const std::size_t other : neighbours_[id.derivation]) result.push_back(nearest(other, now));
  return result;
}

CandidateId Neighbourhood::nearest(std::size_t derivation, const Values& values) const {
  const space::Space& space = *spaces_[derivation];
  const auto& parameters = space.parameters();
  const auto wanted = [&](std::size_t i) {
    const auto same = values.find(parameters[i].name);
    return same == values.end() ? std::int64_t{0} : same->second;
  };
  space::Point point;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    point.push_back(std::max(wanted(i), parameters[i].least));
  if (const auto rank = space.rank(point)) return {derivation, *rank};
  const auto distance = [&](const space::Point& other) {
    double sum = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (wanted(i) == 0) continue;
      sum += std::fabs(std::log2(static_cast<double>(other[i]) / static_cast<double>(wanted(i))));
    }
    return sum;
  };
  constexpr std::size_t tries = 16;
  std::optional<std::uint64_t> best;
  double least = 0;
  for (const std::uint64_t rank : space.sample(tries, derivation)) {
    const double apart = distance(space.at(rank));
    if (best && apart >= least) continue;
    best = rank;
    least = apart;
  }
  return {derivation, best.value()};
}

Neighbourhood::Values Neighbourhood::values(const CandidateId& id) const {
  const space::Space& space = *spaces_[id.derivation];
  const space::Point point = space.at(id.point);
  Values result;
  for (std::size_t i = 0; i < point.size(); ++i) result[space.parameters()[i].name] = point[i];
  return result;
}

std::vector<double> Neighbourhood::numbers(const std::vector<std::int64_t>& coordinates) const {
  // 0 is a parameter that the derivation does not have.
  constexpr double doublings = 12;
  const auto derivation = static_cast<std::size_t>(coordinates.front());
  const std::vector<std::size_t>& places = parameter_places_[derivation];
  std::vector<double> numbers = step_numbers_[derivation];
  for (std::size_t i = 0; i < places.size(); ++i)
    numbers[places[i]] = (1 + std::log2(static_cast<double>(coordinates[i + 1]))) / doublings;
  return numbers;
}

}  // namespace hoist::variants
