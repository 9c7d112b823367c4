#pragma once
// Work inside a function that does not depend on its parameters is done once for all its runs, where the
// first run reaches it: so nothing is evaluated that the program would not evaluate, and
// `x |> map(e => e / sum(x))` takes linear time.
#include <memory>
#include <unordered_map>
#include <vector>

#include "interpret/machine.hpp"
#include "ir/term.hpp"

namespace hoist::interpret {

/// Which bound variables terms mention.
class LooseVariables {
 public:
  /// De Bruijn indices that point outside the term, ascending.
  const std::vector<std::uint32_t>& of(ir::Term term);

 private:
  std::unordered_map<ir::Term, std::vector<std::uint32_t>> known_;
};

/// Counts the runs of the block it begins, in the integer at `counter`.
std::unique_ptr<Step> count_runs_step(FrameIndex counter);
/// Runs the block unless it has run since the counter changed: what it computed is still there.
std::unique_ptr<Step> once_step(FrameIndex counter, Block block);

}  // namespace hoist::interpret
