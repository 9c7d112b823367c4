#pragma once
// Which values are the same for all work-items of a group: where a barrier may stand.
#include <unordered_set>

#include "loop/kernel.hpp"

namespace hoist::loop {

/// What is known to be uniform in one kernel. Not uniform: the variables of Global and Local loops, what is
/// loaded (but for a parameter that the kernel only reads, at a uniform index), what is computed from such,
/// and mutable variables set to such or under control flow that depends on such. Conservative and independent
/// of the place: a variable that is somewhere not uniform counts as such everywhere.
class Uniformity {
 public:
  explicit Uniformity(const Kernel& kernel);

  bool is_uniform(arith::Expr e) const;
  bool is_uniform(const Value& value) const;
  /// Whether all work-items of a group, or none, execute each iteration of the loop, where all come to it.
  bool is_uniform(const For& loop) const;

 private:
  void walk(const Block& block, bool is_uniform_control);

  std::unordered_set<const arith::Node*> varying_indices_;
  std::unordered_set<const Variable*> varying_variables_;
  std::unordered_set<const Buffer*> read_only_;
};

}  // namespace hoist::loop
