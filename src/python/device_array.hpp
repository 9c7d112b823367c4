#pragma once
// Arrays that stay on a device, and those of other libraries on CUDA's devices (DLPack,
// __cuda_array_interface__).
#include "python/devices.hpp"
#include "python/errors.hpp"
#include "python/scalars.hpp"

namespace hoist::python {

/// What Python sees as hoist.DeviceArray: dense and row-major.
class DeviceArray {
 public:
  DeviceArray(DevicePtr device, Buffer buffer, std::vector<std::int64_t> shape)
      : buffer_(std::move(device), std::move(buffer)), shape_(std::move(shape)) {}

  const DevicePtr& device() const { return buffer_.device(); }
  const Buffer& buffer() const { return *buffer_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  Scalar scalar() const { return buffer_->type(); }

 private:
  OnDevice<Buffer> buffer_;
  std::vector<std::int64_t> shape_;
};
using DeviceArrayPtr = std::shared_ptr<DeviceArray>;

/// Somebody else's array on a CUDA device, as they describe it.
struct ForeignArray {
  std::uintptr_t address = 0;
  std::optional<std::int64_t> device;  ///< its number; nothing where that is not told
  std::optional<Scalar> scalar;        ///< nothing for a type that the language does not have
  std::string type;                    ///< for messages
  std::vector<std::int64_t> shape;
  bool is_contiguous = true, is_read_only = false;
  std::optional<std::uintptr_t> stream;  ///< on which its contents are made
  py::object keeper;                     ///< its memory lives as long as this

  /// Whether it may be on the device of that id.
  bool is_on(const std::string& id) const {
    return device ? id == "cuda:" + std::to_string(*device) : id.starts_with("cuda:");
  }
};
/// Reads what an object says of itself; nothing where it is no array on a CUDA device.
std::optional<ForeignArray> foreign_array(py::handle object);

void add_device_array(py::module_& module);

}  // namespace hoist::python
