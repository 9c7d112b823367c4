#pragma once
// The options by which a program runs as tasks on several queues, and the run.
#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "driver/compile.hpp"
#include "execute/streamed_executable.hpp"
#include "predict/stream_time.hpp"
#include "runtime/device.hpp"

namespace hoist::cli {

struct StreamsOption {
  std::string streams;  ///< "1", "P,T" or "auto"; empty where not given
  std::string memory;   ///< "64MiB"; empty where not given
  std::string trace;    ///< a file for what ran when; empty where not given

  bool is_given() const { return !streams.empty(); }
  bool is_chosen_by_model() const { return streams == "auto"; }
};
void add_streams_options(CLI::App& command, StreamsOption& option);

/// What they say, where they are given, of a plan on a device that can have so many partitions; a choice that
/// a model makes is told. Throws Failure: a text that is no choice, a limit without streams, no model for
/// such devices.
execute::StreamOptions stream_options(const StreamsOption& option, const loop::Plan& plan,
                                      const target::Target& device, std::size_t most_partitions);

/// The executable in the partitions and tasks that a model, which has chosen by what it reads off the plan,
/// chooses after a run of which each command was timed; that is told. Nothing where it is no other choice, or
/// cannot be had, which is told, too.
std::optional<execute::StreamedExecutable> executable_after_run(const execute::StreamedExecutable& executable,
                                                                const driver::Compiled& compiled,
                                                                const execute::StreamOptions& options,
                                                                runtime::Device& device,
                                                                const predict::StreamedRun& run);

/// What `stream_options` says for code that will find its device: by ascending compute units, how it is to
/// run from so many on, the first time from 1. Only a choice by a model differs by them: it is that for
/// devices of this one's kind, up to as many partitions as this one can have. Null: none is here, which is an
/// error where a model is asked.
std::vector<std::pair<std::size_t, execute::StreamOptions>> streams_by_units(const StreamsOption& option,
                                                                             const loop::Plan& plan,
                                                                             runtime::Device* device);

/// Checks them before anything is compiled.
void check_streams(const StreamsOption& option);

/// Runs of a program in tasks, each from the inputs in the host's memory to results there.
struct StreamedRuns {
  Data result;                              ///< of the last run
  std::vector<execute::StreamTimes> times;  ///< of all that are to be timed
  execute::StreamTimes of_commands;         ///< of one of which each command was timed
};
/// Times of commands cost some of their own: of several runs they are those of one more. Results are written
/// to `memory`, where it is that of an earlier result: the device may know it as pinned as long as the
/// executable lives.
StreamedRuns run_streamed(execute::StreamedExecutable& executable, const ir::Program& sized,
                          const std::vector<Data>& inputs, std::size_t repetitions, std::size_t warm_ups,
                          Data memory = {});

/// What ran when in the run whose commands were timed.
std::vector<TraceRecord> trace_records(const execute::StreamedExecutable& executable,
                                       const StreamedRuns& runs);
/// Throws Failure: a file that cannot be written.
void write_trace(const std::string& path, const Trace& trace);

/// The facts of the plan and of the runs as text.
std::string streams_text(const execute::StreamedExecutable& executable, const StreamedRuns& runs);
/// Those of the plan, and how long each run took, as JSON.
Json streams_json(const execute::StreamedExecutable& executable,
                  const std::vector<execute::StreamTimes>& runs);
/// How long uploads, kernels and downloads ran in one.
Json stream_times_json(const execute::StreamTimes& times);

}  // namespace hoist::cli
