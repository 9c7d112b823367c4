#pragma once
// What the tests of types and terms share.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ir/print.hpp"
#include "ir/scheme.hpp"
#include "ir/term.hpp"

namespace hoist::ir {

inline Type f32_type() { return scalar_type(Scalar::F32); }
inline Type i32_type() { return scalar_type(Scalar::I32); }
inline Type bool_type() { return scalar_type(Scalar::Bool); }
inline Type array(std::vector<arith::Expr> sizes, Type element = f32_type()) {
  return array_type(sizes, element);
}
inline Type vector(std::int64_t width, Scalar scalar = Scalar::F32) { return vector_type(scalar, width); }
inline Term real(double value, Scalar scalar = Scalar::F32) {
  return literal(ScalarValue::of_real(scalar, value));
}
inline Term integer(std::int64_t value, Scalar scalar = Scalar::I32) {
  return literal(ScalarValue::of_integer(scalar, value));
}
inline Term truth(bool value) { return literal(ScalarValue::of_bool(value)); }
inline Term add(Term a, Term b) { return scalar_call(ScalarOp::Add, {a, b}); }
inline Term multiply(Term a, Term b) { return scalar_call(ScalarOp::Multiply, {a, b}); }

inline Term function(Type parameter, const std::function<Term(Term)>& body) {
  return lambda(std::vector<Type>{parameter}, [&](const std::vector<Term>& p) { return body(p[0]); });
}
inline Term function(Type first, Type second, const std::function<Term(Term, Term)>& body) {
  return lambda(std::vector<Type>{first, second},
                [&](const std::vector<Term>& p) { return body(p[0], p[1]); });
}
inline Term identity(Type type) {
  return function(type, [](Term x) { return x; });
}
/// x => x + 1 on floats.
inline Term increment() {
  return function(f32_type(), [](Term x) { return add(x, real(1)); });
}
inline Term addition(Type type = f32_type()) { return function(type, type, add); }
inline Term map(Term f, Term x) { return call(Op::Map, {}, {f, x}); }
inline Term split(arith::Expr size, Term x) { return call(Op::Split, {size}, {x}); }
inline Term join(Term x) { return call(Op::Join, {}, {x}); }

/// The type of a term, "[N]f32".
inline std::string type_of(Term term) { return to_string(term.type()); }

/// The message of the user's error that `make` throws; empty if it throws none.
inline std::string error_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().kind, ErrorKind::User);
    return failure.error().diagnostics.at(0).message;
  }
  return {};
}
/// Its help: what to do.
inline std::string help_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const Failure& failure) {
    return failure.error().diagnostics.at(0).help;
  }
  return {};
}

/// Every test in an arena of its own.
class InArena : public testing::Test {
 protected:
  Arena arena_;
  arith::Expr N = arith::size("N"), M = arith::size("M"), K = arith::size("K");
};

}  // namespace hoist::ir
