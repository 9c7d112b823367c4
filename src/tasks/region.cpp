#include "tasks/region.hpp"

#include <utility>

namespace hoist::tasks {
namespace {

/// Adds a rectangle, which begins behind the rows of others or joins one whose columns are the same.
void append(std::vector<Region>& regions, const Region& next) {
  if (next.is_empty()) return;
  for (Region& each : regions) {
    if (each.columns == next.columns && each.rows.to == next.rows.from) {
      each.rows.to = next.rows.to;
      return;
    }
  }
  regions.push_back(next);
}

}  // namespace

/// Changes the columns of all rows of the rectangle, in bands that end where it ends.
template <class Change>
void RegionSet::change(const Region& region, Change&& change) {
  if (region.is_empty()) return;
  std::vector<Band> bands;
  const auto append_band = [&](const Interval& rows, const IntervalSet& columns) {
    if (rows.is_empty() || columns.is_empty()) return;
    if (!bands.empty() && bands.back().rows.to == rows.from && bands.back().columns == columns) {
      bands.back().rows.to = rows.to;
    } else {
      bands.push_back({rows, columns});
    }
  };
  const auto append_changed = [&](const Interval& rows, IntervalSet columns) {
    change(columns);
    append_band(rows, columns);
  };
  std::int64_t next = region.rows.from;  // the first row that is still to be changed
  for (const Band& band : bands_) {
    append_changed({next, std::min(region.rows.to, band.rows.from)}, {});
    append_band({band.rows.from, std::min(band.rows.to, region.rows.from)}, band.columns);
    append_changed(intersection(band.rows, region.rows), band.columns);
    append_band({std::max(band.rows.from, region.rows.to), band.rows.to}, band.columns);
    next = std::max(next, band.rows.to);
  }
  append_changed({next, region.rows.to}, {});
  bands_ = std::move(bands);
}

void RegionSet::add(const Region& region) {
  change(region, [&](IntervalSet& columns) { columns.add(region.columns); });
}

void RegionSet::remove(const Region& region) {
  const bool is_outside = bands_.empty() || region.rows.to <= bands_.front().rows.from ||
                          bands_.back().rows.to <= region.rows.from;
  if (!is_outside) change(region, [&](IntervalSet& columns) { columns.remove(region.columns); });
}

std::vector<Region> RegionSet::within(const Region& region) const {
  std::vector<Region> result;
  for (const Band& band : bands_) {
    if (region.rows.to <= band.rows.from) break;
    const Interval rows = intersection(band.rows, region.rows);
    if (rows.is_empty()) continue;
    for (const Interval& columns : band.columns.within(region.columns)) append(result, {rows, columns});
  }
  return result;
}

std::vector<Region> RegionSet::missing(const Region& region) const {
  if (region.is_empty()) return {};
  std::vector<Region> result;
  std::int64_t next = region.rows.from;
  for (const Band& band : bands_) {
    const Interval rows = intersection(band.rows, region.rows);
    if (rows.is_empty()) continue;
    append(result, {{next, rows.from}, region.columns});
    for (const Interval& columns : band.columns.missing(region.columns)) append(result, {rows, columns});
    next = rows.to;
  }
  append(result, {{next, region.rows.to}, region.columns});
  return result;
}

}  // namespace hoist::tasks
