// Stages in tiles. A chain of stencils
//
//   let y = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(f) in
//   y |> pad(1, 1, clamp) |> slide(3, 1) |> map(g)
//
// is computed for the tile of t elements from s * t on, by a group, as
//
//   let tile = generate(t + 2, i => y'[min(max(0, s * t - 1) + i, n - 1)]) |> mapLcl(id) |> toLocal in
//   generate(t, i => z'[min(s * t + i, n - 1)]) |> mapLcl(id)
//
// where y' and z' are the texts of the stages, z' reading the tile in the place of y. What of y a tile needs
// is y's footprint: s * t - 1 to s * t + t (`Footprints`). Elements are computed where they are consumed, so
// no more of y' and z' is computed than what is asked for. A tile is read at any index of the stage, minus
// its first index, and never outside of the tile: footprints have all that matters, and what was computed of
// elements beyond them is not used.
#include "rewrite/strategies/tiled_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/inspect.hpp"
#include "rewrite/failing.hpp"
#include "rewrite/footprint.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/sharing.hpp"
#include "rewrite/stages.hpp"
#include "rewrite/strategies/nests.hpp"
#include "rewrite/windows.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;
using ir::Type;

namespace {

/// More elements than this of a stage, whatever the tile's size, are no tile.
constexpr std::int64_t most_beside_tile = 1 << 16;

Term number(std::int64_t value) { return ir::literal(ScalarValue::of_integer(Scalar::I32, value)); }
Term binary(ScalarOp op, Term a, Term b) { return ir::scalar_call(op, {a, b}); }

std::vector<Expr> lengths_of(Type type) {
  std::vector<Expr> lengths;
  for (; ir::is_array(type); type = ir::element_of(type)) lengths.push_back(type->size);
  return lengths;
}

/// The array of so many elements in each dimension whose elements are those of `array` at the indices that
/// `at` gives for each dimension's own.
Term gathered(Term array, const std::vector<Expr>& lengths, const std::function<Term(std::size_t, Term)>& at,
              std::size_t from = 0) {
  if (from == lengths.size()) return array;
  const Term index = ir::fresh(ir::scalar_type(Scalar::I32), "i");
  const Term row = ir::call(Op::At, {}, {at(from, index), array});
  return ir::call(Op::Generate, {lengths[from]},
                  {ir::lambda(std::vector<Term>{index}, gathered(row, lengths, at, from + 1))});
}

/// Every element computed by a work-item of the group: the innermost dimensions shared out, the innermost
/// being dimension 0, and those outside of them one after the other.
Term shared_out(Term array, std::size_t rank, std::size_t shared) {
  const Type element = ir::element_of(array.type());
  const Term each = ir::fresh(element, rank == 1 ? "e" : "row");
  const Term body = rank == 1 ? each : shared_out(each, rank - 1, shared);
  const MapKind kind =
      rank > shared ? MapKind{Op::MapSeq} : MapKind{Op::MapLocal, static_cast<std::int64_t>(rank - 1)};
  return map_call(kind, ir::lambda(std::vector<Term>{each}, body), array);
}

/// Where a tile of a stage begins and how long it is, in one of its dimensions.
struct Side {
  Term first;
  Expr length;
};

class Tiler {
 public:
  Tiler(std::vector<Binding> stages, Term result, std::size_t dimensions)
      : stages_(std::move(stages)), result_(result), dimensions_(dimensions) {}

  Outcome run(Context& context) {
    lengths_ = lengths_of(result_.type());
    if (lengths_.empty() || lengths_.size() > 3)
      return declined("its result is no array of one to three dimensions");
    for (const Binding& stage : stages_) {
      const std::size_t rank = ir::rank_of(stage.value.type());
      if (rank == 0 || rank > 3) return declined("a stage is no array of one to three dimensions");
      if (!is_indexable(stage.value)) return declined("a stage's elements cannot be computed one by one");
      if (can_fail(stage.value)) return declined("what a stage computes can fail");
    }
    if (!is_indexable(result_)) return declined("the result's elements cannot be computed one by one");
    if (const std::string reason = find_footprints(); !reason.empty()) return declined(reason);
    for (std::size_t d = 0; d < lengths_.size(); ++d)
      tiles_.push_back(is_cut_[d] ? context.choose("t") : lengths_[d]);
    return tiled();
  }

 private:
  /// Why there are none that tiles have; empty where all is well.
  std::string find_footprints() {
    std::vector<std::int64_t> lengths;
    for (const Expr length : lengths_) {
      if (!length.constant()) return "its lengths are not known";
      lengths.push_back(*length.constant());
    }
    std::vector<Term> arrays;
    for (const Binding& stage : stages_) arrays.push_back(stage.variable);
    Footprints footprints(lengths, arrays);
    std::vector<Extent> place;
    for (std::size_t d = 0; d < lengths.size(); ++d) place.push_back(footprints.coordinate(d));
    constexpr const char* too_long = "it is too long to see what it is computed from";
    if (!footprints.add(result_, place)) return too_long;
    std::set<std::size_t> moving;
    for (std::size_t i = stages_.size(); i-- > 0;) {
      const std::vector<Extent>& extents = footprints.of(stages_[i].variable);
      if (extents.empty()) return "a stage is not used";
      bool moves = false;
      for (const Extent& extent : extents) {
        if (const auto dimension = extent.dimension()) {
          moving.insert(*dimension);
          moves = true;
        }
      }
      if (!moves) return "each element of the result needs all of a stage";
      if (!footprints.add(stages_[i].value, extents)) return too_long;
    }
    is_cut_.resize(lengths.size());
    for (const std::size_t dimension : moving) {
      if (dimensions_ == 0) break;
      is_cut_[dimension] = true;
      --dimensions_;
    }
    if (dimensions_ > 0) return "the stages do not move along with so many dimensions of the result";
    for (const Binding& stage : stages_) {
      footprints_.push_back(footprints.of(stage.variable));
      std::int64_t others = 1;
      const std::vector<Expr> whole = lengths_of(stage.variable.type());
      for (std::size_t d = 0; d < whole.size(); ++d) {
        if (!moves_with_tile(footprints_.back()[d])) others *= *whole[d].constant();
      }
      if (others > most_beside_tile) return "too much of a stage is needed for each element of the result";
    }
    return "";
  }

  bool moves_with_tile(const Extent& extent) const {
    const auto dimension = extent.dimension();
    return dimension && is_cut_[*dimension];
  }

  /// s * t of the tile at hand.
  Term begin_of(std::size_t dimension) const {
    return binary(ScalarOp::Multiply, groups_[dimension], ir::size_value(tiles_[dimension]));
  }

  /// What a tile needs of a stage in one dimension of it, of which there are `length` elements.
  Side side_of(const Extent& extent, Expr length) const {
    if (!moves_with_tile(extent)) return {number(0), length};
    const std::size_t d = *extent.dimension();
    const std::int64_t factor = extent.factors[d], divisor = extent.divisor;
    Term first = binary(ScalarOp::Multiply, begin_of(d), number(factor));
    const Expr span = (tiles_[d] - 1) * factor + (extent.most - extent.least);
    if (divisor == 1) return {binary(ScalarOp::Add, first, number(extent.least)), span + 1};
    // Division rounds towards zero: it is done of what is not negative.
    const std::int64_t below = extent.least < 0 ? -extent.least / divisor + 1 : 0;
    first = binary(ScalarOp::Add, first, number(extent.least + below * divisor));
    first = binary(ScalarOp::Subtract, binary(ScalarOp::Divide, first, number(divisor)), number(below));
    return {first, arith::ceiling_quotient(span, divisor) + 1};
  }

  /// A stage as its readers see it: its tile, whose elements are those of the stage from the first that is
  /// needed on.
  struct Kept {
    Term variable, tile;
    std::vector<Expr> whole;  ///< lengths of the stage
    std::vector<Side> sides;
    std::vector<bool> is_cut;  ///< the dimensions that the tile has a part of
  };

  /// The stage, or the stage with borders of its nearest elements, which the tile has, too.
  static Term view_of(const Kept& kept, const std::vector<Border>& borders) {
    std::vector<Expr> lengths;
    for (std::size_t d = 0; d < kept.whole.size(); ++d)
      lengths.push_back(borders[d].before + kept.whole[d] + borders[d].after);
    return gathered(kept.tile, lengths, [&](std::size_t d, Term index) {
      if (!borders[d].before.is_constant(0))
        index = binary(ScalarOp::Subtract, index, ir::size_value(borders[d].before));
      const bool is_whole = lengths[d] == kept.whole[d];
      if (!kept.is_cut[d]) return is_whole ? index : clamped(index, ir::size_value(kept.whole[d] - 1));
      return clamped(binary(ScalarOp::Subtract, index, kept.sides[d].first),
                     ir::size_value(kept.sides[d].length - 1));
    });
  }

  static Term clamped(Term index, Term last) {
    return binary(ScalarOp::Maximum, binary(ScalarOp::Minimum, index, last), number(0));
  }

  /// The borders of a term that is the stage with borders; nothing where it is none, or has others.
  static std::optional<std::vector<Border>> borders_of(Term term, const Kept& kept) {
    if (!ir::is_array(term.type()) || term->loose > 0) return std::nullopt;
    const std::size_t rank = kept.whole.size();
    if (ir::rank_of(term.type()) < rank) return std::nullopt;
    const Bordered found = without_borders(term, rank);
    if (found.data != kept.variable) return std::nullopt;
    constexpr auto nearest = static_cast<std::int64_t>(ir::Boundary::Clamp);
    for (const Border& each : found.borders) {
      if (each.value || (each.boundary && !each.boundary.is_constant(nearest))) return std::nullopt;
    }
    return found.borders;
  }

  static Term reading_tile(Term term, const Kept& kept) {
    if (!term->has_free) return term;
    if (const auto borders = borders_of(term, kept)) return view_of(kept, *borders);
    std::vector<Term> children = ir::children(term);
    for (Term& child : children) child = reading_tile(child, kept);
    return ir::with_children(term, children);
  }

  Term reading_tiles(Term term) const {
    for (const Kept& each : kept_) term = reading_tile(term, each);
    return term;
  }

  Term tiled() {
    for (std::size_t d = 0; d < lengths_.size(); ++d)
      groups_.push_back(is_cut_[d] ? ir::fresh(ir::scalar_type(Scalar::I32), "group") : Term());
    // The same work-items for all: who computes the result computes the stages.
    std::size_t shared = lengths_.size();
    for (const Binding& stage : stages_) shared = std::min(shared, ir::rank_of(stage.variable.type()));
    std::vector<Binding> tiles;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      Kept kept{stages_[s].variable, {}, lengths_of(stages_[s].variable.type()), {}, {}};
      std::vector<Expr> lengths;
      for (std::size_t d = 0; d < kept.whole.size(); ++d) {
        kept.sides.push_back(side_of(footprints_[s][d], kept.whole[d]));
        kept.is_cut.push_back(moves_with_tile(footprints_[s][d]));
        lengths.push_back(kept.sides.back().length);
      }
      const Term elements =
          gathered(reading_tiles(stages_[s].value), lengths, [&](std::size_t d, Term index) {
            if (!kept.is_cut[d]) return index;
            return clamped(binary(ScalarOp::Add, kept.sides[d].first, index),
                           ir::size_value(kept.whole[d] - 1));
          });
      const Term value = ir::call(Op::ToLocal, {}, {shared_out(elements, lengths.size(), shared)});
      kept.tile = ir::fresh(value.type(), "tile");
      tiles.push_back({kept.tile, value});
      kept_.push_back(std::move(kept));
    }
    const Term elements = gathered(reading_tiles(result_), tiles_, [&](std::size_t d, Term index) {
      if (!is_cut_[d]) return index;
      return binary(ScalarOp::Minimum, binary(ScalarOp::Add, begin_of(d), index),
                    ir::size_value(lengths_[d] - 1));
    });
    return grouped(with_lets(tiles, shared_out(elements, lengths_.size(), shared)));
  }

  /// The tiles of all groups put together.
  Term grouped(Term body) {
    std::int64_t launch_dimension = 0;
    for (std::size_t d = lengths_.size(); d-- > 0;) {
      if (!is_cut_[d]) continue;
      const Term index = ir::fresh(ir::scalar_type(Scalar::I32), "i");
      const Term groups = ir::call(Op::Generate, {arith::ceiling_quotient(lengths_[d], tiles_[d])},
                                   {ir::lambda(std::vector<Term>{index}, index)});
      const Term tiles = map_call({Op::MapGroup, launch_dimension++},
                                  ir::lambda(std::vector<Term>{groups_[d]}, body), groups);
      const Term joined =
          map_inside(move_dimension(tiles, 0, d), d, [](Term rows) { return call1(Op::Join, {}, rows); });
      body = map_inside(joined, d, [&](Term row) { return call1(Op::Take, {lengths_[d]}, row); });
    }
    return body;
  }

  std::vector<Binding> stages_;
  Term result_;
  std::size_t dimensions_;
  std::vector<Expr> lengths_;  ///< of the result
  std::vector<bool> is_cut_;   ///< which of its dimensions are
  std::vector<Expr> tiles_;    ///< how long tiles are; dimensions that are not cut are whole
  std::vector<std::vector<Extent>> footprints_;  ///< of each stage and dimension
  std::vector<Term> groups_;                     ///< the group's number, in dimensions that are cut
  std::vector<Kept> kept_;                       ///< the stages that have tiles by now
};

}  // namespace

Strategy tile_stages(std::size_t dimensions) {
  return step(fmt::format("tileStages({})", dimensions), [=](Term term, Context& context) -> Outcome {
    if (!context.enclosing.empty() || context.unshared > 0) return declined("it is not outermost");
    std::vector<Binding> stages;
    while (const auto* let = term.as<ir::Let>()) {
      const Term variable = ir::fresh(let->value.type(), "stage");
      if (ir::contains_array(variable.type()) || contains_loop(let->value)) {
        stages.push_back({variable, let->value});
        term = ir::apply(let->body, {variable});
      } else {
        term = ir::apply(let->body, {let->value});
      }
    }
    if (stages.empty()) return declined("it has no stages");
    return Tiler(std::move(stages), term, dimensions).run(context);
  });
}

}  // namespace hoist::rewrite
