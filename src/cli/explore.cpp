// hoist explore: what the tuning parameters of a program may be, and what becomes of the choices.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "tune/explore.hpp"
#include "tune/verify.hpp"

namespace hoist::cli {

namespace {

constexpr std::uint64_t most_to_list = 100000;

struct Options {
  ProgramOptions program;
  LoweringOptions lowering;
  std::string device;
  std::vector<std::string> bounds;
  std::size_t sample = 0;
  std::uint64_t seed = 1;
  bool list = false;
  bool json = false;
};

tune::ParameterBounds read_bounds(const std::vector<std::string>& texts) {
  tune::ParameterBounds bounds;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('='), colon = text.find(':', equals);
    try {
      std::size_t end_of_least = 0, end_of_most = 0;
      const std::string least = text.substr(equals + 1, colon - equals - 1), most = text.substr(colon + 1);
      const std::pair values{std::stoll(least, &end_of_least), std::stoll(most, &end_of_most)};
      if (equals == std::string::npos || colon == std::string::npos || end_of_least != least.size() || end_of_most != most.size() ||
          values.first < 1) {
        throw std::invalid_argument(text);
      }
      bounds[text.substr(0, equals)] = values;
    } catch (const std::logic_error&) {
      throw_user(fmt::format("'{}' is no bound of a parameter", text), {}, "write NAME=LEAST:MOST, as --bound t=8:64");
    }
  }
  return bounds;
}

Json row(const tune::Candidate& candidate) {
  Json values;
  for (const auto& [name, value] : candidate.values) values[name] = value;
  Json result = {{"id", candidate.id}, {"values", std::move(values)}};
  if (candidate.reason != "not compiled") {
    result["kernels"] = candidate.kernels;
    result["group_size"] = candidate.group_size;
    result["local_memory"] = candidate.local_memory;
    result["barriers"] = candidate.barriers;
  }
  if (!candidate.discarded.empty()) result["discarded"] = candidate.discarded;
  return result;
}

/// How many candidates each stage left.
struct Funnel {
  std::uint64_t points = 0, looked_at = 0, fitting = 0;
  std::map<std::string, std::uint64_t> discarded;

  void add(const tune::Candidate& candidate) {
    ++looked_at;
    if (candidate.discarded.empty()) {
      ++fitting;
    } else {
      ++discarded[candidate.reason];
    }
  }
  std::string text() const {
    std::string result = fmt::format("points of the space: {}\nlooked at: {}\nthat compile and fit: {}\n", points, looked_at, fitting);
    for (const auto& [reason, count] : discarded) result += fmt::format("discarded for {}: {}\n", reason, count);
    return result;
  }
  Json json() const { return {{"points", points}, {"looked_at", looked_at}, {"fitting", fitting}, {"discarded", discarded}}; }
};

Status explore(Session& session, const Options& options) {
  const ir::Program parsed = read_program(session, options.program);
  const tune::NamedSizes sizes = read_sizes(parsed, options.program.values);
  const ir::Program program = need(tune::with_sizes(parsed, sizes));
  const space::Space space = need(tune::space_of(program, read_bounds(options.bounds)));
  Funnel funnel;
  funnel.points = space.count();
  if (funnel.points == 0) {
    throw_user("no choice of the tuning parameters satisfies all constraints", space.emptied_by(), "choose other sizes or wider bounds");
  }
  if (options.list && funnel.points > most_to_list) {
    throw_user(fmt::format("the space has {} points, more than the {} that are listed", funnel.points, most_to_list), {},
               "look at some: --sample 1000, or bound parameters: --bound t=8:64");
  }
  lower::Options lowering = lowering_options(options.lowering, program, sizes);
  tune::DeviceLimits limits;
  if (!options.device.empty()) {
    const auto device = need(runtime::open_device(options.device));
    limits = tune::limits_of(device->info());
    lowering = tune::options_for(device->info(), lowering);
  }
  std::vector<std::uint64_t> ids;
  if (options.list) {
    ids = space.sample(static_cast<std::size_t>(funnel.points), options.seed);
  } else {
    ids = space.sample(options.sample, options.seed);
  }
  std::vector<Table::Column> columns{{"id", Table::Align::Right}};
  for (const space::Parameter& parameter : space.parameters()) columns.push_back({"?" + parameter.name, Table::Align::Right});
  for (const char* name : {"kernels", "group", "local bytes", "barriers"}) columns.push_back({name, Table::Align::Right});
  columns.push_back({"discarded"});
  Table table(columns);
  Json rows = Json::array();
  for (const std::uint64_t id : ids) {
    const tune::Candidate candidate = tune::candidate(program, space, id, limits, lowering);
    funnel.add(candidate);
    if (options.json) {
      rows.push_back(row(candidate));
      continue;
    }
    std::vector<std::string> cells{std::to_string(id)};
    for (const auto& [name, value] : candidate.values) cells.push_back(std::to_string(value));
    const bool is_compiled = candidate.reason != "not compiled";
    for (const auto number : {static_cast<std::int64_t>(candidate.kernels), candidate.group_size, candidate.local_memory,
                              static_cast<std::int64_t>(candidate.barriers)}) {
      cells.push_back(is_compiled ? std::to_string(number) : "");
    }
    cells.push_back(candidate.discarded);
    table.add_row(std::move(cells));
  }
  if (options.json) {
    print_json({{"funnel", funnel.json()}, {"candidates", std::move(rows)}});
    return done;
  }
  print((ids.empty() ? "" : table.text() + "\n") + funnel.text());
  return done;
}

}  // namespace

void add_explore(CLI::App& app, Session& session) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("explore", "Count, list or sample what a program's tuning parameters may be");
  add_program_options(*command, options->program, "Sizes: N=1024; tuning parameters that are chosen already: t=16");
  command->add_option("--device", options->device, "Whose limits candidates must fit; otherwise 1024 work-items and 48 KiB")
      ->option_text("ID");
  command->add_option("--bound", options->bounds, "The least and the most that a parameter may be; may be repeated")
      ->option_text("NAME=LEAST:MOST")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--sample", options->sample, "Look at so many candidates, each point as likely")->option_text("N");
  command->add_option("--seed", options->seed, "Of the sample (1)")->option_text("SEED");
  command->add_flag("--list", options->list, "Look at all of them");
  add_lowering_options(*command, options->lowering);
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "The constraints are what the program's patterns assume: a tile divides its array, a window fits. Points are counted\n"
      "without being listed. A candidate's id is the same in every run; its values go to hoist compile and hoist run.\n\n"
      "Examples:\n"
      "  hoist explore tiled.hoist N=4096\n"
      "  hoist explore tiled.hoist N=4096 --sample 20 --seed 7 --device opencl:0\n"
      "  hoist explore tiled.hoist N=4096 --list --bound t=32:256\n"
      "  hoist run tiled.hoist N=4096 t=128 --random 1");
  command->callback(
      [&session, options] { session.action = [&session, options] { return explore(session, *options); }; });
}

}  // namespace hoist::cli
