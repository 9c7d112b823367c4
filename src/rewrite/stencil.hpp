#pragma once
// What the body of a nest reads of its windows: which elements, by their places in a window.
#include <optional>
#include <vector>

#include "rewrite/nest.hpp"
#include "rewrite/windows.hpp"

namespace hoist::rewrite {

/// Windows of all dimensions of a nest that move by one, of an array with borders; all sizes are known.
struct Stencil {
  Bordered bordered;
  std::vector<std::int64_t> window, before, after;  ///< of each dimension

  /// The place in a window that is the window's own place in the array.
  std::int64_t home(std::size_t dimension) const { return before[dimension]; }
};
std::optional<Stencil> stencil_of(ir::Term array, std::size_t rank);

/// The elements at `offset` of each window in dimension `dimension` of the stencil's array, `length` of them;
/// the array's elements may have become vectors.
ir::Term elements_at(ir::Term array, const Stencil& stencil, std::size_t dimension, std::int64_t offset,
                     arith::Expr length);

/// One element of a window, read by the body of a nest.
struct Access {
  std::size_t input;
  std::vector<std::int64_t> place;  ///< its offset in each dimension of the window, the outermost first
  ir::Term variable;                ///< stands for it
};

/// The nest's body with variables in the place of what it reads of windows at constant places. Reductions of
/// few elements are unrolled, views bound by `let` put in their place. `is_windows` says which inputs are
/// windows.
ir::Term with_accesses(const Nest& nest, std::vector<bool> is_windows, std::vector<Access>& accesses);

/// A scalar or tuples of them.
bool is_scalars(ir::Type type);
/// x[index].
ir::Term at(ir::Term array, std::int64_t index);
/// The array of one value.
ir::Term single(ir::Term value);
/// Arrays zipped, one as it is; and a component of an element of that.
ir::Term zip(const std::vector<ir::Term>& arrays);
ir::Term part_of(ir::Term element, std::size_t index, std::size_t count);

}  // namespace hoist::rewrite
