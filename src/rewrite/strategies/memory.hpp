#pragma once
// Values that are used again, kept in faster memory. These work on programs that are mapped to the hierarchy.
#include <cstdint>

#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// Which element of an array each work-item of a group copies.
enum class CopyOrder : std::uint8_t {
  Rows,   ///< of each row the next one, rows by the next dimension of work-items
  Even,   ///< the same, as many by each work-item: no loop, but their number must divide
  Boxes,  ///< a box of the group's shape after the other; those at the end stick out
  Flat,   ///< one after the other, whatever row it is of: neighbours by neighbours in groups of any shape
};

/// How the work-items of a group copy an array into local memory together. Copies in boxes and flat ones are
/// of whole arrays as they lie: of these only `part` and `order` say something.
struct GroupCopy {
  std::size_t part = 0;    ///< which of the arrays that the pattern reads
  std::size_t along = 0;   ///< the array's dimension that neighbouring work-items copy neighbours of
  std::int64_t width = 1;  ///< elements that a work-item copies at once
  CopyOrder order = CopyOrder::Rows;
  std::size_t stored = 0;  ///< the dimension whose elements are neighbours in local memory
  std::int64_t pitch = 0;  ///< rows in local memory lie so many elements further apart than they are long
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
