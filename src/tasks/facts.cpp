#include "tasks/facts.hpp"

#include <algorithm>

#include "loop/traverse.hpp"
#include "tasks/cut.hpp"
#include "tasks/footprint.hpp"

namespace hoist::tasks {
namespace {

/// Tasks by which overlaps are measured; a border is as wide between any number of tasks.
constexpr std::int64_t sample = 8;

double work_items(const loop::Kernel& kernel) {
  double product = 1;
  for (const arith::Expr& extent : kernel.launch.global)
    product *= static_cast<double>(extent.constant().value_or(1));
  return product;
}

double group_size(const loop::Kernel& kernel) {
  double product = 1;
  for (const arith::Expr& extent : kernel.launch.local)
    product *= static_cast<double>(extent.constant().value_or(1));
  return product;
}

/// How many loops lie around the loop with this variable, and it; 0: it is not there.
int level_of(const loop::Block& block, arith::Expr variable) {
  for (const loop::Statement& statement : block) {
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (!loop) continue;
    if (loop->variable == variable) return 1;
    if (const int inside = level_of(loop->body, variable)) return inside + 1;
  }
  return 0;
}

/// By how many elements an access moves when the loop goes on, in the middle of its iterations.
std::int64_t stride(const Footprint& footprint, const Bounds& bounds) {
  const CutLoop& loop = footprint.outer;
  const auto at = [&](std::int64_t iteration) {
    return arith::evaluate(bounds.least,
                           {{loop.first.get(), iteration + 1}, {loop.stop.get(), iteration + 1}})
        .value_or(0);
  };
  const std::int64_t middle = (loop.iterations - 1) / 2;
  return at(middle + 1) - at(middle);
}

void add_launch(const loop::Kernel& kernel, TaskFacts& facts) {
  const auto footprint = footprint_of(kernel, sample);
  if (!footprint) return;
  const CutLoop& loop = footprint->outer;
  const auto iterations = static_cast<double>(loop.iterations);
  for (const auto& [name, touched] : footprint->arrays) {
    for (const auto* bounds : {&touched.read, &touched.written}) {
      for (const Bounds& each : *bounds) {
        const std::int64_t moves = stride(*footprint, each);
        facts.access_type_1 += moves == 1 ? 1 : 0;
        facts.access_type_2 += moves > 1 ? 1 : 0;
      }
    }
  }
  if (iterations <= facts.loop_count) return;
  facts.loop_count = iterations;
  facts.loop_nest = level_of(kernel.body, loop.variables.front());
  const bool is_global = loop.parallelism == hoist::loop::Parallelism::Global;
  const auto local = kernel.launch.local[static_cast<std::size_t>(loop.dimension)].constant().value_or(1);
  facts.min_task_iterations = is_global ? static_cast<double>(local) : 1;
}

/// What eight tasks read twice, and what all read.
void add_overlaps(const loop::Plan& plan, TaskFacts& facts) {
  const auto tasks = std::min(sample, static_cast<std::int64_t>(facts.max_tasks));
  if (tasks < 2) return;
  const auto cut = tasks::cut(plan, {tasks, true});
  if (!cut) return;
  const auto middle = static_cast<std::size_t>(tasks / 2 - 1);
  for (std::size_t at = 0; at < cut->arrays.size(); ++at) {
    const Array& array = cut->arrays[at];
    if (!array.input) continue;
    const auto width = static_cast<double>(size_of(array.scalar));
    Region first, second;
    bool is_read = false;
    for (const Phase& phase : cut->phases) {
      for (const TaskStep& step : phase.steps) {
        for (const auto& touches : step.touches) {
          for (const Touch& touch : touches) is_read |= touch.array == at && !touch.read.is_empty();
        }
        if (!phase.is_cut) continue;
        for (const Touch& touch : step.touches[middle]) {
          if (touch.array == at) first = hull(first, touch.read);
        }
        for (const Touch& touch : step.touches[middle + 1]) {
          if (touch.array == at) second = hull(second, touch.read);
        }
      }
    }
    if (array.is_windowed()) {
      facts.redundant_bytes += width * static_cast<double>(intersection(first, second).area());
    } else if (is_read) {
      facts.shared_bytes += width * static_cast<double>(array.elements);
    }
  }
  for (const Phase& phase : cut->phases) {
    if (phase.is_cut) facts.kernels += static_cast<double>(phase.steps.size());
  }
}

}  // namespace

std::vector<std::pair<std::string, double>> TaskFacts::named() const {
  return {{"loop_nest", loop_nest},
          {"loop_count", loop_count},
          {"max_tasks", max_tasks},
          {"min_task_iterations", min_task_iterations},
          {"transfers", transfers},
          {"transfer_bytes", transfer_bytes},
          {"upload_bytes", upload_bytes},
          {"download_bytes", download_bytes},
          {"redundant_bytes", redundant_bytes},
          {"shared_bytes", shared_bytes},
          {"input_arrays", input_arrays},
          {"output_arrays", output_arrays},
          {"kernels", kernels},
          {"steps", steps},
          {"temporary_bytes", temporary_bytes},
          {"work_items", work_items},
          {"group_size", group_size},
          {"access_type_1", access_type_1},
          {"access_type_2", access_type_2}};
}

Result<TaskFacts> task_facts(const loop::Plan& plan) {
  return catch_failure([&] {
    TaskFacts facts;
    const auto bytes = [](const loop::Buffer& buffer) {
      return static_cast<double>(buffer.scalars.constant().value_or(0)) *
             static_cast<double>(size_of(buffer.type.scalar));
    };
    for (const loop::PlanInput& input : plan.inputs) {
      const auto* buffer = std::get_if<loop::BufferPtr>(&input);
      if (!buffer) continue;
      ++facts.input_arrays;
      facts.upload_bytes += bytes(**buffer);
    }
    for (const loop::BufferPtr& output : plan.outputs) {
      ++facts.output_arrays;
      facts.download_bytes += bytes(*output);
    }
    for (const loop::BufferPtr& temporary : plan.temporaries) facts.temporary_bytes += bytes(*temporary);
    facts.transfers = facts.input_arrays + facts.output_arrays;
    facts.transfer_bytes = facts.upload_bytes + facts.download_bytes;
    facts.steps = static_cast<double>(plan.steps.size());
    for (const loop::Kernel& kernel : plan.kernels) {
      facts.work_items += work_items(kernel);
      facts.group_size = std::max(facts.group_size, group_size(kernel));
    }
    // Kernels of a repetition are not cut.
    for (const loop::PlanStep& step : plan.steps) {
      const auto* launch = std::get_if<loop::LaunchStep>(&step.node);
      if (launch) add_launch(plan.kernels[launch->kernel], facts);
    }
    facts.max_tasks = static_cast<double>(most_tasks(plan));
    add_overlaps(plan, facts);
    if (facts.kernels == 0) facts.kernels = static_cast<double>(plan.kernels.size());
    return facts;
  });
}

}  // namespace hoist::tasks
