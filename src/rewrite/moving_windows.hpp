#pragma once
// Arrays that a nest reads in windows which move along with it by one element, in some of its dimensions or
// in all, however the program writes that.
#include <cstdint>
#include <optional>
#include <vector>

#include "rewrite/nest.hpp"

namespace hoist::rewrite {

/// What an input of a nest is an array of windows of. Element i, j of the input is the window of `data` that
/// begins at i, j; its dimensions are those of the input that windows extend in, in some order.
struct MovingWindows {
  ir::Term data;                      ///< of scalars or tuples of them, a dimension for each of the input's
  std::vector<std::int64_t> lengths;  ///< of the windows, for each dimension of the input; 1 where it is none
  std::vector<std::size_t> order;     ///< the input's dimension that each dimension of a window is

  /// Whether windows extend in any dimension at all.
  bool is_extended() const { return !order.empty(); }
  bool extends_in(std::size_t dimension) const;
};

/// Nothing where the input is no such array: it is read at other places, its windows move by more than one
/// element, or their lengths are not known. An array that is read element by element is one of windows that
/// extend in no dimension.
std::optional<MovingWindows> moving_windows(const NestInput& input);

/// Windows of an array by each of its first dimensions: their length and step, nothing where there are none.
/// [n][m]t to [n'][m'][w]t where there are windows in one of the two dimensions.
using WindowsByDimension = std::vector<std::optional<std::pair<arith::Expr, arith::Expr>>>;
ir::Term windows_by_dimension(ir::Term data, const WindowsByDimension& windows);

}  // namespace hoist::rewrite
