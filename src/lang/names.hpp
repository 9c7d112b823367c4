#pragma once
// What a name means that no parameter or let binds.
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/scalar.hpp"
#include "ir/primitive.hpp"
#include "lang/diagnostics.hpp"
#include "lang/syntax.hpp"

namespace hoist::lang {

/// Names of the language that are neither primitives nor scalar functions.
enum class Word : std::uint8_t {
  Identity,
  Associative,
  Commutative,
  Vectorize,
  Size,           ///< size(N + 1): a size expression as one i32 value
  CeilingDivide,  ///< in sizes
  ExactDivide,    ///< in sizes
  Neutral,
  Clamp,
  Mirror,
  Wrap,
  Reflect,
};
/// What pad puts around an array, for the words that say it.
std::optional<ir::Boundary> boundary_named(Word word);

using Global = std::variant<std::monostate, const syntax::Definition*, ir::Op, ScalarOp, Scalar, Word>;

/// The definitions of a file over those of the prelude over the built-in names.
class Globals {
 public:
  Globals(const syntax::File& prelude, const syntax::File& file);
  /// Inside the prelude a file's definitions are not seen.
  Global find(std::string_view name, bool in_prelude) const;
  bool is_prelude(const syntax::Definition* definition) const {
    return prelude_definitions_.contains(definition);
  }
  /// "did you mean 'split'?" for the known name (of these or of `local`) that is nearest, or empty.
  std::string suggestion(std::string_view name, const std::vector<std::string_view>& local) const;
  /// Definitions that call themselves; they are reported and never expanded.
  bool is_recursive(const syntax::Definition* definition) const { return recursive_.contains(definition); }
  void mark_recursive(const syntax::Definition* definition) { recursive_.insert(definition); }

 private:
  std::unordered_map<std::string_view, const syntax::Definition*> prelude_, file_;
  std::unordered_set<const syntax::Definition*> prelude_definitions_, recursive_;
};

/// The built-in meaning of a name.
Global builtin_named(std::string_view name);

/// Names in a size expression that stand for sizes, in order, each once.
void collect_size_names(const syntax::Expression& expression, std::vector<std::string_view>& names);
/// The same of all sizes in a type.
void collect_size_names(const syntax::Type& type, std::vector<std::string_view>& names);
/// The names that a pattern binds.
void collect_bound_names(const syntax::Pattern& pattern, std::vector<std::string_view>& names);

/// Reports names that nothing defines, definitions with one name, parameters with one name and recursion.
void resolve(const syntax::File& file, Globals& globals, Diagnostics& diagnostics);

}  // namespace hoist::lang
