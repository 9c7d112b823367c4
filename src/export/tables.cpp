#include "export/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hoist::exporting {

using execute::LaunchPlan;
using execute::StreamedPlan;

std::vector<LaunchPlan::Task> steps_of(const StreamedPlan& plan) {
  std::vector<LaunchPlan::Task> steps;
  for (const LaunchPlan::Task& task : plan.launch.tasks) {
    if (!std::holds_alternative<LaunchPlan::Upload>(task.node) &&
        !std::holds_alternative<LaunchPlan::Download>(task.node))
      steps.push_back(task);
  }
  return steps;
}

bool is_loop(const LaunchPlan::Task& step) { return std::holds_alternative<LaunchPlan::Repeat>(step.node); }

static void add_rounds(const std::vector<LaunchPlan::Task>& steps, std::vector<std::size_t>& scalars) {
  for (const LaunchPlan::Task& step : steps) {
    const auto* repeat = std::get_if<LaunchPlan::Repeat>(&step.node);
    if (!repeat) continue;
    if (repeat->number) scalars.push_back(*repeat->number);
    add_rounds(repeat->test, scalars);
    add_rounds(repeat->body, scalars);
  }
}

std::vector<std::size_t> rounds_of(const StreamedPlan& plan) {
  std::vector<std::size_t> scalars;
  add_rounds(plan.launch.tasks, scalars);
  return scalars;
}

bool is_empty(const runtime::Range& range) { return std::ranges::count(range.global, std::size_t{0}) > 0; }

std::string items_text(const runtime::Range& range) {
  return fmt::format("{}, {}, {}", range.global[0], range.global[1], range.global[2]);
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& each : items) text += (text.empty() ? "" : ", ") + each;
  return text;
}

std::string table(const std::string& type, const std::string& name, std::vector<std::string> items,
                  const std::string& nothing) {
  if (items.empty()) items.push_back(nothing);
  std::string text = fmt::format("static const {}{}[] = {{", type, name);
  std::size_t width = 200;
  for (const std::string& each : items) {
    if (width + each.size() > 120) {
      text += "\n   ";
      width = 3;
    }
    text += " " + each + ",";
    width += each.size() + 2;
  }
  return text + "\n};\n";
}

}  // namespace hoist::exporting
