// Macro rules on nests. Each reads a nest off a term (nest.hpp), rearranges its dimensions, and writes it as
// a term.
//
//   tile_nest          `cut` splits each dimension of every input that has it; the nest over tiles is
//                      outside, that over the elements of a tile inside; `uncut_all` undoes the cutting of
//                      the result. Windows are cut into tiles that overlap.
//   items_in_groups    maps over all work-items by groups, of which each work-item has the same as before
//   tile_accumulation  accumulators and the nest that updates them are cut in the same tiles
//   reorder_nest       the dimensions in another order
//
// What is computed inside of a place may be a view of the nest's elements: `input_of` makes an array of it.
#include "rewrite/strategies/nests.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "ir/print.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/lengthening.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/windows.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

Strategy step(std::string name, Strategy strategy) {
  return [name = std::move(name), strategy = std::move(strategy)](Term term, Context& context) -> Outcome {
    const std::vector<Expr> choices = context.choices;
    const auto decline_with = [&](const std::string& reason) {
      context.choices = choices;
      return declined(fmt::format("{}: {}", name, reason));
    };
    Outcome result;
    try {
      result = strategy(term, context);
    } catch (const Failure& failure) {
      return decline_with(failure.error().diagnostics.front().message);
    }
    if (!result) return decline_with(result.error().reason);
    if (!ir::is_equal(term.type(), result->type()))
      return decline_with(fmt::format("{} is not proven to be {}", ir::to_string(result->type()),
                                      ir::to_string(term.type())));
    context.trace.push_back({name, context.path, term, *result});
    return result;
  };
}

std::vector<MapKind> kinds_of(TileOwner owner, std::size_t dimensions) {
  if (owner == TileOwner::Open) return {};
  const Op op = owner == TileOwner::Group         ? Op::MapGroup
                : owner == TileOwner::ItemOfGroup ? Op::MapLocal
                                                  : Op::MapGlobal;
  const std::size_t parallel = std::min<std::size_t>(dimensions, 3);
  std::vector<MapKind> kinds(dimensions, MapKind{Op::MapSeq});
  for (std::size_t d = 0; d < parallel; ++d) kinds[d] = {op, static_cast<std::int64_t>(parallel - 1 - d)};
  return kinds;
}

namespace {

// ---- Tiles.

/// How one dimension is cut: into tiles of `size`, dealt out in blocks of `block` (none: neighbours).
struct Cut {
  Expr size, block;
};

/// [n] to [n / size][size].
Term cut(Term array, const Cut& cut) {
  if (!cut.block) return call1(Op::Split, {cut.size}, array);
  const Expr tiles = arith::exact_quotient(array.type()->size, cut.size);
  Term blocks = call1(Op::Split, {tiles}, call1(Op::Split, {cut.block}, array));
  return map_inside(call1(Op::Transpose, {}, blocks), 1, [](Term tile) { return call1(Op::Join, {}, tile); });
}

/// Undoes it.
Term uncut(Term tiles, const Cut& cut) {
  if (!cut.block) return call1(Op::Join, {}, tiles);
  Term blocks = map_inside(tiles, 1, [&](Term tile) { return call1(Op::Split, {cut.block}, tile); });
  return call1(Op::Join, {}, call1(Op::Join, {}, call1(Op::Transpose, {}, blocks)));
}

/// The outer dimensions cut: [n][m] to [n / s][m / t][s][t].
Term cut_all(Term array, const std::vector<Cut>& cuts, std::size_t from = 0) {
  if (from == cuts.size()) return array;
  const Term rest = map_inside(array, 1, [&](Term inside) { return cut_all(inside, cuts, from + 1); });
  const std::size_t others = cuts.size() - from - 1;
  // [n][m / t][t] to [n / s][s][m / t][t], then s goes behind the other outer dimensions.
  return move_dimension(cut(rest, cuts[from]), 1, 1 + others);
}

Term uncut_all(Term array, const std::vector<Cut>& cuts, std::size_t from = 0) {
  if (from == cuts.size()) return array;
  const std::size_t others = cuts.size() - from - 1;
  const Term together = uncut(move_dimension(array, 1 + others, 1), cuts[from]);
  return map_inside(together, 1, [&](Term inside) { return uncut_all(inside, cuts, from + 1); });
}

/// Input of the nest over tiles, and what it is to the nest inside a tile (a function of its element).
struct TiledInput {
  Term tiles;
  std::function<Term(Term)> inside;
};

TiledInput tiled(const NestInput& input, const std::vector<Cut>& cuts) {
  const bool dealt =
      std::any_of(cuts.begin(), cuts.end(), [](const Cut& each) { return static_cast<bool>(each.block); });
  if (!dealt) {
    if (const auto found = as_windows(input.array, cuts.size())) {
      std::vector<std::pair<Expr, Expr>> overlapping;
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        const auto& [size, by] = found->windows[i];
        overlapping.emplace_back(cuts[i].size * by + size - by, cuts[i].size * by);
      }
      Term tiles = windows_of(found->data, overlapping);
      // What is assumed is what split assumes: that tiles come out even.
      ir::Type windows = input.array.type();
      for (std::size_t i = 0; i < cuts.size(); ++i, windows = ir::element_of(windows)) {
        const Expr count = arith::exact_quotient(windows->size, cuts[i].size);
        tiles = map_inside(tiles, i, [&](Term row) {
          return row.type()->size == count ? row : call1(Op::Take, {count}, row);
        });
      }
      return {tiles, [windows = found->windows](Term tile) { return windows_of(tile, windows); }};
    }
  }
  return {cut_all(input.array, cuts), [](Term tile) { return tile; }};
}

std::vector<Cut> choose_cuts(Context& context, std::size_t dimensions, Dealing dealing) {
  std::vector<Cut> cuts;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const Expr size = context.choose("t");
    cuts.push_back({size, dealing == Dealing::Blocks ? context.choose("b") : Expr()});
  }
  return cuts;
}

/// The nest over as many more elements as make whole tiles, in dimensions that usual tiles do not divide.
Nest of_whole_tiles(const Nest& nest, const std::vector<Cut>& cuts) {
  std::vector<Expr> more;
  for (std::size_t d = 0; d < nest.rank(); ++d)
    more.push_back(has_usual_tiles(nest.lengths[d]) ? Expr(0) : missing(nest.lengths[d], cuts[d].size));
  return lengthened(nest, more);
}

/// The nest over tiles, whose body is the nest over a tile's elements, by maps of these kinds.
Nest tiled(const Nest& nest, const std::vector<Cut>& cuts, const std::vector<MapKind>& inside = {}) {
  Nest outer, inner;
  for (std::size_t d = 0; d < nest.rank(); ++d) {
    inner.lengths.push_back(cuts[d].size);
    outer.lengths.push_back(arith::exact_quotient(nest.lengths[d], cuts[d].size));
  }
  for (const NestInput& input : nest.inputs) {
    std::vector<Cut> own;
    for (const std::size_t d : input.dims) own.push_back(cuts[d]);
    const TiledInput parts = tiled(input, own);
    const Term element = ir::fresh(inside_type(parts.tiles.type(), own.size()), "tile");
    outer.inputs.push_back({parts.tiles, input.dims, element});
    inner.inputs.push_back({parts.inside(element), input.dims, input.element});
  }
  inner.body = nest.body;
  outer.body = to_term(inner, inside);
  return outer;
}

/// Why maps of this owner cannot stand here; empty where they can.
std::string misplaced(const Context& context, TileOwner owner, std::size_t dimensions) {
  bool in_group = false, in_items = false, is_outermost = true;
  for (const auto& [op, dimension] : context.enclosing) {
    in_group = in_group || op == Op::MapGroup;
    // Groups may be shared out along dimensions that no map around has taken.
    is_outermost = is_outermost && owner == TileOwner::Group && op == Op::MapGroup &&
                   dimension.constant().value_or(0) >= static_cast<std::int64_t>(dimensions);
    in_items = in_items || op == Op::MapGlobal || op == Op::MapLocal;
    // Its lengths may change from step to step.
    if (op == Op::Iterate && owner != TileOwner::Open) return "it is inside an iteration of a work-item";
  }
  if (owner == TileOwner::Open) return "";
  if (context.unshared > 0) return "it is inside a condition or the function of another pattern";
  if (in_items) return "it is inside a work-item";
  if (owner == TileOwner::ItemOfGroup) return in_group ? "" : "there is no mapWrg around it";
  return is_outermost ? "" : "a map over groups or over all work-items must be outermost";
}

Outcome tile(Term term, Context& context, std::size_t dimensions, Tiling tiling) {
  if (const std::string reason = misplaced(context, tiling.owner, dimensions); !reason.empty())
    return declined(reason);
  const auto nest = nest_of(term, dimensions);
  if (!nest || nest->rank() < dimensions)
    return declined(fmt::format("it is no nest of {} maps", dimensions));
  if (tiling.is_guarded && std::all_of(nest->lengths.begin(), nest->lengths.end(), has_usual_tiles))
    return declined("tiles of usual sizes divide all dimensions");
  const std::vector<Cut> cuts = choose_cuts(context, dimensions, tiling.dealing);
  const Nest whole = tiling.is_guarded ? of_whole_tiles(*nest, cuts) : *nest;
  const Term result = uncut_all(to_term(tiled(whole, cuts), kinds_of(tiling.owner, dimensions)), cuts);
  return tiling.is_guarded ? shortened(result, nest->lengths) : result;
}

/// How many maps over all work-items are directly in each other, the outermost being the term.
std::size_t depth_of_items(Term term) {
  const auto* map = term.as<ir::Call>();
  if (map == nullptr || map->op != Op::MapGlobal) return 0;
  return 1 + depth_of_items(map->arguments[0].as<ir::Lambda>()->body);
}

/// Such maps with nothing decided of them.
Term with_open_items(Term term, std::size_t depth) {
  if (depth == 0) return term;
  const auto* map = term.as<ir::Call>();
  const auto* function = map->arguments[0].as<ir::Lambda>();
  const Term open = ir::raw_lambda(function->parameters, with_open_items(function->body, depth - 1),
                                   function->names, function->claims);
  return ir::call(Op::Map, {}, {open, map->arguments[1]});
}

Outcome gather_in_groups(Term term, Context& context) {
  if (!context.enclosing.empty() || context.open_maps > 0 || context.unshared > 0)
    return declined("it is inside another pattern");
  const std::size_t depth = depth_of_items(term);
  if (depth == 0) return declined("it is no mapGlb");
  const auto nest = nest_of(with_open_items(term, depth), depth);
  if (!nest || nest->rank() < depth) return declined("its maps are no nest");
  std::vector<Cut> cuts;
  for (std::size_t d = 0; d < depth; ++d) cuts.push_back({context.choose("l"), Expr()});
  const Nest groups = tiled(*nest, cuts, kinds_of(TileOwner::ItemOfGroup, depth));
  return uncut_all(to_term(groups, kinds_of(TileOwner::Group, depth)), cuts);
}

bool is_reduction_of_arrays(Term term) {
  const auto* call = term.as<ir::Call>();
  return call != nullptr && call->op == Op::ReduceSeq && ir::is_array(term.type());
}

/// The nest that the function of a reduction of arrays is, and which of its inputs are the accumulators.
struct Accumulation {
  Nest nest;
  std::size_t own = 0;
  Term element;  ///< the function's second parameter
};

tl::expected<Accumulation, Declined> accumulation_of(const ir::Call& reduce) {
  const auto* function = reduce.arguments[0].as<ir::Lambda>();
  const Term accumulators = ir::fresh(function->parameters[0], "acc");
  const Term element = ir::fresh(function->parameters[1], "part");
  auto nest = nest_of(ir::apply(reduce.arguments[0], {accumulators, element}));
  if (!nest) return declined("its function is no nest of maps");
  std::optional<std::size_t> own;
  for (std::size_t i = 0; i < nest->inputs.size(); ++i) {
    const NestInput& input = nest->inputs[i];
    if (input.array == accumulators && input.dims.size() == nest->rank() && !own) {
      own = i;
    } else if (mentions(input.array, accumulators)) {
      return declined("its function also reads the accumulators other than element by element");
    }
  }
  if (mentions(nest->body, accumulators))
    return declined("its function also reads the accumulators other than element by element");
  if (!own) return declined("its function does not map over the accumulators");
  return Accumulation{std::move(*nest), *own, element};
}

/// The reduction with its accumulators kept tile by tile.
Term tiled_accumulation(const ir::Call& reduce, const Accumulation& accumulation,
                        const std::vector<Cut>& cuts, TileOwner owner) {
  Nest outer = tiled(accumulation.nest, cuts);
  NestInput& tiles = outer.inputs[accumulation.own];
  tiles.array = ir::fresh(tiles.array.type(), "acc");
  const Term body = ir::lambda(std::vector<Term>{tiles.array, accumulation.element},
                               to_term(outer, kinds_of(owner, outer.rank())));
  return ir::call(Op::ReduceSeq, {}, {body, cut_all(reduce.arguments[1], cuts), reduce.arguments[2]});
}

Outcome tile_accumulators(Term term, Context& context, Tiling tiling) {
  constexpr std::size_t all_dimensions = 3;
  if (const std::string reason = misplaced(context, tiling.owner, all_dimensions); !reason.empty())
    return declined(reason);
  Term reduction = term;
  std::optional<Nest> after;
  std::size_t at = 0;
  if (!is_reduction_of_arrays(term)) {
    after = nest_of(term);
    const auto is_own = [](const NestInput& input) { return is_reduction_of_arrays(input.array); };
    const auto found = after ? std::find_if(after->inputs.begin(), after->inputs.end(), is_own)
                             : std::vector<NestInput>::iterator();
    if (!after || found == after->inputs.end())
      return declined("it is neither a reduceSeq whose accumulators are arrays nor a nest of maps over one");
    at = static_cast<std::size_t>(found - after->inputs.begin());
    reduction = found->array;
  }
  const auto& reduce = *reduction.as<ir::Call>();
  const auto accumulation = accumulation_of(reduce);
  if (!accumulation) return declined(accumulation.error().reason);
  if (after && after->rank() != accumulation->nest.rank())
    return declined("the maps over the result and those over the accumulators differ in number");
  const std::vector<Cut> cuts = choose_cuts(context, accumulation->nest.rank(), tiling.dealing);
  const Term tiles = tiled_accumulation(reduce, *accumulation, cuts, tiling.owner);
  if (!after) return uncut_all(tiles, cuts);
  Nest outer = tiled(*after, cuts);
  outer.inputs[at].array = tiles;
  return uncut_all(to_term(outer, kinds_of(tiling.owner, outer.rank())), cuts);
}

// ---- Other orders.

Outcome reorder(Term term, const std::vector<std::size_t>& order) {
  auto nest = nest_of(term, order.size());
  if (!nest || nest->rank() != order.size())
    return declined(fmt::format("it is no nest of {} maps", order.size()));
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  Nest result;
  for (const std::size_t d : order) result.lengths.push_back(nest->lengths[d]);
  result.body = nest->body;
  for (NestInput input : nest->inputs) {
    // Its dimensions sorted by their new places, the smallest brought to the front first.
    for (std::size_t done = 0; done < input.dims.size(); ++done) {
      std::size_t next = done;
      for (std::size_t i = done; i < input.dims.size(); ++i) {
        if (place[input.dims[i]] < place[input.dims[next]]) next = i;
      }
      input.array = move_dimension(input.array, next, done);
      std::rotate(input.dims.begin() + static_cast<std::ptrdiff_t>(done),
                  input.dims.begin() + static_cast<std::ptrdiff_t>(next),
                  input.dims.begin() + static_cast<std::ptrdiff_t>(next) + 1);
    }
    for (std::size_t& d : input.dims) d = place[d];
    result.inputs.push_back(std::move(input));
  }
  Term array = to_term(result);
  std::vector<std::size_t> now = order;
  for (std::size_t d = 0; d < now.size(); ++d) {
    const auto from = static_cast<std::size_t>(std::find(now.begin(), now.end(), d) - now.begin());
    array = move_dimension(array, from, d);
    std::rotate(now.begin() + static_cast<std::ptrdiff_t>(d), now.begin() + static_cast<std::ptrdiff_t>(from),
                now.begin() + static_cast<std::ptrdiff_t>(from) + 1);
  }
  return array;
}

std::string name_of(const char* what, Tiling tiling) {
  constexpr const char* owners[] = {"", "Items", "Groups", "Local"};
  return fmt::format("{}{}{}{}", what, owners[static_cast<std::size_t>(tiling.owner)],
                     tiling.dealing == Dealing::Blocks ? "Blocks" : "", tiling.is_guarded ? "Guarded" : "");
}

}  // namespace

Strategy tile_nest(std::size_t dimensions, Tiling tiling) {
  return step(fmt::format("{}({})", name_of("tile", tiling), dimensions),
              [=](Term term, Context& context) { return tile(term, context, dimensions, tiling); });
}
Strategy map_nest(std::size_t dimensions, TileOwner owner) {
  constexpr const char* names[] = {"", "items", "groups", "local"};
  return step(fmt::format("{}({})", names[static_cast<std::size_t>(owner)], dimensions),
              [=](Term term, Context& context) -> Outcome {
                if (const std::string reason = misplaced(context, owner, dimensions); !reason.empty())
                  return declined(reason);
                const auto nest = nest_of(term, dimensions);
                if (!nest || nest->rank() < dimensions)
                  return declined(fmt::format("it is no nest of {} maps", dimensions));
                return to_term(*nest, kinds_of(owner, dimensions));
              });
}

Strategy items_in_groups() { return step("itemsInGroups", gather_in_groups); }

Strategy tile_accumulation(Tiling tiling) {
  return step(name_of("tileAccumulation", tiling),
              [=](Term term, Context& context) { return tile_accumulators(term, context, tiling); });
}

Strategy reorder_nest(std::vector<std::size_t> order) {
  return step(fmt::format("reorder({})", fmt::join(order, ",")),
              [order = std::move(order)](Term term, Context&) { return reorder(term, order); });
}

}  // namespace hoist::rewrite
