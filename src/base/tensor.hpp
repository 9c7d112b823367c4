#pragma once
// Dense arrays as every executor exchanges them.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/scalar.hpp"

namespace hoist {

/// A dense row-major array of scalars; an empty shape is one scalar.
struct Tensor {
  Scalar scalar = Scalar::F32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;  ///< elements() * size_of(scalar)

  std::int64_t elements() const {
    std::int64_t count = 1;
    for (std::int64_t extent : shape) count *= extent;
    return count;
  }
};

/// A value of any data type of the language, flattened to its leaves: the components of tuples in order
/// (arrays of tuples as tuples of arrays), a vector type as a last dimension.
using Data = std::vector<Tensor>;

}  // namespace hoist
