#include "runtime/limits.hpp"

#include <algorithm>
#include <limits>

namespace hoist::runtime {

namespace {

std::string named(const target::Target& device) { return fmt::format("{} ({})", device.id, device.name); }

}  // namespace

std::string bytes_text(std::size_t bytes) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
  std::size_t unit = 0;
  std::size_t scale = 1024;
  while (unit + 1 < std::size(units) && bytes / scale >= 1024) {
    scale *= 1024;
    ++unit;
  }
  if (bytes % scale == 0) return fmt::format("{} {}", bytes / scale, units[unit]);
  return fmt::format("{:.2f} {} ({} bytes)", static_cast<double>(bytes) / static_cast<double>(scale),
                     units[unit], bytes);
}

std::string range_text(const std::array<std::size_t, 3>& sizes) {
  return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

std::string numbered(const std::string& source) {
  std::string text;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < source.size(); ++line) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    text += fmt::format("{:4} | {}\n", line, std::string_view(source).substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

std::size_t work_items(const std::array<std::size_t, 3>& sizes) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  std::size_t items = 1;
  for (const std::size_t size : sizes) items = items > most / size ? most : items * size;
  return items;
}

Result<void> check_launch(const target::Target& device, const Kernel& kernel, const std::string& kernel_name,
                          const Range& range) {
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    if (range.local[dimension] == 0 || range.global[dimension] % range.local[dimension] != 0)
      return fail(ErrorKind::Bug,
                  fmt::format("kernel {}: local size {} does not divide global size {} in dimension {}",
                              kernel_name, range.local[dimension], range.global[dimension], dimension),
                  fmt::format("the range is {} work-items in groups of {}", range_text(range.global),
                              range_text(range.local)));
  }
  const std::size_t group = work_items(range.local);
  if (group > device.max_group_size)
    return device_error(
        fmt::format("work-group of {} work-items: device {} allows at most {}", group, named(device),
                    device.max_group_size),
        fmt::format("kernel {} was to run in groups of {}", kernel_name, range_text(range.local)),
        "choose smaller local sizes");
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    if (range.local[dimension] > device.max_group_sizes[dimension])
      return device_error(
          fmt::format("work-group of {} work-items in dimension {}: device {} allows at most {} there",
                      range.local[dimension], dimension, named(device), device.max_group_sizes[dimension]),
          fmt::format("kernel {} was to run in groups of {}", kernel_name, range_text(range.local)),
          "choose a smaller local size in this dimension");
  }
  if (group > kernel.max_group_size())
    return device_error(fmt::format("work-group of {} work-items: kernel {} on device {} allows at most {}",
                                    group, kernel_name, named(device), kernel.max_group_size()),
                        "the registers or the local memory of the kernel leave no room for more",
                        "choose smaller local sizes");
  if (kernel.local_memory() > device.local_memory)
    return device_error(
        fmt::format("kernel {} needs {} of local memory a work-group: device {} has {}", kernel_name,
                    bytes_text(kernel.local_memory()), named(device), bytes_text(device.local_memory)),
        {}, "choose smaller tiles in local memory");
  return {};
}

Result<void> check_allocation(const target::Target& device, std::size_t bytes, std::size_t allocated) {
  if (bytes > device.largest_buffer)
    return device_error(fmt::format("a buffer of {}: device {} allows at most {} in one buffer",
                                    bytes_text(bytes), named(device), bytes_text(device.largest_buffer)),
                        {}, "use smaller arrays or a device with more memory");
  if (bytes > device.global_memory || allocated > device.global_memory - bytes)
    return device_error(
        fmt::format("a buffer of {}: device {} has {} of memory, of which {} are in use", bytes_text(bytes),
                    named(device), bytes_text(device.global_memory), bytes_text(allocated)),
        {}, "use smaller arrays or a device with more memory");
  return {};
}

Result<void> check_transfer(const target::Target& device, const std::string& what, std::size_t bytes,
                            std::size_t buffer_bytes) {
  if (bytes <= buffer_bytes) return {};
  return fail(ErrorKind::Bug, fmt::format("{} of {} on device {}: the buffer has {}", what, bytes_text(bytes),
                                          named(device), bytes_text(buffer_bytes)));
}

Result<void> check_copy(const target::Target& device, const Buffer& from, std::size_t from_offset,
                        const Buffer& to, std::size_t to_offset, std::size_t bytes) {
  if (auto checked = check_transfer(device, "copy from", from_offset + bytes, from.bytes()); !checked)
    return checked;
  if (auto checked = check_transfer(device, "copy to", to_offset + bytes, to.bytes()); !checked)
    return checked;
  const std::size_t distance = from_offset < to_offset ? to_offset - from_offset : from_offset - to_offset;
  if (&from != &to || distance == 0 || distance >= bytes) return {};
  return fail(ErrorKind::Bug,
              fmt::format("a copy of {} on device {} from byte {} to byte {} of the same buffer",
                          bytes_text(bytes), named(device), from_offset, to_offset));
}

}  // namespace hoist::runtime
