#pragma once
// Text to syntax tree.
#include <memory>
#include <string_view>

#include "lang/diagnostics.hpp"
#include "lang/syntax.hpp"

namespace hoist::lang {

/// Parses a whole text, which must outlive the result. After an error reading goes on at the next `def`.
std::unique_ptr<syntax::File> parse(std::string_view text, Diagnostics& diagnostics);

}  // namespace hoist::lang
