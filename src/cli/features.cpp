// hoist features: the numbers that tell how fast a candidate may be, read off its plan, or off the assembly
// that the system's compiler makes of its kernels.
#include "features/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/explored.hpp"
#include "cli/feature_text.hpp"
#include "cli/output.hpp"
#include "ir/arena.hpp"
#include "predict/stream_facts.hpp"
#include "rewrite/stencil_features.hpp"
#include "runtime/host/host_device.hpp"

namespace hoist::cli {

namespace {

struct FeaturesOptions {
  SpaceOptions space;
  LoweringOptions lowering;
  std::vector<std::string> ids;  ///< empty: the default mapping
  bool reads_assembly = false, of_stencil = false, of_streams = false, json = false;
};

/// The plan of the default mapping, or of the candidate that is named.
loop::Plan plan_of(const SizedProgram& sized, const std::vector<std::string>& ids) {
  if (ids.empty())
    return need(driver::compile(sized.program, {.lowering = sized.lowering, .last = driver::Stage::Loop}))
        .plan;
  const Explored explored = cli::explored(sized);
  const variants::Candidate candidate =
      explored.space().make(id_of(explored, ids.front()), explored.lowering);
  if (!candidate.plan)
    throw_user(fmt::format("the candidate {} does not compile", ids.front()), candidate.discarded);
  return *candidate.plan;
}

/// The features of each candidate, or why it is discarded, and the values of its parameters.
void show_several(const SizedProgram& sized, const std::vector<std::string>& ids) {
  const Explored explored = cli::explored(sized);
  const features::Schema& schema = features::schema(explored.device().machine.processor);
  Json candidates = Json::array();
  for (const std::string& id : ids) {
    const ir::Arena of_this_candidate;
    const variants::Candidate candidate = explored.space().make(id_of(explored, id), explored.lowering);
    Json values = Json::object();
    for (const auto& [name, value] : candidate.values) values[name] = value;
    Json facts = {{"id", id}, {"values", std::move(values)}};
    if (candidate.plan) {
      facts["features"] =
          features_json(schema.features, features::features_of(*candidate.plan, explored.device()));
    } else {
      facts["discarded"] = candidate.discarded;
    }
    candidates.push_back(std::move(facts));
  }
  print_json({{"schema", schema.name}, {"candidates", std::move(candidates)}});
}

Json stencil_json(const rewrite::StencilFeatures& stencil) {
  Json points = Json::array();
  for (const rewrite::StencilPoint& each : stencil.points) points.push_back({each.z, each.y, each.x});
  return {{"size", stencil.size},
          {"dimensionality", stencil.dimensionality},
          {"radius", stencil.radius},
          {"density", stencil.density},
          {"unique_dimension", rewrite::name_of(stencil.unique_dimension)},
          {"inputs", stencil.inputs},
          {"reads", stencil.reads},
          {"fixed_reads", stencil.fixed_reads},
          {"additions", stencil.additions},
          {"multiplications", stencil.multiplications},
          {"other_operations", stencil.other_operations},
          {"additions_per_point", stencil.additions_per_point()},
          {"multiplications_per_point", stencil.multiplications_per_point()},
          {"points", std::move(points)}};
}

/// What kind of stencil a program is, or why it is none: that is an answer, too.
void show_stencil(const SizedProgram& sized, bool as_json) {
  const auto stencil = rewrite::stencil_features(sized.program);
  if (!stencil) {
    if (as_json) {
      print_json({{"stencil", nullptr}, {"reason", stencil.error().reason}});
    } else {
      print(fmt::format("{} is no stencil: {}.\n", sized.program.name, stencil.error().reason));
    }
    return;
  }
  Json facts = stencil_json(*stencil);
  if (as_json) {
    print_json({{"stencil", std::move(facts)}});
    return;
  }
  facts.erase("points");
  Table table({{"feature"}, {"value", Table::Align::Right}});
  for (const auto& [name, value] : facts.items()) {
    table.add_row({name, value.is_string()         ? value.get<std::string>()
                         : value.is_number_float() ? fmt::format("{:.6g}", value.get<double>())
                                                   : value.dump()});
  }
  print(table.text());
}

void show_streams(const loop::Plan& plan, const target::Target& device, bool as_json) {
  const auto named = predict::stream_facts(plan, device);
  if (as_json) {
    Json facts = Json::object();
    for (const auto& [name, value] : named) facts[name] = value;
    print_json({{"features", std::move(facts)}});
    return;
  }
  Table table({{"feature"}, {"value", Table::Align::Right}});
  for (const auto& [name, value] : named) table.add_row({name, fmt::format("{:.6g}", value)});
  print(table.text());
}

Status show_features(Session& session, const FeaturesOptions& options) {
  SpaceOptions space = options.space;
  space.names_candidates = !options.ids.empty();
  const SizedProgram sized = sized_program(session, space, options.lowering);
  if (options.of_stencil) {
    if (options.reads_assembly || !options.ids.empty())
      throw_user("--stencil is about the program: it takes neither --id nor --assembly");
    show_stencil(sized, options.json);
    return done;
  }
  const target::Target& device = sized.exploration.target;
  if (options.reads_assembly && device.language != target::Language::Host)
    throw_user("--assembly is for --device host", {}, "no other device's compiler shows what it made");
  if (options.ids.size() > 1) {
    if (options.reads_assembly || !options.json)
      throw_user("several candidates are told as JSON, and not off their assembly", {},
                 "add --json, or name one; hoist dev assembly reads many kernels from a listing");
    show_several(sized, options.ids);
    return done;
  }
  const loop::Plan plan = plan_of(sized, options.ids);
  if (options.of_streams) {
    if (options.reads_assembly) throw_user("--streams is about the plan: it takes no --assembly");
    show_streams(plan, device, options.json);
    return done;
  }
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
  command
      ->add_option("--id", options->ids,
                   "The candidate; otherwise the default mapping; where it is repeated, all of them, with "
                   "the values of their parameters, by --json")
      ->option_text("ID")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--assembly", options->reads_assembly,
                    "Read them off the assembly of each kernel's hot loop; for --device host");
  command->add_flag("--stencil", options->of_stencil,
                    "What kind of stencil the program is: its points, and the operations on them");
  command->add_flag("--streams", options->of_streams,
                    "How it is cut into tasks, what these move and compute: what a model of streams sees");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Without --assembly they are read off the plan, and no compiler is asked. What each of them is:\n"
      "docs/features.md, docs/assembly.md and docs/stencils.md.\n\n"
      "Examples:\n"
      "  hoist features kernels/matmul_nn.hoist M=1024 N=1024 K=1024\n"
      "  hoist features kernels/contraction_ijk_ilk_jl.hoist I=8 J=8 K=16 L=8 --device host --assembly\n"
      "  hoist features kernels/heat3d.hoist D=64 H=64 W=64 --stencil\n"
      "  hoist features kernels/heat3d.hoist D=64 H=64 W=64 --streams --json");
  command->callback([&session, options] {
    session.action = [&session, options] { return show_features(session, *options); };
  });
}

}  // namespace hoist::cli
