// hoist compile: what a program becomes, at any stage of its journey.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/isa_option.hpp"
#include "cli/output.hpp"
#include "cli/plan_text.hpp"
#include "cli/program_file.hpp"
#include "driver/compile.hpp"
#include "ir/print.hpp"
#include "loop/print.hpp"
#include "target/kinds.hpp"

namespace hoist::cli {

namespace {

/// After "term", the program itself.
const std::map<std::string, driver::Stage> stages = {
    {"low", driver::Stage::Low}, {"loop", driver::Stage::Loop}, {"source", driver::Stage::Source}};

struct CompileOptions {
  ProgramOptions program;
  LoweringOptions lowering;
  std::string target = "opencl", isa;
  std::string stage = "source";
  bool sub_groups = false;
  bool images = false;
  bool trace = false;
  bool json = false;
};

/// Prints the plan after each pass, or that the pass changed nothing.
void print_pass(std::string_view pass, const std::string& plan, std::string& previous) {
  print(fmt::format("==== {}{}\n", pass, plan == previous ? ": no change" : ""));
  if (plan != previous) print(plan + (plan.ends_with('\n') ? "" : "\n"));
  previous = plan;
}

void check_target(const CompileOptions& options, target::Language language) {
  if (options.images && target::kind_of(language).usual_image[0] == 0)
    throw_user(fmt::format("--images is not for --target {}", target::name_of(language)), {},
               "it has no images: give another target, or leave --images out");
  if (language == target::Language::OpenCL) return;
  if (options.sub_groups) {
    throw_user("--sub-groups is for --target opencl", {},
               "CUDA's work-groups always consist of warps, the host's never do");
  }
}

Status compile(Session& session, const CompileOptions& options) {
  ir::Program program = read_program(session, options.program);
  const driver::NamedSizes sizes = read_sizes(program, options.program.values);
  program = need(driver::with_sizes(program, sizes));
  session.program = program;
  const target::Language language = target::language_named(options.target).value();

  Json facts = {{"program", program.name}, {"target", options.target}, {"stage", options.stage}};
  auto finish = [&](const std::string& text) {
    if (options.json) {
      facts["text"] = text;
      print_json(facts);
    } else {
      print(text + (text.ends_with('\n') ? "" : "\n"));
    }
    return done;
  };
  if (options.stage == "term") return finish(ir::to_string(program));

  driver::Compilation compilation{.last = stages.at(options.stage)};
  std::string previous;
  Json passes = Json::array();
  compilation.mapped = [&](const rewrite::MappedProgram& mapped) {
    facts["notes"] = mapped.notes;
    for (const std::string& each : mapped.notes) note("note: " + each);
  };
  compilation.lowered = [&](const loop::Plan& plan) {
    check_launches(plan, options.lowering);
    if (options.trace && !options.json) print("==== source\n");
  };
  if (compilation.last != driver::Stage::Low) {
    compilation.lowering = lowering_options(options.lowering, program, sizes);
    check_target(options, language);
  }
  target::Target& target = compilation.lowering.target;
  target = restricted_to_isa(target::any_device(language), options.isa);
  if (options.sub_groups) target.sub_group_sizes = {target::warp_size};
  if (options.images) target = with_usual_images(std::move(target));
  if (options.trace) {
    compilation.lowering.trace = [&](std::string_view pass, const loop::Plan& plan) {
      const std::string text = loop::to_string(plan);
      if (options.json) {
        passes.push_back({{"pass", pass}, {"plan", text}});
      } else {
        print_pass(pass, text, previous);
      }
    };
  }
  const driver::Compiled compiled = need(driver::compile(program, compilation));
  if (compilation.last == driver::Stage::Low) return finish(ir::to_string(compiled.low));
  if (options.trace) facts["passes"] = std::move(passes);
  std::optional<execute::LaunchPlan> launch;  // with all sizes given
  if (auto resolved = execute::launch_plan(compiled.plan)) launch = std::move(*resolved);
  facts["plan"] = plan_json(compiled, launch);
  if (compilation.last == driver::Stage::Loop) return finish(loop::to_string(compiled.plan));
  const std::string& source = compiled.source;
  return finish(options.json
                    ? source
                    : source + (source.ends_with('\n') ? "" : "\n") + "\n" + plan_text(compiled, launch));
}

/// "opencl (default)", "cuda", ...
std::vector<std::string> targets_for_help() {
  std::vector<std::string> names = target::names_of_kinds();
  for (std::string& name : names) name += name == CompileOptions().target ? " (default)" : "";
  return names;
}

}  // namespace

void add_compile(CLI::App& app, Session& session) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* command =
      app.add_subcommand("compile", "Print the kernels that a program becomes, and their launches");
  add_program_options(
      *command, options->program,
      "Sizes: N=1024, and tuning parameters: t=16; sizes that are not given become arguments of the kernels");
  command
      ->add_option("--target", options->target, "The kernels' language: " + alternatives(targets_for_help()))
      ->check(CLI::IsMember(target::names_of_kinds()))
      ->option_text("LANGUAGE");
  add_isa_option(*command, options->isa);
  command->add_option("--stage", options->stage, "What to print: term, low, loop or source (default)")
      ->check(CLI::IsMember({"term", "low", "loop", "source"}))
      ->option_text("STAGE");
  command->add_flag("--sub-groups", options->sub_groups,
                    "For OpenCL devices with sub-groups of 32 (see hoist devices)");
  command->add_flag("--images", options->images, "For devices with images: toImage reads them");
  command->add_flag("--trace", options->trace, "Also print the loops after each pass of lowering");
  add_lowering_options(*command, options->lowering);
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Stages: term is the program with its sizes put in; low is the same in low-level patterns; loop is "
      "the\n"
      "imperative form; source is what the device's compiler gets, with the launches as a comment below "
      "it.\n\n"
      "Examples:\n"
      "  hoist compile kernels/matmul_nn.hoist\n"
      "  hoist compile kernels/matmul_nn.hoist M=64 N=64 K=64 --target host\n"
      "  hoist compile kernels/dot.hoist N=1024 --stage low\n"
      "  hoist compile kernels/low-level/gemv.hoist --trace --without barrier-elimination");
  command->callback(
      [&session, options] { session.action = [&session, options] { return compile(session, *options); }; });
}

}  // namespace hoist::cli
