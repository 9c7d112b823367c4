// hoist dev: the maintainers' tool, one part of the pipeline at a time.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "arith/parse.hpp"
#include "base/scalar.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/feature_text.hpp"
#include "cli/grammar.hpp"
#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "cli/reference.hpp"
#include "driver/verify.hpp"
#include "ir/print.hpp"
#include "loop/check.hpp"
#include "loop/interpret.hpp"
#include "loop/print.hpp"
#include "workloads/contraction.hpp"
#include "workloads/stencil.hpp"

namespace hoist::cli {

namespace {

struct SimplifyOptions {
  std::string expression;
  std::vector<std::string> sizes, variables;
};

Status simplify(Session& session, const SimplifyOptions& options) {
  arith::Scope scope;
  for (const std::string& size : options.sizes) scope.declare_size(size);
  for (const std::string& variable : options.variables) {
    session.source = Source{"--var", variable};
    auto declared = scope.declare_index(variable);
    if (!declared && !declared.error().diagnostics.front().span) {
      throw_user("--var: " + declared.error().diagnostics.front().message, {},
                 "for example --var 'i in [0,M)'");
    }
    need(std::move(declared));
  }
  session.source = Source{"expression", options.expression};
  const arith::Expr simplified = need(arith::parse(options.expression, scope));
  print(arith::to_string(simplified) + "\n");
  return done;
}

struct LoopOptions {
  ProgramOptions program;
  LoweringOptions lowering;
  std::optional<std::uint64_t> random_seed;
  bool symbolic = false;
  bool json = false;
};

/// Memory and scalars as the loop interpreter takes them.
void bind_inputs(const loop::Plan& plan, const std::vector<Data>& inputs, loop::Memory& memory,
                 std::map<std::string, ScalarValue>& scalars) {
  std::size_t next = 0;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) {
      const loop::PlanInput& input = plan.inputs.at(next++);
      if (const auto* buffer = std::get_if<loop::BufferPtr>(&input)) {
        memory[(*buffer)->name] = tensor.bytes;
      } else {
        scalars[std::get<loop::ScalarInput>(input).variable->name] =
            load_scalar(tensor.bytes.data(), tensor.scalar, 0);
      }
    }
  }
}

Json counts_json(const loop::Counts& counts) {
  Json result;
  for (const auto& [name, space] :
       {std::pair("global", loop::AddressSpace::Global), std::pair("local", loop::AddressSpace::Local),
        std::pair("private", loop::AddressSpace::Private)}) {
    const auto index = static_cast<std::size_t>(space);
    result[fmt::format("{}_loads", name)] = counts.loads[index];
    result[fmt::format("{}_stores", name)] = counts.stores[index];
  }
  result["barriers"] = counts.barriers;
  result["loop_iterations"] = counts.loop_iterations;
  result["operations"] = counts.operations;
  result["branches"] = counts.branches;
  return result;
}

Status run_loops(Session& session, const LoopOptions& options) {
  const ir::Program program = read_program(session, options.program);
  const Arguments arguments = read_arguments(program, options.program.values, options.random_seed);
  const ir::Program sized = need(driver::with_sizes(program, arguments.sizes));
  // Tuning parameters have no place in kernels, so that only sizes may stay open.
  driver::NamedSizes put_in = arguments.sizes;
  if (options.symbolic) {
    std::erase_if(put_in, [&](const auto& each) {
      return std::any_of(program.sizes.begin(), program.sizes.end(),
                         [&](arith::Expr size) { return size->name == each.first; });
    });
  }
  const ir::Program compiled_program = need(driver::with_sizes(program, put_in));
  session.program = compiled_program;
  const driver::Compiled compiled =
      need(driver::compile(compiled_program, lowering_options(options.lowering, program, arguments.sizes)));
  check_launches(compiled.plan, options.lowering);
  for (const std::string& each : compiled.notes) note("note: " + each);
  need(loop::check(compiled.plan));

  loop::Memory memory;
  std::map<std::string, ScalarValue> scalars;
  bind_inputs(compiled.plan, arguments.inputs, memory, scalars);
  const loop::ExecutionReport report =
      need(loop::interpret(compiled.plan, arguments.bindings, scalars, memory));
  Data result = need(driver::empty_leaves(sized.result()));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i].bytes = memory.at(compiled.plan.outputs.at(i)->name);
  const driver::Verification verification =
      need(driver::verify(program, arguments.sizes, arguments.inputs, result));
  const bool is_right = verification.comparison.agrees() && report.faults.empty();

  const Json counts = counts_json(report.counts);
  if (options.json) {
    print_json(Json{{"program", program.name},
                    {"counts", counts},
                    {"faults", report.faults},
                    {"agrees", verification.comparison.agrees()},
                    {"comparison", interpret::to_string(verification.comparison)}});
  } else {
    using enum Table::Align;
    Table table({{"counted", Left}, {"in all work-items", Right}});
    for (const auto& [name, value] : counts.items()) table.add_row({name, value.dump()});
    print(table.text());
    print(interpret::to_string(verification.comparison) + "\n");
  }
  for (const std::string& fault : report.faults) note("fault: " + fault);
  if (!is_right) note("To reproduce it: " + session.command_line);
  return is_right ? done : bug;
}

void add_simplify(CLI::App& dev, Session& session) {
  auto options = std::make_shared<SimplifyOptions>();
  CLI::App* command = dev.add_subcommand("simplify", "Bring an index expression into its canonical form");
  command->add_option("EXPRESSION", options->expression, "The expression, in C's syntax")
      ->required()
      ->option_text(" ");
  command->add_option("--size", options->sizes, "Names of sizes (at least 1): M,N")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("NAMES");
  command
      ->add_option("--var", options->variables,
                   "An index variable with its range: 'i in [0,M)'; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("RANGE");
  command->footer(
      "Examples:\n"
      "  hoist dev simplify '(i * N + j) / N' --size M,N --var 'i in [0,M)' --var 'j in [0,N)'\n"
      "  hoist dev simplify 'ceildiv(4 * N, 4)' --size N");
  command->callback(
      [&session, options] { session.action = [&session, options] { return simplify(session, *options); }; });
}

void add_print(CLI::App& dev, Session& session) {
  auto options = std::make_shared<ProgramOptions>();
  CLI::App* command =
      dev.add_subcommand("print", "Parse a program and print it, everything in it spelled out");
  add_program_options(*command, *options, "Sizes to put in: N=1024; tuning parameters: t=16");
  command->footer("Example:\n  hoist dev print kernels/jacobi2d5.hoist");
  command->callback([&session, options] {
    session.action = [&session, options] {
      const ir::Program program = read_program(session, *options);
      print(ir::to_string(need(driver::with_sizes(program, read_sizes(program, options->values)))));
      return done;
    };
  });
}

void add_loop(CLI::App& dev, Session& session) {
  auto options = std::make_shared<LoopOptions>();
  CLI::App* command =
      dev.add_subcommand("loop", "Check the kernels' loops and run them in the loop interpreter");
  add_program_options(*command, options->program, "Sizes and inputs, as for hoist run");
  command->add_option("--random", options->random_seed, "Random numbers for all inputs that are not given")
      ->option_text("SEED");
  command->add_flag("--symbolic", options->symbolic,
                    "Compile without the sizes; bind them when the kernels run");
  add_lowering_options(*command, options->lowering);
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Counts what the work-items do, and finds races, divergent barriers, accesses out of bounds and reads "
      "of\n"
      "unset memory. The result is compared with the reference interpreter's. Exit status 3 when anything is "
      "wrong.\n\n"
      "Example:\n"
      "  hoist dev loop kernels/dot.hoist N=64 --random 1");
  command->callback(
      [&session, options] { session.action = [&session, options] { return run_loops(session, *options); }; });
}

struct WorkloadOptions {
  std::string name;  ///< empty: all are listed
  std::string type = "f32";
  std::uint64_t seed = 1;
};

Status list_workloads(std::uint64_t seed) {
  Table table({{"name"}, {"of"}, {"what it is"}});
  for (std::string_view each : workloads::ccsd_contractions())
    table.add_row({std::string(each), "CCSD", "contraction"});
  for (const workloads::Contraction& each : workloads::training_contractions(seed))
    table.add_row({workloads::to_string(each), "training", "contraction"});
  for (const workloads::Stencil& each : workloads::stencils())
    table.add_row({std::string(each.name), "stencils", std::string(each.meaning)});
  print(table.text());
  return done;
}

Status print_workload(const WorkloadOptions& options) {
  if (options.name.empty()) return list_workloads(options.seed);
  const Scalar type = scalar_named(options.type).value();
  const bool is_contraction = options.name.find('-') != std::string::npos;
  print(is_contraction ? workloads::program_of(need(workloads::contraction_named(options.name)), type)
                       : workloads::program_of(need(workloads::stencil_named(options.name)), type));
  return done;
}

void add_workload(CLI::App& dev, Session& session) {
  auto options = std::make_shared<WorkloadOptions>();
  CLI::App* command =
      dev.add_subcommand("workload", "Print the program of a contraction or a stencil of the literature");
  command->add_option("NAME", options->name, "ijk-ilk-jl, dresid, ...; otherwise all names are listed")
      ->option_text(" ");
  command->add_option("--type", options->type, "f32 (default) or f64")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->option_text("TYPE");
  command
      ->add_option("--seed", options->seed, "The seed of the contractions to learn from that are listed (1)")
      ->option_text("SEED");
  command->footer(
      "Any contraction has a name: the indices of the result, a hyphen, those of one operand, a hyphen, "
      "those of the\n"
      "other.\n\n"
      "Examples:\n"
      "  hoist dev workload\n"
      "  hoist dev workload ijkl-imkn-jnlm --type f64");
  command->callback([&session, options] { session.action = [options] { return print_workload(*options); }; });
}

struct AssemblyOptions {
  std::string file;
  std::vector<std::string> kernels;
  bool json = false;
};

void add_assembly(CLI::App& dev, Session& session) {
  auto options = std::make_shared<AssemblyOptions>();
  CLI::App* command =
      dev.add_subcommand("assembly", "Print what is read off the hot loops of kernels in an assembly text");
  command->add_option("FILE", options->file, "What a compiler wrote with -S; - is standard input")
      ->required()
      ->option_text(" ");
  command->add_option("KERNEL", options->kernels, "The functions")->required()->option_text(" ");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "hoist features --assembly is the same for a program, which it compiles.\n\n"
      "Example:\n"
      "  hoist dev assembly kernels.s first second --json");
  command->callback([&session, options] {
    session.action = [options] {
      show_assembly_features(read_text_file(options->file), options->kernels, options->json);
      return done;
    };
  });
}

}  // namespace

void add_dev(CLI::App& app, Session& session) {
  CLI::App* dev = app.add_subcommand("dev", "The maintainers' tool: one part of the pipeline at a time");
  dev->require_subcommand(1);
  add_simplify(*dev, session);
  add_print(*dev, session);
  add_loop(*dev, session);
  add_workload(*dev, session);
  add_assembly(*dev, session);
  add_dev_learn(*dev, session);
  add_dev_streams(*dev, session);
  add_dev_manual(*dev, session);
  CLI::App* reference =
      dev->add_subcommand("reference", "Print the reference of primitives and scalar functions, as Markdown");
  reference->callback([&session] {
    session.action = [] {
      print(reference_markdown());
      return done;
    };
  });
  CLI::App* grammar = dev->add_subcommand(
      "grammar", "Print the grammar that editors highlight programs by, in TextMate's form");
  grammar->callback([&session] {
    session.action = [] {
      print_json(textmate_grammar());
      return done;
    };
  });
}

}  // namespace hoist::cli
