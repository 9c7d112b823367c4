#pragma once
// What a search has asked for and learned so far.
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/space.hpp"

namespace hoist::search {

class History {
 public:
  /// Whether it was proposed or reported.
  bool is_known(const Configuration& configuration) const { return known_.count(configuration) != 0; }
  /// Marks it as proposed; false where it was known.
  bool claim(const Configuration& configuration) { return known_.insert(configuration).second; }
  /// False where an outcome of it was there already; that one stays.
  bool add(const Trial& trial);

  const std::vector<Trial>& trials() const { return trials_; }
  /// What became of it; nothing where that is not known yet.
  const Outcome* outcome(const Configuration& configuration) const;
  /// The fastest; nothing before the first that did not fail.
  const Trial* best() const { return best_ ? &trials_[*best_] : nullptr; }
  std::size_t known() const { return known_.size(); }

 private:
  std::unordered_set<Configuration, ConfigurationHash> known_;
  std::unordered_map<Configuration, std::size_t, ConfigurationHash> places_;  ///< in trials_
  std::vector<Trial> trials_;
  std::optional<std::size_t> best_;
};

/// Configurations that are not known, at random: without replacement as far as a space can be listed.
class Draws {
 public:
  Draws(const Space& space, std::uint64_t seed) : space_(space), random_(seed) {}
  /// Nothing when all are known, or when a space too large to be listed gave known ones again and again.
  std::optional<Configuration> next(const History& history);

 private:
  const Space& space_;
  Random random_;
  std::unordered_map<std::uint64_t, std::uint64_t>
      moved_;  ///< what a shuffle of all ranks has exchanged so far
  std::uint64_t drawn_ = 0;
};

}  // namespace hoist::search
