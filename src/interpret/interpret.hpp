#pragma once
// The meaning of programs: what every other executor is held against.
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"
#include "interpret/counts.hpp"
#include "ir/term.hpp"

namespace hoist::interpret {

struct Options {
  std::uint64_t max_operations = 0;  ///< stop with an error after this many scalar operations; 0: no limit
  /// Not 0: the seed of random errors that every operation gets which rounds (conditioning.hpp).
  std::uint64_t noise = 0;
  /// Asked again and again while the program is evaluated: true ends it with an error.
  std::function<bool()> is_over = {};
};

/// Evaluates `program` on `inputs` (one Data per parameter) with all sizes bound. Low-level patterns mean
/// what their high-level counterparts mean. Left folds: reduce combines from the first element to the last.
/// User errors: a shape that does not match, an index out of bounds (names the index and the length), integer
/// division by zero, a size assumption that does not hold, a size or tuning parameter without a value (a
/// parameter may be bound in `sizes`). Device errors: not enough memory.
Result<Data> evaluate(const ir::Program& program, const std::vector<Data>& inputs,
                      const arith::Bindings& sizes, const Options& options = {}, Counts* counts = nullptr);

}  // namespace hoist::interpret
