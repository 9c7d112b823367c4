// From the arguments of a call in Python to inputs and outputs of the C++ interface.
//
// `read_call` sorts positional and keyword arguments by the program's Signature: parameters, sizes, and
// options such as `steps`. Tuples are taken apart (`flatten`), so that each flattened input has an object.
// `read_input` then says what that object is: a number, an array in the host's memory, or one on a device.
// Whatever is wrong is an error about the input, with its place in the program's text (hoist::input_error).
#include "python/arguments.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace hoist::python {

namespace {

/// The tree of the leaves from `first` on whose names begin with `prefix`; `first` is moved behind them.
template <class Arrays>
Tree tree_of(const Arrays& arrays, const std::string& prefix, std::size_t& first) {
  Tree tree{first};
  if (arrays[first].name == prefix) {
    ++first;
    return tree;
  }
  while (first < arrays.size()) {
    const std::string part = prefix + "." + std::to_string(tree.parts.size());
    const std::string& name = arrays[first].name;
    if (name != part && !name.starts_with(part + ".")) break;
    tree.parts.push_back(tree_of(arrays, part, first));
  }
  return tree;
}

std::string type_of(py::handle object) {
  const auto type = py::type::handle_of(object);
  const auto name = type.attr("__name__").cast<std::string>();
  const auto module = type.attr("__module__").cast<std::string>();
  return module == "builtins" ? name : module + "." + name;
}

[[noreturn]] void raise_about(const Program& program, std::size_t input, const std::string& message,
                              const std::string& note = {}, const std::string& help = {}) {
  raise(input_error(program, input, message, note, help));
}

/// "the input u is [H][W]f32".
std::string is_text(const Program& program, std::size_t input) {
  const ArrayType& type = program.inputs()[input];
  return "the input " + type.name + " is " + type.type;
}

/// " Did you mean ...?" of the names that there are.
std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  const py::list close = py::module_::import("difflib").attr("get_close_matches")(name, names, 1);
  return close.empty() ? "" : "; did you mean '" + close[0].cast<std::string>() + "'?";
}

std::vector<std::string> names_of_call(const Signature& signature, const std::vector<std::string>& options) {
  std::vector<std::string> names;
  for (const Parameter& each : signature.program().parameters()) names.push_back(each.name);
  for (const auto* sizes : {&signature.program().size_variables(), &signature.program().tuning_parameters()})
    names.insert(names.end(), sizes->begin(), sizes->end());
  names.insert(names.end(), options.begin(), options.end());
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
  return text;
}

std::int64_t size_value(const std::string& name, py::handle object) {
  const py::object number = whole_number(object);
  if (!number) raise_user("the size " + name + " is a whole number, but " + type_of(object) + " was given");
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) raise_user("the size " + name + " is too large: " + text_of(number));
  return value;
}

}  // namespace

py::object whole_number(py::handle object) {
  if (PyBool_Check(object.ptr()) || PyIndex_Check(object.ptr()) == 0) return {};
  auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!number) PyErr_Clear();  // an array of NumPy's of several elements
  return number;
}

Signature::Signature(const Program& program) : program_(program) {
  std::size_t first = 0;
  for (const Parameter& each : program.parameters()) {
    parameter_names_[each.name] = parameters_.size();
    parameters_.push_back(tree_of(program.inputs(), each.name, first));
  }
  first = 0;
  result_ = tree_of(program.outputs(), "result", first);
  sizes_.insert(program.size_variables().begin(), program.size_variables().end());
  sizes_.insert(program.tuning_parameters().begin(), program.tuning_parameters().end());
}

std::optional<std::size_t> Signature::parameter_named(const std::string& name) const {
  const auto found = parameter_names_.find(name);
  return found == parameter_names_.end() ? std::nullopt : std::optional(found->second);
}

void flatten(const Program& program, const Tree& tree, const std::string& name, bool is_input,
             const py::object& object, std::vector<py::object>& leaves) {
  if (tree.parts.empty()) {
    leaves[tree.leaf] = object;
    return;
  }
  const bool is_sequence = py::isinstance<py::tuple>(object) || py::isinstance<py::list>(object);
  const std::size_t given = is_sequence ? py::len(object) : 0;
  if (given != tree.parts.size()) {
    const std::string message = std::string("the ") + (is_input ? "input " : "") + name + " is a tuple of " +
                                std::to_string(tree.parts.size()) + " parts, but " +
                                (is_sequence ? "one of " + std::to_string(given) : type_of(object)) +
                                " was given";
    const std::string help = "give a tuple with an array or a number for each part";
    if (is_input) raise_about(program, tree.leaf, message, {}, help);
    raise_user(message, {}, help);
  }
  const auto sequence = py::reinterpret_borrow<py::sequence>(object);
  for (std::size_t i = 0; i < given; ++i)
    flatten(program, tree.parts[i], name + "." + std::to_string(i), is_input,
            py::reinterpret_borrow<py::object>(sequence[i]), leaves);
}

py::object unflattened(const Tree& tree, const std::vector<py::object>& leaves) {
  if (tree.parts.empty()) return leaves[tree.leaf];
  py::tuple result(tree.parts.size());
  for (std::size_t i = 0; i < tree.parts.size(); ++i) result[i] = unflattened(tree.parts[i], leaves);
  return result;
}

Call read_call(const Signature& signature, const py::args& positional, const py::kwargs& named,
               const std::vector<std::string>& options) {
  const Program& program = signature.program();
  const std::vector<Parameter>& parameters = program.parameters();
  Call call;
  call.inputs.resize(program.inputs().size());
  if (positional.size() > parameters.size())
    raise_user(program.name() + " takes " + std::to_string(parameters.size()) + " argument" +
                   (parameters.size() == 1 ? "" : "s") + ", but " + std::to_string(positional.size()) +
                   " were given",
               {}, "sizes and options are given by name");
  std::vector<bool> is_given(parameters.size());
  const auto give = [&](std::size_t index, const py::object& object) {
    if (is_given[index]) raise_user("the input " + parameters[index].name + " is given twice");
    is_given[index] = true;
    flatten(program, signature.parameter(index), parameters[index].name, true, object, call.inputs);
  };
  for (std::size_t i = 0; i < positional.size(); ++i)
    give(i, py::reinterpret_borrow<py::object>(positional[i]));
  for (const auto& [key, value] : named) {
    const std::string name = utf8_of(key);
    const auto object = py::reinterpret_borrow<py::object>(value);
    const auto is_taken = [&](const std::string& option) {
      return signature.parameter_named(option).has_value() || signature.has_size(option);
    };
    const auto option = std::ranges::find_if(
        options, [&](const std::string& each) { return name == each + (is_taken(each) ? "_" : ""); });
    if (const auto index = signature.parameter_named(name)) {
      give(*index, object);
    } else if (signature.has_size(name)) {
      call.sizes[name] = size_value(name, object);
    } else if (option != options.end()) {
      call.options[*option] = object;
    } else {
      const std::vector<std::string> names = names_of_call(signature, options);
      raise_user(
          program.name() + " has no parameter, size or option '" + name + "'" + suggestion(name, names),
          "it takes " + joined(names));
    }
  }
  if (std::ranges::find(is_given, true) == is_given.end()) return call;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!is_given[i])
      raise_about(program, signature.parameter(i).leaf, "the input " + parameters[i].name + " is not given");
  }
  return call;
}

namespace {

// ---- Numbers

template <class T>
void put(Given& given, T value) {
  std::memcpy(given.number.data(), &value, sizeof(T));
}

/// A number of Python's own, which takes the type of the input, as a literal of the language does.
void read_python_number(const Program& program, std::size_t input, py::handle object, Given& given) {
  with_type_of(given.scalar, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      if (PyBool_Check(object.ptr())) return put(given, object.ptr() == Py_True);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (PyFloat_Check(object.ptr()) || PyLong_CheckExact(object.ptr())) {
        const double value = PyFloat_AsDouble(object.ptr());
        if (value == -1.0 && PyErr_Occurred() != nullptr) {
          PyErr_Clear();
          raise_about(program, input, is_text(program, input) + ", and the number is too large for it");
        }
        return put(given, static_cast<T>(value));
      }
    } else if (PyLong_CheckExact(object.ptr())) {
      if constexpr (std::is_same_v<T, std::uint64_t>) {
        const unsigned long long value = PyLong_AsUnsignedLongLong(object.ptr());
        if (PyErr_Occurred() == nullptr) return put(given, static_cast<T>(value));
        PyErr_Clear();
      } else {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
        const bool fits = overflow == 0 && value >= static_cast<long long>(std::numeric_limits<T>::min()) &&
                          value <= static_cast<long long>(std::numeric_limits<T>::max());
        if (fits) return put(given, static_cast<T>(value));
      }
      raise_about(program, input, is_text(program, input) + ", which does not hold " + text_of(object));
    }
    raise_about(
        program, input, is_text(program, input) + ", but " + type_of(object) + " was given", {},
        std::is_floating_point_v<T> ? "give a number" : "give a whole number, or True or False for bool");
  });
}

bool is_python_number(py::handle object) {
  return PyFloat_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr()) || PyBool_Check(object.ptr());
}

// ---- Arrays

void warn_of_copy(const Program& program, std::size_t input, const std::string& why, Warned& warned) {
  if (!warned.insert(input).second) return;
  const std::string& name = program.inputs()[input].name;
  const std::string text = "the input " + name + " of " + program.name() + " is " + why +
                           ": it is copied at each call (numpy.require(" + name + ", " + name +
                           ".dtype.newbyteorder(\"=\"), \"CA\") copies it once)";
  const py::object category = py::module_::import("hoist._errors").attr("CopyWarning");
  if (PyErr_WarnEx(category.ptr(), text.c_str(), 2) != 0) throw py::error_already_set();
}

/// The scalar of NumPy's type; raises where the language has none, or the input is of another.
Scalar checked_scalar(const Program& program, std::size_t input, const py::dtype& type, bool is_number) {
  const Scalar wanted = program.inputs()[input].scalar;
  const auto found = scalar_of(type);
  if (found == wanted) return wanted;
  const std::string name = program.inputs()[input].name;
  const bool is_object = type.kind() == 'O';
  raise_about(program, input,
              is_text(program, input) + ", but " + (is_number ? "a number" : "elements") + " of " +
                  (found ? name_of(*found) : text_of(type)) + " " + (is_number ? "was" : "were") + " given",
              is_object ? "an array of objects has no numbers that a kernel could read" : "",
              is_number ? "convert it: " + dtype_name(wanted) + "(" + name + ")"
                        : "convert it: " + name + ".astype(" + dtype_name(wanted) + ")");
}

/// NumPy's own class of arrays, of which others are derived.
py::handle ndarray() {
  static const py::handle type = py::object(py::module_::import("numpy").attr("ndarray")).release();
  return type;
}

void read_array(const Program& program, std::size_t input, py::array array, Given& given, Warned& warned) {
  given.scalar = checked_scalar(program, input, array.dtype(), given.is_number);
  if (!py::type::handle_of(array).is(ndarray()) && py::hasattr(array, "mask"))
    raise_about(program, input, "the array given for " + program.inputs()[input].name + " has a mask", {},
                "fill it: " + program.inputs()[input].name + ".filled(0)");
  if (!given.is_number && array.ndim() == 0)
    raise_about(program, input, is_text(program, input) + ", but one number was given");
  const bool is_swapped = array.dtype().byteorder() == '>';
  const auto memory = reinterpret_cast<std::uintptr_t>(array.data());
  const bool is_aligned = memory % size_of(given.scalar) == 0;
  const bool is_dense = (array.flags() & py::array::c_style) != 0;
  if (is_swapped || !is_dense || !is_aligned) {
    if (!given.is_number)
      warn_of_copy(program, input,
                   is_swapped ? "of another byte order"
                   : is_dense ? "not aligned to its elements"
                              : "not contiguous",
                   warned);
    array = py::module_::import("numpy").attr("array")(array, py::arg("dtype") = dtype_of(given.scalar),
                                                       py::arg("order") = "C");
  }
  given.memory = array.data();
  given.shape.assign(array.shape(), array.shape() + array.ndim());
  given.keeper = std::move(array);
}

void read_foreign(const Program& program, std::size_t input, ForeignArray foreign, Given& given) {
  const ArrayType& type = program.inputs()[input];
  if (foreign.scalar != type.scalar)
    raise_about(program, input,
                is_text(program, input) + ", but elements of " +
                    (foreign.scalar ? name_of(*foreign.scalar) : foreign.type) + " were given",
                {}, "convert it to " + name_of(type.scalar));
  if (!foreign.is_contiguous)
    raise_about(program, input, "the array given for " + type.name + " is on a device and not contiguous", {},
                "make it so first: contiguous() of PyTorch, ascontiguousarray() of CuPy");
  given.scalar = type.scalar;
  given.shape = foreign.shape;
  given.foreign = std::move(foreign);
}

/// What other kinds of objects say of themselves: DLPack, array interfaces, buffers. Lists are none.
void read_other(const Program& program, std::size_t input, const py::object& object, Given& given,
                Warned& warned) {
  std::optional<ForeignArray> foreign;
  try {
    foreign = foreign_array(object);
  } catch (const UnreadableArray& error) {
    raise_about(program, input, is_text(program, input) + ", but " + type_of(object) + " was given",
                error.what());
  }
  if (foreign) return read_foreign(program, input, *std::move(foreign), given);
  const bool is_array = py::hasattr(object, "__array__") || py::hasattr(object, "__array_interface__") ||
                        (PyObject_CheckBuffer(object.ptr()) != 0 && !py::isinstance<py::bytes>(object));
  if (!is_array)
    raise_about(program, input, is_text(program, input) + ", but " + type_of(object) + " was given", {},
                "give an array: numpy.array(" + program.inputs()[input].name +
                    ", dtype=" + dtype_name(program.inputs()[input].scalar) + ")");
  read_array(program, input, py::module_::import("numpy").attr("asarray")(object), given, warned);
}

}  // namespace

Given read_input(const Program& program, std::size_t input, const py::object& object, Warned& warned) {
  Given given;
  const ArrayType& type = program.inputs()[input];
  given.scalar = type.scalar;
  given.is_number = type.shape.empty();
  if (py::isinstance<DeviceArray>(object)) {
    given.on_device = object.cast<DeviceArrayPtr>();
    if (given.is_number || given.on_device->scalar() != type.scalar)
      raise_about(program, input,
                  is_text(program, input) + ", but " + py::repr(object).cast<std::string>() + " was given");
    given.shape = given.on_device->shape();
    return given;
  }
  if (given.is_number && is_python_number(object)) {
    read_python_number(program, input, object, given);
    return given;
  }
  if (given.is_number && !py::isinstance<py::array>(object) && !py::hasattr(object, "dtype"))
    raise_about(program, input, is_text(program, input) + ", but " + type_of(object) + " was given", {},
                "give a number");
  if (py::isinstance<py::array>(object)) {
    read_array(program, input, py::reinterpret_borrow<py::array>(object), given, warned);
  } else {
    read_other(program, input, object, given, warned);
  }
  if (!given.is_number) return given;
  if (given.foreign || !given.shape.empty())
    raise_about(program, input, is_text(program, input) + ", but an array was given", {}, "give a number");
  std::memcpy(given.number.data(), given.memory, size_of(given.scalar));
  return given;
}

Input input_of(const Given& given) {
  return with_type_of(given.scalar, [&]<class T>(std::type_identity<T>) {
    if (given.is_number) {
      T number{};
      std::memcpy(&number, given.number.data(), sizeof(T));
      return Input(number);
    }
    std::size_t elements = 1;
    for (const std::int64_t extent : given.shape) elements *= static_cast<std::size_t>(extent);
    return Input(std::span(static_cast<const T*>(given.memory), elements), given.shape);
  });
}

Input input_of(const Given& given, const Buffer& buffer) { return Input(buffer, given.shape); }

py::array new_array(Scalar scalar, const std::vector<std::int64_t>& shape) {
  constexpr std::size_t large = std::size_t{1} << 20U, huge_page = std::size_t{2} << 20U, cache_line = 64;
  std::size_t bytes = size_of(scalar);
  bool is_too_large = false;
  for (const std::int64_t extent : shape)
    is_too_large |= __builtin_mul_overflow(bytes, static_cast<std::size_t>(extent), &bytes);
  if (bytes < large && !is_too_large) return dense_array(scalar, shape);
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = is_too_large ? nullptr : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    std::string extents;
    for (const std::int64_t extent : shape) extents += "[" + std::to_string(extent) + "]";
    raise({ErrorKind::Device,
           {{"there is no memory for a result of type " + extents + name_of(scalar),
             {},
             "use smaller arrays",
             std::nullopt,
             {}}}});
  }
  if (alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  const py::capsule owner(memory, [](void* owned) { std::free(owned); });
  return dense_array(scalar, shape, memory, owner);
}

py::array writable_array(const std::string& name, Scalar scalar, const py::object& object) {
  if (!py::isinstance<py::array>(object))
    raise_user("the " + name + " is written to an array, but " + type_of(object) + " was given", {},
               "give an array of NumPy's or of the device, or leave out= away");
  const auto array = py::reinterpret_borrow<py::array>(object);
  const bool is_type = scalar_of(array.dtype()) == scalar && array.dtype().byteorder() != '>';
  if (!is_type)
    raise_user("the " + name + " has elements of " + name_of(scalar) + ", but the array given for it has " +
                   text_of(array.dtype()),
               {}, "make it with dtype=" + dtype_name(scalar));
  if (!array.writeable()) raise_user("the array given for the " + name + " is read-only");
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(array.data()) % size_of(scalar) == 0;
  if ((array.flags() & py::array::c_style) == 0 || !is_aligned)
    raise_user("the array given for the " + name + " is not contiguous",
               "it is written where it is, in rows one behind the other",
               "give a contiguous array, and copy it then");
  return array;
}

Output output_of(Scalar scalar, py::array& array) {
  const std::vector<std::int64_t> shape(array.shape(), array.shape() + array.ndim());
  void* const memory = array.mutable_data();
  const auto elements = static_cast<std::size_t>(array.size());
  return with_type_of(scalar, [&]<class T>(std::type_identity<T>) {
    return Output(std::span(static_cast<T*>(memory), elements), shape);
  });
}

void check_writable(const std::string& name, Scalar scalar, const ForeignArray& array,
                    const std::string& id) {
  if (!array.is_on(id))
    raise_user("the array given for the " + name + " is on a CUDA device, and the program runs on " + id);
  if (array.scalar != scalar)
    raise_user("the " + name + " has elements of " + name_of(scalar) + ", but the array given for it has " +
               (array.scalar ? name_of(*array.scalar) : array.type));
  if (array.is_read_only) raise_user("the array given for the " + name + " is read-only");
  if (!array.is_contiguous)
    raise_user("the array given for the " + name + " is not contiguous",
               "it is written where it is, in rows one behind the other",
               "give a contiguous array, and copy it then");
}

}  // namespace hoist::python
