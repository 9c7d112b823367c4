#include "features/warps.hpp"

#include <algorithm>
#include <utility>

namespace hoist::features {

namespace {

/// Warps of a group that are looked at where they differ.
constexpr std::int64_t most_warps = 8;

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

Ids ids_of(std::int64_t item, const Ids& local) {
  return {item % local[0], item / local[0] % local[1], item / (local[0] * local[1])};
}

std::vector<Ids> active_members(std::int64_t warp, const Ids& local, const Ids& limits, std::int64_t size) {
  std::vector<Ids> members;
  const std::int64_t items = local[0] * local[1] * local[2];
  for (std::int64_t item = warp * size; item < std::min((warp + 1) * size, items); ++item) {
    const Ids ids = ids_of(item, local);
    if (ids[0] < limits[0] && ids[1] < limits[1] && ids[2] < limits[2]) members.push_back(ids);
  }
  return members;
}

void add(std::vector<WarpKind>& kinds, double count, std::int64_t warp, const Ids& local, const Ids& limits,
         std::int64_t size) {
  if (count <= 0) return;
  std::vector<Ids> members = active_members(warp, local, limits, size);
  if (!members.empty()) kinds.push_back({count, std::move(members)});
}

/// Each row of work-items is whole warps.
std::vector<WarpKind> of_long_rows(const Ids& local, const Ids& limits, std::int64_t size) {
  std::vector<WarpKind> kinds;
  const auto rows = static_cast<double>(limits[1] * limits[2]);
  const std::int64_t whole = limits[0] / size;
  add(kinds, rows * static_cast<double>(whole), 0, local, limits, size);
  if (limits[0] % size != 0) add(kinds, rows, whole, local, limits, size);
  return kinds;
}

/// Each warp is whole rows, and a plane is whole warps.
std::vector<WarpKind> of_short_rows(const Ids& local, const Ids& limits, std::int64_t size) {
  std::vector<WarpKind> kinds;
  const std::int64_t rows = size / local[0];
  const auto planes = static_cast<double>(limits[2]);
  const std::int64_t whole = limits[1] / rows;
  add(kinds, planes * static_cast<double>(whole), 0, local, limits, size);
  if (limits[1] % rows != 0) add(kinds, planes, whole, local, limits, size);
  return kinds;
}

}  // namespace

std::vector<WarpKind> warps_of(const Ids& local, const Ids& limits, std::int64_t size) {
  if (local[0] % size == 0) return of_long_rows(local, limits, size);
  if (size % local[0] == 0 && local[0] * local[1] % size == 0) return of_short_rows(local, limits, size);
  std::vector<WarpKind> kinds;
  const std::int64_t warps = (local[0] * local[1] * local[2] + size - 1) / size;
  const std::int64_t looked_at = std::min(warps, most_warps);
  for (std::int64_t i = 0; i < looked_at; ++i) {
    add(kinds, static_cast<double>(warps) / static_cast<double>(looked_at), i * warps / looked_at, local,
        limits, size);
  }
  return kinds;
}

std::int64_t units_touched(const WarpAccess& access, std::int64_t unit_bytes, std::int64_t alignment) {
  const std::int64_t origin = access.places.front(), bytes = access.scalars * access.scalar_bytes;
  const auto touched = [&](std::int64_t place) {
    const std::int64_t begin = (place - origin) * access.scalar_bytes + alignment;
    return std::pair(floor_quotient(begin, unit_bytes), floor_quotient(begin + bytes - 1, unit_bytes));
  };
  std::int64_t count = 0, latest = INT64_MIN;
  bool is_rising = true;
  for (const std::int64_t place : access.places) {
    const auto [first, last] = touched(place);
    is_rising = is_rising && first >= latest;
    count += last - std::max(first - 1, latest);
    latest = last;
  }
  if (is_rising) return count;
  std::vector<std::int64_t> all;
  for (const std::int64_t place : access.places) {
    const auto [first, last] = touched(place);
    for (std::int64_t unit = first; unit <= last; ++unit) all.push_back(unit);
  }
  std::sort(all.begin(), all.end());
  return std::unique(all.begin(), all.end()) - all.begin();
}

BankPasses bank_passes(const WarpAccess& access, const target::Machine& machine) {
  const std::int64_t bytes = access.scalars * access.scalar_bytes;
  const std::int64_t together = std::max<std::int64_t>(machine.banks * machine.bank_bytes / bytes, 1);
  BankPasses result;
  const auto members = static_cast<std::int64_t>(access.places.size());
  if (machine.banks == 1) return {(members + together - 1) / together, (members + together - 1) / together};
  std::vector<std::int64_t> words, busy(static_cast<std::size_t>(machine.banks));
  for (std::int64_t begin = 0; begin < members; begin += together) {
    words.clear();
    for (std::int64_t i = begin; i < std::min(begin + together, members); ++i) {
      const std::int64_t first = access.places[static_cast<std::size_t>(i)] * access.scalar_bytes;
      for (std::int64_t at = first; at < first + bytes; at += machine.bank_bytes)
        words.push_back(floor_quotient(at, machine.bank_bytes));
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::fill(busy.begin(), busy.end(), 0);
    std::int64_t most = 0;
    for (const std::int64_t word : words) {
      const std::int64_t bank = (word % machine.banks + machine.banks) % machine.banks;
      most = std::max(most, ++busy[static_cast<std::size_t>(bank)]);
    }
    result.passes += most;
    ++result.least;
  }
  return result;
}

AccessClass class_of(const WarpAccess& access, std::int64_t line_bytes) {
  std::vector<std::int64_t> places = access.places;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.size() == 1) return AccessClass::Uniform;
  const std::int64_t bytes = static_cast<std::int64_t>(places.size()) * access.scalars * access.scalar_bytes;
  const std::int64_t least = (bytes + line_bytes - 1) / line_bytes;
  WarpAccess sorted = access;
  sorted.places = std::move(places);
  return units_touched(sorted, line_bytes, 0) <= least ? AccessClass::Dense : AccessClass::Strided;
}

}  // namespace hoist::features
