#pragma once
// What analysis expects of nests that are blocked for caches (blockLoops), where nothing was measured.
#include <optional>
#include <vector>

#include "rewrite/strategies/loops.hpp"
#include "target/target.hpp"
#include "variants/variants.hpp"

namespace hoist::tuner {

/// Estimates how long the candidates of a nest take that blockLoops makes: the cycles of their bodies by
/// registers and by the cache that their operands come from, those of copies and of results between tiles,
/// and the share of the threads. The terms are those of Low, Igual, Smith and Quintana-Orti, "Analytical
/// modeling is enough for high-performance BLIS" (ACM TOMS 2016); since tiles need not divide loops here and
/// threads share out tiles, all sizes are estimated and the best taken, rather than each one computed from
/// the last.
class BlockingAnalysis {
 public:
  /// `nest` is one part (Variants::part), and lives as long.
  BlockingAnalysis(const variants::Variants& nest, const target::Target& device);

  /// Whether blockLoops makes any of its candidates.
  bool has_blocked() const { return !derivations_.empty(); }
  /// Seconds, but for a factor that is the same for all; nothing for a candidate that is not blocked.
  std::optional<double> seconds(const variants::CandidateId& id) const;
  struct Estimate {
    variants::CandidateId id;
    double seconds = 0;
    double useful = 1;  ///< the share of what its bodies compute that the loops have
  };
  /// The fastest ones, in this order; of spaces that are too large to be listed, those around the fastest of
  /// a sample.
  std::vector<Estimate> fastest(std::size_t count) const;

 private:
  struct Derivation {
    std::size_t number = 0;
    std::uint64_t points = 0;
    std::size_t maps = 0;
    rewrite::Blocking blocking;
    std::vector<rewrite::BlockedSize> sizes;
  };
  const Derivation* derivation_of(const variants::CandidateId& id) const;
  Estimate estimate(const Derivation& derivation, const variants::CandidateId& id) const;

  const variants::Variants& nest_;
  const target::Target& device_;
  std::vector<Derivation> derivations_;
};

}  // namespace hoist::tuner
