#include "tasks/obligations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lower/lower.hpp"

namespace hoist::tasks {
namespace {

using loop::Parallelism;

std::string shown_by(const Footprint& footprint, const CutLoop& loop, const std::string& array) {
  switch (order_of(footprint, loop, array)) {
    case Order::ByBounds:
      return "by the bounds of its indices";
    case Order::ByIterations:
      return fmt::format("by looking at all {} iterations", loop.iterations);
    case Order::Unknown:
      break;
  }
  throw Bug("a loop is cut whose iterations have no order");
}

class Listing {
 public:
  explicit Listing(const Cut& cut) : cut_(cut) {}

  std::vector<Obligation> run() {
    for (const Phase& phase : cut_.phases) {
      if (!phase.is_cut) continue;
      for (const TaskStep& step : phase.steps) add_loop(step);
      if (phase.steps.size() > 1) add_phase(phase);
    }
    return std::move(result_);
  }

 private:
  void add(std::string claim, std::string shown) { result_.push_back({std::move(claim), std::move(shown)}); }

  std::string kernel_of(const TaskStep& step) const {
    const auto& launch = std::get<loop::LaunchStep>(cut_.plan.steps[step.step].node);
    return cut_.plan.kernels[launch.kernel].name;
  }

  void add_loop(const TaskStep& step) {
    const Footprint& footprint = *step.loop;
    if (footprint.accumulators) {
      std::string kept;
      for (const loop::VariablePtr& each : footprint.accumulators->variables)
        kept += (kept.empty() ? "" : ", ") + each->name;
      add(fmt::format("iterations of {} keep nothing but {} from one to the next",
                      name_of(step, footprint.outer), kept),
          "they assign no other variable and write to no memory; tasks run in order, and keep these in "
          "memory");
      return;
    }
    add_parallel(step, footprint.outer);
    if (footprint.inner) add_parallel(step, *footprint.inner);
    for (const Array& array : cut_.arrays) {
      if (!array.has_column_windows() || !footprint.arrays.contains(array.name)) continue;
      add(fmt::format("{} reads of {} nothing that is part of two rows of {} elements", kernel_of(step),
                      array.name, array.row_length),
          "by the bounds of its indices");
    }
  }

  std::string name_of(const TaskStep& step, const CutLoop& loop) const {
    return fmt::format("{} of {}", loop.variables.front()->name, kernel_of(step));
  }

  void add_parallel(const TaskStep& step, const CutLoop& loop) {
    const std::string of = name_of(step, loop);
    add(fmt::format("iterations of {} may run without the others", of),
        loop.parallelism == Parallelism::Sequential ? "its schedule says so" : "the loop is parallel");
    for (const auto& [array, touched] : step.loop->arrays) {
      if (!touched.is_written() || array == lower::fault_flag) continue;
      if (touched.is_updated) {
        add(fmt::format("iterations of {} may update {} in any order", of, array), "its updates are atomic");
        continue;
      }
      add(fmt::format("each iteration of {} writes to {} behind the one before", of, array),
          shown_by(*step.loop, loop, array));
      if (!touched.read.empty())
        add(fmt::format("iterations of {} read of {} nothing that others write", of, array),
            "they read by the indices that they write by");
    }
  }

  void add_phase(const Phase& phase) {
    std::string kernels;
    for (const TaskStep& each : phase.steps) kernels += (kernels.empty() ? "" : ", ") + kernel_of(each);
    add(fmt::format("of {} none writes what one before reads or writes", kernels), "their arrays are others");
    const bool overlaps = std::any_of(phase.steps.begin(), phase.steps.end(), has_overlaps);
    if (overlaps)
      add(fmt::format("iterations of {} that two tasks run compute the same", kernels),
          "these kernels read nothing that they write, and update nothing");
  }

  static bool has_overlaps(const TaskStep& step) {
    for (std::size_t task = 1; task < step.iterations.size(); ++task) {
      if (intersects(step.iterations[task - 1], step.iterations[task])) return true;
    }
    return false;
  }

  const Cut& cut_;
  std::vector<Obligation> result_;
};

}  // namespace

std::vector<Obligation> obligations_of(const Cut& cut) { return Listing(cut).run(); }

}  // namespace hoist::tasks
