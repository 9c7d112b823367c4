// How good random candidates are: a sample of what a program may become (hoist explore), each built, run,
// compared with the default mapping's result and timed; beside them the default mapping and a low-level
// program by hand. Builds in several threads; only one kernel runs at a time.
//
//   sample_bench kernels/matmul_nn.hoist M=1024 N=1024 K=1024 --by-hand kernels/low-level/sgemm.hoist
//   --device cuda:0
//                --sample 500 --seed 1 --json OUT.json --commit ID
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "lang/lang.hpp"
#include "runtime/measure.hpp"
#include "tune/explore.hpp"
#include "tune/inputs.hpp"
#include "tune/verify.hpp"

namespace {

using namespace hoist;
using nlohmann::json;

struct Settings {
  std::string device = runtime::default_device(), program, by_hand, json_path, commit = "unknown";
  std::vector<std::string> sizes, ids;
  std::size_t sample = 500, threads = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t seed = 1;
  double seconds = 0;  ///< none is begun after so many; 0: all are
};

tune::NamedSizes sizes_of(const std::vector<std::string>& texts) {
  tune::NamedSizes sizes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw_user(fmt::format("'{}' is no size", text), {}, "write N=1024");
    sizes.emplace_back(text.substr(0, equals), std::stoll(text.substr(equals + 1)));
  }
  return sizes;
}

ir::Program read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw_user(fmt::format("{} cannot be read", path));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto program = lang::parse_program(Source{path, text});
  if (!program) throw Failure(program.error());
  return *program;
}

template <class T>
T need(Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(*result);
}

/// One program to be timed, and what came of it.
struct Entry {
  std::string name, derivation, outcome = "ok";
  tune::NamedSizes values;
  std::optional<tune::Compiled> compiled;
  std::vector<double> seconds;
  double build_seconds = 0;
};

class Bench {
 public:
  Bench(const Settings& settings, std::vector<Entry>& entries, const std::vector<Data>& inputs,
        const interpret::ErrorBound& bound)
      : settings_(settings), entries_(entries), inputs_(inputs), bound_(bound) {}

  /// The first entry gives what the others are held against.
  void run() {
    const auto first = need(runtime::open_device(settings_.device));
    measure(*first, need(on_device(*first)), entries_[0], true);
    if (entries_[0].outcome != "ok") throw_user("the default mapping fails: " + entries_[0].outcome);
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < settings_.threads; ++i) workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
  }

 private:
  void work() {
    const ir::Arena arena;
    auto device = runtime::open_device(settings_.device);
    if (!device) return;
    const auto inputs = on_device(**device);
    if (!inputs) return;
    for (std::size_t i = ++next_; i < entries_.size(); i = ++next_) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
      if (settings_.seconds > 0 && spent.count() > settings_.seconds) {
        entries_[i].outcome = "not reached in time";
        continue;
      }
      if (entries_[i].compiled) measure(**device, *inputs, entries_[i], false);
    }
  }

  using Buffers = std::vector<std::unique_ptr<runtime::Buffer>>;

  /// The arrays among the flattened inputs, copied once for all candidates of a worker; null where one is a
  /// scalar.
  Result<Buffers> on_device(runtime::Device& device) {
    const std::lock_guard lock(device_is_busy_);
    Buffers buffers;
    for (const Data& data : inputs_) {
      for (const Tensor& tensor : data) {
        buffers.emplace_back();
        if (tensor.shape.empty()) continue;
        auto buffer = device.allocate(tensor.bytes.size());
        if (!buffer) return tl::unexpected(buffer.error());
        if (auto written = device.write(**buffer, tensor.bytes); !written)
          return tl::unexpected(written.error());
        buffers.back() = std::move(*buffer);
      }
    }
    return buffers;
  }

  /// The scalars among the inputs; what is an array is bound.
  Result<tune::Bound> bind(tune::Executable& executable, const Buffers& buffers) {
    tune::Bound bound;
    std::size_t leaf = 0;
    for (const Data& data : inputs_) {
      for (const Tensor& tensor : data) {
        bound.inputs.push_back(buffers[leaf].get());
        if (!buffers[leaf]) {
          if (auto written = executable.write_input(leaf, tensor.bytes); !written)
            return tl::unexpected(written.error());
        }
        ++leaf;
      }
    }
    return bound;
  }

  void measure(runtime::Device& device, const Buffers& buffers, Entry& entry, bool is_first) {
    const auto attempt = [&]() -> Result<void> {
      auto executable = tune::Executable::prepare(device, *entry.compiled);
      if (!executable) return tl::unexpected(executable.error());
      entry.build_seconds = executable->build_seconds();
      Data got;
      {
        const std::lock_guard lock(device_is_busy_);
        const auto bound = bind(*executable, buffers);
        if (!bound) return tl::unexpected(bound.error());
        if (auto poisoned = executable->poison(); !poisoned) return poisoned;
        if (auto ran = executable->run(*bound); !ran) return tl::unexpected(ran.error());
        auto read = executable->read_outputs();
        if (!read) return tl::unexpected(read.error());
        got = std::move(*read);
        if (auto timed = time(*executable, *bound, entry); !timed) return timed;
      }
      if (is_first) {
        expected_ = std::move(got);
        return {};
      }
      auto comparison = interpret::compare(expected_, got, bound_);
      if (!comparison) return tl::unexpected(comparison.error());
      if (!comparison->agrees()) return user_error("wrong: " + interpret::to_string(*comparison));
      return {};
    };
    if (const auto done = attempt(); !done) entry.outcome = done.error().diagnostics.front().message;
    const std::lock_guard lock(device_is_busy_);
    if (++done_ % 50 == 0) std::cerr << fmt::format("{} of {}\n", done_, entries_.size());
  }

  /// As many runs as fit into a moment; at least two.
  static Result<void> time(tune::Executable& executable, const tune::Bound& bound, Entry& entry) {
    constexpr double moment = 0.02;
    constexpr std::size_t most = 21;
    double spent = 0;
    while (entry.seconds.size() < most && (spent < moment || entry.seconds.size() < 2)) {
      auto times = executable.run(bound);
      if (!times) return tl::unexpected(times.error());
      entry.seconds.push_back(times->kernels);
      spent += times->kernels;
    }
    return {};
  }

  const Settings& settings_;
  std::vector<Entry>& entries_;
  const std::vector<Data>& inputs_;
  interpret::ErrorBound bound_;
  Data expected_;
  std::mutex device_is_busy_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next_{0};
  std::size_t done_ = 0;
};

/// The default mapping, the program by hand, then the sample.
std::vector<Entry> entries_of(const Settings& settings, const ir::Program& program,
                              const tune::NamedSizes& sizes, const runtime::DeviceInfo& device, json& facts) {
  const lower::Options lowering = tune::options_for(device);
  std::vector<Entry> entries;
  const auto add = [&](std::string name, const ir::Program& of) -> Entry& {
    Entry& entry = entries.emplace_back();
    entry.name = std::move(name);
    auto compiled = tune::compile(of, device.language, lowering);
    if (compiled) {
      entry.compiled = std::move(*compiled);
    } else {
      entry.outcome = compiled.error().diagnostics.front().message;
    }
    return entry;
  };
  add("default", need(tune::with_sizes(program, sizes)));
  if (!settings.by_hand.empty()) add("by hand", need(tune::with_sizes(read(settings.by_hand), sizes)));
  tune::ExplorationOptions options;
  options.limits = tune::limits_of(device);
  if (device.type != runtime::DeviceInfo::Type::Gpu) options.profile = tune::cpu();
  constexpr std::int64_t warp = 32;
  if (options.profile.has_groups) options.limits.least_group_size = warp;
  const tune::Exploration space =
      need(tune::Exploration::of(need(tune::with_sizes(program, sizes)), options));
  facts["derivations"] = space.derivations();
  facts["points"] = space.count();
  std::size_t taken = 0, discarded = 0;
  std::set<std::string> seen;
  const auto take = [&](const tune::CandidateId& id) {
    if (taken == settings.sample || !seen.insert(to_string(id)).second) return;
    const tune::Candidate candidate = space.look(id, lowering);
    if (!candidate.discarded.empty()) {
      ++discarded;
      return;
    }
    ++taken;
    Entry& entry = add(to_string(id), *candidate.low);
    entry.values = candidate.values;
    for (const rewrite::Step& step : space.derivation(id.derivation).trace)
      entry.derivation += step.rule + "; ";
  };
  for (const std::string& text : settings.ids) take(need(tune::candidate_id(text)));
  // What is discarded does not count: more are drawn until there are enough, or no new ones come.
  constexpr std::uint64_t most_draws = 16;
  for (std::uint64_t draw = 0; settings.ids.empty() && taken < settings.sample && draw < most_draws; ++draw) {
    for (const tune::CandidateId& id : space.sample(settings.sample, settings.seed + draw)) take(id);
  }
  facts["discarded"] = discarded;
  return entries;
}

json report(const std::vector<Entry>& entries, json facts) {
  json rows = json::array();
  std::vector<std::pair<double, const Entry*>> right;
  for (const Entry& entry : entries) {
    json row = {{"name", entry.name},
                {"derivation", entry.derivation},
                {"outcome", entry.outcome},
                {"build_seconds", entry.build_seconds}};
    for (const auto& [name, value] : entry.values) row["values"][name] = value;
    if (entry.outcome == "ok" && !entry.seconds.empty()) {
      row["median_seconds"] = runtime::summarize(entry.seconds).median;
      if (&entry != &entries[0] && entry.name != "by hand") right.emplace_back(row["median_seconds"], &entry);
    }
    rows.push_back(std::move(row));
  }
  std::sort(right.begin(), right.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  facts["right"] = right.size();
  if (!right.empty()) {
    facts["best"] = {{"name", right[0].second->name}, {"seconds", right[0].first}};
    for (const double share : {0.01, 0.1, 0.5, 0.9})
      facts["quantiles"][fmt::format("{}", share)] =
          right[static_cast<std::size_t>(share * static_cast<double>(right.size() - 1))].first;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(10, right.size()); ++i) {
    std::string values;
    for (const auto& [name, value] : right[i].second->values) values += fmt::format("{}={} ", name, value);
    std::cout << fmt::format("{:>12} {:.4f} ms  {} {}\n", right[i].second->name, 1e3 * right[i].first, values,
                             right[i].second->derivation);
  }
  return {{"facts", std::move(facts)}, {"rows", std::move(rows)}};
}

int main_of(const Settings& settings) {
  const ir::Arena arena;
  const ir::Program program = read(settings.program);
  const tune::NamedSizes sizes = sizes_of(settings.sizes);
  const runtime::DeviceInfo device = need(runtime::open_device(settings.device))->info();
  const std::vector<Data> inputs =
      need(tune::random_inputs(program, tune::bindings_of(program, sizes), settings.seed, {}));
  const interpret::ErrorBound bound =
      interpret::error_bound(program, tune::bindings_of(program, sizes), nullptr);
  json facts = {{"program", settings.program},
                {"device", device.name},
                {"backend", device.id},
                {"seed", settings.seed},
                {"commit", settings.commit}};
  for (const auto& [name, value] : sizes) facts["sizes"][name] = value;
  std::vector<Entry> entries = entries_of(settings, program, sizes, device, facts);
  Bench(settings, entries, inputs, bound).run();
  const json all = report(entries, std::move(facts));
  std::cout << all["facts"].dump(1) << "\n";
  for (const json& row : all["rows"]) {
    if (row["outcome"] == "ok" && (row["name"] == "default" || row["name"] == "by hand"))
      std::cout << fmt::format("{}: {:.4f} ms\n", row["name"].get<std::string>(),
                               1e3 * row["median_seconds"].get<double>());
  }
  std::map<std::string, int> outcomes;
  for (const Entry& entry : entries) ++outcomes[entry.outcome.substr(0, 120)];
  for (const auto& [outcome, count] : outcomes) std::cout << count << " " << outcome << "\n";
  if (!settings.json_path.empty()) std::ofstream(settings.json_path) << all.dump() << "\n";
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app{"Times random candidates of a program"};
  app.add_option("program", settings.program)->required();
  app.add_option("sizes", settings.sizes, "N=1024 ...");
  app.add_option("--device", settings.device);
  app.add_option("--by-hand", settings.by_hand, "A low-level program of the same inputs");
  app.add_option("--sample", settings.sample);
  app.add_option("--seed", settings.seed);
  app.add_option("--id", settings.ids, "These candidates instead of a sample");
  app.add_option("--seconds", settings.seconds, "Begin no candidate after so many");
  app.add_option("--threads", settings.threads);
  app.add_option("--json", settings.json_path);
  app.add_option("--commit", settings.commit);
  CLI11_PARSE(app, count, arguments);
  try {
    return main_of(settings);
  } catch (const Failure& failure) {
    std::cerr << failure.error().render();
    return 1;
  }
}
