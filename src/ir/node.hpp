#pragma once
// The nodes that types and terms are made of, as they lie in the thread's current ir::Arena: immutable and
// interned (equality is a pointer compare). They are made by the functions of type.hpp and term.hpp alone.
//
// Bound variables are de Bruijn indices (0 is the last parameter of the innermost lambda).
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "arith/expr.hpp"
#include "base/scalar.hpp"
#include "ir/primitive.hpp"

namespace hoist::ir {

enum class TypeKind : std::uint8_t { Scalar, Vector, Tuple, Array, Function };

struct TypeNode;
class Type {
 public:
  Type() = default;
  explicit Type(const TypeNode* node) : node_(node) {}
  const TypeNode* operator->() const { return node_; }
  const TypeNode* get() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Type&) const = default;

 private:
  const TypeNode* node_ = nullptr;
};

struct TypeNode {
  TypeKind kind;
  Scalar scalar{};             ///< Scalar and Vector
  arith::Expr size;            ///< Array: its length. Vector: its width
  std::vector<Type> elements;  ///< Tuple: components. Array: {element}. Function: parameters, then the result
  std::size_t hash = 0;        ///< structural
};

struct TermNode;
class Term {
 public:
  Term() = default;
  explicit Term(const TermNode* node) : node_(node) {}
  const TermNode* operator->() const { return node_; }
  const TermNode* get() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Term&) const = default;
  inline Type type() const;
  template <class T>
  inline const T* as() const;  ///< the node's alternative T, or null

 private:
  const TermNode* node_ = nullptr;
};

struct Literal {
  ScalarValue value;
};
struct Bound {
  std::uint32_t index;
};
/// A variable bound outside the term at hand; identity is `id`.
struct Free {
  std::uint64_t id;
  std::string name;  ///< a hint for printing, no part of the identity
};
/// A size expression used as an i32 value.
struct SizeValue {
  arith::Expr size;
};
/// What the writer vouches for of a reduction operator.
struct OperatorClaims {
  bool associative = false;
  bool commutative = false;
  Term neutral = {};  ///< f(neutral, x) is x, as is f(x, neutral); a constant, or empty where none is claimed
  bool operator==(const OperatorClaims&) const = default;
};
struct Lambda {
  std::vector<Type> parameters;
  Term body;
  OperatorClaims claims;
  std::vector<std::string> names;  ///< hints for printing, no part of the identity
};
/// A primitive of the table applied to all its arguments: its static arguments (sizes, dimensions, boundary)
/// in `sizes` and its data and function arguments in `arguments`, each in the order of its scheme.
/// iterate has one more size. On an array it is the length that its function is typed with: a variable that
/// is bound there ([k]a -> [k/2]a), or the start's own length where the function keeps it and is typed so;
/// `call` takes it from the function's type and gives the variable a canonical name. Else it is 1.
struct Call {
  Op op;
  std::vector<arith::Expr> sizes;
  std::vector<Term> arguments;
};
/// A scalar operation, componentwise on vectors; width-1 operands beside vectors are repeated.
struct ScalarCall {
  ScalarOp op;
  std::vector<Term> arguments;
};
struct Cast {
  Scalar to;
  Term operand;
};
struct Tuple {
  std::vector<Term> components;
};
struct Get {
  std::uint32_t index;
  Term tuple;
};
/// `body` is a lambda of one parameter.
struct Let {
  Term value;
  Term body;
};
struct If {
  Term condition, then_term, else_term;
};

struct TermNode {
  std::variant<Literal, Bound, Free, SizeValue, Lambda, Call, ScalarCall, Cast, Tuple, Get, Let, If> node;
  Type type;
  std::size_t hash = 0;     ///< structural
  std::uint32_t loose = 0;  ///< 1 + the largest de Bruijn index that points outside; 0 when closed
  bool has_free = false;
  std::uint64_t ops = 0;  ///< primitives that are called in it: bits by their numbers (op_bit)
};
inline Type Term::type() const { return node_->type; }
template <class T>
inline const T* Term::as() const {
  return std::get_if<T>(&node_->node);
}

}  // namespace hoist::ir

template <>
struct std::hash<hoist::ir::Term> {
  std::size_t operator()(hoist::ir::Term t) const noexcept { return std::hash<const void*>()(t.get()); }
};
template <>
struct std::hash<hoist::ir::Type> {
  std::size_t operator()(hoist::ir::Type t) const noexcept { return std::hash<const void*>()(t.get()); }
};
