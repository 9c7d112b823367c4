#pragma once
// Which variants of an exploration are one choice apart, and numbers in which such choices are small steps.
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "space/space.hpp"
#include "variants/derive.hpp"
#include "variants/variants.hpp"

namespace hoist::variants {

class Neighbourhood {
 public:
  /// The neighbourhood among derivations and their spaces, in the same order. Spaces live in the arena of
  /// their expressions.
  Neighbourhood(std::span<const Derivation> derivations,
                std::vector<std::shared_ptr<const space::Space>> spaces);

  std::vector<CandidateId> neighbours(const CandidateId& id) const;
  std::vector<double> numbers(const std::vector<std::int64_t>& coordinates) const;

 private:
  using Values = std::map<std::string, std::int64_t>;
  void find_neighbouring_derivations();
  void number_choices();
  /// The point of a derivation's space that is nearest to these values, of those that were tried.
  CandidateId nearest(std::size_t derivation, const Values& values) const;
  Values values(const CandidateId& id) const;

  std::vector<std::shared_ptr<const space::Space>> spaces_;
  std::vector<std::vector<std::string>> steps_;       ///< of each derivation
  std::vector<std::vector<std::size_t>> neighbours_;  ///< of each derivation, one choice away
  std::vector<std::vector<std::size_t>>
      parameter_places_;                           ///< of each derivation's parameters, among the numbers
  std::vector<std::vector<double>> step_numbers_;  ///< of each derivation, with 0 for parameters
};

}  // namespace hoist::variants
