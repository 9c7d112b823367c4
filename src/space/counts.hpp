#pragma once
// Numbers of points, which may be more than a number can say.
#include <cstdint>
#include <limits>

namespace hoist::space {

/// Stands for all numbers that are more.
inline constexpr std::uint64_t most_points = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > most_points - b ? most_points : a + b;
}
constexpr std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > most_points / b ? most_points : a * b;
}

}  // namespace hoist::space
