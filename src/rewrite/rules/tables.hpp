#pragma once
// The tables of rules, one file a subject.
#include <span>
#include <string_view>

#include "rewrite/rule.hpp"

namespace hoist::rewrite {

struct RuleTable {
  std::string_view subject;
  std::span<const RuleText> rules;
};
std::span<const RuleTable> rule_tables();

std::span<const RuleText> fusion_rules();
std::span<const RuleText> fission_rules();
std::span<const RuleText> split_rules();
std::span<const RuleText> interchange_rules();
std::span<const RuleText> reduction_rules();
std::span<const RuleText> simplification_rules();
std::span<const RuleText> movement_rules();
std::span<const RuleText> stencil_rules();
std::span<const RuleText> vector_rules();
std::span<const RuleText> mapping_rules();
std::span<const RuleText> memory_rules();

}  // namespace hoist::rewrite
