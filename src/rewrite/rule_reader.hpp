#pragma once
// Rules from the text of their tables.
#include <string_view>

#include "rewrite/rule.hpp"

namespace hoist::rewrite {

/// Reads and validates a rule: everything on its right is bound on its left or chosen, and both sides have
/// one type for arguments of any type (see pattern_types.hpp). Throws Failure saying what is wrong.
Rule read_rule(const RuleText& text, std::string_view subject);

}  // namespace hoist::rewrite
