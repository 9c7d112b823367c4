#pragma once
// Terms: programs as compositions of patterns. Immutable, interned (equality is a pointer compare) and typed
// when made: an ill-typed term cannot exist. They live in the thread's current ir::Arena.
//
// Bound variables are de Bruijn indices (0 is the last parameter of the innermost lambda). To work under a
// binder, `open` a lambda with fresh Free variables, rewrite, and close with `lambda` (the locally nameless
// style).
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "ir/primitive.hpp"
#include "ir/type.hpp"

namespace hoist::ir {

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
};
inline Type Term::type() const { return node_->type; }
template <class T>
inline const T* Term::as() const {
  return std::get_if<T>(&node_->node);
}

// ---- Making terms. Each throws Failure (User) with a message that names the primitive and the types when
// ill-typed.
Term literal(const ScalarValue& value);
Term bound(std::uint32_t index, Type type);
/// A fresh free variable.
Term fresh(Type type, std::string name);
Term size_value(arith::Expr size);
Term call(Op op, std::vector<arith::Expr> sizes, std::vector<Term> arguments);
Term scalar_call(ScalarOp op, std::vector<Term> arguments);
Term cast(Scalar to, Term operand);
Term tuple(std::vector<Term> components);
Term get(std::uint32_t index, Term tuple);
Term let(Term value, Term body_lambda);
Term if_then_else(Term condition, Term then_term, Term else_term);
/// Binds the Free variables `parameters` in `body`.
Term lambda(const std::vector<Term>& parameters, Term body, OperatorClaims claims = {});
/// The same from a C++ function on fresh variables.
Term lambda(const std::vector<Type>& types, const std::function<Term(const std::vector<Term>&)>& body,
            std::vector<std::string> names = {}, OperatorClaims claims = {});
/// Directly, when `body` already holds the de Bruijn indices.
Term raw_lambda(std::vector<Type> parameters, Term body, std::vector<std::string> names = {},
                OperatorClaims claims = {});

// ---- Taking terms apart and rebuilding.
/// The body of a lambda with its parameters replaced by `arguments` (beta reduction). Their types are equal
/// up to sizes that are proven equal.
Term apply(Term lambda, const std::vector<Term>& arguments);
/// The immediate subterms in order (a Lambda's body holds loose indices: open it to look inside).
std::vector<Term> children(Term term);
/// The same node over other children; types are computed and checked again.
Term with_children(Term term, const std::vector<Term>& children);
/// Replaces Free variables by terms, everywhere.
Term substitute_free(Term term, const std::vector<std::pair<Term, Term>>& replacements);
/// Replaces sizes (and parameters ?t) everywhere in terms and types, but for lengths that iterate binds. What
/// becomes ill-typed is the user's error.
Term substitute_sizes(Term term, const arith::Substitution& sizes);
/// Raises loose indices >= cutoff by `amount`.
Term shift(Term term, std::int32_t amount, std::uint32_t cutoff = 0);
/// How many times the de Bruijn variable `index` occurs in `term`.
std::size_t occurrences(Term term, std::uint32_t index);

/// What a term assumes of its sizes and could not prove: "split(4): 4 must divide N".
struct SizeAssumption {
  arith::Predicate predicate;
  std::string message;
};
/// Each once. Those of iterate's function on its length are stated for the length in every step; where the
/// number of steps is no constant, for the first and the last.
std::vector<SizeAssumption> size_assumptions(Term term);
/// Tuning parameters ?t that occur in the term.
std::vector<arith::Expr> open_parameters(Term term);

struct ParameterDeclaration {
  std::string name;
  Type type;
};
/// A whole program: a closed lambda of its inputs.
struct Program {
  std::string name;
  std::vector<ParameterDeclaration> parameters;
  std::vector<arith::Expr> sizes;  ///< size variables in order of first mention
  Term function;                   ///< a Lambda of the parameters
  Type result() const;
};

/// Owns interned types and terms, and the arithmetic in them (it opens an arith::Arena too). Nests like
/// scopes; terms of an enclosing arena may be used inside.
struct ArenaData;
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

 private:
  std::unique_ptr<ArenaData> data_;
  ArenaData* previous_;
};

}  // namespace hoist::ir

template <>
struct std::hash<hoist::ir::Term> {
  std::size_t operator()(hoist::ir::Term t) const noexcept { return std::hash<const void*>()(t.get()); }
};
template <>
struct std::hash<hoist::ir::Type> {
  std::size_t operator()(hoist::ir::Type t) const noexcept { return std::hash<const void*>()(t.get()); }
};
