#pragma once
// Random well-typed terms over given free variables, the same for the same seed.
#include <random>

#include "support.hpp"

namespace hoist::ir {

class RandomTerms {
 public:
  explicit RandomTerms(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return random_() % count; }

  /// Of this type, over `variables`; deeper means larger.
  Term term(Type type, std::vector<Term> variables, int depth) {
    std::vector<Term> fitting;
    for (Term variable : variables) {
      if (variable.type() == type) fitting.push_back(variable);
    }
    if (!fitting.empty() && (depth <= 0 || below(5) == 0)) return fitting[below(fitting.size())];
    if (depth > 0 && below(6) == 0) return let_term(type, variables, depth);
    if (depth > 0 && below(8) == 0) {
      const Term condition = term(bool_type(), variables, depth - 1);
      return if_then_else(condition, term(type, variables, depth - 1), term(type, variables, depth - 1));
    }
    switch (type->kind) {
      case TypeKind::Scalar:
        return scalar(type, variables, depth);
      case TypeKind::Tuple: {
        std::vector<Term> components;
        for (Type each : type->elements) components.push_back(term(each, variables, depth - 1));
        return tuple(components);
      }
      case TypeKind::Array:
        return array_term(type, variables, depth);
      default:
        throw Bug("no random terms of this type");
    }
  }

  /// A data type over the sizes N and M.
  Type type() {
    const std::vector<Type> scalars{f32_type(), i32_type(), bool_type()};
    const Type scalar = scalars[below(scalars.size())];
    switch (below(4)) {
      case 0:
        return scalar;
      case 1:
        return array_type(length(), scalar);
      case 2:
        return array_type(length(), array_type(length(), scalar));
      default:
        return tuple_type({scalar, array_type(length(), f32_type())});
    }
  }

 private:
  arith::Expr length() {
    const std::vector<arith::Expr> lengths{arith::size("N"), arith::size("M"), 4 * arith::size("N"), 6};
    return lengths[below(lengths.size())];
  }

  Term let_term(Type type, std::vector<Term> variables, int depth) {
    const Term value = term(this->type(), variables, depth - 2);
    const Term x = fresh(value.type(), "x");
    variables.push_back(x);
    return let(value, lambda(std::vector<Term>{x}, term(type, variables, depth - 1)));
  }

  Term function_of(Type parameter, Type result, std::vector<Term> variables, int depth) {
    const Term x = fresh(parameter, "x");
    variables.push_back(x);
    return lambda(std::vector<Term>{x}, term(result, variables, depth));
  }

  Term scalar(Type type, const std::vector<Term>& variables, int depth) {
    const Scalar of = type->scalar;
    if (depth > 0) {
      switch (below(5)) {
        case 0: {
          const Term x = term(array_type(length(), type), variables, depth - 2);
          return call(Op::At, {}, {integer(0), x});
        }
        case 1: {
          if (of == Scalar::Bool) break;
          const Term x = term(array_type(length(), type), variables, depth - 2);
          return call(Op::Reduce, {}, {addition(type), scalar(type, variables, depth - 2), x});
        }
        case 2:
          return get(static_cast<std::uint32_t>(below(1)),
                     term(tuple_type({type, f32_type()}), variables, depth - 1));
        default:
          break;
      }
      if (of == Scalar::Bool) {
        return scalar_call(ScalarOp::Less,
                           {term(f32_type(), variables, depth - 1), term(f32_type(), variables, depth - 1)});
      }
      if (below(4) == 0)
        return cast(of, term(of == Scalar::F32 ? i32_type() : f32_type(), variables, depth - 1));
      const ScalarOp op = below(2) == 0 ? ScalarOp::Add : ScalarOp::Multiply;
      return scalar_call(op, {term(type, variables, depth - 1), term(type, variables, depth - 1)});
    }
    if (of == Scalar::Bool) return truth(below(2) == 0);
    if (of == Scalar::F32) return real(static_cast<double>(below(4)));
    return below(3) == 0 ? size_value(length()) : integer(static_cast<std::int64_t>(below(4)));
  }

  Term array_term(Type type, const std::vector<Term>& variables, int depth) {
    const Type element = element_of(type);
    const arith::Expr n = type->size;
    if (depth > 0) {
      switch (below(5)) {
        case 0:
          return join(split(n, term(type, variables, depth - 1)));
        case 1: {
          const Type from = below(2) == 0 ? f32_type() : i32_type();
          const Term f = function_of(from, element, variables, depth - 2);
          return map(f, term(array_type(n, from), variables, depth - 1));
        }
        case 2: {
          const arith::Expr k = arith::size("k");
          const Term v = fresh(array_type(k, element), "v");
          std::vector<Term> inside = variables;
          inside.push_back(v);
          const Term body = map(function_of(element, element, inside, depth - 2), v);
          return call(Op::Iterate, {3},
                      {lambda(std::vector<Term>{v}, body), term(type, variables, depth - 1)});
        }
        case 3: {
          const Term twice =
              call(Op::Concat, {}, {term(type, variables, depth - 1), term(type, variables, depth - 1)});
          return call(Op::Take, {n}, {twice});
        }
        default:
          break;
      }
    }
    return call(Op::Generate, {n}, {function_of(i32_type(), element, variables, depth - 1)});
  }

  std::mt19937_64 random_;
};

}  // namespace hoist::ir
