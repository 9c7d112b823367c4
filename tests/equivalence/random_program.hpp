#pragma once
// Random well-typed programs, as text.
#include <cstdint>
#include <string>

namespace hoist::testing_support {

/// A program of high-level patterns over arrays of up to three dimensions of small sizes, all integers (so
/// that results must be equal, in whatever order they were added up). The same seed gives the same text.
std::string random_high_level_program(std::uint64_t seed);

/// A program that says how it is mapped: groups whose work-items exchange values through local memory in
/// several stages, or single work-items; stages may be longer or shorter than the group and read each other's
/// results in any order.
std::string random_low_level_program(std::uint64_t seed);

}  // namespace hoist::testing_support
