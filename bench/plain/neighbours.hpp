#pragma once
// The columns around a column, for stencils whose border is repeated outside.
#include <algorithm>

namespace hoist::plain {

/// Calls point(x, column) for every x of a row of w elements, where column(d) is x + d kept inside the row;
/// the middle of the row, where no column in reach r is outside, has a loop of its own.
template <long r, class Point>
inline void each_column(long w, const Point& point) {
  const auto at_edge = [&](long x) { point(x, [=](long d) { return std::clamp(x + d, 0L, w - 1); }); };
  const long left = std::min(r, w), right = std::max(left, w - r);
  for (long x = 0; x < left; ++x) at_edge(x);
  for (long x = left; x < right; ++x) point(x, [=](long d) { return x + d; });
  for (long x = right; x < w; ++x) at_edge(x);
}

/// Row y of an image of h rows of w elements, the nearest one where y is outside.
inline const float* row_of(const float* u, long y, long h, long w) {
  return u + std::clamp(y, 0L, h - 1) * w;
}

/// Row (z, y) of a volume, the nearest one where z or y is outside.
inline const float* row_of(const float* u, long z, long y, long d, long h, long w) {
  return u + (std::clamp(z, 0L, d - 1) * h + std::clamp(y, 0L, h - 1)) * w;
}

}  // namespace hoist::plain
