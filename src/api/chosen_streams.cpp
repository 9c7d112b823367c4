// The streams of a Compiled that a model chooses: first by what it reads off the program, then, when a run
// has told what transfers and kernels take, once more.
#include <fmt/format.h>

#include "api/compiled_state.hpp"
#include "base/need.hpp"
#include "lang/lang.hpp"
#include "store/store.hpp"
#include "tuner/streamed_run.hpp"

namespace hoist::api {

namespace {

/// What `choose` makes of the user's store, whose models go before those that ship; of null where there is
/// none.
hoist::Result<predict::ChosenStreams> with_users_models(std::vector<std::string>& notes, auto&& choose) {
  auto store = store::users_store();
  if (!store) notes.push_back(store.error().diagnostics.front().message);
  return choose(store && *store ? &**store : nullptr);
}

std::string choice_text(const predict::ChosenStreams& chosen) {
  const predict::StreamChoice& choice = chosen.choice;
  return fmt::format("{} task{} on {} partition{}, chosen by the model {}", choice.tasks,
                     choice.tasks == 1 ? "" : "s", choice.partitions, choice.partitions == 1 ? "" : "s",
                     chosen.origin);
}

/// A state has no terms, but the text of the program that its kernels were compiled from.
execute::StreamedExecutable prepared_again(CompiledState& state, const execute::StreamOptions& options) {
  const ir::Arena arena;
  const auto& device = state.device->device;
  const ir::Program low = need(lang::parse_program(Source{"<mapping>", state.mapping}));
  const driver::Compiled compiled = need(driver::compile(low, driver::options_for(device->info())));
  return need(state.streamed->prepare_again(compiled, options));
}

execute::StreamOptions chosen_options(const predict::StreamChoice& choice, std::size_t memory) {
  execute::StreamOptions options = execute::chosen_streams(choice.partitions, choice.tasks, memory);
  options.unpins = true;
  return options;
}

}  // namespace

predict::StreamProgram program_in_streams(const loop::Plan& plan, runtime::Device& device) {
  return predict::stream_program(plan, device.info(), device.stream_facts().most_partitions);
}

execute::StreamOptions stream_options(const Streams& streams, const loop::Plan& plan, CompiledState& state) {
  if (streams.tasks != 0) {
    execute::StreamOptions given{streams.partitions, streams.tasks, streams.memory};
    given.unpins = true;
    return given;
  }
  runtime::Device& device = *state.device->device;
  state.chosen_by_reading = {program_in_streams(plan, device)};
  const auto chosen = need(with_users_models(state.notes, [&](store::Store* store) {
    return predict::chosen_streams(state.chosen_by_reading->program, device.info(), store);
  }));
  state.notes.push_back(fmt::format("{}: {}", choice_text(chosen), chosen.choice.why));
  return chosen_options(chosen.choice, streams.memory);
}

execute::StreamOptions needed_streams(const loop::Plan& plan, CompiledState& state) {
  auto chosen = catch_failure([&] { return stream_options(Streams{.tasks = 0}, plan, state); });
  if (chosen) return *chosen;
  state.chosen_by_reading.reset();
  execute::StreamOptions options = execute::chosen_streams();
  options.unpins = true;
  return options;
}

void choose_streams_again(CompiledState& state, const execute::StreamTimes& times) {
  const predict::StreamProgram program = std::move(state.chosen_by_reading->program);
  state.chosen_by_reading.reset();
  // Another executable beside this one would take memory that there is not.
  if (state.streamed->plan().is_short_of_memory()) return;
  const predict::StreamedRun run = tuner::streamed_run(state.streamed->plan(), times);
  const auto chosen = with_users_models(state.notes, [&](store::Store* store) {
    return predict::chosen_after(program, run, state.device->device->info(), store);
  });
  if (!chosen) {
    state.notes.push_back(fmt::format("streams are not chosen again after a run: {}",
                                      chosen.error().diagnostics.front().message));
    return;
  }
  const predict::StreamChoice& choice = chosen->choice;
  if (choice.partitions == state.streams->partitions && choice.tasks == state.streams->tasks) return;
  const execute::StreamOptions options = chosen_options(choice, state.streams->memory);
  auto again = catch_failure([&] { return prepared_again(state, options); });
  if (!again) {
    state.notes.push_back(fmt::format("{}, after a run, but that cannot be had: {}", choice_text(*chosen),
                                      again.error().diagnostics.front().message));
    return;
  }
  if (again->source() != state.source) state.build_seconds += again->build_seconds();
  state.streamed = *std::move(again);
  state.source = state.streamed->source();
  state.kernels = kernel_facts(state.streamed->plan().launch);
  state.streams->partitions = choice.partitions;
  state.streams->tasks = choice.tasks;
  state.notes.push_back(
      fmt::format("{} from the third run on, since a run has told what transfers and kernels take: {}",
                  choice_text(*chosen), choice.why));
}

std::vector<KernelFacts> kernel_facts(const execute::LaunchPlan& plan) {
  std::vector<KernelFacts> facts;
  for (const execute::LaunchPlan::Kernel& kernel : plan.kernels)
    facts.push_back({kernel.name, kernel.range.global, kernel.range.local});
  return facts;
}

}  // namespace hoist::api
