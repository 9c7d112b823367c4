#pragma once
// Devices, and arrays that stay on them.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <hoist/program.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

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
/// time: a call while another thread is in one, a run for example, is a user error.
class HOIST_EXPORT Device {
 public:
  /// Opens a device by its id; without one the first GPU, or else the first device.
  static Result<Device> open(const std::string& id = {});
  const DeviceFacts& facts() const;
  /// What the device runs from now on waits for what was given so far to this stream of its driver: a
  /// CUstream. User error on devices that are not CUDA's.
  Result<void> follow(std::uintptr_t stream) const;
  /// The driver's handle of the stream on which the device runs what it is given; 0 on devices that are not
  /// CUDA's.
  std::uintptr_t stream() const;
  /// How often the device was reset because a kernel failed: what was made before is lost, buffers and
  /// programs.
  std::uint64_t resets() const;

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

/// An array that programs run on without moving it more than they must. Its elements are in the host's
/// memory, on the device or in both, and it knows which are where: a program uploads of its inputs what the
/// device lacks, its results stay on the device, and the host downloads the range that it reads. Memory is
/// freed with the last copy of the handle. What nobody has written, or was to be written by a run that
/// failed, cannot be read: that is a user error.
class HOIST_EXPORT Buffer {
 public:
  /// On the device, of elements that nobody has written yet. Device error where they do not fit.
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
  /// Uploads an array of the caller's.
  template <Element T>
  static Result<Buffer> from(const Device& device, std::span<const T> data) {
    auto buffer = allocate(device, ScalarOf<T>::value, data.size());
    if (buffer) {
      if (auto uploaded = buffer->template upload<T>(data); !uploaded) return uploaded.error();
    }
    return buffer;
  }
  /// Takes over an array of the caller's as the buffer's memory on the host. Programs upload it when they
  /// need it: those in streams while they compute, and part by part where it is larger than the device's
  /// memory.
  template <Element T>
  requires(!std::same_as<T, bool>) static Result<Buffer> from(const Device& device, std::vector<T>&& data) {
    auto owner = std::make_shared<std::vector<T>>(std::move(data));
    const auto bytes = std::as_writable_bytes(std::span(*owner));
    return around(device, ScalarOf<T>::value, std::move(owner), bytes);
  }

  Scalar type() const;
  std::size_t elements() const;
  /// Where others find it on the device, after uploading what that lacks; 0 where memory has no addresses.
  /// What was started on it (Compiled::start) need not have ended: see wait() and precede(). User error where
  /// nobody has written all of it.
  Result<std::uintptr_t> address() const;
  /// Waits until what was started on it has ended. Device error, with the program's name, where that failed.
  Result<void> wait() const;
  /// Whether something that was started on it has not ended.
  Result<bool> is_in_use() const;
  /// What this stream of the driver is given from now on waits for what was started on the buffer. User error
  /// on devices that are not CUDA's.
  Result<void> precede(std::uintptr_t stream) const;

  /// The elements from `first` on, in the buffer's memory on the host: those that it lacks are downloaded.
  /// The memory is for reading, until the buffer is next used by anything else. User error: another type than
  /// the buffer's, a range outside of it.
  template <Element T>
  Result<std::span<const T>> read(std::size_t first, std::size_t count) const {
    auto bytes = read(ScalarOf<T>::value, first, count);
    if (!bytes) return bytes.error();
    return std::span<const T>(reinterpret_cast<const T*>(bytes->data()), count);
  }
  template <Element T>
  Result<std::span<const T>> read() const {
    return read<T>(0, elements());
  }
  /// Memory on the host for new contents of the elements from `first` on, all of which the caller writes
  /// before the buffer is next used. It holds the old ones only where they were read before. User errors as
  /// for read.
  template <Element T>
  Result<std::span<T>> write(std::size_t first, std::size_t count) {
    auto bytes = write(ScalarOf<T>::value, first, count);
    if (!bytes) return bytes.error();
    return std::span<T>(reinterpret_cast<T*>(bytes->data()), count);
  }
  template <Element T>
  Result<std::span<T>> write() {
    return write<T>(0, elements());
  }

  /// From an array of the caller's to the device: all elements, or those from `first` on. User error when
  /// type or length differ from the buffer's, or the range is outside of it.
  template <Element T>
  Result<void> upload(std::span<const T> data) {
    return upload(ScalarOf<T>::value, std::as_bytes(data), std::nullopt);
  }
  template <Element T>
  Result<void> upload(const std::vector<T>& data) {
    return upload(std::span<const T>(data));
  }
  template <Element T>
  Result<void> upload(std::span<const T> data, std::size_t first) {
    return upload(ScalarOf<T>::value, std::as_bytes(data), first);
  }
  /// To an array of the caller's, from where the elements are: all, or those from `first` on.
  template <Element T>
  Result<void> download(std::span<T> data) const {
    return download(ScalarOf<T>::value, std::as_writable_bytes(data), std::nullopt);
  }
  template <Element T>
  Result<void> download(std::vector<T>& data) const {
    return download(std::span<T>(data));
  }
  template <Element T>
  Result<void> download(std::span<T> data, std::size_t first) const {
    return download(ScalarOf<T>::value, std::as_writable_bytes(data), first);
  }

 private:
  friend struct Access;
  explicit Buffer(std::shared_ptr<BufferState> state) : state_(std::move(state)) {}
  static Result<Buffer> around(const Device& device, Scalar type, std::shared_ptr<void> owner,
                               std::span<std::byte> memory);
  Result<std::span<const std::byte>> read(Scalar type, std::size_t first, std::size_t count) const;
  Result<std::span<std::byte>> write(Scalar type, std::size_t first, std::size_t count);
  Result<void> upload(Scalar type, std::span<const std::byte> data, std::optional<std::size_t> first);
  Result<void> download(Scalar type, std::span<std::byte> data, std::optional<std::size_t> first) const;
  std::shared_ptr<BufferState> state_;
};

}  // namespace hoist::api
