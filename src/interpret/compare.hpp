#pragma once
// Whether two executions of a program agree.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"
#include "interpret/error_bound.hpp"

namespace hoist::interpret {

struct Mismatch {
  std::size_t leaf = 0;  ///< which tensor of the Data
  std::vector<std::int64_t> index;
  ScalarValue expected, got;
  double bound = 0;  ///< how far they may differ; 0 for integers
};

struct Comparison {
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;
  std::optional<Mismatch> worst;  ///< the mismatch that exceeds its bound most, in units of the bound
  double largest_error = 0;       ///< largest difference of two finite floats in units of its bound
  bool agrees() const { return mismatches == 0; }
};

/// Compares what was computed with what the reference gave. Integers and bools must be equal. Floats may
/// differ by the bound (or by the smallest normal number, since devices may flush smaller ones to zero); NaN
/// equals NaN and infinities of one sign are equal. Where the bound has an infinite spread everything is let
/// pass, nothing else is. A User error where types or shapes differ.
Result<Comparison> compare(const Data& expected, const Data& got, const ErrorBound& bound);

/// Whether the two differ for want of range: the expected result holds infinities or NaN, and where they
/// differ most is there, or near the largest number that its type has. Then the program diverges on these
/// inputs, and another order of the same operations overflows elsewhere.
bool differs_by_overflow(const Data& expected, const Comparison& comparison);

/// "3 of 4096 elements differ; worst at [1][7]: expected 1.5, got 2.5, bound 1.2e-06".
std::string to_string(const Comparison& comparison);

}  // namespace hoist::interpret
