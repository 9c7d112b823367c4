#pragma once
// What a kernel computes with: typed scalar and vector values. Immutable trees, shared freely.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "arith/expr.hpp"
#include "base/scalar.hpp"
#include "target/processor.hpp"

namespace hoist::loop {

/// A scalar (width 1) or a short vector of scalars (width 2, 4, 8 or 16; other widths are printed as code on
/// components where a language has no such vector).
struct ValueType {
  Scalar scalar = Scalar::F32;
  int width = 1;
  bool operator==(const ValueType&) const = default;
};
/// "f32", "f32x4".
std::string type_text(ValueType type);

enum class AddressSpace : std::uint8_t { Global, Local, Private };

/// How an array of f32 or i32 is arranged as a two-dimensional image: pixels of so many neighbouring scalars,
/// rows of pixels. Where these are more rows than an image may have, they are cut into blocks of equally
/// many, which lie side by side: the image is blocks * width pixels wide.
struct ImageShape {
  int channels = 1;  ///< 1 or 4
  arith::Expr width;
  int blocks = 1;  ///< divides the number of rows
  bool operator==(const ImageShape&) const = default;
};

/// Memory that a kernel reads or writes; a name is unique in its kernel (and plan). Identity is the pointer.
struct Buffer {
  std::string name;
  ValueType type;  ///< of an element; width > 1 only for private buffers (vector registers)
  AddressSpace space = AddressSpace::Global;
  arith::Expr scalars;      ///< how many scalars it holds
  bool is_pointer = false;  ///< declared by Alias: names other buffers, exchanged by Swap
  /// Set for an input that kernels read as an image. What a load gives does not depend on it.
  std::optional<ImageShape> image = std::nullopt;
};
using BufferPtr = std::shared_ptr<const Buffer>;

/// A private scalar or vector variable; a name is unique in its kernel. Identity is the pointer.
struct Variable {
  std::string name;
  ValueType type;
  bool is_mutable = false;
};
using VariablePtr = std::shared_ptr<const Variable>;

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

/// The same scalar in every component when the type is a vector.
struct Literal {
  ScalarValue value;
};
struct Reference {
  VariablePtr variable;
};
/// An index expression as a value. Its Data variables are the Variables of the same name.
struct IndexValue {
  arith::Expr expr;
};
/// A comparison of index expressions, as a bool.
struct Test {
  arith::Predicate predicate;
};
/// Reads `type.width` scalars from scalar offset `index` on. From a private vector buffer either a whole
/// element (index a multiple of its width) or one component (width 1).
struct Load {
  BufferPtr buffer;
  arith::Expr index;
};
/// Componentwise on vectors; a width-1 operand beside vectors is repeated. Comparisons give bool of the
/// width. As in C, a Select under a condition of width 1 computes only the operand that it chooses, and And
/// and Or of width 1 compute the second operand only where it decides: they may guard a Load.
struct Operation {
  ScalarOp op;
  std::vector<ValuePtr> operands;
};
struct Cast {
  ValuePtr operand;
};
struct Component {
  ValuePtr vector;
  int index = 0;
};
/// One operand per component, or one operand repeated.
struct MakeVector {
  std::vector<ValuePtr> components;
};

/// What the operand is for the work-item whose place in its warp is this one's with the bits of `mask`
/// flipped; mask is from 1 to target::warp_size - 1. Stands only alone as the value of a Let, which all
/// work-items of a warp execute together.
struct Shuffle {
  ValuePtr operand;
  int mask = 0;
};

struct Value {
  ValueType type;
  std::variant<Literal, Reference, IndexValue, Test, Load, Operation, Cast, Component, MakeVector, Shuffle>
      node;
};

ValuePtr literal(const ScalarValue& value, int width = 1);
ValuePtr reference(VariablePtr variable);
ValuePtr index_value(arith::Expr expr, Scalar type = Scalar::I32);
ValuePtr test(const arith::Predicate& predicate);
ValuePtr load(BufferPtr buffer, arith::Expr index, int width = 1);
/// Types follow from the operands (see Operation); a mismatch is a Bug.
ValuePtr operation(ScalarOp op, std::vector<ValuePtr> operands);
ValuePtr cast(ValuePtr operand, Scalar type);
ValuePtr component(ValuePtr vector, int index);
ValuePtr make_vector(std::vector<ValuePtr> components, int width);
ValuePtr shuffle(ValuePtr operand, int mask);

}  // namespace hoist::loop
