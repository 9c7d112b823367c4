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
  DeviceArray(DevicePtr device, const Buffer& buffer, std::vector<std::int64_t> shape)
      : scalar_(buffer.type()),
        elements_(buffer.elements()),
        shape_(std::move(shape)),
        buffer_(std::move(device), buffer) {}

  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    if (!is_kept_) buffer_.mark_spare();
  }

  const DevicePtr& device() const { return buffer_.device(); }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  Scalar scalar() const { return scalar_; }
  std::size_t elements() const { return elements_; }
  /// Null once the device was closed: see OnDevice::get.
  std::shared_ptr<Buffer> buffer() const { return buffer_.get(); }
  /// Its memory stays when the device is closed, because others were given its address.
  void keep() {
    is_kept_ = true;
    buffer_.keep();
  }

 private:
  Scalar scalar_;
  std::size_t elements_;
  std::vector<std::int64_t> shape_;
  OnDevice<Buffer> buffer_;
  bool is_kept_ = false;
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
  std::optional<std::uintptr_t> stream;  ///< behind which its contents are
  /// Whether its owner goes on with it on that stream, so that what is behind that is in order.
  bool is_owners_stream = false;
  py::object keeper;  ///< its memory lives as long as this

  /// Whether it may be on the device of that id.
  bool is_on(const std::string& id) const {
    return device ? id == "cuda:" + std::to_string(*device) : id.starts_with("cuda:");
  }
};
/// Has what a device is given by itself wait for what makes the array. The device is this thread's.
Result<void> follow(const Device& device, const ForeignArray& array);
/// What an object says of itself cannot be read.
struct UnreadableArray : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Reads what an object says of itself; nothing where it is no array on a CUDA device. Throws UnreadableArray
/// where that makes no sense.
std::optional<ForeignArray> foreign_array(py::handle object);

/// The device of an array, and its memory there. They raise the error of OpenDevice::lost(); the
/// interpreter's lock is held.
const DevicePtr& usable_device(const DeviceArray& array);
Buffer buffer_of(const DeviceArray& array);

void add_device_array(py::module_& module);

}  // namespace hoist::python
