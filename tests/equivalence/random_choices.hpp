#pragma once
// What generators of random programs share: choices that are the same for the same seed on every machine.
#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <random>
#include <string>

namespace hoist::testing_support {

class RandomChoices {
 public:
  explicit RandomChoices(std::uint64_t seed) : random_(seed) {}

 protected:
  std::uint64_t bits() { return random_(); }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(double probability) { return below(1000) < static_cast<int>(probability * 1000); }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<int>(values.size())));
  }
  std::string pick(std::initializer_list<const char*> texts) { return pick<const char*>(texts); }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, ++names_); }
  /// An expression in `i` that permutes the indices of n elements.
  std::string permuted_index(int n) {
    switch (below(3)) {
      case 0:
        return fmt::format("{} - i", n - 1);
      case 1:
        return fmt::format("(i + {}) % {}", 1 + below(n), n);
      default: {
        int factor = 1 + below(n);
        while (std::gcd(factor, n) != 1) ++factor;
        return fmt::format("(i * {}) % {}", factor, n);
      }
    }
  }

 private:
  std::mt19937_64 random_;
  int names_ = 0;
};

}  // namespace hoist::testing_support
