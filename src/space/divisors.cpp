// Sizes may be any number of 63 bits, and trying all numbers up to the root of a large one takes half a
// minute. So prime factors below 2^21 are found by trial division; what is then left has two prime factors at
// the most: Miller and Rabin's test tells whether it is one (with the bases that are known to suffice below
// 2^64: J. Sorenson, J. Webster, "Strong pseudoprimes to twelve prime bases", 2017), and Pollard's rho method
// takes it apart where it is two.
#include "space/divisors.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <unordered_map>

namespace hoist::space {

namespace {

using Number = std::uint64_t;

Number product(Number a, Number b, Number modulus) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<Number>(static_cast<Wide>(a) * b % modulus);
}

Number power(Number base, Number exponent, Number modulus) {
  Number result = 1;
  for (base %= modulus; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = product(result, base, modulus);
    base = product(base, base, modulus);
  }
  return result;
}

/// Precondition: odd, without factors below the largest base.
bool is_prime(Number number) {
  Number odd = number - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  const auto is_witness = [&](Number base) {
    Number value = power(base, odd, number);
    if (value == 1 || value == number - 1) return false;
    for (int i = 1; i < twos; ++i) {
      value = product(value, value, number);
      if (value == number - 1) return false;
    }
    return true;
  };
  const std::initializer_list<Number> bases{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  return std::none_of(bases.begin(), bases.end(), is_witness);
}

/// A factor of a number that is a product of two different primes.
Number factor_of(Number number) {
  for (Number increment = 1;; ++increment) {
    Number slow = 2, fast = 2, common = 1;
    const auto next = [&](Number value) { return (product(value, value, number) + increment) % number; };
    while (common == 1) {
      slow = next(slow);
      fast = next(next(fast));
      common = std::gcd(slow > fast ? slow - fast : fast - slow, number);
    }
    if (common != number) return common;
  }
}

/// Prime factors, each as often as it divides.
std::vector<Number> prime_factors(Number number) {
  constexpr Number tried = Number{1} << 21;  // its cube is beyond 63 bits
  std::vector<Number> factors;
  for (Number each = 2; each <= tried && each * each <= number; ++each) {
    for (; number % each == 0; number /= each) factors.push_back(each);
  }
  if (number == 1) return factors;
  if (number <= tried * tried || is_prime(number)) {
    factors.push_back(number);
    return factors;
  }
  const auto root = static_cast<Number>(std::llround(std::sqrt(static_cast<double>(number))));
  const Number factor = root * root == number ? root : factor_of(number);
  factors.push_back(factor);
  factors.push_back(number / factor);
  return factors;
}

}  // namespace

const std::vector<std::int64_t>& divisors(std::int64_t number) {
  constexpr std::size_t most_kept = 4096;
  thread_local std::unordered_map<std::int64_t, std::vector<std::int64_t>> known;
  if (const auto found = known.find(number); found != known.end()) return found->second;
  if (known.size() > most_kept) known.clear();
  std::vector<std::int64_t> all{1};
  Number last = 0;
  std::size_t with_last = 0;  // where those begin that hold the last factor as often as it came
  for (const Number factor : prime_factors(static_cast<Number>(number))) {
    const std::size_t begin = factor == last ? with_last : 0, end = all.size();
    for (std::size_t i = begin; i < end; ++i) all.push_back(all[i] * static_cast<std::int64_t>(factor));
    last = factor;
    with_last = end;
  }
  std::sort(all.begin(), all.end());
  return known[number] = std::move(all);
}

}  // namespace hoist::space
