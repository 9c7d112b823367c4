#pragma once
// Which terms need memory of their own when they are evaluated.
#include <cstdint>
#include <optional>

#include "ir/term.hpp"

namespace hoist::lower {

/// x, of zip(f(unzip(x).0), g(unzip(x).1), ..) whose functions are layouts; nothing for other zips.
ir::Term unzipped_source(const ir::Call& zip);
/// Whether evaluating the term means running a pattern that needs memory of its own.
bool is_producer(ir::Term term);
/// A reduction by one work-item, or by all of a group alike, whose result is or holds an array.
bool is_array_reduction(ir::Term term);
/// Whether the function of a plain map runs a pattern that needs memory of its own.
bool maps_producer(const ir::Call& map);
/// A producer behind layout patterns, tuples or lets.
bool leads_to_producer(ir::Term term);
/// Whether a scalar's computation contains a loop: worth a place of its own when several kernels use it.
bool contains_loop(ir::Term term);

/// The most that an array takes that a work-item keeps for itself. A thread of a GPU has 512 KiB of such
/// memory, and a processor's runtime keeps it on a stack of some MiB, for all work-items of a group where
/// they wait for each other.
inline constexpr std::int64_t most_private_bytes = 64 << 10, most_private_bytes_of_group = 4 << 20;

/// Nothing where a length is not known.
std::optional<std::int64_t> bytes_of(ir::Type type);
/// The size of the largest array in a term that one work-item makes by itself; 0 where there is none.
std::int64_t largest_of_one_work_item(ir::Term term);

}  // namespace hoist::lower
