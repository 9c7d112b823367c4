// Construction of terms: each function checks its types, so an ill-typed term cannot exist.
//
// `scalar_call_type` types operations on scalars and vectors; calls of primitives are typed by their schemes
// (scheme.hpp), but for iterate with a length of its own. After the types are right, `intern` makes the node
// or finds the one that is there.
#include "ir/term.hpp"

#include <algorithm>

#include "base/need.hpp"
#include "ir/arena_data.hpp"
#include "ir/iterate.hpp"
#include "ir/scheme.hpp"

namespace hoist::ir {

namespace {

bool is_number(Type type) { return is_scalar(type) || is_vector(type); }

/// As the language writes it: it has no operators on bits.
std::string shown(ScalarOp op) {
  const ScalarOpInfo& row = info(op);
  return std::string(row.symbol.empty() || row.domain == ScalarOpInfo::Domain::Integer ? row.name
                                                                                       : row.symbol);
}

/// The type of a scalar operation on these operands.
Type scalar_call_type(ScalarOp op, const std::vector<Term>& arguments) {
  const ScalarOpInfo& row = info(op);
  if (arguments.size() != static_cast<std::size_t>(row.arity)) {
    throw_user(shown(op) + " takes " + std::to_string(row.arity) + " operands, but is given " +
               std::to_string(arguments.size()));
  }
  std::size_t first = op == ScalarOp::Select ? 1 : 0;
  arith::Expr width;
  for (Term argument : arguments) {
    Type type = argument.type();
    if (!is_number(type)) {
      throw_user(shown(op) + " works on scalars and vectors, but is given " + to_string(type), {},
                 is_array(type) ? "apply it to every element with map" : "");
    }
    if (!is_vector(type)) continue;
    if (width && arith::equal(width, type->size) != arith::Truth::Yes) {
      throw_user(shown(op) + ": the vectors have " + arith::to_string(width) + " and " +
                 arith::to_string(type->size) + " components; they must be equally wide");
    }
    width = type->size;
  }
  Scalar scalar = arguments[first].type()->scalar;
  for (std::size_t i = first; i < arguments.size(); ++i) {
    Scalar other = arguments[i].type()->scalar;
    if (other != scalar) {
      throw_user(shown(op) + ": the left operand is " + std::string(name_of(scalar)) + ", the right " +
                     std::string(name_of(other)),
                 {}, "convert one: " + std::string(name_of(scalar)) + "(...)");
    }
  }
  if (first == 1 && arguments[0].type()->scalar != Scalar::Bool) {
    throw_user("select: the condition must be bool, but it is " + to_string(arguments[0].type()));
  }
  using Domain = ScalarOpInfo::Domain;
  bool fits = true;
  const char* wanted = "";
  switch (row.domain) {
    case Domain::Numeric:
      fits = scalar != Scalar::Bool;
      wanted = "numbers";
      break;
    case Domain::Float:
      fits = is_float(scalar);
      wanted = "f32 or f64";
      break;
    case Domain::Integer:
      fits = is_integer(scalar);
      wanted = "integers";
      break;
    case Domain::Boolean:
      fits = scalar == Scalar::Bool;
      wanted = "bool";
      break;
    case Domain::Any:
      break;
  }
  if (!fits) throw_user(shown(op) + " works on " + wanted + ", but is given " + std::string(name_of(scalar)));
  Scalar result = row.gives_bool ? Scalar::Bool : scalar;
  return width ? vector_type(result, width) : scalar_type(result);
}

/// iterate's function with its length `from` called `to`.
Term rename_length(Term function, arith::Expr from, arith::Expr to) {
  if (is_length_outside(function, from)) {
    throw_user(
        "iterate: its function takes arrays of " + arith::to_string(from) +
            " elements, but is given an array of another length",
        "the function uses arrays of this length from outside, so it cannot be the length of each step");
  }
  return substitute_sizes(function, {{from.get(), to}});
}

/// iterate's function with a name of its own for its length, where the array it is given happens to have the
/// same one: that happens where the function was taken from an iterate that is around this one.
Term with_own_length(Term function, Type start) {
  const auto* lambda = function.as<Lambda>();
  const bool has_same = lambda != nullptr && lambda->parameters.size() == 1 &&
                        is_array(lambda->parameters[0]) && lambda->parameters[0]->size == start->size;
  if (!has_same || canonical_length(function, start->size) != start->size) return function;
  return rename_length(function, start->size, fresh_length());
}

/// Iterate binds a length of its own, which `typing` found out, under its canonical name.
Term iterate(CallTyping& typing, Type type, std::vector<Term> arguments) {
  std::vector<arith::Expr> sizes = typing.static_arguments();
  CallFacts facts{typing.has_assumptions(), false};
  if (!is_array(type)) {
    sizes.resize(1);
    sizes.emplace_back(1);
  } else if (sizes[1] != arguments[1].type()->size) {
    const arith::Expr canonical = canonical_length(arguments[0], sizes[1]);
    if (sizes[1] != canonical) arguments[0] = rename_length(arguments[0], sizes[1], canonical);
    sizes[1] = canonical;
    facts.binds_length = true;
  }
  return intern(Call{Op::Iterate, std::move(sizes), std::move(arguments)}, type, facts);
}

/// A constant index must be inside.
void check_index(Op op, Term index, Type array) {
  const auto* constant = index.as<Literal>();
  if (constant == nullptr) return;
  const std::int64_t value = constant->value.integer;
  const auto length = array->size.constant();
  if (value >= 0 && (!length || value < *length)) return;
  throw_user(std::string(primitive(op).name) + ": the index " + std::to_string(value) +
             " is outside an array of " + arith::to_string(array->size) + " elements");
}

}  // namespace

Term literal(const ScalarValue& value) { return intern(Literal{value}, scalar_type(value.type)); }

Term bound(std::uint32_t index, Type type) { return intern(Bound{index}, type); }

Term fresh(Type type, std::string name) { return intern(Free{next_free()++, std::move(name)}, type); }

Term size_value(arith::Expr size) { return intern(SizeValue{size}, scalar_type(Scalar::I32)); }

Term call(Op op, std::vector<arith::Expr> sizes, std::vector<Term> arguments) {
  CallTyping typing(op, arguments.size());
  const std::vector<SchemeArgument>& wanted = typing.arguments();
  const auto statics = static_cast<std::size_t>(std::count_if(
      wanted.begin(), wanted.end(), [](const SchemeArgument& argument) { return argument.is_static(); }));
  const bool is_iterate = op == Op::Iterate;
  const bool fits = sizes.size() == statics || (is_iterate && sizes.size() == statics + 1);
  if (!fits || arguments.size() != wanted.size() - statics) {
    throw Bug("wrong number of arguments for " + std::string(primitive(op).name));
  }
  if (is_iterate && is_array(arguments[1].type()))
    arguments[0] = with_own_length(arguments[0], arguments[1].type());

  for (std::size_t i = 0; i < statics; ++i) typing.give_static(i, sizes[i]);
  for (const bool is_function : {false, true}) {
    for (std::size_t i = statics; i < wanted.size(); ++i) {
      if ((wanted[i].kind == ArgumentKind::Function) != is_function) continue;
      const Type type = arguments[i - statics].type();
      need(is_function ? typing.give_function(i, type) : typing.give_data(i, type));
    }
  }
  const Type type = need(typing.result());
  if (op == Op::At || op == Op::Update) check_index(op, arguments[0], arguments.back().type());
  if (is_iterate) return iterate(typing, type, std::move(arguments));
  return intern(Call{op, std::move(sizes), std::move(arguments)}, type, {typing.has_assumptions(), false});
}

Term scalar_call(ScalarOp op, std::vector<Term> arguments) {
  Type type = scalar_call_type(op, arguments);
  return intern(ScalarCall{op, std::move(arguments)}, type);
}

Term cast(Scalar to, Term operand) {
  Type type = operand.type();
  if (!is_number(type)) {
    throw_user(std::string(name_of(to)) + "(...) converts scalars and vectors, but is given " +
               to_string(type));
  }
  return intern(Cast{to, operand}, is_vector(type) ? vector_type(to, type->size) : scalar_type(to));
}

Term tuple(std::vector<Term> components) {
  if (components.size() < 2) throw_user("a tuple has two components or more");
  std::vector<Type> types;
  for (Term component : components) types.push_back(component.type());
  const Type type = tuple_type(std::move(types));
  return intern(Tuple{std::move(components)}, type);
}

Term get(std::uint32_t index, Term tuple_term) {
  Type type = tuple_term.type();
  if (!is_tuple(type))
    throw_user("." + std::to_string(index) + " takes a component of a tuple, but this is " + to_string(type));
  if (index >= type->elements.size()) {
    throw_user("." + std::to_string(index) + ": the tuple " + to_string(type) + " has only " +
               std::to_string(type->elements.size()) + " components");
  }
  if (auto* made = tuple_term.as<Tuple>()) return made->components[index];
  return intern(Get{index, tuple_term}, type->elements[index]);
}

Term let(Term value, Term body_lambda) {
  auto* function = body_lambda.as<Lambda>();
  if (!function || function->parameters.size() != 1)
    throw Bug("the body of let must be a lambda of one parameter");
  if (!is_equal(function->parameters[0], value.type())) {
    throw_user("let: the value is " + to_string(value.type()) + ", but its use takes " +
               to_string(function->parameters[0]));
  }
  return intern(Let{value, body_lambda}, function->body.type());
}

Term if_then_else(Term condition, Term then_term, Term else_term) {
  if (condition.type() != scalar_type(Scalar::Bool)) {
    throw_user("if: the condition must be bool, but it is " + to_string(condition.type()));
  }
  if (!is_equal(then_term.type(), else_term.type())) {
    throw_user("if: one branch is " + to_string(then_term.type()) + ", the other " +
               to_string(else_term.type()) + "; they must be one type");
  }
  if (is_function(then_term.type())) throw_user("if: the branches must be data, not functions");
  return intern(If{condition, then_term, else_term}, then_term.type());
}

namespace {

/// A neutral element has no binders around it: nothing that it might use is in scope where it is needed.
void check_neutral(Term neutral, const std::vector<Type>& parameters, Type result) {
  if (neutral->has_free || neutral->loose > 0) {
    throw_user("neutral: the neutral element of an operator is a constant, and this depends on variables");
  }
  const bool fits = parameters.size() == 2 && is_equal(parameters[0], neutral.type()) &&
                    is_equal(parameters[1], neutral.type()) && is_equal(result, neutral.type());
  if (fits) return;
  std::string taken;
  for (Type each : parameters) taken += (taken.empty() ? "" : ", ") + to_string(each);
  throw_user("neutral: the element is " + to_string(neutral.type()) + ", and the operator makes " +
                 to_string(result) + " of " + taken,
             "a neutral element e has f(e, x) = x = f(x, e), so all three have one type");
}

}  // namespace

Term raw_lambda(std::vector<Type> parameters, Term body, std::vector<std::string> names,
                OperatorClaims claims) {
  if (is_function(body.type())) throw_user("a function must give data, not a function");
  if (claims.neutral) check_neutral(claims.neutral, parameters, body.type());
  Type type = function_type(parameters, body.type());
  names.resize(parameters.size());
  return intern(Lambda{std::move(parameters), body, claims, std::move(names)}, type);
}

Term lambda(const std::vector<Type>& types, const std::function<Term(const std::vector<Term>&)>& body,
            std::vector<std::string> names, OperatorClaims claims) {
  names.resize(types.size());
  std::vector<Term> parameters;
  for (std::size_t i = 0; i < types.size(); ++i) {
    parameters.push_back(fresh(types[i], names[i].empty() ? std::string("x") : names[i]));
  }
  return lambda(parameters, body(parameters), claims);
}

Type Program::result() const { return function.as<Lambda>()->body.type(); }

}  // namespace hoist::ir
