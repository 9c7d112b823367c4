#pragma once
// Vectors whose lanes change places with the vectors themselves, in registers.
#include <functional>
#include <vector>

#include "loop/value.hpp"

namespace hoist::lower {

/// Gives a value a name in the block that is being made, so that it is computed once.
using Name = std::function<loop::ValuePtr(const loop::ValuePtr& value)>;

/// That divides a positive number.
constexpr std::int64_t largest_power_of_two_in(std::int64_t number) { return number & -number; }

/// Whether rows of `width` elements can be turned into vectors of `lanes`: both are powers of two, and a row
/// fills a block of 16 bytes, within which processors exchange elements of two vectors by one instruction,
/// or a whole vector.
bool can_be_turned(Scalar scalar, std::int64_t width, std::int64_t lanes);

/// The transpose of a matrix whose rows are vectors, as many as a vector of the result has lanes. Rows may be
/// shorter than that: result[j][i] = rows[i][j].
std::vector<loop::ValuePtr> turned(const std::vector<loop::ValuePtr>& rows, const Name& name);

/// Takes that back: rows of as many elements as there are vectors; result[i][j] = vectors[j][i].
std::vector<loop::ValuePtr> turned_back(const std::vector<loop::ValuePtr>& vectors, const Name& name);

/// The sums of the lanes of each of some vectors, of which there are a power of two, at most as many as each
/// has lanes: lane i of the result is the sum of vector i. A scalar where there is one vector. `add` is the
/// operation that makes a sum of two.
loop::ValuePtr sums_of_lanes(std::vector<loop::ValuePtr> vectors, ScalarOp add, const Name& name);

}  // namespace hoist::lower
