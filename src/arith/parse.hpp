#pragma once
// Reads an expression from text, for `hoist dev simplify` and for tests.
#include <string>
#include <vector>

#include "arith/expr.hpp"
#include "base/error.hpp"

namespace hoist::arith {

/// Names that an expression's text may use.
struct Scope {
  std::unordered_map<std::string, Expr> names;

  /// Declares a size >= 1.
  void declare_size(const std::string& name);
  /// Declares an index variable from "i in [0,M)" or "i in [0,M,2)" (start, stop, step).
  Result<void> declare_index(const std::string& text);
};

/// Parses + - * / % ** parentheses, `a ? b : c` with comparisons, min(a,b), max(a,b), ceildiv(a,b),
/// exactdiv(a,b) in C's precedence (`**` binds tightest, to the right). The result is in canonical form.
Result<Expr> parse(const std::string& text, const Scope& scope);

}  // namespace hoist::arith
