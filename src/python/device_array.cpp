#include "python/device_array.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <numeric>

namespace hoist::python {

namespace {

bool is_cuda(const OpenDevice& device) { return device.id().starts_with("cuda:"); }

std::size_t elements_of(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

py::tuple shape_tuple(const std::vector<std::int64_t>& shape) {
  py::tuple result(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) result[i] = shape[i];
  return result;
}

/// Copies to a new array of NumPy's.
py::array to_numpy(const DeviceArray& array) {
  py::array result = dense_array(array.scalar(), array.shape());
  void* const memory = result.mutable_data();
  Result<void> downloaded;
  {
    const py::gil_scoped_release unlocked;
    downloaded = array.device()->use([&] {
      return with_type_of(array.scalar(), [&]<class T>(std::type_identity<T>) {
        return array.buffer()->download(std::span(static_cast<T*>(memory), array.elements()));
      });
    });
  }
  need(std::move(downloaded));
  return result;
}

DeviceArrayPtr to_device(const py::array& given, const std::string& id) {
  const auto scalar = scalar_of(given.dtype());
  if (!scalar)
    raise_user("arrays of " + text_of(given.dtype()) + " have no type of the language", {},
               "convert it: array.astype(numpy.float32)");
  const py::array dense =
      py::module_::import("numpy").attr("ascontiguousarray")(given, py::arg("dtype") = dtype_of(*scalar));
  std::vector<std::int64_t> shape(given.shape(), given.shape() + given.ndim());
  const void* const memory = dense.data();
  const auto make = [&]() -> Result<DeviceArrayPtr> {
    const py::gil_scoped_release unlocked;
    auto device = open(id);
    if (!device) return device.error();
    auto buffer = (*device)->use([&] {
      return with_type_of(*scalar, [&]<class T>(std::type_identity<T>) {
        return Buffer::from<T>((*device)->device(), {static_cast<const T*>(memory), elements_of(shape)});
      });
    });
    if (!buffer) return buffer.error();
    return std::make_shared<DeviceArray>(*device, *std::move(buffer), shape);
  };
  return need(make());
}

/// What `body` reads, where what an object says of itself can be read.
template <class Body>
auto readable(const char* what, Body&& body) {
  const auto refuse = [&](const std::string& why) {
    throw UnreadableArray(std::string("its ") + what + " cannot be read: " + why);
  };
  try {
    return body();
  } catch (py::error_already_set& error) {
    refuse(text_of(error.value()));
  } catch (const py::cast_error&) {
    refuse("a part of it has the wrong type");
  } catch (const std::logic_error& error) {  // of std::stoul and std::vector::at
    refuse(error.what());
  }
  return decltype(body()){};
}

// ---- __cuda_array_interface__

std::vector<std::int64_t> numbers_of(py::handle tuple) {
  std::vector<std::int64_t> numbers;
  for (const py::handle each : py::reinterpret_borrow<py::object>(tuple))
    numbers.push_back(each.cast<std::int64_t>());
  return numbers;
}

void check_shape(const std::vector<std::int64_t>& shape) {
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; }))
    throw std::out_of_range("its shape has a negative number");
}

/// Whether strides are those of a dense row-major array. `unit` is what they count: bytes of an element,
/// or 1.
bool are_dense(const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& shape,
               std::int64_t unit) {
  std::int64_t expected = unit;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides.at(i) != expected) return false;
    expected *= shape[i];
  }
  return true;
}

ForeignArray from_interface(py::handle object, const py::dict& interface) {
  ForeignArray array;
  const py::tuple data = interface["data"];
  array.address = data[0].cast<std::uintptr_t>();
  array.is_read_only = data[1].cast<bool>();
  array.shape = numbers_of(interface["shape"]);
  check_shape(array.shape);
  array.type = interface["typestr"].cast<std::string>();
  if (array.type.size() >= 3 && array.type[0] != '>')
    array.scalar = scalar_of(array.type[1], std::stoul(array.type.substr(2)));
  if (interface.contains("strides") && !interface["strides"].is_none())
    array.is_contiguous = are_dense(numbers_of(interface["strides"]), array.shape,
                                    array.scalar ? static_cast<std::int64_t>(size_of(*array.scalar)) : 1);
  if (interface.contains("stream") && !interface["stream"].is_none())
    array.stream = interface["stream"].cast<std::uintptr_t>();
  array.is_owners_stream = array.stream.has_value();
  // The interface does not tell the device. Libraries that say it have an attribute for that.
  const py::object device = py::getattr(object, "device", py::none());
  if (!device.is_none()) {
    const py::object number = py::getattr(device, "index", py::getattr(device, "id", py::none()));
    if (py::isinstance<py::int_>(number)) array.device = number.cast<std::int64_t>();
  }
  array.keeper = py::reinterpret_borrow<py::object>(object);
  return array;
}

// ---- DLPack

constexpr const char* unused_name = "dltensor";
constexpr const char* used_name = "used_dltensor";

std::string type_text(const DLDataType& type) {
  static constexpr const char* names[] = {"int", "uint", "float", "handle", "bfloat", "complex"};
  const std::string name =
      type.code < std::size(names) ? names[type.code] : "type" + std::to_string(type.code);
  return name + std::to_string(type.bits) + (type.lanes == 1 ? "" : "x" + std::to_string(type.lanes));
}

std::optional<Scalar> scalar_of_tensor(const DLDataType& type) {
  constexpr std::uint8_t boolean = 6;  // of later versions than this header
  if (type.lanes != 1 || type.bits % 8 != 0) return std::nullopt;
  const std::size_t bytes = type.bits / 8U;
  switch (type.code) {
    case kDLInt:
      return scalar_of('i', bytes);
    case kDLUInt:
      return scalar_of('u', bytes);
    case kDLFloat:
      return scalar_of('f', bytes);
    case boolean:
      return scalar_of('b', bytes);
    default:
      return std::nullopt;
  }
}

/// Takes a tensor over from its capsule; the keeper gives it back.
ForeignArray from_capsule(const py::object& capsule, std::int64_t device) {
  auto* const managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), unused_name));
  if (managed == nullptr) throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), used_name);
  ForeignArray array;
  array.keeper = py::capsule(managed, [](void* taken) {
    auto* const tensor = static_cast<DLManagedTensor*>(taken);
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  });
  const DLTensor& tensor = managed->dl_tensor;
  array.address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  array.device = device;
  array.scalar = scalar_of_tensor(tensor.dtype);
  array.type = type_text(tensor.dtype);
  array.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  check_shape(array.shape);
  if (tensor.strides != nullptr)
    array.is_contiguous = are_dense({tensor.strides, tensor.strides + tensor.ndim}, array.shape, 1);
  return array;
}

DLDataType type_of(Scalar scalar) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(scalar));
  const char kind = typestr_of(scalar)[1];
  // A bool is a byte there, as in CUDA's own libraries before they had a code for it.
  const std::uint8_t code = kind == 'f' ? kDLFloat : kind == 'i' ? kDLInt : kDLUInt;
  return {code, bits, 1};
}

/// Where the array is on its device, for others, who may use it as long as the array lives.
std::uintptr_t address_of(DeviceArray& array) {
  array.keep();
  const auto found = [&] {
    const py::gil_scoped_release unlocked;
    return array.device()->use([&]() -> Result<std::uintptr_t> { return array.buffer()->address(); });
  };
  return need(found());
}

DLDevice device_of(const OpenDevice& device) {
  if (is_cuda(device)) return {kDLCUDA, std::stoi(device.id().substr(5))};
  if (device.id() == "host") return {kDLCPU, 0};
  throw py::buffer_error("memory of " + device.id() +
                         " cannot be shared by DLPack: array.numpy() copies it to the host");
}

/// What a tensor that was handed on keeps: the array, and its shape.
struct Shared {
  DLManagedTensor managed{};
  DeviceArrayPtr array;
  std::vector<std::int64_t> shape;
};

py::capsule to_capsule(const DeviceArrayPtr& array) {
  const DLDevice device = device_of(*array->device());
  const std::uintptr_t address = address_of(*array);
  auto* const shared = new Shared{{}, array, array->shape()};             // NOLINT: its deleter frees it
  shared->managed.dl_tensor = {.data = reinterpret_cast<void*>(address),  // NOLINT
                               .device = device,
                               .ndim = static_cast<int>(shared->shape.size()),
                               .dtype = type_of(array->scalar()),
                               .shape = shared->shape.data(),
                               .strides = nullptr,
                               .byte_offset = 0};
  shared->managed.manager_ctx = shared;
  shared->managed.deleter = [](DLManagedTensor* taken) {
    delete static_cast<Shared*>(taken->manager_ctx);  // NOLINT
  };
  const auto free_unused = [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, unused_name) == 0) return;
    auto* const tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, unused_name));
    tensor->deleter(tensor);
  };
  return py::reinterpret_steal<py::capsule>(PyCapsule_New(&shared->managed, unused_name, free_unused));
}

// ---- Streams

constexpr std::uintptr_t default_stream = 1;  // of the driver

/// PyTorch's current stream on a device, where the object is a tensor of PyTorch's.
std::optional<std::uintptr_t> stream_of_torch(py::handle object, std::int64_t device) {
  static const PyObject* const name = PyUnicode_InternFromString("torch");
  const auto torch = py::reinterpret_steal<py::object>(PyImport_GetModule(const_cast<PyObject*>(name)));
  if (!torch) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (!py::hasattr(torch, "Tensor") || !py::isinstance(object, torch.attr("Tensor"))) return std::nullopt;
  // What is public makes an object of the stream first, which takes longer than the rest of a call.
  const py::object own = py::getattr(torch, "_C", py::none());
  const py::object raw = py::getattr(own, "_cuda_getCurrentRawStream", py::none());
  const py::object stream =
      raw.is_none() ? torch.attr("cuda").attr("current_stream")(device).attr("cuda_stream") : raw(device);
  const auto handle = stream.cast<std::uintptr_t>();
  return handle == 0 ? default_stream : handle;
}

/// Whether the object is an array of CuPy's, which names its stream by the array interface alone.
bool is_of_cupy(py::handle object) {
  const py::object module = py::getattr(py::type::handle_of(object), "__module__", py::none());
  return py::isinstance<py::str>(module) && utf8_of(module).starts_with("cupy");
}

/// The stream that is to be ordered behind an array, as DLPack names it; nothing where none is.
std::optional<std::uintptr_t> consumers_stream(const py::object& stream) {
  if (stream.is_none()) return default_stream;
  if (!py::isinstance<py::int_>(stream) || stream.cast<std::int64_t>() < -1)
    throw py::buffer_error("a stream is a number, but " + py::repr(stream).cast<std::string>() +
                           " was given");
  const auto number = stream.cast<std::int64_t>();
  if (number == -1) return std::nullopt;
  return number == 0 ? default_stream : static_cast<std::uintptr_t>(number);
}

/// Has a stream wait for what writes the array.
void precede(const DeviceArray& array, std::uintptr_t stream) {
  const auto ordered = [&] {
    const py::gil_scoped_release unlocked;
    return array.device()->use([&] { return array.buffer()->precede(stream); });
  };
  need(ordered());
}

/// The stream behind which the array's contents are, for those who ask without naming theirs: the device's
/// own. Nothing where they are complete.
py::object stream_of(const DeviceArray& array) {
  const auto found = [&]() -> Result<std::uintptr_t> {
    const py::gil_scoped_release unlocked;
    return array.device()->use([&]() -> Result<std::uintptr_t> {
      const auto is_in_use = array.buffer()->is_in_use();
      if (!is_in_use || !*is_in_use) return is_in_use ? Result<std::uintptr_t>(0) : is_in_use.error();
      const std::uintptr_t own = array.device()->device().stream();
      if (auto ordered = array.buffer()->precede(own); !ordered) return ordered.error();
      return own;
    });
  };
  const std::uintptr_t stream = need(found());
  return stream == 0 ? py::object(py::none()) : py::object(py::int_(stream));
}

/// Waits for what writes the array.
void wait_for(const DeviceArray& array) {
  usable_device(array);
  const auto waited = [&] {
    const py::gil_scoped_release unlocked;
    return array.device()->use([&] { return array.buffer()->wait(); });
  };
  need(waited());
}

}  // namespace

Result<void> follow(const Device& device, const ForeignArray& array) {
  return array.stream ? device.follow(*array.stream) : Result<void>();
}

std::optional<ForeignArray> foreign_array(py::handle object) {
  if (PyType_Check(object.ptr()) != 0) return std::nullopt;  // a class, whose objects may be arrays
  const bool has_interface = py::hasattr(object, "__cuda_array_interface__");
  if (py::hasattr(object, "__dlpack_device__") && !(has_interface && is_of_cupy(object))) {
    const py::object device = object.attr("__dlpack_device__")();
    const int type = readable("__dlpack_device__", [&] { return device[py::int_(0)].cast<int>(); });
    const auto number =
        readable("__dlpack_device__", [&] { return device[py::int_(1)].cast<std::int64_t>(); });
    if (type == kDLCUDA || type == kDLCUDAManaged) {
      // PyTorch tells its stream. Others order what makes the contents before the driver's default stream.
      const auto known = readable("stream", [&] { return stream_of_torch(object, number); });
      const py::object capsule = known ? object.attr("__dlpack__")(py::arg("stream") = -1)
                                       : object.attr("__dlpack__")(py::arg("stream") = default_stream);
      ForeignArray array = readable("DLPack capsule", [&] { return from_capsule(capsule, number); });
      array.stream = known.value_or(default_stream);
      array.is_owners_stream = known.has_value();
      return array;
    }
    if (type == kDLCPU) return std::nullopt;
  }
  if (!has_interface) return std::nullopt;
  const py::object interface = object.attr("__cuda_array_interface__");
  return readable("__cuda_array_interface__", [&] { return from_interface(object, interface); });
}

const DevicePtr& usable_device(const DeviceArray& array) {
  if (const auto error = array.device()->lost()) raise(*error);
  return array.device();
}

Buffer buffer_of(const DeviceArray& array) {
  usable_device(array);
  return *array.buffer();
}

void add_device_array(py::module_& module) {
  py::class_<DeviceArray, DeviceArrayPtr>(
      module, "DeviceArray",
      "An array that stays on a device until numpy() copies it. Libraries for CUDA take it without a copy.")
      .def_property_readonly("shape", [](const DeviceArray& array) { return shape_tuple(array.shape()); })
      .def_property_readonly("ndim", [](const DeviceArray& array) { return array.shape().size(); })
      .def_property_readonly("size", &DeviceArray::elements)
      .def_property_readonly(
          "nbytes", [](const DeviceArray& array) { return array.elements() * size_of(array.scalar()); })
      .def_property_readonly("dtype", [](const DeviceArray& array) { return dtype_of(array.scalar()); })
      .def_property_readonly("device", [](const DeviceArray& array) { return array.device()->id(); })
      .def("numpy", &to_numpy, "Copies it to a new array of NumPy's, when the calls that make it have ended.")
      .def("wait", &wait_for, "Waits until the calls that make it, and those that read it, have ended.")
      .def(
          "__array__",
          [](const DeviceArray& array, const py::object& type, const py::object& copy) -> py::object {
            if (!copy.is_none() && !copy.cast<bool>())
              throw py::value_error("an array of a device is NumPy's by a copy only");
            py::object result = to_numpy(array);
            return type.is_none() ? result : result.attr("astype")(type);
          },
          py::arg("dtype") = py::none(), py::arg("copy") = py::none())
      .def("__len__",
           [](const DeviceArray& array) {
             if (array.shape().empty()) throw py::type_error("one number has no length");
             return array.shape()[0];
           })
      .def("__repr__",
           [](const DeviceArray& array) {
             std::string text = "<hoist.DeviceArray ";
             for (const std::int64_t extent : array.shape()) text += "[" + std::to_string(extent) + "]";
             return text + name_of(array.scalar()) + " on " + array.device()->id() + ">";
           })
      .def("__reduce__",
           [](const DeviceArray& array) {
             return py::make_tuple(py::module_::import("hoist").attr("array"),
                                   py::make_tuple(to_numpy(array), array.device()->id()));
           })
      .def_property_readonly("__cuda_array_interface__",
                             [](DeviceArray& array) {
                               if (!is_cuda(*array.device()))
                                 throw py::attribute_error("an array on " + array.device()->id() +
                                                           " has no __cuda_array_interface__");
                               py::dict interface;
                               interface["shape"] = shape_tuple(array.shape());
                               interface["typestr"] = typestr_of(array.scalar());
                               interface["data"] = py::make_tuple(address_of(array), false);
                               interface["version"] = 3;
                               interface["strides"] = py::none();
                               interface["stream"] = stream_of(array);
                               return interface;
                             })
      .def(
          "__dlpack__",
          [](const DeviceArrayPtr& array, const py::object& stream, const py::object&,
             const py::object& device, const py::object& copy) {
            const DLDevice own = device_of(*array->device());
            const bool is_other = !device.is_none() && !device.equal(py::make_tuple(
                                                           static_cast<int>(own.device_type), own.device_id));
            if (is_other || (!copy.is_none() && copy.cast<bool>()))
              throw py::buffer_error("an array is handed on by DLPack where it is: array.numpy() copies it");
            const py::capsule capsule = to_capsule(array);
            const auto consumers =
                own.device_type == kDLCUDA ? consumers_stream(stream) : std::optional<std::uintptr_t>();
            if (consumers) precede(*array, *consumers);
            return capsule;
          },
          "The stream is one of CUDA's, which waits for the calls that make the array; none: the default "
          "stream.",
          py::arg("stream") = py::none(), py::kw_only(), py::arg("max_version") = py::none(),
          py::arg("dl_device") = py::none(), py::arg("copy") = py::none())
      .def("__dlpack_device__", [](const DeviceArray& array) {
        const DLDevice device = device_of(*array.device());
        return py::make_tuple(static_cast<int>(device.device_type), device.device_id);
      });
  module.def("to_device", &to_device);
  module.def("close_device", [](const std::string& id) {
    const auto closed = [&] {
      const py::gil_scoped_release unlocked;
      return close(id);
    };
    need(closed());
  });
}

}  // namespace hoist::python
