#include "rewrite/rules/tables.hpp"

#include <array>

namespace hoist::rewrite {

std::span<const RuleTable> rule_tables() {
  static const std::array tables = {
      RuleTable{"fusion", fusion_rules()},
      RuleTable{"fission", fission_rules()},
      RuleTable{"split", split_rules()},
      RuleTable{"reduction", reduction_rules()},
      RuleTable{"interchange", interchange_rules()},
      RuleTable{"simplification", simplification_rules()},
      RuleTable{"movement", movement_rules()},
      RuleTable{"stencil", stencil_rules()},
      RuleTable{"vector", vector_rules()},
      RuleTable{"mapping", mapping_rules()},
      RuleTable{"memory", memory_rules()},
  };
  return tables;
}

}  // namespace hoist::rewrite
