#pragma once
// Devices, and arrays that stay on them.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <hoist/program.hpp>
#include <span>

namespace hoist::api {

struct DeviceState;
struct BufferState;

struct DeviceFacts {
  std::string id;  ///< what Device::open takes: "opencl:0", "host"
  std::string name, vendor, platform, version;
  std::string type;                                 ///< "cpu", "gpu", "accelerator" or "other"
  std::size_t global_memory = 0, local_memory = 0;  ///< bytes
  std::size_t compute_units = 1, max_group_size = 1;
  bool has_f64 = false;
};

/// Every device that programs can run on; `host`, the processor with the system's C++ compiler, is always
/// there.
HOIST_EXPORT std::vector<DeviceFacts> devices();

/// An open device; copies stand for the same one. A device, and what was made with it, is for one thread at a
/// time.
class HOIST_EXPORT Device {
 public:
  /// Opens a device by its id; without one the first GPU, or else the first device.
  static Result<Device> open(const std::string& id = {});
  const DeviceFacts& facts() const;
  /// What the device runs from now on waits for what was given so far to this stream of its driver: a
  /// CUstream. User error on devices that are not CUDA's.
  Result<void> follow(std::uintptr_t stream) const;

 private:
  friend struct Access;
  explicit Device(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<DeviceState> state_;
};

template <class T>
struct ScalarOf;  // for no other types
template <>
struct ScalarOf<float> {
  static constexpr Scalar value = Scalar::F32;
};
template <>
struct ScalarOf<double> {
  static constexpr Scalar value = Scalar::F64;
};
template <>
struct ScalarOf<std::int32_t> {
  static constexpr Scalar value = Scalar::I32;
};
template <>
struct ScalarOf<std::uint32_t> {
  static constexpr Scalar value = Scalar::U32;
};
template <>
struct ScalarOf<std::int64_t> {
  static constexpr Scalar value = Scalar::I64;
};
template <>
struct ScalarOf<std::uint64_t> {
  static constexpr Scalar value = Scalar::U64;
};
template <>
struct ScalarOf<std::int8_t> {
  static constexpr Scalar value = Scalar::I8;
};
template <>
struct ScalarOf<std::uint8_t> {
  static constexpr Scalar value = Scalar::U8;
};
template <>
struct ScalarOf<std::int16_t> {
  static constexpr Scalar value = Scalar::I16;
};
template <>
struct ScalarOf<std::uint16_t> {
  static constexpr Scalar value = Scalar::U16;
};
template <>
struct ScalarOf<bool> {
  static constexpr Scalar value = Scalar::Bool;
};
/// float, double, bool and the integers of <cstdint> of 8 to 64 bits.
template <class T>
concept Element = requires {
  ScalarOf<T>::value;
};

/// An array on a device: repeated runs on it copy nothing. Freed with the last copy of the handle.
class HOIST_EXPORT Buffer {
 public:
  static Result<Buffer> allocate(const Device& device, Scalar type, std::size_t elements);
  /// Memory of the device that somebody else allocated, as it is: it must outlive all copies of the handle.
  /// User error where the device's memory has no addresses (OpenCL), or the address is not a multiple of
  /// alignment(), because kernels read vectors.
  static Result<Buffer> at(const Device& device, std::uintptr_t address, Scalar type, std::size_t elements);
  /// A copy of such memory, whose address need only be a multiple of an element's size.
  static Result<Buffer> copy_of(const Device& device, std::uintptr_t address, Scalar type,
                                std::size_t elements);
  /// Bytes: 256 on CUDA, as the driver allocates; an element's size on the host.
  static std::size_t alignment(const Device& device, Scalar type);
  /// Allocates and uploads.
  template <Element T>
  static Result<Buffer> from(const Device& device, std::span<const T> data) {
    auto buffer = allocate(device, ScalarOf<T>::value, data.size());
    if (buffer) {
      if (auto uploaded = buffer->template upload<T>(data); !uploaded) return uploaded.error();
    }
    return buffer;
  }

  Scalar type() const;
  std::size_t elements() const;
  /// Where others find it on the device; 0 where memory has no addresses.
  std::uintptr_t address() const;

  /// Host to device. User error when type or length differ from the buffer's.
  template <Element T>
  Result<void> upload(std::span<const T> data) {
    return upload(ScalarOf<T>::value, std::as_bytes(data));
  }
  template <Element T>
  Result<void> upload(const std::vector<T>& data) {
    return upload(std::span<const T>(data));
  }
  /// Device to host.
  template <Element T>
  Result<void> download(std::span<T> data) const {
    return download(ScalarOf<T>::value, std::as_writable_bytes(data));
  }
  template <Element T>
  Result<void> download(std::vector<T>& data) const {
    return download(std::span<T>(data));
  }

 private:
  friend struct Access;
  explicit Buffer(std::shared_ptr<BufferState> state) : state_(std::move(state)) {}
  Result<void> upload(Scalar type, std::span<const std::byte> data);
  Result<void> download(Scalar type, std::span<std::byte> data) const;
  std::shared_ptr<BufferState> state_;
};

}  // namespace hoist::api
