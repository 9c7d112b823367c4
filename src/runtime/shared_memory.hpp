#pragma once
// Memory that a process shares with those that it starts: arrays that would be slow to send.
#include <cstddef>
#include <span>
#include <utility>

#include "base/error.hpp"

namespace hoist::runtime {

/// Bytes of shared memory as a process reads them in place, without a copy of its own; writing to them
/// crashes.
class MappedMemory {
 public:
  MappedMemory() = default;
  explicit MappedMemory(std::span<const std::byte> bytes) : bytes_(bytes) {}
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedMemory& operator=(MappedMemory&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Bytes without a name in any file system; freed with the last process that has them open.
class SharedMemory {
 public:
  /// Shared memory of no bytes yet. Device error where the system gives none.
  static Result<SharedMemory> create();
  /// What the process that started this one shares, under a descriptor's number.
  static SharedMemory inherited(int descriptor) { return SharedMemory(descriptor); }
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  /// Grows as far as is written. Device error when there is no memory left.
  Result<void> write(std::size_t offset, std::span<const std::byte> data) const;
  /// Device error where fewer bytes were written.
  Result<void> read(std::size_t offset, std::span<std::byte> data) const;
  /// All that is written by now. Device error where it cannot be mapped.
  Result<MappedMemory> map() const;
  int descriptor() const { return descriptor_; }

 private:
  explicit SharedMemory(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace hoist::runtime
