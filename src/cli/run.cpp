// hoist run: compiles a program, runs it on a device and tells how fast it was.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/stopwatch.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/data_text.hpp"
#include "cli/forecast.hpp"
#include "cli/isa_option.hpp"
#include "cli/job.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/placed_run.hpp"
#include "cli/plan_text.hpp"
#include "cli/run_options.hpp"
#include "cli/verified.hpp"
#include "driver/work.hpp"
#include "execute/executable.hpp"
#include "execute/streamed_executable.hpp"
#include "runtime/devices.hpp"
#include "runtime/limits.hpp"
#include "runtime/measure.hpp"
#include "tuner/streamed_run.hpp"
#include "tuner/tuner.hpp"

namespace hoist::cli {

namespace {

/// What the runs of one kernel took; a kernel may be launched several times in one run.
struct KernelTimes {
  std::size_t kernel = 0;
  std::size_t launches = 0;
  runtime::Measurement times;
};

using KernelFacts = std::vector<std::optional<runtime::KernelFacts>>;

struct Timing {
  std::vector<KernelTimes> kernels;
  runtime::Measurement total;  ///< of the kernels of a run
  runtime::Measurement wall;   ///< of a run from its start to its end: launches, copies and waiting count
  bool is_cold = false;        ///< of one run that was the first: threads start, caches are empty
};

Timing measure(execute::Executable& executable, const loop::Plan& plan, const driver::Steps& steps,
               std::size_t repetitions, std::size_t warm_ups) {
  std::vector<std::vector<double>> each_kernel(plan.kernels.size());
  std::vector<std::size_t> launched;  // by the last run
  std::vector<double> wall;
  std::size_t runs = 0;
  Timing timing;
  timing.is_cold = repetitions <= 1 && warm_ups == 0;
  timing.total = need(runtime::measure(
      [&]() -> Result<double> {
        const auto start = std::chrono::steady_clock::now();
        auto times = executable.run_steps(steps.count, steps.fed);
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        if (!times) return tl::unexpected(times.error());
        if (runs++ < warm_ups) return times->kernels;
        wall.push_back(passed.count());
        for (auto& list : each_kernel) list.push_back(0);
        for (std::size_t i = 0; i < times->each_kernel.size(); ++i)
          each_kernel[times->launched[i]].back() += times->each_kernel[i];
        launched = std::move(times->launched);
        return times->kernels;
      },
      repetitions, warm_ups));
  timing.wall = runtime::summarize(std::move(wall));
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    const auto launches = static_cast<std::size_t>(std::count(launched.begin(), launched.end(), k));
    timing.kernels.push_back({k, launches, runtime::summarize(each_kernel[k])});
  }
  return timing;
}

std::string timing_text(const loop::Plan& plan, const Timing& timing, const driver::Work& work) {
  using enum Table::Align;
  const bool is_one = timing.total.times.size() == 1;
  std::vector<Table::Column> columns{
      {"kernel", Left}, {"launches", Right}, {"work-items", Left}, {"in groups of", Left}};
  columns.push_back({timing.is_cold ? "first run" : is_one ? "one run" : "median", Right});
  if (!is_one) columns.push_back({"minimum", Right});
  Table table(columns);
  const auto add = [&](std::vector<std::string> cells, const runtime::Measurement& times) {
    cells.push_back(time_text(times.median));
    if (!is_one) cells.push_back(time_text(times.minimum));
    table.add_row(std::move(cells));
  };
  for (const KernelTimes& each : timing.kernels) {
    const loop::Kernel& kernel = plan.kernels[each.kernel];
    add({kernel.name, std::to_string(each.launches), launch_text(kernel.launch.global),
         launch_text(kernel.launch.local)},
        each.times);
  }
  add({"all", "", "", ""}, timing.total);
  std::string text = table.text();
  if (timing.total.median > 0) {
    text +=
        fmt::format("{:.3g} GB/s, {:.3g} GFLOP/s (the program's {:.4g} bytes and {:.4g} operations, by {})\n",
                    work.bytes / timing.total.median * 1e-9, work.flops / timing.total.median * 1e-9,
                    work.bytes, work.flops, is_one ? "this run" : "the median");
  }
  if (timing.is_cold)
    text += "this was the first run, which may be slower than later ones: --repeat 10 times later ones\n";
  return text;
}

/// "k: 40 registers and 0 bytes of private memory a work-item, 16 KiB of local memory a group, 4 groups on a
/// compute unit", a line for each kernel that the driver tells of.
std::string facts_text(const loop::Plan& plan, const KernelFacts& facts) {
  std::string text;
  for (std::size_t k = 0; k < facts.size(); ++k) {
    if (!facts[k]) continue;
    text += fmt::format(
        "{}: {} registers and {} of private memory a work-item, {} of local memory a group, {} group{} on a "
        "compute unit\n",
        plan.kernels[k].name, facts[k]->registers, runtime::bytes_text(facts[k]->private_memory),
        runtime::bytes_text(facts[k]->local_memory), facts[k]->groups_per_unit,
        facts[k]->groups_per_unit == 1 ? "" : "s");
  }
  return text;
}

Json measurement_json(const runtime::Measurement& measurement) {
  return {{"median", measurement.median},
          {"minimum", measurement.minimum},
          {"mean", measurement.mean},
          {"spread", measurement.spread}};
}

Json timing_json(const loop::Plan& plan, const Timing& timing, const KernelFacts& kernel_facts,
                 const driver::Work& work) {
  Json kernels = Json::array();
  for (const KernelTimes& each : timing.kernels) {
    const loop::Kernel& kernel = plan.kernels[each.kernel];
    Json facts = {{"name", kernel.name}, {"launches", each.launches}};
    for (std::size_t d = 0; d < 3; ++d) {
      facts["global"].push_back(kernel.launch.global[d].constant().value_or(0));
      facts["local"].push_back(kernel.launch.local[d].constant().value_or(0));
    }
    facts["seconds"] = measurement_json(each.times);
    if (const auto& built = kernel_facts.at(each.kernel)) {
      facts["registers"] = built->registers;
      facts["private_memory"] = built->private_memory;
      facts["local_memory"] = built->local_memory;
      facts["max_group_size"] = built->max_group_size;
      facts["groups_per_unit"] = built->groups_per_unit;
    }
    kernels.push_back(std::move(facts));
  }
  Json result = {{"kernels", std::move(kernels)},
                 {"seconds", measurement_json(timing.total)},
                 {"is_cold", timing.is_cold},
                 {"all_seconds", timing.total.times},
                 {"bytes", work.bytes},
                 {"flops", work.flops},
                 {"wall_seconds", measurement_json(timing.wall)},
                 {"all_wall_seconds", timing.wall.times}};
  if (timing.total.median > 0) {
    result["gigabytes_per_second"] = work.bytes / timing.total.median * 1e-9;
    result["gigaflops_per_second"] = work.flops / timing.total.median * 1e-9;
  }
  return result;
}

/// Builds what was chosen; where the device's compiler fails on a kernel that only makes the program faster,
/// the default mapping takes its place.
execute::Executable built(runtime::Device& device, RunKernel& chosen, const ir::Program& sized,
                          const lower::Options& lowering) {
  auto executable = execute::Executable::prepare(device, chosen.compiled);
  if (!executable && chosen.name != tuner::baseline_name) {
    note(fmt::format("note: {} cannot be built: {}; the default mapping runs in its place", chosen.name,
                     executable.error().diagnostics.front().message));
    chosen = default_kernel(sized, lowering);
    executable = execute::Executable::prepare(device, chosen.compiled);
  }
  return need(std::move(executable));
}

/// What a run gives, as data, text and JSON.
struct Ran {
  Data result;
  double build_seconds = 0;
  std::string text;
  Json facts;
};

Ran run_at_once(runtime::Device& device, RunKernel& chosen, const ir::Program& sized,
                const lower::Options& lowering, const Arguments& arguments, const driver::Steps& steps,
                const driver::Work& work, std::size_t warm_ups, const RunOptions& options) {
  execute::Executable executable = built(device, chosen, sized, lowering);
  need(executable.write_inputs(arguments.inputs));
  // What a kernel fails to write must not look right because an earlier run left it there.
  if (options.verify) need(executable.poison());
  const loop::Plan& plan = chosen.compiled.plan;
  const Timing timing = measure(executable, plan, steps, options.repetitions, warm_ups);
  return {need(executable.read_outputs()), executable.build_seconds(),
          timing_text(plan, timing, work) + facts_text(plan, executable.kernel_facts()),
          timing_json(plan, timing, executable.kernel_facts(), work)};
}

Ran run_in_tasks(runtime::Device& device, RunKernel& chosen, const ir::Program& sized,
                 const lower::Options& lowering, const execute::StreamOptions& streams,
                 const Arguments& arguments, std::size_t warm_ups, const RunOptions& options) {
  auto prepared = execute::StreamedExecutable::prepare(device, chosen.compiled, streams);
  if (!prepared && chosen.name != tuner::baseline_name) {
    note(fmt::format("note: {} does not run in tasks: {}; the default mapping runs in its place", chosen.name,
                     prepared.error().diagnostics.front().message));
    chosen = default_kernel(sized, lowering);
    prepared = execute::StreamedExecutable::prepare(device, chosen.compiled, streams);
  }
  auto executable = need(std::move(prepared));
  Data memory;
  if (options.streams.is_chosen_by_model() && options.repetitions > 1 && streams.steps == 1 &&
      !executable.plan().is_short_of_memory()) {
    // The first run touches memory for the first time; the second one tells.
    auto first = run_streamed(executable, sized, arguments.inputs, 1, 1);
    const auto run = tuner::streamed_run(executable.plan(), first.of_commands);
    memory = std::move(first.result);
    if (auto again = executable_after_run(executable, chosen.compiled, streams, device, run))
      executable = *std::move(again);
  }
  StreamedRuns runs =
      run_streamed(executable, sized, arguments.inputs, options.repetitions, warm_ups, std::move(memory));
  for (const std::string& each : executable.notes()) note("note: " + each);
  if (!options.streams.trace.empty()) {
    const std::string sizes = named_values_text(arguments.sizes);
    write_trace(options.streams.trace, {sized.name + (sizes.empty() ? "" : ", " + sizes),
                                        {{"device", device.info().id + " (" + device.info().name + ")"},
                                         {"streams", options.streams.streams}},
                                        trace_records(executable, runs)});
  }
  Json told = streams_json(executable, runs.times);
  told.update(stream_times_json(runs.of_commands));
  const Json facts = {{"streams", std::move(told)}};
  std::string text = streams_text(executable, runs);
  return {std::move(runs.result), executable.build_seconds(), std::move(text), facts};
}

/// As a model chooses for a program that nobody asked to be run in tasks; where there is no model, some
/// tasks, and as many more as it takes.
execute::StreamOptions needed_streams(const loop::Plan& plan, runtime::Device& device) {
  auto chosen = catch_failure([&] {
    return stream_options({.streams = "auto", .memory = {}, .trace = {}}, plan, device.info(),
                          device.stream_facts().most_partitions);
  });
  return chosen ? *chosen : execute::chosen_streams();
}

/// On one device; on several, or as one of several ranks, run_placed does.
Status run_alone(Session& session, const RunOptions& options) {
  const ir::Program program = read_program(session, options.program);
  const auto leaves = driver::named_leaves(program.result());
  std::vector<std::string> paths;
  if (!options.output.empty()) {
    paths = need(output_paths(options.output, leaves.size()));
    need(check_writable(paths));
  }
  const driver::Steps steps = read_steps(program, options.steps, options.feed);
  check_streams(options.streams);
  const Arguments arguments = read_arguments(program, options.program.values, options.random_seed);
  const ir::Program sized = need(driver::with_sizes(program, arguments.sizes));
  session.program = sized;

  const std::string id = options.devices.empty() ? runtime::default_device() : options.devices.front();
  choose_isa(options.isa, {id});
  const auto device = need(runtime::open_device(id));
  const target::Target& info = device->info();
  const lower::Options lowering =
      driver::options_for(info, lowering_options(options.lowering, program, arguments.sizes));
  // A launch that was asked for is one of the default mapping's.
  KernelOptions kernels = options.kernel;
  kernels.untuned |= !options.lowering.local_size.empty() || !options.lowering.global_size.empty();
  RunKernel chosen = run_kernel(program, sized, arguments.sizes, info, lowering, kernels);
  check_launches(chosen.compiled.plan, options.lowering);
  const auto& [compiled, kernel] = chosen;
  driver::Work work = need(driver::work_of(sized));
  work.bytes *= static_cast<double>(steps.count);
  work.flops *= static_cast<double>(steps.count);

  const std::size_t warm_ups = options.warm_ups.value_or(options.repetitions > 1 ? 1 : 0);
  std::optional<execute::StreamOptions> streams;
  const bool is_asked = options.streams.is_given();
  // Nothing of this program is there yet.
  const std::size_t free = need(device->free_memory());
  const auto lack = is_asked ? std::nullopt : execute::lack_of_memory(compiled, info, free);
  if (lack) note(fmt::format("note: {} runs in tasks (--streams), since {}", program.name, *lack));
  if (is_asked || lack) {
    const auto kernels_in_tasks = kernels_of_tasks(chosen, sized, lowering);
    const loop::Plan& plan = plan_of_tasks(kernels_in_tasks);
    streams = is_asked ? stream_options(options.streams, plan, info, device->stream_facts().most_partitions)
                       : needed_streams(plan, *device);
    streams->steps = steps.count;
    streams->fed = steps.fed;
    if (streams->memory == 0) streams->memory = free;
  }
  Ran ran = streams
                ? run_in_tasks(*device, chosen, sized, lowering, *streams, arguments, warm_ups, options)
                : run_at_once(*device, chosen, sized, lowering, arguments, steps, work, warm_ups, options);
  const Data& result = ran.result;
  for (const std::string& each : compiled.notes) note("note: " + each);
  if (!paths.empty()) {
    need(write_arrays(paths, result));
    note("wrote " + joined(paths));
  }

  Json facts = {{"program", program.name}, {"device", info.id}, {"device_name", info.name}};
  for (const auto& [name, value] : arguments.sizes) facts["sizes"][name] = value;
  if (options.json) {
    facts["kernel"] = kernel;
    facts["notes"] = compiled.notes;
    facts["build_seconds"] = ran.build_seconds;
    facts["steps"] = steps.count;
    facts["repetitions"] = options.repetitions;
    facts["warm_ups"] = warm_ups;
    facts.update(ran.facts);
    if (paths.empty()) facts["result"] = result_json(leaves, result, options.elements);
    if (!paths.empty()) facts["written"] = paths;
  } else {
    const std::string sizes = named_values_text(arguments.sizes);
    print(fmt::format("{} on {} ({}){}; built in {}, {} run{}\n", program.name, info.id, info.name,
                      sizes.empty() ? "" : ", " + sizes, time_text(ran.build_seconds), options.repetitions,
                      options.repetitions == 1 ? "" : "s"));
    print(ran.text);
    if (paths.empty()) print(result_text(leaves, result, options.elements));
  }

  Status status = done;
  if (options.verify) {
    const Verified verified{program, arguments, result, work, steps};
    status = tell_verified(session, verified, options.json, facts);
  }
  if (options.json) print_json(facts);
  return status;
}

Status run(Session& session, const RunOptions& options) {
  if (options.forecast.is_asked != (options.forecast.ranks > 0))
    throw_user("--ranks and --dry-run go together", {}, "start so many ranks with mpirun -n N hoist run ...");
  if (options.forecast.is_asked) return tell_forecast(session, options);
  Job job = Job::of_launcher();
  if (job.has_others() || options.devices.size() > 1) return run_placed(session, options, job);
  if (!options.shares.empty()) throw_user("--shares needs several devices or ranks");
  if (!options.grid.empty()) throw_user("--grid needs several devices or ranks");
  return run_alone(session, options);
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a program on a device");
  add_program_options(
      *command, options->program,
      "Sizes: N=1024; tuning parameters: t=16; inputs: x=x.npy, x=random:SEED, x=random:SEED:LOW:HIGH, "
      "a=1.5; a component of an input of tuple type: x.0=x0.npy");
  command
      ->add_option(
          "--device", options->devices,
          "Where to run: host, opencl:0, cuda:0, ... as hoist devices lists them; otherwise the first GPU, "
          "or else the first device. Several run the program together, each a part; one that is given twice "
          "is divided")
      ->allow_extra_args(false)
      ->option_text("ID");
  command
      ->add_option("--shares", options->shares,
                   "How large the parts of several devices or ranks are beside each other: 2,1,1; or "
                   "measured, as fast as each is. Otherwise devices of a kind get equal parts")
      ->option_text("N,N,...|measured");
  command
      ->add_option("--grid", options->grid,
                   "Cut the program along its two outermost dimensions for several devices or ranks: R rows "
                   "of C parts each; otherwise it is cut along the outermost alone")
      ->option_text("R,C");
  add_isa_option(*command, options->isa);
  command->add_option("--random", options->random_seed, "Random numbers for all inputs that are not given")
      ->option_text("SEED");
  command->add_flag("--verify", options->verify,
                    "Compare the result with the reference interpreter's; exit status 3 when it is wrong");
  command->add_option("--repeat", options->repetitions, "How many runs to time (1)")
      ->check(above_zero())
      ->option_text("N");
  command
      ->add_option("--warmup", options->warm_ups,
                   "How many runs before those that are timed (1 when --repeat is given)")
      ->check(not_below_zero())
      ->option_text("N");
  add_steps_options(
      *command, options->steps, options->feed,
      "Run N times, from the second run on with the result of the run before, which stays on the device");
  command
      ->add_option("-o,--output", options->output,
                   "Write the result as .npy; a tuple's arrays to names with commas between")
      ->option_text("FILE[,FILE...]");
  add_kernel_options(*command, options->kernel);
  command->add_option("--elements", options->elements, "How many elements to print of each dimension")
      ->check(not_below_zero())
      ->option_text("N");
  command
      ->add_option(
          "--ranks", options->forecast.ranks,
          "With --dry-run: tell how the program would be cut for N ranks, what a step would move, and "
          "how long it would take")
      ->check(above_zero())
      ->option_text("N");
  command->add_flag("--dry-run", options->forecast.is_asked,
                    "With --ranks: run nothing, but for --step-seconds");
  command
      ->add_option("--step-seconds", options->forecast.step_seconds,
                   "In --dry-run, what the kernels of a step take on one device; otherwise it is measured")
      ->check(above_zero())
      ->option_text("S");
  command
      ->add_option("--bandwidth", options->forecast.gigabytes_per_second,
                   "In --dry-run, of the network between two ranks (12.5)")
      ->check(above_zero())
      ->option_text("GB/S");
  command
      ->add_option("--latency", options->forecast.microseconds,
                   "In --dry-run, of a message, in microseconds (2)")
      ->check(not_below_zero())
      ->option_text("US");
  command
      ->add_option("--at-once", options->forecast.at_once,
                   "In --dry-run, how many ranks compute at the same time, where there are fewer devices or "
                   "cores than ranks (all)")
      ->check(above_zero())
      ->option_text("N");
  add_streams_options(*command, options->streams);
  command
      ->add_option("--trace", options->streams.trace,
                   "Write what ran when in --streams, or on several devices or ranks, for hoist report "
                   "--trace and ui.perfetto.dev")
      ->option_text("FILE");
  add_lowering_options(*command, options->lowering);
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Sizes that the shapes of .npy inputs tell need not be given. A program that does not say how it is to "
      "be\n"
      "mapped onto the device gets a sound default; notes say what runs sequentially.\n\n"
      "Examples:\n"
      "  hoist run kernels/matmul_nn.hoist A=a.npy B=b.npy -o product.npy\n"
      "  hoist run kernels/dot.hoist N=1048576 --random 1 --verify --repeat 20\n"
      "  hoist run kernels/jacobi2d5.hoist H=512 W=512 --random 1 --steps 1000 -o plate.npy\n"
      "  hoist run kernels/jacobi2d5.hoist H=8192 W=8192 --random 1 --streams 1,64 --memory 64MiB\n"
      "  hoist run kernels/jacobi2d5.hoist H=2048 W=2048 --random 1 --streams 1,16 --steps 100\n"
      "  hoist run kernels/jacobi2d5.hoist H=2048 W=2048 --random 1 --device host --device host --steps 100\n"
      "  mpirun -n 4 hoist run kernels/jacobi2d5.hoist H=2048 W=2048 --random 1 --device host --steps 100 -o "
      "u.npy\n"
      "  mpirun -n 4 hoist run kernels/jacobi2d5.hoist H=2048 W=2048 --random 1 --steps 100 --grid 2,2\n"
      "  hoist run kernels/md.hoist N=256 J=16 positions=random:1:0:20 neighbours=random:2:0:N --random 3 "
      "--device host");
  command->callback(
      [&session, options] { session.action = [&session, options] { return run(session, *options); }; });
}

}  // namespace hoist::cli
