// Queues of OpenCL: each is a command queue that keeps the order, of the device or of a sub-device.
//
// A command waits for the events of others and for the one before it in its queue. The second is no matter of
// order: where an event has failed, OpenCL runs nothing that waits for it, but says nothing of what only
// follows it in a queue. So a failure goes on to the end of a queue, as queue.hpp promises, and the status of
// each command that was not run says that it waited (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST). Commands
// know those before them weakly, and so find the one that is to blame while anybody holds it: the queue does,
// until `finish`.
#include "runtime/opencl/opencl_queue.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "base/need.hpp"
#include "runtime/limits.hpp"
#include "runtime/opencl/status.hpp"

namespace hoist::runtime::opencl {

namespace {

class OpenclCommand final : public Event::Command {
 public:
  OpenclCommand(SessionPtr session, std::string name, std::vector<std::weak_ptr<OpenclCommand>> before)
      : session_(std::move(session)), name_(std::move(name)), before_(std::move(before)) {}

  void is_given(cl_event event) { event_ = Handle<cl_event>(event, session_->functions.clReleaseEvent); }

  bool has_ended() override { return opencl::has_ended(session_->functions, event_.get()); }

  Result<Times> wait() override {
    if (!outcome_) outcome_ = ended();
    return *outcome_;
  }

  cl_event event() const { return event_.get(); }
  const SessionPtr& session() const { return session_; }
  const std::string& name() const { return name_; }

 private:
  Result<Times> ended() {
    const cl_event event = event_.get();
    const cl_int waited = session_->functions.clWaitForEvents(1, &event);
    cl_int status = waited;
    if (waited == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
        session_->functions.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                           nullptr) != CL_SUCCESS)
      status = waited;
    if (status < CL_COMPLETE) return tl::unexpected(failure(status));
    before_.clear();
    if (const auto times = profiled(*session_, event); times && session_->clock_offset)
      return Times{(*times)[0] + *session_->clock_offset, (*times)[1] + *session_->clock_offset};
    // The device does not tell: all that is known is that it is over.
    const double now = host_seconds();
    return Times{now, now};
  }

  Error failure(cl_int status) const {
    if (status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
      for (const auto& each : before_) {
        const std::shared_ptr<OpenclCommand> command = each.lock();
        if (!command) continue;
        if (auto times = command->wait(); !times) return not_run(times.error(), name_);
      }
    }
    return status_error(status, fmt::format("{} on device {}", name_, session_->named())).value();
  }

  SessionPtr session_;
  std::string name_;
  std::vector<std::weak_ptr<OpenclCommand>> before_;  ///< what it waits for
  Handle<cl_event> event_;
  std::optional<Result<Times>> outcome_;
};

/// Rows as OpenCL has them: bytes of a row, rows, and one slice.
struct Rectangle {
  std::array<std::size_t, 3> origin, region;
  explicit Rectangle(const Rows& rows)
      : origin{rows.offset % rows.pitch, rows.offset / rows.pitch, 0}, region{rows.bytes, rows.count, 1} {}
};
constexpr std::array<std::size_t, 3> origin_of_host{};

class OpenclQueue final : public Queue {
 public:
  OpenclQueue(SessionPtr session, Handle<cl_command_queue> queue, std::shared_ptr<Handle<cl_device_id>> part)
      : session_(std::move(session)), part_(std::move(part)), queue_(std::move(queue)) {}
  ~OpenclQueue() override { functions().clFinish(queue_.get()); }

  Result<Event> upload(Buffer& to, std::size_t offset, std::span<const std::byte> from,
                       std::span<const Event> after) override {
    return catch_failure([&] {
      const OpenclBuffer& target = own(session_, to);
      need(check_transfer(session_->info, "write", offset + from.size(), to.bytes()));
      if (from.empty()) return mark(after);
      target.may_change();
      return give("an upload of " + bytes_text(from.size()), after,
                  [&](cl_uint count, const cl_event* events, cl_event* event) {
                    return functions().clEnqueueWriteBuffer(queue_.get(), target.memory(), CL_FALSE, offset,
                                                            from.size(), from.data(), count, events, event);
                  });
    });
  }

  Result<Event> download(const Buffer& from, std::size_t offset, std::span<std::byte> to,
                         std::span<const Event> after) override {
    return catch_failure([&] {
      const OpenclBuffer& origin = own(session_, from);
      need(check_transfer(session_->info, "read", offset + to.size(), from.bytes()));
      if (to.empty()) return mark(after);
      return give("a download of " + bytes_text(to.size()), after,
                  [&](cl_uint count, const cl_event* events, cl_event* event) {
                    return functions().clEnqueueReadBuffer(queue_.get(), origin.memory(), CL_FALSE, offset,
                                                           to.size(), to.data(), count, events, event);
                  });
    });
  }

  Result<Event> copy(const Buffer& from, std::size_t from_offset, Buffer& to, std::size_t to_offset,
                     std::size_t bytes, std::span<const Event> after) override {
    return catch_failure([&] {
      const OpenclBuffer& origin = own(session_, from);
      const OpenclBuffer& target = own(session_, to);
      need(check_copy(session_->info, from, from_offset, to, to_offset, bytes));
      if (moves_nothing(from, from_offset, to, to_offset, bytes)) return mark(after);
      target.may_change();
      return give("a copy of " + bytes_text(bytes), after,
                  [&](cl_uint count, const cl_event* events, cl_event* event) {
                    return functions().clEnqueueCopyBuffer(queue_.get(), origin.memory(), target.memory(),
                                                           from_offset, to_offset, bytes, count, events,
                                                           event);
                  });
    });
  }

  Result<Event> upload_rows(Buffer& to, const Rows& rows, const std::byte* from, std::size_t pitch,
                            std::span<const Event> after) override {
    if (rows.count == 1) return upload(to, rows.offset, {from, rows.bytes}, after);
    return catch_failure([&] {
      const OpenclBuffer& target = own(session_, to);
      need(check_transfer(session_->info, "write", rows.end(), to.bytes()));
      if (rows.total() == 0) return mark(after);
      target.may_change();
      const Rectangle at(rows);
      return give("an upload of " + bytes_text(rows.total()), after,
                  [&](cl_uint count, const cl_event* events, cl_event* event) {
                    return functions().clEnqueueWriteBufferRect(
                        queue_.get(), target.memory(), CL_FALSE, at.origin.data(), origin_of_host.data(),
                        at.region.data(), rows.pitch, 0, pitch, 0, from, count, events, event);
                  });
    });
  }

  Result<Event> download_rows(const Buffer& from, const Rows& rows, std::byte* to, std::size_t pitch,
                              std::span<const Event> after) override {
    if (rows.count == 1) return download(from, rows.offset, {to, rows.bytes}, after);
    return catch_failure([&] {
      const OpenclBuffer& origin = own(session_, from);
      need(check_transfer(session_->info, "read", rows.end(), from.bytes()));
      if (rows.total() == 0) return mark(after);
      const Rectangle at(rows);
      return give("a download of " + bytes_text(rows.total()), after,
                  [&](cl_uint count, const cl_event* events, cl_event* event) {
                    return functions().clEnqueueReadBufferRect(
                        queue_.get(), origin.memory(), CL_FALSE, at.origin.data(), origin_of_host.data(),
                        at.region.data(), rows.pitch, 0, pitch, 0, to, count, events, event);
                  });
    });
  }

  Result<Event> copy_rows(const Buffer& from, Buffer& to, const Rows& rows,
                          std::span<const Event> after) override {
    if (rows.count == 1) return copy(from, rows.offset, to, rows.offset, rows.bytes, after);
    return catch_failure([&] {
      const OpenclBuffer& origin = own(session_, from);
      const OpenclBuffer& target = own(session_, to);
      need(check_transfer(session_->info, "copy from", rows.end(), from.bytes()));
      need(check_transfer(session_->info, "copy to", rows.end(), to.bytes()));
      if (rows.total() == 0 || &from == &to) return mark(after);
      target.may_change();
      const Rectangle at(rows);
      return give("a copy of " + bytes_text(rows.total()), after,
                  [&](cl_uint count, const cl_event* events, cl_event* event) {
                    return functions().clEnqueueCopyBufferRect(
                        queue_.get(), origin.memory(), target.memory(), at.origin.data(), at.origin.data(),
                        at.region.data(), rows.pitch, 0, rows.pitch, 0, count, events, event);
                  });
    });
  }

  Result<Event> fill(Buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
                     std::span<const Event> after) override {
    return catch_failure([&] {
      const OpenclBuffer& target = own(session_, to);
      need(check_transfer(session_->info, "fill", offset + bytes, to.bytes()));
      if (bytes == 0) return mark(after);
      target.may_change();
      return give("a fill of " + bytes_text(bytes), after,
                  [&](cl_uint count, const cl_event* events, cl_event* event) {
                    return functions().clEnqueueFillBuffer(queue_.get(), target.memory(), &value, 1, offset,
                                                           bytes, count, events, event);
                  });
    });
  }

  Result<Event> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range,
                       std::span<const Event> after) override {
    return catch_failure([&] {
      const OpenclKernel& own_kernel = own(session_, kernel);
      need(check_launch(session_->info, kernel, own_kernel.name(), range));
      if (work_items(range.global) == 0) return mark(after);
      return give(
          "kernel " + own_kernel.name(), after, [&](cl_uint count, const cl_event* events, cl_event* event) {
            enqueue_launch(own_kernel, arguments, range, queue_.get(), std::span(events, count), event);
            return CL_SUCCESS;
          });
    });
  }

  Result<Event> barrier(std::span<const Event> after) override {
    return catch_failure([&] { return mark(after); });
  }

  Result<void> finish() override {
    const cl_int status = functions().clFinish(queue_.get());
    for (const auto& command : given_) {
      if (auto times = command->wait(); !times && !failure_) failure_ = std::move(times.error());
    }
    given_.clear();
    if (failure_) return tl::unexpected(*std::exchange(failure_, std::nullopt));
    return catch_failure([&] { require(status, "waiting for device " + session_->named()); });
  }

 private:
  const Functions& functions() const { return session_->functions; }

  Event mark(std::span<const Event> after) {
    return give("a barrier", after, [&](cl_uint count, const cl_event* events, cl_event* event) {
      return functions().clEnqueueMarkerWithWaitList(queue_.get(), count, events, event);
    });
  }

  /// Gives a command to the queue: `enqueue` gets what it waits for, and sets its event. Throws Failure.
  template <class Enqueue>
  Event give(std::string name, std::span<const Event> after, Enqueue&& enqueue) {
    forget_ended();
    std::vector<std::weak_ptr<OpenclCommand>> before;
    std::vector<cl_event> events;
    const auto wait_in_device = [&](const std::shared_ptr<OpenclCommand>& command) {
      before.push_back(command);
      events.push_back(command->event());
    };
    if (!given_.empty()) wait_in_device(given_.back());
    for (const Event& event : after) {
      const auto own_command = std::dynamic_pointer_cast<OpenclCommand>(event.command());
      if (own_command && own_command->session() == session_) {
        if (given_.empty() || own_command != given_.back()) wait_in_device(own_command);
      } else if (auto waited = event.wait(); !waited && !failure_) {
        failure_ = std::move(waited.error());
      }
    }
    if (failure_) return Event::failed(not_run(*failure_, name));
    auto command = std::make_shared<OpenclCommand>(session_, std::move(name), std::move(before));
    cl_event event = nullptr;
    require(enqueue(static_cast<cl_uint>(events.size()), events.empty() ? nullptr : events.data(), &event),
            fmt::format("{} on device {}", command->name(), session_->named()));
    command->is_given(event);
    given_.push_back(command);
    // Others may wait for the command, which begins only where the queue was flushed.
    require(functions().clFlush(queue_.get()), "giving commands to device " + session_->named());
    return Event(std::move(command));
  }

  /// Lets go of what has ended well, so that a queue that is never finished does not grow.
  void forget_ended() {
    constexpr std::size_t enough = 64;
    while (given_.size() > enough && given_.front()->has_ended()) {
      if (auto times = given_.front()->wait(); !times) {
        if (!failure_) failure_ = std::move(times.error());
      }
      given_.pop_front();
    }
  }

  SessionPtr session_;
  std::shared_ptr<Handle<cl_device_id>> part_;
  Handle<cl_command_queue> queue_;
  std::deque<std::shared_ptr<OpenclCommand>> given_;  ///< since the last `finish`
  std::optional<Error> failure_;
};

class OpenclPartition final : public Partition {
 public:
  OpenclPartition(SessionPtr session, std::shared_ptr<Handle<cl_device_id>> part, std::size_t compute_units)
      : session_(std::move(session)), part_(std::move(part)), compute_units_(compute_units) {}
  std::size_t compute_units() const override { return compute_units_; }
  Result<std::unique_ptr<Queue>> queue() override {
    return catch_failure([&]() -> std::unique_ptr<Queue> {
      return std::make_unique<OpenclQueue>(
          session_, make_command_queue(*session_, part_ ? part_->get() : session_->device), part_);
    });
  }

 private:
  SessionPtr session_;
  std::shared_ptr<Handle<cl_device_id>> part_;  ///< null: the whole device
  std::size_t compute_units_;
};

// ---- Sub-devices

template <class Value>
std::vector<Value> list(const Session& session, cl_device_info property) {
  std::size_t bytes = 0;
  const auto ask = [&](std::size_t size, void* values, std::size_t* needed) {
    return session.functions.clGetDeviceInfo(session.device, property, size, values, needed) == CL_SUCCESS;
  };
  if (!ask(0, nullptr, &bytes)) return {};
  std::vector<Value> values(bytes / sizeof(Value));
  return values.empty() || ask(bytes, values.data(), nullptr) ? values : std::vector<Value>{};
}

/// How many sub-devices there may be; 1 where the device cannot be divided by counts of compute units.
std::size_t most_sub_devices(const Session& session) {
  const auto ways = list<cl_device_partition_property>(session, CL_DEVICE_PARTITION_PROPERTIES);
  const auto most = list<cl_uint>(session, CL_DEVICE_PARTITION_MAX_SUB_DEVICES);
  const bool is_possible = std::find(ways.begin(), ways.end(), CL_DEVICE_PARTITION_BY_COUNTS) != ways.end();
  return is_possible && !most.empty() ? std::max<std::size_t>(most.front(), 1) : 1;
}

/// The sub-devices, of so many compute units each. Throws Failure.
std::vector<std::shared_ptr<Handle<cl_device_id>>> sub_devices(const Session& session,
                                                               const std::vector<std::size_t>& counts) {
  std::vector<cl_device_partition_property> properties{CL_DEVICE_PARTITION_BY_COUNTS};
  for (const std::size_t count : counts)
    properties.push_back(static_cast<cl_device_partition_property>(count));
  properties.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
  properties.push_back(0);
  std::vector<cl_device_id> devices(counts.size());
  require(session.functions.clCreateSubDevices(session.device, properties.data(),
                                               static_cast<cl_uint>(devices.size()), devices.data(), nullptr),
          fmt::format("dividing device {} into {} sub-devices", session.named(), counts.size()));
  // They stay until the process ends: threads of PoCL let go of commands after these have ended, and crash
  // where the sub-device is gone by then.
  constexpr auto keep = [](cl_device_id) -> cl_int { return CL_SUCCESS; };
  std::vector<std::shared_ptr<Handle<cl_device_id>>> parts;
  for (const cl_device_id device : devices)
    parts.push_back(std::make_shared<Handle<cl_device_id>>(device, keep));
  return parts;
}

Partitioning shared(const SessionPtr& session, std::size_t count, std::string note) {
  Partitioning made{.partitions = {}, .are_separate = count == 1, .note = std::move(note)};
  for (std::size_t at = 0; at < count; ++at)
    made.partitions.push_back(
        std::make_unique<OpenclPartition>(session, nullptr, session->info.compute_units));
  return made;
}

/// Learns how the device's clock lies to the host's, by a command that the host waits for.
void set_clock(Session& session) {
  if (session.clock_offset) return;
  cl_int status = CL_SUCCESS;
  const Handle<cl_mem> memory(
      session.functions.clCreateBuffer(session.context.get(), CL_MEM_READ_WRITE, 1, nullptr, &status),
      session.functions.clReleaseMemObject);
  if (status != CL_SUCCESS) return;
  const std::byte byte{};
  for (int repetition = 0; repetition < 3; ++repetition) {
    cl_event raw_event = nullptr;
    if (session.functions.clEnqueueWriteBuffer(session.queue.get(), memory.get(), CL_TRUE, 0, 1, &byte, 0,
                                               nullptr, &raw_event) != CL_SUCCESS)
      return;
    const double now = host_seconds();
    const Handle<cl_event> event(raw_event, session.functions.clReleaseEvent);
    const auto times = profiled(session, raw_event);
    if (!times) return;
    // What the host waits for beside the command makes it late, so the earliest is the best.
    const double offset = now - (*times)[1];
    session.clock_offset = std::min(session.clock_offset.value_or(offset), offset);
  }
}

}  // namespace

Partitioning divide(const SessionPtr& session, std::size_t count) {
  set_clock(*session);
  if (count == 1) return shared(session, 1, {});
  if (count > most_sub_devices(*session))
    return shared(session, count, fmt::format("device {} has no {} sub-devices", session->named(), count));
  const std::size_t units = session->info.compute_units;
  std::vector<std::size_t> counts;
  for (std::size_t at = 0; at < count; ++at) counts.push_back((at + 1) * units / count - at * units / count);
  auto made = catch_failure([&] {
    Partitioning partitioning{.partitions = {}, .are_separate = true, .note = {}};
    auto& parts = session->parts[counts];
    if (parts.empty()) parts = sub_devices(*session, counts);
    for (const auto& part : parts) {
      // Whether queues of sub-devices may be in the device's context is left to drivers.
      make_command_queue(*session, part->get());
      partitioning.partitions.push_back(
          std::make_unique<OpenclPartition>(session, part, counts[partitioning.partitions.size()]));
    }
    return partitioning;
  });
  if (made) return std::move(*made);
  return shared(session, count, made.error().diagnostics.front().message);
}

StreamFacts stream_facts(const Session& session) {
  constexpr cl_device_info nvidia_copy_engines_query = 0x4007;  // CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV
  StreamFacts facts{.is_asynchronous = true,
                    .needs_pinned = session.info.type != target::Type::Cpu,
                    .copy_engines = 0,
                    .most_partitions = std::min(most_sub_devices(session), session.info.compute_units),
                    .partition_granularity = 1,
                    .notes = {}};
  if (session.info.version.find("CUDA") != std::string::npos) {
    const auto engines = list<cl_uint>(session, nvidia_copy_engines_query);
    if (!engines.empty()) facts.copy_engines = std::min<std::size_t>(engines.front(), 2);
  }
  if (facts.most_partitions <= 1) facts.notes.emplace_back("the device has no sub-devices");
  return facts;
}

namespace {

/// Memory that stays mapped as long as it lives.
class MappedBuffer final : public HostMemory {
 public:
  MappedBuffer(SessionPtr session, Handle<cl_mem> memory, std::span<std::byte> bytes)
      : session_(std::move(session)), memory_(std::move(memory)), bytes_(bytes) {}
  ~MappedBuffer() override {
    session_->functions.clEnqueueUnmapMemObject(session_->queue.get(), memory_.get(), bytes_.data(), 0,
                                                nullptr, nullptr);
    session_->functions.clFinish(session_->queue.get());
  }
  std::span<std::byte> bytes() override { return bytes_; }
  bool is_pinned() const override { return true; }
  const std::string& note() const override { return note_; }

 private:
  SessionPtr session_;
  Handle<cl_mem> memory_;
  std::span<std::byte> bytes_;
  std::string note_;
};

}  // namespace

Result<std::unique_ptr<HostMemory>> mapped_memory(const SessionPtr& session, std::size_t bytes) {
  return catch_failure([&]() -> std::unique_ptr<HostMemory> {
    const std::string attempted =
        fmt::format("allocating {} of host memory for device {}", bytes_text(bytes), session->named());
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    cl_int status = CL_SUCCESS;
    Handle<cl_mem> memory(
        session->functions.clCreateBuffer(session->context.get(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                          size, nullptr, &status),
        session->functions.clReleaseMemObject);
    require(status, attempted);
    void* const mapped = session->functions.clEnqueueMapBuffer(session->queue.get(), memory.get(), CL_TRUE,
                                                               CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                                                               nullptr, nullptr, &status);
    require(status, attempted);
    return std::make_unique<MappedBuffer>(session, std::move(memory),
                                          std::span(static_cast<std::byte*>(mapped), bytes));
  });
}

}  // namespace hoist::runtime::opencl
