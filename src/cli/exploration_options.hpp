#pragma once
// The options that bound what is explored, of every command that explores.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "tune/explore.hpp"

namespace hoist::cli {

struct ExplorationBounds {
  std::vector<std::string> bounds;  ///< NAME=LEAST:MOST as they were given
  tune::DerivationBounds derivations;
};
void add_exploration_options(CLI::App& command, ExplorationBounds& bounds);
/// Throws Failure: a text that is no bound.
tune::ParameterBounds read_bounds(const std::vector<std::string>& texts);

}  // namespace hoist::cli
