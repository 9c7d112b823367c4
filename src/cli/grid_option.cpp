#include "cli/grid_option.hpp"

#include <fmt/format.h>

#include <charconv>

namespace hoist::cli {

std::optional<execute::PlaceGrid> parsed_grid(const std::string& text, std::size_t parts) {
  if (text.empty()) return std::nullopt;
  execute::PlaceGrid grid;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, grid.rows);
  const bool has_rows = rows.ec == std::errc() && rows.ptr != end && *rows.ptr == ',';
  const auto columns = has_rows ? std::from_chars(rows.ptr + 1, end, grid.columns) : rows;
  if (!has_rows || columns.ec != std::errc() || columns.ptr != end || grid.rows == 0 || grid.columns == 0)
    throw_user(fmt::format("'{}' is no grid", text), {},
               "give two numbers above 0, how many rows of parts and how many parts in each: --grid 2,3");
  // The product of numbers as large as these is not asked for.
  if (parts % grid.rows != 0 || parts / grid.rows != grid.columns)
    throw_user(fmt::format("--grid {} has not {} parts", text, parts), {},
               "give two numbers whose product is how many devices or ranks there are");
  return grid;
}

std::string grid_text(const std::optional<execute::PlaceGrid>& grid) {
  return grid ? fmt::format(" in a grid of {} by {}", grid->rows, grid->columns) : "";
}

}  // namespace hoist::cli
