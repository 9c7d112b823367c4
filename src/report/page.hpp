#pragma once
// The HTML page of `hoist report`. The page itself is page.html, built from tools/report; here it gets its
// data.
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"

namespace hoist::report {

/// One self-contained page that shows `data`, which docs/report.md describes. Only `program.name` must be
/// there: whatever else is absent the page leaves out, and says so. Texts may hold anything, bytes that are
/// no UTF-8 too. User error: no object, or no name.
Result<std::string> page(const nlohmann::json& data);

}  // namespace hoist::report
