#pragma once
// Terms: programs as compositions of patterns. Immutable, interned (equality is a pointer compare) and typed
// when made: an ill-typed term cannot exist. They live in the thread's current ir::Arena.
//
// Bound variables are de Bruijn indices (0 is the last parameter of the innermost lambda). To work under a
// binder, `open` a lambda with fresh Free variables, rewrite, and close with `lambda` (the locally nameless
// style).
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "ir/arena.hpp"
#include "ir/node.hpp"
#include "ir/size_assumption.hpp"
#include "ir/type.hpp"

namespace hoist::ir {

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

/// What the term assumes, each once. Assumptions of iterate's function on its length are stated for the
/// length in every step; where the number of steps is no constant, for the first and the last.
std::vector<SizeAssumption> size_assumptions(Term term);
/// Tuning parameters ?t that occur in the term.
std::vector<arith::Expr> open_parameters(Term term);
/// Numbers ?t@16 that kernels learn at their launch.
std::vector<arith::Expr> launched_numbers(Term term);

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

}  // namespace hoist::ir
