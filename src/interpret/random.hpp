#pragma once
// Random inputs: the same on every machine, any element without the ones before it.
#include <cstdint>

#include "arith/expr.hpp"
#include "base/error.hpp"
#include "base/tensor.hpp"
#include "ir/type.hpp"

namespace hoist::interpret {

/// What the elements are taken from, uniformly. Integers of one and two bytes take all their values, bool
/// both.
struct RandomRange {
  double minimum = -1.0;       ///< of floats, inclusive
  double maximum = 1.0;        ///< of floats, exclusive
  std::int64_t smallest = -8;  ///< of integers, inclusive; unsigned ones start at 0
  std::int64_t largest = 15;   ///< of integers, inclusive
};

/// Random data of a type whose sizes are bound. The element at an index depends on the seed, the leaf and the
/// index alone (the counter-based use of splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014). User errors: a size without a value, or an empty range.
Result<Data> random_data(ir::Type type, const arith::Bindings& sizes, std::uint64_t seed,
                         const RandomRange& range = {});

}  // namespace hoist::interpret
