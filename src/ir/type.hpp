#pragma once
// Types of terms. Interned: equality is a pointer compare. They live in the thread's current ir::Arena.
#include <string>
#include <vector>

#include "arith/expr.hpp"
#include "base/scalar.hpp"
#include "ir/node.hpp"

namespace hoist::ir {

Type scalar_type(Scalar scalar);
Type vector_type(Scalar scalar, arith::Expr width);
Type tuple_type(std::vector<Type> components);
Type array_type(arith::Expr size, Type element);
/// array_type(sizes[0], array_type(sizes[1], ... element)).
Type array_type(const std::vector<arith::Expr>& sizes, Type element);
Type function_type(std::vector<Type> parameters, Type result);

inline bool is_scalar(Type t) { return t->kind == TypeKind::Scalar; }
inline bool is_vector(Type t) { return t->kind == TypeKind::Vector; }
inline bool is_tuple(Type t) { return t->kind == TypeKind::Tuple; }
inline bool is_array(Type t) { return t->kind == TypeKind::Array; }
inline bool is_function(Type t) { return t->kind == TypeKind::Function; }
inline Type element_of(Type array) { return array->elements[0]; }

/// The same type, but for sizes that are written differently and proven equal.
bool is_equal(Type a, Type b);

/// A data type's leaf: one scalar array of the flattened form (see base/tensor.hpp).
struct Leaf {
  Scalar scalar;
  std::vector<arith::Expr> shape;  ///< outermost first; a vector's width is the last
  bool is_vector = false;
};
std::vector<Leaf> leaves(Type type);

/// Replaces sizes (and parameters ?t) everywhere in the type.
Type substitute(Type type, const arith::Substitution& sizes);
/// "[M][K]f32", "(f32, [N]i32)", "f32x4", "(f32, f32) -> f32". The length that iterate binds reads k.
std::string to_string(Type type);

}  // namespace hoist::ir
