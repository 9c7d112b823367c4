#pragma once
// The language's scalar types, C++'s and NumPy's.
#include <pybind11/numpy.h>

#include <hoist/hoist.hpp>
#include <type_traits>

namespace hoist::python {

namespace py = pybind11;

/// Calls f with the C++ type of a scalar, as std::type_identity.
template <class F>
decltype(auto) with_type_of(Scalar scalar, F&& f) {
  switch (scalar) {
    case Scalar::F32:
      return f(std::type_identity<float>{});
    case Scalar::F64:
      return f(std::type_identity<double>{});
    case Scalar::I32:
      return f(std::type_identity<std::int32_t>{});
    case Scalar::U32:
      return f(std::type_identity<std::uint32_t>{});
    case Scalar::I64:
      return f(std::type_identity<std::int64_t>{});
    case Scalar::U64:
      return f(std::type_identity<std::uint64_t>{});
    case Scalar::U8:
      return f(std::type_identity<std::uint8_t>{});
    case Scalar::I8:
      return f(std::type_identity<std::int8_t>{});
    case Scalar::I16:
      return f(std::type_identity<std::int16_t>{});
    case Scalar::U16:
      return f(std::type_identity<std::uint16_t>{});
    case Scalar::Bool:
      break;
  }
  return f(std::type_identity<bool>{});
}

/// NumPy's type of a scalar.
const py::dtype& dtype_of(Scalar scalar);
/// "numpy.float32".
std::string dtype_name(Scalar scalar);
/// The scalar of a type that is described by NumPy's letter and a number of bytes; nothing where there is
/// none.
std::optional<Scalar> scalar_of(char kind, std::size_t bytes);
/// The scalar of NumPy's type, whatever its byte order.
std::optional<Scalar> scalar_of(const py::dtype& type);
/// "<f4": an array interface's name of the type.
std::string typestr_of(Scalar scalar);
/// A dense array of NumPy's, in new memory or in memory that `owner` keeps.
py::array dense_array(Scalar scalar, const std::vector<std::int64_t>& shape, const void* memory = nullptr,
                      py::handle owner = {});

}  // namespace hoist::python
