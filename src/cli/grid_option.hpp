#pragma once
// The option --grid: how devices or ranks lie beside each other where a program is cut along two dimensions.
#include <optional>
#include <string>

#include "execute/placed_plan.hpp"

namespace hoist::cli {

/// Nothing where the text is empty. Throws Failure where it is no grid of so many parts.
std::optional<execute::PlaceGrid> parsed_grid(const std::string& text, std::size_t parts);

/// " in a grid of 2 by 3", or nothing.
std::string grid_text(const std::optional<execute::PlaceGrid>& grid);

}  // namespace hoist::cli
