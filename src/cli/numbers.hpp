#pragma once
// What options take that are numbers. CLI11's own validators of this kind tell the greatest number that there
// is.
#include <CLI/CLI.hpp>

namespace hoist::cli {

CLI::Validator above_zero();
CLI::Validator not_below_zero();

}  // namespace hoist::cli
