#pragma once
// Values that are used again, kept in faster memory. These work on programs that are mapped to the hierarchy.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// How the work-items of a group copy an array into local memory together.
struct GroupCopy {
  std::size_t part = 0;    ///< which of the arrays that the pattern reads
  std::size_t along = 0;   ///< the array's dimension that neighbouring work-items copy neighbours of
  std::int64_t width = 1;  ///< elements that a work-item copies at once
  bool is_even = false;    ///< each work-item copies as many elements: no loop, but their number must divide
  std::size_t stored = 0;  ///< the dimension whose elements are neighbours in local memory
  std::int64_t pitch = 0;  ///< rows in local memory lie so many elements further apart than they are long
  bool is_flat = false;    ///< one element after the other, whatever row it is of: `part` alone says more
};

/// At a mapWrg or a sequential reduction whose function has mapLcl inside: what the function reads of one of
/// its arrays is copied to local memory first.
Strategy copy_to_local(GroupCopy copy);
/// At a sequential reduction inside a work-item: an array that its function reads is copied to registers
/// first, in vectors of `width`.
Strategy copy_to_private(std::size_t part, std::int64_t width);
/// At a sequential reduction that copies first: it copies for the next step while it computes this one.
Strategy prefetch_copies();

}  // namespace hoist::rewrite
