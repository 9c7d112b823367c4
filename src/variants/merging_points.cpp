#include "variants/merging_points.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "space/counts.hpp"

namespace hoist::variants {

namespace {

constexpr std::int64_t widest_vector = 16;
constexpr std::array<std::string_view, 3> axes{"X", "Y", "Z"};

}  // namespace

bool is_merging_coordinate(std::string_view name) {
  return std::ranges::find(merging_coordinates, name, &MergingCoordinate::name) != merging_coordinates.end();
}

std::array<std::int64_t, 12> values_of(const MergingConfiguration& configuration) {
  std::array<std::int64_t, 12> values{};
  for (std::size_t d = 0; d < 3; ++d) {
    values[d] = configuration.items[d];
    values[3 + d] = configuration.blocks[d];
    values[6 + d] = configuration.cyclic[d];
  }
  values[9] = configuration.width;
  values[10] = configuration.uses_local_memory ? 1 : 0;
  values[11] = configuration.uses_image ? 1 : 0;
  return values;
}

void MergingPoints::Dimension::add(const Merge& merge) {
  ranks.emplace(merge, merges.size());
  merges.push_back(merge);
}

MergingPoints::MergingPoints(std::array<std::int64_t, 3> lengths, MergingRestrictions restrictions,
                             const Allowed& allowed) {
  const bool is_restricted = restrictions == MergingRestrictions::AsPublished;
  const auto is_allowed = [&](char what, std::size_t axis, std::int64_t value) {
    return allowed(std::string(1, what) + std::string(axes[axis]), value);
  };
  // All W, B and C whose product is not more than the length, with blocks of whole vectors.
  const auto fill = [&](Dimension& dimension, std::size_t axis, std::int64_t width) {
    const std::int64_t length = lengths[axis];
    for (std::int64_t block = width; block <= length; block *= 2) {
      if (is_restricted && block != width) break;
      for (std::int64_t items = 1; items <= length / block; items *= 2) {
        for (std::int64_t cyclic = 1; cyclic <= length / block / items; cyclic *= 2) {
          if (is_allowed('W', axis, items) && is_allowed('B', axis, block) && is_allowed('C', axis, cyclic))
            dimension.add({items, block, cyclic});
        }
      }
    }
  };
  fill(y_, 1, 1);
  fill(z_, 2, 1);
  for (std::int64_t width = 1; width <= widest_vector; width *= 2) fill(x_[width], 0, width);
  for (const bool image : {false, true}) {
    for (const bool local : {false, true}) {
      for (std::int64_t width = 1; width <= widest_vector; width *= 2) {
        const int used = (image ? 1 : 0) + (local ? 1 : 0) + (width > 1 ? 1 : 0);
        if (is_restricted && used > 1) continue;
        if (!allowed("VX", width) || !allowed("LOCAL", local ? 1 : 0) || !allowed("IMAGE", image ? 1 : 0))
          continue;
        techniques_.push_back({width, local, image});
        if (count(techniques_.size() - 1) == 0) techniques_.pop_back();
      }
    }
  }
  std::array<std::map<std::int64_t, bool>, 12> seen;
  for (std::size_t technique = 0; technique < techniques_.size(); ++technique) {
    const auto note = [&](std::size_t axis, const Dimension& dimension) {
      for (const Merge& merge : dimension.merges) {
        for (std::size_t i = 0; i < 3; ++i) seen[3 * i + axis][merge[i]] = true;
      }
    };
    note(0, along_x(technique));
    note(1, y_);
    note(2, z_);
    seen[9][techniques_[technique].width] = true;
    seen[10][techniques_[technique].uses_local_memory ? 1 : 0] = true;
    seen[11][techniques_[technique].uses_image ? 1 : 0] = true;
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (const auto& [value, is_seen] : seen[i]) values_[i].push_back(value);
  }
}

const MergingPoints::Dimension& MergingPoints::along_x(std::size_t technique) const {
  return x_.at(techniques_[technique].width);
}

std::uint64_t MergingPoints::count(std::size_t technique) const {
  using space::saturating_product;
  return saturating_product(saturating_product(z_.merges.size(), y_.merges.size()),
                            along_x(technique).merges.size());
}

std::uint64_t MergingPoints::count() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < techniques_.size(); ++i) sum = space::saturating_sum(sum, count(i));
  return sum;
}

MergingConfiguration MergingPoints::at(std::size_t technique, std::uint64_t rank) const {
  if (rank >= count(technique)) throw Bug("a rank beyond the number of configurations");
  MergingConfiguration result;
  const auto take = [&](std::size_t axis, const Dimension& dimension) {
    const Merge& merge = dimension.merges[rank % dimension.merges.size()];
    rank /= dimension.merges.size();
    result.items[axis] = merge[0];
    result.blocks[axis] = merge[1];
    result.cyclic[axis] = merge[2];
  };
  take(0, along_x(technique));
  take(1, y_);
  take(2, z_);
  result.width = techniques_[technique].width;
  result.uses_local_memory = techniques_[technique].uses_local_memory;
  result.uses_image = techniques_[technique].uses_image;
  return result;
}

std::optional<MergingPoints::Place> MergingPoints::find(const std::array<std::int64_t, 12>& values) const {
  const auto is_flag = [](std::int64_t value) { return value == 0 || value == 1; };
  if (!is_flag(values[10]) || !is_flag(values[11])) return std::nullopt;
  const auto technique =
      std::ranges::find(techniques_, LoadingTechnique{values[9], values[10] == 1, values[11] == 1});
  if (technique == techniques_.end()) return std::nullopt;
  Place place{static_cast<std::size_t>(technique - techniques_.begin()), 0};
  const auto add = [&](std::size_t axis, const Dimension& dimension) {
    const auto found = dimension.ranks.find({values[axis], values[3 + axis], values[6 + axis]});
    if (found == dimension.ranks.end()) return false;
    place.rank = place.rank * dimension.merges.size() + found->second;
    return true;
  };
  if (!add(2, z_) || !add(1, y_) || !add(0, along_x(place.technique))) return std::nullopt;
  return place;
}

}  // namespace hoist::variants
