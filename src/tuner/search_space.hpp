#pragma once
// Variants as a search sees them: a configuration is the values of a variant's coordinates.
#include <vector>

#include "search/space.hpp"
#include "variants/variants.hpp"

namespace hoist::tuner {

/// Keeps a reference to the variants.
class SearchSpace : public search::Space {
 public:
  explicit SearchSpace(const variants::Variants& variants) : variants_(variants) {}

  std::uint64_t size() const override { return variants_.count(); }
  search::Configuration at(std::uint64_t rank) const override { return configuration(variants_.at(rank)); }
  bool contains(const search::Configuration& configuration) const override {
    return variants_.find(configuration).has_value();
  }
  search::Configuration draw(Random& random) const override { return configuration(variants_.draw(random)); }
  std::vector<search::Configuration> neighbours(const search::Configuration& configuration) const override;
  std::vector<double> features(const search::Configuration& configuration) const override {
    return variants_.numbers(configuration);
  }

  /// Precondition: contained.
  variants::CandidateId id(const search::Configuration& configuration) const {
    return variants_.find(configuration).value();
  }
  search::Configuration configuration(const variants::CandidateId& id) const;

 private:
  const variants::Variants& variants_;
};

}  // namespace hoist::tuner
