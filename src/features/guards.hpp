#pragma once
// How often what stands under guards is executed: the share of the iterations of the loops around for which
// comparisons of indices hold.
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

/// The share of all iterations for which all guards hold. Exact, without looking at single iterations, for
/// sums of counters and most others: boxes of iterations for which a guard is decided count as a whole,
/// others are cut in parts. After a bounded number of them the rest counts half.
Share share_of(const Places& places, const std::vector<Guard>& guards);

}  // namespace hoist::features
