#pragma once
// The rules that there are.
#include <string_view>
#include <vector>

#include "rewrite/rule.hpp"

namespace hoist::rewrite {

/// All rules, by subject; read once.
const std::vector<Rule>& all_rules();
/// Null if there is none of this name.
const Rule* rule_named(std::string_view name);
/// The rule of a name that a strategy of Hoist itself uses; a Bug if there is none.
const Rule& known_rule(std::string_view name);

}  // namespace hoist::rewrite
