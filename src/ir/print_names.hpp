#pragma once
// Names that a term's text gives to its variables.
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/term.hpp"

namespace hoist::ir {

/// What stands for a bound variable: its name, or those of its components when it is only used in parts.
struct PrintedName {
  std::string text;
  std::vector<PrintedName> components;
};
/// "x" or "(a, (b, _))".
std::string pattern(const PrintedName& name);

/// A component that nothing uses.
inline constexpr std::string_view unused_name = "_";

/// How far a variable of this type, the de Bruijn index `index` in `body`, can be taken apart; the names are
/// still empty, but for unused components.
PrintedName parts_used(Type type, Term body, std::uint32_t index);

/// Words of the language that no variable may be named.
bool is_reserved(std::string_view name);
bool is_identifier(std::string_view name);
/// The parts between underscores: a variable made for a tuple pattern is called a_b.
std::vector<std::string> split_name(std::string_view name);

/// Sizes that occur anywhere in a term or its types: no variable may take their names.
class SizeNames {
 public:
  void add(Term term);
  void add(Type type);
  bool contains(const std::string& name) const { return names_.contains(name); }

 private:
  void add(arith::Expr size);

  std::unordered_set<std::string> names_;
  std::unordered_set<const TypeNode*> types_;
  std::unordered_set<const TermNode*> terms_;
};

}  // namespace hoist::ir
