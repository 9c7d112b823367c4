#pragma once
// Which values are the same for all work-items of a group, or of a warp: where a barrier, or a shuffle, may
// stand.
#include <unordered_set>

#include "loop/kernel.hpp"

namespace hoist::loop {

/// What is known to be uniform in one kernel. Not uniform: the variables of Global and Local loops, what is
/// loaded (but for a parameter that the kernel only reads, at a uniform index), what is computed from such,
/// and mutable variables set to such or under control flow that depends on such. Conservative and independent
/// of the place: a variable that is somewhere not uniform counts as such everywhere.
class Uniformity {
 public:
  /// Work-items of a warp differ only in dimension 0 where the group's rows are whole warps.
  enum class Within : std::uint8_t { Group, Warp };

  explicit Uniformity(const Kernel& kernel, Within within = Within::Group);
  /// Analyses work-items that differ in the variable of one parallel loop only: stretches of its iterations,
  /// around which the other loops run.
  Uniformity(const Kernel& kernel, arith::Expr only_varying);

  bool is_uniform(arith::Expr e) const;
  bool is_uniform(const Value& value) const;
  /// Whether all work-items, or none, execute each iteration of the loop, where all come to it.
  bool is_uniform(const For& loop) const;

 private:
  void walk(const Block& block, bool is_uniform_control);
  /// Whether the work-items have ids of their own in the loop's dimension.
  bool is_shared_out(const For& loop) const;

  void find_varying(const Kernel& kernel);

  arith::Expr only_varying_;  ///< the one variable that is shared out; empty: all of parallel loops are
  bool has_one_row_ = false;  ///< all have the same ids in dimensions 1 and 2
  std::unordered_set<const arith::Node*> varying_indices_;
  std::unordered_set<const Variable*> varying_variables_;
  std::unordered_set<const Buffer*> read_only_;
};

}  // namespace hoist::loop
