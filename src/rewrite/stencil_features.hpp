#pragma once
// What kind of stencil a program is, read off its term: how many elements of its input an element of its
// result is computed from, in which dimensions they lie, how densely, and by how many operations. These are
// the features from which Garvey and Abdelrahman (A strategy for automatic performance tuning of stencil
// computations on GPUs, Scientific Programming 2018, sections 3 and 6.1) predict how a stencil best reads its
// input.
//
// An element in the middle of the result is evaluated, with numbers that are not known in the place of the
// inputs' elements (`symbolic_elements.hpp`), and so are its neighbours: a program is a stencil where all of
// them read the same offsets by the same operations. So it makes no difference how the program is written:
// windows, padded arrays, index functions, reductions, or tiles in local memory.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "ir/term.hpp"

namespace hoist::rewrite {

/// The dimensions of an array of three: x is the last one, along which elements lie side by side.
enum class Axis : std::uint8_t { X, Y, Z };
/// "x", "y", "z".
std::string_view name_of(Axis axis);
/// "none" where there is none.
std::string_view name_of(std::optional<Axis> axis);

/// Where an element is that is read, relative to the one that is computed; 0 in dimensions that the result
/// does not have.
struct StencilPoint {
  std::int64_t z = 0, y = 0, x = 0;
  auto operator<=>(const StencilPoint&) const = default;
};

struct StencilFeatures {
  /// The offsets, each once, in ascending order. Several inputs that are read around the place have theirs
  /// together. An input that is longer than the result by an even number counts as padded on both sides.
  std::vector<StencilPoint> points;
  std::int64_t size = 0;            ///< how many points
  std::int64_t dimensionality = 0;  ///< dimensions in which some point is not 0: 0 to 3
  std::int64_t radius = 0;          ///< the largest distance from the centre in any one dimension
  double density = 1;               ///< size / size of the smallest prism around the points
  /// The dimension that differs from the two others, which are alike (points stay the same when the two are
  /// exchanged); none where all three are alike, or all differ.
  std::optional<Axis> unique_dimension;
  std::int64_t inputs = 1;       ///< arrays that are read around the place
  std::int64_t reads = 0;        ///< elements of all of them that an element of the result is computed from
  std::int64_t fixed_reads = 0;  ///< numbers of other inputs, the same for all elements: coefficients

  /// Operations for one element of the result, those on equal operands once, those that do nothing (x + 0,
  /// 1 * x) and those on known numbers not at all. A fused multiply-add is one of each.
  std::int64_t additions = 0;  ///< and subtractions
  std::int64_t multiplications = 0;
  std::int64_t other_operations = 0;  ///< divisions, roots, comparisons, ...

  /// For each element that is read, as the paper counts them: a sum of n terms has n additions, as one that
  /// starts from 0 does.
  double additions_per_point() const;
  double multiplications_per_point() const;

  bool operator==(const StencilFeatures&) const = default;
};

/// Why a program is no stencil.
struct NoStencil {
  enum class Kind : std::uint8_t {
    ResultIsNoArray,       ///< a number, one element, a tuple of arrays, an array of four dimensions
    DependsOnData,         ///< an element is read at an index that depends on data
    NotTheSameEverywhere,  ///< what is read does not move along with the element: all of a row, every second
                           ///< element, other elements at other places
    NothingRead,           ///< no input is read around the place
    Sequential,            ///< an element depends on all before it, or on a number of steps that is not known
    LargerThanArray,       ///< no element is computed without what is outside of an array
    UnknownSizes,          ///< sizes are left open
    TooLarge,              ///< reading off one element takes too long
  };
  Kind kind;
  std::string reason;  ///< a sentence without its full stop: "an element of x is read at an index that ..."
};

/// Of a program whose sizes are known.
tl::expected<StencilFeatures, NoStencil> stencil_features(const ir::Program& program);

}  // namespace hoist::rewrite
