// hoist dev streams: what programs take at many numbers of partitions and tasks. Jobs come as lines of JSON,
// so that one process, which has the device open, measures many programs and sizes; what it finds goes out
// line by line, so that nothing is lost when it ends.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/isa_option.hpp"
#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "cli/run_kernel.hpp"
#include "cli/streams.hpp"
#include "measure/streams.hpp"
#include "predict/stream_facts.hpp"
#include "runtime/devices.hpp"

namespace hoist::cli {

namespace {

struct SweepOptions {
  std::string device, isa;
  KernelOptions kernel;
};

/// A line of standard input.
struct Job {
  ProgramOptions program;
  std::optional<std::uint64_t> random_seed;
  std::vector<measure::StreamPair> pairs;
  std::size_t rounds = 3;
  runtime::StoppingRule rule = {
      .warm_ups = 1, .least = 3, .most = 100, .seconds = 0.1, .longest = 1, .width = 0.02};
};

Job job_of(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  const auto wrong = [](const std::string& what) {
    throw_user(
        "a line is no job: " + what, {},
        R"(write {"program": FILE, "values": ["N=1024", ...], "random": 1, "pairs": [[1, 1], [2, 8], ...]})");
  };
  if (!json.is_object()) wrong("it is no object of JSON");
  Job job;
  try {
    job.program.file = json.at("program").get<std::string>();
    job.program.values = json.at("values").get<std::vector<std::string>>();
    if (json.contains("random")) job.random_seed = json.at("random").get<std::uint64_t>();
    for (const auto& [partitions, tasks] : json.at("pairs").get<std::vector<std::array<std::int64_t, 2>>>())
      job.pairs.push_back({partitions, tasks});
    job.rule.seconds = json.value("seconds", job.rule.seconds);
    const auto rounds = json.value("rounds", static_cast<std::int64_t>(job.rounds));
    if (rounds < 1) wrong("\"rounds\" is below 1");
    job.rounds = static_cast<std::size_t>(rounds);
  } catch (const nlohmann::json::exception& error) {
    wrong(error.what());
  }
  return job;
}

/// Written at once: who reads it may end this process at any time.
void tell(const Json& line) {
  print(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  need(finish_output());
}

std::string message_of(const Error& error) {
  const Diagnostic& first = error.diagnostics.front();
  return first.note.empty() ? first.message : first.message + ": " + first.note;
}

const char* name_of(runtime::AdaptiveMeasurement::Stop stop) {
  using enum runtime::AdaptiveMeasurement::Stop;
  switch (stop) {
    case Narrow:
      return "narrow";
    case Spent:
      return "spent";
    case Hopeless:
      return "hopeless";
  }
  throw Bug("not a reason to stop");
}

void tell_pair(const measure::MeasuredPair& measured) {
  if (measured.failure) {
    tell({{"partitions", measured.pair.partitions},
          {"tasks", measured.pair.tasks},
          {"failed", message_of(*measured.failure)}});
    return;
  }
  Json line = streams_json(*measured.executable, measured.runs);
  if (measured.of_commands) line.update(stream_times_json(*measured.of_commands));
  line["stop"] = name_of(measured.stop);
  line["round"] = measured.round;
  line["is_last"] = measured.is_last;
  tell(line);
}

/// Pairs of more tasks than the program can be cut into are left out.
void run_job(Session& session, const Job& job, runtime::Device& device, measure::StreamsMeasurer& measurer,
             const KernelOptions& kernels) {
  const ir::Program program = read_program(session, job.program);
  Arguments arguments = read_arguments(program, job.program.values, job.random_seed);
  const ir::Program sized = need(driver::with_sizes(program, arguments.sizes));
  const target::Target& info = device.info();
  const lower::Options lowering = driver::options_for(info);
  const RunKernel kernel = run_kernel(program, sized, arguments.sizes, info, lowering, kernels);
  measure::StreamsTask task{
      sized,     kernels_of_tasks(kernel, sized, lowering), std::move(arguments.inputs), {}, job.rule,
      job.rounds};
  const auto facts = predict::stream_facts(plan_of_tasks(task.kernels), info);
  Json features = Json::object();
  std::int64_t most_tasks = 1;
  for (const auto& [name, value] : facts) {
    features[name] = value;
    if (name == "max_tasks") most_tasks = std::max(most_tasks, static_cast<std::int64_t>(value));
  }
  tell({{"kernel", kernel.name}, {"features", std::move(features)}});
  for (const measure::StreamPair& pair : job.pairs) {
    if (pair.tasks <= most_tasks) task.pairs.push_back(pair);
  }
  const auto tell_begun = [](const measure::StreamPair& pair) {
    tell({{"measuring", {pair.partitions, pair.tasks}}});
  };
  need(measurer.measure(task, tell_begun, tell_pair));
}

Status sweep(const SweepOptions& options) {
  const std::string id = options.device.empty() ? runtime::default_device() : options.device;
  choose_isa(options.isa, {id});
  const auto device = need(runtime::open_device(id));
  measure::StreamsMeasurer measurer(*device);
  for (std::string line; std::getline(std::cin, line);) {
    Session session;
    Json ended = {{"ended", true}};
    std::optional<Error> failure;
    try {
      run_job(session, job_of(line), *device, measurer, options.kernel);
    } catch (const Failure& thrown) {
      failure = thrown.error();
      ended["failed"] = message_of(*failure);
    }
    tell(ended);
    // What the device had may be lost.
    if (failure && failure->kind == ErrorKind::Device) throw Failure(*failure);
  }
  return done;
}

}  // namespace

void add_dev_streams(CLI::App& dev, Session& session) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command = dev.add_subcommand(
      "streams", "Measure programs at many numbers of partitions and tasks, as lines of JSON ask");
  command->add_option("--device", options->device, "Where to run, as in hoist run")->option_text("ID");
  add_isa_option(*command, options->isa);
  add_kernel_options(*command, options->kernel);
  command->footer(
      "Each line of standard input is a job: a program, its sizes and inputs as hoist run takes them, pairs "
      "of\n"
      "partitions and tasks, how many \"rounds\" they are measured in, 3, and how many \"seconds\" each is "
      "run for in\n"
      "a round at the most, 0.1. Inputs that are not given are random where \"random\" is a seed. It is "
      "answered by\n"
      "lines: the program's features; in each round which pair is measured, and its times, or why there are "
      "none, as\n"
      "soon as they are known; and that it has ended. bench/streams.py gathers tables by it.\n\n"
      "Example:\n"
      "  echo '{\"program\": \"kernels/dot.hoist\", \"values\": [\"N=65536\"], \"random\": 1, \"pairs\": "
      "[[1, 1], "
      "[1, 4]]}' | hoist dev streams --device host");
  command->callback([&session, options] { session.action = [options] { return sweep(*options); }; });
}

}  // namespace hoist::cli
