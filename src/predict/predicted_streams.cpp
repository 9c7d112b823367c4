#include "predict/predicted_streams.hpp"

#include <algorithm>

#include "base/need.hpp"
#include "predict/stream_facts.hpp"

namespace hoist::predict {

Result<FoundModel<StreamModel>> stream_model_for(const target::Target& target, store::Store* store) {
  return find_learned<StreamModel>(stream_task, target, store);
}

StreamProgram stream_program(const loop::Plan& plan, const target::Target& device,
                             std::size_t most_partitions) {
  StreamProgram program;
  program.features = StreamFeatures(stream_facts(plan, device));
  program.most_partitions = static_cast<std::int64_t>(most_partitions);
  const double most_tasks = program.features.get_or(StreamFeature::MostTasks, 1);
  program.most_tasks = std::max<std::int64_t>(1, static_cast<std::int64_t>(most_tasks));
  return program;
}

Result<ChosenStreams> chosen_streams(const StreamProgram& program, const target::Target& device,
                                     store::Store* store) {
  return catch_failure([&] {
    const auto found = need(stream_model_for(device, store));
    return ChosenStreams{streams_choice(program, found.model), found.origin};
  });
}

Result<ChosenStreams> chosen_streams(const loop::Plan& plan, const target::Target& device,
                                     std::size_t most_partitions, store::Store* store) {
  return catch_failure(
      [&] { return need(chosen_streams(stream_program(plan, device, most_partitions), device, store)); });
}

Result<ChosenStreams> chosen_after(const StreamProgram& program, const StreamedRun& run,
                                   const target::Target& device, store::Store* store) {
  return catch_failure([&] {
    const auto found = need(stream_model_for(device, store));
    StreamProgram known = program;
    known.features = features_after(program.features, run, found.model.constants());
    return ChosenStreams{streams_choice(known, found.model), found.origin};
  });
}

Result<std::vector<std::pair<std::size_t, StreamChoice>>> chosen_by_partitions(const loop::Plan& plan,
                                                                               const target::Target& device,
                                                                               std::size_t most_partitions,
                                                                               store::Store* store) {
  return catch_failure([&] {
    const auto found = need(stream_model_for(device, store));
    StreamProgram program = stream_program(plan, device, most_partitions);
    std::vector<std::pair<std::size_t, StreamChoice>> choices;
    for (std::size_t partitions = 1; partitions <= std::max<std::size_t>(most_partitions, 1); ++partitions) {
      program.most_partitions = static_cast<std::int64_t>(partitions);
      StreamChoice choice = streams_choice(program, found.model);
      const bool is_new = choices.empty() || choices.back().second.partitions != choice.partitions ||
                          choices.back().second.tasks != choice.tasks;
      if (is_new) choices.emplace_back(partitions, std::move(choice));
    }
    return choices;
  });
}

}  // namespace hoist::predict
