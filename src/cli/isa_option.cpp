#include "cli/isa_option.hpp"

#include <fmt/format.h>

#include "base/need.hpp"
#include "cli/output.hpp"
#include "runtime/devices.hpp"
#include "runtime/host/instruction_set.hpp"
#include "target/kinds.hpp"
#include "target/restricted.hpp"

namespace hoist::cli {

namespace {

[[noreturn]] void refuse_other_device(const std::string& device) {
  throw_user(fmt::format("--isa is for the device host, and {} is another", device), {},
             "the instructions of other devices are their drivers' to choose");
}

}  // namespace

void add_isa_option(CLI::App& command, std::string& name) {
  command
      .add_option(
          "--isa", name,
          fmt::format("The instructions that kernels of device host may use: {} (default, unless {} in the "
                      "environment names another)",
                      alternatives(target::names_of_instruction_sets()),
                      runtime::host::instruction_set_variable))
      ->check(CLI::IsMember(target::names_of_instruction_sets()))
      ->option_text("NAME");
}

void choose_isa(const std::string& name, const std::vector<std::string>& devices) {
  if (name.empty()) return;
  for (const std::string& each : devices.empty() ? std::vector{runtime::default_device()} : devices) {
    const auto id = target::device_id(each);
    if (id && id->language != target::Language::Host) refuse_other_device(each);
  }
  need(runtime::host::choose_instruction_set(name));
}

target::Target restricted_to_isa(target::Target target, const std::string& name) {
  if (name.empty()) return target;
  if (target.language != target::Language::Host)
    refuse_other_device(std::string(target::name_of(target.language)));
  const target::InstructionSet* set = target::instruction_set_named(name);
  return set == nullptr ? target : with_instruction_set(std::move(target), *set);
}

}  // namespace hoist::cli
