#include "interpret/conditioning.hpp"

#include <cmath>

namespace hoist::interpret {
namespace {

/// A part of the bound by lengths. Where random errors, which are about twice those of rounding, stay below
/// it, other executors' results stay within the bound.
constexpr double surely_inside = 0.25;

/// Adds the squares of the distances of one leaf's elements.
void add_squares(std::vector<double>& squares, const Tensor& expected, const Tensor& got) {
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double a = load_scalar(expected.bytes.data(), expected.scalar, i).real;
    const double b = load_scalar(got.bytes.data(), got.scalar, i).real;
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double distance = std::fabs(a - b);
    squares[i] += std::isnan(distance) ? INFINITY : distance * distance;
  }
}

}  // namespace

Result<Data> spread_of(const Data& expected, const Disturbed& evaluate) {
  std::vector<std::vector<double>> squares;
  for (const Tensor& leaf : expected) {
    squares.emplace_back(is_float(leaf.scalar) ? static_cast<std::size_t>(leaf.elements()) : 0);
  }
  for (std::uint64_t run = 1; run <= spread_runs; ++run) {
    auto got = evaluate(run);
    if (!got) return tl::unexpected(got.error());
    for (std::size_t leaf = 0; leaf < squares.size(); ++leaf) {
      add_squares(squares[leaf], expected[leaf], got->at(leaf));
    }
  }
  Data spread;
  for (std::size_t leaf = 0; leaf < squares.size(); ++leaf) {
    Tensor& made = spread.emplace_back(Tensor{expected[leaf].scalar, {}, {}});
    if (!is_float(made.scalar)) continue;
    made.shape = expected[leaf].shape;
    made.bytes.resize(expected[leaf].bytes.size());
    for (std::size_t i = 0; i < squares[leaf].size(); ++i) {
      const double mean = std::sqrt(squares[leaf][i] / static_cast<double>(spread_runs));
      store_scalar(made.bytes.data(), i, ScalarValue::of_real(made.scalar, mean));
    }
  }
  return spread;
}

Result<Comparison> compare(const Data& expected, const Data& got, ErrorBound& bound,
                           const Disturbed& evaluate) {
  auto comparison = compare(expected, got, bound);
  if (!comparison || comparison->agrees() || !bound.spread.empty()) return comparison;
  auto spread = spread_of(expected, evaluate);
  if (!spread) return tl::unexpected(spread.error());
  bound.spread = std::move(*spread);
  return compare(expected, got, bound);
}

Result<void> widen_if_needed(ErrorBound& bound, const ir::Program& program, const Data& expected,
                             const Disturbed& evaluate) {
  if (!may_magnify(program)) return {};
  // A result of few elements may come near by luck, and does not twice.
  bool is_needed = false;
  for (std::uint64_t run = spread_runs + 1; run <= spread_runs + 2 && !is_needed; ++run) {
    auto probe = evaluate(run);
    if (!probe) return tl::unexpected(probe.error());
    const auto compared = compare(expected, *probe, bound);
    if (!compared) return tl::unexpected(compared.error());
    is_needed = !compared->agrees() || compared->largest_error > surely_inside;
  }
  if (!is_needed) return {};
  auto spread = spread_of(expected, evaluate);
  if (!spread) return tl::unexpected(spread.error());
  bound.spread = std::move(*spread);
  return {};
}

}  // namespace hoist::interpret
