#pragma once
// Macro rules that compute several elements of a nest at once, as a vector.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// A nest of scalars computed by scalar operations alone, outside of all parallel maps, in vectors of `width`
/// along its innermost dimension: what has that dimension is read as vectors, what has not stays a scalar.
/// The nest over vectors stays open.
Strategy map_in_vectors(std::int64_t width);
/// The same in vectors of so many bytes, whatever the scalars are.
Strategy map_in_vectors_of_bytes(std::int64_t bytes);

}  // namespace hoist::rewrite
