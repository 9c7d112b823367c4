#include "interpret/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "base/parallel.hpp"
#include "interpret/sizes.hpp"

namespace hoist::interpret {
namespace {

/// The output function of splitmix64: mixes all bits of a counter.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;

/// As many elements are one thread's at a time.
constexpr std::size_t stretch = std::size_t{1} << 20;

/// Each element is made of the key and its place alone.
template <class Native, class Make>
void fill(Tensor& tensor, std::uint64_t key, const Make& make) {
  const auto count = static_cast<std::size_t>(tensor.elements());
  share_out((count + stretch - 1) / stretch, usual_threads(), [&](const auto& next) {
    while (const auto number = next()) {
      const std::size_t end = std::min(count, (*number + 1) * stretch);
      for (std::size_t i = *number * stretch; i < end; ++i) {
        const Native value = make(mix(key + (i + 1) * golden_ratio));
        std::memcpy(tensor.bytes.data() + i * sizeof(Native), &value, sizeof(Native));
      }
    }
  });
}

/// Uniform in [minimum, maximum): as many random bits as the type has digits.
template <class Real>
void fill_real(Tensor& tensor, std::uint64_t key, const RandomRange& range) {
  constexpr int digits = std::numeric_limits<Real>::digits;
  const auto largest = std::nextafter(static_cast<Real>(range.maximum), static_cast<Real>(range.minimum));
  fill<Real>(tensor, key, [&](std::uint64_t bits) {
    const double unit = std::ldexp(static_cast<double>(bits >> (64U - digits)), -digits);
    return std::min(static_cast<Real>(range.minimum + unit * (range.maximum - range.minimum)), largest);
  });
}

template <class Integer>
void fill_integer(Tensor& tensor, std::uint64_t key, std::int64_t smallest, std::int64_t largest) {
  // The bias of the remainder is below count / 2^64.
  const std::uint64_t count = static_cast<std::uint64_t>(largest) - static_cast<std::uint64_t>(smallest) + 1;
  fill<Integer>(tensor, key, [&](std::uint64_t bits) {
    const std::uint64_t offset = count == 0 ? bits : bits % count;
    return static_cast<Integer>(static_cast<std::uint64_t>(smallest) + offset);
  });
}

bool uses_range(Scalar scalar) { return is_integer(scalar) && !is_narrow(scalar); }

/// The range that the type takes its values from must not be empty.
void check(const RandomRange& range, Scalar scalar) {
  if (is_float(scalar) && !(range.minimum < range.maximum && std::isfinite(range.maximum - range.minimum))) {
    throw_user(fmt::format("random numbers cannot be drawn from {} to {}: the range is empty or not finite",
                           range.minimum, range.maximum));
  }
  if (uses_range(scalar) && range.smallest > range.largest) {
    throw_user(fmt::format("random integers cannot be drawn from {} to {}: the range is empty",
                           range.smallest, range.largest));
  }
}

Tensor random_tensor(Scalar scalar, std::vector<std::int64_t> shape, std::uint64_t key,
                     const RandomRange& range) {
  Tensor tensor{scalar, std::move(shape), {}};
  std::int64_t bytes = static_cast<std::int64_t>(size_of(scalar));
  for (std::int64_t extent : tensor.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) throw std::bad_alloc();
  }
  tensor.bytes.resize(static_cast<std::size_t>(bytes));
  const std::int64_t from_zero = std::max<std::int64_t>(range.smallest, 0);
  switch (scalar) {
    case Scalar::F32:
      fill_real<float>(tensor, key, range);
      break;
    case Scalar::F64:
      fill_real<double>(tensor, key, range);
      break;
    case Scalar::I32:
      fill_integer<std::int32_t>(tensor, key, range.smallest, range.largest);
      break;
    case Scalar::I64:
      fill_integer<std::int64_t>(tensor, key, range.smallest, range.largest);
      break;
    case Scalar::U32:
      fill_integer<std::uint32_t>(tensor, key, from_zero, std::max(from_zero, range.largest));
      break;
    case Scalar::U64:
      fill_integer<std::uint64_t>(tensor, key, from_zero, std::max(from_zero, range.largest));
      break;
    case Scalar::I8:
    case Scalar::U8:
      fill_integer<std::uint8_t>(tensor, key, 0, 255);
      break;
    case Scalar::I16:
    case Scalar::U16:
      fill_integer<std::uint16_t>(tensor, key, 0, 65535);
      break;
    case Scalar::Bool:
      fill_integer<std::uint8_t>(tensor, key, 0, 1);
      break;
  }
  return tensor;
}

}  // namespace

Result<Data> random_data(ir::Type type, const arith::Bindings& sizes, std::uint64_t seed,
                         const RandomRange& range) {
  try {
    return catch_failure([&] {
      SizeTable table(sizes);
      Data data;
      for (const ir::Leaf& leaf : ir::leaves(type)) {
        check(range, leaf.scalar);
        std::vector<std::int64_t> shape;
        for (arith::Expr extent : leaf.shape) shape.push_back(table[table.slot(extent, SizeUse::Extent)]);
        const std::uint64_t key = mix(mix(seed) + (data.size() + 1) * golden_ratio);
        data.push_back(random_tensor(leaf.scalar, std::move(shape), key, range));
      }
      return data;
    });
  } catch (const std::bad_alloc&) {
    return device_error("not enough memory for random data");
  }
}

}  // namespace hoist::interpret
