#pragma once
// Rules: equations between terms, as data. rules/README.md states each; `hoist rules` lists them.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite/condition.hpp"
#include "rewrite/context.hpp"
#include "rewrite/pattern.hpp"

namespace hoist::rewrite {

/// Whether a rule may change how floats are rounded. Integers are always exact.
enum class Floats : std::uint8_t { Exact, Reassociates };

/// What cannot be said by a pattern: the replacement of a term, or a reason.
using RuleFunction = Outcome (*)(ir::Term term, Context& context);

/// One row of a table of rules.
struct RuleText {
  std::string_view name;
  std::string_view law;         ///< "left ==> right"; with a function it is only for people
  std::string_view given = {};  ///< shapes of metavariables: "x: [n][t]_"
  std::string_view when = {};   ///< see condition.hpp
  Floats floats = Floats::Exact;
  RuleFunction function = nullptr;
};

struct Rule {
  std::string name, subject;
  std::string equation;  ///< in one line, with its declarations and conditions
  Floats floats = Floats::Exact;
  Law law;
  std::vector<Condition> conditions;
  std::vector<std::string>
      chooses;  ///< sizes of the right side that the left does not bind: tuning parameters
  RuleFunction function = nullptr;  ///< instead of the law
};

/// Reads and validates a rule: everything on its right is bound on its left or chosen, and both sides have
/// one type for arguments of any type (see pattern_types.hpp). Throws Failure saying what is wrong.
Rule read_rule(const RuleText& text, std::string_view subject);

/// Rewrites the term itself (not what is inside), and adds to the context's trace.
Outcome apply(const Rule& rule, ir::Term term, Context& context);

/// All rules, by subject; read once.
const std::vector<Rule>& all_rules();
/// Null if there is none of this name.
const Rule* rule_named(std::string_view name);
/// The rule of a name that a strategy of Hoist itself uses; a Bug if there is none.
const Rule& known_rule(std::string_view name);

}  // namespace hoist::rewrite
