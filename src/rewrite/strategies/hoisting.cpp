// Macro rules on nests of maps around a reduction. Each reads the nest (`reducing_nest`), what the reduction
// reads being taken apart into arrays (`take_apart`), and cuts those along the dimension that is reduced.
//
//   hoist_reduce       the reduction inside a nest becomes a reduction around it (`hoisted`), whose
//                      accumulators are an array with the nest's dimensions; by chunks or by columns where
//                      several elements are to be reduced inside
//   split_reduction    groups do the nest with a chunk of what is reduced each; then what they leave is
//                      reduced
#include "rewrite/strategies/hoisting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/print.hpp"
#include "ir/reduction.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/lengthening.hpp"
#include "rewrite/literals.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/sharing.hpp"
#include "rewrite/strategies/nests.hpp"
#include "rewrite/strategies/reductions.hpp"
#include "rewrite/windows.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

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

/// What cuts an array that is reduced, by the number of the part, into what one step of a loop reads.
using CutRow = std::function<Term(Term, std::size_t)>;

/// What a nest reads of the parts in one step of a loop, or in one group of several, around it.
struct OneStep {
  Zipped rows;                    ///< the parts, with the dimension that is reduced outermost
  std::vector<NestInput> inputs;  ///< of the nest, in this step
  std::vector<Term> elements;     ///< of the parts, as terms of the inputs' elements
};

OneStep one_step(const Nest& nest, const Reduction& reduction, const CutRow& cut) {
  std::vector<NestInput> read;
  std::vector<Term> arrays;
  for (std::size_t i = 0; i < reduction.parts.size(); ++i) {
    NestInput input = input_of(nest, reduction.parts[i]);
    const std::size_t place = input.dims.size();
    if (cut) input.array = map_inside(input.array, place, [&](Term row) { return cut(row, i); });
    arrays.push_back(move_dimension(input.array, place, 0));
    read.push_back(std::move(input));
  }
  OneStep step{zipped(arrays, "part"), {}, {}};
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read[i].dims.empty()) {  // the same for all elements of the nest
      step.elements.push_back(step.rows.elements[i]);
      continue;
    }
    const Term element = ir::fresh(inside_type(step.rows.elements[i].type(), read[i].dims.size()), "e");
    step.inputs.push_back({step.rows.elements[i], read[i].dims, element});
    step.elements.push_back(element);
  }
  return step;
}

/// The reduction over the parts' outermost dimension of arrays that are nests; over what `cut` makes of each
/// part, by its number, which is then reduced inside, where there is one.
Term hoisted(const Nest& nest, const ir::Call& reduce, const Reduction& reduction, const CutRow& cut) {
  const OneStep step = one_step(nest, reduction, cut);
  const Term start = filled(nest, reduction.init);
  const Term accumulators = ir::fresh(start.type(), "acc");
  Nest inner = nest;
  const Term accumulator = ir::fresh(reduction.init.type(), "c");
  inner.inputs.insert(inner.inputs.begin(), NestInput{accumulators, all_dimensions(nest), accumulator});
  inner.inputs.insert(inner.inputs.end(), step.inputs.begin(), step.inputs.end());
  if (cut) {
    inner.body = ir::call(reduce.op, {}, {reduction.function, accumulator, reduction.data(step.elements)});
  } else {
    // One element: what prepares it is applied to arrays of one element each.
    inner.body = ir::apply(reduction.function, {accumulator, reduction.data(step.elements)});
  }
  drop_unused(inner);
  const Term body = ir::lambda(std::vector<Term>{accumulators, step.rows.variable}, to_term(inner));
  return ir::call(Op::ReduceSeq, {}, {body, start, step.rows.array});
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

/// A row of a part made longer by some elements.
using FillRow = std::function<Term(Term row, std::size_t part, Expr more)>;

FillRow with_values(std::vector<Term> values) {
  return [values = std::move(values)](Term row, std::size_t part, Expr more) {
    return ir::call(Op::PadValue, {0, more}, {values[part], row});
  };
}

/// A value of what a reduction reads, as values of the parts that it zips. Whether it only zips.
bool take_apart_value(Term data, Term value, std::vector<Term>& values) {
  const auto* call = data.as<ir::Call>();
  if (call != nullptr && call->op == Op::Map && contains_loop(data)) return false;
  if (call == nullptr || call->op != Op::Zip) {
    values.push_back(value);
    return true;
  }
  const auto* components = value.as<ir::Tuple>();
  if (components == nullptr) return false;
  for (std::size_t i = 0; i < call->arguments.size(); ++i) {
    if (!take_apart_value(call->arguments[i], components->components[i], values)) return false;
  }
  return true;
}

/// Fills up the last chunk so that what is reduced stays as it is: with zeros of which the data's elements
/// are neutral, as the product of two zeros in a sum; with the last element again, where the operator is
/// idempotent, whatever is computed of it; with the neutral element, where it is of the parts' values.
/// Nothing where none of these is known.
std::optional<FillRow> neutral_filling(const ir::Call& reduce, const std::vector<Term>& parts) {
  std::vector<Term> zeros;
  for (Term part : parts) zeros.push_back(zero_of(ir::element_of(part.type())));
  if (std::ranges::all_of(zeros, [](Term zero) { return static_cast<bool>(zero); })) {
    std::size_t next = 0;
    const Term element = folded(element_of(reduce.arguments[2], next)(zeros));
    if (ir::is_neutral(reduce.arguments[0], element)) return with_values(std::move(zeros));
  }
  if (ir::operator_properties(reduce.arguments[0]).idempotent)
    return [](Term row, std::size_t, Expr more) { return with_border(row, {}, 0, more); };
  const Term neutral = ir::neutral_element(reduce.arguments[0]);
  std::vector<Term> values;
  if (neutral && take_apart_value(reduce.arguments[2], neutral, values))
    return with_values(std::move(values));
  return std::nullopt;
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
tl::expected<CutRow, Declined> columns(const ir::Call& reduce, const std::vector<Term>& parts) {
  const Expr length = row_length(parts);
  if (!length) return declined("the array that is reduced is not made of rows that are joined");
  const ir::OperatorProperties properties = ir::operator_properties(reduce.arguments[0]);
  if (reduce.op != Op::Reduce || !properties.associative || !properties.commutative)
    return declined("its operator is not known to be associative and commutative");
  return
      [length](Term row, std::size_t) { return call1(Op::Transpose, {}, call1(Op::Split, {length}, row)); };
}

/// A nest whose body computes one reduction, and that taken apart.
struct ReducingNest {
  Nest nest;    ///< whose body is the reduction
  Nest whole;   ///< whose body does something with the reduced value, too
  Term reduce;  ///< the reduction
  Reduction reduction;

  const ir::Call& call() const { return *reduce.as<ir::Call>(); }
};

tl::expected<ReducingNest, Declined> reducing_nest(Term term) {
  auto nest = nest_of(term);
  if (!nest) return declined("it is no map");
  std::vector<Term> found;
  find_reductions(nest->body, found);
  if (found.empty()) return declined("there is no reduction in its body");
  if (found.size() > 1) return declined(fmt::format("there are {} reductions in its body", found.size()));
  const auto& reduce = *found[0].as<ir::Call>();
  Reduction reduction{reduce.arguments[0], reduce.arguments[1], {}, {}};
  reduction.data = take_apart(reduce.arguments[2], reduction.parts);
  for (Term part : reduction.parts) {
    if (contains_loop(part))
      return declined("the array that is reduced is computed by a loop: " + ir::to_string(part));
  }
  Nest around = *nest;
  around.body = found[0];
  drop_unused(around);
  return ReducingNest{std::move(around), std::move(*nest), found[0], std::move(reduction)};
}

/// Chunks of a chosen size that divide what is reduced.
CutRow into_chunks(Context& context, const std::string& name) {
  return [chunk = context.choose(name)](Term row, std::size_t) { return call1(Op::Split, {chunk}, row); };
}

/// Chunks of a chosen size, the last of them filled up; declines where usual ones divide what is reduced.
tl::expected<CutRow, Declined> into_guarded_chunks(const ReducingNest& reducing, Context& context,
                                                   const std::string& name) {
  const Expr length = reducing.call().arguments[2].type()->size;
  if (has_usual_chunks(length)) return declined("chunks of usual sizes divide what is reduced");
  const auto filled_up = neutral_filling(reducing.call(), reducing.reduction.parts);
  if (!filled_up) return declined("no elements are known to leave the reduced value as it is");
  const Expr chunk = context.choose(name);
  return [chunk, more = missing(length, chunk), fill = *filled_up](Term row, std::size_t part) {
    return call1(Op::Split, {chunk}, fill(row, part, more));
  };
}

Outcome hoist(Term term, Context& context, HoistBy by) {
  auto reducing = reducing_nest(term);
  if (!reducing) return tl::unexpected(reducing.error());
  const ir::Call& reduce = reducing->call();
  if (by == HoistBy::Elements) {
    std::size_t next = 0;
    reducing->reduction.data = element_of(reduce.arguments[2], next);
  }
  CutRow into;
  if (by == HoistBy::Columns) {
    auto made = columns(reduce, reducing->reduction.parts);
    if (!made) return tl::unexpected(made.error());
    into = std::move(*made);
  } else if (by == HoistBy::Chunks) {
    into = into_chunks(context, "k");
  } else if (by == HoistBy::GuardedChunks) {
    auto made = into_guarded_chunks(*reducing, context, "k");
    if (!made) return tl::unexpected(made.error());
    into = std::move(*made);
  }
  const Term sums = hoisted(reducing->nest, reduce, reducing->reduction, into);
  if (reducing->whole.body == reducing->reduce) return sums;
  Nest after = reducing->whole;
  const Term sum = ir::fresh(reducing->reduce.type(), "sum");
  after.body = replaced(after.body, reducing->reduce, sum);
  after.inputs.push_back({sums, all_dimensions(after), sum});
  drop_unused(after);
  return to_term(after);
}

/// How many elements a nest has, where that is known.
std::optional<std::int64_t> elements_of(const Nest& nest) { return arith::product(nest.lengths).constant(); }

/// The kernel that reduces what groups left of each element of a nest, `parts` ([chunks] and the nest's
/// dimensions).
Term reduction_of_parts(const ReducingNest& reducing, Term parts) {
  // Fewer elements leave most of the processor idle, and one work-item waits for each value of many: then a
  // group of a warp's size reduces those of an element, if in any order.
  constexpr std::int64_t enough_items = 16384;
  constexpr std::int64_t group_of_element = 32;
  const bool by_group = elements_of(reducing.whole).value_or(enough_items) < enough_items &&
                        ir::operator_properties(reducing.reduction.function).commutative;
  Nest after = reducing.whole;
  const std::size_t rank = after.rank();
  const Term own = ir::fresh(ir::array_type(parts.type()->size, inside_type(parts.type(), 1 + rank)), "own");
  const Term function = reducing.reduction.function, init = reducing.reduction.init;
  const Term total = by_group
                         ? apply_once(function, {init, reduced_by_group(function, own, group_of_element)})
                         : ir::call(Op::Reduce, {}, {function, init, own});
  after.body = replaced(after.body, reducing.reduce, total);
  after.inputs.push_back({move_dimension(parts, 0, rank), all_dimensions(after), own});
  drop_unused(after);
  return to_term(after, kinds_of(by_group ? TileOwner::Group : TileOwner::WorkItem, rank));
}

Outcome split(Term term, Context& context, SplitBounds bounds, bool is_guarded) {
  if (!context.enclosing.empty() || context.open_maps > 0 || context.unshared > 0)
    return declined("it is inside another pattern");
  const auto reducing = reducing_nest(term);
  if (!reducing) return tl::unexpected(reducing.error());
  const Term function = reducing->reduction.function;
  if (reducing->call().op != Op::Reduce || !ir::operator_properties(function).associative)
    return declined("its operator is not known to be associative");
  const Term neutral = ir::neutral_element(function);
  if (!neutral) return declined("no neutral element of its operator is known");
  const Expr length = reducing->call().arguments[2].type()->size;
  if (length.constant().value_or(bounds.least_length) < bounds.least_length)
    return declined(fmt::format("it reduces fewer than {} elements", bounds.least_length));
  if (elements_of(reducing->whole).value_or(0) > bounds.most_outputs)
    return declined(fmt::format("its more than {} elements fill the processor", bounds.most_outputs));
  CutRow into;
  if (is_guarded) {
    auto made = into_guarded_chunks(*reducing, context, "part");
    if (!made) return tl::unexpected(made.error());
    into = std::move(*made);
  } else {
    into = into_chunks(context, "part");
  }
  const OneStep chunk = one_step(reducing->nest, reducing->reduction, into);
  Nest inner = reducing->nest;
  inner.inputs.insert(inner.inputs.end(), chunk.inputs.begin(), chunk.inputs.end());
  inner.body = ir::call(Op::Reduce, {}, {function, neutral, reducing->reduction.data(chunk.elements)});
  drop_unused(inner);
  constexpr std::int64_t dimension_of_chunks = 2;
  const Term of_chunk = ir::lambda(std::vector<Term>{chunk.rows.variable}, to_term(inner));
  const Term parts =
      call1(Op::ToGlobal, {}, map_call({Op::MapGroup, dimension_of_chunks}, of_chunk, chunk.rows.array));
  const Term stored = ir::fresh(parts.type(), "parts");
  return ir::let(parts, ir::lambda(std::vector<Term>{stored}, reduction_of_parts(*reducing, stored)));
}

}  // namespace

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

Strategy split_reduction(SplitBounds bounds) {
  return step("splitReduction",
              [=](Term term, Context& context) { return split(term, context, bounds, false); });
}
Strategy split_reduction_guarded(SplitBounds bounds) {
  return step("splitReductionGuarded",
              [=](Term term, Context& context) { return split(term, context, bounds, true); });
}

}  // namespace hoist::rewrite
