// Every program that ships on one device: verified against the interpreter at its small sizes, then timed at
// its large ones. Writes one JSON row a program (see bench/README.md for the form) and the same as a Markdown
// table.
//
//   kernels_bench DEVICE OUT.json OUT.md COMMIT [name ...]
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/inputs.hpp"
#include "driver/suite.hpp"
#include "driver/verify.hpp"
#include "driver/work.hpp"
#include "execute/executable.hpp"
#include "lang/lang.hpp"
#include "runtime/devices.hpp"
#include "runtime/measure.hpp"
#include "target/kinds.hpp"

namespace {

using namespace hoist;
using nlohmann::json;

constexpr std::uint64_t seed = 20261121;

/// Seconds the device takes to copy so much memory that `bytes` are read or written: the ceiling of what only
/// moves data.
Result<double> copy_seconds(runtime::Device& device, double bytes) {
  std::size_t half = std::max<std::size_t>(static_cast<std::size_t>(bytes / 2) / 4 * 4, 4);
  auto from = device.allocate(half), to = device.allocate(half);
  if (!from) return tl::unexpected(from.error());
  if (!to) return tl::unexpected(to.error());
  const char* source =
      device.info().language == target::Language::OpenCL
          ? "kernel void copy(const global float4* restrict x, global float4* restrict y, const int n) {"
            " int i = get_global_id(0); if (i < n) y[i] = x[i]; }"
      : device.info().language == target::Language::Cuda
          ? "extern \"C\" __global__ void copy(const float4* __restrict__ x, float4* __restrict__ y, int n) {"
            " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }"
          : "#include <cstddef>\nextern \"C\" void copy(void* const* a, const size_t* range) {\n"
            "  const float* x = (const float*)a[0]; float* y = (float*)a[1]; const long n = 4L * "
            "*(int*)a[2];\n"
            "#pragma omp parallel for simd\n  for (long i = 0; i < n; ++i) y[i] = x[i]; (void)range; }\n";
  auto program = device.build(source);
  if (!program) return tl::unexpected(program.error());
  auto kernel = (*program)->kernel("copy");
  if (!kernel) return tl::unexpected(kernel.error());
  std::size_t vectors = std::max<std::size_t>(half / 16, 1);
  runtime::Range range;
  range.local[0] = 256;
  range.global[0] = (vectors + 255) / 256 * 256;
  std::vector<runtime::Argument> arguments{
      from->get(), to->get(), ScalarValue::of_integer(Scalar::I32, static_cast<std::int64_t>(vectors))};
  auto measured = runtime::measure([&] { return device.launch(**kernel, arguments, range); }, 10, 2);
  if (!measured) return tl::unexpected(measured.error());
  return measured->median;
}

struct Row {
  json data;
  bool is_right = false;
};

Result<Row> run_program(runtime::Device& device, const driver::SuiteProgram& entry,
                        const std::string& commit) {
  ir::Arena arena;
  auto source = driver::read_source(entry.path);
  if (!source) return tl::unexpected(source.error());
  auto program = lang::parse_program(*source);
  if (!program) return tl::unexpected(program.error());

  bool is_low = entry.path.parent_path().filename() == "low-level";
  Row row;
  row.data["benchmark"] = (is_low ? "low-level/" : "") + entry.name;
  row.data["backend"] = target::name_of(device.info().language);
  row.data["device"] = device.info().name;
  row.data["commit"] = commit;

  // Right first, at every small size.
  row.is_right = true;
  std::size_t checked = 0;
  for (const auto& [set, sizes] : entry.sizes) {
    if (set == "bench") continue;
    auto ranges = entry.ranges(sizes);
    if (!ranges) return tl::unexpected(ranges.error());
    auto inputs = driver::random_inputs(*program, driver::bindings_of(*program, sizes), seed, *ranges);
    if (!inputs) return tl::unexpected(inputs.error());
    auto got = execute::run_once(device, *program, sizes, *inputs);
    if (!got) return tl::unexpected(got.error());
    auto verified = driver::verify(*program, sizes, *inputs, *got);
    if (!verified) return tl::unexpected(verified.error());
    row.is_right = row.is_right && verified->comparison.agrees();
    ++checked;
  }
  row.data["verified"] = row.is_right;
  row.data["verified_at_sizes"] = checked;

  const driver::NamedSizes& sizes = entry.sizes.at("bench");
  json named = json::object();
  for (const auto& [name, value] : sizes) named[name] = value;
  row.data["sizes"] = named;
  auto sized = driver::with_sizes(*program, sizes);
  if (!sized) return tl::unexpected(sized.error());
  auto work = driver::work_of(*sized);
  if (!work) return tl::unexpected(work.error());
  auto compiled = driver::compile(*sized, driver::options_for(device.info()));
  if (!compiled) return tl::unexpected(compiled.error());
  auto executable = execute::Executable::prepare(device, *compiled);
  if (!executable) return tl::unexpected(executable.error());
  auto ranges = entry.ranges(sizes);
  if (!ranges) return tl::unexpected(ranges.error());
  auto inputs = driver::random_inputs(*program, driver::bindings_of(*program, sizes), seed, *ranges);
  if (!inputs) return tl::unexpected(inputs.error());
  if (auto written = executable->write_inputs(*inputs); !written) return tl::unexpected(written.error());
  auto once = executable->run();
  if (!once) return tl::unexpected(once.error());
  // A slow program is timed less often: the spread tells.
  std::size_t repetitions = once->kernels > 2 ? 1 : once->kernels > 0.2 ? 3 : 11;
  auto measured = runtime::measure(
      [&]() -> Result<double> {
        auto times = executable->run();
        if (!times) return tl::unexpected(times.error());
        return times->kernels;
      },
      repetitions, once->kernels > 0.2 ? 0 : 2);
  if (!measured) return tl::unexpected(measured.error());
  auto ceiling = copy_seconds(device, work->bytes);
  if (!ceiling) return tl::unexpected(ceiling.error());
  row.data["kernels"] = compiled->plan.kernels.size();
  row.data["repetitions"] = repetitions;
  row.data["median_seconds"] = measured->median;
  row.data["spread"] = measured->spread;
  row.data["gb_per_second"] = work->bytes / measured->median * 1e-9;
  row.data["gflop_per_second"] = work->flops / measured->median * 1e-9;
  row.data["baseline"] = "copy of the same bytes";
  row.data["baseline_seconds"] = *ceiling;
  row.data["ratio"] = *ceiling / measured->median;
  return row;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) {
    std::cerr << "usage: kernels_bench DEVICE OUT.json OUT.md COMMIT [name ...]\n";
    return 1;
  }
  auto device = runtime::open_device(arguments[1]);
  if (!device) {
    std::cerr << device.error().render();
    return 2;
  }
  std::set<std::string> wanted(arguments + 5, arguments + count);
  const char* root = std::getenv("HOIST_KERNELS");
  std::string kernels = root ? root : HOIST_SOURCE_DIR "/kernels";
  std::vector<json> rows;
  int wrong = 0;
  for (const std::string& folder : {kernels, kernels + "/low-level"}) {
    auto suite = driver::load_suite(folder);
    if (!suite) {
      std::cerr << suite.error().render();
      return 1;
    }
    for (const driver::SuiteProgram& entry : *suite) {
      if (!wanted.empty() && !wanted.count(entry.name)) continue;
      auto row = run_program(**device, entry, arguments[4]);
      if (!row) {
        std::cerr << entry.name << ": " << row.error().render() << "\n";
        rows.push_back({{"benchmark", entry.name}, {"outcome", row.error().render()}});
        ++wrong;
      } else {
        wrong += row->is_right ? 0 : 1;
        std::cerr << fmt::format(
            "{:40} {:>10.3f} ms {:>8.1f} GB/s {:>9.1f} GFLOP/s {:>6.2f} of copy {}\n",
            row->data["benchmark"].get<std::string>(), row->data["median_seconds"].get<double>() * 1e3,
            row->data["gb_per_second"].get<double>(), row->data["gflop_per_second"].get<double>(),
            row->data["ratio"].get<double>(), row->is_right ? "right" : "WRONG");
        rows.push_back(row->data);
      }
      std::ofstream(arguments[2]) << json(rows).dump(1) << "\n";
    }
  }
  std::ofstream table(arguments[3]);
  table << "| benchmark | sizes | median ms | spread | GB/s | GFLOP/s | ratio to a copy of the same bytes | "
           "verified |\n"
           "|---|---|---:|---:|---:|---:|---:|---|\n";
  for (const json& row : rows) {
    if (!row.contains("median_seconds")) {
      table << "| " << row["benchmark"].get<std::string>() << " | | | | | | | "
            << row["outcome"].get<std::string>() << " |\n";
      continue;
    }
    std::string sizes;
    for (const auto& [name, value] : row["sizes"].items())
      sizes += fmt::format("{}={} ", name, value.get<std::int64_t>());
    table << fmt::format("| {} | {} | {:.3f} | {:.1f}% | {:.1f} | {:.1f} | {:.3f} | {} |\n",
                         row["benchmark"].get<std::string>(), sizes,
                         row["median_seconds"].get<double>() * 1e3, row["spread"].get<double>() * 100,
                         row["gb_per_second"].get<double>(), row["gflop_per_second"].get<double>(),
                         row["ratio"].get<double>(), row["verified"].get<bool>() ? "yes" : "NO");
  }
  return wrong == 0 ? 0 : 3;
}
