#pragma once
#include <cstdint>

namespace hoist::interpret {

/// Work done, counted while interpreting. A term that occurs more than once under the same binders is
/// evaluated, and counted, once.
struct Counts {
  std::uint64_t flops = 0;       ///< floating-point operations (ScalarOpInfo::flops each)
  std::uint64_t operations = 0;  ///< scalar operations of any kind, casts among them
  /// How much cancellation in sums magnifies rounding: the largest intermediate over the largest result of a
  /// reduction's accumulator, over all its runs, for the reduction where that is largest; 1 where nothing
  /// cancels.
  double cancellation = 1;
};

}  // namespace hoist::interpret
