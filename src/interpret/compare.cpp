#include "interpret/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/parallel.hpp"

namespace hoist::interpret {
namespace {

/// As many elements are one thread's at a time.
constexpr std::size_t stretch = std::size_t{1} << 20;

std::size_t stretches_of(std::size_t elements) { return (elements + stretch - 1) / stretch; }

/// Calls fn(number, begin, end) for each stretch of so many elements, in parallel.
template <class Fn>
void for_each_stretch(std::size_t elements, const Fn& fn) {
  share_out(stretches_of(elements), usual_threads(), [&](const auto& next) {
    while (const auto number = next())
      fn(*number, *number * stretch, std::min(elements, (*number + 1) * stretch));
  });
}

/// "[3][4]f32".
std::string describe(const Tensor& tensor) {
  std::string text;
  for (std::int64_t extent : tensor.shape) text += fmt::format("[{}]", extent);
  return text + std::string(name_of(tensor.scalar));
}

template <class Native>
Native element(const Tensor& tensor, std::size_t index) {
  Native value;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof(Native), sizeof(Native));
  return value;
}

std::vector<std::int64_t> unflatten(std::size_t flat, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  auto rest = static_cast<std::int64_t>(flat);
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = rest % shape[d];
    rest /= shape[d];
  }
  return index;
}

/// What was found in some elements of the leaves; those of other elements are added in their order.
class Findings {
 public:
  void add_error(double error) { result_.largest_error = std::max(result_.largest_error, error); }
  /// Asks for the mismatch where none before was as bad.
  template <class Make>
  void add_mismatch(double error, const Make& mismatch) {
    ++result_.mismatches;
    if (is_worse(error)) keep_worst(mismatch(), error);
  }
  void add(const Findings& later) {
    add_error(later.result_.largest_error);
    result_.mismatches += later.result_.mismatches;
    if (later.result_.worst && is_worse(later.worst_error_))
      keep_worst(*later.result_.worst, later.worst_error_);
  }
  void add_elements(std::size_t count) { result_.elements += static_cast<std::int64_t>(count); }
  const Comparison& result() const { return result_; }

 private:
  bool is_worse(double error) const { return !result_.worst || error > worst_error_; }
  void keep_worst(Mismatch mismatch, double error) {
    worst_error_ = error;
    result_.worst = std::move(mismatch);
  }

  Comparison result_;
  double worst_error_ = 0;
};

class Comparer {
 public:
  explicit Comparer(const ErrorBound& bound) : bound_(bound) {}

  void compare_leaf(std::size_t leaf, const Tensor& expected, const Tensor& got) {
    leaf_ = leaf;
    const auto count = static_cast<std::size_t>(expected.elements());
    findings_.add_elements(count);
    if (!is_float(expected.scalar) && expected.bytes == got.bytes) return;
    const double common = bound_.cancels ? common_scale(expected) : 0;
    std::vector<Findings> found(stretches_of(count));
    for_each_stretch(count, [&](std::size_t number, std::size_t begin, std::size_t end) {
      switch (expected.scalar) {
        case Scalar::F32:
          return compare_reals<float>(expected, got, common, begin, end, found[number]);
        case Scalar::F64:
          return compare_reals<double>(expected, got, common, begin, end, found[number]);
        default:
          return compare_exactly(expected, got, begin, end, found[number]);
      }
    });
    for (const Findings& each : found) findings_.add(each);
  }
  const Comparison& result() const { return findings_.result(); }

 private:
  double common_scale(const Tensor& expected) const {
    if (expected.scalar == Scalar::F32) return common_scale<float>(expected);
    return expected.scalar == Scalar::F64 ? common_scale<double>(expected) : 0;
  }

  /// The largest magnitude of the leaf. Beside a spread, which says what errors the large ones have, it is
  /// the median, so that a quotient by almost nothing does not hide what is wrong elsewhere.
  template <class Real>
  double common_scale(const Tensor& expected) const {
    const auto count = static_cast<std::size_t>(expected.elements());
    if (bound_.spread.empty()) {
      std::vector<Real> largest(stretches_of(count), 0);
      for_each_stretch(count, [&](std::size_t number, std::size_t begin, std::size_t end) {
        Real most = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Real magnitude = std::fabs(element<Real>(expected, i));
          if (magnitude > most && std::isfinite(magnitude)) most = magnitude;
        }
        largest[number] = most;
      });
      return largest.empty() ? 0 : static_cast<double>(*std::max_element(largest.begin(), largest.end()));
    }
    std::vector<Real> magnitudes;
    magnitudes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Real magnitude = std::fabs(element<Real>(expected, i));
      if (std::isfinite(magnitude)) magnitudes.push_back(magnitude);
    }
    if (magnitudes.empty()) return 0;
    const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
    std::nth_element(magnitudes.begin(), middle, magnitudes.end());
    return static_cast<double>(*middle);
  }

  template <class Real>
  void compare_reals(const Tensor& expected, const Tensor& got, double common, std::size_t begin,
                     std::size_t end, Findings& found) const {
    const double relative = bound_.factor * static_cast<double>(std::numeric_limits<Real>::epsilon());
    const auto smallest = static_cast<double>(std::numeric_limits<Real>::min());
    for (std::size_t i = begin; i < end; ++i) {
      const double a = element<Real>(expected, i);
      const double b = element<Real>(got, i);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      const double spread =
          bound_.spread.empty() ? 0 : static_cast<double>(element<Real>(bound_.spread.at(leaf_), i));
      // No digit of it is the program's.
      if (std::isinf(spread)) continue;
      const double scale = std::max(common, std::fabs(a));
      const double tolerance = std::max({relative * scale, smallest, spread_factor * spread});
      // NaN or an infinity on one side only is an infinite error.
      const double difference = std::fabs(a - b);
      const bool finite = std::isfinite(difference) && std::isfinite(tolerance);
      const double error = finite ? difference / tolerance : std::numeric_limits<double>::infinity();
      if (finite) found.add_error(error);
      if (!(error <= 1)) found.add_mismatch(error, [&] { return mismatch(expected, got, i, tolerance); });
    }
  }

  void compare_exactly(const Tensor& expected, const Tensor& got, std::size_t begin, std::size_t end,
                       Findings& found) const {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t a = load_scalar(expected.bytes.data(), expected.scalar, i).integer;
      const std::int64_t b = load_scalar(got.bytes.data(), got.scalar, i).integer;
      if (a == b) continue;
      found.add_mismatch(std::fabs(static_cast<double>(a) - static_cast<double>(b)),
                         [&] { return mismatch(expected, got, i, 0); });
    }
  }

  Mismatch mismatch(const Tensor& expected, const Tensor& got, std::size_t flat, double tolerance) const {
    return {leaf_, unflatten(flat, expected.shape), load_scalar(expected.bytes.data(), expected.scalar, flat),
            load_scalar(got.bytes.data(), got.scalar, flat), tolerance};
  }

  const ErrorBound& bound_;
  Findings findings_;
  std::size_t leaf_ = 0;
};

}  // namespace

Result<Comparison> compare(const Data& expected, const Data& got, const ErrorBound& bound) {
  if (expected.size() != got.size()) {
    return user_error(fmt::format("the result has {} arrays, not {}", got.size(), expected.size()));
  }
  Comparer comparer(bound);
  for (std::size_t leaf = 0; leaf < expected.size(); ++leaf) {
    const Tensor& a = expected[leaf];
    const Tensor& b = got[leaf];
    if (a.scalar != b.scalar || a.shape != b.shape || a.bytes.size() != b.bytes.size()) {
      return user_error(fmt::format("the result is {}, not {}", describe(b), describe(a)));
    }
    comparer.compare_leaf(leaf, a, b);
  }
  return comparer.result();
}

bool differs_by_overflow(const Data& expected, const Comparison& comparison) {
  if (!comparison.worst || !is_float(comparison.worst->expected.type)) return false;
  constexpr double near = 0x1p-40;
  const bool is_f32 = comparison.worst->expected.type == Scalar::F32;
  const double largest =
      is_f32 ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
  const double there = comparison.worst->expected.real;
  if (std::fabs(there) < near * largest) return false;
  return std::any_of(expected.begin(), expected.end(), [](const Tensor& tensor) {
    if (!is_float(tensor.scalar)) return false;
    const auto count = static_cast<std::size_t>(tensor.elements());
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(load_scalar(tensor.bytes.data(), tensor.scalar, i).real)) return true;
    }
    return false;
  });
}

std::string to_string(const Comparison& comparison) {
  if (comparison.agrees()) {
    return fmt::format("all {} elements agree; the largest error is {:.3g} of its bound", comparison.elements,
                       comparison.largest_error);
  }
  const Mismatch& worst = *comparison.worst;
  std::string place;
  for (std::int64_t i : worst.index) place += fmt::format("[{}]", i);
  if (worst.leaf > 0 || place.empty()) place = fmt::format("component {} {}", worst.leaf, place);
  return fmt::format("{} of {} elements differ; worst at {}: expected {}, got {}, bound {:.3g}",
                     comparison.mismatches, comparison.elements, place, hoist::to_string(worst.expected),
                     hoist::to_string(worst.got), worst.bound);
}

}  // namespace hoist::interpret
