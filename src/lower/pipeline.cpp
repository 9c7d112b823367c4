// The pipeline, in order, with the reason for each step's place.
#include "arith/arena.hpp"
#include "ir/print.hpp"
#include "loop/at_launch.hpp"
#include "lower/lower.hpp"
#include "lower/passes.hpp"
#include "lower/scheduled_nest.hpp"
#include "lower/to_loops.hpp"

namespace hoist::lower {

namespace {

struct OptionalPass {
  const char* name;
  bool Options::*enabled;
};
constexpr OptionalPass passes[] = {
    {"warp-shuffles", &Options::use_warp_shuffles},
    {"images", &Options::use_images},
    {"index-simplification", &Options::simplify_indices},
    {"control-flow-simplification", &Options::simplify_control_flow},
    {"barrier-elimination", &Options::eliminate_barriers},
    {"private-array-unrolling", &Options::unroll_private_arrays},
    {"shared-loads", &Options::share_loads},
    {"aligned-vectors", &Options::align_vectors},
    {"loop-unrolling", &Options::suggest_unrolling},
    {"streamed-stores", &Options::stream_stores},
    {"index-checks", &Options::check_indices},
};

/// The host knows what kernels learn at their launch. User error: how long one of its arrays is depends on
/// that.
void settle_for_host(loop::Plan& plan) {
  std::erase_if(plan.assumptions, [](loop::Assumption& assumption) {
    assumption.predicate = loop::at_launch(assumption.predicate);
    return arith::holds(assumption.predicate) == arith::Truth::Yes;
  });
  for (const auto* buffers : {&plan.temporaries, &plan.outputs}) {
    for (const loop::BufferPtr& buffer : *buffers) {
      for (const arith::Expr variable : arith::variables(buffer->scalars)) {
        if (!loop::is_launched(variable)) continue;
        throw_user("the length of " + buffer->name + " depends on " + arith::to_string(variable));
      }
    }
  }
}

loop::Plan run_pipeline(const ir::Program& program, const Options& options) {
  if (auto open = ir::open_parameters(program.function); !open.empty()) {
    throw_user("the tuning parameter ?" + open[0]->name + " is still open", {},
               "give it a value: " + open[0]->name + "=16");
  }
  std::optional<arith::WithoutSimplification> raw;
  if (!options.simplify_indices) raw.emplace();
  auto trace = [&](std::string_view pass, const loop::Plan& plan) {
    if (options.trace) options.trace(pass, plan);
  };

  // Views, memory and loops in one walk over the term: each needs what the others decided for the enclosing
  // patterns.
  ToLoops to_loops(program, options);
  loop::Plan plan = to_loops.run();
  trace("to-loops", plan);
  loop::NameSource names(plan);
  auto for_kernels = [&](std::string_view pass, auto run) {
    for (loop::Kernel& kernel : plan.kernels) run(kernel);
    trace(pass, plan);
  };
  // Before barriers: what runs at most once cannot race with its own next round.
  // So do tests that become bounds.
  if (options.simplify_control_flow) {
    for_kernels("control-flow-simplification", simplify_control_flow);
    for_kernels("loop-bounds", bound_loops);
    for_kernels("joined-parts", [&](loop::Kernel& kernel) { nest_joined_parts(kernel, names); });
  }
  for (const auto& [number, schedule] : to_loops.schedules()) {
    // Schedules count the loops over each array.
    nest_joined_parts(plan.kernels[number], names, true);
    run_by_schedule(plan.kernels[number], schedule, names);
  }
  trace("schedules", plan);
  // Before unrolling: read and write sets are small while loops are loops.
  for_kernels("barriers",
              [&](loop::Kernel& kernel) { insert_barriers(kernel, options.eliminate_barriers, names); });
  // Before unrolling: each version is unrolled for itself.
  if (options.simplify_control_flow) {
    for_kernels("last-chunks", [&](loop::Kernel& kernel) { peel_last_chunks(kernel, names); });
    for_kernels("interior-tiles", [&](loop::Kernel& kernel) { version_interior_tiles(kernel, names); });
  }
  if (options.unroll_private_arrays) {
    for_kernels("private-array-unrolling",
                [&](loop::Kernel& kernel) { unroll_private_arrays(kernel, names, options.share_loads); });
    // Constants from unrolling decide more tests.
    if (options.simplify_control_flow) for_kernels("control-flow-simplification-2", simplify_control_flow);
  }
  // After unrolling: vectors of neighbours have most of what they are read in in common. Processors read any
  // vector at once.
  if (options.align_vectors && options.target.machine.processor == target::Processor::Gpu)
    for_kernels("aligned-vectors", [&](loop::Kernel& kernel) { align_vectors(kernel, names); });
  // After private arrays made their loops disappear.
  if (options.suggest_unrolling)
    for_kernels("loop-unrolling", [&](loop::Kernel& kernel) {
      suggest_unrolling(kernel, options.target.most_unrolled_operations());
    });
  // After unrolling: what is straight code by now, vectors of the host serve.
  if (options.stream_stores && options.target.language == target::Language::Host)
    for_kernels("streamed-stores",
                [&](loop::Kernel& kernel) { stream_stores(kernel, options.target.largest_cache()); });
  // Last: only now is it known what each kernel uses.
  for_kernels("parameters", [&](loop::Kernel& kernel) { collect_parameters(kernel, plan); });
  settle_for_host(plan);
  const std::string too_large =
      "kernels for sizes that are not known when compiling index with 32 bits; an array has more than "
      "2147483647 elements "
      "(give the sizes when compiling)";
  for (const auto* buffers : {&plan.temporaries, &plan.outputs}) {
    for (const loop::BufferPtr& buffer : *buffers) {
      if (buffer->scalars.constant()) continue;
      plan.assumptions.push_back(
          {{arith::Relation::LessEqual, buffer->scalars, arith::constant(2147483647)}, too_large});
    }
  }
  return plan;
}

}  // namespace

std::vector<std::string> optional_passes() {
  std::vector<std::string> names;
  for (const OptionalPass& pass : passes) names.emplace_back(pass.name);
  return names;
}

Result<void> disable_pass(Options& options, std::string_view name) {
  for (const OptionalPass& pass : passes) {
    if (name == pass.name) {
      options.*pass.enabled = false;
      return {};
    }
  }
  std::string list;
  for (const OptionalPass& pass : passes) list += (list.empty() ? "" : ", ") + std::string(pass.name);
  return user_error("no pass is called '" + std::string(name) + "'", {}, "the passes are " + list);
}

/// Kernels that cannot learn a number at their launch have it compiled in.
Result<loop::Plan> lower(const ir::Program& program, const Options& options) {
  auto plan = catch_failure([&] { return run_pipeline(program, options); });
  if (plan) return plan;
  arith::Substitution numbers;
  for (const arith::Expr each : ir::launched_numbers(program.function))
    numbers.emplace(each.get(), each->value);
  if (numbers.empty()) return plan;
  return catch_failure([&] {
    ir::Program known = program;
    known.function = ir::substitute_sizes(known.function, numbers);
    return run_pipeline(known, options);
  });
}

}  // namespace hoist::lower
