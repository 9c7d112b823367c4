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

std::string typestr_of(Scalar scalar) {
  const char order = size_of(scalar) == 1 ? '|' : '<';
  return std::string(1, order) + row_of(scalar).kind + std::to_string(size_of(scalar));
}

}  // namespace hoist::python
