// hoist report: what tuning found, as a page.
#include "cli/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/program_file.hpp"
#include "cli/store_option.hpp"
#include "report/page.hpp"
#include "report/trace.hpp"
#include "target/kinds.hpp"
#include "tuner/report_data.hpp"

namespace hoist::cli {

namespace {

struct ReportOptions {
  ProgramOptions program;
  std::string device, store, output, trace;
  bool json = false;
};

Status report_trace(const ReportOptions& options) {
  if (!options.program.file.empty())
    throw_user("--trace takes no program", "a trace is of one run, whose results are in no store",
               "leave out " + options.program.file);
  const Trace trace = need(report::read_trace(read_text_file(options.trace)));
  if (options.json) {
    const report::TraceSummary summary = report::summarize(trace);
    const nlohmann::json facts = {
        {"span_seconds", summary.span},           {"busy_seconds", summary.busy},
        {"upload_seconds", summary.uploads},      {"launch_seconds", summary.launches},
        {"download_seconds", summary.downloads},  {"uploaded_bytes", summary.uploaded},
        {"downloaded_bytes", summary.downloaded}, {"overlap", summary.overlap},
        {"commands", trace.records.size()}};
    print(facts.dump(1) + "\n");
    return done;
  }
  const std::string path = options.output.empty() ? options.trace + ".html" : options.output;
  write_text_file(path, report::trace_page(trace));
  note("wrote " + path);
  return done;
}

/// What was measured last of a program, at these sizes where some are given, on that kind of device.
store::TaskId find_task(Session& session, const ReportOptions& options, store::Store& store) {
  const ir::Program program = read_program(session, options.program);
  const driver::NamedSizes sizes = read_sizes(program, options.program.values);
  const auto device = target::device_id(options.device);
  if (!device && !options.device.empty())
    throw_user(fmt::format("'{}' is no device or kind of device", options.device), {},
               "give one of " + joined(target::example_ids()));
  const auto found = need(
      tuner::last_measured(store, program, sizes, device ? std::optional(device->language) : std::nullopt));
  if (!found)
    throw_user(fmt::format("nothing was measured of {} with these sizes yet", program.name),
               "the store is " + store.place(), "hoist tune measures; hoist store list shows what there is");
  return *found;
}

Status report_task(Session& session, const ReportOptions& options) {
  if (!options.trace.empty()) return report_trace(options);
  if (options.program.file.empty())
    throw_user("a report is of a program or of a trace", {}, "name the program's FILE, or --trace FILE");
  store::Store store = open_store(options.store, {.make = false, .only_reads = true});
  const store::TaskId task = find_task(session, options, store);
  if (options.json) {
    print(need(tuner::report_data(store, task)).dump(1) + "\n");
    return done;
  }
  const std::string path = options.output.empty() ? session.program->name + ".html" : options.output;
  write_report(path, store, task);
  note("wrote " + path);
  return done;
}

}  // namespace

void write_report(const std::string& path, store::Store& store, store::TaskId task) {
  write_text_file(path, need(report::page(need(tuner::report_data(store, task)))));
}

void add_report(CLI::App& app, Session& session) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Write a page about the results of tuning");
  add_program_options(*command, options->program, "Sizes: N=1024; otherwise those measured last");
  command
      ->add_option(
          "--device", options->device,
          "The kind of device: " + joined(target::names_of_kinds()) + "; otherwise the one measured last")
      ->option_text("ID");
  add_store_option(*command, options->store);
  // A trace stands for itself.
  command->get_option("FILE")->required(false);
  command
      ->add_option("--trace", options->trace,
                   "What `hoist run --trace` wrote, as a picture in place of tuning")
      ->option_text("FILE.json");
  command->add_option("-o,--output", options->output, "The page; otherwise PROGRAM.html, or FILE.json.html")
      ->option_text("FILE.html");
  command->add_flag("--json", options->json, "Print what the page shows as JSON");
  command->footer(
      "The page needs no network.\n\nExample:\n"
      "  hoist report kernels/matmul_nn.hoist M=1024 N=1024 K=1024 -o matmul.html");
  command->callback([&session, options] {
    session.action = [&session, options] { return report_task(session, *options); };
  });
}

}  // namespace hoist::cli
