#pragma once
// Strategies: functions from a term to a rewritten term or a reason for declining, and their combinators. A
// strategy that declines has changed nothing: neither the term nor the context's trace, choices and place.
#include <functional>
#include <string>
#include <vector>

#include "rewrite/rule.hpp"

namespace hoist::rewrite {

using Strategy = std::function<Outcome(ir::Term, Context&)>;

// ---- At the term itself.
Strategy rule(const Rule& rule);
/// By name; a Bug if Hoist has no such rule.
Strategy rule(std::string_view name);
/// The first of these rules that fires; they are looked up by the head of the term.
Strategy any_of(const std::vector<std::string_view>& names);
Strategy identity();
Strategy decline(std::string reason);
/// First the one, then the other on its result; declines as a whole when either does.
Strategy then(Strategy first, Strategy second);
Strategy all_of(std::vector<Strategy> strategies);
/// The second where the first declines; declines with both reasons.
Strategy or_else(Strategy first, Strategy second);
/// Never declines.
Strategy attempt(Strategy strategy);
/// As often as it succeeds, `bound` times at the most; declines if it never did.
Strategy repeat(Strategy strategy, std::size_t bound);

// ---- Somewhere inside.
/// At the outermost place, leftmost first, where it succeeds.
Strategy top_down(Strategy strategy);
/// At the innermost place, leftmost first, where it succeeds.
Strategy bottom_up(Strategy strategy);
/// Once at every place where it succeeds, from the inside to the outside; declines where it is nowhere.
Strategy everywhere(Strategy strategy);
/// On the body of the innermost function of `depth` maps nested directly in each other: 1 is the function of
/// the term.
Strategy under_maps(std::size_t depth, Strategy strategy);
Strategy at_path(Path path, Strategy strategy);

/// A subterm on which a strategy succeeds by itself, and the path that leads to it.
struct Redex {
  Path path;
  ir::Term term;
};
/// All of them in a term, outer ones before inner ones.
std::vector<Redex> redexes(ir::Term term, const Strategy& strategy, const Context& context);

/// The strategy on a whole program. The trace says what was done.
struct Rewritten {
  ir::Program program;
  Trace trace;
};
tl::expected<Rewritten, Declined> rewrite(const ir::Program& program, const Strategy& strategy,
                                          std::vector<arith::Expr> choices = {});

}  // namespace hoist::rewrite
