#pragma once
// Sums along memory, by vectors.
#include <optional>

#include "loop/traverse.hpp"

namespace hoist::codegen {

/// A body whose loops that sum in any order along contiguous memory sum in the lanes of a vector, and the
/// lanes at last. Nothing where it has no such loop, or one too short for vectors of so many bytes.
std::optional<loop::Block> summed_by_vectors(const loop::Block& body, std::int64_t vector_bytes,
                                             loop::NameSource& names);

}  // namespace hoist::codegen
