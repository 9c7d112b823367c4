// Copies into faster memory: `copy_to_local`, `copy_to_private`, `prefetch_copies`.
//
// A copy to local memory is a nest over the array by the work-items of the group. Which of them copies what
// is a matter of layout: `group_copy` moves the dimension whose neighbours are to be copied by neighbours to
// the inside, deals the elements out, and moves the dimensions back, so that the rest of the program reads
// the copy as it read the array. `prefetched` finds such copies at the beginning of a reduction's function
// and moves them one step ahead.
#include "rewrite/strategies/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "ir/inspect.hpp"
#include "rewrite/lengthening.hpp"
#include "rewrite/moving_windows.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/strategies/nests.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

ir::Type scalar_of(ir::Type type) { return ir::is_array(type) ? scalar_of(ir::element_of(type)) : type; }

using GroupLengths = std::array<Expr, 3>;

/// Notes how many work-items each mapLcl inside the term wants in its dimension; a dimension without one
/// stays empty.
void collect_lengths(Term term, GroupLengths& lengths, bool& has_group) {
  if (const auto* call = term.as<ir::Call>()) {
    if (call->op == Op::MapLocal) {
      Expr& length = lengths[static_cast<std::size_t>(*call->sizes[0].constant())];
      if (!length) length = call->arguments[1].type()->size;
    }
    has_group = has_group || call->op == Op::MapGroup;
  }
  for (Term child : ir::children(term)) collect_lengths(child, lengths, has_group);
}

/// The function of a map or reduction, opened, its last parameter in parts.
struct Opened {
  std::vector<Term> parameters;
  std::vector<Term> parts;  ///< components of the last parameter, or itself
  Term lambda;

  Term with_part(std::size_t part, Term value) const {
    std::vector<Term> arguments = parameters;
    if (parts.size() == 1) {
      arguments.back() = value;
    } else {
      std::vector<Term> components = parts;
      components[part] = value;
      arguments.back() = ir::tuple(std::move(components));
    }
    return ir::apply(lambda, arguments);
  }
};

Opened opened(Term lambda) {
  Opened result{ir::fresh_parameters(*lambda.as<ir::Lambda>()), {}, lambda};
  const Term last = result.parameters.back();
  if (ir::is_tuple(last.type())) {
    for (std::uint32_t i = 0; i < last.type()->elements.size(); ++i) result.parts.push_back(ir::get(i, last));
  } else {
    result.parts.push_back(last);
  }
  return result;
}

/// The function with the part replaced by a copy that is made first.
Term with_copy(const Opened& function, std::size_t part, Term copy, const char* name) {
  const Term variable = ir::fresh(copy.type(), name);
  const Term body =
      ir::let(copy, ir::lambda(std::vector<Term>{variable}, function.with_part(part, variable)));
  return ir::lambda(function.parameters, body, function.lambda.as<ir::Lambda>()->claims);
}

Term with_function(const ir::Call& call, Term function) {
  std::vector<Term> arguments = call.arguments;
  arguments[0] = function;
  return ir::call(call.op, call.sizes, std::move(arguments));
}

Term identity_map(Op op, std::vector<Expr> sizes, Term x, const std::function<Term(Term)>& inside) {
  const Term element = ir::fresh(ir::element_of(x.type()), "e");
  return ir::call(op, std::move(sizes), {ir::lambda(std::vector<Term>{element}, inside(element)), x});
}

/// Elements of an array of two dimensions or more copied by the group, a row by neighbours; loops where it is
/// longer than the group. A group of one dimension copies all rows as one.
Term copied_by_rows(Term rows, const GroupLengths& lengths) {
  const std::size_t rank = ir::rank_of(rows.type());
  const std::function<Term(Term, std::size_t)> copy_from = [&](Term x, std::size_t left) -> Term {
    if (left == 0) return x;
    const auto inside = [&](Term e) { return copy_from(e, left - 1); };
    const std::size_t dimension = left - 1;
    if (dimension > 2 || !lengths[dimension]) return identity_map(Op::MapSeq, {}, x, inside);
    return identity_map(Op::MapLocal, {static_cast<std::int64_t>(dimension)}, x, inside);
  };
  if (lengths[1]) return copy_from(rows, rank);
  return call1(Op::Split, {ir::element_of(rows.type())->size}, copy_from(call1(Op::Join, {}, rows), 1));
}

/// The same, as many by each work-item, in the order of memory.
Term copied_evenly(Term rows, const GroupLengths& lengths) {
  const Expr row_length = ir::element_of(rows.type())->size;
  Term dealt = call1(Op::Join, {}, rows);
  std::size_t dimensions = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!lengths[d]) break;
    dealt = call1(Op::Split, {lengths[d]}, dealt);
    ++dimensions;
  }
  dealt = move_dimension(dealt, 0, dimensions);
  const std::function<Term(Term, std::size_t)> copy = [&](Term x, std::size_t left) -> Term {
    if (left == 0) return identity_map(Op::MapSeqUnroll, {}, x, [](Term e) { return e; });
    return identity_map(Op::MapLocal, {static_cast<std::int64_t>(left - 1)}, x,
                        [&](Term e) { return copy(e, left - 1); });
  };
  Term flat = move_dimension(copy(dealt, dimensions), dimensions, 0);
  for (std::size_t d = 0; d < dimensions; ++d) flat = call1(Op::Join, {}, flat);
  return call1(Op::Split, {row_length}, flat);
}

/// Boxes as large as the group, of each element by the work-item in its place. Boxes that stick out are of an
/// array that is longer; what is not of the array is left out.
Term copied_in_boxes(Term x, const GroupLengths& lengths) {
  const std::size_t rank = ir::rank_of(x.type());
  std::vector<Expr> own, more;
  WindowsByDimension boxes;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t dimension = rank - 1 - d;
    const Expr items = dimension < lengths.size() && lengths[dimension] ? lengths[dimension] : Expr(1);
    own.push_back(inside_type(x.type(), d)->size);
    more.push_back(missing(own.back(), items));
    boxes.emplace_back(std::pair(items, items));
  }
  // [boxes][items] of each dimension; work-items outside of their rounds wait for nobody in between.
  Term dealt = windows_by_dimension(with_more(x, more), boxes);
  for (std::size_t d = 0; d < rank; ++d) dealt = move_dimension(dealt, rank + d, d);
  const std::function<Term(Term, std::size_t)> copy = [&](Term part, std::size_t left) -> Term {
    if (left == 0) return part;
    const auto inside = [&](Term e) { return copy(e, left - 1); };
    const std::size_t dimension = left - rank - 1;
    if (left <= rank || dimension >= lengths.size() || !lengths[dimension])
      return identity_map(Op::MapSeq, {}, part, inside);
    return identity_map(Op::MapLocal, {static_cast<std::int64_t>(dimension)}, part, inside);
  };
  Term copied = copy(dealt, 2 * rank);
  for (std::size_t d = rank; d-- > 0;) copied = move_dimension(copied, d, rank + d);
  return call1(Op::ToLocal, {}, shortened(joined_tiles(copied, rank), own));
}

/// All elements one after the other, as the array has them, each by the next work-item of the group.
Term copied_flat(Term x, const GroupLengths& lengths) {
  std::vector<Expr> rows;  ///< lengths of those that are joined
  for (std::size_t rank = ir::rank_of(x.type()); rank > 1; --rank) {
    rows.push_back(ir::element_of(x.type())->size);
    x = call1(Op::Join, {}, x);
  }
  const Expr count = x.type()->size;
  std::size_t dimensions = 0;
  Expr items = 1;
  while (dimensions < lengths.size() && lengths[dimensions]) items = items * lengths[dimensions++];
  // Whole rounds of the group; what the last of them has too many of is left out.
  Term dealt = with_more(x, {missing(count, items)});
  for (std::size_t d = 0; d < dimensions; ++d) dealt = call1(Op::Split, {lengths[d]}, dealt);
  const std::function<Term(Term, std::size_t)> copy = [&](Term part, std::size_t left) -> Term {
    if (left == 0) return part;
    return identity_map(Op::MapLocal, {static_cast<std::int64_t>(left - 1)}, part,
                        [&](Term e) { return copy(e, left - 1); });
  };
  Term flat = identity_map(Op::MapSeq, {}, dealt, [&](Term round) { return copy(round, dimensions); });
  for (std::size_t d = 0; d < dimensions; ++d) flat = call1(Op::Join, {}, flat);
  if (flat.type()->size != count) flat = call1(Op::Take, {count}, flat);
  for (std::size_t i = rows.size(); i-- > 0;) flat = call1(Op::Split, {rows[i]}, flat);
  return call1(Op::ToLocal, {}, flat);
}

/// The array in local memory.
Term group_copy(Term x, const GroupCopy& copy, const GroupLengths& lengths) {
  if (copy.order == CopyOrder::Flat) return copied_flat(x, lengths);
  if (copy.order == CopyOrder::Boxes) return copied_in_boxes(x, lengths);
  const bool is_even = copy.order == CopyOrder::Even;
  const std::size_t rank = ir::rank_of(x.type());
  const bool is_row = rank == 1;
  Term rows = move_dimension(x, copy.along, rank - 1);
  if (is_row) rows = call1(Op::Split, {rows.type()->size}, rows);
  std::vector<Expr> joined;
  if (copy.width > 1)
    rows = map_inside(rows, is_row ? 1 : rank - 1,
                      [&](Term row) { return call1(Op::AsVector, {copy.width}, row); });
  const std::size_t kept = lengths[2] && !is_even ? 3 : 2;
  for (std::size_t d = kept; d < rank; ++d) {
    joined.push_back(ir::element_of(rows.type())->size);
    rows = call1(Op::Join, {}, rows);
  }
  rows = is_even ? copied_evenly(rows, lengths) : copied_by_rows(rows, lengths);
  if (copy.width > 1)
    rows =
        map_inside(rows, ir::rank_of(rows.type()) - 1, [](Term row) { return call1(Op::AsScalar, {}, row); });
  if (is_row) return call1(Op::ToLocal, {}, call1(Op::Join, {}, rows));
  for (std::size_t d = joined.size(); d-- > 0;) rows = call1(Op::Split, {joined[d]}, rows);
  // Dimensions are those of x again; the stored one goes last for the copy's place in memory.
  Term stored = move_dimension(rows, rank - 1, copy.along);
  stored = move_dimension(stored, copy.stored, rank - 1);
  if (copy.pitch > 0 && rank == 2)
    stored = call1(Op::Pitch, {ir::element_of(stored.type())->size + copy.pitch}, stored);
  return move_dimension(call1(Op::ToLocal, {}, stored), rank - 1, copy.stored);
}

Outcome local_copy(Term term, const GroupCopy& copy) {
  const auto* call = term.as<ir::Call>();
  if (call == nullptr || (call->op != Op::MapGroup && call->op != Op::ReduceSeq))
    return declined("it is neither mapWrg nor reduceSeq");
  GroupLengths lengths;
  bool has_group = false;
  collect_lengths(call->arguments[0], lengths, has_group);
  if (has_group) return declined("there are maps over groups inside");
  if (!lengths[0]) return declined("there is no mapLcl inside");
  const Opened function = opened(call->arguments[0]);
  if (copy.part >= function.parts.size())
    return declined(fmt::format("its function reads no array {} (counted from 0)", copy.part));
  const Term part = function.parts[copy.part];
  const std::size_t rank = ir::rank_of(part.type());
  if (rank == 0 || copy.along >= rank || copy.stored >= rank)
    return declined(fmt::format("the array to copy has rank {}, too few dimensions", rank));
  if (copy.width > 1 && !ir::is_scalar(scalar_of(part.type())))
    return declined("only scalars are copied as vectors");
  return with_function(*call, with_copy(function, copy.part, group_copy(part, copy, lengths), "tile"));
}

bool mentions_any(Term term, const std::vector<Term>& variables) {
  return std::any_of(variables.begin(), variables.end(), [&](Term each) { return mentions(term, each); });
}

Outcome private_copy(Term term, std::size_t index, std::int64_t width) {
  const auto* call = term.as<ir::Call>();
  if (call == nullptr || (call->op != Op::ReduceSeq && call->op != Op::ReduceSeqUnroll))
    return declined("it is no reduceSeq");
  if (ir::has_parallel_map(call->arguments[0])) return declined("there are parallel maps inside");
  const Opened function = opened(call->arguments[0]);
  if (index >= function.parts.size())
    return declined(fmt::format("its function reads no array {} (counted from 0)", index));
  const Term part = function.parts[index];
  if (ir::rank_of(part.type()) != 1) return declined("the array to copy does not have one dimension");
  if (width > 1 && !ir::is_scalar(scalar_of(part.type())))
    return declined("only scalars are copied as vectors");
  Term copy = width > 1 ? call1(Op::AsVector, {width}, part) : part;
  copy = call1(Op::ToPrivate, {}, identity_map(Op::MapSeq, {}, copy, [](Term e) { return e; }));
  if (width > 1) copy = call1(Op::AsScalar, {}, copy);
  return with_function(*call, with_copy(function, index, copy, "held"));
}

/// A copy that a strategy above made: what is kept in memory, and the layouts that it is read through.
struct Copy {
  Term kept;
  std::function<Term(Term)> read;
};

std::optional<Copy> as_copy(Term value) {
  const auto* call = value.as<ir::Call>();
  if (call == nullptr) return std::nullopt;
  if (call->op == Op::ToLocal || call->op == Op::ToPrivate)
    return Copy{value, [](Term kept) { return kept; }};
  if (!ir::is_view(call->op) && call->op != Op::Map) return std::nullopt;
  auto inside = as_copy(call->arguments.back());
  if (!inside) return std::nullopt;
  return Copy{inside->kept, [read = inside->read, call](Term kept) {
                std::vector<Term> arguments = call->arguments;
                arguments.back() = read(kept);
                return ir::call(call->op, call->sizes, std::move(arguments));
              }};
}

Outcome prefetched(Term term) {
  const auto* call = term.as<ir::Call>();
  if (call == nullptr || (call->op != Op::ReduceSeq && call->op != Op::ReduceSeqUnroll))
    return declined("it is no reduceSeq");
  const Opened function = opened(call->arguments[0]);
  Term body = ir::apply(call->arguments[0], function.parameters);
  std::vector<Term> kept, variables;
  while (const auto* let = body.as<ir::Let>()) {
    const auto copy = as_copy(let->value);
    if (!copy) break;
    kept.push_back(copy->kept);
    variables.push_back(ir::fresh(copy->kept.type(), "ahead"));
    body = ir::apply(let->body, {copy->read(variables.back())});
  }
  if (kept.empty()) return declined("its function does not begin with a copy");
  const Term accumulator = function.parameters[0], element = function.parameters[1];
  if (mentions(body, element)) return declined("its function also reads elements that are not copied");
  for (Term each : kept) {
    if (mentions(each, accumulator)) return declined("what is copied depends on the accumulator");
    if (mentions_any(each, variables)) return declined("one copy is made of another copy");
  }
  const Term made = kept.size() == 1 ? kept[0] : ir::tuple(kept);
  const Term ahead =
      ir::call(Op::Prefetch, {2}, {ir::lambda(std::vector<Term>{element}, made), call->arguments[2]});
  const Term next = ir::fresh(made.type(), "ahead");
  std::vector<std::pair<Term, Term>> held;
  for (std::uint32_t i = 0; i < variables.size(); ++i)
    held.emplace_back(variables[i], variables.size() == 1 ? next : ir::get(i, next));
  const Term step_function =
      ir::lambda(std::vector<Term>{accumulator, next}, ir::substitute_free(body, held));
  return ir::call(call->op, {}, {step_function, call->arguments[1], ahead});
}

const char* suffix_of(CopyOrder order) {
  switch (order) {
    case CopyOrder::Rows:
      return "";
    case CopyOrder::Even:
      return ",even";
    case CopyOrder::Boxes:
      return ",boxes";
    case CopyOrder::Flat:
      return ",flat";
  }
  throw Bug("an order of copies without a name");
}

}  // namespace

Strategy copy_to_local(GroupCopy copy) {
  std::string name = fmt::format("toLocal({},{},{},{},{}{})", copy.part, copy.along, copy.width, copy.stored,
                                 copy.pitch, suffix_of(copy.order));
  return step(std::move(name), [copy](Term term, Context&) { return local_copy(term, copy); });
}
Strategy copy_to_private(std::size_t part, std::int64_t width) {
  return step(fmt::format("toPrivate({},{})", part, width),
              [=](Term term, Context&) { return private_copy(term, part, width); });
}
Strategy prefetch_copies() {
  return step("prefetch", [](Term term, Context&) { return prefetched(term); });
}

}  // namespace hoist::rewrite
