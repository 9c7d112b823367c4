#include "python/scalars.hpp"

#include <array>

namespace hoist::python {

namespace {

struct Row {
  Scalar scalar;
  char kind;
  const char* name;
};
constexpr std::array rows{
    Row{Scalar::F32, 'f', "float32"}, Row{Scalar::F64, 'f', "float64"}, Row{Scalar::I32, 'i', "int32"},
    Row{Scalar::U32, 'u', "uint32"},  Row{Scalar::I64, 'i', "int64"},   Row{Scalar::U64, 'u', "uint64"},
    Row{Scalar::U8, 'u', "uint8"},    Row{Scalar::I8, 'i', "int8"},     Row{Scalar::I16, 'i', "int16"},
    Row{Scalar::U16, 'u', "uint16"},  Row{Scalar::Bool, 'b', "bool_"}};

const Row& row_of(Scalar scalar) {
  for (const Row& row : rows) {
    if (row.scalar == scalar) return row;
  }
  return rows.front();
}

}  // namespace

const py::dtype& dtype_of(Scalar scalar) {
  // They stay when the interpreter ends.
  static const auto* const types = [] {
    auto* made = new std::array<py::dtype, rows.size()>;
    for (const Row& row : rows)
      (*made)[static_cast<std::size_t>(row.scalar)] = py::dtype(row.kind == 'b' ? "bool" : row.name);
    return made;
  }();
  return (*types)[static_cast<std::size_t>(scalar)];
}

std::string dtype_name(Scalar scalar) { return std::string("numpy.") + row_of(scalar).name; }

std::optional<Scalar> scalar_of(char kind, std::size_t bytes) {
  for (const Row& row : rows) {
    if (row.kind == kind && size_of(row.scalar) == bytes) return row.scalar;
  }
  return std::nullopt;
}

// By its number and not by its size: NumPy 2 has the size at another place than the headers of pybind11
// before 2.12 say.
std::optional<Scalar> scalar_of(const py::dtype& type) {
  using Numbers = py::detail::npy_api;
  static_assert(sizeof(int) == 4 && sizeof(long) == 8);
  switch (type.num()) {
    case Numbers::NPY_BOOL_:
      return Scalar::Bool;
    case Numbers::NPY_BYTE_:
      return Scalar::I8;
    case Numbers::NPY_UBYTE_:
      return Scalar::U8;
    case Numbers::NPY_SHORT_:
      return Scalar::I16;
    case Numbers::NPY_USHORT_:
      return Scalar::U16;
    case Numbers::NPY_INT_:
      return Scalar::I32;
    case Numbers::NPY_UINT_:
      return Scalar::U32;
    case Numbers::NPY_LONG_:
    case Numbers::NPY_LONGLONG_:
      return Scalar::I64;
    case Numbers::NPY_ULONG_:
    case Numbers::NPY_ULONGLONG_:
      return Scalar::U64;
    case Numbers::NPY_FLOAT_:
      return Scalar::F32;
    case Numbers::NPY_DOUBLE_:
      return Scalar::F64;
    default:
      return std::nullopt;
  }
}

std::string typestr_of(Scalar scalar) {
  const char order = size_of(scalar) == 1 ? '|' : '<';
  return std::string(1, order) + row_of(scalar).kind + std::to_string(size_of(scalar));
}

py::array dense_array(Scalar scalar, const std::vector<std::int64_t>& shape, const void* memory,
                      py::handle owner) {
  std::vector<std::int64_t> strides(shape.size());
  auto stride = static_cast<std::int64_t>(size_of(scalar));
  for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i]) strides[i] = stride;
  return {dtype_of(scalar), shape, strides, memory, owner};
}

}  // namespace hoist::python
