#pragma once
// The language as editors see it.
#include <nlohmann/json.hpp>

#include "cli/output.hpp"

namespace hoist::cli {

/// A grammar in TextMate's form, which Visual Studio Code and others highlight texts by, with every name that
/// the compiler's tables have.
Json textmate_grammar();

}  // namespace hoist::cli
