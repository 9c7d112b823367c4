#pragma once
// Memory that a process shares with those that it starts: arrays that would be slow to send.
#include <cstddef>
#include <span>

#include "base/error.hpp"

namespace hoist::runtime {

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
  int descriptor() const { return descriptor_; }

 private:
  explicit SharedMemory(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace hoist::runtime
