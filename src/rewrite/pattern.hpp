#pragma once
// Patterns: the two sides of a rule. A pattern is written in Hoist's own language, where names that nothing
// defines are metavariables:
//
//   x |> map(f)                            f stands for any function, x for any data
//   x |> map(row => row |> map(e => f(e, row)))    an applied metavariable may use those bound variables
//   x |> split(t)                          t stands for any size; ?t on a right side is a size to choose
//
// A metavariable that stands alone never depends on variables that the pattern binds: in `map(a => map(f, y),
// x)` neither f nor y mentions `a`. That is how a rule says that something is independent of a variable. A
// name that occurs twice stands for the same thing twice.
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "ir/term.hpp"

namespace hoist::rewrite {

struct Metavariable {
  enum class Kind : std::uint8_t { Data, Function, Size } kind = Kind::Data;
  std::string name;
  std::uint32_t parameters = 0;  ///< of a Function
  bool is_chosen = false;        ///< a Size ?t of the right side
  bool is_repeated = false;      ///< Data that the right side computes more often than the left
};

/// A size in a pattern.
struct SizePattern {
  enum class Kind : std::uint8_t {
    Constant,
    Metavariable,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ExactDivide,
    CeilingDivide,
    Minimum,
    Maximum
  } kind = Kind::Constant;
  std::int64_t value = 0;          ///< Constant
  std::uint32_t metavariable = 0;  ///< index
  std::vector<SizePattern> operands;
};

/// What a metavariable's type must look like: `x: [n][4]_`.
struct TypeShape {
  enum class Kind : std::uint8_t { Any, Array } kind = Kind::Any;
  std::vector<SizePattern> size;    ///< Array: its length, or none for `_`
  std::vector<TypeShape> elements;  ///< Array: one
};

struct Pattern {
  enum class Kind : std::uint8_t {
    Data,       ///< metavariable
    Variable,   ///< bound by the pattern: `index` counts binders' parameters from the outermost
    Apply,      ///< a function metavariable on `children`
    Function,   ///< a function metavariable where a function is wanted
    Vectorize,  ///< vectorize(sizes[0], children[0]) where a function is wanted; right sides only
    Lambda,     ///< of `parameters`; its body is children[0]
    Call,
    Scalar,
    Tuple,
    Get,
    Let,  ///< children: the value, a Lambda
    SizeValue,
  } kind = Kind::Data;
  std::uint32_t index = 0;  ///< Data, Apply, Function: the metavariable. Variable. Get: the component
  std::uint32_t parameters = 0;
  ir::Op op{};
  ScalarOp scalar{};
  std::vector<SizePattern> sizes;
  std::vector<std::string> names;  ///< Lambda: of its parameters, for printing
  std::vector<Pattern> children;
};

/// What metavariables stand for, by index. Terms and functions are valid where the whole pattern matched.
struct Bindings {
  std::vector<ir::Term> terms;
  std::vector<arith::Expr> sizes;
};

/// Both sides of a rule and what else it says, read from text.
struct Law {
  std::vector<Metavariable> metavariables;
  Pattern left, right;
  struct Given {
    std::uint32_t metavariable;
    TypeShape shape;
  };
  std::vector<Given> given;

  /// The metavariable of this name; null if there is none.
  const Metavariable* find(std::string_view name) const;
};

/// Reads "left ==> right" and declarations "x: [n]_, y: [n]_". User error: text that is no pattern.
Result<Law> read_law(std::string_view law, std::string_view given);

/// Whether the term is an instance of the left side; sets what the metavariables stand for.
bool match(const Law& law, ir::Term term, Bindings& bindings);
/// The right side; data that it would compute more often than the left side, and that costs something, is
/// bound by a `let` around it. Throws Failure when it is ill-typed, or when a function cannot be vectorised.
ir::Term instantiate(const Law& law, const Bindings& bindings);
/// Any pattern of the law, under no binder.
ir::Term instantiate(const Law& law, const Pattern& pattern, const Bindings& bindings);
/// The value of a size; empty where a metavariable has none.
arith::Expr size_of(const SizePattern& size, const Bindings& bindings);

}  // namespace hoist::rewrite
