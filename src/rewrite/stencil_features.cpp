// Features of stencils. The element in the middle of the result is evaluated, and some of its neighbours;
// what each of them reads of an array is compared, moved by as much as the element is:
//
//   u[6], u[8]  at 7      u[7], u[9]  at 8      moves along: the offsets are -1 and 1
//   w[0], w[1]  at 7      w[0], w[1]  at 8      stays: coefficients
//   r[0] ...    at 7      r[1] ...    at 8 ...  neither: no stencil
#include "rewrite/stencil_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/overloaded.hpp"
#include "ir/inspect.hpp"
#include "rewrite/symbolic_elements.hpp"

namespace hoist::rewrite {

namespace {

using Place = std::vector<std::int64_t>;
/// An input's array: which input, and which of its arrays.
using ArrayName = std::pair<std::uint32_t, std::uint32_t>;

/// What one element of the result is computed from, and how.
struct Reads {
  Place place;
  std::map<ArrayName, std::set<Place>> of;
  std::int64_t additions = 0, multiplications = 0, other_operations = 0;
  bool touches_filler = false;  ///< as SymbolicElements has it

  bool has_equal_operations(const Reads& other) const {
    return additions == other.additions && multiplications == other.multiplications &&
           other_operations == other.other_operations;
  }
};

[[noreturn]] void refuse(NoStencil::Kind kind, std::string reason) {
  throw NoStencil{kind, std::move(reason)};
}

void count(ScalarOp op, Reads& reads) {
  if (op == ScalarOp::Add || op == ScalarOp::Subtract)
    ++reads.additions;
  else if (op == ScalarOp::Multiply)
    ++reads.multiplications;
  else if (info(op).flops > 0 || info(op).gives_bool)
    ++reads.other_operations;
}

/// Nothing where what is outside of an array was asked for.
std::optional<Reads> reads_at(SymbolicElements& elements, Place place) {
  const SymbolicElements::Read read = elements.element(place);
  Reads reads;
  reads.place = std::move(place);
  reads.touches_filler = read.touches_filler;
  const SymbolicGraph& graph = elements.graph();
  bool touches_border = false;
  for (const SymbolicNumber number : graph.reachable(read.numbers)) {
    std::visit(Overloaded{[](const ScalarValue&) {}, [](const SymbolicNode::Conversion&) {},
                          [&](const SymbolicNode::Outside&) { touches_border = true; },
                          [&](const SymbolicNode::Element& element) {
                            if (!element.indices.empty())
                              reads.of[{element.input, element.leaf}].insert(element.indices);
                          },
                          [&](const SymbolicNode::Operation& node) { count(node.op, reads); }},
               graph.node(number).content);
  }
  if (touches_border) return std::nullopt;
  return reads;
}

/// The lengths of the result. It must be an array of one to three dimensions, of numbers or tuples of them.
Place lengths_of(ir::Type type) {
  const auto described = [&] { return fmt::format("its result is {}", ir::to_string(type)); };
  Place lengths;
  ir::Type element = type;
  for (; ir::is_array(element); element = ir::element_of(element)) {
    const auto length = element->size.constant();
    if (!length)
      refuse(NoStencil::Kind::UnknownSizes,
             fmt::format("the size {} is left open", arith::to_string(element->size)));
    lengths.push_back(*length);
  }
  if (lengths.empty()) refuse(NoStencil::Kind::ResultIsNoArray, described() + ", no array");
  if (lengths.size() > 3 || ir::contains_array(element) || ir::is_vector(element))
    refuse(NoStencil::Kind::ResultIsNoArray,
           described() + ", no array of one, two or three dimensions whose elements are numbers");
  if (std::find(lengths.begin(), lengths.end(), 0) != lengths.end())
    refuse(NoStencil::Kind::ResultIsNoArray, described() + ", which has no elements");
  if (std::all_of(lengths.begin(), lengths.end(), [](std::int64_t length) { return length == 1; }))
    refuse(NoStencil::Kind::ResultIsNoArray, described() + ", which has one element alone");
  return lengths;
}

/// Neighbours of the middle: one element further in each dimension, or one before where that one is at the
/// border; then some that are further away, as far as there are such.
std::vector<Reads> neighbours(SymbolicElements& elements, const Place& lengths, const Place& middle) {
  std::vector<Reads> found;
  const auto look = [&](Place place) {
    for (std::size_t d = 0; d < place.size(); ++d) {
      if (place[d] < 0 || place[d] >= lengths[d]) return false;
    }
    auto reads = reads_at(elements, std::move(place));
    if (reads) found.push_back(std::move(*reads));
    return reads.has_value();
  };
  for (std::size_t d = 0; d < middle.size(); ++d) {
    if (lengths[d] == 1) continue;
    Place place = middle;
    place[d] = middle[d] + 1;
    bool has_neighbour = look(place);
    place[d] = middle[d] - 1;
    has_neighbour = has_neighbour || look(place);
    if (!has_neighbour)
      refuse(NoStencil::Kind::LargerThanArray,
             "no two elements of its result are computed without what is outside of its arrays");
  }
  for (const std::int64_t by : {2, 3}) {
    Place place = middle;
    for (std::int64_t& each : place) each += by;
    look(std::move(place));
  }
  return found;
}

Place difference(const Place& a, const Place& b) {
  Place result(a.size());
  for (std::size_t d = 0; d < a.size(); ++d) result[d] = a[d] - b[d];
  return result;
}

/// Elements of the result are not alike; where values beyond an array took part, since it is too short.
[[noreturn]] void refuse_as_different(const Reads& one, const Reads& other, std::string reason) {
  if (one.touches_filler || other.touches_filler)
    refuse(NoStencil::Kind::LargerThanArray,
           "elements in the middle of its result are computed from what is outside of its arrays");
  refuse(NoStencil::Kind::NotTheSameEverywhere, std::move(reason));
}

bool is_moved(const std::set<Place>& from, const std::set<Place>& to, const Place& by) {
  if (from.size() != to.size()) return false;
  return std::all_of(from.begin(), from.end(), [&](Place place) {
    for (std::size_t d = 0; d < by.size(); ++d) place[d] += by[d];
    return to.count(place) != 0;
  });
}

class Reader {
 public:
  explicit Reader(const ir::Program& program)
      : program_(program), lengths_(lengths_of(program.result())), elements_(program) {}

  StencilFeatures features() {
    Place middle;
    for (const std::int64_t length : lengths_) middle.push_back(length / 2);
    const auto own = reads_at(elements_, middle);
    if (!own)
      refuse(NoStencil::Kind::LargerThanArray,
             "the element in the middle of its result is computed from what is outside of its arrays");
    const std::vector<Reads> others = neighbours(elements_, lengths_, middle);
    StencilFeatures result;
    std::set<StencilPoint> points;
    result.inputs = 0;
    for (const auto& [array, places] : own->of) {
      if (stays(array, *own, others)) {
        result.fixed_reads += static_cast<std::int64_t>(places.size());
        continue;
      }
      check_moves(array, *own, others);
      ++result.inputs;
      result.reads += static_cast<std::int64_t>(places.size());
      for (const Place& place : places) points.insert(point_of(array, difference(place, middle)));
    }
    for (const Reads& other : others) {
      if (other.of.size() != own->of.size() || !own->has_equal_operations(other))
        refuse_as_different(
            *own, other, "its elements are not all computed by the same operations on the same neighbours");
    }
    if (points.empty() && own->touches_filler) refuse_as_different(*own, *own, "");
    if (points.empty())
      refuse(NoStencil::Kind::NothingRead,
             "no input is read around the place of the element that is computed");
    result.points.assign(points.begin(), points.end());
    result.additions = own->additions;
    result.multiplications = own->multiplications;
    result.other_operations = own->other_operations;
    return result;
  }

 private:
  static const std::set<Place>& of(const Reads& reads, const ArrayName& array) {
    static const std::set<Place> none;
    const auto found = reads.of.find(array);
    return found == reads.of.end() ? none : found->second;
  }

  /// Whether the same elements of an array are read for all elements of the result.
  static bool stays(const ArrayName& array, const Reads& own, const std::vector<Reads>& others) {
    return std::all_of(others.begin(), others.end(),
                       [&](const Reads& other) { return of(own, array) == of(other, array); });
  }

  void check_moves(const ArrayName& array, const Reads& own, const std::vector<Reads>& others) const {
    const std::string& name = program_.parameters[array.first].name;
    const std::size_t rank = of(own, array).begin()->size();
    if (rank != lengths_.size())
      refuse(NoStencil::Kind::NotTheSameEverywhere,
             fmt::format("{} has {} dimension{}, and the result {}", name, rank, rank == 1 ? "" : "s",
                         lengths_.size()));
    for (const Reads& other : others) {
      const Place by = difference(other.place, own.place);
      if (!is_moved(of(own, array), of(other, array), by))
        refuse_as_different(
            own, other,
            fmt::format(
                "elements of {} are read that do not move along with the element that is computed: {} "
                "for the element [{}], {} for [{}]",
                name, extent_text(of(own, array)), fmt::join(own.place, "]["), extent_text(of(other, array)),
                fmt::join(other.place, "][")));
    }
  }

  /// "[3][0 to 7]".
  static std::string extent_text(const std::set<Place>& places) {
    if (places.empty()) return "none";
    std::string text;
    for (std::size_t d = 0; d < places.begin()->size(); ++d) {
      std::int64_t least = (*places.begin())[d], most = least;
      for (const Place& place : places) {
        least = std::min(least, place[d]);
        most = std::max(most, place[d]);
      }
      text += least == most ? fmt::format("[{}]", least) : fmt::format("[{} to {}]", least, most);
    }
    return text;
  }

  /// An offset as numbers for three dimensions. Where the input is longer than the result, its element at the
  /// place of the result's is half of that further on.
  StencilPoint point_of(const ArrayName& array, Place offset) const {
    const ir::Type input = program_.function.as<ir::Lambda>()->parameters[array.first];
    const std::vector<arith::Expr> shape = ir::leaves(input)[array.second].shape;
    for (std::size_t d = 0; d < offset.size(); ++d) {
      const std::int64_t longer = shape[d].constant().value_or(lengths_[d]) - lengths_[d];
      if (longer > 0) offset[d] -= longer / 2;
    }
    offset.insert(offset.begin(), 3 - offset.size(), 0);
    return {offset[0], offset[1], offset[2]};
  }

  const ir::Program& program_;
  Place lengths_;
  SymbolicElements elements_;
};

std::int64_t coordinate(const StencilPoint& point, Axis axis) {
  switch (axis) {
    case Axis::X:
      return point.x;
    case Axis::Y:
      return point.y;
    case Axis::Z:
      return point.z;
  }
  return 0;
}

constexpr Axis all_axes[] = {Axis::X, Axis::Y, Axis::Z};

struct Range {
  std::int64_t least = 0, most = 0;
  bool operator==(const Range&) const = default;
};
Range range_along(const std::vector<StencilPoint>& points, Axis axis) {
  Range range{coordinate(points[0], axis), coordinate(points[0], axis)};
  for (const StencilPoint& each : points) {
    range.least = std::min(range.least, coordinate(each, axis));
    range.most = std::max(range.most, coordinate(each, axis));
  }
  return range;
}

/// Whether the points stay the same when two dimensions are exchanged.
bool is_symmetric(const std::vector<StencilPoint>& points, Axis a, Axis b) {
  const std::set<StencilPoint> all(points.begin(), points.end());
  return std::all_of(points.begin(), points.end(), [&](const StencilPoint& point) {
    std::int64_t place[3] = {point.x, point.y, point.z};
    std::swap(place[static_cast<std::size_t>(a)], place[static_cast<std::size_t>(b)]);
    return all.count({place[2], place[1], place[0]}) != 0;
  });
}

template <class Alike>
std::optional<Axis> differing(const Alike& alike) {
  if (alike(Axis::X, Axis::Y) && alike(Axis::Y, Axis::Z)) return std::nullopt;
  if (alike(Axis::Y, Axis::Z)) return Axis::X;
  if (alike(Axis::X, Axis::Z)) return Axis::Y;
  if (alike(Axis::X, Axis::Y)) return Axis::Z;
  return std::nullopt;
}

/// What follows from the points.
void complete(StencilFeatures& features) {
  const std::vector<StencilPoint>& points = features.points;
  features.size = static_cast<std::int64_t>(points.size());
  double box = 1;
  for (const Axis axis : all_axes) {
    const Range range = range_along(points, axis);
    box *= static_cast<double>(range.most - range.least + 1);
    features.radius = std::max({features.radius, std::abs(range.least), std::abs(range.most)});
    features.dimensionality += range == Range{} ? 0 : 1;
  }
  features.density = static_cast<double>(features.size) / box;
  features.unique_dimension = differing([&](Axis a, Axis b) { return is_symmetric(points, a, b); });
}

double per_point(std::int64_t operations, std::int64_t reads) {
  return static_cast<double>(operations) / static_cast<double>(reads);
}

NoStencil::Kind kind_of(NoExpression::Kind kind) {
  switch (kind) {
    case NoExpression::Kind::DependsOnData:
      return NoStencil::Kind::DependsOnData;
    case NoExpression::Kind::Sequential:
      return NoStencil::Kind::Sequential;
    case NoExpression::Kind::UnknownSize:
      return NoStencil::Kind::UnknownSizes;
    case NoExpression::Kind::TooLarge:
      return NoStencil::Kind::TooLarge;
  }
  return NoStencil::Kind::TooLarge;
}

}  // namespace

std::string_view name_of(Axis axis) {
  switch (axis) {
    case Axis::X:
      return "x";
    case Axis::Y:
      return "y";
    case Axis::Z:
      return "z";
  }
  return "";
}

std::string_view name_of(std::optional<Axis> axis) { return axis ? name_of(*axis) : "none"; }

double StencilFeatures::additions_per_point() const { return per_point(additions + 1, reads); }
double StencilFeatures::multiplications_per_point() const { return per_point(multiplications, reads); }

tl::expected<StencilFeatures, NoStencil> stencil_features(const ir::Program& program) {
  try {
    StencilFeatures features = Reader(program).features();
    complete(features);
    return features;
  } catch (const NoStencil& reason) {
    return tl::unexpected(reason);
  } catch (const NoExpression& reason) {
    return tl::unexpected(NoStencil{kind_of(reason.kind), reason.reason});
  }
}

}  // namespace hoist::rewrite
