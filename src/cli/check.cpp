// hoist check: parses and types a program, and prints what it is.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "lang/lang.hpp"
#include "rewrite/default_mapping.hpp"

namespace hoist::cli {

namespace {

struct CheckOptions {
  ProgramOptions program;
  bool json = false;
};

Json facts_of(const ir::Program& program) {
  Json parameters = Json::array();
  for (const ir::ParameterDeclaration& parameter : program.parameters) {
    parameters.push_back({{"name", parameter.name}, {"type", ir::to_string(parameter.type)}});
  }
  auto names = [](const std::vector<arith::Expr>& variables) {
    Json list = Json::array();
    for (arith::Expr variable : variables) list.push_back(variable->name);
    return list;
  };
  Json assumptions = Json::array();
  for (const ir::SizeAssumption& assumption : ir::size_assumptions(program.function)) {
    assumptions.push_back(
        {{"predicate", arith::to_string(assumption.predicate)}, {"message", assumption.message}});
  }
  return {{"name", program.name},
          {"parameters", std::move(parameters)},
          {"result", ir::to_string(program.result())},
          {"sizes", names(program.sizes)},
          {"tuning_parameters", names(ir::open_parameters(program.function))},
          {"assumptions", std::move(assumptions)}};
}

std::string text(const ir::Program& program) {
  std::vector<std::string> parameters, sizes, open;
  for (const ir::ParameterDeclaration& parameter : program.parameters) {
    parameters.push_back(fmt::format("{}: {}", parameter.name, ir::to_string(parameter.type)));
  }
  for (arith::Expr size : program.sizes) sizes.push_back(size->name);
  for (arith::Expr parameter : ir::open_parameters(program.function)) open.push_back("?" + parameter->name);
  std::string result =
      fmt::format("{}({}): {}\n", program.name, joined(parameters), ir::to_string(program.result()));
  if (!sizes.empty()) result += fmt::format("sizes: {}\n", joined(sizes));
  if (!open.empty()) result += fmt::format("tuning parameters: {}\n", joined(open));
  const auto assumptions = ir::size_assumptions(program.function);
  if (!assumptions.empty()) result += "assumptions:\n";
  for (const ir::SizeAssumption& assumption : assumptions)
    result += fmt::format("  {}\n", assumption.message);
  return result;
}

Status check(Session& session, const CheckOptions& options) {
  ir::Program program = read_program(session, options.program);
  program = need(driver::with_sizes(program, read_sizes(program, options.program.values)));
  const std::vector<std::string> shadowed = lang::shadowed_names(*session.source);
  if (options.json) {
    Json known = facts_of(program);
    known["shadowed"] = shadowed;
    print_json(known);
  } else {
    for (const std::string& name : shadowed)
      note(fmt::format("note: '{}' is the file's own definition here, not the prelude's", name));
    print(text(program));
    // What a run that nobody tuned would say of it.
    const auto mapped = rewrite::default_mapping(program, target::Processor::Gpu);
    for (const std::string& each : mapped ? mapped->notes : std::vector<std::string>()) note("note: " + each);
  }
  return done;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Parse and type-check a program; print its type");
  add_program_options(*command, options->program, "Sizes to put in: N=1024; tuning parameters: t=16");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Prints the type, the sizes that a run has to be given, and what the program assumes of them.\n\n"
      "Examples:\n"
      "  hoist check kernels/matmul_nn.hoist\n"
      "  hoist check kernels/low-level/gemv.hoist N=100   # does the tile divide 100?\n"
      "  echo 'def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)' | hoist check -");
  command->callback(
      [&session, options] { session.action = [&session, options] { return check(session, *options); }; });
}

}  // namespace hoist::cli
