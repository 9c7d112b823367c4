#pragma once
// Buffers, kernels and launches of the host. host_device.hpp has the contract of a kernel's function.
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/host/compiler.hpp"

namespace hoist::runtime::host {

using KernelFunction = void (*)(void* const* arguments, const std::size_t* range);

constexpr std::size_t largest_group = 4096;   ///< a convention: groups are loops
constexpr std::size_t buffer_alignment = 64;  ///< a cache line, and the widest vector

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

/// Allocates the memory of a buffer, at a huge page where it is large; null when the system has no more.
Memory allocate_memory(std::size_t bytes);

class HostBuffer : public Buffer {
 public:
  /// Memory of its own, counted in `allocated` while it lives: any thread may end it, whatever others do.
  HostBuffer(std::shared_ptr<std::atomic<std::size_t>> allocated, Memory memory, std::size_t bytes)
      : allocated_(std::move(allocated)), owned_(std::move(memory)), memory_(owned_.get()), bytes_(bytes) {
    *allocated_ += bytes_;
  }
  /// Somebody else's memory.
  explicit HostBuffer(std::span<std::byte> memory) : memory_(memory.data()), bytes_(memory.size()) {}
  ~HostBuffer() override {
    if (allocated_) *allocated_ -= bytes_;
  }
  std::size_t bytes() const override { return bytes_; }
  std::byte* memory() const { return static_cast<std::byte*>(memory_); }

 private:
  std::shared_ptr<std::atomic<std::size_t>> allocated_;  ///< null where the memory is somebody else's
  Memory owned_;
  void* memory_;
  std::size_t bytes_;
};

/// The memory of a buffer of the host. Throws Failure where it is another device's.
std::byte* memory_of(const Buffer& buffer);

class HostKernel : public Kernel {
 public:
  HostKernel(std::shared_ptr<Library> library, KernelFunction function, std::string name)
      : library_(std::move(library)),
        entry_point_(function),
        set_threads_(reinterpret_cast<void (*)(int)>(library_->symbol("omp_set_num_threads"))),
        name_(std::move(name)) {}
  std::size_t max_group_size() const override { return largest_group; }
  std::size_t local_memory() const override { return 0; }
  std::size_t private_memory() const override { return 0; }
  KernelFunction entry_point() const { return entry_point_; }
  /// Has the launches of the calling thread run on so many threads; nothing where there is no OpenMP.
  void use_threads(std::size_t threads) const {
    if (set_threads_ != nullptr) set_threads_(static_cast<int>(threads));
  }
  const std::string& name() const { return name_; }

 private:
  std::shared_ptr<Library> library_;
  KernelFunction entry_point_;
  void (*set_threads_)(int);
  std::string name_;
};

/// A kernel with its arguments, checked and copied: what only has to be called.
class HostLaunch {
 public:
  /// Throws Failure where the kernel, an argument or the range is not the host's.
  HostLaunch(const target::Target& info, const Kernel& kernel, std::span<const Argument> arguments,
             const Range& range);
  HostLaunch(const HostLaunch&) = delete;
  HostLaunch& operator=(const HostLaunch&) = delete;

  /// Runs the kernel, by so many threads where a number is given; nothing for no work-items.
  void run(std::optional<std::size_t> threads) const;
  bool is_empty() const { return is_empty_; }
  const std::string& name() const { return kernel_.name(); }

 private:
  struct alignas(8) ScalarMemory {
    std::byte bytes[8]{};
  };
  const HostKernel& kernel_;
  bool is_empty_;
  std::vector<ScalarMemory> scalars_;
  std::vector<void*> pointers_;
  std::array<std::size_t, 6> sizes_;
};

}  // namespace hoist::runtime::host
