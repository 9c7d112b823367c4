#pragma once
// Where a rule is applied, and what a derivation accumulates.
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <unordered_set>
#include <vector>

#include "ir/term.hpp"
#include "rewrite/trace.hpp"

namespace hoist::rewrite {

/// Why nothing was rewritten.
struct Declined {
  std::string reason;
};
using Outcome = tl::expected<ir::Term, Declined>;
inline tl::unexpected<Declined> declined(std::string reason) {
  return tl::unexpected(Declined{std::move(reason)});
}

struct Context {
  /// For rewriting this program, whose parameters ?t keep their names.
  explicit Context(ir::Term program);

  Path path;  ///< of the term at hand
  std::vector<std::pair<ir::Op, arith::Expr>>
      enclosing;              ///< maps and reductions around it, with their dimensions
  std::size_t open_maps = 0;  ///< maps around it that nothing is decided of
  /// Conditions and their branches around it, functions of patterns that are neither (generate, mapRange,
  /// gather, ...), and what maps over groups or all work-items and reductions by a group read: what is in
  /// them is computed where it is read, so nothing of it can be shared out.
  std::size_t unshared = 0;
  std::vector<arith::Expr> choices;  ///< values for the next sizes that rules choose; parameters when used up
  Trace trace;

  /// The value of a size that a rule chooses: the next choice, or a parameter that nothing has yet: ?t, ?t2,
  /// ...
  arith::Expr choose(const std::string& name);

 private:
  ir::Term program_;
  std::optional<std::unordered_set<std::string>> used_;  ///< names of parameters, once one is to be chosen
};

/// Whether a parallel map of this kind may stand here around this function: work-groups and global work-items
/// on their own, local work-items inside a work-group, each dimension once. The reason if not, else empty.
std::string hierarchy_conflict(const Context& context, ir::Op op, arith::Expr dimension, ir::Term function);

}  // namespace hoist::rewrite
