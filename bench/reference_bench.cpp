// Generated kernels against those that bench/reference/ has by hand, with the same choices, in one run: each
// benchmark's hand-written kernel, the same program compiled with all passes, with none and with each alone,
// and a copy and a reading of as many bytes, in turns. Hand-written kernels are held against the interpreter
// at a small size, generated ones against the hand-written at the size that is timed.
//
//   reference_bench --device opencl:0 --sizes small,large --json OUT.json --markdown OUT.md --commit ID [name
//   ...]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "contender.hpp"
#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "driver/work.hpp"
#include "lang/lang.hpp"
#include "output.hpp"
#include "reference/executable.hpp"
#include "reference/report.hpp"
#include "reference/table.hpp"
#include "runtime/devices.hpp"
#include "runtime/measure.hpp"
#include "suite_case.hpp"

namespace {

using namespace hoist;
using namespace hoist::bench;
using nlohmann::json;

constexpr const char* kept_checks =
    "index-checks";  ///< keeps a program inside its arrays: safety, no optimisation

constexpr double patience = 3;  ///< seconds of device time that a benchmark may take

struct Settings {
  std::string device = runtime::default_device();
  std::vector<std::string> size_sets{"small", "large"};
  std::vector<std::string> variants;  ///< names of them; empty: all
  std::vector<std::string> names;     ///< of benchmarks; empty: all
  std::string root = HOIST_SOURCE_DIR;
  Output output;
};

/// One way to compile: a column of the ablation.
struct Variant {
  std::string name;
  std::vector<std::string> without;
};

std::vector<Variant> ablation() {
  std::vector<std::string> optimisations = lower::optional_passes();
  std::erase(optimisations, kept_checks);
  std::vector<Variant> variants{{"all", {}}, {"none", optimisations}};
  for (const std::string& only : optimisations) {
    Variant variant{"only " + only, optimisations};
    std::erase(variant.without, only);
    variants.push_back(std::move(variant));
  }
  variants.push_back({"all, unchecked", {kept_checks}});
  return variants;
}

const driver::SuiteProgram* find(const std::vector<driver::SuiteProgram>& suite, const std::string& name) {
  auto found =
      std::find_if(suite.begin(), suite.end(), [&](const auto& program) { return program.name == name; });
  return found == suite.end() ? nullptr : &*found;
}

class Bench {
 public:
  Bench(runtime::Device& device, const Settings& settings) : device_(device), settings_(settings) {}

  Result<void> load() {
    for (const char* folder : {"/kernels/low-level", "/kernels"}) {
      auto suite = driver::load_suite(settings_.root + folder);
      if (!suite) return tl::unexpected(suite.error());
      suite_.insert(suite_.end(), suite->begin(), suite->end());
    }
    return {};
  }

  /// Adds the rows of a benchmark at one set of sizes. An error is one that nothing could be measured after.
  Result<void> run(const Reference& reference, const std::string& set);

  const std::vector<json>& rows() const { return rows_; }
  bool all_right() const { return all_right_; }

 private:
  std::string folder() const { return settings_.root + "/bench/reference"; }
  Result<Data> once(ReferenceExecutable& reference) {
    if (auto poisoned = reference.poison(); !poisoned) return tl::unexpected(poisoned.error());
    if (auto ran = reference.run(); !ran) return tl::unexpected(ran.error());
    return reference.read_outputs();
  }
  Result<interpret::Counts> verify_by_hand(const Reference& reference, const ir::Program& program,
                                           const SuiteCase& small);
  void add_generated(const Variant& variant, const SuiteCase& given, const Data& expected,
                     const interpret::ErrorBound& bound, std::vector<Contender>& contenders);
  void add_rows(const json& common, std::vector<Contender>& contenders, double bytes, double flops);

  runtime::Device& device_;
  const Settings& settings_;
  std::vector<driver::SuiteProgram>
      suite_;  ///< low-level programs first: they are the ones compared where there are both
  std::vector<json> rows_;
  std::vector<std::pair<std::string, std::string>> sources_;  ///< of the current benchmark: contender, text
  bool all_right_ = true;
};

/// The hand-written kernel against the interpreter; what the interpreter observed. User error with the
/// mismatch.
Result<interpret::Counts> Bench::verify_by_hand(const Reference& reference, const ir::Program& program,
                                                const SuiteCase& small) {
  auto executable =
      ReferenceExecutable::prepare(device_, folder(), reference, small.sizes, small.inputs, small.outputs);
  if (!executable) return tl::unexpected(executable.error());
  auto got = once(*executable);
  if (!got) return tl::unexpected(got.error());
  auto verified = driver::verify(program, small.sizes, small.inputs, *got);
  if (!verified) return tl::unexpected(verified.error());
  if (!verified->comparison.agrees())
    return user_error("wrong: " + interpret::to_string(verified->comparison));
  return verified->counts;
}

/// Compiles, builds, runs and compares a variant; whatever fails is its outcome.
void Bench::add_generated(const Variant& variant, const SuiteCase& given, const Data& expected,
                          const interpret::ErrorBound& bound, std::vector<Contender>& contenders) {
  Contender& contender = contenders.emplace_back();
  contender.name = variant.name;
  auto attempt = [&]() -> Result<void> {
    lower::Options options = driver::options_for(device_.info());
    for (const std::string& pass : variant.without) {
      if (auto disabled = lower::disable_pass(options, pass); !disabled) return disabled;
    }
    auto compiled = driver::compile(given.sized, options);
    if (!compiled) return tl::unexpected(compiled.error());
    for (const auto& [other, source] : sources_) {
      if (source != compiled->source) continue;
      contender.same_code_as = other;
      return {};
    }
    sources_.emplace_back(variant.name, compiled->source);
    auto right = right_executable(device_, *compiled, given.inputs, expected, bound);
    if (!right) return tl::unexpected(right.error());
    contender.is_verified = true;
    contender.run = [executable = *right]() -> Result<double> {
      auto times = executable->run();
      if (!times) return tl::unexpected(times.error());
      return times->kernels;
    };
    return {};
  };
  contender.outcome = outcome_of(attempt);
}

void Bench::add_rows(const json& common, std::vector<Contender>& contenders, double bytes, double flops) {
  auto of = [&](const std::string& name) -> Contender& {
    return *std::find_if(contenders.begin(), contenders.end(),
                         [&](const Contender& c) { return c.name == name; });
  };
  for (Contender& contender : contenders) {
    if (contender.same_code_as.empty()) continue;
    const Contender& twin = of(contender.same_code_as);
    contender.seconds = twin.seconds;
    contender.outcome = twin.outcome;
    contender.is_verified = twin.is_verified;
  }
  const bool has_baseline = of(hand_written).is_right() && !of(hand_written).seconds.empty();
  for (const Contender& contender : contenders) {
    json row = common;
    row["variant"] = contender.name;
    row["outcome"] = contender.outcome;
    if (!contender.same_code_as.empty()) row["same_code_as"] = contender.same_code_as;
    const bool is_ceiling = contender.name == "copy" || contender.name == "read";
    if (!is_ceiling) row["verified"] = contender.is_verified;
    if (!contender.is_right()) {
      all_right_ = false;
    } else if (!contender.seconds.empty()) {
      const runtime::Measurement measured = runtime::summarize(contender.seconds);
      row["repetitions"] = contender.seconds.size();
      row["median_seconds"] = measured.median;
      row["spread"] = measured.spread;
      row["gb_per_second"] = bytes / measured.median * 1e-9;
      if (!is_ceiling) row["gflop_per_second"] = flops / measured.median * 1e-9;
      // The hand-written kernel is held against a copy; all else against the hand-written kernel.
      const std::string baseline = contender.name == hand_written ? "copy" : hand_written;
      if (has_baseline && of(baseline).is_right()) {
        const double seconds = runtime::summarize(of(baseline).seconds).median;
        row["baseline"] = baseline == "copy" ? "copy of the same bytes" : baseline;
        row["baseline_seconds"] = seconds;
        row["ratio"] = seconds / measured.median;
      }
      for (const char* ceiling : {"copy", "read"}) {
        if (is_ceiling || !of(ceiling).is_right()) continue;
        row[fmt::format("ratio_to_{}", ceiling)] =
            runtime::summarize(of(ceiling).seconds).median / measured.median;
      }
    }
    std::cerr << fmt::format(
        "{:14} {:6} {:34} {:>10} {:>7} {}\n", common["benchmark"].get<std::string>(),
        common["size_set"].get<std::string>(), contender.name,
        row.contains("median_seconds") ? fmt::format("{:.4f} ms", row["median_seconds"].get<double>() * 1e3)
                                       : "",
        row.contains("ratio") ? fmt::format("{:.3f}", row["ratio"].get<double>()) : "", contender.outcome);
    rows_.push_back(std::move(row));
  }
}

Result<void> Bench::run(const Reference& reference, const std::string& set) {
  const driver::SuiteProgram* entry = find(suite_, reference.name);
  if (!entry) return user_error("kernels/ has no program for the reference " + reference.name);
  ir::Arena arena;
  auto source = driver::read_source(entry->path);
  if (!source) return tl::unexpected(source.error());
  auto program = lang::parse_program(*source);
  if (!program) return tl::unexpected(program.error());
  const driver::NamedSizes& sizes = reference.sizes.at(set);
  auto sized = driver::with_sizes(*program, sizes);
  if (!sized) return tl::unexpected(sized.error());
  auto work = driver::work_of(*sized);
  if (!work) return tl::unexpected(work.error());

  json common;
  common["benchmark"] = reference.name;
  common["program"] = entry->path.lexically_relative(settings_.root).string();
  common["is_of_table"] = reference.is_of_table;
  common["size_set"] = set;
  for (const auto& [name, value] : sizes) common["sizes"][name] = value;
  common["backend"] = device_.info().id.substr(0, device_.info().id.find(':'));
  common["device"] = device_.info().name;
  common["commit"] = settings_.output.commit;
  sources_.clear();

  // The hand-written kernel first: without one that is right there is nothing to hold the others against.
  std::vector<Contender> contenders(1);
  contenders[0].name = hand_written;
  std::shared_ptr<ReferenceExecutable> by_hand;
  auto small = suite_case(*entry, *program, reference.sizes.at("test"));
  if (!small) return tl::unexpected(small.error());
  auto given = suite_case(*entry, *program, sizes);
  if (!given) return tl::unexpected(given.error());
  Data expected;
  interpret::ErrorBound bound;
  auto attempt = [&]() -> Result<void> {
    auto counts = verify_by_hand(reference, *program, *small);
    if (!counts) return tl::unexpected(counts.error());
    bound = interpret::error_bound(*program, driver::bindings_of(*program, sizes), &*counts);
    auto prepared =
        ReferenceExecutable::prepare(device_, folder(), reference, sizes, given->inputs, given->outputs);
    if (!prepared) return tl::unexpected(prepared.error());
    by_hand = std::make_shared<ReferenceExecutable>(std::move(*prepared));
    auto got = once(*by_hand);
    if (!got) return tl::unexpected(got.error());
    expected = std::move(*got);
    return {};
  };
  contenders[0].outcome = outcome_of(attempt);
  if (contenders[0].is_right()) {
    contenders[0].is_verified = true;
    contenders[0].run = [by_hand] { return by_hand->run(); };
    for (const Variant& variant : ablation()) {
      const auto& wanted = settings_.variants;
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), variant.name) == wanted.end()) continue;
      add_generated(variant, *given, expected, bound, contenders);
    }
    expected.clear();
  }
  Contender copy, read;
  copy.name = "copy";
  read.name = "read";
  copy.outcome = read.outcome = outcome_of([&]() -> Result<void> {
    auto prepared = Ceilings::prepare(device_, folder(), work->bytes);
    if (!prepared) return tl::unexpected(prepared.error());
    auto ceilings = std::make_shared<Ceilings>(std::move(*prepared));
    copy.run = [ceilings] { return ceilings->copy(); };
    read.run = [ceilings] { return ceilings->read(); };
    return {};
  });
  contenders.push_back(std::move(copy));
  contenders.push_back(std::move(read));
  measure_in_turns(contenders, settings_.output.repetitions, patience);
  add_rows(common, contenders, work->bytes, work->flops);
  return {};
}

int main_of(const Settings& settings) {
  auto device = runtime::open_device(settings.device);
  if (!device) {
    std::cerr << device.error().render();
    return 2;
  }
  Bench bench(**device, settings);
  if (auto loaded = bench.load(); !loaded) {
    std::cerr << loaded.error().render();
    return 1;
  }
  bool could_run = true;
  for (const Reference& reference : references()) {
    const auto& names = settings.names;
    if (!names.empty() && std::find(names.begin(), names.end(), reference.name) == names.end()) continue;
    for (const std::string& set : settings.size_sets) {
      if (auto done = bench.run(reference, set); !done) {
        std::cerr << reference.name << ": " << done.error().render() << "\n";
        could_run = false;
      }
      settings.output.write_rows(bench.rows(), summaries(bench.rows()));
    }
  }
  settings.output.write_table(table_of(bench.rows(), summaries(bench.rows())));
  return could_run && bench.all_right() ? 0 : 3;
}

}  // namespace

int main(int count, char** arguments) {
  Settings settings;
  std::vector<std::string> names, variants;
  for (const Reference& reference : references()) names.push_back(reference.name);
  for (const Variant& variant : ablation()) variants.push_back(variant.name);
  CLI::App app("Generated kernels against hand-written ones");
  app.add_option("names", settings.names, "benchmarks; all when none is named")->check(CLI::IsMember(names));
  app.add_option("--device", settings.device, "as `hoist devices` lists them")->capture_default_str();
  app.add_option("--sizes", settings.size_sets, "of test, small, large")
      ->delimiter(',')
      ->check(CLI::IsMember({"test", "small", "large"}))
      ->capture_default_str();
  app.add_option("--variant", settings.variants, "ways to compile; all when none is given")
      ->check(CLI::IsMember(variants));
  settings.output.add_options(app);
  app.add_option("--root", settings.root, "the folder that has kernels/ and bench/reference/")
      ->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  return main_of(settings);
}
