#pragma once
// Private to arith: what may be assumed while an expression is simplified, because its variables have values.
#include "arith/node.hpp"
#include "arith/small_vector.hpp"

namespace hoist::arith {

/// What a variable with this range implies, beside what the variables in the range do.
SmallVector<Implied, 8> implications_of_range(Expr start, Expr stop);

/// While it lives, proofs on this thread may use what the variables of these expressions imply.
class Assuming {
 public:
  explicit Assuming(Expr first, Expr second = {});
  ~Assuming();
  Assuming(const Assuming&) = delete;
  Assuming& operator=(const Assuming&) = delete;

 private:
  std::size_t previous_;
};

bool has_assumptions();
/// The least value that is assumed of an atom, where it is more than `least`.
std::int64_t assumed_least(const Interned* atom, std::int64_t least);
/// A choice of samples that contradicts what is assumed says nothing.
bool is_excluded(std::size_t choice);

}  // namespace hoist::arith
