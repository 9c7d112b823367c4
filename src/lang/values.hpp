#pragma once
// What names stand for while a program is elaborated.
//
// Functions are second class: a function is an expression with the environment it was written in, and each
// use elaborates its body again, on the argument types at hand. So definitions are polymorphic without type
// variables, and terms hold no function but lambdas.
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/term.hpp"
#include "lang/syntax.hpp"

namespace hoist::lang {

struct Argument;
struct Function;

/// One use of a definition; the chain of uses that led to a piece of text.
struct Expansion {
  const syntax::Definition* definition;
  bool is_prelude;
  Span use;                ///< in the text of `outer`
  const Expansion* outer;  ///< null: the use is in a definition that is elaborated for itself
};

/// A piece of text: the span belongs to the prelude when the expansion is of one of its definitions.
struct Location {
  Span span;
  const Expansion* expansion = nullptr;
};

struct Binding {
  std::string_view name;
  Argument* value;
  const Binding* next;
};
struct Environment {
  const Binding* bindings = nullptr;
  const Expansion* expansion = nullptr;

  Argument* find(std::string_view name) const {
    for (const Binding* binding = bindings; binding != nullptr; binding = binding->next) {
      if (binding->name == name) return binding->value;
    }
    return nullptr;
  }
  Location place(Span span) const { return {span, expansion}; }
};

/// Where values that several places share are bound by a let: around an application, a lambda's body, a
/// branch. What is bound there in the end is decided when the whole is known: a value that is used once, or
/// costs nothing, needs no let.
struct Anchor {
  struct Shared {
    ir::Term variable;
    ir::Term value;
  };
  std::vector<Shared> shared;
};

/// What a name is bound to, or what a function is given: an expression that is elaborated as what its use
/// asks for, a value, a size or a function; or a term or size that is already known.
struct Argument {
  const syntax::Expression* expression = nullptr;
  Environment environment = {};
  Anchor* anchor = nullptr;    ///< where its value is bound
  std::string_view name = {};  ///< the parameter, once it has one
  bool has_failed = false;     ///< the error is reported
  // Known, or remembered after the first use:
  ir::Term term = {};
  arith::Expr size = {};
  const Function* function = nullptr;
  mutable std::optional<bool> is_untyped = {};           ///< whether it is computed of literals alone
  std::map<std::optional<Scalar>, ir::Term> terms = {};  ///< then its term where that type is expected
};
using Arguments = std::vector<Argument*>;

/// A lambda and what the names in it stand for.
struct Closure {
  const syntax::Lambda* lambda;
  Environment environment;
};
/// A definition, with its first arguments.
struct PartialDefinition {
  const syntax::Definition* definition;
  bool is_prelude;
  Arguments given;
};
struct PartialPrimitive {
  ir::Op op;
  Arguments given;
};
struct PartialScalar {
  ScalarOp op;
  Arguments given;
};
struct Conversion {
  Scalar to;
};
struct Identity {};
/// First one, then the other.
struct Composition {
  const Function* first;
  const Function* second;
};
/// toLocal(f): the result of f kept in an address space.
struct Kept {
  ir::Op op;
  const Function* function;
};
/// f on vectors.
struct Vectorized {
  arith::Expr width;
  const Function* function;
};
/// f with claims about it.
struct Claimed {
  ir::OperatorClaims claims;  ///< its neutral element is made when its type is known
  Argument* neutral;          ///< null where none is claimed
  const Function* function;
};

struct Function {
  std::variant<Closure, PartialDefinition, PartialPrimitive, PartialScalar, Conversion, Identity, Composition,
               Kept, Vectorized, Claimed>
      kind;
  Location place;  ///< where it is written

  template <class T>
  const T* as() const {
    return std::get_if<T>(&kind);
  }
};

}  // namespace hoist::lang
