// Programs on several devices of this process, and on ranks (include/hoist/compiled.hpp: Places, Ranks).
//
// Read `compile_on`. What each rank does by itself is done `together` (ranks/agreement.hpp), so that where it
// fails at one all have an error and none waits. Between two of these ranks hold what must be the same
// against what rank 0 has (`check_alike`). How arrays get to places, and results from them, is in
// placed_runs.hpp.
#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>

#include "api/compiled_state.hpp"
#include "api/given.hpp"
#include "base/bytes.hpp"
#include "driver/work.hpp"
#include "ir/print.hpp"
#include "ranks/agreement.hpp"

namespace hoist::api {
namespace {

std::uint64_t hash_of_text(const std::string& text) {
  return execute::hash_of(std::as_bytes(std::span(text)));
}

/// All devices of this process, each once.
void take_turns(const PlacedOptions& options, std::list<Turn>& turns) {
  std::vector<const DeviceState*> taken;
  for (const auto& device : options.devices) {
    if (std::ranges::count(taken, device.get()) > 0) continue;
    taken.push_back(device.get());
    turns.emplace_back(*device);
  }
}

void check_devices(const PlacedOptions& options) {
  if (options.devices.empty()) throw_user("there is no device among the places", {}, "give one at least");
  const target::Target& first = options.devices.front()->device->info();
  for (const auto& device : options.devices) {
    const target::Target& other = device->device->info();
    if (first.language == other.language) continue;
    throw_user(fmt::format("{} and {} run kernels in different languages", first.id, other.id),
               "several devices run the parts of one program, which is mapped for one language",
               "give devices of one language");
  }
}

void check_shares(const std::vector<double>& shares, std::size_t places) {
  if (shares.size() != places)
    throw_user(fmt::format("there are {} shares for {} devices", shares.size(), places), {},
               "give a number above 0 for each device, or none");
  constexpr double largest = 1e9;
  for (const double share : shares) {
    if (!(share > 0 && share <= largest))
      throw_user(fmt::format("{} is no share", share), {},
                 "a share is a number above 0, and 1e9 at the most");
  }
}

/// Whether there are so many places is asked where they are cut.
std::optional<execute::PlaceGrid> grid_of(const PlaceGrid& grid) {
  if (grid.rows == 0 && grid.columns == 0) return std::nullopt;
  if (grid.rows == 0 || grid.columns == 0)
    throw_user(fmt::format("a grid of {} by {} has no parts", grid.rows, grid.columns), {},
               "give two numbers above 0, or none");
  return execute::PlaceGrid{grid.rows, grid.columns};
}

/// Throws at all ranks, where one of them has another value than the first.
void check_same(ranks::Communicator* others, std::uint64_t mine, const char* what, const char* help) {
  if (others == nullptr) return;
  const std::vector<std::uint64_t> all = need(others->all_gather(mine));
  const auto other = std::ranges::find_if(all, [&](std::uint64_t each) { return each != all.front(); });
  if (other != all.end())
    throw_user(fmt::format("rank {} has {} than rank 0", other - all.begin(), what), {}, help);
}

bool is_same(ranks::Communicator* others, std::uint64_t mine) {
  if (others == nullptr) return true;
  const std::vector<std::uint64_t> all = need(others->all_gather(mine));
  return std::ranges::all_of(all, [&](std::uint64_t each) { return each == all.front(); });
}

/// A program on its way to places.
class ToPlaces {
 public:
  ToPlaces(const ProgramState& state, const Sizes& sizes, PlacedOptions options)
      : state_(state), sizes_(sizes), options_(std::move(options)), others_(options_.communicator()) {}

  /// `share` is this rank's; `feed` names an input.
  std::shared_ptr<CompiledState> run(double share, const std::string& feed) {
    ranks::together(others_, [&] {
      check_devices(options_);
      take_turns(options_, turns_);
      sized_ = sized_program(state_, sizes_);
      if (options_.steps == 0) throw_user("the number of steps must be at least 1");
      if (options_.steps > 1) options_.fed = need(driver::fed_input(*sized_, feed, "name one of them"));
      if (others_ == nullptr) check_shares(options_.shares, options_.devices.size());
    });
    if (others_ != nullptr) {
      options_.shares = need(others_->all_gather(share));
      check_shares(options_.shares, others_->size());
    }
    check_same(others_, hash_of_text(ir::to_string(*sized_)), "another program, or other sizes,",
               "compile the same program for the same sizes at all ranks");
    check_same(others_,
               hash_of_text(fmt::format(
                   "{} {} {} {} {}", options_.steps, options_.fed, static_cast<int>(options_.spread),
                   options_.grid ? options_.grid->rows : 0, options_.grid ? options_.grid->columns : 0)),
               "other steps, another spread,", "give all ranks the same options");
    check_same(others_, static_cast<std::uint64_t>(info().language), "a device with another language",
               "give all ranks devices of one language");
    choose_kernel();
    auto result = std::make_shared<CompiledState>();
    ranks::together(others_, [&] {
      result->inputs = inputs_of(state_, *sized_);
      result->outputs = outputs_of(state_, *sized_);
      result->placed = std::make_unique<PlacedRuns>(*compiled_, options_, result->inputs, result->outputs);
      fill(*result);
    });
    check_same(others_, hash_of_text(result->placed->executable().plan_text()), "another plan",
               "give all ranks devices of one kind");
    return result;
  }

 private:
  const target::Target& info() const { return options_.devices.front()->device->info(); }

  /// The best that is known, or the default mapping where that does not run in parts, or differs between
  /// ranks.
  void choose_kernel() {
    ranks::together(others_, [&] {
      compiled_ = compiled_best(state_, sizes_, *sized_, info());
      const execute::PlaceOptions places{options_.shares, options_.steps, options_.fed, options_.grid};
      if (const auto placed = execute::placed_plan(compiled_->plan, places); !placed)
        compiled_ = default_instead(*compiled_, placed.error(), "does not run in parts", *sized_, info());
    });
    if (is_same(others_, hash_of_text(compiled_->source))) return;
    ranks::together(others_, [&] {
      compiled_ = need(driver::compile(*sized_, driver::options_for(info())));
      compiled_->notes.push_back("ranks know different kernels; the default mapping runs in their place");
    });
    check_same(others_, hash_of_text(compiled_->source), "another kernel",
               "give all ranks devices of one kind");
  }

  void fill(CompiledState& result) {
    const driver::Work work = need(driver::work_of(*sized_));
    const auto steps = static_cast<double>(options_.steps);
    const execute::PlacedExecutable& executable = result.placed->executable();
    result.device = options_.devices.front();
    result.build_seconds = executable.build_seconds();
    result.input_parts = result.placed->input_parts();
    result.output_parts = result.placed->output_parts();
    for (const execute::LaunchPlan::Kernel& kernel : executable.plan().launch.kernels)
      result.kernels.push_back({kernel.name, kernel.range.global, kernel.range.local});
    result.source = executable.source();
    result.mapping = ir::to_string(compiled_->low);
    result.notes = compiled_->notes;
    for (const auto* notes : {&executable.plan().notes, &result.placed->notes()})
      result.notes.insert(result.notes.end(), notes->begin(), notes->end());
    result.work = {work.bytes * steps, work.flops * steps};
    // Of several ranks none has all that a case consists of.
    if (others_ == nullptr) result.recorder = recorder_of(state_, sizes_, info());
  }

  const ProgramState& state_;
  const Sizes& sizes_;
  PlacedOptions options_;
  ranks::Communicator* others_;  ///< null: there are none
  std::list<Turn> turns_;
  std::optional<ir::Program> sized_;
  std::optional<driver::Compiled> compiled_;
};

Compiled compile_on(const Program& program, const Sizes& sizes, PlacedOptions options, double share,
                    const std::string& feed) {
  const ProgramState& state = Access::state(program);
  ir::Arena arena;
  auto result = ToPlaces(state, sizes, std::move(options)).run(share, feed);
  result->program = Access::shared(program);
  return Access::compiled(std::move(result));
}

/// The inputs with the shapes of the whole arrays, of which each rank gives rows.
std::vector<Input> with_rows_of_all(const ProgramState& state, ranks::Communicator& others,
                                    const std::vector<Input>& inputs) {
  std::vector<Input> whole = inputs;
  ranks::together(&others, [&] {
    if (inputs.size() != state.inputs.size())
      throw_user(
          fmt::format("the program has {} inputs, but {} were given", state.inputs.size(), inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::size_t dimensions = state.inputs[i].shape.size(), given = Access::shape(inputs[i]).size();
      if (dimensions == 0 || given == dimensions || (given == 0 && dimensions == 1)) continue;
      throw_about(state, state.inputs[i].name,
                  fmt::format("the input {} has {} dimensions, but {} were given with its rows",
                              state.inputs[i].name, dimensions, given),
                  "how many rows the whole array has follows from the rows of all ranks",
                  "give the shape of this rank's rows: {data, {rows, columns}}");
    }
  });
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (state.inputs[i].shape.empty()) continue;
    std::vector<std::int64_t> shape = Access::shape(inputs[i]);
    if (shape.empty()) shape = {static_cast<std::int64_t>(elements_given(inputs[i]))};
    const std::vector<std::int64_t> rows = need(others.all_gather(shape.front()));
    shape.front() = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
    Access::set_shape(whole[i], std::move(shape));
  }
  return whole;
}

/// From arrays that each rank has whole.
Result<Sizes> sizes_of_whole(const Program& program, const Communicator& communicator,
                             const std::vector<Input>& inputs, const Sizes& sizes) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    const ir::Arena arena;
    Sizes inferred;
    ranks::together(Access::state(communicator)->communicator.get(),
                    [&] { inferred = inferred_sizes(state, inputs, sizes); });
    return inferred;
  });
}

/// What the caller gives, held against what the program takes.
void check_given(const CompiledState& state, const std::vector<Input>& inputs,
                 const std::vector<Output>& outputs) {
  const PlacedRuns& placed = *state.placed;
  check_arrays(*state.program, "input", placed.given_inputs(), inputs);
  check_arrays(*state.program, "output", placed.given_outputs(), outputs);
  const auto is_on_device = [](const auto& array) { return Access::buffer(array).has_value(); };
  if (std::ranges::any_of(inputs, is_on_device) || std::ranges::any_of(outputs, is_on_device)) {
    throw_user("a buffer is on one device, and the program is on several", {},
               "give it arrays in the host's memory");
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto is_there = [&](const auto& other) {
      return share_memory(Access::bytes(outputs[i]), Access::bytes(other));
    };
    const auto here = outputs.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::ranges::any_of(inputs, is_there) || std::any_of(outputs.begin(), here, is_there))
      throw_user(fmt::format("the output {} is in the memory of another array", state.outputs[i].name),
                 "one device writes its part of a result while another reads the inputs",
                 "give it memory of its own");
  }
}

}  // namespace

RunTimes run_on_places(CompiledState& state, const std::vector<Input>& inputs,
                       const std::vector<Output>& outputs) {
  PlacedRuns& placed = *state.placed;
  ranks::Communicator* others = placed.options().communicator();
  std::list<Turn> turns;
  InputBytes from;
  OutputBytes to;
  std::string numbers;
  ranks::together(others, [&] {
    check_given(state, inputs, outputs);
    take_turns(placed.options(), turns);
    for (const Input& each : inputs) from.push_back(Access::bytes(each));
    for (const Output& each : outputs) to.push_back(Access::bytes(each));
    to.resize(state.outputs.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!state.inputs[i].shape.empty()) continue;
      numbers.append(reinterpret_cast<const char*>(from[i].data()), from[i].size());
    }
  });
  check_same(others, hash_of_text(numbers), "other numbers", "give all ranks the same numbers");
  std::vector<std::uint64_t> hashes;
  if (execute::checks_arrays()) {
    for (const auto& each : from) hashes.push_back(execute::hash_of(each));
  }
  RunTimes times = placed.run(from, to);
  ranks::together(others, [&] {
    for (std::size_t i = 0; i < hashes.size(); ++i)
      if (execute::hash_of(from[i]) != hashes[i]) throw_changed(state.inputs[i].name);
  });
  record(state, times.kernels, inputs);
  return times;
}

Result<Compiled> compile(const Program& program, const Places& places, const Sizes& sizes) {
  return guarded(&Access::state(program).source, [&] {
    PlacedOptions options;
    for (const Device& each : places.devices) options.devices.push_back(Access::state(each));
    options.shares = places.shares.empty() ? std::vector<double>(places.devices.size(), 1.0) : places.shares;
    options.steps = places.steps;
    options.grid = grid_of(places.grid);
    return compile_on(program, sizes, std::move(options), 1, places.feed);
  });
}

Result<Compiled> compile(const Program& program, const Ranks& ranks, const Sizes& sizes) {
  return guarded(&Access::state(program).source, [&] {
    PlacedOptions options;
    options.devices = {Access::state(ranks.device)};
    options.ranks = Access::state(ranks.communicator);
    options.spread = ranks.spread;
    options.steps = ranks.steps;
    ranks::together(options.communicator(), [&] { options.grid = grid_of(ranks.grid); });
    return compile_on(program, sizes, std::move(options), ranks.share, ranks.feed);
  });
}

Result<Compiled> compile_for(const Program& program, const Places& places, const std::vector<Input>& inputs,
                             const Sizes& sizes) {
  auto inferred = infer_sizes(program, inputs, sizes);
  if (!inferred) return inferred.error();
  return compile(program, places, *inferred);
}

Result<Sizes> infer_sizes(const Program& program, const Communicator& communicator,
                          const std::vector<Input>& inputs, const Sizes& sizes) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    const ir::Arena arena;
    ranks::Communicator& others = *Access::state(communicator)->communicator;
    const std::vector<Input> whole = with_rows_of_all(state, others, inputs);
    Sizes inferred;
    ranks::together(&others, [&] { inferred = inferred_sizes(state, whole, sizes); });
    return inferred;
  });
}

Result<Compiled> compile_for(const Program& program, const Ranks& ranks, const std::vector<Input>& inputs,
                             const Sizes& sizes) {
  const auto inferred = ranks.spread == Spread::Parts
                            ? infer_sizes(program, ranks.communicator, inputs, sizes)
                            : sizes_of_whole(program, ranks.communicator, inputs, sizes);
  if (!inferred) return inferred.error();
  return compile(program, ranks, *inferred);
}

}  // namespace hoist::api
