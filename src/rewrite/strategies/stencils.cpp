#include "rewrite/strategies/stencils.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rewrite/lengthening.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/stencil.hpp"
#include "rewrite/strategies/nests.hpp"
#include "rewrite/streaming.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

/// Who computes the elements of a nest here: work-items, or those of the group around; nothing inside of
/// them.
std::optional<Op> owner_of(const Context& context) {
  if (context.unshared > 0) return std::nullopt;
  Op owner = Op::MapGlobal;
  for (const auto& [op, dimension] : context.enclosing) {
    if (op == Op::MapGlobal || op == Op::MapLocal) return std::nullopt;
    if (op == Op::MapGroup) owner = Op::MapLocal;
  }
  if (owner == Op::MapGlobal && !context.enclosing.empty()) return std::nullopt;
  return owner;
}

/// x |> map(row => row |> map(f) |> layout) is the nest without the layout, and the layout of its rows.
Term without_inner_layouts(Term term, std::vector<Op>& layouts) {
  const auto* outer = term.as<ir::Call>();
  if (outer == nullptr || outer->op != Op::Map) return term;
  const Term element = ir::fresh(outer->arguments[0].as<ir::Lambda>()->parameters[0], "e");
  Term body = ir::apply(outer->arguments[0], {element});
  for (const auto* call = body.as<ir::Call>(); call != nullptr; call = body.as<ir::Call>()) {
    if (call->op != Op::Unzip && call->op != Op::Transpose) break;
    layouts.insert(layouts.begin(), call->op);
    body = call->arguments[0];
  }
  return ir::call(Op::Map, {}, {ir::lambda(std::vector<Term>{element}, body), outer->arguments[1]});
}

Outcome stream(Term term, Context& context, std::int64_t width, bool is_guarded) {
  const auto owner = owner_of(context);
  if (!owner) return declined("maps over work-items must be outermost, or directly inside a map over groups");
  std::vector<Op> layouts;
  const auto nest = nest_of(without_inner_layouts(term, layouts));
  if (!nest) return declined("it is no map");
  std::vector<Expr> more;
  for (Expr length : nest->lengths)
    more.push_back(is_multiple_of_usual_tile(length) ? Expr(0) : missing(length, usual_tile));
  if (is_guarded && std::all_of(nest->lengths.begin(), nest->lengths.end(), is_multiple_of_usual_tile))
    return declined("usual widths and rows divide all dimensions");
  const Outcome result = streamed(is_guarded ? lengthened(*nest, more) : *nest, width, *owner,
                                  [&] { return context.choose("rows"); });
  if (!result) return result;
  return map_inside(is_guarded ? shortened(*result, nest->lengths) : *result, layouts.empty() ? 0 : 1,
                    [&](Term row) {
                      for (const Op layout : layouts) row = call1(layout, {}, row);
                      return row;
                    });
}

Outcome windows_as_vectors(Term term, std::int64_t width) {
  const auto found = as_windows(term, 1);
  if (!found) return declined("it is no slide");
  const Bordered bordered = without_borders(found->data, 1);
  const Border& border = bordered.borders[0];
  const auto before = border.before.constant(), after = border.after.constant();
  if (!before || !after) return declined("the padding is not a known number of elements");
  if (found->windows[0] != std::pair(Expr(*before + width + *after), Expr(width)))
    return declined(fmt::format(
        "its windows do not consist of {} elements and the padding before and after them", width));
  if (!ir::is_scalar(ir::element_of(bordered.data.type())))
    return declined("only scalars are read as vectors");
  const Expr length = bordered.data.type()->size;
  std::vector<Term> parts;
  if (*before > 0) {
    const Term line = call1(Op::Take, {length}, with_border(bordered.data, border, *before, 0));
    parts.push_back(map_inside(call1(Op::Split, {width}, line), 1,
                               [&](Term chunk) { return call1(Op::Take, {*before}, chunk); }));
  }
  const std::size_t middle = parts.size();
  parts.push_back(call1(Op::AsVector, {width}, bordered.data));
  if (*after > 0) {
    const Term line = call1(Op::Drop, {*after}, with_border(bordered.data, border, 0, *after));
    parts.push_back(map_inside(call1(Op::Split, {width}, line), 1,
                               [&](Term chunk) { return call1(Op::Drop, {width - *after}, chunk); }));
  }
  return map_inside(zip(parts), 1, [&](Term chunk) {
    Term window;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Term part = part_of(chunk, i, parts.size());
      if (i == middle) part = call1(Op::AsScalar, {}, single(part));
      window = i == 0 ? part : ir::call(Op::Concat, {}, {window, part});
    }
    return window;
  });
}

}  // namespace

Strategy vector_windows(std::int64_t width) {
  return step(fmt::format("vectorWindows({})", width),
              [=](Term term, Context&) { return windows_as_vectors(term, width); });
}

Strategy stream_windows(std::int64_t width, bool is_guarded) {
  return step(fmt::format("streamWindows{}({})", is_guarded ? "Guarded" : "", width),
              [=](Term term, Context& context) { return stream(term, context, width, is_guarded); });
}

}  // namespace hoist::rewrite
