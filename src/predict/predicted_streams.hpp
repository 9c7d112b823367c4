#pragma once
// Which model chooses the streams of programs on a device, and what it chooses before anything has run.
#include <utility>
#include <vector>

#include "loop/kernel.hpp"
#include "predict/learned_task.hpp"
#include "predict/stream_model.hpp"
#include "store/store.hpp"
#include "target/target.hpp"

namespace hoist::predict {

/// The store's, where there is a store that has one for such devices, else one that ships with Hoist. Errors:
/// there is none for such devices (Unsupported); others are the store's.
Result<FoundModel<StreamModel>> stream_model_for(const target::Target& target, store::Store* store = nullptr);

/// A choice for a plan, and whose it is.
struct ChosenStreams {
  StreamChoice choice;
  std::string origin;  ///< of the model: "shipped with Hoist", "from the store"
};
/// What is known of a plan before it has run, on at most so many partitions. All its sizes are numbers.
/// Throws Failure.
StreamProgram stream_program(const loop::Plan& plan, const target::Target& device,
                             std::size_t most_partitions);

/// What that model chooses for a plan, all of whose sizes are numbers, on at most so many partitions. It
/// reads the plan and the model and computes, within milliseconds; no device is opened or asked. Errors:
/// those of stream_model_for.
Result<ChosenStreams> chosen_streams(const loop::Plan& plan, const target::Target& device,
                                     std::size_t most_partitions, store::Store* store = nullptr);

/// The same of what is known already.
Result<ChosenStreams> chosen_streams(const StreamProgram& program, const target::Target& device,
                                     store::Store* store = nullptr);

/// The same for a program that has run in streams once.
Result<ChosenStreams> chosen_after(const StreamProgram& program, const StreamedRun& run,
                                   const target::Target& device, store::Store* store = nullptr);

/// The same, before anything has run, for each number of partitions that a device may have, up to the most: a
/// choice with the least number from which on it holds, ascending from 1.
Result<std::vector<std::pair<std::size_t, StreamChoice>>> chosen_by_partitions(const loop::Plan& plan,
                                                                               const target::Target& device,
                                                                               std::size_t most_partitions,
                                                                               store::Store* store = nullptr);

}  // namespace hoist::predict
