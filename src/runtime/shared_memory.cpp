#include "runtime/shared_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hoist::runtime {

MappedMemory::~MappedMemory() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<MappedMemory> SharedMemory::map() const {
  struct stat status {};
  const bool is_known = fstat(descriptor_, &status) == 0;
  if (is_known && status.st_size == 0) return MappedMemory();
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* mapped = is_known ? mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor_, 0) : MAP_FAILED;
  if (mapped == MAP_FAILED)
    return device_error(fmt::format("shared memory cannot be mapped: {}", std::strerror(errno)));
  return MappedMemory(std::span(static_cast<const std::byte*>(mapped), bytes));
}

Result<SharedMemory> SharedMemory::create() {
  const int descriptor = memfd_create("hoist", MFD_CLOEXEC);
  if (descriptor < 0)
    return device_error(
        fmt::format("no memory can be shared with other processes: {}", std::strerror(errno)));
  return SharedMemory(descriptor);
}

SharedMemory::~SharedMemory() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<void> SharedMemory::write(std::size_t offset, std::span<const std::byte> data) const {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t bytes =
        pwrite(descriptor_, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0)
      return device_error(fmt::format("writing to shared memory failed: {}", std::strerror(errno)), {},
                          "use smaller arrays");
    done += static_cast<std::size_t>(bytes);
  }
  return {};
}

Result<void> SharedMemory::read(std::size_t offset, std::span<std::byte> data) const {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t bytes =
        pread(descriptor_, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return device_error(fmt::format("reading shared memory failed: {}", std::strerror(errno)));
    if (bytes == 0) return device_error("shared memory is shorter than the data to be read");
    done += static_cast<std::size_t>(bytes);
  }
  return {};
}

}  // namespace hoist::runtime
