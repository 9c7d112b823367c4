#pragma once
// The parsed form of a primitive's scheme, for typing calls and the patterns of rules.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/scalar.hpp"
#include "ir/primitive.hpp"

namespace hoist::ir {

/// What kind of thing an argument position of a primitive takes.
enum class ArgumentKind : std::uint8_t {
  Size,       ///< a size expression
  Dimension,  ///< 0, 1 or 2
  Boundary,   ///< clamp, mirror or wrap
  Index,      ///< an integer scalar term
  Data,       ///< a term
  Function,   ///< a lambda
};
struct SchemeArgument {
  std::string name;
  ArgumentKind kind;
  bool is_static() const { return kind <= ArgumentKind::Boundary; }
};

/// A size expression of a scheme.
struct SizePattern {
  enum class Kind { Letter, Constant, Add, Subtract, Multiply, Divide, ExactDivide } kind;
  char letter = 0;
  std::int64_t value = 0;
  std::vector<SizePattern> operands;
};

/// A type of a scheme. A letter stands for any data type, but `s` for a scalar.
struct TypePattern {
  enum class Kind { Letter, Scalar, Vector, Array } kind;
  char letter = 0;                ///< Letter; Vector: its scalar's letter
  Scalar scalar{};                ///< Scalar
  std::vector<SizePattern> size;  ///< Array, Vector: one
  std::vector<TypePattern> elements;
};

struct FunctionPattern {
  std::vector<TypePattern> parameters;
  std::vector<TypePattern> result;  ///< one
};

/// "where 1 <= s and s divides n".
struct Condition {
  enum class Kind { Divides, AtMost } kind;
  SizePattern left, right;  ///< letters or constants
};

struct Scheme {
  std::vector<SchemeArgument> arguments;
  std::vector<TypePattern> data;           ///< by argument; unused where not data
  std::vector<FunctionPattern> functions;  ///< by argument; unused where not a function
  std::vector<TypePattern> result;         ///< one
  std::vector<Condition> conditions;
  bool is_special = false;  ///< zip, unzip, iterate: typed by code
};

/// Parsed once. A malformed row of the table is a Bug.
const Scheme& scheme_of(Op op);

}  // namespace hoist::ir
