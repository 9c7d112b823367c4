// Macro rules on nests. Each reads a nest off a term (nest.hpp), rearranges its dimensions, and writes it as
// a term.
//
//   tile_nest          `cut` splits each dimension of every input that has it; the nest over tiles is
//                      outside, that over the elements of a tile inside; `uncut_all` undoes the cutting of
//                      the result. Windows are cut into tiles that overlap.
//   hoist_reduce       the reduction inside a nest becomes a reduction around it (`hoisted`), whose
//                      accumulators are an array with the nest's dimensions; by chunks or by columns where
//                      several elements are to be reduced inside
//   tile_accumulation  accumulators and the nest that updates them are cut in the same tiles
//   reorder_nest       the dimensions in another order
//
// What is computed inside of a place may be a view of the nest's elements: `input_of` makes an array of it.
#include "rewrite/strategies/nests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "ir/print.hpp"
#include "ir/reduction.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/lengthening.hpp"
#include "rewrite/literals.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/sharing.hpp"
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

/// The type of elements `depth` dimensions inside.
ir::Type inside_type(ir::Type type, std::size_t depth) {
  for (; depth > 0; --depth) type = ir::element_of(type);
  return type;
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

/// The nest over tiles, whose body is the nest over a tile's elements.
Nest tiled(const Nest& nest, const std::vector<Cut>& cuts) {
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
  outer.body = to_term(inner);
  return outer;
}

/// The maps over tiles, the innermost on dimension 0. Those beyond the third are sequential.
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

/// Why maps of this owner cannot stand here; empty where they can.
std::string misplaced(const Context& context, TileOwner owner) {
  bool in_group = false, in_items = false;
  for (const auto& [op, dimension] : context.enclosing) {
    in_group = in_group || op == Op::MapGroup;
    in_items = in_items || op == Op::MapGlobal || op == Op::MapLocal;
    // Its lengths may change from step to step.
    if (op == Op::Iterate && owner != TileOwner::Open) return "it is inside an iteration of a work-item";
  }
  if (owner == TileOwner::Open) return "";
  if (context.unshared > 0) return "it is inside a condition or the function of another pattern";
  if (in_items) return "it is inside a work-item";
  if (owner == TileOwner::ItemOfGroup) return in_group ? "" : "there is no mapWrg around it";
  return context.enclosing.empty() ? "" : "a map over groups or over all work-items must be outermost";
}

Outcome tile(Term term, Context& context, std::size_t dimensions, Tiling tiling) {
  if (const std::string reason = misplaced(context, tiling.owner); !reason.empty()) return declined(reason);
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
  if (const std::string reason = misplaced(context, tiling.owner); !reason.empty()) return declined(reason);
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

// ---- Reductions.

/// A reduction and what it reads, taken apart: data = zip(parts) |> map(prepare).
struct Reduction {
  Term function, init;
  std::vector<Term> parts;
  std::function<Term(const std::vector<Term>&)> data;  ///< the same of other arrays instead of the parts
};

/// The arrays that a view zips and maps, and how.
std::function<Term(const std::vector<Term>&)> take_apart(Term data, std::vector<Term>& parts) {
  const auto* call = data.as<ir::Call>();
  if (call != nullptr && call->op == Op::Zip) {
    std::vector<std::pair<std::function<Term(const std::vector<Term>&)>, std::size_t>> inside;
    for (Term each : call->arguments) {
      const std::size_t before = parts.size();
      auto remake = take_apart(each, parts);
      inside.emplace_back(std::move(remake), before);
    }
    return [inside](const std::vector<Term>& arrays) {
      std::vector<Term> made;
      for (const auto& [remake, begin] : inside) made.push_back(remake(arrays));
      return ir::call(Op::Zip, {}, std::move(made));
    };
  }
  if (call != nullptr && call->op == Op::Map && contains_loop(data)) {
    auto remake = take_apart(call->arguments[1], parts);
    return [remake, function = call->arguments[0]](const std::vector<Term>& arrays) {
      return ir::call(Op::Map, {}, {function, remake(arrays)});
    };
  }
  const std::size_t at = parts.size();
  parts.push_back(data);
  return [at](const std::vector<Term>& arrays) { return arrays[at]; };
}

/// The one reduction in a scalar body, outside of all functions: nothing where there is none, or more.
void find_reductions(Term term, std::vector<Term>& found) {
  if (term.as<ir::Lambda>() != nullptr) return;
  if (const auto* call = term.as<ir::Call>()) {
    // A range may differ from element to element: it is one work-item's.
    if (call->op == Op::ReduceRange) return;
    if (ir::is_reduce(call->op) && call->op != Op::ReduceLocal) {
      if (std::find(found.begin(), found.end(), term) == found.end()) found.push_back(term);
      return;
    }
  }
  for (Term child : ir::children(term)) find_reductions(child, found);
}

/// The same term with `from` replaced outside of functions.
Term replaced(Term term, Term from, Term to) {
  if (term == from) return to;
  if (term.as<ir::Lambda>() != nullptr) return term;
  std::vector<Term> children = ir::children(term);
  for (Term& child : children) child = replaced(child, from, to);
  return ir::with_children(term, children);
}

/// zip(parts) with each element's name, or the part itself where there is one.
struct Zipped {
  Term array;
  Term variable;               ///< of an element of the array
  std::vector<Term> elements;  ///< of the parts, as terms of the variable
};
Zipped zipped(const std::vector<Term>& arrays, const std::string& name) {
  Zipped result;
  result.array = arrays.size() == 1 ? arrays[0] : ir::call(Op::Zip, {}, arrays);
  result.variable = ir::fresh(ir::element_of(result.array.type()), name);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    result.elements.push_back(arrays.size() == 1 ? result.variable
                                                 : ir::get(static_cast<std::uint32_t>(i), result.variable));
  return result;
}

std::vector<std::size_t> all_dimensions(const Nest& nest) {
  std::vector<std::size_t> dims(nest.rank());
  std::iota(dims.begin(), dims.end(), 0U);
  return dims;
}

/// The value in every element of an array over the nest's dimensions.
Term filled(const Nest& nest, Term value) {
  const NestInput input = input_of(nest, value);
  if (input.dims.size() == nest.rank()) return input.array;
  if (!input.dims.empty()) {
    Nest starts = nest;
    starts.body = value;
    drop_unused(starts);
    return to_term(starts);
  }
  Term array = value;
  for (std::size_t d = nest.rank(); d-- > 0;) {
    const Term index = ir::fresh(ir::scalar_type(Scalar::I32), "i");
    array = ir::call(Op::Generate, {nest.lengths[d]}, {ir::lambda(std::vector<Term>{index}, array)});
  }
  return array;
}

/// The reduction over the parts' outermost dimension of arrays that are nests; over what `cut` makes of each
/// part, by its number, which is then reduced inside, where there is one.
Term hoisted(const Nest& nest, const ir::Call& reduce, const Reduction& reduction,
             const std::function<Term(Term, std::size_t)>& cut) {
  std::vector<NestInput> read;
  std::vector<Term> arrays;
  for (std::size_t i = 0; i < reduction.parts.size(); ++i) {
    NestInput input = input_of(nest, reduction.parts[i]);
    const std::size_t place = input.dims.size();
    if (cut) input.array = map_inside(input.array, place, [&](Term row) { return cut(row, i); });
    arrays.push_back(move_dimension(input.array, place, 0));
    read.push_back(std::move(input));
  }
  const Zipped rows = zipped(arrays, "part");
  const Term start = filled(nest, reduction.init);
  const Term accumulators = ir::fresh(start.type(), "acc");
  Nest inner = nest;
  const Term accumulator = ir::fresh(reduction.init.type(), "c");
  inner.inputs.insert(inner.inputs.begin(), NestInput{accumulators, all_dimensions(nest), accumulator});
  std::vector<Term> elements;
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read[i].dims.empty()) {  // the same for all elements of the nest
      elements.push_back(rows.elements[i]);
      continue;
    }
    const Term element = ir::fresh(inside_type(rows.elements[i].type(), read[i].dims.size()), "e");
    inner.inputs.push_back({rows.elements[i], read[i].dims, element});
    elements.push_back(element);
  }
  if (cut) {
    inner.body = ir::call(reduce.op, {}, {reduction.function, accumulator, reduction.data(elements)});
  } else {
    // One element: what prepares it is applied to arrays of one element each.
    inner.body = ir::apply(reduction.function, {accumulator, reduction.data(elements)});
  }
  drop_unused(inner);
  const Term body = ir::lambda(std::vector<Term>{accumulators, rows.variable}, to_term(inner));
  return ir::call(Op::ReduceSeq, {}, {body, start, rows.array});
}

/// What `take_apart` does to arrays, done to single elements of them.
std::function<Term(const std::vector<Term>&)> element_of(Term data, std::size_t& next) {
  const auto* call = data.as<ir::Call>();
  if (call != nullptr && call->op == Op::Zip) {
    std::vector<std::function<Term(const std::vector<Term>&)>> inside;
    for (Term each : call->arguments) inside.push_back(element_of(each, next));
    return [inside](const std::vector<Term>& elements) {
      std::vector<Term> made;
      for (const auto& each : inside) made.push_back(each(elements));
      return ir::tuple(std::move(made));
    };
  }
  if (call != nullptr && call->op == Op::Map && contains_loop(data)) {
    auto inside = element_of(call->arguments[1], next);
    return [inside, function = call->arguments[0]](const std::vector<Term>& elements) {
      return apply_once(function, {inside(elements)});
    };
  }
  return [at = next++](const std::vector<Term>& elements) { return elements[at]; };
}

enum class HoistBy : std::uint8_t { Elements, Chunks, GuardedChunks, Columns };

/// What fills up the last chunk of each part: zeros of which the data's elements are neutral, as the product
/// of two zeros in a sum. Nothing where that is not known.
std::optional<std::vector<Term>> neutral_filling(const ir::Call& reduce, const std::vector<Term>& parts) {
  std::vector<Term> zeros;
  for (Term part : parts) {
    zeros.push_back(zero_of(ir::element_of(part.type())));
    if (!zeros.back()) return std::nullopt;
  }
  std::size_t next = 0;
  const Term element = folded(element_of(reduce.arguments[2], next)(zeros));
  if (!ir::is_neutral(reduce.arguments[0], element)) return std::nullopt;
  return zeros;
}

/// The length of the rows that are put together to what is reduced.
Expr row_length(const std::vector<Term>& parts) {
  for (Term part : parts) {
    const auto* call = part.as<ir::Call>();
    if (call != nullptr && call->op == Op::Join) return ir::element_of(call->arguments[0].type())->size;
  }
  return {};
}

/// Cuts what is reduced into columns, which changes the order: declines where that is not known to be
/// allowed.
tl::expected<std::function<Term(Term, std::size_t)>, Declined> columns(const ir::Call& reduce,
                                                                       const std::vector<Term>& parts) {
  const Expr length = row_length(parts);
  if (!length) return declined("the array that is reduced is not made of rows that are joined");
  const ir::OperatorProperties properties = ir::operator_properties(reduce.arguments[0]);
  if (reduce.op != Op::Reduce || !properties.associative || !properties.commutative)
    return declined("its operator is not known to be associative and commutative");
  return
      [length](Term row, std::size_t) { return call1(Op::Transpose, {}, call1(Op::Split, {length}, row)); };
}

Outcome hoist(Term term, Context& context, HoistBy by) {
  const auto nest = nest_of(term);
  if (!nest) return declined("it is no map");
  std::vector<Term> found;
  find_reductions(nest->body, found);
  if (found.empty()) return declined("there is no reduction in its body");
  if (found.size() > 1) return declined(fmt::format("there are {} reductions in its body", found.size()));
  const auto& reduce = *found[0].as<ir::Call>();
  Reduction reduction{reduce.arguments[0], reduce.arguments[1], {}, {}};
  reduction.data = take_apart(reduce.arguments[2], reduction.parts);
  if (by == HoistBy::Elements) {
    std::size_t next = 0;
    reduction.data = element_of(reduce.arguments[2], next);
  }
  for (Term part : reduction.parts) {
    if (contains_loop(part))
      return declined("the array that is reduced is computed by a loop: " + ir::to_string(part));
  }
  Nest around = *nest;
  around.body = found[0];
  drop_unused(around);
  std::function<Term(Term, std::size_t)> into;
  if (by == HoistBy::Columns) {
    auto made = columns(reduce, reduction.parts);
    if (!made) return tl::unexpected(made.error());
    into = std::move(*made);
  } else if (by == HoistBy::Chunks) {
    into = [chunk = context.choose("k")](Term row, std::size_t) { return call1(Op::Split, {chunk}, row); };
  } else if (by == HoistBy::GuardedChunks) {
    const Expr length = reduce.arguments[2].type()->size;
    if (has_usual_chunks(length)) return declined("chunks of usual sizes divide what is reduced");
    const auto zeros = neutral_filling(reduce, reduction.parts);
    if (!zeros) return declined("zeros are not known to leave the reduced value as it is");
    const Expr chunk = context.choose("k");
    into = [chunk, more = missing(length, chunk), zeros = *zeros](Term row, std::size_t part) {
      return call1(Op::Split, {chunk}, ir::call(Op::PadValue, {0, more}, {zeros[part], row}));
    };
  }
  const Term sums = hoisted(around, reduce, reduction, into);
  if (nest->body == found[0]) return sums;
  Nest after = *nest;
  const Term sum = ir::fresh(found[0].type(), "sum");
  after.body = replaced(nest->body, found[0], sum);
  after.inputs.push_back({sums, all_dimensions(*nest), sum});
  drop_unused(after);
  return to_term(after);
}

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

}  // namespace

namespace {

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
                if (const std::string reason = misplaced(context, owner); !reason.empty())
                  return declined(reason);
                const auto nest = nest_of(term, dimensions);
                if (!nest || nest->rank() < dimensions)
                  return declined(fmt::format("it is no nest of {} maps", dimensions));
                return to_term(*nest, kinds_of(owner, dimensions));
              });
}

Strategy tile_accumulation(Tiling tiling) {
  return step(name_of("tileAccumulation", tiling),
              [=](Term term, Context& context) { return tile_accumulators(term, context, tiling); });
}

Strategy hoist_reduce() {
  return step("hoistReduce",
              [](Term term, Context& context) { return hoist(term, context, HoistBy::Elements); });
}
Strategy hoist_reduce_by_chunks() {
  return step("hoistReduceByChunks",
              [](Term term, Context& context) { return hoist(term, context, HoistBy::Chunks); });
}
Strategy hoist_reduce_by_guarded_chunks() {
  return step("hoistReduceByChunksGuarded",
              [](Term term, Context& context) { return hoist(term, context, HoistBy::GuardedChunks); });
}
Strategy hoist_reduce_by_columns() {
  return step("hoistReduceByColumns",
              [](Term term, Context& context) { return hoist(term, context, HoistBy::Columns); });
}

Strategy reorder_nest(std::vector<std::size_t> order) {
  return step(fmt::format("reorder({})", fmt::join(order, ",")),
              [order = std::move(order)](Term term, Context&) { return reorder(term, order); });
}

}  // namespace hoist::rewrite
