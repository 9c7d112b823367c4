#include "cli/explored.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/arguments.hpp"
#include "cli/isa_option.hpp"
#include "cli/output.hpp"
#include "runtime/devices.hpp"
#include "target/kinds.hpp"
#include "variants/alternatives.hpp"

namespace hoist::cli {

namespace {

const target::Profile& profile_named(const std::string& name) {
  if (const target::Profile* profile = target::profile_named(name)) return *profile;
  throw_user(fmt::format("there is no profile '{}'", name), {},
             "the profiles are " + conjunction(target::names_of_profiles()));
}

}  // namespace

void add_space_options(CLI::App& command, SpaceOptions& options, LoweringOptions& lowering) {
  add_program_options(command, options.program,
                      "Sizes: N=1024; tuning parameters that are chosen already: t=16");
  command
      .add_option("--profile", options.profile,
                  alternatives(target::names_of_profiles()) + "; otherwise the device's, or gpu")
      ->option_text("NAME");
  command
      .add_option(
          "--device", options.device,
          "The device whose limits candidates must fit; otherwise work-groups may have 32 to 1024 work-items "
          "and 48 KiB of local memory")
      ->option_text("ID");
  add_isa_option(command, options.isa);
  add_exploration_options(command, options.exploration);
  add_lowering_options(command, lowering);
}

SizedProgram sized_program(Session& session, const SpaceOptions& options, const LoweringOptions& lowering) {
  const ir::Program parsed = read_program(session, options.program);
  SizedProgram sized;
  sized.sizes = read_sizes(parsed, options.program.values);
  for (arith::Expr size : parsed.sizes) {
    const auto same = [&](const auto& given) { return given.first == size->name; };
    if (std::none_of(sized.sizes.begin(), sized.sizes.end(), same))
      throw_user(fmt::format("the size {} has no value", size->name), {},
                 fmt::format("give it one: {}=1024", size->name));
  }
  sized.program = need(driver::with_sizes(parsed, sized.sizes));
  sized.lowering = lowering_options(lowering, sized.program, sized.sizes);
  variants::ExplorationOptions& exploration = sized.exploration;
  if (!options.isa.empty() && options.device.empty())
    throw_user("--isa is for --device host", {}, "add --device host");
  choose_isa(options.isa, {options.device});
  exploration.target = target::usual_device(profile_named(options.profile.empty() ? "gpu" : options.profile));
  if (!options.device.empty()) {
    const target::Target device = need(runtime::describe_device(options.device));
    exploration.target =
        options.profile.empty() ? device : with_profile(device, profile_named(options.profile));
    sized.lowering = driver::options_for(device, sized.lowering);
  }
  exploration.looks_at_features = options.looks_at_features;
  exploration.bounds = read_bounds(options.exploration.bounds);
  exploration.derivations = options.exploration.derivations;
  exploration.space =
      space_kind(options.exploration,
                 options.names_candidates ? variants::SpaceKind::Both : variants::SpaceKind::Derived);
  return sized;
}

Explored explored(SizedProgram sized) {
  auto all = need(variants::explore(sized.program, sized.exploration));
  return {std::move(sized), std::move(all)};
}

variants::CandidateId id_of(const Explored& explored, const std::string& text) {
  const variants::CandidateId id = need(variants::candidate_id(text));
  if (!explored.space().contains(id)) {
    throw_user(fmt::format("this program has no candidate {} with these sizes", text),
               fmt::format("it has {} derivations", explored.space().derivations()),
               "an id holds for one program, its sizes, profile, device and bounds; hoist explore --sample "
               "prints some");
  }
  return id;
}

}  // namespace hoist::cli
