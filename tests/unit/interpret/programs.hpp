#pragma once
// Building terms, data and programs for the interpreter's tests.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interpret/interpret.hpp"
#include "ir/term.hpp"

namespace hoist::interpret {

using ir::Op;
using ir::Term;
using ir::Type;

// ---- Data.

template <class Native>
Tensor tensor(Scalar scalar, std::vector<std::int64_t> shape, const std::vector<Native>& elements) {
  Tensor result{scalar, std::move(shape), {}};
  result.bytes.resize(elements.size() * sizeof(Native));
  if (!elements.empty()) std::memcpy(result.bytes.data(), elements.data(), result.bytes.size());
  return result;
}
inline Tensor f32(std::vector<std::int64_t> shape, const std::vector<float>& elements) {
  return tensor(Scalar::F32, std::move(shape), elements);
}
inline Tensor f64(std::vector<std::int64_t> shape, const std::vector<double>& elements) {
  return tensor(Scalar::F64, std::move(shape), elements);
}
inline Tensor i32(std::vector<std::int64_t> shape, const std::vector<std::int32_t>& elements) {
  return tensor(Scalar::I32, std::move(shape), elements);
}
/// 0, 1, 2, ... as i32.
inline Tensor counting(std::vector<std::int64_t> shape) {
  Tensor result{Scalar::I32, std::move(shape), {}};
  std::vector<std::int32_t> elements(static_cast<std::size_t>(result.elements()));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::int32_t>(i);
  return i32(result.shape, elements);
}
template <class Native>
std::vector<Native> elements(const Tensor& tensor) {
  std::vector<Native> result(tensor.bytes.size() / sizeof(Native));
  if (!result.empty()) std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

// ---- Types and terms.

inline Type f32_type() { return ir::scalar_type(Scalar::F32); }
inline Type i32_type() { return ir::scalar_type(Scalar::I32); }
inline Type f32_array(const std::vector<arith::Expr>& sizes) { return ir::array_type(sizes, f32_type()); }
inline Type i32_array(const std::vector<arith::Expr>& sizes) { return ir::array_type(sizes, i32_type()); }
inline Term number(std::int32_t value) { return ir::literal(ScalarValue::of_integer(Scalar::I32, value)); }
inline Term real(float value) { return ir::literal(ScalarValue::of_real(Scalar::F32, value)); }

inline Term operator+(Term a, Term b) { return ir::scalar_call(ScalarOp::Add, {a, b}); }
inline Term operator-(Term a, Term b) { return ir::scalar_call(ScalarOp::Subtract, {a, b}); }
inline Term operator*(Term a, Term b) { return ir::scalar_call(ScalarOp::Multiply, {a, b}); }
inline Term operator/(Term a, Term b) { return ir::scalar_call(ScalarOp::Divide, {a, b}); }

using Unary = std::function<Term(Term)>;
using Binary = std::function<Term(Term, Term)>;

inline Term function(Type parameter, const Unary& body) {
  return ir::lambda(std::vector<Type>{parameter}, [&](const std::vector<Term>& p) { return body(p[0]); });
}
inline Term function(Type first, Type second, const Binary& body) {
  return ir::lambda(std::vector<Type>{first, second},
                    [&](const std::vector<Term>& p) { return body(p[0], p[1]); });
}
/// A call of a primitive with a function of the array's elements: map and its kin.
inline Term map(const Unary& body, Term x, Op op = Op::Map, std::vector<arith::Expr> sizes = {}) {
  return ir::call(op, std::move(sizes), {function(ir::element_of(x.type()), body), x});
}
/// reduce and scan.
inline Term fold(Op op, const Binary& body, Term initial, Term x) {
  return ir::call(op, {}, {function(initial.type(), ir::element_of(x.type()), body), initial, x});
}
inline Term reduce(const Binary& body, Term initial, Term x) { return fold(Op::Reduce, body, initial, x); }
inline Term zip(std::vector<Term> arrays) { return ir::call(Op::Zip, {}, std::move(arrays)); }
inline Term layout(Op op, std::vector<arith::Expr> sizes, Term x) {
  return ir::call(op, std::move(sizes), {x});
}
inline Term pad(arith::Expr left, arith::Expr right, ir::Boundary boundary, Term x) {
  return ir::call(Op::Pad, {left, right, static_cast<std::int64_t>(boundary)}, {x});
}
inline Term at(Term index, Term x) { return ir::call(Op::At, {}, {index, x}); }
inline Term at(std::int32_t index, Term x) { return at(number(index), x); }
inline Term generate(arith::Expr size, const Unary& body) {
  return ir::call(Op::Generate, {size}, {function(i32_type(), body)});
}

// ---- Programs.

using Body = std::function<Term(const std::vector<Term>&)>;

/// A program of parameters a, b, c...; its sizes are named.
inline ir::Program program(const std::vector<Type>& types, const Body& body,
                           const std::vector<std::string>& sizes = {}) {
  ir::Program result;
  result.name = "test";
  for (std::size_t i = 0; i < types.size(); ++i) {
    result.parameters.push_back({std::string(1, static_cast<char>('a' + i)), types[i]});
  }
  for (const std::string& name : sizes) result.sizes.push_back(arith::size(name));
  result.function = ir::lambda(types, body);
  return result;
}

using Sizes = std::map<std::string, std::int64_t>;

inline arith::Bindings bindings(const Sizes& sizes) {
  arith::Bindings result;
  for (const auto& [name, value] : sizes) result[arith::size(name).get()] = value;
  return result;
}
inline std::vector<std::string> names(const Sizes& sizes) {
  std::vector<std::string> result;
  for (const auto& [name, value] : sizes) result.push_back(name);
  return result;
}

inline Result<Data> try_run(const std::vector<Type>& types, const Body& body, const std::vector<Data>& inputs,
                            const Sizes& sizes = {}) {
  return evaluate(program(types, body, names(sizes)), inputs, bindings(sizes));
}
/// The one leaf of the result.
inline Tensor run(const std::vector<Type>& types, const Body& body, const std::vector<Data>& inputs,
                  const Sizes& sizes = {}) {
  const auto result = try_run(types, body, inputs, sizes);
  if (!result) {
    ADD_FAILURE() << result.error().render();
    return {};
  }
  EXPECT_EQ(result->size(), 1U);
  return result->at(0);
}
inline std::string error_of(const std::vector<Type>& types, const Body& body, const std::vector<Data>& inputs,
                            const Sizes& sizes = {}) {
  const auto result = try_run(types, body, inputs, sizes);
  return result ? "no error" : result.error().render();
}

/// Every test has an arena of its own.
class InterpretTest : public testing::Test {
 private:
  ir::Arena arena_;
};

using Reals = std::vector<float>;
using Integers = std::vector<std::int32_t>;
using Shape = std::vector<std::int64_t>;

}  // namespace hoist::interpret

namespace hoist {
inline void PrintTo(const Tensor& tensor, std::ostream* out) {
  for (std::int64_t extent : tensor.shape) *out << '[' << extent << ']';
  *out << name_of(tensor.scalar) << " {";
  const std::size_t count = tensor.bytes.size() / size_of(tensor.scalar);
  for (std::size_t i = 0; i < count; ++i) {
    *out << (i == 0 ? "" : ", ") << to_string(load_scalar(tensor.bytes.data(), tensor.scalar, i));
  }
  *out << "}";
}
inline bool operator==(const Tensor& a, const Tensor& b) {
  return a.scalar == b.scalar && a.shape == b.shape && a.bytes == b.bytes;
}
}  // namespace hoist
