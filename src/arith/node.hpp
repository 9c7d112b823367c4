#pragma once
// Private to arith: what a node holds beside its public part, and how nodes are interned.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "arith/expr.hpp"

namespace hoist::arith {

/// Values at a few fixed choices of all variables. One negative sample refutes what would take long to fail
/// to prove. Choices outside a variable's range, divisions by zero and overflows are left out.
struct Samples {
  static constexpr std::size_t count = 4;
  std::array<std::int64_t, count> values{};
  std::array<bool, count> valid{};
};

struct Interned;

/// What the existence of a value of some variable implies: its range is not empty, so this atom (a size, as a
/// rule) is at least this much. An index in [0, N - 2) implies N >= 3.
struct Implied {
  const Interned* atom;
  std::int64_t least;
};

/// Every node is one of these. The extra members are what the simplifier asks all the time.
struct Interned : Node {
  /// value == coefficient * monomial, where the monomial has no constant factor; null for a Constant, the
  /// node itself unless it is a Product with a constant.
  const Interned* monomial = nullptr;
  std::int64_t coefficient = 1;
  /// One bit for each variable inside, by its hash: a clear bit proves absence.
  std::uint64_t variable_mask = 0;
  /// Operators that it prints with, saturating.
  std::uint32_t operations = 0;
  /// Replacing a variable by its bound, or a division by its dividend, lowers it: elimination ends.
  std::uint16_t level = 0;
  /// Number of factors of the monomial; 0 for a constant.
  std::uint16_t degree = 1;
  /// Nesting depth of the arena that owns it.
  std::uint16_t depth = 0;
  /// A factor or term is a Quotient, Remainder or ExactQuotient, so sums with it may merge.
  bool has_division = false;
  /// An index or run-time variable is inside.
  bool has_index = false;
  /// A constant, or a variable whose range has one value, such as the index of a loop that runs once.
  bool is_fixed = false;
  /// A variable inside implies more of others than they imply themselves.
  bool has_implications = false;
  std::span<const Implied> implied;  ///< of a variable
  Samples samples;
};

inline const Interned* interned(Expr e) { return static_cast<const Interned*>(e.get()); }
inline const Interned* interned(const Node* node) { return static_cast<const Interned*>(node); }

/// The node with these operands, made if it does not exist yet; no rule is applied.
Expr intern(Kind kind, std::span<const Expr> operands);
Expr intern(Kind kind, Expr first, Expr second);
Expr intern_conditional(const Predicate& predicate, Expr then_value, Expr else_value);
/// coefficient * monomial, where the monomial is neither constant nor has a constant factor.
Expr intern_term(std::int64_t coefficient, const Interned* monomial);
/// The constant that a new node's facts pin it to, else the node.
inline Expr fold_if_fixed(Expr e) {
  const Facts& facts = e->facts;
  if (facts.minimum && facts.minimum == facts.maximum) return Expr(*facts.minimum);
  return e;
}

/// Non-constant factors: of a monomial its atoms, of anything else itself.
inline std::span<const Expr> factors_of(const Interned* monomial, const Expr& self) {
  return monomial->kind == Kind::Product ? monomial->operands : std::span<const Expr>(&self, 1);
}

/// True while a WithoutSimplification lives on this thread.
bool is_raw();
/// Simplifies inside a WithoutSimplification: comparisons still need canonical differences.
class Simplifying {
 public:
  Simplifying();
  ~Simplifying();
  Simplifying(const Simplifying&) = delete;
  Simplifying& operator=(const Simplifying&) = delete;

 private:
  bool previous_;
};

/// The canonical form of an expression that was made without simplification.
Expr rebuild(Expr e);

/// What a memo entry remembers.
enum class Question : std::uint8_t { Quotient, Remainder, Minimum, Maximum, IsNonnegative, LessEqual };

/// The innermost arena's memo: results of expensive operations on pairs of nodes. Entries may be forgotten,
/// and while something is assumed nothing is recalled or remembered.
Expr recall(Question question, const Node* first, const Node* second);
void remember(Question question, const Node* first, const Node* second, Expr result);

/// Counts how often a search gave up for lack of budget. A result found meanwhile depends on the budget left,
/// so it must not be remembered.
std::uint64_t& surrenders();

/// Three-way canonical comparison; does not depend on addresses.
int compare_canonically(Expr a, Expr b);

}  // namespace hoist::arith
