// hoist eval: what a program means, by the reference interpreter.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/data_text.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/program_file.hpp"
#include "interpret/interpret.hpp"

namespace hoist::cli {

namespace {

struct EvalOptions {
  ProgramOptions program;
  std::optional<std::uint64_t> random_seed;
  std::optional<std::size_t> steps;
  std::string feed;
  std::string output;
  std::optional<std::int64_t> elements;
  bool json = false;
};

Status eval(Session& session, const EvalOptions& options) {
  const ir::Program program = read_program(session, options.program);
  const auto leaves = driver::named_leaves(program.result());
  std::vector<std::string> paths;
  if (!options.output.empty()) {
    paths = need(output_paths(options.output, leaves.size()));
    need(check_writable(paths));
  }
  const driver::Steps steps = read_steps(program, options.steps, options.feed);
  const Arguments arguments = read_arguments(program, options.program.values, options.random_seed);
  interpret::Counts counts;
  const auto evaluate = [&](std::size_t, const std::vector<Data>& inputs) {
    interpret::Counts of_step;
    auto result = interpret::evaluate(program, inputs, arguments.bindings, {}, &of_step);
    counts.operations += of_step.operations;
    counts.flops += of_step.flops;
    return result;
  };
  const Data result = need(driver::evaluate_steps(steps, arguments.inputs, evaluate));
  if (!paths.empty()) need(write_arrays(paths, result));
  if (options.json) {
    Json sizes = Json::object();
    for (const auto& [name, value] : arguments.sizes) sizes[name] = value;
    Json facts = {{"program", program.name},
                  {"sizes", std::move(sizes)},
                  {"result", result_json(leaves, result, options.elements)},
                  {"operations", counts.operations},
                  {"flops", counts.flops}};
    if (options.steps) facts["steps"] = steps.count;
    if (!paths.empty()) facts["written"] = paths;
    print_json(facts);
  } else if (paths.empty()) {
    print(result_text(leaves, result, options.elements));
  } else {
    note("wrote " + joined(paths));
  }
  return done;
}

}  // namespace

void add_eval(CLI::App& app, Session& session) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand("eval", "Run a program with the reference interpreter");
  add_program_options(
      *command, options->program,
      "Sizes: N=1024; inputs: x=x.npy, x=random:SEED, x=random:SEED:LOW:HIGH, a=1.5; a component of an "
      "input of tuple type: x.0=x0.npy");
  command->add_option("--random", options->random_seed, "Random numbers for all inputs that are not given")
      ->option_text("SEED");
  add_steps_options(*command, options->steps, options->feed,
                    "Evaluate N times, from the second time on with the result of the time before");
  command
      ->add_option("-o,--output", options->output,
                   "Write the result as .npy; a tuple's arrays to names with commas between")
      ->option_text("FILE[,FILE...]");
  command->add_option("--elements", options->elements, "How many elements to print of each dimension")
      ->check(not_below_zero())
      ->option_text("N");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Sizes that the shapes of .npy inputs tell need not be given.\n\n"
      "Examples:\n"
      "  hoist eval kernels/dot.hoist x=x.npy y=y.npy\n"
      "  hoist eval kernels/jacobi2d5.hoist H=8 W=8 --random 1 --steps 10\n"
      "  hoist eval kernels/matmul_nn.hoist M=8 N=8 K=8 A=random:1 B=random:2 -o product.npy\n"
      "  hoist eval kernels/histogram.hoist N=1000 B=16 values=random:1:0:B counts=random:2:0:1");
  command->callback(
      [&session, options] { session.action = [&session, options] { return eval(session, *options); }; });
}

}  // namespace hoist::cli
