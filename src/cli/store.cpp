// hoist store: what tuning has found, and how it travels.
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/store_option.hpp"
#include "cli/store_show.hpp"

namespace hoist::cli {

namespace {

struct StoreOptions {
  std::string store;
  std::optional<std::string> program, device;
  bool json = false;
  // show
  std::int64_t task = 0;
  std::size_t best = 10;
  std::string candidate;
  // export and import
  std::string output;
  std::vector<std::string> files;
  // prune
  std::optional<std::int64_t> pruned_task;
  std::optional<std::string> before;
  bool only_failed = false, only_counted = false;
};

constexpr std::pair<const char*, std::int64_t store::Counts::*> kinds[] = {
    {"programs", &store::Counts::programs}, {"devices", &store::Counts::devices},
    {"tasks", &store::Counts::tasks},       {"candidates", &store::Counts::candidates},
    {"runs", &store::Counts::runs},         {"evaluations", &store::Counts::evaluations},
    {"features", &store::Counts::features}, {"models", &store::Counts::models}};

Json counts_facts(const store::Counts& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : kinds) json[name] = counts.*count;
  return json;
}

/// "2 tasks, 30 candidates", or "nothing".
std::string counts_text(const store::Counts& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : kinds)
    if (counts.*count != 0) parts.push_back(fmt::format("{} {}", counts.*count, name));
  return parts.empty() ? "nothing" : joined(parts);
}

bool is_wanted(const store::StoredTask& task, const StoreOptions& options) {
  const store::Program& program = task.task.program;
  return (!options.program || program.name == *options.program ||
          (options.program->size() >= store::shortest_hash && program.hash.starts_with(*options.program))) &&
         (!options.device || task.task.device.name == *options.device);
}

Json model_facts(const store::Model& model) {
  return {{"name", model.name},
          {"device_class", model.device_class},
          {"schema", model.schema},
          {"provenance", Json::parse(model.provenance, nullptr, false)},
          {"created", model.created}};
}

Status list(const StoreOptions& options) {
  store::Store store = open_store(options.store, {.make = false, .only_reads = true});
  std::vector<store::StoredTask> tasks = need(store.tasks());
  std::erase_if(tasks, [&](const store::StoredTask& each) { return !is_wanted(each, options); });
  const std::vector<store::Model> models = need(store.models());
  const store::Counts counts = need(store.counts());
  if (options.json) {
    Json task_list = Json::array(), model_list = Json::array();
    for (const store::StoredTask& each : tasks) task_list.push_back(facts(each));
    for (const store::Model& each : models) model_list.push_back(model_facts(each));
    print_json({{"store", store.place()},
                {"counts", counts_facts(counts)},
                {"tasks", std::move(task_list)},
                {"models", std::move(model_list)}});
    return done;
  }
  if (!tasks.empty()) print(task_table(tasks).text());
  if (!models.empty()) {
    using enum Table::Align;
    Table table({{"model", Left}, {"devices", Left}, {"features", Left}, {"made", Left}});
    for (const store::Model& each : models)
      table.add_row({each.name, each.device_class, each.schema, each.created.substr(0, 10)});
    print((tasks.empty() ? "" : "\n") + table.text());
  }
  note(fmt::format("{} holds {}", store.place(), counts_text(counts)));
  return done;
}

Status show(const StoreOptions& options) {
  store::Store store = open_store(options.store, {.make = false, .only_reads = true});
  const store::TaskId task{options.task};
  need(store.task(task));
  if (options.candidate.empty())
    show_task(store, task, options.best, options.json);
  else
    show_candidate(store, task, options.candidate, options.json);
  return done;
}

Status export_store(const StoreOptions& options) {
  store::Store store = open_store(options.store, {.make = false, .only_reads = true});
  if (options.output.empty() || options.output == "-") {
    need(store.export_lines([](std::string_view line) -> Result<void> {
      print(line);
      return {};
    }));
    return done;
  }
  OutputFile file = need(OutputFile::create(options.output));
  need(store.export_lines(
      [&](std::string_view line) { return file.write(std::as_bytes(std::span(line.data(), line.size()))); }));
  need(file.commit());
  return done;
}

store::Imported import_file(store::Store& store, const std::string& file) {
  if (file == "-") return need(store.import_lines(std::cin, "<stdin>"));
  if (std::filesystem::is_directory(file)) throw_user(file + " is a directory, not an export of a store");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw_user(fmt::format("{} cannot be read: {}", file, std::strerror(errno)), {},
               "hoist store export -o FILE writes what can be imported");
  return need(store.import_lines(stream, file));
}

Status import_store(const StoreOptions& options) {
  store::Store store = open_store(options.store);
  Json list = Json::array();
  for (const std::string& file : options.files) {
    const store::Imported imported = import_file(store, file);
    if (options.json)
      list.push_back(
          {{"file", file}, {"added", counts_facts(imported.added)}, {"known", counts_facts(imported.known)}});
    else
      print(fmt::format("{}: added {}; already there: {}\n", file, counts_text(imported.added),
                        counts_text(imported.known)));
  }
  if (options.json) print_json({{"store", store.place()}, {"files", std::move(list)}});
  return done;
}

/// A date of the calendar, or the beginning of one: "2026-01", "2026-01-31T12".
bool is_date(const std::string& text) {
  static const std::regex form(
      R"((\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.\d+)?)?)?Z?)?)?)?)");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return false;
  const auto number = [&](std::size_t part, unsigned otherwise) {
    return parts[part].matched ? static_cast<unsigned>(std::stoul(parts[part].str())) : otherwise;
  };
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(number(1, 0))),
                                        std::chrono::month(number(2, 1)), std::chrono::day(number(3, 1))};
  return day.ok() && number(4, 0) < 24 && number(5, 0) < 60 && number(6, 0) < 60;
}

Status prune(const StoreOptions& options) {
  if (options.before && !is_date(*options.before))
    throw_user(fmt::format("--before {}: this is not a date", *options.before), {},
               "write a date as 2026-01-31, or only its beginning, 2026-01 or 2026; dates are UTC");
  const store::Selection selection{
      .task = options.pruned_task ? std::optional(store::TaskId{*options.pruned_task}) : std::nullopt,
      .program = options.program,
      .device = options.device,
      .before = options.before,
      .only_failed = options.only_failed};
  if (!selection.task && !selection.program && !selection.device && !selection.before &&
      !selection.only_failed)
    throw_user(
        "no option says which evaluations to remove", {},
        "give --task, --program, --device, --before or --failed; what meets all that are given is removed");
  store::Store store = open_store(options.store, {.make = false});
  if (selection.task) need(store.task(*selection.task));
  const store::Counts removed = need(store.prune(selection, options.only_counted));
  if (options.json)
    print_json({{"store", store.place()},
                {"removed", counts_facts(removed)},
                {"only_counted", options.only_counted}});
  else
    print(fmt::format("{} {}\n", options.only_counted ? "would remove" : "removed", counts_text(removed)));
  return done;
}

/// A command of `hoist store`, with the options that all of them have.
CLI::App* add_command(CLI::App& parent, Session& session, const std::string& name,
                      const std::string& description, const std::shared_ptr<StoreOptions>& options,
                      Status (*action)(const StoreOptions&)) {
  CLI::App* command = parent.add_subcommand(name, description);
  add_store_option(*command, options->store);
  if (name != "export") command->add_flag("--json", options->json, "Print the facts as JSON");
  command->callback(
      [&session, options, action] { session.action = [options, action] { return action(*options); }; });
  return command;
}

void add_filters(CLI::App& command, StoreOptions& options) {
  command
      .add_option("--program", options.program,
                  "Only this program: its name, or 8 and more letters of its hash")
      ->option_text("NAME");
  command.add_option("--device", options.device, "Only devices of this name")->option_text("NAME");
}

void add_list(CLI::App& parent, Session& session) {
  auto options = std::make_shared<StoreOptions>();
  CLI::App* command = add_command(parent, session, "list",
                                  "List what was tuned, with the best that was found", options, list);
  add_filters(*command, *options);
  command->footer(
      "'tried' counts evaluations, 'best' is the lowest median time, 'speed-up' is the default mapping's "
      "median over it.\n\n"
      "Examples:\n"
      "  hoist store list\n"
      "  hoist store list --program gemv --json");
}

void add_show(CLI::App& parent, Session& session) {
  auto options = std::make_shared<StoreOptions>();
  CLI::App* command = add_command(parent, session, "show",
                                  "Show a task: its runs, outcomes and fastest candidates", options, show);
  command->add_option("TASK", options->task, "The number that hoist store list gives it")
      ->required()
      ->option_text(" ");
  command->add_option("--best", options->best, "How many of the fastest candidates to show")
      ->option_text("N (10)");
  command->add_option("--candidate", options->candidate, "Show all that is known of one candidate")
      ->option_text("ID");
  command->footer(
      "Examples:\n"
      "  hoist store show 3\n"
      "  hoist store show 3 --candidate 12-345");
}

void add_export_store(CLI::App& parent, Session& session) {
  auto options = std::make_shared<StoreOptions>();
  CLI::App* command = add_command(parent, session, "export", "Write all that is stored as lines of JSON",
                                  options, export_store);
  command->add_option("-o,--output", options->output, "Write to this file instead of standard output")
      ->option_text("FILE");
  command->footer(
      "docs/store.md describes the lines. Others may be tuning meanwhile: the lines are the store at one "
      "moment.\n\n"
      "Examples:\n"
      "  hoist store export -o results.jsonl\n"
      "  hoist store export | gzip > results.jsonl.gz");
}

void add_import_store(CLI::App& parent, Session& session) {
  auto options = std::make_shared<StoreOptions>();
  CLI::App* command = add_command(parent, session, "import", "Add what hoist store export has written",
                                  options, import_store);
  command->add_option("FILES", options->files, "Exports; - is standard input")->required()->option_text(" ");
  command->footer(
      "What the store has already stays as it is; a file is added entirely or, with an error, not at all.\n\n"
      "Examples:\n"
      "  hoist store import results.jsonl\n"
      "  zcat results.jsonl.gz | hoist store import - --store postgresql://tuner@db.example.org/hoist");
}

void add_prune(CLI::App& parent, Session& session) {
  auto options = std::make_shared<StoreOptions>();
  CLI::App* command = add_command(parent, session, "prune",
                                  "Remove evaluations, and what is unused without them", options, prune);
  command->add_option("--task", options->pruned_task, "Only evaluations of this task")->option_text("TASK");
  add_filters(*command, *options);
  command
      ->add_option("--before", options->before,
                   "Only evaluations recorded before this date, UTC: 2026-01-31, or its beginning")
      ->option_text("DATE");
  command->add_flag("--failed", options->only_failed, "Only evaluations whose outcome is not ok");
  command->add_flag("--dry-run", options->only_counted, "Only count what would be removed");
  command->footer(
      "Removes the evaluations that meet all conditions. A tuner does not repeat what failed before, unless "
      "its\n"
      "evaluation is removed.\n\n"
      "Examples:\n"
      "  hoist store prune --before 2026-01 --dry-run\n"
      "  hoist store prune --program gemv --device 'NVIDIA H200' --failed");
}

}  // namespace

void add_store(CLI::App& app, Session& session) {
  CLI::App* store = app.add_subcommand("store", "List, share and tidy up what tuning has found");
  store->require_subcommand(1);
  add_list(*store, session);
  add_show(*store, session);
  add_export_store(*store, session);
  add_import_store(*store, session);
  add_prune(*store, session);
}

}  // namespace hoist::cli
