#pragma once
// The random numbers of java.util.Random, as its specification defines them: what Weka draws can be drawn
// again.
#include <cstdint>
#include <utility>
#include <vector>

namespace hoist::learn {

/// A linear congruential generator with 48 bits of state (Knuth: The art of computer programming, volume 2,
/// section 3.2.1).
class JavaRandom {
 public:
  explicit JavaRandom(std::uint64_t seed) : state_((seed ^ multiplier) & mask) {}

  /// Below `limit`, which is not 0.
  std::uint32_t below(std::uint32_t limit) {
    if ((limit & (limit - 1)) == 0)
      return static_cast<std::uint32_t>(static_cast<std::uint64_t>(limit) * next(31) >> 31);
    // The last numbers below 2^31 would make some remainders likelier than others.
    const std::uint32_t fair = 0x80000000U - 0x80000000U % limit;
    std::uint32_t drawn = next(31);
    while (drawn >= fair) drawn = next(31);
    return drawn % limit;
  }
  /// Any of 32 bits.
  std::int32_t whole() { return static_cast<std::int32_t>(next(32)); }
  /// In [0, 1).
  double unit() {
    const std::uint64_t high = next(26);
    return static_cast<double>((high << 27) + next(27)) * 0x1p-53;
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t left = list.size(); left > 1; --left)
      std::swap(list[left - 1], list[below(static_cast<std::uint32_t>(left))]);
  }

 private:
  static constexpr std::uint64_t multiplier = 0x5DEECE66D, mask = (std::uint64_t{1} << 48) - 1;

  std::uint32_t next(int bits) {
    state_ = (state_ * multiplier + 0xB) & mask;
    return static_cast<std::uint32_t>(state_ >> (48 - bits));
  }

  std::uint64_t state_;
};

}  // namespace hoist::learn
