#pragma once
// Macro rules for stencils: nests over windows (see rewrite/windows.hpp) computed with vectors along the
// innermost dimension and with windows that move through registers along the outermost.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// x |> pad(l, r, m) |> slide(l + w + r, w) reads each window as l elements before, a vector of w from x
/// itself, and r elements after.
Strategy vector_windows(std::int64_t width);

/// A nest over windows of one to three dimensions, and whatever plain arrays it reads beside them, as
/// work-items that compute `width` neighbours of the innermost dimension at once, of as many elements of the
/// outermost as it chooses, one after the other: what they need of each place of the outermost dimension
/// moves through registers. What moves are the elements, as vectors and the scalars beside them; or, where
/// those are fewer, the values that the function computes of a single place. A nest of one dimension has
/// vectors only, and chooses nothing. Guarded, dimensions that usual tiles do not divide are computed up to
/// the next multiple of these, and what is beyond the end is left out.
Strategy stream_windows(std::int64_t width, bool is_guarded = false);

}  // namespace hoist::rewrite
