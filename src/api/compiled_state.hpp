#pragma once
// What a Compiled holds, and what compiling for one device and for several have in common.
#include <optional>

#include "api/access.hpp"
#include "api/placed_runs.hpp"
#include "capture/recorder.hpp"
#include "execute/executable.hpp"
#include "execute/streamed_executable.hpp"
#include "execute/vector_alignment.hpp"
#include "predict/predicted_streams.hpp"

namespace hoist::api {

/// What a model that has chosen streams by what it reads off the program chooses again by, once a run has
/// told it what transfers and kernels take.
struct ChosenByReading {
  predict::StreamProgram program;
  bool has_run = false;  ///< once: a first run touches memory for the first time, so the second one tells
};

struct CompiledState {
  std::shared_ptr<const ProgramState> program;
  std::shared_ptr<DeviceState> device;  ///< the executable must not outlive it; of several places the first
  /// One of the three.
  std::optional<execute::Executable> executable;
  std::optional<execute::StreamedExecutable> streamed;
  std::unique_ptr<PlacedRuns> placed;
  execute::VectorAlignments alignments;  ///< of arrays that the executable runs on
  std::optional<Streams> streams;
  std::optional<ChosenByReading> chosen_by_reading;  ///< nothing where nothing is to be chosen any more
  double build_seconds = 0;
  std::vector<ArrayFacts> inputs, outputs;
  std::vector<Part> input_parts, output_parts;
  std::vector<KernelFacts> kernels;
  std::string source, mapping;
  std::vector<std::string> notes;
  Work work;
  std::unique_ptr<capture::CaseRecorder> recorder;  ///< null where runs are not captured
};

/// Reads the program into the thread's current arena, and puts its sizes in.
ir::Program sized_program(const ProgramState& state, const Sizes& sizes);
std::vector<ArrayFacts> inputs_of(const ProgramState& state, const ir::Program& sized);
std::vector<ArrayFacts> outputs_of(const ProgramState& state, const ir::Program& sized);

/// Compiles the best kernel that the user's store knows, or else the one that the device's model expects to
/// be the fastest, or else the default mapping. The notes name a kernel that is not the default mapping's.
driver::Compiled compiled_best(const ProgramState& state, const Sizes& sizes, const ir::Program& sized,
                               const target::Target& info);
/// The default mapping in place of what was chosen, with a note on the error that the choice had. Throws that
/// error where the default mapping was the choice.
driver::Compiled default_instead(const driver::Compiled& chosen, const hoist::Error& error, const char* why,
                                 const ir::Program& sized, const target::Target& info);

/// Makes a recorder of runs where HOIST_CAPTURE names a directory; null elsewhere.
std::unique_ptr<capture::CaseRecorder> recorder_of(const ProgramState& state, const Sizes& sizes,
                                                   const target::Target& info);
void record(CompiledState& state, double kernels, const std::vector<Input>& inputs);

/// User error: an input is not what it was when the run began.
[[noreturn]] void throw_changed(const std::string& input);

/// What is known of a plan on a device before it has run in streams.
predict::StreamProgram program_in_streams(const loop::Plan& plan, runtime::Device& device);
/// The streams that were asked for of a plan; where a model chooses them, the notes tell it.
execute::StreamOptions stream_options(const Streams& streams, const loop::Plan& plan, CompiledState& state);
/// The same of a program that nobody asked to be run in streams: where there is no model, some tasks, and as
/// many more as it takes.
execute::StreamOptions needed_streams(const loop::Plan& plan, CompiledState& state);
/// Has the model choose again after a run of which each command was timed; what it chooses serves the next
/// runs. A choice that cannot be had changes nothing, but for a note.
void choose_streams_again(CompiledState& state, const execute::StreamTimes& times);
/// What a Compiled tells of its kernels.
std::vector<KernelFacts> kernel_facts(const execute::LaunchPlan& plan);

/// On several devices or ranks (placed.cpp).
RunTimes run_on_places(CompiledState& state, const std::vector<Input>& inputs,
                       const std::vector<Output>& outputs);

}  // namespace hoist::api
