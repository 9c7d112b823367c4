#include "runtime/host/host_objects.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/need.hpp"
#include "runtime/limits.hpp"

namespace hoist::runtime::host {

namespace {

constexpr std::size_t huge_page = 2 * 1024 * 1024;

const HostKernel& own(const Kernel& kernel) {
  const auto* own_kernel = dynamic_cast<const HostKernel*>(&kernel);
  if (!own_kernel) throw_failure(ErrorKind::Bug, "a kernel of another device was given to device host");
  return *own_kernel;
}

}  // namespace

Memory allocate_memory(std::size_t bytes) {
  const std::size_t alignment = bytes >= huge_page ? huge_page : buffer_alignment;
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  Memory memory(std::aligned_alloc(alignment, rounded));
  // Large arrays miss the address translation cache less often in huge pages; the system may decline.
  if (memory && alignment == huge_page) madvise(memory.get(), rounded, MADV_HUGEPAGE);
  return memory;
}

std::byte* memory_of(const Buffer& buffer) {
  const auto* own_buffer = dynamic_cast<const HostBuffer*>(&buffer);
  if (!own_buffer) throw_failure(ErrorKind::Bug, "a buffer of another device was given to device host");
  return own_buffer->memory();
}

HostLaunch::HostLaunch(const target::Target& info, const Kernel& kernel, std::span<const Argument> arguments,
                       const Range& range)
    : kernel_(own(kernel)),
      is_empty_(work_items(range.global) == 0),
      scalars_(arguments.size()),
      sizes_{range.global[0], range.global[1], range.global[2],
             range.local[0],  range.local[1],  range.local[2]} {
  need(check_launch(info, kernel, kernel_.name(), range));
  if (is_empty_) return;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    if (const auto* buffer = std::get_if<const Buffer*>(&arguments[index])) {
      if (!*buffer) throw_failure(ErrorKind::Bug, fmt::format("argument {} is no buffer", index));
      pointers_.push_back(memory_of(**buffer));
    } else if (const auto* scalar = std::get_if<ScalarValue>(&arguments[index])) {
      store_scalar(scalars_[index].bytes, 0, *scalar);
      pointers_.push_back(scalars_[index].bytes);
    } else {
      throw_failure(ErrorKind::Bug, "the host reads no images");
    }
  }
}

void HostLaunch::run(std::optional<std::size_t> threads) const {
  if (is_empty_) return;
  if (threads) kernel_.use_threads(*threads);
  kernel_.entry_point()(pointers_.data(), sizes_.data());
}

}  // namespace hoist::runtime::host
