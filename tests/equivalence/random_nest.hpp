#pragma once
// Random nests of maps, as text, for the macro rules: mostly integers, so that results must be equal in
// whatever order they were added up.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hoist::testing_support {

struct RandomNest {
  int rank = 1;
  std::string text;
  std::vector<std::pair<std::string, std::int64_t>> sizes;  ///< of its size variables
};

/// A nest of one to three maps over arrays that have some of its dimensions each; often with a reduction of
/// products inside, as in matrix products.
RandomNest random_contraction(std::uint64_t seed);

/// A nest over windows of one to three dimensions, with borders by any rule, often with arrays beside them
/// and windows of another array; the result may be tuples.
RandomNest random_stencil(std::uint64_t seed);

/// A reduction of one array, or one of each row (rank 0 or 1), by several operators; sums of products too, of
/// integers or of floats.
RandomNest random_reduction(std::uint64_t seed);

/// A nest of two maps over arrays some of which are transposed: elements, windows, rows that are reduced, of
/// two or three dimensions in any order, some of which are read in two ways.
RandomNest random_transposed(std::uint64_t seed);

/// A nest of one or two maps over windows or matrices whose rows are put together and reduced.
RandomNest random_rows(std::uint64_t seed);

/// A nest of one or two maps over rows, whose body maps and reduces the row, what it has made of it and an
/// array of the same length, several times.
RandomNest random_passes(std::uint64_t seed);

}  // namespace hoist::testing_support
