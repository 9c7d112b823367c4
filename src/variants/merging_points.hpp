#pragma once
// The optimisation space of Garvey and Abdelrahman (A strategy for automatic performance tuning of stencil
// computations on GPUs, Scientific Programming 2018, section 4.7 and Table 1) as numbers: configurations
// counted, ranked and found without being listed. Merging, since nearly all of them say how work-items are
// merged.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace hoist::variants {

/// What the coordinates of a configuration are, in their order.
struct MergingCoordinate {
  std::string_view name, optimisation;
  std::size_t dimension;  ///< 0 for x, along which elements lie side by side, 1 for y, 2 for z
};
inline constexpr std::array<MergingCoordinate, 12> merging_coordinates{{
    {"WX", "workGroup", 0},
    {"WY", "workGroup", 1},
    {"WZ", "workGroup", 2},
    {"BX", "blockMerging", 0},
    {"BY", "blockMerging", 1},
    {"BZ", "blockMerging", 2},
    {"CX", "cyclicMerging", 0},
    {"CY", "cyclicMerging", 1},
    {"CZ", "cyclicMerging", 2},
    {"VX", "vectorWidth", 0},
    {"LOCAL", "localMemory", 0},
    {"IMAGE", "imageMemory", 0},
}};

/// Whether a coordinate has that name.
bool is_merging_coordinate(std::string_view name);

/// One configuration; of each dimension, x first. All numbers but those of `uses` are powers of two.
struct MergingConfiguration {
  std::array<std::int64_t, 3> items{1, 1, 1};  ///< W: work-items of a group
  std::array<std::int64_t, 3> blocks{1, 1,
                                     1};  ///< B: neighbours that a work-item computes, in x with vectors
  std::array<std::int64_t, 3> cyclic{1, 1, 1};  ///< C: how many such blocks it computes
  std::int64_t width = 1;                       ///< V: elements of a vector, along x
  bool uses_local_memory = false, uses_image = false;

  bool operator==(const MergingConfiguration&) const = default;
};
/// In the order of merging_coordinates.
std::array<std::int64_t, 12> values_of(const MergingConfiguration& configuration);

enum class MergingRestrictions : std::uint8_t {
  None,
  /// Blocks of one in y and z, of one vector in x, and of vectors, local memory and images at most one.
  AsPublished,
};

/// How data is loaded, which also says which programs configurations are of. A configuration with the others'
/// numbers is of the same program with other sizes.
struct LoadingTechnique {
  std::int64_t width = 1;
  bool uses_local_memory = false, uses_image = false;

  bool operator==(const LoadingTechnique&) const = default;
};

/// The configurations for a result of these lengths, x first; 1 for dimensions that it does not have. In each
/// dimension W * B * C is not more than its length; V is a divisor of BX and 16 at the most.
class MergingPoints {
 public:
  /// Says of a coordinate's value whether there may be configurations with it.
  using Allowed = std::function<bool(std::string_view name, std::int64_t value)>;

  MergingPoints(
      std::array<std::int64_t, 3> lengths, MergingRestrictions restrictions,
      const Allowed& allowed = [](std::string_view, std::int64_t) { return true; });

  /// Those that have configurations: global memory first, then vectors, the narrowest first, then local
  /// memory and images.
  const std::vector<LoadingTechnique>& techniques() const { return techniques_; }
  /// Of one of them, by its number.
  std::uint64_t count(std::size_t technique) const;
  std::uint64_t count() const;
  /// The configuration of a rank below count(technique).
  MergingConfiguration at(std::size_t technique, std::uint64_t rank) const;

  struct Place {
    std::size_t technique = 0;
    std::uint64_t rank = 0;
    bool operator==(const Place&) const = default;
  };
  /// Where a configuration is, by the values of its coordinates; nothing where it is none of these.
  std::optional<Place> find(const std::array<std::int64_t, 12>& values) const;
  /// The values that a coordinate takes in any configuration, in rising order.
  const std::vector<std::int64_t>& values(std::size_t coordinate) const { return values_[coordinate]; }

 private:
  /// W, B and C of one dimension.
  using Merge = std::array<std::int64_t, 3>;
  struct Dimension {
    std::vector<Merge> merges;
    std::map<Merge, std::uint64_t> ranks;

    void add(const Merge& merge);
  };
  const Dimension& along_x(std::size_t technique) const;

  std::vector<LoadingTechnique> techniques_;
  Dimension y_, z_;
  std::map<std::int64_t, Dimension> x_;  ///< by the width of vectors
  std::array<std::vector<std::int64_t>, 12> values_;
};

}  // namespace hoist::variants
