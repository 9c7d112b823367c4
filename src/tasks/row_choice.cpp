#include "tasks/row_choice.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hoist::tasks {
namespace {

Interval part_of(std::int64_t iterations, std::int64_t part, std::int64_t parts) {
  return {iterations * part / parts, iterations * (part + 1) / parts};
}

/// What a part of the iterations of a footprint's outer loop reads.
std::vector<Region> read_by_part(const Footprint& footprint, const std::string& array, std::int64_t part,
                                 std::int64_t parts) {
  return footprint.read_parts(array, {part_of(footprint.outer.iterations, part, parts)});
}

}  // namespace

std::int64_t rows_for_grid(std::vector<Result<Footprint>>& kernels, const std::vector<std::string>& arrays) {
  const auto for_each_use = [&](const auto& see) {
    for (auto& footprint : kernels) {
      for (const std::string& array : arrays) {
        if (footprint && footprint->arrays.contains(array)) see(*footprint, array);
      }
    }
  };
  std::set<std::int64_t> lengths{1};
  for_each_use(
      [&](Footprint& footprint, const std::string& array) { lengths.merge(footprint.row_lengths(array)); });
  // By four tasks: what a larger grid says is not another.
  const auto touched = [&](std::int64_t row_length) {
    std::int64_t total = 0;
    for_each_use([&](Footprint& footprint, const std::string& array) {
      footprint.lay_out(array, row_length);
      for (int part = 0; part < 4; ++part) {
        const Region run{part_of(footprint.outer.iterations, part / 2, 2),
                         part_of(footprint.inner->iterations, part % 2, 2)};
        total += footprint.read(array, run).area() + footprint.written(array, run).area();
      }
    });
    return total;
  };
  std::pair<std::int64_t, std::int64_t> best{touched(1), 1};
  for (const std::int64_t length : lengths) {
    if (length > 1) best = std::min(best, {touched(length), length});
  }
  return best.second;
}

std::int64_t rows_for_columns(const ColumnReads& reads) {
  const std::string& array = reads.array;
  std::set<std::int64_t> lengths;
  for (const Footprint* each : reads.readers) lengths.merge(each->row_lengths(array));
  const auto read = [&](std::int64_t row_length) {
    // What more tasks say is not another.
    const std::int64_t tasks = std::min<std::int64_t>(reads.tasks, 8);
    std::int64_t total = 0;
    for (Footprint* each : reads.readers) {
      if (each->arrays.at(array).row_length != row_length) each->lay_out(array, row_length);
      for (std::int64_t task = 0; task < tasks; ++task) {
        for (const Region& region : read_by_part(*each, array, task, tasks)) total += region.area();
      }
    }
    return total;
  };
  const std::int64_t as_runs = read(1);
  // Most arrays are read about once by all tasks together, however their indices are taken apart.
  if (2 * as_runs < 3 * reads.elements) return 1;
  std::pair<std::int64_t, std::int64_t> best{as_runs / 2 + 1, 1};
  for (const std::int64_t length : lengths) best = std::min(best, {read(length), length});
  const std::int64_t found = best.second;
  if (found == 1) return 1;
  for (Footprint* each : reads.readers) {
    each->lay_out(array, found);
    for (const Region& region : read_by_part(*each, array, reads.tasks / 2, reads.tasks)) {
      const bool is_narrow = region.columns.length() * reads.width < reads.least_row_bytes;
      if (region.columns.length() < found && region.rows.length() > 1 && is_narrow) return 1;
    }
  }
  return found;
}

}  // namespace hoist::tasks
