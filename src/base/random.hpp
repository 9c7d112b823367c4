#pragma once
// Random numbers that are the same for a seed with every standard library, whose distributions differ.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace hoist {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  /// Below `limit`, which is not 0; each number as likely as the others.
  std::uint64_t below(std::uint64_t limit) {
    const std::uint64_t unfair = (~std::uint64_t{0} % limit + 1) % limit;
    std::uint64_t drawn = engine_();
    while (drawn > ~std::uint64_t{0} - unfair) drawn = engine_();
    return drawn % limit;
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// A draw from the normal distribution with mean 0 and deviation 1 (Box and Muller, 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[below(left)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace hoist
