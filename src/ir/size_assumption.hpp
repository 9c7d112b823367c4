#pragma once
#include <string>

#include "arith/expr.hpp"

namespace hoist::ir {

/// What a term assumes of its sizes and could not prove: "split(4): 4 must divide N".
struct SizeAssumption {
  arith::Predicate predicate;
  std::string message;
};

}  // namespace hoist::ir
