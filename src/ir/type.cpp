#include "ir/type.hpp"

#include "base/error.hpp"
#include "ir/arena_data.hpp"

namespace hoist::ir {

Type scalar_type(Scalar scalar) { return intern({TypeKind::Scalar, scalar, {}, {}, 0}); }

Type vector_type(Scalar scalar, arith::Expr width) { return intern({TypeKind::Vector, scalar, width, {}, 0}); }

Type tuple_type(std::vector<Type> components) { return intern({TypeKind::Tuple, {}, {}, std::move(components), 0}); }

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

namespace {

void collect_leaves(Type type, std::vector<arith::Expr> shape, std::vector<Leaf>& out) {
  switch (type->kind) {
    case TypeKind::Scalar: out.push_back({type->scalar, std::move(shape)}); break;
    case TypeKind::Vector:
      shape.push_back(type->size);
      out.push_back({type->scalar, std::move(shape)});
      break;
    case TypeKind::Tuple:
      for (Type component : type->elements) collect_leaves(component, shape, out);
      break;
    case TypeKind::Array:
      shape.push_back(type->size);
      collect_leaves(element_of(type), std::move(shape), out);
      break;
    case TypeKind::Function: throw Bug("a function type has no leaves");
  }
}

}  // namespace

std::vector<Leaf> leaves(Type type) {
  std::vector<Leaf> result;
  collect_leaves(type, {}, result);
  return result;
}

Type substitute(Type type, const arith::Substitution& sizes) {
  TypeNode node = *type.get();
  if (node.size) node.size = arith::substitute(node.size, sizes);
  for (Type& element : node.elements) element = substitute(element, sizes);
  return intern(std::move(node));
}

std::string to_string(Type type) {
  switch (type->kind) {
    case TypeKind::Scalar: return std::string(name_of(type->scalar));
    case TypeKind::Vector: {
      bool is_plain = type->size.constant() || type->size.kind() == arith::Kind::Variable;
      std::string width = arith::to_string(type->size);
      if (type->size.kind() == arith::Kind::Variable && type->size->variable_kind == arith::VariableKind::Parameter &&
          width.front() != '?') {
        width = "?" + width;
      }
      return std::string(name_of(type->scalar)) + "x" + (is_plain ? width : "(" + width + ")");
    }
    case TypeKind::Tuple: {
      std::string text = "(";
      for (std::size_t i = 0; i < type->elements.size(); ++i) {
        text += (i > 0 ? ", " : "") + to_string(type->elements[i]);
      }
      return text + ")";
    }
    case TypeKind::Array: return "[" + arith::to_string(type->size) + "]" + to_string(element_of(type));
    case TypeKind::Function: {
      std::string text = "(";
      for (std::size_t i = 0; i + 1 < type->elements.size(); ++i) {
        text += (i > 0 ? ", " : "") + to_string(type->elements[i]);
      }
      return text + ") -> " + to_string(type->elements.back());
    }
  }
  return {};
}

}  // namespace hoist::ir
