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
//
// With rolling buffers (`roll_stages`) a group's tile of t elements is a strip, walked in rounds of r
// elements:
//
//   let rounds = generate(t + m * r, i => s * t + i) |> split(r) in
//   zip(rounds, rounds |> scanSeq((tile, round) =>
//       let tile' = concat(tile |> drop(r) |> mapLcl(id), generate(r, i => y'[..]) |> mapLcl(id)) |> toLocal
//       in tile', zeros))
//     |> drop(m) |> mapSeq((round, tile) => generate(r, i => z'[..]) |> mapLcl(id)) |> join
//
// Here a stage is computed ahead of those that read it: its new rows are the last that the round's new rows
// of its readers are computed from (`find_rolls`). What a tile has before that, it had in the round before.
// The first m rounds fill the tiles, and nothing of the result is computed in them. Other than in tiles,
// what is beyond the first or last row of a stage is not in its buffer: indices are clamped to the stage's.
#include "rewrite/strategies/tiled_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

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

std::int64_t ceiling_of(std::int64_t a, std::int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

/// What fills buffers before anything is computed; empty where a type has none.
Term zero_of(Type type) {
  if (ir::is_scalar(type)) return ir::literal(convert(ScalarValue::of_integer(Scalar::I32, 0), type->scalar));
  if (!ir::is_tuple(type)) return {};
  std::vector<Term> components;
  for (const Type each : type->elements) {
    components.push_back(zero_of(each));
    if (!components.back()) return {};
  }
  return ir::tuple(std::move(components));
}

/// An array of one value.
Term filled(const std::vector<Expr>& lengths, Term value, std::size_t from = 0) {
  if (from == lengths.size()) return value;
  return ir::call(Op::Generate, {lengths[from]},
                  {ir::lambda(std::vector<Term>{ir::fresh(ir::scalar_type(Scalar::I32), "i")},
                              filled(lengths, value, from + 1))});
}

/// The rows of a stage that roll through a buffer.
struct Roll {
  std::size_t dimension = 0;  ///< of the stage
  Extent rows;                ///< what is in the buffer for a row of the result
  std::int64_t kept = 0;      ///< how many rows of a round the next has, too
};

/// Where a tile of a stage begins and how long it is, in one of its dimensions.
struct Side {
  Term first;
  Expr length;
};

class Tiler {
 public:
  Tiler(std::vector<Binding> stages, Term result, std::size_t dimensions, bool rolls)
      : stages_(std::move(stages)), result_(result), dimensions_(dimensions), rolls_(rolls) {}

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
    if (!rolls_) return tiled();
    if (const std::string reason = find_rolls(); !reason.empty()) return declined(reason);
    return rolled(context.choose("rows"));
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

  /// Which rows of each stage a buffer holds, from the last stage to the first, and how many rows of the
  /// result it takes to fill the buffers. Why there are none; empty where all is well.
  std::string find_rolls() {
    while (!is_cut_[rolled_]) ++rolled_;
    std::vector<std::int64_t> lengths;
    for (const Expr length : lengths_) lengths.push_back(*length.constant());
    std::vector<std::optional<Roll>> rolls(stages_.size());
    std::vector<std::vector<std::size_t>> read(stages_.size() + 1);
    std::int64_t least_round = 1;
    const Footprints of_result(lengths, {});
    std::string reason = add_reads(result_, of_result.coordinate(rolled_), rolled_, rolls, read.back());
    for (std::size_t s = stages_.size(); reason.empty() && s-- > 0;) {
      if (!zero_of(element_of(stages_[s].variable.type()))) return "a stage's elements are no scalars";
      Roll& roll = *rolls[s];
      Extent& rows = roll.rows;
      const std::int64_t factor = rows.factors[rolled_], divisor = rows.divisor;
      // At least as many rows are in a buffer as come in each round.
      rows.least = std::min(rows.least, rows.most - factor + divisor);
      roll.kept = ceiling_of(rows.most - rows.least - factor, divisor) + 1;
      round_unit_ = std::lcm(round_unit_, divisor);
      least_round = std::max(least_round, ceiling_of(roll.kept * divisor, factor));
      Extent added = rows;
      added.least = rows.least - (divisor - 1) + divisor * roll.kept;
      added.most = rows.least + factor + divisor * (roll.kept - 1);
      reason = add_reads(stages_[s].value, added, roll.dimension, rolls, read[s]);
    }
    if (!reason.empty()) return reason;
    // What is kept moves within the buffer, to where nothing is read any more: no more than a round adds.
    while (round_unit_ < least_round) round_unit_ *= 2;
    // A stage's rows are right as soon as all are that they are computed from: those that are in a buffer
    // came in as many rows of the result ago as are kept of it.
    std::vector<std::int64_t> right_after(stages_.size() + 1);
    for (std::size_t s = 0; s <= stages_.size(); ++s) {
      for (const std::size_t each : read[s]) {
        const Roll& roll = *rolls[each];
        const std::int64_t ago = roll.rows.divisor * roll.kept;
        right_after[s] =
            std::max(right_after[s], right_after[each] + ceiling_of(ago, roll.rows.factors[rolled_]));
      }
    }
    filling_ = right_after.back();
    for (const auto& roll : rolls) rolls_of_.push_back(*roll);
    return "";
  }

  static Type element_of(Type type) {
    while (ir::is_array(type)) type = ir::element_of(type);
    return type;
  }

  /// Adds to what each stage's buffer holds what is read for these rows of a term, `dimension` being that of
  /// the rows, and the stages' numbers to `read`. Why that is no number of rows around them; empty where all
  /// is well.
  std::string add_reads(Term term, const Extent& rows, std::size_t dimension,
                        std::vector<std::optional<Roll>>& rolls, std::vector<std::size_t>& read) const {
    std::vector<std::int64_t> lengths;
    for (const Expr length : lengths_of(term.type())) lengths.push_back(*length.constant());
    std::vector<Term> arrays;
    for (const Binding& stage : stages_) arrays.push_back(stage.variable);
    Footprints footprints(lengths, arrays);
    std::vector<Extent> place;
    for (std::size_t d = 0; d < lengths.size(); ++d) place.push_back(footprints.coordinate(d));
    if (!footprints.add(term, place)) return "it is too long to see what it is computed from";
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const std::vector<Extent>& extents = footprints.of(stages_[s].variable);
      if (extents.empty()) continue;
      read.push_back(s);
      std::optional<std::size_t> along;
      for (std::size_t d = 0; d < extents.size(); ++d) {
        if (extents[d].factors[dimension] == 0) continue;
        if (along || extents[d].dimension() != dimension) return "rows of a stage are no rows of another";
        along = d;
      }
      for (std::size_t d = 0; d < extents.size(); ++d) {
        const Extent& whole = footprints_[s][d];
        if (d != along && whole.factors[rolled_] != 0) return "rows of a stage are no rows of another";
      }
      if (!along) return "all rows of a stage are needed in each round";
      Extent needed = composed(rows, extents[*along]);
      std::optional<Roll>& roll = rolls[s];
      if (!roll) {
        roll = Roll{*along, std::move(needed)};
        continue;
      }
      if (roll->dimension != *along || roll->rows.factors != needed.factors ||
          roll->rows.divisor != needed.divisor)
        return "a stage's rows are read at different paces";
      roll->rows.least = std::min(roll->rows.least, needed.least);
      roll->rows.most = std::max(roll->rows.most, needed.most);
    }
    return "";
  }

  bool moves_with_tile(const Extent& extent) const {
    const auto dimension = extent.dimension();
    return dimension && is_cut_[*dimension];
  }

  /// s * t of the tile at hand, or where a round begins, counted from the first of the strip's.
  Term begin_of(std::size_t dimension) const {
    if (round_ && dimension == rolled_) return round_;
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
    /// The dimension whose rows roll, which is outermost in the tile.
    std::optional<std::size_t> rolled = std::nullopt;
  };

  /// The stage, or the stage with borders of its nearest elements, which the tile has, too.
  static Term view_of(const Kept& kept, const std::vector<Border>& borders) {
    std::vector<Expr> lengths;
    for (std::size_t d = 0; d < kept.whole.size(); ++d)
      lengths.push_back(borders[d].before + kept.whole[d] + borders[d].after);
    const Term tile = kept.rolled ? move_dimension(kept.tile, 0, *kept.rolled) : kept.tile;
    return gathered(tile, lengths, [&](std::size_t d, Term index) {
      if (!borders[d].before.is_constant(0))
        index = binary(ScalarOp::Subtract, index, ir::size_value(borders[d].before));
      const bool is_whole = lengths[d] == kept.whole[d];
      if (!is_whole && (!kept.is_cut[d] || d == kept.rolled))
        index = clamped(index, ir::size_value(kept.whole[d] - 1));
      if (!kept.is_cut[d]) return index;
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

  /// A stage's tile in the round that begins at `round`, without its rows.
  Kept buffer_of(std::size_t s, Expr rows_of_round, Expr filling_rounds) const {
    const Roll& roll = rolls_of_[s];
    Kept kept{stages_[s].variable, {}, lengths_of(stages_[s].variable.type()), {}, {}, roll.dimension};
    for (std::size_t d = 0; d < kept.whole.size(); ++d) {
      kept.is_cut.push_back(d == roll.dimension || moves_with_tile(footprints_[s][d]));
      if (d != roll.dimension) {
        kept.sides.push_back(side_of(footprints_[s][d], kept.whole[d]));
        continue;
      }
      const Expr added = added_rows(roll, rows_of_round);
      Side side = side_of(roll.rows, kept.whole[d]);
      side.length = added + roll.kept;
      // Rounds are counted from the first that fills the buffers.
      side.first = binary(ScalarOp::Subtract, side.first, ir::size_value(filling_rounds * added));
      kept.sides.push_back(side);
    }
    return kept;
  }

  /// How many rows of a stage a round adds.
  Expr added_rows(const Roll& roll, Expr rows_of_round) const {
    return arith::exact_quotient(rows_of_round * roll.rows.factors[rolled_], roll.rows.divisor);
  }

  /// The sequence of rounds of a strip.
  Term rolled(Expr chosen) {
    for (std::size_t d = 0; d < lengths_.size(); ++d)
      groups_.push_back(is_cut_[d] ? ir::fresh(ir::scalar_type(Scalar::I32), "group") : Term());
    std::size_t shared = lengths_.size();
    for (const Binding& stage : stages_) shared = std::min(shared, ir::rank_of(stage.variable.type()));
    const Expr rows = chosen * round_unit_;
    const Expr filling = arith::ceiling_quotient(filling_, rows);
    const Type index = ir::scalar_type(Scalar::I32);
    const Term in_strip = ir::fresh(index, "i");
    const Term first = binary(ScalarOp::Add, begin_of(rolled_), in_strip);
    const Term rounds = call1(Op::Split, {rows},
                              ir::call(Op::Generate, {tiles_[rolled_] + filling * rows},
                                       {ir::lambda(std::vector<Term>{in_strip}, first)}));
    const auto begin_round = [&](Term round) { round_ = ir::call(Op::At, {}, {number(0), round}); };
    const Type round_type = ir::element_of(rounds.type());

    // The next state: of each stage a tile, whose last rows are computed from the tiles before it.
    const Term round = ir::fresh(round_type, "round");
    begin_round(round);
    std::vector<Term> zeros;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      Kept kept = buffer_of(s, rows, filling);
      const std::size_t rank = kept.whole.size();
      std::vector<Expr> lengths;
      for (const Side& side : kept.sides) lengths.push_back(side.length);
      lengths.erase(lengths.begin() + static_cast<std::ptrdiff_t>(*kept.rolled));
      lengths.insert(lengths.begin(), kept.sides[*kept.rolled].length);
      const Term none = filled(lengths, zero_of(element_of(kept.variable.type())));
      zeros.push_back(ir::call(Op::ToLocal, {}, {shared_out(none, rank, shared)}));
      kept_.push_back(std::move(kept));
    }
    const bool is_one = zeros.size() == 1;
    const Term state = is_one ? zeros[0] : ir::tuple(zeros);
    const Term before = ir::fresh(state.type(), "tiles");
    const auto tile_in = [&](Term tiles, std::size_t s) {
      return is_one ? tiles : ir::get(static_cast<std::uint32_t>(s), tiles);
    };
    const std::vector<Kept> buffers = std::exchange(kept_, {});
    std::vector<Binding> tiles;
    std::vector<Term> variables;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      Kept kept = buffers[s];
      const std::size_t rank = kept.whole.size(), along = *kept.rolled;
      const Roll& roll = rolls_of_[s];
      std::vector<Expr> lengths;
      for (const Side& side : kept.sides) lengths.push_back(side.length);
      lengths[along] = added_rows(roll, rows);
      const Term elements = gathered(reading_tiles(stages_[s].value), lengths, [&](std::size_t d, Term i) {
        if (!kept.is_cut[d]) return i;
        Term at = binary(ScalarOp::Add, kept.sides[d].first, i);
        if (d == along) at = binary(ScalarOp::Add, at, number(roll.kept));
        return clamped(at, ir::size_value(kept.whole[d] - 1));
      });
      Term value = shared_out(move_dimension(elements, along, 0), rank, shared);
      if (roll.kept > 0) {
        const Term old = call1(Op::Drop, {lengths[along]}, tile_in(before, s));
        value = ir::call(Op::Concat, {}, {shared_out(old, rank, shared), value});
      }
      value = ir::call(Op::ToLocal, {}, {value});
      kept.tile = ir::fresh(value.type(), "tile");
      tiles.push_back({kept.tile, value});
      variables.push_back(kept.tile);
      kept_.push_back(std::move(kept));
    }
    const Term next = with_lets(tiles, is_one ? variables[0] : ir::tuple(variables));
    const Term states =
        ir::call(Op::ScanSeq, {}, {ir::lambda(std::vector<Term>{before, round}, next), state, rounds});

    // What a round gives of the result.
    const Term pair = ir::fresh(ir::tuple_type({round_type, state.type()}), "round");
    begin_round(ir::get(0, pair));
    kept_.clear();
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      kept_.push_back(buffer_of(s, rows, filling));
      kept_.back().tile = tile_in(ir::get(1, pair), s);
    }
    std::vector<Expr> lengths = tiles_;
    lengths[rolled_] = rows;
    const Term elements = gathered(reading_tiles(result_), lengths, [&](std::size_t d, Term i) {
      if (!is_cut_[d]) return i;
      Term at = binary(ScalarOp::Add, begin_of(d), i);
      if (d == rolled_) at = binary(ScalarOp::Subtract, at, ir::size_value(filling * rows));
      at = binary(ScalarOp::Minimum, at, ir::size_value(lengths_[d] - 1));
      return at;
    });
    const Term of_round = ir::lambda(std::vector<Term>{pair}, shared_out(elements, lengths_.size(), shared));
    const Term filled_up = call1(Op::Drop, {filling}, ir::call(Op::Zip, {}, {rounds, states}));
    return grouped(put_together(ir::call(Op::MapSeq, {}, {of_round, filled_up}), rolled_));
  }

  /// Parts of an array, one after the other along dimension d.
  static Term put_together(Term parts, std::size_t d) {
    return map_inside(move_dimension(parts, 0, d), d, [](Term rows) { return call1(Op::Join, {}, rows); });
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
      body = map_inside(put_together(tiles, d), d,
                        [&](Term row) { return call1(Op::Take, {lengths_[d]}, row); });
    }
    return body;
  }

  std::vector<Binding> stages_;
  Term result_;
  std::size_t dimensions_;
  bool rolls_;
  std::vector<Expr> lengths_;  ///< of the result
  std::vector<bool> is_cut_;   ///< which of its dimensions are
  std::vector<Expr> tiles_;    ///< how long tiles are; dimensions that are not cut are whole
  std::vector<std::vector<Extent>> footprints_;  ///< of each stage and dimension
  std::vector<Term> groups_;                     ///< the group's number, in dimensions that are cut
  std::vector<Kept> kept_;                       ///< the stages that have tiles by now
  // Of rolling buffers alone.
  std::size_t rolled_ = 0;  ///< the dimension of the result along which groups walk
  std::vector<Roll> rolls_of_;
  std::int64_t filling_ = 0;     ///< rows of the result before the first that buffers must be filled for
  std::int64_t round_unit_ = 1;  ///< rows of the result that a round has a multiple of
  Term round_;                   ///< where the round at hand begins
};

}  // namespace

namespace {

/// An array of tuples, and what makes a value of it that has several arrays: x |> map(row => ... |> unzip) |>
/// unzip of x |> map(row => ...). Other values are what they are.
struct OneArray {
  Term array;
  std::function<Term(Term)> view;
};
OneArray in_one_array(Term value) {
  const auto* call = value.as<ir::Call>();
  if (call != nullptr && call->op == Op::Unzip) {
    const OneArray inside = in_one_array(call->arguments[0]);
    return {inside.array, [view = inside.view](Term array) { return call1(Op::Unzip, {}, view(array)); }};
  }
  if (call != nullptr && call->op == Op::Map && ir::contains_array(ir::element_of(value.type()))) {
    const std::vector<Term> parameters = ir::fresh_parameters(*call->arguments[0].as<ir::Lambda>());
    const OneArray inside = in_one_array(ir::apply(call->arguments[0], parameters));
    const Term array = ir::call(Op::Map, {}, {ir::lambda(parameters, inside.array), call->arguments[1]});
    return {array, [view = inside.view](Term rows) { return map_inside(rows, 1, view); }};
  }
  return {value, [](Term array) { return array; }};
}

/// Binds the arrays of a value to stages, where anything is computed for them; gives the value as those who
/// read it see it.
Term bound_to_stages(Term value, std::vector<Binding>& stages) {
  if (!contains_loop(value) && (!ir::contains_array(value.type()) || !ir::has_call(value, Op::Generate)))
    return value;
  if (const auto* tuple = value.as<ir::Tuple>()) {
    std::vector<Term> components;
    for (const Term each : tuple->components) components.push_back(bound_to_stages(each, stages));
    return ir::tuple(std::move(components));
  }
  const OneArray stage = in_one_array(value);
  stages.push_back({ir::fresh(stage.array.type(), "stage"), stage.array});
  return stage.view(stages.back().variable);
}

Strategy stages_together(const std::string& name, std::size_t dimensions, bool rolls) {
  return step(fmt::format("{}({})", name, dimensions), [=](Term term, Context& context) -> Outcome {
    if (!context.enclosing.empty() || context.unshared > 0) return declined("it is not outermost");
    std::vector<Binding> stages;
    while (const auto* let = term.as<ir::Let>()) {
      const Term value = bound_to_stages(let->value, stages);
      term = ir::apply(let->body, {value});
    }
    if (stages.empty()) return declined("it has no stages");
    return Tiler(std::move(stages), term, dimensions, rolls).run(context);
  });
}

}  // namespace

Strategy tile_stages(std::size_t dimensions) { return stages_together("tileStages", dimensions, false); }
Strategy roll_stages(std::size_t dimensions) { return stages_together("rollStages", dimensions, true); }

}  // namespace hoist::rewrite
