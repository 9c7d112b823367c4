#include "measure/worker/device_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "driver/verify.hpp"
#include "execute/executable.hpp"
#include "execute/guard_zone.hpp"
#include "lang/lang.hpp"

namespace hoist::measure {

namespace {

/// How far an element may be off, in a program's text over its expected value x; nothing where there is no
/// such number.
std::optional<std::string> tolerance_text(const Tensor& expected, const interpret::ErrorBound& bound) {
  const double relative = bound.factor * static_cast<double>(std::numeric_limits<float>::epsilon());
  const auto smallest = static_cast<double>(std::numeric_limits<float>::min());
  if (!bound.cancels) return fmt::format("max({:.9e} * abs(x), {:.9e})", relative, smallest);
  double largest = 0;
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    float value = 0;
    std::memcpy(&value, expected.bytes.data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  const double tolerance = std::max(relative * largest, smallest);
  if (tolerance > static_cast<double>(std::numeric_limits<float>::max())) return std::nullopt;
  return fmt::format("{:.9e}", tolerance);
}

/// A program of the largest error in units of its bound; of integers, of how many differ.
std::optional<std::string> program_text(const Tensor& expected, const interpret::ErrorBound& bound) {
  const std::string type(name_of(expected.scalar));
  if (!is_float(expected.scalar))
    return fmt::format(
        "def differing(expected: [{0}]{1}, got: [{0}]{1}): i32 =\n"
        "  zip(expected, got) |> map((x, y) => if x == y then 0 else 1) |> reduce(+, 0)\n",
        expected.elements(), type);
  if (expected.scalar != Scalar::F32) return std::nullopt;
  const auto tolerance = tolerance_text(expected, bound);
  if (!tolerance) return std::nullopt;
  return fmt::format(
      "def error(expected: [{0}]f32, got: [{0}]f32): f32 =\n"
      "  zip(expected, got) |> map((x, y) =>\n"
      "    let d = abs(x - y) in\n"
      "    if x == y || (x != x && y != y) then 0.0 else if d <= 3.0e38 then d / {1} else 3.0e38)\n"
      "    |> reduce(max, -inf)\n",
      expected.elements(), *tolerance);
}

}  // namespace

std::optional<DeviceCheck::Leaf> DeviceCheck::leaf_of(runtime::Device& device, const Tensor& expected,
                                                      const interpret::ErrorBound& bound) {
  const auto text = program_text(expected, bound);
  if (!text) return std::nullopt;
  const ir::Arena arena;
  const auto program = lang::parse_program(Source{"<check>", *text});
  if (!program) return std::nullopt;
  const auto compiled = driver::compile(*program, driver::options_for(device.info()));
  if (!compiled) return std::nullopt;
  auto executable = execute::Executable::prepare(device, *compiled);
  auto buffer = device.allocate(expected.bytes.size());
  if (!executable || !buffer || !device.write(**buffer, expected.bytes)) return std::nullopt;
  return Leaf{std::move(*executable), std::move(*buffer), !is_float(expected.scalar)};
}

std::unique_ptr<DeviceCheck> DeviceCheck::prepare(runtime::Device& device, const Data& expected,
                                                  const interpret::ErrorBound& bound,
                                                  const std::vector<runtime::Buffer*>& results) {
  auto check = std::make_unique<DeviceCheck>();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Tensor& tensor = expected[i];
    if (tensor.shape.empty() || tensor.elements() < 2) return nullptr;
    auto leaf = leaf_of(device, tensor, bound);
    if (!leaf || !notices_a_change(device, *leaf, tensor, *results[i])) return nullptr;
    check->leaves_.push_back(std::move(*leaf));
  }
  return check;
}

/// What compares is a kernel of ours, too: it must see that all is right, and one element that is not.
bool DeviceCheck::notices_a_change(runtime::Device& device, Leaf& leaf, const Tensor& expected,
                                   runtime::Buffer& result) {
  if (!device.copy(*leaf.expected, result, expected.bytes.size()) || error_of(leaf, result) != 0.0)
    return false;
  const std::size_t size = size_of(expected.scalar), last = expected.bytes.size() / size - 1;
  const std::vector<std::byte> poison(size, std::byte{execute::poison_byte});
  for (const std::size_t place : {std::size_t{0}, (last + 1) / 2, last}) {
    const std::size_t offset = place * size;
    const std::span<const std::byte> right = std::span(expected.bytes).subspan(offset, size);
    const bool is_other = !std::ranges::equal(right, poison);
    if (!device.write(result, poison, offset)) return false;
    if (is_other && error_of(leaf, result).has_value()) return false;
    if (!device.write(result, right, offset)) return false;
  }
  return true;
}

std::optional<double> DeviceCheck::error_of(Leaf& leaf, runtime::Buffer& got) {
  // What is as near to its bound as single precision tells is left to the host.
  constexpr double surely_inside = 0.999;
  if (!leaf.executable.run({{leaf.expected.get(), &got}, {}})) return std::nullopt;
  const auto read = leaf.executable.read_outputs();
  if (!read) return std::nullopt;
  const ScalarValue value = load_scalar(read->at(0).bytes.data(), read->at(0).scalar, 0);
  if (leaf.is_exact) return value.integer == 0 ? std::optional(0.0) : std::nullopt;
  return value.real <= surely_inside ? std::optional(value.real) : std::nullopt;
}

std::optional<double> DeviceCheck::largest_error(const std::vector<runtime::Buffer*>& got) {
  double largest = 0;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const auto error = error_of(leaves_[i], *got[i]);
    if (!error) return std::nullopt;
    largest = std::max(largest, *error);
  }
  return largest;
}

}  // namespace hoist::measure
