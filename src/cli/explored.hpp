#pragma once
// What commands on variants share: a program with its sizes and a device, and all that it may become there.
#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "cli/exploration_options.hpp"
#include "cli/program_file.hpp"
#include "variants/explore.hpp"

namespace hoist::cli {

struct SpaceOptions {
  ProgramOptions program;
  std::string device, isa, profile;  ///< empty where not given
  ExplorationBounds exploration;
  bool looks_at_features = false;
  bool names_candidates = false;  ///< by ids, as a search prints them
};
void add_space_options(CLI::App& command, SpaceOptions& options, LoweringOptions& lowering);

/// A program with its sizes, for a device.
struct SizedProgram {
  ir::Program program;
  driver::NamedSizes sizes;
  lower::Options lowering;
  variants::ExplorationOptions exploration;  ///< with the target: where no device was named, a usual one
};
/// Throws Failure: a size without a value.
SizedProgram sized_program(Session& session, const SpaceOptions& options, const LoweringOptions& lowering);

struct Explored : SizedProgram {
  std::unique_ptr<const variants::Variants> all;

  const variants::Variants& space() const { return *all; }
  const target::Target& device() const { return exploration.target; }
};
Explored explored(SizedProgram sized);

/// Throws Failure: a text that is no id, or that of no candidate.
variants::CandidateId id_of(const Explored& explored, const std::string& text);

}  // namespace hoist::cli
