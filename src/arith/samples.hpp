#pragma once
// Private to arith: sample values of nodes. See Samples.
#include "arith/node.hpp"

namespace hoist::arith {

Samples samples_of_constant(std::int64_t value);
/// The samples of a variable whose kind, identity, hash and range are set.
Samples samples_of_variable(const Interned& variable);
/// The samples of an operator whose operands and predicate are set.
Samples samples_of_operator(const Interned& node);

}  // namespace hoist::arith
