#pragma once
// What a caller in Python gives to a program: positional and keyword arguments, tuples, numbers and arrays of
// NumPy and of others; and where its results go.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "python/device_array.hpp"

namespace hoist::python {

/// How a parameter or a result consists of arrays and numbers: of one, or of a tuple of parts.
struct Tree {
  std::size_t leaf = 0;  ///< the first, in the order of Program::inputs() or outputs()
  std::vector<Tree> parts = {};
};

/// A program as a function of Python's.
class Signature {
 public:
  explicit Signature(const Program& program);

  const Program& program() const { return program_; }
  const Tree& parameter(std::size_t index) const { return parameters_[index]; }
  const Tree& result() const { return result_; }
  std::optional<std::size_t> parameter_named(const std::string& name) const;
  bool has_size(const std::string& name) const { return sizes_.count(name) > 0; }

 private:
  Program program_;
  std::vector<Tree> parameters_;
  Tree result_;
  std::map<std::string, std::size_t> parameter_names_;
  std::set<std::string> sizes_;
};

/// A call, with the object that is given for each flattened input; null where no arrays are given at all.
struct Call {
  std::vector<py::object> inputs;
  Sizes sizes;
  std::map<std::string, py::object> options;  ///< "steps", "device", ...: those that were given

  bool has_inputs() const { return inputs.empty() || inputs.front(); }
};

/// Sorts a call's arguments. `options` are keywords that are none of the program's; where the program has a
/// parameter or size of such a name, the option is called so with _ behind it. Raises the user's errors.
Call read_call(const Signature& signature, const py::args& positional, const py::kwargs& named,
               const std::vector<std::string>& options);

/// What was given for one flattened input, to be used without the interpreter's lock.
struct Given {
  Scalar scalar = Scalar::F32;
  bool is_number = false;
  std::array<std::byte, 8> number{};
  const void* memory = nullptr;  ///< the host's
  std::vector<std::int64_t> shape;
  DeviceArrayPtr on_device;             ///< where it is an array of Hoist's
  std::optional<ForeignArray> foreign;  ///< where it is another library's on a device
  py::object keeper;                    ///< what memory lives as long as
};

/// A whole number as Python's int; null where the object is none. A bool is none.
py::object whole_number(py::handle object);

/// Which inputs a program was warned of: each once.
using Warned = std::set<std::size_t>;

/// Reads what was given for an input. Arrays that are not dense and row-major, or of another byte order, are
/// copied, with a warning. Raises the user's errors, which tell the place.
Given read_input(const Program& program, std::size_t input, const py::object& object, Warned& warned);

Input input_of(const Given& given);
/// The same without contents, for inferring sizes where an array is not copied to the host.
Input input_of(const Given& given, const Buffer& buffer);

/// A new array for an output, which begins at a cache line, a large one at a huge page.
py::array new_array(Scalar scalar, const std::vector<std::int64_t>& shape);
/// Memory of an array that a caller gave for an output. Raises the user's errors: one that is read-only, not
/// dense, or of another type.
py::array writable_array(const std::string& name, Scalar scalar, const py::object& object);
Output output_of(Scalar scalar, py::array& array);
/// Raises the user's errors about another library's array on a device that is given for an output: one that
/// is read-only, not dense, of another type, or on another device than that of the id.
void check_writable(const std::string& name, Scalar scalar, const ForeignArray& array, const std::string& id);

/// The leaves of a tuple of tuples, by position. `name` is what messages call it.
void flatten(const Program& program, const Tree& tree, const std::string& name, bool is_input,
             const py::object& object, std::vector<py::object>& leaves);
/// The tuple of tuples of leaves.
py::object unflattened(const Tree& tree, const std::vector<py::object>& leaves);

}  // namespace hoist::python
