// hoist features: the numbers that tell how fast a candidate may be, read off its plan, or off the assembly
// that the system's compiler makes of its kernels.
#include "features/features.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/explored.hpp"
#include "cli/feature_text.hpp"
#include "cli/output.hpp"
#include "runtime/host/host_device.hpp"

namespace hoist::cli {

namespace {

struct FeaturesOptions {
  SpaceOptions space;
  LoweringOptions lowering;
  std::string id;  ///< empty: the default mapping
  bool reads_assembly = false, json = false;
};

/// The plan of the default mapping, or of the candidate that is named.
loop::Plan plan_of(const SizedProgram& sized, const std::string& id) {
  if (id.empty())
    return need(driver::compile(sized.program, {.lowering = sized.lowering, .last = driver::Stage::Loop}))
        .plan;
  const Explored explored = cli::explored(sized);
  const variants::Candidate candidate = explored.space().make(id_of(explored, id), explored.lowering);
  if (!candidate.plan) throw_user(fmt::format("the candidate {} does not compile", id), candidate.discarded);
  return *candidate.plan;
}

Status show_features(Session& session, const FeaturesOptions& options) {
  const SizedProgram sized = sized_program(session, options.space, options.lowering);
  const target::Target& device = sized.exploration.target;
  if (options.reads_assembly && device.language != target::Language::Host)
    throw_user("--assembly is for --device host", {}, "no other device's compiler shows what it made");
  const loop::Plan plan = plan_of(sized, options.id);
  if (options.reads_assembly) {
    std::vector<std::string> kernels;
    for (const loop::Kernel& each : plan.kernels) kernels.push_back(each.name);
    const std::string source = need(driver::source_of(plan, device));
    show_assembly_features(need(runtime::host::assembly_of(source)), kernels, options.json);
    return done;
  }
  const features::Schema& schema = features::schema(device.machine.processor);
  const std::vector<double> values = features::features_of(plan, device);
  if (options.json) {
    print_json({{"schema", schema.name}, {"features", features_json(schema.features, values)}});
  } else {
    print(features_text(schema.features, values));
  }
  return done;
}

}  // namespace

void add_features(CLI::App& app, Session& session) {
  auto options = std::make_shared<FeaturesOptions>();
  CLI::App* command = app.add_subcommand(
      "features", "Print the numbers that tell how fast a candidate may be before it runs");
  add_space_options(*command, options->space, options->lowering);
  command->add_option("--id", options->id, "The candidate; otherwise the default mapping")->option_text("ID");
  command->add_flag("--assembly", options->reads_assembly,
                    "Read them off the assembly of each kernel's hot loop; for --device host");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Without --assembly they are read off the plan, and no compiler is asked. What each of them is:\n"
      "docs/features.md and docs/assembly.md.\n\n"
      "Examples:\n"
      "  hoist features kernels/matmul_nn.hoist M=1024 N=1024 K=1024\n"
      "  hoist features kernels/contraction_ijk_ilk_jl.hoist I=8 J=8 K=16 L=8 --device host --assembly");
  command->callback([&session, options] {
    session.action = [&session, options] { return show_features(session, *options); };
  });
}

}  // namespace hoist::cli
