#pragma once
// The step by which a plan is cut into tasks, as hoist explain shows it.
#include <cstdint>
#include <string>

#include "cli/output.hpp"
#include "execute/streamed_plan.hpp"
#include "ir/term.hpp"

namespace hoist::cli {

/// The name of the step, as others have that of a rule.
inline constexpr const char* cut_step_name = "cutTasks";

/// A plan that is cut, and the values that the coordinates may have: those of `tasks`, and those that the
/// device has of `partitions`.
struct CutStep {
  execute::Streamed streamed;
  std::size_t most_tasks = 1, device_partitions = 1;
};

/// Its phases, what tasks run and which windows of arrays they touch; its coordinates; what it rests on, with
/// how that is known. Throws Failure: a Bug, where a node of the graph does not wait for one that it must.
std::string cut_text(const CutStep& step);
Json cut_json(const CutStep& step);

/// Runs the tasks in the loop interpreter on random inputs, in an order that the graph allows, and says how
/// the result agrees. Throws Failure: a Bug, where it is not what the program means.
std::string verified_cut(const ir::Program& sized, const loop::Plan& plan, const execute::Streamed& streamed,
                         std::uint64_t seed);

}  // namespace hoist::cli
