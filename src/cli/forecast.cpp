#include "cli/forecast.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "cli/arguments.hpp"
#include "cli/grid_option.hpp"
#include "cli/isa_option.hpp"
#include "cli/output.hpp"
#include "driver/verify.hpp"
#include "execute/executable.hpp"
#include "execute/placed_forecast.hpp"
#include "runtime/devices.hpp"
#include "runtime/limits.hpp"
#include "runtime/measure.hpp"

namespace hoist::cli {
namespace {

/// As many steps as have one that others are like.
constexpr std::size_t most_steps = 4;
constexpr std::size_t runs = 5;

/// The seconds of the kernels of one step on the device: the median of some runs, behind one that is slower.
double measured_step(runtime::Device& device, const driver::Compiled& compiled,
                     const std::vector<Data>& inputs) {
  auto executable = need(execute::Executable::prepare(device, compiled));
  need(executable.write_inputs(inputs));
  const auto times = need(runtime::measure(
      [&]() -> Result<double> {
        auto ran = executable.run();
        if (!ran) return tl::unexpected(ran.error());
        return ran->kernels;
      },
      runs, 1));
  return times.median;
}

}  // namespace

Status tell_forecast(Session& session, const RunOptions& options) {
  const ir::Program program = read_program(session, options.program);
  driver::Steps steps{std::min(options.steps.value_or(1), most_steps), 0};
  if (options.steps) steps.fed = need(driver::fed_input(program, options.feed));
  // Where nothing runs no inputs are needed, which may be larger than this machine's memory.
  Arguments arguments;
  if (options.forecast.step_seconds) {
    arguments.sizes = read_sizes(program, options.program.values);
  } else {
    arguments = read_arguments(program, options.program.values, options.random_seed);
  }
  const ir::Program sized = need(driver::with_sizes(program, arguments.sizes));
  session.program = sized;
  const std::string id = options.devices.empty() ? runtime::default_device() : options.devices.front();
  choose_isa(options.isa, {id});
  const auto device = need(runtime::open_device(id));
  const lower::Options lowering =
      driver::options_for(device->info(), lowering_options(options.lowering, program, arguments.sizes));
  const RunKernel kernel =
      run_kernel(program, sized, arguments.sizes, device->info(), lowering, options.kernel);
  const loop::Plan& plan = kernel.compiled.plan;
  using Grid = std::optional<execute::PlaceGrid>;
  const auto places = [&](std::size_t count, const Grid& grid) {
    return need(execute::placed_plan(plan, {std::vector<double>(count, 1.0), steps.count, steps.fed, grid}))
        .plan;
  };
  const Grid grid = parsed_grid(options.grid, options.forecast.ranks);
  const execute::PlacedPlan placed = places(options.forecast.ranks, grid);
  const double seconds = options.forecast.step_seconds
                             ? *options.forecast.step_seconds
                             : measured_step(*device, kernel.compiled, arguments.inputs);
  const execute::Machines machines{
      {options.forecast.gigabytes_per_second * 1e9, options.forecast.microseconds * 1e-6},
      options.forecast.at_once};
  const execute::Forecast forecast = execute::forecast(placed, places(1, std::nullopt), seconds, machines);
  for (const std::string& each : placed.notes) note("note: " + each);
  if (options.json) {
    Json facts = {{"program", program.name},
                  {"ranks", placed.places},
                  {"tasks", placed.tasks},
                  {"kernel", kernel.name},
                  {"step_seconds_of_one", seconds},
                  {"moved_bytes", forecast.moved_bytes},
                  {"bytes_of_rank", forecast.bytes_of_place},
                  {"messages_of_rank", forecast.messages_of_place},
                  {"compute_seconds", forecast.compute},
                  {"transfer_seconds", forecast.transfer},
                  {"step_seconds", forecast.step},
                  {"efficiency", forecast.efficiency},
                  {"notes", placed.notes}};
    if (grid) facts["grid"] = {grid->rows, grid->columns};
    print_json(facts);
    return done;
  }
  print(fmt::format("{} for {} ranks{}, in {} tasks\n", program.name, placed.places, grid_text(grid),
                    placed.tasks));
  print(fmt::format("a step moves {} between them; of one rank {} in {} message{} at most\n",
                    runtime::bytes_text(forecast.moved_bytes), runtime::bytes_text(forecast.bytes_of_place),
                    forecast.messages_of_place, forecast.messages_of_place == 1 ? "" : "s"));
  print(
      fmt::format("one device takes {} for a step ({}); {} ranks would take {}: kernels {}, messages {}{}\n",
                  time_text(seconds), options.forecast.step_seconds ? "given" : "measured", placed.places,
                  time_text(forecast.step), time_text(forecast.compute), time_text(forecast.transfer),
                  placed.has_borders() ? ", most of them while kernels run" : ""));
  print(fmt::format("efficiency {:.1f} %\n", 100 * forecast.efficiency));
  return done;
}

}  // namespace hoist::cli
