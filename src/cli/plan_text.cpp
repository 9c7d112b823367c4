#include "cli/plan_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hoist::cli {

namespace {

std::string buffer_text(const loop::Buffer& buffer) {
  return fmt::format("{}: {} of {}", buffer.name, arith::to_string(buffer.scalars),
                     name_of(buffer.type.scalar));
}

Json buffer_json(const loop::Buffer& buffer) {
  return {{"name", buffer.name},
          {"type", name_of(buffer.type.scalar)},
          {"scalars", arith::to_string(buffer.scalars)}};
}

/// Numbered from 0, where the plan with all numbers has memory for it: what no kernel uses has none.
std::optional<std::size_t> memory_of(const loop::Buffer& temporary,
                                     const std::optional<execute::LaunchPlan>& launch) {
  if (!launch) return std::nullopt;
  std::size_t own = launch->outputs.size();
  for (const execute::LaunchPlan::Input& input : launch->inputs) own += input.is_array ? 1 : 0;
  for (const execute::LaunchPlan::Array& array : launch->arrays) {
    if (array.name == temporary.name) return array.memory - own;
  }
  return std::nullopt;
}

void add_steps(std::string& text, const driver::Compiled& compiled, const std::vector<loop::PlanStep>& steps,
               const std::string& margin) {
  for (const loop::PlanStep& step : steps) {
    if (const auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
      const loop::Kernel& kernel = compiled.plan.kernels[launch->kernel];
      const std::size_t dynamic = compiled.dynamic_local_memory[launch->kernel];
      text += fmt::format(
          "{}launch {}: {} work-items in groups of {}{}\n", margin, kernel.name,
          launch_text(kernel.launch.global), launch_text(kernel.launch.local),
          dynamic > 0 ? fmt::format(", each with {} bytes of dynamic local memory", dynamic) : "");
    } else if (const auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
      text += fmt::format("{}copy {} to {}\n", margin, copy->from->name, copy->to->name);
    } else {
      const auto& repeat = std::get<loop::RepeatStep>(step.node);
      const std::string rounds = repeat.count_from ? "as often as " + repeat.count_from->name + " says"
                                                   : arith::to_string(repeat.count) + " times";
      text += fmt::format("{}{}:\n", margin, rounds);
      add_steps(text, compiled, repeat.test, margin + "  ");
      if (repeat.condition)
        text += fmt::format("{}  end where {} is false\n", margin, repeat.condition->name);
      if (repeat.number)
        text += fmt::format("{}  {} is the number of the round\n", margin, repeat.number->name);
      add_steps(text, compiled, repeat.body, margin + "  ");
      for (const auto& [first, second] : repeat.exchanged) {
        text += fmt::format("{}  exchange {} and {}\n", margin, first->name, second->name);
      }
    }
  }
}

Json steps_json(const loop::Plan& plan, const std::vector<loop::PlanStep>& steps) {
  Json result = Json::array();
  for (const loop::PlanStep& step : steps) {
    if (const auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
      result.push_back({{"launch", plan.kernels[launch->kernel].name}});
    } else if (const auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
      result.push_back({{"copy", copy->from->name}, {"to", copy->to->name}});
    } else {
      const auto& repeat = std::get<loop::RepeatStep>(step.node);
      Json each = {{"repeat", repeat.count_from ? repeat.count_from->name : arith::to_string(repeat.count)},
                   {"steps", steps_json(plan, repeat.body)}};
      if (repeat.number) each["number"] = repeat.number->name;
      if (repeat.condition) {
        each["test"] = steps_json(plan, repeat.test);
        each["while"] = repeat.condition->name;
      }
      for (const auto& [first, second] : repeat.exchanged) {
        each["exchange"].push_back({first->name, second->name});
      }
      result.push_back(std::move(each));
    }
  }
  return result;
}

}  // namespace

std::string launch_text(const std::array<arith::Expr, 3>& sizes) {
  std::string text;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string size = arith::to_string(sizes[d]);
    const bool is_word = sizes[d].constant() || sizes[d].kind() == arith::Kind::Variable;
    text += fmt::format("{}{}", d == 0 ? "" : " x ", is_word ? size : "(" + size + ")");
  }
  return text;
}

std::string plan_text(const driver::Compiled& compiled, const std::optional<execute::LaunchPlan>& launch) {
  const loop::Plan& plan = compiled.plan;
  std::string text = "// The plan of " + plan.name + "\n";
  for (const loop::PlanInput& input : plan.inputs) {
    if (const auto* buffer = std::get_if<loop::BufferPtr>(&input)) {
      text += fmt::format("//   input {}\n", buffer_text(**buffer));
    } else {
      const loop::Variable& variable = *std::get<loop::ScalarInput>(input).variable;
      text += fmt::format("//   input {}: one {}\n", variable.name, name_of(variable.type.scalar));
    }
  }
  for (const loop::BufferPtr& buffer : plan.outputs)
    text += fmt::format("//   output {}\n", buffer_text(*buffer));
  for (const loop::BufferPtr& buffer : plan.temporaries) {
    const auto memory = memory_of(*buffer, launch);
    text += fmt::format("//   temporary {}{}\n", buffer_text(*buffer),
                        memory ? fmt::format(", in memory {}", *memory) : "");
  }
  for (const loop::Assumption& assumption : plan.assumptions) {
    text += fmt::format("//   assumes {}\n", arith::to_string(assumption.predicate));
  }
  add_steps(text, compiled, plan.steps, "//   ");
  return text;
}

Json plan_json(const driver::Compiled& compiled, const std::optional<execute::LaunchPlan>& launch) {
  const loop::Plan& plan = compiled.plan;
  Json inputs = Json::array(), outputs = Json::array(), temporaries = Json::array(), kernels = Json::array(),
       assumptions = Json::array();
  for (const loop::PlanInput& input : plan.inputs) {
    if (const auto* buffer = std::get_if<loop::BufferPtr>(&input)) {
      inputs.push_back(buffer_json(**buffer));
    } else {
      const loop::Variable& variable = *std::get<loop::ScalarInput>(input).variable;
      inputs.push_back({{"name", variable.name}, {"type", name_of(variable.type.scalar)}});
    }
  }
  for (const loop::BufferPtr& buffer : plan.outputs) outputs.push_back(buffer_json(*buffer));
  for (const loop::BufferPtr& buffer : plan.temporaries) {
    temporaries.push_back(buffer_json(*buffer));
    if (const auto memory = memory_of(*buffer, launch)) temporaries.back()["memory"] = *memory;
  }
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    const loop::Kernel& kernel = plan.kernels[k];
    Json global = Json::array(), local = Json::array(), parameters = Json::array();
    for (std::size_t d = 0; d < 3; ++d) {
      global.push_back(arith::to_string(kernel.launch.global[d]));
      local.push_back(arith::to_string(kernel.launch.local[d]));
    }
    for (const loop::KernelParameter& parameter : kernel.parameters) {
      if (const auto* buffer = std::get_if<loop::BufferParameter>(&parameter)) {
        parameters.push_back({{"buffer", buffer->buffer->name}, {"is_written", buffer->is_written}});
      } else if (const auto* size = std::get_if<loop::SizeParameter>(&parameter)) {
        parameters.push_back({{"size", arith::to_string(size->variable)}});
      } else {
        parameters.push_back({{"scalar", std::get<loop::ScalarParameter>(parameter).variable->name}});
      }
    }
    kernels.push_back({{"name", kernel.name},
                       {"global", std::move(global)},
                       {"local", std::move(local)},
                       {"parameters", std::move(parameters)}});
    if (const std::size_t dynamic = compiled.dynamic_local_memory[k]; dynamic > 0)
      kernels.back()["dynamic_local_memory"] = dynamic;
  }
  for (const loop::Assumption& assumption : plan.assumptions) {
    assumptions.push_back(
        {{"predicate", arith::to_string(assumption.predicate)}, {"message", assumption.message}});
  }
  return {{"inputs", std::move(inputs)},           {"outputs", std::move(outputs)},
          {"temporaries", std::move(temporaries)}, {"kernels", std::move(kernels)},
          {"steps", steps_json(plan, plan.steps)}, {"assumptions", std::move(assumptions)}};
}

}  // namespace hoist::cli
