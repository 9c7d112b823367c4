// Construction of terms: each function checks its types, so an ill-typed term cannot exist.
#include "ir/term.hpp"

#include <algorithm>

#include "ir/arena_data.hpp"
#include "ir/scheme.hpp"

namespace hoist::ir {

namespace {

TermNode make(decltype(TermNode::node) node, Type type) {
  TermNode result;
  result.node = std::move(node);
  result.type = type;
  return result;
}

[[noreturn]] void rethrow(const Error& error) { throw Failure(error); }

bool is_number(Type type) { return is_scalar(type) || is_vector(type); }

std::string shown(ScalarOp op) {
  const ScalarOpInfo& row = info(op);
  return std::string(row.symbol.empty() ? row.name : row.symbol);
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
      throw_user(shown(op) + ": the vectors have " + arith::to_string(width) + " and " + arith::to_string(type->size) +
                 " components; they must be equally wide");
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
    case Domain::Any: break;
  }
  if (!fits) throw_user(shown(op) + " works on " + wanted + ", but is given " + std::string(name_of(scalar)));
  Scalar result = row.gives_bool ? Scalar::Bool : scalar;
  return width ? vector_type(result, width) : scalar_type(result);
}

/// How deeply iterates nest in a term: the number in the canonical name of an enclosing iterate's length.
int iterate_depth(Term term) {
  int depth = 0;
  for (Term child : children(term)) depth = std::max(depth, iterate_depth(child));
  auto* call = term.as<Call>();
  return depth + (call && call->op == Op::Iterate ? 1 : 0);
}

}  // namespace

Term literal(const ScalarValue& value) { return intern(make(Literal{value}, scalar_type(value.type))); }

Term bound(std::uint32_t index, Type type) { return intern(make(Bound{index}, type)); }

Term fresh(Type type, std::string name) {
  thread_local std::uint64_t next = 0;
  return intern(make(Free{next++, std::move(name)}, type));
}

Term size_value(arith::Expr size) { return intern(make(SizeValue{size}, scalar_type(Scalar::I32))); }

Term call(Op op, std::vector<arith::Expr> sizes, std::vector<Term> arguments) {
  CallTyping typing(op, arguments.size());
  const std::vector<SchemeArgument>& wanted = typing.arguments();
  std::size_t statics = 0, others = 0;
  for (const SchemeArgument& argument : wanted) argument.is_static() ? ++statics : ++others;
  bool is_iterate = op == Op::Iterate;
  if (others != arguments.size() || (sizes.size() != statics && !(is_iterate && sizes.size() == statics + 1))) {
    throw Bug("wrong number of arguments for " + std::string(primitive(op).name));
  }
  std::size_t next_static = 0, next = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].is_static()) {
      typing.give_static(i, sizes[next_static++]);
    } else if (wanted[i].kind != ArgumentKind::Function) {
      if (auto ok = typing.give_data(i, arguments[next++].type()); !ok) rethrow(ok.error());
    } else {
      ++next;
    }
  }
  next = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].is_static()) continue;
    if (wanted[i].kind == ArgumentKind::Function) {
      if (auto ok = typing.give_function(i, arguments[next].type()); !ok) rethrow(ok.error());
    }
    ++next;
  }
  auto type = typing.result();
  if (!type) rethrow(type.error());

  if (op == Op::At) {
    auto* index = arguments[0].as<Literal>();
    auto length = arguments[1].type()->size.constant();
    if (index && (index->value.integer < 0 || (length && index->value.integer >= *length))) {
      throw_user("at: the index " + std::to_string(index->value.integer) + " is outside an array of " +
                 arith::to_string(arguments[1].type()->size) + " elements");
    }
  }
  if (is_iterate) {
    sizes.resize(1);
    Type start = arguments[1].type();
    if (is_array(start)) {
      // The bound length gets a name that only depends on the term, so that equal terms are one.
      arith::Expr length = arguments[0].type()->elements[0]->size;
      arith::Expr canonical = arith::size("$k" + std::to_string(iterate_depth(arguments[0])));
      if (length != canonical && length.kind() == arith::Kind::Variable) {
        arguments[0] = substitute_sizes(arguments[0], {{length.get(), canonical}});
      }
      sizes.push_back(canonical);
    } else {
      sizes.push_back(arith::constant(1));
    }
  }
  return intern(make(Call{op, std::move(sizes), std::move(arguments)}, *type));
}

Term scalar_call(ScalarOp op, std::vector<Term> arguments) {
  Type type = scalar_call_type(op, arguments);
  return intern(make(ScalarCall{op, std::move(arguments)}, type));
}

Term cast(Scalar to, Term operand) {
  Type type = operand.type();
  if (!is_number(type)) {
    throw_user(std::string(name_of(to)) + "(...) converts scalars and vectors, but is given " + to_string(type));
  }
  return intern(make(Cast{to, operand}, is_vector(type) ? vector_type(to, type->size) : scalar_type(to)));
}

Term tuple(std::vector<Term> components) {
  if (components.size() < 2) throw_user("a tuple has two components or more");
  std::vector<Type> types;
  for (Term component : components) {
    if (is_function(component.type())) throw_user("a tuple cannot hold functions");
    types.push_back(component.type());
  }
  return intern(make(Tuple{std::move(components)}, tuple_type(std::move(types))));
}

Term get(std::uint32_t index, Term tuple_term) {
  Type type = tuple_term.type();
  if (!is_tuple(type)) throw_user("." + std::to_string(index) + " takes a component of a tuple, but this is " + to_string(type));
  if (index >= type->elements.size()) {
    throw_user("." + std::to_string(index) + ": the tuple " + to_string(type) + " has only " +
               std::to_string(type->elements.size()) + " components");
  }
  if (auto* made = tuple_term.as<Tuple>()) return made->components[index];
  return intern(make(Get{index, tuple_term}, type->elements[index]));
}

Term let(Term value, Term body_lambda) {
  auto* function = body_lambda.as<Lambda>();
  if (!function || function->parameters.size() != 1) throw Bug("the body of let must be a lambda of one parameter");
  if (function->parameters[0] != value.type()) {
    throw_user("let: the value is " + to_string(value.type()) + ", but its use takes " + to_string(function->parameters[0]));
  }
  return intern(make(Let{value, body_lambda}, function->body.type()));
}

Term if_then_else(Term condition, Term then_term, Term else_term) {
  if (condition.type() != scalar_type(Scalar::Bool)) {
    throw_user("if: the condition must be bool, but it is " + to_string(condition.type()));
  }
  if (then_term.type() != else_term.type()) {
    throw_user("if: one branch is " + to_string(then_term.type()) + ", the other " + to_string(else_term.type()) +
               "; they must be one type");
  }
  if (is_function(then_term.type())) throw_user("if: the branches must be data, not functions");
  return intern(make(If{condition, then_term, else_term}, then_term.type()));
}

Term raw_lambda(std::vector<Type> parameters, Term body, std::vector<std::string> names, OperatorClaims claims) {
  if (is_function(body.type())) throw_user("a function must give data, not a function");
  Type type = function_type(parameters, body.type());
  names.resize(parameters.size());
  return intern(make(Lambda{std::move(parameters), body, claims, std::move(names)}, type));
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
