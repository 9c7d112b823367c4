#include "rewrite/strategies/loops.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewrite/nest.hpp"
#include "rewrite/strategies/nests.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

/// Vectors that sums take of a processor's registers, and copies of what computes an element in a body.
constexpr std::int64_t most_sums = 32, most_copies = 128;

/// A nest of scalars and how many maps it is of.
struct Loops {
  Term term;
  std::vector<Expr> lengths;  ///< of the maps
  Term body;
};

tl::expected<Loops, Declined> loops_of(Term term, const Context& context) {
  if (!context.enclosing.empty() || context.open_maps > 0 || context.unshared > 0)
    return declined("it is inside another pattern");
  const auto nest = nest_of(term);
  if (!nest) return declined("it is no map");
  if (!ir::is_scalar(nest->body.type())) return declined("its elements are no scalars");
  std::vector<MapKind> kinds(nest->rank(), MapKind{Op::MapSeq});
  kinds[0] = MapKind{Op::MapGlobal, 0};
  return Loops{to_term(*nest, kinds), nest->lengths, nest->body};
}

/// Of the first reduction in a term; nothing where there is none, or of no constant length.
std::optional<std::int64_t> length_of_reduction(Term term) {
  if (const auto* call = term.as<ir::Call>(); call && ir::is_reduce(call->op))
    return call->arguments.back().type()->size.constant();
  for (const Term child : ir::children(term)) {
    if (const auto length = length_of_reduction(child)) return length;
  }
  return std::nullopt;
}

Outcome ordered(Term term, Context& context, std::size_t lanes_of, std::int64_t width,
                std::vector<std::int64_t> lengths) {
  auto loops = loops_of(term, context);
  if (!loops) return tl::unexpected(loops.error());
  const std::size_t maps = loops->lengths.size();
  if (lengths.size() < maps || lanes_of == 0 || lanes_of > lengths.size())
    return declined("it has other loops");
  // What was found for some lengths of the maps may serve others.
  std::int64_t reduced = 1;
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    if (l >= maps) {
      reduced *= lengths[l];
      continue;
    }
    const auto length = loops->lengths[l].constant();
    if (!length || *length == 1) return declined("a map has no loop");
    lengths[l] = *length;
  }
  if (lengths.size() > maps && length_of_reduction(loops->body) != reduced)
    return declined("its reduction has another length");
  if (lengths[lanes_of - 1] % width != 0) return declined("lanes do not divide their loop");
  Term result = call1(Op::LoopLanes, {static_cast<std::int64_t>(lanes_of), width}, loops->term);
  Expr sums = 1, copies = 1;
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    const std::int64_t rounds = lengths[l] / (l + 1 == lanes_of ? width : 1);
    if (rounds == 1) continue;
    const Expr jam = context.choose("jam");
    result = call1(Op::LoopJam, {static_cast<std::int64_t>(l + 1), rounds, jam}, result);
    if (l < maps) sums = sums * jam;
    copies = copies * jam;
  }
  result = call1(Op::LoopLimit, {sums, most_sums}, result);
  result = call1(Op::LoopLimit, {copies, most_copies}, result);
  for (std::size_t left = lengths.size(); left > 1; --left)
    result = call1(Op::LoopAt, {context.choose("at"), static_cast<std::int64_t>(left)}, result);
  return result;
}

}  // namespace

Strategy order_loops(std::size_t lanes_of, std::int64_t width, std::vector<std::int64_t> lengths) {
  std::string name = fmt::format("orderLoops({},{},{})", lanes_of, width, fmt::join(lengths, ","));
  return step(std::move(name), [=, lengths = std::move(lengths)](Term term, Context& context) {
    return ordered(term, context, lanes_of, width, lengths);
  });
}

Strategy plain_loops() {
  return step("plainLoops", [](Term term, Context& context) -> Outcome {
    auto loops = loops_of(term, context);
    if (!loops) return tl::unexpected(loops.error());
    return loops->term;
  });
}

}  // namespace hoist::rewrite
