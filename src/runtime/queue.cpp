#include "runtime/queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/need.hpp"
#include "runtime/limits.hpp"

namespace hoist::runtime {

namespace {

class EndedCommand final : public Event::Command {
 public:
  explicit EndedCommand(Result<Times> outcome) : outcome_(std::move(outcome)) {}
  bool has_ended() override { return true; }
  Result<Times> wait() override { return outcome_; }

 private:
  Result<Times> outcome_;
};

/// Runs each command to its end by the device's own functions.
class SynchronousQueue final : public Queue {
 public:
  explicit SynchronousQueue(Device& device) : device_(device) {}

  Result<Event> upload(Buffer& to, std::size_t offset, std::span<const std::byte> from,
                       std::span<const Event> after) override {
    return run(fmt::format("an upload of {}", bytes_text(from.size())), after,
               [&] { return device_.write(to, from, offset); });
  }
  Result<Event> download(const Buffer& from, std::size_t offset, std::span<std::byte> to,
                         std::span<const Event> after) override {
    return run(fmt::format("a download of {}", bytes_text(to.size())), after,
               [&] { return device_.read(from, to, offset); });
  }
  Result<Event> copy(const Buffer& from, std::size_t from_offset, Buffer& to, std::size_t to_offset,
                     std::size_t bytes, std::span<const Event> after) override {
    return run(fmt::format("a copy of {}", bytes_text(bytes)), after,
               [&] { return device_.copy(from, to, bytes, from_offset, to_offset); });
  }
  Result<Event> upload_rows(Buffer& to, const Rows& rows, const std::byte* from, std::size_t pitch,
                            std::span<const Event> after) override {
    return run_rows("an upload", "write", rows, to, after, [&](std::size_t row, std::size_t offset) {
      return device_.write(to, {from + row * pitch, rows.bytes}, offset);
    });
  }
  Result<Event> download_rows(const Buffer& from, const Rows& rows, std::byte* to, std::size_t pitch,
                              std::span<const Event> after) override {
    return run_rows("a download", "read", rows, from, after, [&](std::size_t row, std::size_t offset) {
      return device_.read(from, {to + row * pitch, rows.bytes}, offset);
    });
  }
  Result<Event> copy_rows(const Buffer& from, Buffer& to, const Rows& rows,
                          std::span<const Event> after) override {
    if (auto checked = check_transfer(device_.info(), "copy from", rows.end(), from.bytes()); !checked)
      return tl::unexpected(std::move(checked.error()));
    return run_rows("a copy", "copy to", rows, to, after, [&](std::size_t, std::size_t offset) {
      return device_.copy(from, to, rows.bytes, offset, offset);
    });
  }
  Result<Event> fill(Buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
                     std::span<const Event> after) override {
    return run(fmt::format("a fill of {}", bytes_text(bytes)), after,
               [&] { return device_.fill(to, value, offset, bytes); });
  }
  Result<Event> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range,
                       std::span<const Event> after) override {
    return run("a launch", after, [&]() -> Result<void> {
      if (auto seconds = device_.launch(kernel, arguments, range); !seconds)
        return tl::unexpected(std::move(seconds.error()));
      return {};
    });
  }
  Result<Event> barrier(std::span<const Event> after) override {
    return run("a barrier", after, []() -> Result<void> { return {}; });
  }
  Result<void> finish() override {
    if (!failure_) return {};
    return tl::unexpected(*std::exchange(failure_, std::nullopt));
  }

 private:
  template <class Move>
  Result<Event> run_rows(const char* name, const char* what, const Rows& rows, const Buffer& buffer,
                         std::span<const Event> after, Move&& move) {
    return run(fmt::format("{} of {}", name, bytes_text(rows.total())), after, [&]() -> Result<void> {
      auto moved = check_transfer(device_.info(), what, rows.end(), buffer.bytes());
      for (std::size_t row = 0; row < rows.count && moved; ++row)
        moved = move(row, rows.offset + row * rows.pitch);
      return moved;
    });
  }

  template <class Body>
  Result<Event> run(const std::string& name, std::span<const Event> after, Body&& body) {
    if (auto before = wait_for(after); !before && !failure_) failure_ = std::move(before.error());
    if (failure_) return Event::failed(not_run(*failure_, name));
    const double start = host_seconds();
    // What fails here may have failed before anything was given to the device: it is the error of the call.
    if (Result<void> outcome = body(); !outcome) return tl::unexpected(std::move(outcome.error()));
    return Event::ended({start, host_seconds()});
  }

  Device& device_;
  std::optional<Error> failure_;
};

class SynchronousPartition final : public Partition {
 public:
  explicit SynchronousPartition(Device& device) : device_(device) {}
  std::size_t compute_units() const override { return device_.info().compute_units; }
  Result<std::unique_ptr<Queue>> queue() override { return std::make_unique<SynchronousQueue>(device_); }

 private:
  Device& device_;
};

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

class PlainMemory final : public HostMemory {
 public:
  PlainMemory(std::unique_ptr<std::byte, FreeMemory> owned, std::span<std::byte> bytes, std::string note)
      : owned_(std::move(owned)), bytes_(bytes), note_(std::move(note)) {}
  std::span<std::byte> bytes() override { return bytes_; }
  bool is_pinned() const override { return note_.empty(); }
  const std::string& note() const override { return note_; }

 private:
  std::unique_ptr<std::byte, FreeMemory> owned_;  ///< null where it is the caller's
  std::span<std::byte> bytes_;
  std::string note_;
};

constexpr const char* not_run_words = "was not run because of it";

std::string no_copy_engines(const target::Target& device) {
  return fmt::format("device {} has no copy engines that Hoist drives", device.id);
}

}  // namespace

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Event Event::ended(Times times) { return Event(std::make_shared<EndedCommand>(times)); }

Event Event::failed(Error error) {
  return Event(std::make_shared<EndedCommand>(tl::unexpected(std::move(error))));
}

Result<void> wait_for(std::span<const Event> events) {
  std::optional<Error> failure;
  for (const Event& event : events) {
    if (auto times = event.wait(); !times && !failure) failure = std::move(times.error());
  }
  if (failure) return tl::unexpected(std::move(*failure));
  return {};
}

Error not_run(const Error& cause, const std::string& name) {
  Error error = cause;
  if (error.diagnostics.empty()) return error;
  std::string& note = error.diagnostics.front().note;
  // A chain of commands is told once: by the command that failed and by the first that was not run for it.
  if (note.find(not_run_words) != std::string::npos) return error;
  note += fmt::format("{}{} {}", note.empty() ? "" : "\n", name, not_run_words);
  return error;
}

Result<void> check_partition_count(const target::Target& device, std::size_t count) {
  const std::size_t units = std::max<std::size_t>(device.compute_units, 1);
  if (count >= 1 && count <= units) return {};
  return user_error(
      fmt::format("{} partitions of device {}, which has {} compute units", count, device.id, units), {},
      fmt::format("choose 1 to {} partitions", units));
}

Result<Partitioning> synchronous_partitions(Device& device, std::size_t count, std::string note) {
  if (auto checked = check_partition_count(device.info(), count); !checked)
    return tl::unexpected(std::move(checked.error()));
  Partitioning partitioning{.partitions = {}, .are_separate = count == 1, .note = std::move(note)};
  for (std::size_t at = 0; at < count; ++at)
    partitioning.partitions.push_back(std::make_unique<SynchronousPartition>(device));
  return partitioning;
}

Result<std::unique_ptr<HostMemory>> plain_memory(std::size_t bytes, std::string note) {
  constexpr std::size_t alignment = 4096;
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  std::unique_ptr<std::byte, FreeMemory> memory(
      static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (!memory)
    return device_error(fmt::format("{} of host memory: the system has no memory left", bytes_text(bytes)),
                        {}, "use smaller arrays, or more and smaller tasks");
  const std::span<std::byte> all(memory.get(), bytes);
  return std::make_unique<PlainMemory>(std::move(memory), all, std::move(note));
}

std::unique_ptr<HostMemory> plain_memory(std::span<std::byte> memory, std::string note) {
  return std::make_unique<PlainMemory>(nullptr, memory, std::move(note));
}

Result<Partitioning> Device::partitions(std::size_t count) {
  return synchronous_partitions(*this, count, fmt::format("device {} runs one command at a time", info().id));
}

Result<std::unique_ptr<HostMemory>> Device::host_memory(std::size_t bytes) {
  return plain_memory(bytes, no_copy_engines(info()));
}

Result<std::unique_ptr<HostMemory>> Device::pin(std::span<std::byte> memory) {
  return plain_memory(memory, no_copy_engines(info()));
}

Result<std::unique_ptr<Buffer>> Device::buffer_in(std::span<std::byte>) { return nullptr; }
Result<std::unique_ptr<Buffer>> Device::buffer_at(std::uintptr_t, std::size_t) { return nullptr; }
std::uintptr_t Device::address_of(const Buffer&) { return 0; }
Result<void> Device::follow(std::uintptr_t) {
  return user_error(fmt::format("device {} has no streams that others could share", info().id));
}

Result<std::unique_ptr<Queue>> Device::queue_on(std::uintptr_t) { return nullptr; }

StreamFacts Device::stream_facts() { return {.notes = {no_copy_engines(info())}}; }

}  // namespace hoist::runtime
