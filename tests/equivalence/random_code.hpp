#pragma once
// What random pipelines are made of: types with all lengths known, and expressions in the language and in
// Python at once.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/scalar.hpp"

namespace hoist::testing_support {

/// A scalar, a tuple or an array.
struct Type {
  Scalar scalar = Scalar::I32;
  int extent = 0;           ///< of an array, else 0
  std::vector<Type> parts;  ///< of a tuple; of an array its element

  bool is_array() const { return extent > 0; }
  bool is_tuple() const { return extent == 0 && !parts.empty(); }
  bool is_scalar() const { return extent == 0 && parts.empty(); }
  const Type& element() const { return parts.front(); }
  bool operator==(const Type&) const = default;
};

Type scalar_type(Scalar scalar);
Type tuple_of(std::vector<Type> parts);
Type array_of(int extent, Type element);
inline const Type bool_type{Scalar::Bool, 0, {}};
inline const Type index_type{Scalar::I32, 0, {}};

int scalars_in(const Type& type);
bool has_arrays(const Type& type);
std::string text_of(const Type& type);

/// One expression in both languages.
struct Code {
  std::string hoist, numpy;
};

/// Puts codes into a form of each language. They are made in their order, which arguments of a function need
/// not be.
Code form(std::string_view hoist, std::string_view numpy, std::initializer_list<Code> codes);
/// What both languages write alike.
Code both(const std::string& text);
/// The list with one more item.
void append(Code& list, const Code& item);
/// A number of a type: 5u8 and u8(5).
Code number(Scalar type, const std::string& digits);
Code number(Scalar type, int value);

}  // namespace hoist::testing_support
