#pragma once
// Chooses the rows that arrays are seen as (region.hpp), by which tasks touch least of them.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tasks/footprint.hpp"

namespace hoist::tasks {

/// Of arrays that are to be seen alike, where parts of a grid touch least: kernels whose two loops are cut.
std::int64_t rows_for_grid(std::vector<Result<Footprint>>& kernels, const std::vector<std::string>& arrays);

/// An input that kernels read which are cut along one loop, into so many tasks.
struct ColumnReads {
  std::string array;
  std::int64_t elements, width;  ///< of the array; bytes of an element
  std::vector<Footprint*> readers;
  std::int64_t tasks, least_row_bytes;  ///< as CutOptions have them
};
/// Rows of which tasks read columns, half of what they would read as runs of elements at the most; 1: there
/// are none.
std::int64_t rows_for_columns(const ColumnReads& reads);

}  // namespace hoist::tasks
