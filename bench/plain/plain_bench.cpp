// Hoist's kernels on the CPU against the plain loops of bench/plain/, in one process and in turns: every
// kernel of kernels/ by the device `host`, and beside it by other devices. The plain loops are held against
// the interpreter at a small size, everything else against the plain loops at the size that is timed. Times
// are wall-clock times of whole runs, with the data where they are computed.
//
//   plain_bench --device host --device opencl:0 --json OUT.json --markdown OUT.md --commit ID [name ...]
//
// A device runs the default mapping, "host" what runs there where nothing was tuned. With --store it also
// runs the best kernel that the store has ("host, tuned"): ../rest.py tunes, and makes the table of all.
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "base/stopwatch.hpp"
#include "contender.hpp"
#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "lang/lang.hpp"
#include "output.hpp"
#include "plain/libraries.hpp"
#include "plain/plain.hpp"
#include "plain/report.hpp"
#include "plain/sizes.hpp"
#include "runtime/devices.hpp"
#include "runtime/measure.hpp"
#include "suite_case.hpp"
#include "tuner/expected_kernel.hpp"
#include "tuner/stored_kernel.hpp"

namespace {

using namespace hoist;
using namespace hoist::bench;
using nlohmann::json;

struct Settings {
  std::vector<std::string> devices{"host"};
  std::string size_set = "timed";
  std::vector<std::string> names;  ///< of kernels; empty: all
  std::string store;               ///< of what was tuned; empty: none
  std::string root = HOIST_SOURCE_DIR;
  Output output;
  double patience = 4;  ///< seconds that the runs of a kernel may take
};

/// Arrays in memory like that of the device `host`: aligned, in huge pages where they are large.
class Arrays {
 public:
  void* add(std::size_t bytes) {
    constexpr std::size_t huge_page = 2 * 1024 * 1024;
    const std::size_t alignment = bytes >= huge_page ? huge_page : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    memory_.emplace_back(std::aligned_alloc(alignment, rounded), std::free);
    if (!memory_.back()) throw std::bad_alloc();
    if (alignment == huge_page) madvise(memory_.back().get(), rounded, MADV_HUGEPAGE);
    return memory_.back().get();
  }

 private:
  std::vector<std::unique_ptr<void, void (*)(void*)>> memory_;
};

/// A kernel in plain loops with its inputs and outputs.
class PlainRun {
 public:
  PlainRun(plain::Kernel kernel, const driver::NamedSizes& sizes, const std::vector<Data>& inputs,
           Data outputs)
      : kernel_(kernel), outputs_(std::move(outputs)) {
    for (const auto& [name, value] : sizes) arguments_.sizes[name] = value;
    for (const Data& input : inputs) {
      for (const Tensor& leaf : input) {
        void* array = arrays_.add(leaf.bytes.size());
        std::memcpy(array, leaf.bytes.data(), leaf.bytes.size());
        arguments_.inputs.push_back(array);
      }
    }
    for (const Tensor& leaf : outputs_) {
      const std::size_t bytes = bytes_of(leaf);
      arguments_.outputs.push_back(arrays_.add(bytes));
    }
    poison();
  }
  /// Fills the outputs with a pattern, so that what is not written is seen.
  void poison() {
    for (std::size_t leaf = 0; leaf < outputs_.size(); ++leaf)
      std::memset(arguments_.outputs[leaf], 0xA5, bytes_of(outputs_[leaf]));
  }
  const plain::Arguments& arguments() const { return arguments_; }
  void run() { kernel_.run(arguments_); }
  Data read_outputs() const {
    Data data = outputs_;
    for (std::size_t leaf = 0; leaf < data.size(); ++leaf) {
      const auto* first = static_cast<const std::byte*>(arguments_.outputs[leaf]);
      data[leaf].bytes.assign(first, first + bytes_of(data[leaf]));
    }
    return data;
  }

 private:
  static std::size_t bytes_of(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar);
  }

  plain::Kernel kernel_;
  Data outputs_;  ///< shapes without elements
  Arrays arrays_;
  plain::Arguments arguments_;
};

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return seconds_since(start);
}

/// Processes that ran or waited to run in the last minute, as the system counts them; empty where it does
/// not.
std::string load_of_last_minute() {
  std::string load;
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

class Bench {
 public:
  Bench(std::vector<std::unique_ptr<runtime::Device>> devices, const Settings& settings)
      : devices_(std::move(devices)), settings_(settings) {}

  Result<void> run(const plain::Kernel& kernel, const driver::SuiteProgram& entry);
  const std::vector<json>& rows() const { return rows_; }
  bool all_right() const { return all_right_; }

 private:
  struct Case : SuiteCase {
    PlainRun plain;
  };
  Result<Case> make_case(const plain::Kernel& kernel, const driver::SuiteProgram& entry,
                         const ir::Program& program, const driver::NamedSizes& sizes);
  /// What a device runs of a kernel, by names: untuned, and tuned where there is a store that has it.
  Result<std::map<std::string, driver::Compiled>> compiled_for(const target::Target& device,
                                                               const ir::Program& program, const Case& given);
  void add_device(runtime::Device& device, const ir::Program& program, const Case& given,
                  const Data& expected, const interpret::ErrorBound& bound,
                  std::vector<Contender>& contenders);
  void add_library(const std::string& name, const std::function<plain::LibraryRun()>& prepare,
                   PlainRun& plain, const Data& expected, const interpret::ErrorBound& bound,
                   std::vector<Contender>& contenders);
  void add_rows(const json& common, const std::vector<Contender>& contenders);

  std::vector<std::unique_ptr<runtime::Device>> devices_;
  const Settings& settings_;
  std::vector<json> rows_;
  bool all_right_ = true;
};

Result<Bench::Case> Bench::make_case(const plain::Kernel& kernel, const driver::SuiteProgram& entry,
                                     const ir::Program& program, const driver::NamedSizes& sizes) {
  auto made = suite_case(entry, program, sizes);
  if (!made) return tl::unexpected(made.error());
  PlainRun plain(kernel, sizes, made->inputs, made->outputs);
  return Case{std::move(*made), std::move(plain)};
}

Result<std::map<std::string, driver::Compiled>> Bench::compiled_for(const target::Target& device,
                                                                    const ir::Program& program,
                                                                    const Case& given) {
  return catch_failure([&] {
    const lower::Options lowering = driver::options_for(device);
    std::map<std::string, driver::Compiled> all;
    const auto untuned = need(tuner::expected_kernel(given.sized, device));
    all[device.id] = need(driver::compile(untuned ? untuned->low : given.sized, lowering));
    if (settings_.store.empty()) return all;
    store::Store store = need(store::Store::open(settings_.store, {.only_reads = true}));
    if (const auto tuned = need(tuner::stored_kernel(store, program, given.sizes, device)))
      all[device.id + ", tuned"] = need(driver::compile(tuned->low, lowering));
    return all;
  });
}

/// Compiles, builds, runs and compares; whatever fails is the outcome.
void Bench::add_device(runtime::Device& device, const ir::Program& program, const Case& given,
                       const Data& expected, const interpret::ErrorBound& bound,
                       std::vector<Contender>& contenders) {
  const auto all = compiled_for(device.info(), program, given);
  if (!all) {
    Contender& failed = contenders.emplace_back();
    failed.name = device.info().id;
    failed.outcome = outcome_of([&]() -> Result<void> { return tl::unexpected(all.error()); });
    return;
  }
  for (const auto& [name, compiled] : *all) {
    Contender& contender = contenders.emplace_back();
    contender.name = name;
    contender.outcome = outcome_of([&, &compiled = compiled]() -> Result<void> {
      auto right = right_executable(device, compiled, given.inputs, expected, bound);
      if (!right) return tl::unexpected(right.error());
      contender.is_verified = true;
      contender.run = [executable = *right]() -> Result<double> {
        std::optional<Error> failure;
        const double seconds = seconds_of([&] {
          if (auto times = executable->run(); !times) failure = times.error();
        });
        if (failure) return tl::unexpected(*failure);
        return seconds;
      };
      return {};
    });
  }
}

/// What a library has for the kernel, into the outputs of the plain loops.
void Bench::add_library(const std::string& name, const std::function<plain::LibraryRun()>& prepare,
                        PlainRun& plain, const Data& expected, const interpret::ErrorBound& bound,
                        std::vector<Contender>& contenders) {
  Contender contender;
  contender.name = name;
  bool has_it = true;
  contender.outcome = outcome_of([&]() -> Result<void> {
    const plain::LibraryRun run = prepare();
    has_it = static_cast<bool>(run);
    if (!has_it) return {};
    plain.poison();
    run();
    auto comparison = interpret::compare(expected, plain.read_outputs(), bound);
    if (!comparison) return tl::unexpected(comparison.error());
    if (!comparison->agrees()) return user_error("wrong: " + interpret::to_string(*comparison));
    contender.is_verified = true;
    contender.run = [run]() -> Result<double> { return seconds_of(run); };
    return {};
  });
  if (has_it) contenders.push_back(std::move(contender));
}

void Bench::add_rows(const json& common, const std::vector<Contender>& contenders) {
  const Contender& plain = contenders.front();
  for (const Contender& contender : contenders) {
    json row = common;
    row["variant"] = contender.name;
    row["outcome"] = contender.outcome;
    row["verified"] = contender.is_verified;
    if (!contender.is_right()) all_right_ = false;
    if (contender.is_right() && !contender.seconds.empty()) {
      const runtime::Measurement measured = runtime::summarize(contender.seconds);
      row["repetitions"] = contender.seconds.size();
      row["median_seconds"] = measured.median;
      row["minimum_seconds"] = measured.minimum;
      row["spread"] = measured.spread;
      if (&contender != &plain && !plain.seconds.empty()) {
        const runtime::Measurement baseline = runtime::summarize(plain.seconds);
        row["baseline"] = plain.name;
        row["baseline_seconds"] = baseline.median;
        row["ratio"] = baseline.median / measured.median;
        row["ratio_of_minima"] = baseline.minimum / measured.minimum;
      }
    }
    std::cerr << fmt::format(
        "{:28} {:12} {:>12} {:>7} {:>7} {}\n", common["benchmark"].get<std::string>(), contender.name,
        row.contains("median_seconds") ? fmt::format("{:.3f} ms", row["median_seconds"].get<double>() * 1e3)
                                       : "",
        row.contains("ratio") ? fmt::format("{:.3f}", row["ratio"].get<double>()) : "",
        row.contains("ratio") ? fmt::format("{:.3f}", row["ratio_of_minima"].get<double>()) : "",
        contender.outcome);
    rows_.push_back(std::move(row));
  }
}

Result<void> Bench::run(const plain::Kernel& kernel, const driver::SuiteProgram& entry) {
  ir::Arena arena;
  auto source = driver::read_source(entry.path);
  if (!source) return tl::unexpected(source.error());
  auto program = lang::parse_program(*source);
  if (!program) return tl::unexpected(program.error());
  const driver::NamedSizes& small_sizes = entry.sizes.at("prime");
  Result<driver::NamedSizes> sizes = settings_.size_set == "timed" ? timed_sizes(entry.name) : small_sizes;
  if (!sizes) return tl::unexpected(sizes.error());
  auto small = make_case(kernel, entry, *program, small_sizes);
  if (!small) return tl::unexpected(small.error());
  auto given = make_case(kernel, entry, *program, *sizes);
  if (!given) return tl::unexpected(given.error());

  // The plain loops first: there is nothing to hold the others against before these are right.
  std::vector<Contender> contenders(1);
  contenders[0].name = plain_loops;
  interpret::ErrorBound bound;
  contenders[0].outcome = outcome_of([&]() -> Result<void> {
    small->plain.run();
    auto verified = driver::verify(*program, small_sizes, small->inputs, small->plain.read_outputs());
    if (!verified) return tl::unexpected(verified.error());
    if (!verified->comparison.agrees())
      return user_error("wrong: " + interpret::to_string(verified->comparison));
    bound = interpret::error_bound(*program, driver::bindings_of(*program, *sizes), &verified->counts);
    return {};
  });
  if (contenders[0].is_right()) {
    contenders[0].is_verified = true;
    contenders[0].run = [&]() -> Result<double> { return seconds_of([&] { given->plain.run(); }); };
    given->plain.run();
    const Data expected = given->plain.read_outputs();
    for (const auto& device : devices_) add_device(*device, *program, *given, expected, bound, contenders);
    PlainRun& plain = given->plain;
    const auto openblas = [&] { return plain::openblas_run(entry.name, plain.arguments()); };
    const auto clang = [&] { return plain::clang_run(entry.name, plain.arguments()); };
    add_library("clang", clang, plain, expected, bound, contenders);
    add_library("OpenBLAS", openblas, plain, expected, bound, contenders);
#ifdef HALIDE_AUTOSCHEDULER
    const auto halide = [&] { return plain::halide_run(entry.name, plain.arguments()); };
    add_library("Halide", halide, plain, expected, bound, contenders);
#endif
  }
  measure_in_turns(contenders, settings_.output.repetitions, settings_.patience);

  json common;
  common["benchmark"] = entry.name;
  for (const auto& [name, value] : *sizes) common["sizes"][name] = value;
  common["backend"] = "host";
  common["device"] = devices_.front()->info().name;
  common["commit"] = settings_.output.commit;
  common["load"] = load_of_last_minute();
  add_rows(common, contenders);
  return {};
}

int main_of(const Settings& settings) {
  std::vector<std::unique_ptr<runtime::Device>> devices;
  for (const std::string& id : settings.devices) {
    auto device = runtime::open_device(id);
    if (!device) {
      std::cerr << device.error().render();
      return 2;
    }
    devices.push_back(std::move(*device));
  }
  auto suite = driver::load_suite(settings.root + "/kernels");
  if (!suite) {
    std::cerr << suite.error().render();
    return 1;
  }
  std::cerr << plain::openblas_facts() << "\n";
  Bench bench(std::move(devices), settings);
  bool could_run = true;
  const std::vector<plain::Kernel> kernels = plain::all_kernels();
  for (const driver::SuiteProgram& entry : *suite) {
    const auto& names = settings.names;
    if (!names.empty() && std::find(names.begin(), names.end(), entry.name) == names.end()) continue;
    const auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const auto& each) { return each.name == entry.name; });
    auto done = kernel == kernels.end() ? user_error("bench/plain/ has no plain loops for it")
                                        : bench.run(*kernel, entry);
    if (!done) {
      std::cerr << entry.name << ": " << done.error().render() << "\n";
      could_run = false;
    }
    settings.output.write_rows(bench.rows(), plain_summaries(bench.rows()));
  }
  settings.output.write_table(plain_table(bench.rows(), plain_summaries(bench.rows())));
  return could_run && bench.all_right() ? 0 : 3;
}

}  // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app("Hoist's kernels on the CPU against plain loops");
  std::vector<std::string> names;
  for (const plain::Kernel& kernel : plain::all_kernels()) names.emplace_back(kernel.name);
  app.add_option("names", settings.names, "kernels; all when none is named")->check(CLI::IsMember(names));
  app.add_option("--device", settings.devices, "as `hoist devices` lists them")->capture_default_str();
  app.add_option("--sizes", settings.size_set, "timed, or the small ones of the tests")
      ->check(CLI::IsMember({"timed", "test"}))
      ->capture_default_str();
  app.add_option("--patience", settings.patience, "seconds that the runs of a kernel may take")
      ->capture_default_str();
  app.add_option("--store", settings.store, "what was tuned for these sizes, which is measured, too");
  settings.output.add_options(app);
  app.add_option("--root", settings.root, "the folder that has kernels/")->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  return main_of(settings);
}
