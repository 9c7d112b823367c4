// hoist bench-search: how good search strategies are on spaces that were recorded in full.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/parallel.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/specification_option.hpp"
#include "learn/statistics.hpp"
#include "search/recorded_names.hpp"
#include "search/recording_reader.hpp"
#include "search/replay.hpp"
#include "search/run.hpp"
#include "search/strategies.hpp"

namespace hoist::cli {

namespace {

/// What uses times of the same kernel on the other devices among the files: in their order, and a search that
/// begins with them and learns how far they hold.
const std::string transfer_name = "transfer", informed_name = "informed";

struct SearchBenchOptions {
  std::vector<std::string> files, searches, sizes, settings;
  std::string specification;
  std::size_t seeds = 50, jobs = usual_threads();
  std::uint64_t seed = 1;
  bool json = false, leaves_out = false;
};

/// What --spec, --size and --set say.
struct Specified {
  NamedSpecification file;
  search::specification::Context context;
};

/// A strategy on a space: what one line of the table tells.
struct Case {
  const search::Replay* space = nullptr;
  std::shared_ptr<const search::RecordedNames> names = {};  ///< of a search by a specification
  const Specified* specified = nullptr;                     ///< the same
  std::optional<search::SpecificationTally> tally = {};     ///< the same: of a search to its end
  std::string strategy = {};
  std::vector<search::Expected> expected = {};  ///< of transfer and informed, the fastest first
  std::vector<search::ReplayRun> runs = {};
  search::ReplaySummary summary = {};
};

std::vector<std::string> strategies_of(const SearchBenchOptions& options) {
  std::vector<std::string> known{transfer_name, informed_name};
  for (const search::StrategyEntry& entry : search::all_strategies()) known.push_back(entry.name);
  std::vector<std::string> names{"random", transfer_name};
  if (options.searches.empty() && options.specification.empty()) {
    for (const std::string& name : known) {
      if (name != "exhaustive" && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  for (const std::string& name : options.searches) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw_user(fmt::format("there is no search strategy '{}'{}", name, did_you_mean(name, known)), {},
                 "the strategies are " + joined(known));
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::unique_ptr<search::Replay>> read_spaces(const std::vector<std::string>& files) {
  std::vector<std::unique_ptr<search::Replay>> spaces;
  for (const std::string& file : files) {
    spaces.push_back(std::make_unique<search::Replay>(need(search::read_recording(file))));
    for (const std::string& text : spaces.back()->recording().notes)
      note(fmt::format("note: {}: {}", file, text));
  }
  return spaces;
}

std::optional<Specified> specified_by(Session& session, const SearchBenchOptions& options) {
  if (options.specification.empty()) {
    if (!options.sizes.empty() || !options.settings.empty())
      throw_user("--size and --set are for specifications", {}, "name one with --spec");
    return std::nullopt;
  }
  search::specification::Context context{{}, read_settings(options.settings)};
  for (const auto& [name, text] : read_settings(options.sizes, "--size")) {
    std::int64_t size = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, size);
    if (read.ec != std::errc() || read.ptr != end || size < 1)
      throw_user(fmt::format("--size {}={} is no size", name, text), {}, "write --size NX=256");
    context.sizes.emplace_back(name, size);
  }
  auto found = find_specification(session, options.specification);
  if (!found)
    throw_user(fmt::format("there is no specification '{}'{}", options.specification,
                           did_you_mean(options.specification, names_of_specifications())),
               {}, "name a file that ends in .spec, or one of " + joined(names_of_specifications()));
  return Specified{std::move(*found), std::move(context)};
}

std::unique_ptr<search::SpecifiedSearch> search_by(const Specified& specified,
                                                   const search::RecordedNames& names, std::uint64_t seed) {
  return need(search::SpecifiedSearch::make(names, specified.file.specification, specified.context, seed));
}

/// Goes through the whole of a specification, whatever it costs.
search::SpecificationTally tally_of(const search::Replay& space, search::SpecifiedSearch& strategy) {
  const auto objective = [&](std::span<const search::Configuration> asked) {
    std::vector<search::Trial> trials;
    for (const search::Configuration& each : asked) trials.push_back(space.trial(each));
    return trials;
  };
  search::run(strategy, objective, {});
  return strategy.tally();
}

std::vector<Case> cases_of(const std::vector<std::unique_ptr<search::Replay>>& spaces,
                           const SearchBenchOptions& options, const std::optional<Specified>& specified) {
  std::vector<Case> cases;
  for (const auto& space : spaces) {
    if (specified) {
      Case each{space.get(), std::make_shared<search::RecordedNames>(space->recording(), space->space()),
                &*specified};
      each.strategy = specified->file.name;
      each.tally = tally_of(*space, *search_by(*specified, *each.names, options.seed));
      each.runs.resize(options.seeds);
      cases.push_back(std::move(each));
    }
    for (const std::string& strategy : strategies_of(options)) {
      Case each{space.get()};
      each.strategy = strategy;
      each.runs.resize(options.seeds);
      if (strategy == transfer_name || strategy == informed_name) {
        std::vector<const search::Recording*> others;
        for (const auto& other : spaces) {
          if (other != space) others.push_back(&other->recording());
        }
        each.expected = search::transfer_expectations(space->recording(), others);
        if (each.expected.empty()) continue;  // no other device measured this kernel
      }
      cases.push_back(std::move(each));
    }
  }
  return cases;
}

std::unique_ptr<search::Strategy> strategy_for(const Case& each, std::uint64_t seed) {
  if (each.strategy == transfer_name) {
    std::vector<search::Configuration> order;
    for (const search::Expected& expected : each.expected) order.push_back(expected.configuration);
    return search::make_ordered(each.space->space(), std::move(order), seed);
  }
  if (each.specified != nullptr) return search_by(*each.specified, *each.names, seed);
  search::StrategyOptions options;
  options.seed = seed;
  if (each.strategy == informed_name)
    return search::make_predicted(each.space->space(), each.expected, options);
  return need(search::make_strategy(each.strategy, each.space->space(), options));
}

/// One line that is written over on a terminal; elsewhere a line for each strategy and space.
class Progress {
 public:
  explicit Progress(std::size_t all) : all_(all), is_terminal_(isatty(STDERR_FILENO) == 1) {}
  void add(const std::string& what, bool is_last_of_case) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (is_terminal_) {
      fmt::print(stderr, "\r\033[K{}/{} searches, {}{}", done_, all_, what, done_ == all_ ? "\n" : "");
    } else if (is_last_of_case) {
      note(fmt::format("{}/{} searches, {} done", done_, all_, what));
    }
  }

 private:
  std::mutex mutex_;
  std::size_t all_, done_ = 0;
  bool is_terminal_;
};

/// Every search is one piece of work for whichever thread is free.
void run_all(std::vector<Case>& cases, const SearchBenchOptions& options) {
  std::atomic<std::size_t> next{0};
  std::vector<std::atomic<std::size_t>> left(cases.size());
  for (auto& each : left) each = options.seeds;
  Progress progress(cases.size() * options.seeds);
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t piece = next++; piece < cases.size() * options.seeds; piece = next++) {
        const std::size_t number = piece / options.seeds, run = piece % options.seeds;
        Case& each = cases[number];
        each.runs[run] = search::replay(*each.space, *strategy_for(each, options.seed + run));
        progress.add(fmt::format("{} on {}", each.strategy, each.space->recording().name),
                     --left[number] == 0);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < options.jobs; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  for (Case& each : cases) each.summary = search::summary(*each.space, each.runs);
}

/// "1.05 (1.02 to 1.11)": the best found over the optimum, median and quartiles.
std::string found_text(const search::CurvePoint& point) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", point.median, point.lower_quartile, point.upper_quartile);
}

const search::CurvePoint& at_share(const std::vector<search::CurvePoint>& curve, double share) {
  return curve[static_cast<std::size_t>(share * static_cast<double>(curve.size())) - 1];
}

std::string space_text(const search::Replay& space, const std::vector<Case>& cases) {
  using Align = Table::Align;
  Table table({{"strategy"},
               {"score", Align::Right},
               {"± one run", Align::Right},
               {"25% of the time"},
               {"50%"},
               {"100%"},
               {"25% of the evaluations"},
               {"100%"},
               {"failed", Align::Right},
               {"ms a proposal", Align::Right}});
  for (const Case& each : cases) {
    if (each.space != &space) continue;
    const search::ReplaySummary& s = each.summary;
    table.add_row({each.strategy, fmt::format("{:.3f}", s.score), fmt::format("{:.3f}", s.deviation),
                   found_text(at_share(s.by_seconds, 0.25)), found_text(at_share(s.by_seconds, 0.5)),
                   found_text(at_share(s.by_seconds, 1)), found_text(at_share(s.by_evaluations, 0.25)),
                   found_text(at_share(s.by_evaluations, 1)), fmt::format("{:.0f}%", 100 * s.failure_share),
                   fmt::format("{:.2f}", 1e3 * s.proposing)});
  }
  std::string told;
  for (const Case& each : cases) {
    if (each.space != &space || !each.tally) continue;
    for (const std::string& text : each.tally->notes) told += "note: " + text + "\n";
    told += tally_text(*each.tally);
    if (each.tally->best)
      told += fmt::format("its best, {}, takes {:.3f} times as long as the optimum\n",
                          space.recording().text(each.tally->best->configuration),
                          *each.tally->best->outcome.seconds / space.optimum());
  }
  return fmt::format(
      "{}: {} configurations, {} valid, optimum {}, median {}; budget {:.0f} s or {} evaluations\n{}{}\n",
      space.recording().name, space.space().size(), space.times().size(), time_text(space.optimum()),
      time_text(space.median()), space.budget_seconds(), space.budget_evaluations(), table.text(), told);
}

/// Mean over the spaces, by strategy; "transfer" and "informed" over those that have them.
std::string means_text(const std::vector<Case>& cases, const std::vector<std::string>& strategies) {
  using Align = Table::Align;
  Table table(
      {{"strategy"}, {"mean score", Align::Right}, {"least", Align::Right}, {"spaces", Align::Right}});
  for (const std::string& strategy : strategies) {
    double sum = 0, least = std::numeric_limits<double>::infinity();
    int count = 0;
    for (const Case& each : cases) {
      if (each.strategy != strategy) continue;
      sum += each.summary.score;
      least = std::min(least, each.summary.score);
      ++count;
    }
    if (count > 0)
      table.add_row({strategy, fmt::format("{:.3f}", sum / count), fmt::format("{:.3f}", least),
                     std::to_string(count)});
  }
  return table.text();
}

/// A choice among the strategies by all kernels but one, and how it does on that one.
struct LeftOut {
  std::string kernel, chosen;
  double elsewhere = 0;  ///< the mean over the other kernels, by which it was chosen
  double score = 0;      ///< on the kernel that was left out
  std::string best;      ///< the strategy that would have been best there
  double best_score = 0;
};

/// The mean score of each strategy on each kernel, over the kernel's spaces. Strategies that need times of
/// other devices are no choice for a new kernel.
std::map<std::string, std::map<std::string, double>> scores_by_kernel(const std::vector<Case>& cases) {
  std::map<std::string, std::map<std::string, std::vector<double>>> scores;
  for (const Case& each : cases) {
    if (each.strategy != transfer_name && each.strategy != informed_name)
      scores[each.space->recording().kernel][each.strategy].push_back(each.summary.score);
  }
  std::map<std::string, std::map<std::string, double>> means;
  for (const auto& [kernel, strategies] : scores) {
    for (const auto& [strategy, list] : strategies) means[kernel][strategy] = learn::mean(list);
  }
  return means;
}

/// Cross-validation of the choice of a strategy, each kernel left out once. There are two kernels or more.
std::vector<LeftOut> left_out(const std::vector<Case>& cases) {
  const auto scores = scores_by_kernel(cases);
  std::vector<LeftOut> folds;
  const auto by_score = [](const auto& a, const auto& b) { return a.second < b.second; };
  for (const auto& [kernel, own] : scores) {
    std::map<std::string, double> elsewhere;
    for (const auto& [other, strategies] : scores) {
      if (other == kernel) continue;
      for (const auto& [strategy, score] : strategies)
        elsewhere[strategy] += score / static_cast<double>(scores.size() - 1);
    }
    const auto chosen = std::ranges::max_element(elsewhere, by_score);
    const auto best = std::ranges::max_element(own, by_score);
    folds.push_back(
        {kernel, chosen->first, chosen->second, own.at(chosen->first), best->first, best->second});
  }
  return folds;
}

std::string left_out_text(const std::vector<LeftOut>& folds) {
  using Align = Table::Align;
  Table table({{"kernel left out"},
               {"chosen by the others"},
               {"mean there", Align::Right},
               {"score", Align::Right},
               {"best on the kernel"},
               {"score", Align::Right}});
  for (const LeftOut& each : folds)
    table.add_row({each.kernel, each.chosen, fmt::format("{:.3f}", each.elsewhere),
                   fmt::format("{:.3f}", each.score), each.best, fmt::format("{:.3f}", each.best_score)});
  return "\n" + table.text();
}

Json left_out_json(const std::vector<LeftOut>& folds) {
  Json list = Json::array();
  for (const LeftOut& each : folds)
    list.push_back({{"kernel", each.kernel},
                    {"chosen", each.chosen},
                    {"mean_elsewhere", each.elsewhere},
                    {"score", each.score},
                    {"best", each.best},
                    {"best_score", each.best_score}});
  return list;
}

Json curve_json(const std::vector<search::CurvePoint>& curve) {
  Json points = Json::array();
  for (const search::CurvePoint& point : curve)
    points.push_back({{"at", point.at},
                      {"median", point.median},
                      {"quartiles", {point.lower_quartile, point.upper_quartile}}});
  return points;
}

Json facts_of(const std::vector<std::unique_ptr<search::Replay>>& spaces, const std::vector<Case>& cases,
              const SearchBenchOptions& options) {
  Json list = Json::array();
  for (const auto& space : spaces) {
    Json strategies = Json::array();
    for (const Case& each : cases) {
      if (each.space != space.get()) continue;
      const search::ReplaySummary& s = each.summary;
      strategies.push_back({{"name", each.strategy},
                            {"score", s.score},
                            {"deviation", s.deviation},
                            {"failure_share", s.failure_share},
                            {"seconds_a_proposal", s.proposing},
                            {"slowest_proposal", s.slowest_proposal},
                            {"by_seconds", curve_json(s.by_seconds)},
                            {"by_evaluations", curve_json(s.by_evaluations)}});
      if (!each.tally) continue;
      Json& told = strategies.back()["specification"] = search::to_json(*each.tally);
      if (!each.tally->best) continue;
      told["best"] = {{"values", space->recording().text(each.tally->best->configuration)},
                      {"over_optimum", *each.tally->best->outcome.seconds / space->optimum()}};
    }
    list.push_back({{"space", space->recording().name},
                    {"kernel", space->recording().kernel},
                    {"device", space->recording().device},
                    {"configurations", space->space().size()},
                    {"valid", space->times().size()},
                    {"optimum", space->optimum()},
                    {"median", space->median()},
                    {"budget_seconds", space->budget_seconds()},
                    {"budget_evaluations", space->budget_evaluations()},
                    {"notes", space->recording().notes},
                    {"strategies", std::move(strategies)}});
  }
  return {{"seeds", options.seeds},
          {"first_seed", options.seed},
          {"default", search::default_strategy()},
          {"spaces", std::move(list)}};
}

Status bench_search(Session& session, const SearchBenchOptions& options) {
  std::vector<std::string> strategies = strategies_of(options);
  const std::optional<Specified> specified = specified_by(session, options);
  if (specified) strategies.insert(strategies.begin(), specified->file.name);
  const auto spaces = read_spaces(options.files);
  std::set<std::string> kernels;
  for (const auto& space : spaces) kernels.insert(space->recording().kernel);
  if (options.leaves_out && kernels.size() < 2)
    throw_user("--leave-out needs spaces of two kernels or more", {}, "name files of other kernels, too");
  std::vector<Case> cases = cases_of(spaces, options, specified);
  run_all(cases, options);
  const std::vector<LeftOut> folds = options.leaves_out ? left_out(cases) : std::vector<LeftOut>{};
  if (options.json) {
    Json facts = facts_of(spaces, cases, options);
    if (options.leaves_out) facts["left_out"] = left_out_json(folds);
    print_json(facts);
    return done;
  }
  for (const auto& space : spaces) print(space_text(*space, cases));
  print(means_text(cases, strategies));
  if (options.leaves_out) print(left_out_text(folds));
  return done;
}

}  // namespace

void add_bench_search(CLI::App& app, Session& session) {
  auto options = std::make_shared<SearchBenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench-search", "Evaluate search strategies on recorded tuning spaces");
  command
      ->add_option("FILE", options->files,
                   "Recorded spaces: Kernel Tuner's cache files or T4 results, gzip or not")
      ->required()
      ->option_text("...");
  command->add_option("--search", options->searches, "Only these strategies, beside random and transfer")
      ->option_text("NAME ...");
  command
      ->add_option("--spec", options->specification,
                   "A specification, beside random and transfer: a FILE.spec or " +
                       alternatives(names_of_specifications()))
      ->option_text("NAME");
  command
      ->add_option("--size", options->sizes,
                   "Sizes that the specification mentions: NX=256,NY=256; may be repeated")
      ->option_text("NAME=N,...")
      ->expected(1)
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_settings_option(*command, options->settings);
  command->add_option("--seeds", options->seeds, "How many searches of each strategy on each space (50)")
      ->option_text("N")
      ->check(CLI::Range(1, 100000));
  command->add_option("--seed", options->seed, "The seed of the first search (1)")->option_text("SEED");
  command->add_option("--jobs", options->jobs, "How many searches run at a time (one for each core)")
      ->option_text("N")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--leave-out", options->leaves_out,
                    "Leave each kernel out of the choice of a strategy once, and score the choice on it");
  command->add_flag("--json", options->json, "Print the facts as JSON, with the curves");
  std::string strategies;
  for (const search::StrategyEntry& entry : search::all_strategies())
    strategies += fmt::format("  {:<12}{}{}\n", entry.name, entry.documentation,
                              entry.name == search::default_strategy() ? " (the default)" : "");
  command->footer(
      "Time is simulated: every evaluation costs what it cost when it was recorded. The score is 0 for "
      "random search\n"
      "and 1 for knowing the optimum from the start, averaged over the time in which random search comes "
      "within 5% of\n"
      "the way from the optimum to the median. Columns show the best found as a multiple of the optimum, "
      "median and\n"
      "quartiles. 'transfer' tries what was fastest on the other devices among the files, 'informed' begins "
      "with it and\n"
      "learns how far it holds. docs/search.md says more.\n\n"
      "Strategies:\n" +
      strategies +
      "\nExamples:\n"
      "  hoist bench-search gemm-A100.json gemm-W6600.T4.json.gz\n"
      "  hoist bench-search *.json.gz --search model genetic --seeds 10\n"
      "  hoist bench-search gemm-A100.json --spec rand --set samples=100\n"
      "  hoist bench-search *.json.gz --leave-out");
  command->callback([&session, options] {
    session.action = [&session, options] { return bench_search(session, *options); };
  });
}

}  // namespace hoist::cli
