#include "runtime/host/instruction_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace hoist::runtime::host {

namespace {

bool has_feature(const Processor& processor, std::string_view feature) {
  return (" " + processor.features + " ").find(fmt::format(" {} ", feature)) != std::string::npos;
}

/// The features that the set needs and the processor does not list.
std::vector<std::string_view> missing_features(const Processor& processor,
                                               const target::InstructionSet& set) {
  std::vector<std::string_view> missing;
  for (const target::Extension& each : set.extensions) {
    if (!has_feature(processor, each.feature)) missing.push_back(each.feature);
  }
  return missing;
}

/// "sse4.2, avx2 and native".
std::string present_sets(const Processor& processor) {
  std::string present;
  for (const target::InstructionSet& each : target::instruction_sets()) {
    if (missing_features(processor, each).empty())
      present += fmt::format("{}{}", present.empty() ? "" : ", ", each.name);
  }
  return fmt::format("{}{}{}", present, present.empty() ? "" : " and ", target::native_instruction_set);
}

}  // namespace

Result<const target::InstructionSet*> instruction_set_of(const Processor& processor,
                                                         const std::string& name) {
  if (name.empty() || name == target::native_instruction_set) return nullptr;
  const target::InstructionSet* set = target::instruction_set_named(name);
  if (set == nullptr)
    return user_error(fmt::format("there is no instruction set '{}'", name), {},
                      fmt::format("--isa and {} take {}", instruction_set_variable,
                                  fmt::join(target::names_of_instruction_sets(), ", ")));
  const auto missing = missing_features(processor, *set);
  if (missing.empty()) return set;
  return device_error(
      fmt::format("this processor, {}, cannot run {}", processor.name, name),
      fmt::format("it lacks {}", fmt::join(missing, ", ")),
      fmt::format("it has {}; hoist compile and hoist export need no processor", present_sets(processor)));
}

std::vector<target::Extension> present_extensions(const Processor& processor) {
  std::vector<target::Extension> present;
  const auto is_known = [&](const target::Extension& extension) {
    return std::ranges::find(present, extension.flag, &target::Extension::flag) != present.end();
  };
  for (const target::InstructionSet& set : target::instruction_sets()) {
    for (const target::Extension& each : set.extensions) {
      if (has_feature(processor, each.feature) && !is_known(each)) present.push_back(each);
    }
  }
  return present;
}

Result<const target::InstructionSet*> chosen_instruction_set() {
  const char* name = std::getenv(instruction_set_variable);
  return instruction_set_of(this_processor(), name ? name : "");
}

Result<void> choose_instruction_set(const std::string& name) {
  auto set = instruction_set_of(this_processor(), name);
  if (!set) return tl::unexpected(std::move(set.error()));
  setenv(instruction_set_variable, name.c_str(), 1);
  return {};
}

}  // namespace hoist::runtime::host
