// How good random candidates are: a sample of what a program may become (hoist explore), each built, run,
// compared with what the program means and timed; beside them the default mapping and a low-level program by
// hand. In worker processes, so that what crashes or hangs is counted too; only one kernel runs at a time.
//
//   sample_bench kernels/matmul_nn.hoist M=1024 N=1024 K=1024 --by-hand kernels/low-level/sgemm.hoist
//   --device cuda:0
//                --sample 500 --seed 1 --json OUT.json --commit ID
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "ir/print.hpp"
#include "lang/lang.hpp"
#include "tune/explore.hpp"
#include "tune/inputs.hpp"
#include "tune/measurer.hpp"
#include "tune/suite.hpp"
#include "tune/verify.hpp"
#include "tune/worker/worker.hpp"

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

template <class T>
T need(Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(*result);
}

ir::Program read(const std::string& path) { return need(lang::parse_program(need(tune::read_source(path)))); }

/// One program to be timed, and what came of it.
struct Entry {
  std::string name, text, derivation, outcome;
  tune::NamedSizes values;
  std::vector<double> seconds;
  double build_seconds = 0;
};

/// The measuring of all entries, by worker processes. What is slow is timed to the end, too: the quantiles of
/// the sample need it.
tune::MeasuringOptions options_of(const Settings& settings) {
  tune::MeasuringOptions options;
  options.devices = {settings.device};
  options.builders = settings.threads;
  options.rule = {.warm_ups = 0, .least = 2, .most = 21, .seconds = 0.02, .width = 0};
  options.hopeless_factor = 0;
  return options;
}

std::string outcome_text(const tune::Outcome& outcome) {
  if (outcome.kind == tune::OutcomeKind::Ok) return "ok";
  return fmt::format("{}: {}", name_of(outcome.kind), outcome.message.substr(0, outcome.message.find('\n')));
}

void measure(const Settings& settings, const tune::Task& task, std::vector<Entry>& entries) {
  const std::unique_ptr<tune::Measurer> measurer = need(tune::Measurer::start(task, options_of(settings)));
  const auto start = std::chrono::steady_clock::now();
  const auto is_time_left = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return settings.seconds <= 0 || spent.count() <= settings.seconds;
  };
  for (std::size_t next = 0, done = 0; next < entries.size() || measurer->under_way() > 0;) {
    for (; next < entries.size() && measurer->wanted() > 0; ++next) {
      if (is_time_left())
        measurer->submit({std::to_string(next), entries[next].text});
      else
        entries[next].outcome = "not reached in time";
    }
    const std::optional<tune::Outcome> outcome = measurer->next();
    if (!outcome) continue;
    Entry& entry = entries[std::stoul(outcome->id)];
    entry.outcome = outcome_text(*outcome);
    entry.seconds = outcome->seconds;
    entry.build_seconds = outcome->build.seconds;
    if (++done % 50 == 0) std::cerr << fmt::format("{} of {}\n", done, entries.size());
  }
  if (entries[0].outcome != "ok") throw_user("the default mapping fails: " + entries[0].outcome);
}

/// The default mapping, the program by hand, then the sample.
std::vector<Entry> entries_of(const Settings& settings, const ir::Program& program,
                              const tune::NamedSizes& sizes, const runtime::DeviceInfo& device, json& facts) {
  const lower::Options lowering = tune::options_for(device);
  std::vector<Entry> entries;
  const auto add = [&](std::string name, const ir::Program& of) -> Entry& {
    Entry& entry = entries.emplace_back();
    entry.name = std::move(name);
    entry.text = ir::to_string(of);
    return entry;
  };
  add("default", need(tune::with_sizes(program, sizes)));
  if (!settings.by_hand.empty()) add("by hand", need(tune::with_sizes(read(settings.by_hand), sizes)));
  const tune::ExplorationOptions options = tune::exploration_options(device);
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
    Entry& entry = add(to_string(id), candidate.low);
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
  const runtime::DeviceInfo device = need(runtime::open_builder(settings.device))->info();
  std::vector<Data> inputs = need(tune::random_inputs(program, tune::bindings_of(program, sizes), settings.seed));
  json facts = {{"program", settings.program},
                {"device", device.name},
                {"backend", device.id},
                {"seed", settings.seed},
                {"commit", settings.commit}};
  for (const auto& [name, value] : sizes) facts["sizes"][name] = value;
  std::vector<Entry> entries = entries_of(settings, program, sizes, device, facts);
  measure(settings, {program, sizes, std::move(inputs)}, entries);
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
  if (const auto status = tune::run_as_worker(count, arguments)) return *status;
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
