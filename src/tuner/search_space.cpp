#include "tuner/search_space.hpp"

namespace hoist::tuner {

std::vector<search::Configuration> SearchSpace::neighbours(const search::Configuration& configuration) const {
  std::vector<search::Configuration> result;
  for (const variants::CandidateId& each : variants_.neighbours(id(configuration)))
    result.push_back(this->configuration(each));
  return result;
}

search::Configuration SearchSpace::configuration(const variants::CandidateId& id) const {
  search::Configuration configuration;
  for (const variants::Coordinate& each : variants_.coordinates(id)) configuration.push_back(each.value);
  return configuration;
}

}  // namespace hoist::tuner
