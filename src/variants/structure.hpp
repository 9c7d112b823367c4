#pragma once
// What a kernel looks like before anything compiles it: the features of structure by which candidates are
// told apart.
#include <array>
#include <optional>

#include "ir/term.hpp"
#include "loop/kernel.hpp"
#include "lower/loops_to_order.hpp"
#include "target/target.hpp"

namespace hoist::variants {

struct Structure {
  std::size_t kernels = 0;
  std::int64_t group_size = 1;                         ///< work-items, of the largest group
  std::array<std::int64_t, 3> group_lengths{1, 1, 1};  ///< the most of them along each dimension
  std::int64_t local_memory = 0;                       ///< bytes of a group, the most of a kernel
  std::size_t barriers = 0;                            ///< in the text
  std::size_t loops = 0;                               ///< in the text
  std::size_t branches = 0;                            ///< in the text
  /// In the text once its loops are unrolled as far as that is asked for: how long the machine's code gets.
  std::size_t statements = 0;
  std::size_t global_loads = 0, global_stores = 0, local_loads = 0, local_stores = 0;  ///< in the text
  /// Lines of the caches that the loads and stores of the first work-items that execute together touch, over
  /// those that as many neighbouring bytes would: 1 is the best, 0 says that there are none. The worst of the
  /// copies into local memory, and of all others from global memory.
  double copy_lines = 0, access_lines = 0;

  bool operator==(const Structure&) const = default;
};

/// What copies into local memory may touch, in lines for each that they need. A way to copy an array is
/// derived where it keeps to the first at the best of some sizes: its work-items read neighbours. A
/// candidate, whose sizes need not be the best and whose copies may be in vectors or transposed, is discarded
/// beyond the second: nothing makes up for it.
inline constexpr double most_lines_at_best = 2.5, most_lines_of_candidates = 4.5;

/// The structure of a plan whose sizes and parameters are all numbers, on a machine whose lanes and cache
/// lines decide which elements are read together.
Structure structure_of(const loop::Plan& plan, const target::Machine& machine);

/// Structure::copy_lines of the plan that a program becomes, all of whose sizes and parameters are numbers;
/// nothing where it cannot be lowered. Loops that copy nothing are not unrolled for it.
std::optional<double> copy_lines_of(const ir::Program& program, const target::Machine& machine);

/// The loops of a program that is one kernel, where they may be in any order (lower::loops_to_order).
std::optional<lower::LoopsToOrder> orderable_loops(const ir::Program& program);

}  // namespace hoist::variants
