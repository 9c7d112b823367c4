#pragma once
// Neighbourhoods in one form: windows of one dimension or more of an array, and arrays with borders.
#include <optional>
#include <utility>
#include <vector>

#include "ir/term.hpp"

namespace hoist::rewrite {

/// x |> slide(w, s) in one dimension or more: what is slid over, and the windows' size and step in each
/// dimension.
struct Windows {
  ir::Term data;
  std::vector<std::pair<arith::Expr, arith::Expr>> windows;
};

/// [N][M]t to [n][m][w][v]t.
ir::Term windows_of(ir::Term data, const std::vector<std::pair<arith::Expr, arith::Expr>>& windows);
/// Whether an array is windows of `rank` dimensions of something.
std::optional<Windows> as_windows(ir::Term array, std::size_t rank);

/// What is outside an array in one dimension: elements by a boundary's rule, or all of one value.
struct Border {
  arith::Expr before = 0, after = 0;
  arith::Expr boundary;  ///< as in pad; where there is no value
  ir::Term value;        ///< a scalar
};
struct Bordered {
  ir::Term data;
  std::vector<Border> borders;  ///< of each dimension
};

/// An array of at least `rank` dimensions without the borders of the first `rank`, whatever layouts put them
/// there.
Bordered without_borders(ir::Term array, std::size_t rank);
/// `before` and `after` more elements by the border's rule; the array's elements may be arrays, vectors and
/// tuples.
ir::Term with_border(ir::Term array, const Border& border, arith::Expr before, arith::Expr after);

}  // namespace hoist::rewrite
