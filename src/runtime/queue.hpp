#pragma once
// Commands that a device does while the host does something else: in-order queues of uploads, launches,
// copies and downloads, events that order commands of different queues, partitions of a device, and host
// memory that its copy engines reach.
//
// Example. Two halves of an array, the upload of the second behind the kernel on the first:
//
//   Partitioning two = need(device.partitions(2));
//   auto left = need(two.partitions[0]->queue()), right = need(two.partitions[1]->queue());
//   Event there = need(left->upload(*a, 0, first_half, {}));
//   need(left->launch(kernel, {a, b}, range, {}));                 // after `there`: a queue keeps its order
//   Event second = need(right->upload(*a2, 0, second_half, {}));   // whenever
//   need(right->launch(kernel, {a2, b}, range, {{there, second}}));
//   need(left->finish()), need(right->finish());
//
// The contract, for all devices:
//
// Order. Commands of one queue run one after the other, as given. A command begins when all of `after` have
// ended; nothing else orders commands of different queues. `after` is read during the call.
//
// Lifetime. What a command uses (buffers, kernels, the memory of `from` and `to`) stays, and the host neither
// changes what is uploaded nor reads what is downloaded, until the command's event has ended. Arguments are
// copied during the call. A queue's destructor waits for its commands, but for one on a stream of somebody
// else's (Device::queue_on); partitions, in any order, and queues go before their device, buffers and host
// memory after the commands that use them.
//
// Blocking. A call may wait for commands that were given before, never for one that is given later, so
// commands given in an order that respects `after` do not hang. Memory that is not pinned makes uploads and
// downloads of some devices wait until they are done (StreamFacts::needs_pinned).
//
// Errors. What can be seen at once (a range outside a buffer, a group that is too large) is the error of the
// call, and nothing is given to the device. What fails later is the error of the event; a device that runs
// commands while they are given may tell it by the call. A command whose `after` has a failed event, or that
// follows a failed one in its queue, is not run: its event fails with the same error and a note. Until
// `finish` has returned the error, the queue runs nothing more; then it begins anew, unless the device lost
// its state by the failure, which the message says: then buffers, kernels, partitions and queues are made
// anew, too. What a failed download was to write is unspecified, what a download that ended without an error
// wrote is whole. Host memory is never lost.
//
// Threads. One thread at a time uses a device with all of its queues and their events.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.hpp"

namespace hoist::runtime {

/// When a command ran, in seconds of the host's steady clock (std::chrono::steady_clock's epoch). Differences
/// within a device are as exact as its clock; against the host's own time they are off by some ten
/// microseconds.
struct Times {
  double start = 0, end = 0;
  double seconds() const { return end - start; }
};

/// Bytes of a memory in rows: as many bytes of each, the first from `offset` on, each `pitch` bytes behind
/// the one before.
struct Rows {
  std::size_t offset = 0, bytes = 0, count = 1, pitch = 0;

  bool operator==(const Rows&) const = default;
  std::size_t total() const { return bytes * count; }
  /// Behind the last byte.
  std::size_t end() const { return total() == 0 ? offset : offset + (count - 1) * pitch + bytes; }
};

/// A command that was given to a queue. Copies mean the same command; an Event without one has ended.
class Event {
 public:
  /// What a backend knows of a command.
  class Command {
   public:
    virtual ~Command() = default;
    virtual bool has_ended() = 0;
    /// Waits for the end. The same answer at each call.
    virtual Result<Times> wait() = 0;
  };

  Event() = default;
  explicit Event(std::shared_ptr<Command> command) : command_(std::move(command)) {}
  /// An event of a command that is over.
  static Event ended(Times times);
  /// An event of a command that failed, or was not run.
  static Event failed(Error error);

  /// Whether the command has ended, well or not.
  bool has_ended() const { return !command_ || command_->has_ended(); }
  /// Waits until it has, then says when it ran, or why it failed.
  Result<Times> wait() const { return command_ ? command_->wait() : Times{}; }
  /// For the backends, which recognize their own.
  const std::shared_ptr<Command>& command() const { return command_; }

 private:
  std::shared_ptr<Command> command_;
};

/// An in-order queue of a partition. Offsets and sizes are in bytes; commands of no bytes and launches of no
/// work-items keep the order and do nothing.
class Queue {
 public:
  /// Waits for all commands.
  virtual ~Queue() = default;

  /// Host memory to the bytes of `to` from `offset` on.
  virtual Result<Event> upload(Buffer& to, std::size_t offset, std::span<const std::byte> from,
                               std::span<const Event> after) = 0;
  /// The bytes of `from` from `offset` on to host memory.
  virtual Result<Event> download(const Buffer& from, std::size_t offset, std::span<std::byte> to,
                                 std::span<const Event> after) = 0;
  /// Between buffers of the device, or from one of a device that it reaches. Bug error where the ranges
  /// overlap in one buffer without being the same.
  virtual Result<Event> copy(const Buffer& from, std::size_t from_offset, Buffer& to, std::size_t to_offset,
                             std::size_t bytes, std::span<const Event> after) = 0;
  /// The same of rows, as one command. In the host's memory they lie `pitch` bytes
  /// behind each other; a copy has them at the same place of both buffers.
  virtual Result<Event> upload_rows(Buffer& to, const Rows& rows, const std::byte* from, std::size_t pitch,
                                    std::span<const Event> after) = 0;
  virtual Result<Event> download_rows(const Buffer& from, const Rows& rows, std::byte* to, std::size_t pitch,
                                      std::span<const Event> after) = 0;
  virtual Result<Event> copy_rows(const Buffer& from, Buffer& to, const Rows& rows,
                                  std::span<const Event> after) = 0;
  /// One value into each of these bytes.
  virtual Result<Event> fill(Buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
                             std::span<const Event> after) = 0;
  /// Fails at once as Device::launch does before it launches.
  virtual Result<Event> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range,
                               std::span<const Event> after) = 0;
  /// Does nothing, after all of these and all that the queue was given: one event for many.
  virtual Result<Event> barrier(std::span<const Event> after) = 0;
  /// Whether the events of what is given from now on tell when it ran; at first they do. Where they need not,
  /// a device may leave them at 0 seconds, which saves it a command beside each.
  virtual void keep_times(bool) {}
  /// Waits for all commands. The first failure since the last call.
  virtual Result<void> finish() = 0;
};

/// A share of a device's compute units. Must not outlive the device.
class Partition {
 public:
  virtual ~Partition() = default;
  /// How many compute units it has; all of the device's where partitions share it.
  virtual std::size_t compute_units() const = 0;
  /// A new queue, whose launches run on this partition's compute units. A partition may have several: then
  /// copies of one overlap launches of another.
  virtual Result<std::unique_ptr<Queue>> queue() = 0;
};

struct Partitioning {
  std::vector<std::unique_ptr<Partition>> partitions;
  bool are_separate = false;  ///< whether each has compute units of its own
  std::string note = {};      ///< where not: why; or what remains idle
};

/// Memory of the host for uploads and downloads. Must not outlive its device.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  virtual std::span<std::byte> bytes() = 0;
  /// Whether the device reaches it by itself, so that commands with it need not wait.
  virtual bool is_pinned() const = 0;
  /// Why not, where it is not.
  virtual const std::string& note() const = 0;
};

/// What a device can do at the same time.
struct StreamFacts {
  bool is_asynchronous = false;  ///< whether commands of different queues overlap at all
  bool needs_pinned = false;     ///< whether only copies of pinned memory overlap anything
  std::size_t copy_engines = 0;  ///< 2: an upload and a download at once; 0: it is not known
  /// The most partitions with compute units of their own; 1 where the device cannot be divided.
  std::size_t most_partitions = 1;
  std::size_t partition_granularity = 1;  ///< a partition's compute units are a multiple of it
  std::vector<std::string> notes = {};    ///< what is missing, and why
};

/// Waits for all of them. The first failure.
Result<void> wait_for(std::span<const Event> events);
/// Now, on the clock of Times.
double host_seconds();

// ---- For the backends

/// The default of Device::partitions: partitions that share the device, whose queues run each command to its
/// end when it is given, so that most of what fails is the error of the call.
Result<Partitioning> synchronous_partitions(Device& device, std::size_t count, std::string note);
/// User error where a device cannot have so many partitions.
Result<void> check_partition_count(const target::Target& device, std::size_t count);
/// Plain memory, and why the device does not reach it; no note where any memory will do. Device error where
/// the system has none left.
Result<std::unique_ptr<HostMemory>> plain_memory(std::size_t bytes, std::string note);
/// The same of the caller's memory as it is.
std::unique_ptr<HostMemory> plain_memory(std::span<std::byte> memory, std::string note);
/// The error of a command that was not run because another failed; `name` is the command's.
Error not_run(const Error& cause, const std::string& name);

}  // namespace hoist::runtime
