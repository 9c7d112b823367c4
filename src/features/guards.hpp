#pragma once
// How often what stands under guards is executed: the share of the iterations of the loops around for which
// comparisons of indices hold.
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "features/places.hpp"

namespace hoist::features {

/// form relation 0.
struct Guard {
  Form form;
  arith::Relation relation = arith::Relation::Less;
};

Guard negation(const Guard& guard);

struct Share {
  double share = 1;
  bool is_exact = true;
};

/// The shares of all iterations for which guards hold. Exact, without looking at single iterations, for sums
/// of counters and most others: boxes of iterations for which a guard is decided count as a whole, others are
/// cut in parts. After a bounded number of them the rest counts half. Guards that have no counter in common
/// are counted apart, and what was counted once is remembered: unrolled loops ask for the same again and
/// again.
class Shares {
 public:
  /// The shares of a kernel's loops; loops that `places` enters later may be asked for, too.
  explicit Shares(const Places& places) : places_(places) {}

  /// The share of iterations for which all guards hold.
  Share of(const std::vector<Guard>& guards);

 private:
  struct Known {
    std::vector<Guard> guards;
    Share share;
  };
  /// The share for guards that have counters in common.
  Share of_related(std::vector<Guard> guards);

  const Places& places_;
  std::unordered_multimap<std::uint64_t, Known> known_;  ///< by a hash
};

}  // namespace hoist::features
