#include "tuner/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "driver/compile.hpp"
#include "driver/verify.hpp"
#include "execute/executable.hpp"
#include "lang/lang.hpp"
#include "measure/device_turn.hpp"
#include "runtime/devices.hpp"
#include "runtime/measure.hpp"

namespace hoist::tuner {

namespace {

constexpr const char* copy_text =
    "def copy(x: [N]f32): [N]f32 = x |> asVector(4) |> mapGlb(0, id) |> asScalar\n";
constexpr int chains = 8, steps = 512;

/// Chains of multiply-adds, so many in a work-item that their latency is hidden; of vectors on a processor.
std::string multiply_add_text(int width) {
  const auto constant = [&](double value) {
    return width == 1 ? fmt::format("{:.1f}", value) : fmt::format("broadcast({}, {:.1f})", width, value);
  };
  std::string next, start, sum;
  for (int i = 0; i < chains; ++i) {
    const char* comma = i == 0 ? "" : ", ";
    next += fmt::format("{}fma({}, t.{}, {})", comma, constant(0.5), i, constant(i + 1));
    start += fmt::format("{}e + {}", comma, constant(i));
    sum += fmt::format("{}s.{}", i == 0 ? "" : " + ", i);
  }
  const std::string body =
      fmt::format("mapGlb(0, e => let s = iterate({}, t => ({}), ({})) in {})", steps, next, start, sum);
  return width == 1
             ? fmt::format("def multiplyAdd(x: [N]f32): [N]f32 = x |> {}\n", body)
             : fmt::format("def multiplyAdd(x: [N]f32): [N]f32 = x |> asVector({}) |> {} |> asScalar\n",
                           width, body);
}

/// The median seconds of a program of one size and one input.
Result<double> seconds_of(runtime::Device& device, const std::string& text, std::int64_t elements,
                          std::chrono::steady_clock::time_point until) {
  const ir::Arena arena;
  const auto program = lang::parse_program(Source{"<ceiling>", text});
  if (!program) return tl::unexpected(program.error());
  const auto sized = driver::with_sizes(*program, {{"N", elements}});
  if (!sized) return tl::unexpected(sized.error());
  const auto compiled = driver::compile(*sized, driver::options_for(device.info()));
  if (!compiled) return tl::unexpected(compiled.error());
  auto executable = execute::Executable::prepare(device, *compiled);
  if (!executable) return tl::unexpected(executable.error());
  auto input = device.allocate(static_cast<std::size_t>(elements) * sizeof(float));
  if (!input) return tl::unexpected(input.error());
  if (auto filled = device.fill(**input, 0); !filled) return tl::unexpected(filled.error());
  const auto run = [&]() -> Result<double> {
    auto times = executable->run({{input->get()}, {}});
    if (!times) return tl::unexpected(times.error());
    return times->kernels;
  };
  // Other searches may be timing their candidates on the device.
  measure::DeviceTurn turn(device.info().id);
  if (!turn.take([&] { return std::chrono::steady_clock::now() > until; }))
    return device_error("other searches had " + device.info().id + " until the time for this was over");
  // A device on which one run takes so long is not asked for more, which nobody's budget has room for. What
  // the very first run takes may be compilation.
  constexpr std::chrono::milliseconds long_run{500};
  if (auto ran = run(); !ran) return ran;
  const auto start = std::chrono::steady_clock::now();
  const auto second = run();
  if (!second || std::chrono::steady_clock::now() > start + long_run) return second;
  const auto measured = runtime::measure(run, 9, 0);
  if (!measured) return tl::unexpected(measured.error());
  return measured->median;
}

}  // namespace

Result<Ceilings> measure_ceilings(const std::string& device_id, double patience) {
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                             std::chrono::duration<double>(patience));
  auto device = runtime::open_device(device_id);
  if (!device) return tl::unexpected(device.error());
  const target::Target& info = (*device)->info();
  const bool is_gpu = info.type == target::Type::Gpu;
  constexpr std::int64_t bytes_of_f32 = 4;
  const std::int64_t wanted = is_gpu ? 64 << 20 : 16 << 20;
  const auto most =
      static_cast<std::int64_t>(std::min(info.largest_buffer, info.global_memory / 4)) / bytes_of_f32;
  const std::int64_t elements = std::min(wanted, most) / 1024 * 1024;
  if (elements < 1024)
    return device_error("the memory of " + device_id + " is too small to measure its bandwidth");
  const auto copied = seconds_of(**device, copy_text, elements, until);
  if (!copied) return tl::unexpected(copied.error());
  const std::int64_t computing = is_gpu ? 2 << 20 : 1 << 16;
  double computed = 0;
  // Compilers for processors differ in which of the two they make vector instructions of.
  for (const int width : is_gpu ? std::vector<int>{1} : std::vector<int>{1, 16}) {
    const auto seconds = seconds_of(**device, multiply_add_text(width), computing, until);
    if (!seconds) return tl::unexpected(seconds.error());
    computed = computed == 0 ? *seconds : std::min(computed, *seconds);
  }
  constexpr double operations = 2.0 * chains * steps;  // of an element
  return Ceilings{2.0 * bytes_of_f32 * static_cast<double>(elements) / *copied,
                  operations * static_cast<double>(computing) / computed};
}

}  // namespace hoist::tuner
