#pragma once
// The divisors of a number, whatever its size.
#include <cstdint>
#include <vector>

namespace hoist::space {

/// Rising, 1 and the number among them. Remembered by each thread: a search asks for the same again and
/// again. Precondition: above 0.
const std::vector<std::int64_t>& divisors(std::int64_t number);

}  // namespace hoist::space
