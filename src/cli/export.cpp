// hoist export: a program as C that needs nothing of Hoist.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/isa_option.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/program_file.hpp"
#include "cli/streams.hpp"
#include "driver/verify.hpp"
#include "export/export.hpp"
#include "target/kinds.hpp"

namespace hoist::cli {

namespace {

struct ExportCommandOptions {
  ProgramOptions program;
  LoweringOptions lowering;
  StreamsOption streams;
  std::size_t ranks = 0;
  std::string feed;
  std::string device, isa;
  std::string directory;
  std::string name;
  bool force = false;
  bool json = false;
};

/// How the program is to run in tasks; nothing where it is to run at once.
std::vector<exporting::StreamsForUnits> streams_of(const ExportCommandOptions& options,
                                                   const ir::Program& program, const lower::Options& lowering,
                                                   const std::optional<target::Target>& here) {
  if (!options.streams.is_given()) return {};
  const driver::Compiled whole = need(driver::compile(program, lowering));
  const auto device =
      options.streams.streams == "auto" && here ? need(runtime::open_device(here->id)) : nullptr;
  std::vector<exporting::StreamsForUnits> streams;
  for (const auto& [units, each] : streams_by_units(options.streams, whole.plan, device.get()))
    streams.push_back({units, each});
  return streams;
}

void check_sizes_given(const ir::Program& program) {
  std::vector<std::string> missing;
  for (arith::Expr size : program.sizes) missing.push_back(size->name);
  for (arith::Expr parameter : ir::open_parameters(program.function)) missing.push_back(parameter->name);
  if (missing.empty()) return;
  throw_user("no value is given for " + joined(missing), "exported code has its sizes fixed",
             "give them all: " + joined(missing, "=1024 ") + "=1024");
}

/// How it is cut for ranks; nothing where it is not. It has steps where an input can take the result.
std::optional<exporting::RanksOption> ranks_of(const ExportCommandOptions& options,
                                               const ir::Program& program) {
  if (options.ranks == 0) {
    if (!options.feed.empty()) throw_user("--feed needs --ranks");
    return std::nullopt;
  }
  if (options.streams.is_given()) throw_user("--ranks and --streams do not go together");
  exporting::RanksOption ranks{options.ranks, std::nullopt};
  auto fed = driver::fed_input(program, options.feed);
  if (fed) ranks.fed = *fed;
  if (!fed && !options.feed.empty()) need(std::move(fed));
  return ranks;
}

Status run(Session& session, const ExportCommandOptions& options) {
  const exporting::ExportDevice device = need(exporting::export_device(options.device));
  check_streams(options.streams);
  ir::Program program = read_program(session, options.program);
  const driver::NamedSizes sizes = read_sizes(program, options.program.values);
  lower::Options lowering = lowering_options(options.lowering, program, sizes);
  lowering.target = restricted_to_isa(exporting::target_of(device), options.isa);
  program = need(driver::with_sizes(program, sizes));
  session.program = program;
  check_sizes_given(program);
  const std::string name = options.name.empty() ? program.name : options.name;
  const exporting::Exported exported = need(
      exporting::exported(program, sizes, name, lowering, streams_of(options, program, lowering, device.here),
                          ranks_of(options, program)));
  std::vector<NamedText> files;
  for (const exporting::ExportedFile& file : exporting::export_files(exported))
    files.push_back({file.name, file.text});
  for (const exporting::ExportedStreams& each : exported.streams)
    for (const std::string& uncut : each.plan.notes) note("note: " + uncut);
  if (exported.ranks) {
    for (const std::string& uncut : exported.ranks->plan.notes) note("note: " + uncut);
  }
  const std::vector<std::string> paths = write_text_files(options.directory, files, options.force);
  if (options.json) {
    Json streams = Json::array();
    for (const exporting::ExportedStreams& each : exported.streams)
      streams.push_back(
          {{"units", each.units}, {"partitions", each.plan.partitions}, {"tasks", each.plan.tasks}});
    print_json({{"program", program.name},
                {"name", name},
                {"device", options.device},
                {"streams", std::move(streams)},
                {"ranks", options.ranks},
                {"written", paths}});
  } else {
    print("wrote " + joined(paths) + "\n");
  }
  return done;
}

}  // namespace

void add_export(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExportCommandOptions>();
  CLI::App* command = app.add_subcommand("export", "Write a program as C that needs nothing of Hoist");
  add_program_options(*command, options->program, "All sizes: N=1024, and tuning parameters: t=16");
  command
      ->add_option("--device", options->device,
                   "What it is to run on: " + alternatives(target::example_ids()))
      ->required()
      ->option_text("ID");
  add_isa_option(*command, options->isa);
  command->add_option("-o,--output", options->directory, "The directory to write to; made if it is not there")
      ->required()
      ->option_text("DIR");
  command
      ->add_option("--name", options->name, "What files and functions are called; otherwise as the program")
      ->option_text("NAME");
  command->add_flag("--force", options->force, "Replace files");
  add_streams_options(*command, options->streams);
  command
      ->add_option("--ranks", options->ranks,
                   "For N ranks of MPI, each with a part of the rows of every array; for the host alone")
      ->check(above_zero())
      ->option_text("N");
  command
      ->add_option(
          "--feed", options->feed,
          "The input that takes the result in NAME_run_steps of --ranks; otherwise the only one of its type")
      ->option_text("INPUT");
  add_lowering_options(*command, options->lowering);
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "NAME.h declares NAME_create, NAME_run (on arrays in the host's memory), NAME_run_device (on the\n"
      "device's), NAME_destroy and NAME_error_text; NAME.c is C99 with the kernels inside and needs the\n"
      "vendor's headers and runtime alone. For the host the kernels are C++, in NAME_kernels.cpp.\n\n"
      "Examples:\n"
      "  hoist export kernels/matmul_nn.hoist M=512 N=512 K=512 --device opencl:0 -o product --name product\n"
      "  hoist export kernels/jacobi2d5.hoist H=1024 W=1024 --device host -o jacobi --force\n"
      "  hoist export kernels/jacobi2d5.hoist H=8192 W=8192 --device opencl -o tasks --streams 1,16 --memory "
      "64MiB\n"
      "  hoist export kernels/jacobi2d5.hoist H=8192 W=8192 --device host -o ranks --name jacobi --ranks 4");
  command->callback(
      [&session, options] { session.action = [&session, options] { return run(session, *options); }; });
}

}  // namespace hoist::cli
