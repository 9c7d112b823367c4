// hoist tune: searches for the fastest kernel of a program on a device.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/isa_option.hpp"
#include "cli/numbers.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/specification_option.hpp"
#include "cli/store_option.hpp"
#include "cli/tune.hpp"
#include "driver/work.hpp"
#include "runtime/devices.hpp"
#include "search/strategies.hpp"
#include "tuner/default_parameters.hpp"

namespace hoist::cli {

namespace {

std::vector<std::string> names_of_strategies() {
  std::vector<std::string> names{tuner::predicted_strategy};
  for (const auto& each : search::all_strategies()) names.push_back(each.name);
  return names;
}

/// Values for the tuning parameters that a program leaves open, by which its default mapping runs: as
/// NAME=VALUE. Whoever tunes gives none of them. Throws Failure: a size without a value, parameters that no
/// values satisfy.
std::vector<std::string> default_parameters(const ir::Program& program, const TuneOptions& options,
                                            tuner::TuningOptions& tuning) {
  std::vector<std::string> given, texts;  ///< sizes and parameters, but no inputs
  const auto is_given = [&](const std::string& name) {
    return std::ranges::any_of(options.program.values, [&](const std::string& each) {
      const bool is_it = each.starts_with(name + "=") || each.starts_with("?" + name + "=");
      if (is_it) given.push_back(each);
      return is_it;
    });
  };
  for (arith::Expr parameter : ir::open_parameters(program.function)) {
    if (!is_given(parameter->name)) tuning.open_parameters.push_back(parameter->name);
  }
  if (tuning.open_parameters.empty()) return texts;
  for (arith::Expr size : program.sizes) {
    if (!is_given(size->name))
      throw_user(fmt::format("the size {} has no value", size->name),
                 "the program leaves tuning parameters open, and what they may be depends on it",
                 fmt::format("give it one: {}=1024", size->name));
  }
  const ir::Program sized = need(driver::with_sizes(program, read_sizes(program, given)));
  const target::Target device = need(runtime::describe_device(tuning.measuring.devices.front()));
  for (const auto& [name, value] : need(tuner::default_parameters(sized, device, tuning.bounds)))
    texts.push_back(fmt::format("{}={}", name, value));
  return texts;
}

Status tune_program(Session& session, const TuneOptions& options) {
  tuner::TuningOptions tuning = tuning_options(session, options);
  if (tuning.measuring.devices.empty()) tuning.measuring.devices = {runtime::default_device()};
  const ir::Program program = read_program(session, options.program);
  std::vector<std::string> values = options.program.values;
  for (std::string& each : default_parameters(program, options, tuning)) values.push_back(std::move(each));
  Arguments arguments = read_arguments(program, values, options.random_seed.value_or(1));
  const driver::Work work = need(driver::work_of(need(driver::with_sizes(program, arguments.sizes))));
  choose_search(session, options, tuning);
  store::Store store = open_store(options.store);
  tuning.is_cancelled = &catch_interrupt();
  const measure::Task task{program, arguments.sizes, std::move(arguments.inputs)};
  const tuner::TuningResult result = tune_task(task, tuning, store);
  std::optional<tuner::Ceilings> ceilings;
  if (!tuning.is_cancelled->load())
    ceilings = CeilingsOfDevices().add_to(store, result, tuning.measuring.devices.front(),
                                          std::max(tuning.seconds, tuner::least_seconds));
  if (options.json) {
    print_json(result_json(result, work, ceilings));
  } else {
    print(result_text(result, work, ceilings));
    print("stored in " + store.place() + "\n");
  }
  if (!options.report.empty() && result.has_begun) {
    write_report(options.report, store, result.task);
    note("wrote " + options.report);
  }
  return done;
}

void add_budget_options(CLI::App& command, TuneOptions& options) {
  command
      .add_option("--budget", options.budget,
                  "How long to search: 90, 10m, 1h30m (60; a specification is searched to its end)")
      ->option_text("TIME");
  command.add_option("--evaluations", options.evaluations, "How many candidates to measure, at the most")
      ->check(above_zero())
      ->option_text("N");
  command
      .add_option("--chance", options.chance,
                  "Stop when the estimated chance that the next candidate is faster is less than this")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("P");
  const std::vector<std::string> names = names_of_strategies();
  command
      .add_option("--search", options.search,
                  "The search strategy: " + joined(names) + "; or a specification, which is a FILE.spec or " +
                      alternatives(names_of_specifications()) + "; otherwise " + tuner::predicted_strategy +
                      " where there is a model of speed for the device, or else " +
                      std::string(search::default_strategy()))
      ->option_text("NAME");
  add_settings_option(command, options.settings);
  command.add_option("--model", options.model, "Predict speed by this model (hoist train)")
      ->option_text("FILE");
  command.add_flag("--no-technique", options.no_technique,
                   "Do not predict how a stencil loads its input best, which says what is tried first");
  command
      .add_option("--ranked", options.ranked,
                  fmt::format("How many candidates a model ranks, at the most ({})", predict::usual_ranking))
      ->check(above_zero())
      ->option_text("N");
  command.add_option("--seed", options.seed, "The seed of the search (1)")->option_text("SEED");
  command.add_flag("--fresh", options.fresh,
                   "Do not use what the store has of this program, on this device or others");
}

}  // namespace

double read_duration(const std::string& text) {
  static const std::string number = R"((\d{1,9}(?:\.\d{1,9})?))";
  static const std::regex form("(?:" + number + "h)?(?:" + number + "m)?(?:" + number + "s)?|" + number);
  std::smatch parts;
  double seconds = 0;
  if (std::regex_match(text, parts, form)) {
    constexpr double units[] = {3600, 60, 1, 1};
    for (std::size_t i = 0; i < std::size(units); ++i) {
      if (parts[i + 1].matched) seconds += units[i] * std::stod(parts[i + 1].str());
    }
  }
  if (seconds <= 0)
    throw_user(fmt::format("'{}' is no length of time", text), {}, "write seconds, or 10m, 2h, 1h30m");
  return seconds;
}

void choose_search(Session& session, const TuneOptions& options, tuner::TuningOptions& tuning) {
  const std::vector<std::string> strategies = names_of_strategies();
  const bool is_strategy = options.search.empty() || std::find(strategies.begin(), strategies.end(),
                                                               options.search) != strategies.end();
  if (is_strategy) {
    if (!options.settings.empty())
      throw_user("--set is for specifications, and none is searched by", {},
                 "name one with --search: " + joined(names_of_specifications()));
    tuning.strategy = options.search;
    return;
  }
  auto found = find_specification(session, options.search);
  if (!found) {
    std::vector<std::string> known = strategies;
    for (const std::string& each : names_of_specifications()) known.push_back(each);
    throw_user(fmt::format("there is no search '{}'{}", options.search, did_you_mean(options.search, known)),
               {},
               fmt::format("the strategies are {}; the specifications {}, or a file that ends in .spec",
                           joined(strategies), joined(names_of_specifications())));
  }
  tuning.specification = {std::move(found->name), std::move(found->specification),
                          read_settings(options.settings)};
  // It names the parameters of one set.
  tuning.space = space_kind(options.exploration, variants::SpaceKind::Derived);
  if (!options.budget) tuning.seconds = std::numeric_limits<double>::infinity();
}

tuner::TuningOptions tuning_options(Session& session, const TuneOptions& options) {
  choose_isa(options.isa, options.devices);
  tuner::TuningOptions tuning;
  tuning.measuring.devices = options.devices;
  tuning.measuring.builders = options.jobs;
  tuning.measuring.without = options.without;
  tuning.bounds = read_bounds(options.exploration.bounds);
  tuning.derivations = options.exploration.derivations;
  tuning.space = space_kind(options.exploration, variants::SpaceKind::Both);
  for (const std::string& file : options.by_hand)
    tuning.by_hand.push_back({file, read_program(session, {.file = file, .entry = {}, .values = {}})});
  tuning.model = options.model;
  tuning.predicts_technique = !options.no_technique;
  tuning.ranked = options.ranked;
  tuning.seed = options.seed;
  if (options.budget) tuning.seconds = read_duration(*options.budget);
  tuning.evaluations = options.evaluations;
  tuning.chance = options.chance;
  tuning.resumes = !options.fresh;
  tuning.hoist = HOIST_VERSION;
  return tuning;
}

tuner::TuningResult tune_task(const measure::Task& task, tuner::TuningOptions tuning, store::Store& store) {
  Progress progress;
  tuning.progress = [&](const tuner::TuningProgress& now) { progress.show(progress_text(now)); };
  tuner::TuningResult result = need(tuner::tune(task, tuning, store));
  progress.end();
  for (const std::string& each : result.notes) note("note: " + each);
  return result;
}

void add_tune(CLI::App& app, Session& session) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand("tune", "Search for the fastest kernel of a program on a device");
  add_program_options(*command, options->program,
                      "Sizes: N=1024; inputs: x=x.npy, x=random:SEED; those not given are random");
  command
      ->add_option(
          "--device", options->devices,
          "Where to run: opencl:0, cuda:0, ...; several devices of one kind share the work; otherwise the "
          "first GPU, or else the "
          "first device, and for captured cases the device that they ran on")
      ->option_text("ID")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_isa_option(*command, options->isa);
  add_budget_options(*command, *options);
  command->add_option("--random", options->random_seed, "Seed of the random inputs (1)")->option_text("SEED");
  command
      ->add_option("--jobs", options->jobs,
                   "Processes that build candidates; otherwise one for each core, at most eight for a GPU")
      ->option_text("N");
  command
      ->add_option("--by-hand", options->by_hand,
                   "A low-level program that computes the same, to be measured beside the candidates")
      ->option_text("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_exploration_options(*command, options->exploration);
  command->add_option("--without", options->without, "A pass of the compiler to leave out")
      ->option_text("PASS");
  add_store_option(*command, options->store);
  command->add_option("--report", options->report, "Write a page about the results")
      ->option_text("FILE.html");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Candidates are built and run in processes of their own: one that crashes or hangs costs only itself. "
      "Every\n"
      "result is compared with the program's meaning, every time is stored at once. Ctrl-C ends the search "
      "and keeps\n"
      "what was found; the same command goes on from there.\n\n"
      "FILE may be a directory in which HOIST_CAPTURE=DIR made an application that uses Hoist's C++ API "
      "leave what it\n"
      "ran: half of the budget is dealt out evenly, half by how long the kernels of each case ran.\n\n"
      "Examples:\n"
      "  hoist tune kernels/matmul_nn.hoist M=1024 N=1024 K=1024 --budget 10m --report matmul.html\n"
      "  hoist tune kernels/jacobi2d5.hoist H=8192 W=8192 --device cuda:0 --by-hand "
      "kernels/low-level/jacobi2d5.hoist\n"
      "  hoist tune kernels/low-level/sgemm.hoist M=512 N=512 K=512 --search mine.spec\n"
      "  hoist tune captured --budget 1h");
  command->callback([&session, options] {
    const bool is_captured = std::filesystem::is_directory(options->program.file);
    session.action = [&session, options, is_captured] {
      return is_captured ? tune_captured(session, *options) : tune_program(session, *options);
    };
  });
}

}  // namespace hoist::cli
