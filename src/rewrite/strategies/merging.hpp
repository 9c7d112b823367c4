#pragma once
// Stencils whose work-items are merged: the space of optimisations of Garvey and Abdelrahman (A strategy for
// automatic performance tuning of stencil computations on GPUs, Scientific Programming 2018, section 4).
#include <cstdint>
#include <string>

#include "rewrite/moving_windows.hpp"
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// A nest of one to three dimensions over windows that move along with it, by groups of work-items each of
/// which computes several elements. Along each dimension a group has W work-items, and a work-item C blocks
/// of neighbours, one after every W blocks (cyclic merging); of a block, R times U elements or, along the
/// innermost dimension, vectors of `width` (block merging): U of them by straight code, again and again. What
/// a group reads is one tile for each array. The W, C, R and U of each dimension are the step's choices, the
/// outermost dimension first: "WZ", "CZ", "RZ", "UZ", "WY", ... Sizes need not divide anything.
///
/// Declines where the nest is none of such windows, or is inside another pattern; with a width above 1, also
/// where its body cannot be computed in vectors.
Strategy merge_work_items(std::int64_t width);

/// The nest that `merge_work_items` is for, with what each of its inputs is; its element is the window as the
/// program writes it.
struct MergeableNest {
  Nest nest;
  std::vector<MovingWindows> inputs;
};
/// Of a term outside of all other patterns. Declines where it is no such nest.
tl::expected<MergeableNest, Declined> mergeable_nest(ir::Term term);

/// An input of the program, counted from the last one, read as an image. It must be an array of f32 or i32 of
/// two or three dimensions.
Strategy read_as_image(std::size_t input);

}  // namespace hoist::rewrite
