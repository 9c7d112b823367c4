#pragma once
// The syntax tree of a file. Nodes live in their File and refer to its text.
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/scalar.hpp"
#include "base/span.hpp"

namespace hoist::lang::syntax {

struct Expression;
struct Type;
struct Pattern;

struct Number {
  std::string_view digits;  ///< with its sign, without its suffix
  bool is_real;             ///< has a point, an exponent, or is inf or nan
  std::optional<Scalar> suffix;
};
struct Boolean {
  bool value;
};
struct Name {
  std::string_view name;
};
/// ?name: a tuning parameter. ?name@16: a number that kernels learn when they are launched.
struct Hole {
  std::string_view name;
  std::string_view digits = {};  ///< of that number; empty where there is none
};
/// An operator that stands for its function: `reduce(+, 0.0)`.
struct Operator {
  ScalarOp op;
};
struct Lambda {
  std::vector<const Pattern*> parameters;
  const Expression* body;
};
struct Let {
  const Pattern* pattern;
  const Expression* value;
  const Expression* body;
};
struct If {
  const Expression* condition;
  const Expression* then_expression;
  const Expression* else_expression;
};
/// argument |> function
struct Pipe {
  const Expression* argument;
  const Expression* function;
};
/// first >> second: functions one after the other, or the shift of an integer
struct Compose {
  const Expression* first;
  const Expression* second;
};
struct Binary {
  ScalarOp op;  ///< Power for `**`
  const Expression* left;
  const Expression* right;
};
struct Unary {
  ScalarOp op;  ///< Negate, Not or BitNot
  const Expression* operand;
};
struct Apply {
  const Expression* callee;
  std::vector<const Expression*> arguments;
};
struct Index {
  const Expression* array;
  const Expression* index;
};
struct Get {
  const Expression* tuple;
  std::uint32_t position;
};
struct Tuple {
  std::vector<const Expression*> components;
};

/// [a, b, c]
struct Array {
  std::vector<const Expression*> elements;
};

struct Expression {
  std::variant<Number, Boolean, Name, Hole, Operator, Lambda, Let, If, Pipe, Compose, Binary, Unary, Apply,
               Index, Get, Tuple, Array>
      node;
  Span span;
  int depth = 1;  ///< of the tree below: limited, so that recursion over it is safe

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

/// What a type's text says; its size expressions are evaluated where it is used.
struct Type {
  enum class Kind {
    Scalar,
    Vector,
    Tuple,
    Array,
    Size,  ///< of a parameter that is a size
    Any,   ///< `_`: whatever is given
  } kind;
  Span span;
  hoist::Scalar scalar{};            ///< Scalar and Vector
  const Expression* size = nullptr;  ///< Array: its length. Vector: its width
  std::vector<const Type*> elements;
};

/// What a parameter or a let binds: a name, or a tuple of patterns.
struct Pattern {
  Span span;
  std::string_view name;                   ///< empty for a tuple
  std::vector<const Pattern*> components;  ///< of a tuple
  const Type* type = nullptr;              ///< null where it is not written
};

struct Definition {
  std::string_view name;
  Span name_span;
  Span span;
  std::string documentation;  ///< the comment lines directly above
  std::vector<const Pattern*> parameters;
  const Type* result = nullptr;
  const Expression* body = nullptr;
};

/// One file's definitions, in order; those with syntax errors are left out.
struct File {
  std::deque<Definition> definitions;
  std::deque<Expression> expressions;
  std::deque<Type> types;
  std::deque<Pattern> patterns;
};

}  // namespace hoist::lang::syntax
