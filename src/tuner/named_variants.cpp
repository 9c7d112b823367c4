// Names for what variants are made of. A configuration lists numbers: which way the program is taken apart,
// where there are several, and for each part its derivation and then the parameters of that derivation
// (variants::Variants::coordinates). So which names a configuration has follows from a few of its numbers:
// `find` looks those up first, and takes the others in the order of that derivation.
#include "tuner/named_variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "ir/type.hpp"

namespace hoist::tuner {

namespace {

constexpr std::string_view derivation_name = "derivation";

/// The place that values give among so many; the only one where there is one.
std::optional<std::size_t> chosen(const search::NamedValues& values, std::size_t place, std::size_t count) {
  if (count == 1) return 0;
  if (!values[place] || *values[place] < 0 || *values[place] >= static_cast<std::int64_t>(count))
    return std::nullopt;
  return static_cast<std::size_t>(*values[place]);
}

}  // namespace

NamedVariants::NamedVariants(const variants::Variants& variants, const SearchSpace& space)
    : variants_(variants), space_(space) {
  if (variants.alternatives() > 1) way_place_ = place_of("way");
  for (std::size_t way = 0; way < variants.alternatives(); ++way) {
    const variants::Variants& alternative = variants.alternative(way);
    ways_.emplace_back();
    for (std::size_t number = 0; number < alternative.parts(); ++number)
      add_part(alternative.part(number), number, alternative.parts());
  }
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    const std::size_t always = named_always(way).size() + (way_place_ == unnamed ? 0 : 1);
    has_all_names_always_ = has_all_names_always_ && always == names_.size();
  }
}

void NamedVariants::add_part(const variants::Variants& part, std::size_t number, std::size_t parts) {
  Part& added = ways_.back().emplace_back();
  const bool has_one = !part.contains({1, 0});
  for (std::size_t derivation = 0; part.contains({derivation, 0}); ++derivation) {
    Places& places = added.derivations.emplace_back();
    for (const variants::Coordinate& each : part.coordinates({derivation, 0})) {
      const bool is_derivation = each.name == derivation_name;
      if (is_derivation && has_one) {
        places.push_back(unnamed);
        continue;
      }
      places.push_back(place_of(parts == 1 ? each.name : fmt::format("{}.{}", each.name, number)));
      if (is_derivation) added.derivation_place = places.back();
    }
  }
}

/// The names that every configuration of a way has, but for that of the way.
std::set<std::size_t> NamedVariants::named_always(std::size_t way) const {
  std::set<std::size_t> always;
  for (const Part& part : ways_[way]) {
    std::map<std::size_t, std::size_t> counts;
    for (const Places& places : part.derivations) {
      for (const std::size_t place : places) ++counts[place];
    }
    for (const auto& [place, count] : counts) {
      if (place != unnamed && count == part.derivations.size()) always.insert(place);
    }
  }
  return always;
}

std::size_t NamedVariants::place_of(const std::string& name) {
  const auto [known, is_new] = places_.emplace(name, names_.size());
  if (is_new) names_.push_back(name);
  return known->second;
}

std::optional<search::Configuration> NamedVariants::find(const search::NamedValues& values) const {
  search::Configuration configuration;
  const auto way = chosen(values, way_place_, ways_.size());
  if (!way) return std::nullopt;
  if (way_place_ != unnamed) configuration.push_back(static_cast<std::int64_t>(*way));
  for (const Part& part : ways_[*way]) {
    // A set that has no coordinate for its derivations has the same coordinates in all of them.
    const std::size_t count = part.derivation_place == unnamed ? 1 : part.derivations.size();
    const auto derivation = chosen(values, part.derivation_place, count);
    if (!derivation) return std::nullopt;
    for (const std::size_t place : part.derivations[*derivation]) {
      if (place != unnamed && !values[place]) return std::nullopt;
      configuration.push_back(place == unnamed ? 0 : *values[place]);
    }
  }
  return space_.contains(configuration) ? std::optional(std::move(configuration)) : std::nullopt;
}

std::vector<std::size_t> NamedVariants::places_of(const variants::CandidateId& id) const {
  std::vector<std::size_t> places;
  if (way_place_ != unnamed) places.push_back(way_place_);
  const std::vector<Part>& parts = ways_[id.alternative];
  for (std::size_t number = 0; number < parts.size(); ++number) {
    const std::size_t derivation = id.parts.empty() ? id.derivation : id.parts[number].derivation;
    const Places& own = parts[number].derivations[derivation];
    places.insert(places.end(), own.begin(), own.end());
  }
  return places;
}

search::NamedValues NamedVariants::values(const search::Configuration& configuration) const {
  search::NamedValues values(names_.size());
  const std::vector<std::size_t> places = places_of(space_.id(configuration));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != unnamed) values[places[i]] = configuration[i];
  }
  return values;
}

std::vector<std::int64_t> NamedVariants::known_values(std::size_t name) const {
  const auto [known, is_new] = known_values_.try_emplace(name);
  if (!is_new) return known->second;
  constexpr std::size_t drawn = 20;
  std::vector<variants::CandidateId> ids = variants_.sample(drawn, 1);
  ids.push_back(variants_.at(0));
  std::set<std::int64_t> found;
  for (const variants::CandidateId& id : ids) {
    const std::vector<std::size_t> places = places_of(id);
    const auto place = std::ranges::find(places, name);
    if (place == places.end()) continue;
    const auto coordinate = static_cast<std::size_t>(place - places.begin());
    for (const std::int64_t value : variants_.values(id, coordinate)) found.insert(value);
  }
  known->second.assign(found.begin(), found.end());
  return known->second;
}

driver::NamedSizes result_sizes(const ir::Program& program) {
  ir::Type type = program.result();
  while (ir::is_tuple(type)) type = type->elements[0];
  std::vector<std::int64_t> lengths;
  for (; ir::is_array(type); type = ir::element_of(type))
    lengths.push_back(type->size.constant().value_or(1));
  std::ranges::reverse(lengths);
  lengths.resize(std::max<std::size_t>(lengths.size(), 3), 1);
  return {{"NX", lengths[0]}, {"NY", lengths[1]}, {"NZ", lengths[2]}};
}

}  // namespace hoist::tuner
