#pragma once
// The loops of a function, found by its back edges.
#include <vector>

#include "assembly/instruction.hpp"

namespace hoist::assembly {

struct Loop {
  /// Indices into the function's instructions, without those of loops inside: from the header on in the
  /// text's order, then what of the loop stands before its header.
  std::vector<std::size_t> instructions;
  std::size_t depth = 1;  ///< of the loops of its function that it is in, itself included
};

/// The natural loops, each inside of others before these. An edge of the control-flow graph
/// is a back edge where its target dominates its source, wherever in the text that stands. Loops of one
/// header are nested where one lies in the other, as when compilers leave nothing between the beginnings of
/// two loops, and one loop where neither does. A cycle that can be entered in several places is no loop.
std::vector<Loop> loops_of(const Function& function);

}  // namespace hoist::assembly
