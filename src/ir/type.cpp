#include "ir/type.hpp"

#include "base/error.hpp"
#include "ir/arena_data.hpp"

namespace hoist::ir {

namespace {

void collect_leaves(Type type, std::vector<arith::Expr>& shape, std::vector<Leaf>& out) {
  switch (type->kind) {
    case TypeKind::Scalar:
      out.push_back({type->scalar, shape, false});
      return;
    case TypeKind::Tuple:
      for (Type component : type->elements) collect_leaves(component, shape, out);
      return;
    case TypeKind::Vector:
    case TypeKind::Array:
      shape.push_back(type->size);
      if (is_vector(type)) {
        out.push_back({type->scalar, shape, true});
      } else {
        collect_leaves(element_of(type), shape, out);
      }
      shape.pop_back();
      return;
    case TypeKind::Function:
      throw Bug("a function type has no leaves");
  }
}

Type substitute_masked(Type type, const arith::Substitution& sizes, SizeMask mask) {
  if ((interned(type)->sizes & mask) == 0) return type;
  TypeNode content{type->kind, type->scalar, {}, {}, 0};
  if (type->size) content.size = arith::substitute(type->size, sizes);
  content.elements.reserve(type->elements.size());
  for (Type element : type->elements) content.elements.push_back(substitute_masked(element, sizes, mask));
  return intern(std::move(content));
}

std::string listed(std::span<const Type> types) {
  std::string text;
  for (Type type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return text;
}

}  // namespace

Type scalar_type(Scalar scalar) { return intern({TypeKind::Scalar, scalar, {}, {}, 0}); }

Type vector_type(Scalar scalar, arith::Expr width) {
  return intern({TypeKind::Vector, scalar, width, {}, 0});
}

Type tuple_type(std::vector<Type> components) {
  for (Type component : components) {
    if (is_function(component)) throw_user("a tuple cannot hold functions");
  }
  return intern({TypeKind::Tuple, {}, {}, std::move(components), 0});
}

Type array_type(arith::Expr size, Type element) {
  if (is_function(element)) throw_user("an array cannot hold functions");
  return intern({TypeKind::Array, {}, size, {element}, 0});
}

Type array_type(const std::vector<arith::Expr>& sizes, Type element) {
  for (std::size_t i = sizes.size(); i-- > 0;) element = array_type(sizes[i], element);
  return element;
}

Type function_type(std::vector<Type> parameters, Type result) {
  parameters.push_back(result);
  return intern({TypeKind::Function, {}, {}, std::move(parameters), 0});
}

bool is_equal(Type a, Type b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->scalar != b->scalar || a->elements.size() != b->elements.size()) return false;
  for (std::size_t i = 0; i < a->elements.size(); ++i) {
    if (!is_equal(a->elements[i], b->elements[i])) return false;
  }
  return !a->size || a->size == b->size || arith::equal(a->size, b->size) == arith::Truth::Yes;
}

std::vector<Leaf> leaves(Type type) {
  std::vector<Leaf> result;
  std::vector<arith::Expr> shape;
  collect_leaves(type, shape, result);
  return result;
}

Type substitute(Type type, const arith::Substitution& sizes) {
  return substitute_masked(type, sizes, size_mask(sizes));
}

std::string to_string(Type type) {
  switch (type->kind) {
    case TypeKind::Scalar:
      return std::string(name_of(type->scalar));
    case TypeKind::Vector: {
      const bool is_plain = type->size.constant() || type->size.kind() == arith::Kind::Variable;
      const std::string width = arith::to_string(type->size);
      return std::string(name_of(type->scalar)) + "x" + (is_plain ? width : "(" + width + ")");
    }
    case TypeKind::Tuple:
      return "(" + listed(type->elements) + ")";
    case TypeKind::Array:
      return "[" + arith::to_string(type->size) + "]" + to_string(element_of(type));
    case TypeKind::Function: {
      const std::span<const Type> all(type->elements);
      return "(" + listed(all.first(all.size() - 1)) + ") -> " + to_string(all.back());
    }
  }
  throw Bug("not a kind of type");
}

}  // namespace hoist::ir
