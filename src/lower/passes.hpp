#pragma once
// The passes over the loop IR, each from a kernel to a better kernel of the same meaning. pipeline.cpp lists
// them in order.
#include "loop/kernel.hpp"
#include "loop/traverse.hpp"

namespace hoist::lower {

/// Compares every loop's range with the number of work-items or iterations: loops that run once become
/// straight code, loops that run at most once an `if`; tests that the ranges decide disappear (thesis,
/// section 4.3.5).
void simplify_control_flow(loop::Kernel& kernel);
/// The same of a part of a kernel.
loop::Block simplified_control_flow(loop::Block block, const loop::LaunchRange& launch);

/// What is known of a condition made of tests.
arith::Truth truth_of(const loop::ValuePtr& condition);

/// Makes bounds of sequential loops of the tests that leave their last iterations empty.
void bound_loops(loop::Kernel& kernel);

/// Whether a sequential loop is one that passes may change: nothing ends it early, and it is neither to be
/// unrolled nor shared, nor does its variable index an array of the work-item's own, which is to live in
/// registers.
bool is_free_to_change(const loop::For& loop);

/// Makes nests of the loops over joined arrays, so that no index of theirs is divided; of those of a few
/// iterations, too, where it is told.
void nest_joined_parts(loop::Kernel& kernel, loop::NameSource& names, bool also_short = false);

/// Inserts the barriers that the read and write sets of the parallel loops ask for. With `eliminate`, only
/// where two different work-items may touch the same place and one of them writes; else after every parallel
/// loop. A loop that needs a barrier inside is first made uniform: every work-item of a group passes every
/// barrier.
void insert_barriers(loop::Kernel& kernel, bool eliminate, loop::NameSource& names);

/// Cuts the loops of a group over chunks before the last rounds, so that only those test what sticks out.
void peel_last_chunks(loop::Kernel& kernel, loop::NameSource& names);

/// Computes tiles that do not stick out of an array by a copy of the kernel's body without tests.
void version_interior_tiles(loop::Kernel& kernel, loop::NameSource& names);

/// Unrolls loops that are marked, and those that index private arrays; then turns private arrays whose every
/// index is a constant into variables, which the device's compiler keeps in registers (thesis, Listing 4.7).
/// What several iterations of a marked loop read is read once, with `share_loads`.
void unroll_private_arrays(loop::Kernel& kernel, loop::NameSource& names, bool share_loads);

/// Reads vectors that begin at no multiple of their size in vectors that do.
void align_vectors(loop::Kernel& kernel, loop::NameSource& names);

/// Beyond this many statements a loop stays a loop though it is marked.
inline constexpr std::int64_t most_unrolled_statements = 20000;

/// Says of innermost sequential loops how far the device's compiler should unroll them.
void suggest_unrolling(loop::Kernel& kernel, std::int64_t most_operations);

/// Marks stores that had better go past the caches: of results larger than `cache_bytes`, written once.
void stream_stores(loop::Kernel& kernel, std::int64_t cache_bytes);

/// Lists as parameters what the body uses: inputs, outputs and temporaries, scalars, sizes. Picks the index
/// type.
void collect_parameters(loop::Kernel& kernel, const loop::Plan& plan);

}  // namespace hoist::lower
