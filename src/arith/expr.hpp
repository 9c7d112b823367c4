#pragma once
// Symbolic integer expressions for sizes and indices. Immutable, interned and always in canonical form: two
// expressions that were simplified to the same form are the same pointer. Division and remainder mean what C
// means (truncation towards zero; the remainder has the dividend's sign).
//
// Expressions live in the calling thread's current Arena (see arena.hpp) and must not outlive it.
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hoist::arith {

enum class Kind : std::uint8_t {
  Constant,
  Variable,
  Sum,              ///< two or more terms, ordered, like terms collected, the constant last
  Product,          ///< two or more factors, ordered, the constant first
  Quotient,         ///< C's a / b
  Remainder,        ///< C's a % b
  ExactQuotient,    ///< a / b where b is known to divide a
  CeilingQuotient,  ///< a / b rounded up; a >= 0, b >= 1
  Power,            ///< a ** b; b >= 0
  Minimum,
  Maximum,
  Conditional,  ///< predicate ? a : b
};

enum class VariableKind : std::uint8_t {
  Size,       ///< a natural number >= 1, bound at a call; identity is its name
  Parameter,  ///< a tuning parameter ?t, a natural number >= 1; identity is its name
  Launched,   ///< ?t@16: a number >= 1 that kernels learn when they are launched; identity is name and value
  Index,      ///< takes start, start+step, ... while < stop; identity is its own
  Data,       ///< an integer that is only known when the program runs; identity is its own
};

/// Whether it is a number >= 1 of which no more is known.
inline bool is_natural(VariableKind kind) {
  return kind != VariableKind::Index && kind != VariableKind::Data;
}

struct Node;
/// The interned node of a constant.
const Node* constant_node(std::int64_t value);

/// A handle: one pointer, compared by identity. Default-constructed it is empty.
class Expr {
 public:
  Expr() = default;
  template <std::integral Integer>
  Expr(Integer constant)  // NOLINT: integers are expressions
      : node_(constant_node(static_cast<std::int64_t>(constant))) {}
  explicit Expr(const Node* node) : node_(node) {}
  const Node* operator->() const { return node_; }
  const Node* get() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Expr& other) const { return node_ == other.node_; }

  Kind kind() const;
  /// The value, where the expression is a constant.
  std::optional<std::int64_t> constant() const;
  bool is_constant(std::int64_t value) const { return constant() == value; }

 private:
  const Node* node_ = nullptr;
};

enum class Relation : std::uint8_t { Less, LessEqual, Equal, NotEqual };

/// A comparison of two expressions, for guards and conditionals.
struct Predicate {
  Relation relation = Relation::Less;
  Expr left, right;
  bool operator==(const Predicate&) const = default;
};

/// What is known of an expression's value for every value of its variables. Missing bounds are unknown.
struct Facts {
  std::optional<std::int64_t> minimum, maximum;
  /// value % modulus == remainder in mathematics (0 <= remainder < modulus); modulus 1 says nothing, modulus
  /// 0 says the value is exactly `remainder`.
  std::int64_t modulus = 1;
  std::int64_t remainder = 0;
};

/// One node; made only by the functions below.
struct Node {
  Kind kind;
  VariableKind variable_kind{};  ///< Variable
  bool has_variables = false;
  std::uint32_t id = 0;            ///< Variable: unique in its arena. Others: order of creation
  std::int64_t value = 0;          ///< Constant, or a variable of kind Launched
  std::size_t hash = 0;            ///< structural: the same in every arena and run
  std::span<const Expr> operands;  ///< all but Constant and Variable; Conditional: {then, else}
  Facts facts;
  std::string name;        ///< Variable
  Expr start, stop, step;  ///< Variable of kind Index or Data; empty where unknown
  Predicate predicate;     ///< Conditional
};

inline Kind Expr::kind() const { return node_->kind; }
inline std::optional<std::int64_t> Expr::constant() const {
  if (node_->kind != Kind::Constant) return std::nullopt;
  return node_->value;
}

// ---- Making expressions. Each returns the canonical form.
Expr constant(std::int64_t value);
/// The size or parameter of this name; the same name gives the same variable. A name that begins with $ is
/// one of Hoist's own, and prints as the letter after it.
Expr size(std::string_view name);
// Argument-dependent lookup would prefer std::size for a std::string.
inline Expr size(const std::string& name) { return size(std::string_view(name)); }
inline Expr size(const char* name) { return size(std::string_view(name)); }
Expr parameter(std::string_view name);
/// The number `value`, which is not used for anything before the launch of a kernel: what is made of it holds
/// for any number >= 1.
Expr launched(std::string_view name, std::int64_t value);
/// A fresh index variable that takes start, start+step, ... while < stop (an empty `stop` is unknown).
Expr index(std::string_view name, Expr start, Expr stop, Expr step = 1);
/// A fresh run-time integer with minimum <= value < stop where known (either may be empty).
Expr data(std::string_view name, Expr minimum = {}, Expr stop = {});

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);  ///< C's quotient
Expr operator%(Expr a, Expr b);  ///< C's remainder
Expr exact_quotient(Expr a, Expr b);
Expr ceiling_quotient(Expr a, Expr b);
Expr power(Expr base, Expr exponent);
Expr minimum(Expr a, Expr b);
Expr maximum(Expr a, Expr b);
Expr conditional(const Predicate& predicate, Expr then_value, Expr else_value);
/// Any n-ary sum or product at once: cheaper than folding.
Expr sum(std::span<const Expr> terms);
Expr product(std::span<const Expr> factors);

// ---- Asking. Unknown means unknown: never read it as No.
enum class Truth : std::uint8_t { No, Yes, Unknown };
Truth holds(const Predicate& predicate);
Truth less(Expr a, Expr b);
Truth less_equal(Expr a, Expr b);
Truth equal(Expr a, Expr b);
Truth divides(Expr divisor, Expr dividend);
inline bool is_less(Expr a, Expr b) { return less(a, b) == Truth::Yes; }
inline bool is_less_equal(Expr a, Expr b) { return less_equal(a, b) == Truth::Yes; }
inline bool is_divisor(Expr divisor, Expr dividend) { return divides(divisor, dividend) == Truth::Yes; }
Predicate negation(const Predicate& predicate);
/// Symbolic bounds that hold for every value of the index variables (sizes may remain); empty where unknown.
Expr lower_bound(Expr e);
Expr upper_bound(Expr e);  ///< inclusive

// ---- Using.
using Substitution = std::unordered_map<const Node*, Expr>;
Expr substitute(Expr e, const Substitution& replacements);
Predicate substitute(const Predicate& predicate, const Substitution& replacements);
/// The value of `variable` for which `left == right`, where that equation is linear in it and the solution is
/// an integer for every value of the others; else empty.
Expr solve(Expr left, Expr right, Expr variable);
/// Values of variables by node; nullopt for an unbound variable, a division by zero or an overflow.
using Bindings = std::unordered_map<const Node*, std::int64_t>;
std::optional<std::int64_t> evaluate(Expr e, const Bindings& bindings);
std::optional<bool> evaluate(const Predicate& predicate, const Bindings& bindings);
/// The value of what is made of constants, and of numbers that kernels learn at their launch.
inline std::optional<std::int64_t> known_value(Expr e) {
  return e->has_variables ? evaluate(e, {}) : e.constant();
}
/// Every variable in `e`, each once, in order of first occurrence (those in ranges of variables are not).
std::vector<Expr> variables(Expr e);
bool contains(Expr e, Expr variable);
/// An upper bound of the number of operators an expression prints with: a measure of index complexity.
int operation_count(Expr e);

/// Text in the language's syntax, with C's precedence and fewest parentheses.
std::string to_string(Expr e);
std::string to_string(const Predicate& predicate);
/// A total order that does not depend on addresses (for canonical forms and repeatable output).
bool canonical_less(Expr a, Expr b);

}  // namespace hoist::arith

template <>
struct std::hash<hoist::arith::Expr> {
  std::size_t operator()(hoist::arith::Expr e) const noexcept { return std::hash<const void*>()(e.get()); }
};
