#pragma once
// A launch plan for readers: buffers, kernels and the steps of the host.
#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "driver/compile.hpp"
#include "execute/launch_plan.hpp"

namespace hoist::cli {

/// As comment lines, to stand below source text. With the numbers of `launch`, which are there when all sizes
/// are given, also which temporaries share memory.
std::string plan_text(const driver::Compiled& compiled, const std::optional<execute::LaunchPlan>& launch);
Json plan_json(const driver::Compiled& compiled, const std::optional<execute::LaunchPlan>& launch);
/// "64x4x1", or the expressions where sizes are open.
std::string launch_text(const std::array<arith::Expr, 3>& sizes);

}  // namespace hoist::cli
