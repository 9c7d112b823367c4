#pragma once
// Strategies by name, as `hoist rewrite --strategy` takes them: `fuse`, `tile(2,[?a,?b])`.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "rewrite/strategies/loops.hpp"
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

struct StrategyEntry {
  std::string_view name;
  std::string_view signature;      ///< "tile(dimensions, [sizes])"
  std::string_view documentation;  ///< one line
  bool is_local;  ///< works at one place, which must be found or named; else on a whole program
};
std::span<const StrategyEntry> all_strategies();

struct NamedStrategy {
  const StrategyEntry* entry;
  Strategy strategy;
  std::vector<arith::Expr> choices;  ///< the sizes that were given, in order
};
/// "16,?t": sizes for rules to choose. User error: a part that is no size.
Result<std::vector<arith::Expr>> sizes_from_text(const std::string& text);
/// User errors: an unknown name, wrong arguments.
Result<NamedStrategy> strategy_from_text(const std::string& text);
/// What a step of blockLoops says of its nest. User errors: it is another one, or its arguments are wrong.
Result<Blocking> blocking_from_text(const std::string& text);

}  // namespace hoist::rewrite
