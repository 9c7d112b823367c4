#pragma once
// Devices as the rest of Hoist sees them: source text and buffers in, results and times out. A device knows
// nothing of terms or loops.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/scalar.hpp"
#include "target/target.hpp"

namespace hoist::runtime {

class HostMemory;     // runtime/queue.hpp
class Queue;          // runtime/queue.hpp
struct Partitioning;  // runtime/queue.hpp
struct StreamFacts;   // runtime/queue.hpp

/// Memory of a device. Freed with the handle; must not outlive its device.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::size_t bytes() const = 0;
};

/// A buffer of f32 or i32 that a kernel reads as a two-dimensional image: rows of pixels of 1 or 4 scalars.
/// Of several blocks, which follow each other in the buffer, each is so many columns of the image.
struct ImageArgument {
  const Buffer* buffer = nullptr;
  Scalar scalar = Scalar::F32;
  std::size_t channels = 1, width = 0, height = 0;
  std::size_t blocks = 1;  ///< divides the width

  std::size_t bytes() const { return channels * width * height * size_of(scalar); }
};

/// An argument of a kernel, in the order of its parameters. The host has no images.
using Argument = std::variant<const Buffer*, ScalarValue, ImageArgument>;

/// Work-items in all and per group, three dimensions each; local divides global.
struct Range {
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{1, 1, 1};
};

/// What the device's compiler said about a kernel.
struct BuildFacts {
  double seconds = 0;  ///< time spent building
  bool from_cache = false;
  std::string log;
};

/// What a kernel takes of the device that it was built for. Sizes in bytes.
struct KernelFacts {
  std::size_t registers = 0;        ///< of a work-item
  std::size_t private_memory = 0;   ///< of a work-item beside them: arrays and what the registers do not hold
  std::size_t local_memory = 0;     ///< of a group
  std::size_t max_group_size = 0;   ///< the most work-items that a group may have
  std::size_t groups_per_unit = 0;  ///< groups that a compute unit runs at once
};

/// One kernel function, ready to launch.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Most work-items a group of this kernel may have, and its local and private memory in bytes, all as the
  /// driver tells: some (PoCL from version 4 on, and the host) say 0 for the local memory of arrays declared
  /// in the kernel.
  virtual std::size_t max_group_size() const = 0;
  virtual std::size_t local_memory() const = 0;
  virtual std::size_t private_memory() const = 0;
  /// The same and more, for groups of so many work-items; nothing where the driver does not tell.
  virtual std::optional<KernelFacts> facts(std::size_t group_size) const {
    (void)group_size;
    return std::nullopt;
  }
};

/// The state of a device while it works. Read, never set.
struct Vitals {
  int clock_mhz = 0;         ///< of the processors
  int memory_clock_mhz = 0;  ///< 0 where it is not told, as all that follow
  int celsius = 0;
  double watts = 0;
};

/// A built source text.
class Program {
 public:
  virtual ~Program() = default;
  /// The kernel of that name; each launch of it gives its groups so many bytes of local memory beside what it
  /// declares (CUDA alone has this).
  virtual Result<std::unique_ptr<Kernel>> kernel(const std::string& name,
                                                 std::size_t dynamic_local_memory = 0) = 0;
  virtual const BuildFacts& facts() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const target::Target& info() const = 0;

  /// Compiles source text. A source that does not compile is a Bug-kind error with the build log and the
  /// text.
  virtual Result<std::unique_ptr<Program>> build(const std::string& source) = 0;
  /// What a Builder made for this device, in this process or another. Device error where the driver does not
  /// take it (then build the source), Bug where it is empty.
  virtual Result<std::unique_ptr<Program>> load(const std::string& binary) = 0;

  /// Device error (naming the bytes asked and the limit) when it does not fit.
  virtual Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) = 0;
  /// To the byte `offset` and those behind it.
  virtual Result<void> write(Buffer& buffer, std::span<const std::byte> data, std::size_t offset = 0) = 0;
  /// From the byte `offset` on.
  virtual Result<void> read(const Buffer& buffer, std::span<std::byte> data, std::size_t offset = 0) = 0;
  /// Fills with one byte value (poison before a checked run): `bytes` from the byte `offset` on, all of them
  /// by default.
  virtual Result<void> fill(Buffer& buffer, std::uint8_t value, std::size_t offset = 0,
                            std::optional<std::size_t> bytes = std::nullopt) = 0;
  /// Device-side copy of `bytes` bytes. Bug error where the ranges overlap in one buffer without being the
  /// same.
  virtual Result<void> copy(const Buffer& from, Buffer& to, std::size_t bytes, std::size_t from_offset = 0,
                            std::size_t to_offset = 0) = 0;

  /// Checks the range against the kernel's and the device's limits (error says which, before launching), runs
  /// to completion and returns the seconds the device reports for the kernel alone.
  virtual Result<double> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range) = 0;

  /// Divides the device into `count` partitions of as many compute units each as can be, for queues that
  /// overlap (runtime/queue.hpp); 1: the whole device. Where it cannot be divided, or it is divided already,
  /// all share it, and a note says so. User error where `count` is 0 or more than its compute units.
  virtual Result<Partitioning> partitions(std::size_t count);
  /// Host memory that the copy engines reach; plain memory with a note where there is none left.
  virtual Result<std::unique_ptr<HostMemory>> host_memory(std::size_t bytes);
  /// The caller's own memory made such, as it is, for as long as the handle lives: uploads and downloads need
  /// no copy of it. Where that fails, the memory stays as it was, and a note says why.
  virtual Result<std::unique_ptr<HostMemory>> pin(std::span<std::byte> memory);
  /// A buffer that is the caller's own memory, so that nothing needs to be moved; it must outlive the buffer.
  /// Its address is a multiple of the size of the elements that kernels know it by. What the caller writes
  /// before a launch the launch reads; what launches wrote is there for the caller after a read of all of the
  /// buffer into that same memory. Null where the device cannot use it.
  virtual Result<std::unique_ptr<Buffer>> buffer_in(std::span<std::byte> memory);
  /// Memory of the device that somebody else allocated, by its address; it must outlive the buffer. Null
  /// where the device's memory has no addresses.
  virtual Result<std::unique_ptr<Buffer>> buffer_at(std::uintptr_t address, std::size_t bytes);
  /// The address by which others find a buffer; 0 where it has none.
  virtual std::uintptr_t address_of(const Buffer& buffer);
  /// What the device is given from now on waits for what was given so far to this stream, which is a handle
  /// of the device's driver. User error where it has no such streams.
  virtual Result<void> follow(std::uintptr_t stream);
  /// A queue on a stream that the caller has, a handle of the device's driver. It keeps the order of that
  /// stream, which may be given other things beside; its destructor waits for nothing. Null where the device
  /// has no such streams.
  virtual Result<std::unique_ptr<Queue>> queue_on(std::uintptr_t stream);
  /// The stream on which the device runs what its own functions give it; 0 where it has no such streams.
  virtual std::uintptr_t stream() const { return 0; }
  /// How often the device was reset because a kernel failed: what was made before is lost.
  virtual std::uint64_t resets() const { return 0; }
  virtual StreamFacts stream_facts();
  /// Whether queues of this device copy from buffers of the other by themselves.
  virtual bool reaches(const Device& other) const { return this == &other; }

  /// Bytes that can still be allocated, as other programs may hold memory of the device too; all of its
  /// memory where the driver does not tell.
  virtual Result<std::size_t> free_memory() { return info().global_memory; }

  /// What the device's driver tells of its state at this moment; nothing where it does not.
  virtual std::optional<Vitals> vitals() { return std::nullopt; }
};

/// What a Builder made of a source.
struct Built {
  /// What Device::load takes. Empty where there is nothing to hand on: the host and PoCL keep what they built
  /// in a cache that processes share, where Device::build finds it.
  std::string binary;
  BuildFacts facts;
};

/// Compiles for a device without running anything on it, so that many processes can do it at once beside the
/// one that measures.
class Builder {
 public:
  virtual ~Builder() = default;
  virtual const target::Target& info() const = 0;
  /// Fails as Device::build does.
  virtual Result<Built> build(const std::string& source) = 0;
  /// Whether the driver leaves most of the compilation to the first launch, for whose sizes it compiles, and
  /// keeps what comes of it in a cache that processes share: then a launch in one process spares all others
  /// the compilation.
  virtual bool compiles_at_launch() const { return false; }
};

}  // namespace hoist::runtime
