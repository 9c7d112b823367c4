#pragma once
#include <cstdint>
#include <string>

#include "arith/expr.hpp"

namespace hoist::space {

/// A natural number to be chosen.
struct Parameter {
  std::string name;
  std::int64_t least = 1, most = 1024;
  bool is_power_of_two = false;
};

/// What a choice must satisfy; over parameters alone, sizes being constants.
struct Constraint {
  arith::Predicate predicate;
  std::string message;  ///< "split: ?t must divide 1024"
};

}  // namespace hoist::space
