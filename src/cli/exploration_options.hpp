#pragma once
// The options that bound what is explored, of every command that explores.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "variants/explore.hpp"

namespace hoist::cli {

struct ExplorationBounds {
  std::vector<std::string> bounds;  ///< NAME=LEAST:MOST as they were given
  variants::DerivationBounds derivations;
  std::string space;  ///< empty where not given
};
void add_exploration_options(CLI::App& command, ExplorationBounds& bounds);
/// Which set of variants the options name; else the usual one.
variants::SpaceKind space_kind(const ExplorationBounds& bounds, variants::SpaceKind usual);
/// Throws Failure: a text that is no bound.
variants::ParameterBounds read_bounds(const std::vector<std::string>& texts);

}  // namespace hoist::cli
