#pragma once
// An exploration as a search sees it: configurations are a derivation and a point of its space.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/space.hpp"
#include "tune/explore.hpp"

namespace hoist::tune {

/// A configuration's first number is the derivation's, then come the values of its parameters, in their
/// order. Keeps a reference to the exploration.
class SearchSpace : public search::Space {
 public:
  explicit SearchSpace(const Exploration& exploration);

  std::uint64_t size() const override { return exploration_.count(); }
  search::Configuration at(std::uint64_t rank) const override;
  bool contains(const search::Configuration& configuration) const override;
  /// Derivations are drawn alike: of the points most would be of the few that leave most sizes open.
  search::Configuration draw(Random& random) const override;
  /// One parameter with its next smaller or larger value; or a derivation that differs in one step, or has
  /// one more or less, with values as near as its space has them.
  std::vector<search::Configuration> neighbours(const search::Configuration& configuration) const override;
  /// The logarithm of each parameter by its name, and which steps the derivation has.
  std::vector<double> features(const search::Configuration& configuration) const override;

  /// Precondition: contained.
  CandidateId id(const search::Configuration& configuration) const;
  search::Configuration configuration(const CandidateId& id) const;

 private:
  void find_neighbouring_derivations();
  void number_features();
  /// The point of a derivation's space that is nearest to these values, of those that were tried.
  search::Configuration nearest(std::size_t derivation,
                                const std::map<std::string, std::int64_t>& values) const;
  std::map<std::string, std::int64_t> values(const search::Configuration& configuration) const;

  const Exploration& exploration_;
  std::vector<std::vector<std::string>> steps_;               ///< of each derivation
  std::vector<std::vector<std::size_t>> neighbours_;          ///< of each derivation, one choice away
  std::vector<std::vector<std::size_t>> parameter_features_;  ///< of each derivation's parameters the places
  std::vector<std::vector<double>> step_features_;            ///< of each derivation, with 0 for parameters
};

}  // namespace hoist::tune
