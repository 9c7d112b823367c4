// Merged work-items. Of x |> slide(3, 1) |> map(f), with the sizes W, C, R, U of the only dimension:
//
//   x |> slide(T + 2, T)                       tiles with their halos, T = W * C * R * U elements each
//     |> mapWrg(0, tile => tile |> slide(3, 1) |> cut
//       |> mapLcl(0, mapSeq(mapSeq(mapSeqUnroll(f))))          W work-items, C blocks, R rounds, U elements
//       |> uncut)
//     |> join
//
// where `cut` makes [W][C][R][U] of the T windows: block c of work-item w is the block c * W + w of the tile.
// Where tiles do not divide the array it is made longer, and the result is cut.
//
// In vectors the windows of a row hold vectors in place of scalars, `width` windows side by side in one:
// element a of window i is the vector of the row's elements from i * width + a on.
//
// `mergeable_nest` reads a term; `Merger` makes the tiles (`outer`), the nest inside (`inner`), and its body.
#include "rewrite/strategies/merging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/inspect.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/lengthening.hpp"
#include "rewrite/sharing.hpp"
#include "rewrite/stencil.hpp"
#include "rewrite/strategies/nests.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

constexpr std::size_t most_dimensions = 3;

/// How one dimension is shared out.
struct Merge {
  Expr items, cyclic, rounds, unrolled;
  std::int64_t width = 1;

  /// Elements, or vectors, of a tile.
  Expr count() const { return items * cyclic * rounds * unrolled; }
  Expr elements() const { return count() * width; }
};

/// How many loops a dimension becomes inside of a group.
constexpr std::size_t levels = 4;

/// [T] to [W][C][R][U].
Term cut(Term array, const Merge& merge) {
  const Term blocks = call1(Op::Split, {merge.rounds}, call1(Op::Split, {merge.unrolled}, array));
  return call1(Op::Transpose, {}, call1(Op::Split, {merge.items}, blocks));
}
/// Undoes it.
Term uncut(Term array) {
  array = call1(Op::Transpose, {}, array);
  for (std::size_t level = 1; level < levels; ++level) array = call1(Op::Join, {}, array);
  return array;
}

/// The outer dimensions cut: [n][m] to [W][W'][C][C'][R][R'][U][U'].
Term cut_all(Term array, const std::vector<Merge>& merges, std::size_t from = 0) {
  if (from == merges.size()) return array;
  Term result =
      cut(map_inside(array, 1, [&](Term inside) { return cut_all(inside, merges, from + 1); }), merges[from]);
  const std::size_t others = merges.size() - from - 1;
  for (std::size_t level = levels - 1; level > 0; --level)
    result = move_dimension(result, level, level + level * others);
  return result;
}

Term uncut_all(Term array, std::size_t dimensions) {
  if (dimensions == 0) return array;
  for (std::size_t level = 1; level < levels; ++level)
    array = move_dimension(array, level * dimensions, level);
  return map_inside(uncut(array), 1, [&](Term inside) { return uncut_all(inside, dimensions - 1); });
}

class Merger {
 public:
  Merger(const MergeableNest& mergeable, std::vector<Merge> merges)
      : nest_(mergeable.nest), windows_(mergeable.inputs), merges_(std::move(merges)) {}

  /// Throws Failure where there are vectors and the body cannot be computed in them.
  Term run() {
    Nest outer, inner;
    for (std::size_t d = 0; d < nest_.rank(); ++d) {
      const Expr tile = merges_[d].elements();
      outer.lengths.push_back(arith::ceiling_quotient(nest_.lengths[d], tile));
      more_.push_back(missing(nest_.lengths[d], tile));
    }
    std::vector<Term> elements;
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i) {
      const auto& dims = nest_.inputs[i].dims;
      const Term tiles = tiles_of(i, outer.lengths);
      const Term tile = ir::fresh(inside_type(tiles.type(), dims.size()), "tile");
      outer.inputs.push_back({tiles, dims, tile});
      const Term windows = cut_all(windows_in(i, tile), merges_of(i));
      NestInput input{windows, {}, ir::fresh(inside_type(windows.type(), levels * dims.size()), "n")};
      for (std::size_t level = 0; level < levels; ++level) {
        for (const std::size_t d : dims) input.dims.push_back(level * nest_.rank() + d);
      }
      elements.push_back(input.element);
      inner.inputs.push_back(std::move(input));
    }
    for (const auto length : {&Merge::items, &Merge::cyclic, &Merge::rounds, &Merge::unrolled}) {
      for (const Merge& each : merges_) inner.lengths.push_back(each.*length);
    }
    inner.body = body_of(elements);
    Term tile = uncut_all(to_term(inner, inner_kinds()), nest_.rank());
    if (width() > 1)
      tile = map_inside(tile, nest_.rank() - 1, [](Term row) { return call1(Op::AsScalar, {}, row); });
    outer.body = tile;
    const Term result = joined_tiles(to_term(outer, kinds_of(TileOwner::Group, nest_.rank())), nest_.rank());
    return shortened(result, nest_.lengths);
  }

 private:
  std::int64_t width() const { return merges_.back().width; }
  bool has_lanes(std::size_t input) const {
    return width() > 1 && nest_.inputs[input].dims.back() + 1 == nest_.rank();
  }
  std::vector<Merge> merges_of(std::size_t input) const {
    std::vector<Merge> own;
    for (const std::size_t d : nest_.inputs[input].dims) own.push_back(merges_[d]);
    return own;
  }

  std::vector<MapKind> inner_kinds() const {
    std::vector<MapKind> kinds = kinds_of(TileOwner::ItemOfGroup, nest_.rank());
    kinds.resize(3 * nest_.rank(), MapKind{Op::MapSeq});
    kinds.resize(levels * nest_.rank(), MapKind{Op::MapSeqUnroll});
    return kinds;
  }

  /// What the groups read of an input, a tile with its halo each.
  Term tiles_of(std::size_t input, const std::vector<Expr>& groups) const {
    const MovingWindows& windows = windows_[input];
    const auto& dims = nest_.inputs[input].dims;
    std::vector<Expr> more;
    WindowsByDimension overlapping;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Expr tile = merges_[dims[i]].elements();
      more.push_back(more_[dims[i]]);
      overlapping.emplace_back(std::pair(tile + windows.lengths[i] - 1, tile));
    }
    Term tiles = windows_by_dimension(with_more(windows.data, more), overlapping);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Expr count = groups[dims[i]];
      tiles = map_inside(tiles, i, [&](Term row) {
        return row.type()->size == count ? row : call1(Op::Take, {count}, row);
      });
    }
    return tiles;
  }

  /// The windows in a tile; their dimensions as the program has them.
  Term windows_in(std::size_t input, Term tile) const {
    const MovingWindows& windows = windows_[input];
    const std::size_t rank = windows.lengths.size();
    WindowsByDimension moving(rank);
    for (const std::size_t d : windows.order) moving[d] = std::pair(Expr(windows.lengths[d]), Expr(1));
    if (has_lanes(input)) {
      const bool slides = windows.extends_in(rank - 1);
      tile = map_inside(tile, rank - 1, [&](Term row) { return in_vectors(row, slides); });
      if (slides) moving[rank - 1]->second = width();
    }
    Term result = windows_by_dimension(tile, moving);
    // Now the windows' dimensions are in the order of the array's.
    std::vector<std::size_t> now = windows.order;
    std::sort(now.begin(), now.end());
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto from = std::find(now.begin(), now.end(), windows.order[i]);
      result = move_dimension(result, rank + static_cast<std::size_t>(from - now.begin()), rank + i);
      const std::size_t moved = *from;
      now.erase(from);
      now.insert(now.begin() + static_cast<std::ptrdiff_t>(i), moved);
    }
    return result;
  }

  /// A row as vectors: one from each of its elements on where windows slide over them, else side by side.
  Term in_vectors(Term row, bool slides) const {
    if (!slides) return call1(Op::AsVector, {width()}, row);
    return map_inside(call1(Op::Slide, {width(), 1}, row), 1,
                      [&](Term elements) { return at(call1(Op::AsVector, {width()}, elements), 0); });
  }

  /// The nest's body of these elements of its inputs.
  Term body_of(const std::vector<Term>& elements) const {
    std::vector<std::pair<Term, Term>> values;
    if (width() == 1) {
      for (std::size_t i = 0; i < elements.size(); ++i)
        values.emplace_back(nest_.inputs[i].element, elements[i]);
      return ir::substitute_free(nest_.body, values);
    }
    std::vector<bool> is_windows;
    for (const MovingWindows& each : windows_) is_windows.push_back(each.is_extended());
    std::vector<Access> accesses;
    const Term body = with_accesses(nest_, std::move(is_windows), accesses);
    if (contains_loop(body)) throw_user("its body has a loop");
    std::vector<Term> scalars, vectors;
    const auto bind = [&](std::size_t input, Term scalar, Term element) {
      if (!has_lanes(input)) {
        values.emplace_back(scalar, element);
        return;
      }
      scalars.push_back(scalar);
      vectors.push_back(element);
    };
    for (const Access& access : accesses) {
      Term element = elements[access.input];
      for (const std::int64_t place : access.place) element = at(element, place);
      bind(access.input, access.variable, element);
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!windows_[i].is_extended()) {
        bind(i, nest_.inputs[i].element, elements[i]);
      } else if (mentions(body, nest_.inputs[i].element)) {
        throw_user("it reads its windows at indices that are not constant");
      }
    }
    // Sums of many terms are in parts that are bound one after the other.
    std::vector<Binding> parts, vector_parts;
    const Term last = outside_lets(body, parts);
    const auto in_lanes = [&](Term term) {
      return ir::apply(vectorized(ir::lambda(scalars, term), width()), vectors);
    };
    for (const Binding& each : parts) {
      const Term value = in_lanes(each.value);
      vector_parts.push_back({ir::fresh(value.type(), "part"), value});
      scalars.push_back(each.variable);
      vectors.push_back(vector_parts.back().variable);
    }
    return ir::substitute_free(with_lets(vector_parts, in_lanes(last)), values);
  }

  const Nest& nest_;
  const std::vector<MovingWindows>& windows_;
  std::vector<Merge> merges_;
  std::vector<Expr> more_;  ///< elements behind each dimension's, so that tiles divide it
};

Outcome merge(Term term, Context& context, std::int64_t width) {
  if (!context.enclosing.empty() || context.open_maps > 0 || context.unshared > 0)
    return declined("it is inside another pattern");
  const auto mergeable = mergeable_nest(term);
  if (!mergeable) return tl::unexpected(mergeable.error());
  if (width > 1 && !ir::is_scalar(mergeable->nest.body.type()))
    return declined("vectors are of scalars, and its elements are none");
  const std::size_t rank = mergeable->nest.rank();
  std::vector<Merge> merges;
  for (std::size_t d = 0; d < rank; ++d) {
    const char axis = "ZYX"[most_dimensions - rank + d];
    const auto choose = [&](char what) { return context.choose({what, axis}); };
    Merge merge;
    merge.items = choose('W');
    merge.cyclic = choose('C');
    merge.rounds = choose('R');
    merge.unrolled = choose('U');
    merge.width = d + 1 == rank ? width : 1;
    merges.push_back(merge);
  }
  return Merger(*mergeable, std::move(merges)).run();
}

Outcome as_image(Term term, const Context& context, std::size_t input) {
  if (!context.enclosing.empty() || context.open_maps > 0) return declined("it is inside a map's function");
  const auto* variable = term.as<ir::Bound>();
  if (variable == nullptr || variable->index != input) return declined("it is not that input of the program");
  const std::size_t rank = ir::rank_of(term.type());
  if (rank < 2 || rank > most_dimensions) return declined("images are of arrays of two or three dimensions");
  const ir::Type element = inside_type(term.type(), rank);
  if (!ir::is_scalar(element) || (element->scalar != Scalar::F32 && element->scalar != Scalar::I32))
    return declined("images hold f32 and i32");
  return call1(Op::ToImage, {}, term);
}

}  // namespace

tl::expected<MergeableNest, Declined> mergeable_nest(Term term) {
  const auto nest = nest_of(term);
  if (!nest) return declined("it is no map");
  if (nest->rank() > most_dimensions)
    return declined(fmt::format("it is a nest of {} maps, more than three", nest->rank()));
  if (!is_scalars(nest->body.type())) return declined("its elements are arrays");
  MergeableNest result{*nest, {}};
  for (const NestInput& input : nest->inputs) {
    auto windows = moving_windows(input);
    if (!windows)
      return declined("it reads an array otherwise than in windows that move along with it by one element");
    result.inputs.push_back(std::move(*windows));
  }
  return result;
}

Strategy merge_work_items(std::int64_t width) {
  return step(fmt::format("mergeItems({})", width),
              [width](Term term, Context& context) { return merge(term, context, width); });
}

Strategy read_as_image(std::size_t input) {
  return step(fmt::format("toImage({})", input),
              [input](Term term, Context& context) { return as_image(term, context, input); });
}

}  // namespace hoist::rewrite
