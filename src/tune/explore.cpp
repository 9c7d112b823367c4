#include "tune/explore.hpp"

#include <algorithm>

#include "loop/local_memory.hpp"
#include "loop/traverse.hpp"
#include "rewrite/default_mapping.hpp"

namespace hoist::tune {

DeviceLimits limits_of(const runtime::DeviceInfo& device) {
  return {static_cast<std::int64_t>(device.max_group_size), static_cast<std::int64_t>(device.local_memory)};
}

Result<space::Space> space_of(const ir::Program& program, const ParameterBounds& bounds) {
  std::vector<space::Parameter> parameters;
  for (arith::Expr each : ir::open_parameters(program.function)) parameters.push_back({each->name});
  if (parameters.empty()) {
    return user_error("the program has no tuning parameters", {}, "leave a hole where a number may be chosen: split(?t)");
  }
  std::vector<space::Constraint> constraints;
  std::int64_t largest = 1024;
  for (const ir::SizeAssumption& assumption : ir::size_assumptions(program.function)) {
    constraints.push_back({assumption.predicate, assumption.message});
    // What must divide a number may be as large as that.
    for (arith::Expr side : {assumption.predicate.left, assumption.predicate.right}) {
      if (side->facts.maximum) largest = std::max(largest, *side->facts.maximum);
      for (arith::Expr operand : side->operands) {
        if (auto constant = operand.constant()) largest = std::max(largest, *constant);
      }
    }
  }
  for (space::Parameter& parameter : parameters) parameter.most = largest;
  for (const auto& [name, bound] : bounds) {
    auto same = std::find_if(parameters.begin(), parameters.end(), [&, n = name](const auto& each) { return each.name == n; });
    if (same == parameters.end()) return user_error("the program has no tuning parameter ?" + name);
    same->least = bound.first;
    same->most = bound.second;
  }
  return space::Space::make(std::move(parameters), std::move(constraints));
}

namespace {

/// Fills in what the plan takes; where it does not fit, why.
void measure(const loop::Plan& plan, const DeviceLimits& limits, Candidate& result) {
  result.kernels = plan.kernels.size();
  for (const loop::Kernel& kernel : plan.kernels) {
    std::int64_t group = 1;
    for (arith::Expr length : kernel.launch.local) group *= length.constant().value_or(1);
    result.group_size = std::max(result.group_size, group);
    result.local_memory = std::max(result.local_memory, static_cast<std::int64_t>(loop::local_bytes(kernel)));
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      result.barriers += std::holds_alternative<loop::Barrier>(statement.node) ? 1 : 0;
    });
  }
  if (result.group_size > limits.group_size) {
    result.reason = "group size";
    result.discarded = "a group of " + std::to_string(result.group_size) + " work-items is larger than " + std::to_string(limits.group_size);
  } else if (result.local_memory > limits.local_memory) {
    result.reason = "local memory";
    result.discarded = std::to_string(result.local_memory) + " bytes of local memory are more than " + std::to_string(limits.local_memory);
  }
}

}  // namespace

Candidate candidate(const ir::Program& program, const space::Space& space, std::uint64_t id,
                    const DeviceLimits& limits, const lower::Options& options) {
  Candidate result;
  result.id = id;
  const space::Point point = space.at(id);
  for (std::size_t at = 0; at < point.size(); ++at) result.values.emplace_back(space.parameters()[at].name, point[at]);
  // Its terms go when it is done: memory does not grow with the candidates looked at.
  ir::Arena of_this_candidate;
  auto refuse = [&](const Error& error) {
    result.reason = "not compiled";
    result.discarded = error.diagnostics.empty() ? "refused" : error.diagnostics.front().message;
    return result;
  };
  auto chosen = with_sizes(program, result.values);
  if (!chosen) return refuse(chosen.error());
  auto mapped = rewrite::default_mapping(*chosen, rewrite::Processor::Gpu);
  if (!mapped) return refuse(mapped.error());
  auto plan = lower::lower(mapped->program, options);
  if (!plan) return refuse(plan.error());
  measure(*plan, limits, result);
  return result;
}

}  // namespace hoist::tune
