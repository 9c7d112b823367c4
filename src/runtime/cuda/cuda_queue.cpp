// Queues of CUDA: each is a stream, of the device's context or of a green one.
//
// A command lies between two events of the driver, which tell when it ran (cuda/timeline.hpp); others wait
// for the second. Where no times are kept, the first is left out, and the second tells the end alone. A
// kernel that fails takes the context with it, and with it all that queues hold: whoever sees it first has
// the session make a new context, and then all commands, queues and partitions of the old one are lost, which
// they say.
//
// What a command is called is put into words where something fails: thousands of them are given in a run.
//
// Memory that is not pinned is no copy engine's: large transfers of it wait for what is before them and then
// go through the session's staging buffers, small ones through the driver's own.
#include "runtime/cuda/cuda_queue.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/need.hpp"
#include "runtime/cuda/cuda_objects.hpp"
#include "runtime/cuda/green_context.hpp"
#include "runtime/limits.hpp"

namespace hoist::runtime::cuda {

namespace {

/// What a command does, and on how many bytes or by which kernel.
struct CommandName {
  const char* what;
  std::optional<std::size_t> bytes = std::nullopt;
  std::string kernel = {};

  std::string text() const {
    return bytes ? fmt::format("{} of {}", what, bytes_text(*bytes)) : what + kernel;
  }
};

class CudaCommand final : public Event::Command {
 public:
  /// Throws Failure.
  CudaCommand(SessionPtr session, CommandName name, bool is_timed)
      : session_(std::move(session)),
        name_(std::move(name)),
        generation_(session_->generation()),
        is_timed_(is_timed) {
    Timeline& timeline = session_->timeline();
    if (is_timed_) {
      require(timeline.mark(mark_, session_->stream()));
      require(timeline.take(start_));
    }
    require(timeline.take(end_, is_timed_));
  }
  ~CudaCommand() override {
    if (is_lost()) return;
    if (start_ != nullptr) session_->timeline().give_back(start_);
    if (end_ != nullptr) session_->timeline().give_back(end_, is_timed_);
  }

  bool has_ended() override {
    if (outcome_ || is_lost()) return true;
    if (session_->driver().cuCtxSetCurrent(session_->context()) != CUDA_SUCCESS) return true;
    return session_->driver().cuEventQuery(end_) != CUDA_ERROR_NOT_READY;
  }

  Result<Times> wait() override {
    if (!outcome_) outcome_ = catch_failure([&] { return ended(); });
    return *outcome_;
  }

  /// Throw Failure.
  void begins(CUstream stream) {
    if (is_timed_) require(session_->driver().cuEventRecord(start_, stream));
  }
  void ends(CUstream stream) { require(session_->driver().cuEventRecord(end_, stream)); }

  CUevent end() const { return end_; }
  const SessionPtr& session() const { return session_; }
  bool is_lost() const { return generation_ != session_->generation(); }
  /// Throws Failure where the status is no success.
  void require(CUresult status) const {
    if (status != CUDA_SUCCESS) session_->require(status, attempted());
  }

 private:
  /// For messages: what is seen to fail here may have been given before.
  std::string attempted() const {
    return fmt::format("{} on device {}, or what was given before it,", name_.text(), session_->named());
  }

  Times ended() const {
    if (is_lost()) session_->require_alive(generation_, name_.text());
    session_->enter();
    const Driver& driver = session_->driver();
    require(driver.cuEventSynchronize(end_));
    if (!is_timed_) return {};
    float before = 0, during = 0;
    require(driver.cuEventElapsedTime(&before, mark_->event, start_));
    require(driver.cuEventElapsedTime(&during, start_, end_));
    const double start = mark_->seconds + static_cast<double>(before) * 1e-3;
    return {start, start + static_cast<double>(during) * 1e-3};
  }

  SessionPtr session_;
  CommandName name_;
  std::uint64_t generation_;
  bool is_timed_;
  const Mark* mark_ = nullptr;
  CUevent start_ = nullptr, end_ = nullptr;
  std::optional<Result<Times>> outcome_;
};

class CudaQueue final : public Queue {
 public:
  enum class Owner : std::uint8_t { Queue, SomebodyElse };  ///< of the stream

  CudaQueue(SessionPtr session, std::shared_ptr<GreenContext> part, CUstream stream, Owner owner)
      : session_(std::move(session)),
        part_(std::move(part)),
        stream_(stream),
        owner_(owner),
        generation_(session_->generation()) {}
  ~CudaQueue() override {
    if (owner_ == Owner::SomebodyElse || is_lost() ||
        driver().cuCtxSetCurrent(session_->context()) != CUDA_SUCCESS)
      return;
    driver().cuStreamSynchronize(stream_);
    driver().cuStreamDestroy_v2(stream_);
  }

  Result<Event> upload(Buffer& to, std::size_t offset, std::span<const std::byte> from,
                       std::span<const Event> after) override {
    return noted([&] {
      require_alive();
      const CUdeviceptr target = own(session_, to).memory() + offset;
      need(check_transfer(session_->info(), "write", offset + from.size(), to.bytes()));
      const CommandName name{"an upload", from.size()};
      if (is_staged(from))
        return stage(name, after,
                     [&] { return session_->staging().write(session_->context(), target, from); });
      return give(name, after, [&]() -> CUresult {
        return from.empty() ? CUDA_SUCCESS
                            : driver().cuMemcpyHtoDAsync_v2(target, from.data(), from.size(), stream_);
      });
    });
  }

  Result<Event> download(const Buffer& from, std::size_t offset, std::span<std::byte> to,
                         std::span<const Event> after) override {
    return noted([&] {
      require_alive();
      const CUdeviceptr origin = own(session_, from).memory() + offset;
      need(check_transfer(session_->info(), "read", offset + to.size(), from.bytes()));
      const CommandName name{"a download", to.size()};
      if (is_staged(to))
        return stage(name, after, [&] { return session_->staging().read(session_->context(), to, origin); });
      return give(name, after, [&]() -> CUresult {
        return to.empty() ? CUDA_SUCCESS
                          : driver().cuMemcpyDtoHAsync_v2(to.data(), origin, to.size(), stream_);
      });
    });
  }

  Result<Event> copy(const Buffer& from, std::size_t from_offset, Buffer& to, std::size_t to_offset,
                     std::size_t bytes, std::span<const Event> after) override {
    return noted([&] {
      require_alive();
      const CudaBuffer& source = any(session_, from);
      const CUdeviceptr origin = source.memory() + from_offset;
      const CUdeviceptr target = own(session_, to).memory() + to_offset;
      need(check_copy(session_->info(), from, from_offset, to, to_offset, bytes));
      if (source.session() != session_) session_->reach(*source.session());
      return give({"a copy", bytes}, after, [&]() -> CUresult {
        if (moves_nothing(from, from_offset, to, to_offset, bytes)) return CUDA_SUCCESS;
        if (source.session() == session_)
          return driver().cuMemcpyDtoDAsync_v2(target, origin, bytes, stream_);
        return driver().cuMemcpyPeerAsync(target, session_->context(), origin, source.session()->context(),
                                          bytes, stream_);
      });
    });
  }

  Result<Event> upload_rows(Buffer& to, const Rows& rows, const std::byte* from, std::size_t pitch,
                            std::span<const Event> after) override {
    if (rows.count == 1) return upload(to, rows.offset, {from, rows.bytes}, after);
    return noted([&] {
      require_alive();
      CUDA_MEMCPY2D moved = moved_rows(rows);
      moved.srcMemoryType = CU_MEMORYTYPE_HOST;
      moved.srcHost = from;
      moved.srcPitch = pitch;
      moved.dstDevice = own(session_, to).memory() + rows.offset;
      need(check_transfer(session_->info(), "write", rows.end(), to.bytes()));
      return give({"an upload", rows.total()}, after, [&] { return move_rows(moved); });
    });
  }

  Result<Event> download_rows(const Buffer& from, const Rows& rows, std::byte* to, std::size_t pitch,
                              std::span<const Event> after) override {
    if (rows.count == 1) return download(from, rows.offset, {to, rows.bytes}, after);
    return noted([&] {
      require_alive();
      CUDA_MEMCPY2D moved = moved_rows(rows);
      moved.srcDevice = own(session_, from).memory() + rows.offset;
      moved.dstMemoryType = CU_MEMORYTYPE_HOST;
      moved.dstHost = to;
      moved.dstPitch = pitch;
      need(check_transfer(session_->info(), "read", rows.end(), from.bytes()));
      return give({"a download", rows.total()}, after, [&] { return move_rows(moved); });
    });
  }

  Result<Event> copy_rows(const Buffer& from, Buffer& to, const Rows& rows,
                          std::span<const Event> after) override {
    if (rows.count == 1) return copy(from, rows.offset, to, rows.offset, rows.bytes, after);
    return noted([&] {
      require_alive();
      const CudaBuffer& source = any(session_, from);
      CUDA_MEMCPY2D moved = moved_rows(rows);
      moved.srcDevice = source.memory() + rows.offset;
      moved.dstDevice = own(session_, to).memory() + rows.offset;
      need(check_transfer(session_->info(), "copy from", rows.end(), from.bytes()));
      need(check_transfer(session_->info(), "copy to", rows.end(), to.bytes()));
      if (source.session() != session_) session_->reach(*source.session());
      return give({"a copy", rows.total()}, after, [&]() -> CUresult {
        if (&from == &to) return CUDA_SUCCESS;
        return source.session() == session_ ? move_rows(moved) : move_rows(moved, *source.session());
      });
    });
  }

  Result<Event> fill(Buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
                     std::span<const Event> after) override {
    return noted([&] {
      require_alive();
      const CUdeviceptr target = own(session_, to).memory() + offset;
      need(check_transfer(session_->info(), "fill", offset + bytes, to.bytes()));
      return give({"a fill", bytes}, after, [&]() -> CUresult {
        return bytes == 0 ? CUDA_SUCCESS : driver().cuMemsetD8Async(target, value, bytes, stream_);
      });
    });
  }

  Result<Event> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range,
                       std::span<const Event> after) override {
    return noted([&] {
      require_alive();
      CudaLaunch launch(session_, kernel, arguments, range);
      session_->note_started(launch.name());
      return give({.what = "kernel ", .kernel = launch.name()}, after, [&]() -> CUresult {
        if (!launch.is_empty()) launch.start(stream_);
        return CUDA_SUCCESS;
      });
    });
  }

  Result<Event> barrier(std::span<const Event> after) override {
    return noted([&] {
      require_alive();
      return give({"a barrier"}, after, []() -> CUresult { return CUDA_SUCCESS; });
    });
  }

  void keep_times(bool are_kept) override { keeps_times_ = are_kept; }

  Result<void> finish() override {
    auto waited = catch_failure([&] {
      require_alive();
      session_->enter();
      session_->require(driver().cuStreamSynchronize(stream_),
                        fmt::format("running what queues of device {} were given", session_->named()));
    });
    if (!failure_) return waited;
    return tl::unexpected(*std::exchange(failure_, std::nullopt));
  }

 private:
  const Driver& driver() const { return session_->driver(); }
  bool is_lost() const { return generation_ != session_->generation(); }
  void require_alive() const { session_->require_alive(generation_, "a queue"); }

  /// Runs a call. An error that cost the context is the queue's, too.
  template <class Body>
  Result<Event> noted(Body&& body) {
    const bool was_lost = is_lost();
    auto event = catch_failure(body);
    if (!event && !was_lost && is_lost() && !failure_) failure_ = event.error();
    return event;
  }

  static CUDA_MEMCPY2D moved_rows(const Rows& rows) {
    CUDA_MEMCPY2D moved;
    moved.srcPitch = moved.dstPitch = rows.pitch;
    moved.WidthInBytes = rows.bytes;
    moved.Height = rows.count;
    return moved;
  }
  CUresult move_rows(const CUDA_MEMCPY2D& moved) {
    return moved.WidthInBytes * moved.Height == 0 ? CUDA_SUCCESS
                                                  : driver().cuMemcpy2DAsync_v2(&moved, stream_);
  }
  /// From another device.
  CUresult move_rows(const CUDA_MEMCPY2D& moved, const Session& from) {
    CUDA_MEMCPY3D_PEER peer;
    peer.srcDevice = moved.srcDevice;
    peer.srcContext = from.context();
    peer.dstDevice = moved.dstDevice;
    peer.dstContext = session_->context();
    peer.srcPitch = moved.srcPitch;
    peer.dstPitch = moved.dstPitch;
    peer.WidthInBytes = moved.WidthInBytes;
    peer.srcHeight = peer.dstHeight = peer.Height = moved.Height;
    return moved.WidthInBytes * moved.Height == 0 ? CUDA_SUCCESS
                                                  : driver().cuMemcpy3DPeerAsync(&peer, stream_);
  }

  bool is_staged(std::span<const std::byte> memory) const {
    return memory.size() >= Staging::least_bytes && !session_->is_pinned(memory) &&
           session_->staging().is_possible();
  }

  /// Has the stream wait for the events, of whatever device of CUDA's, or the host for those that are no
  /// stream's. `require` takes a status of the driver. Throws Failure.
  template <class Require>
  void wait_for_all(std::span<const Event> after, Require&& require) {
    for (const Event& event : after) {
      const auto* command = dynamic_cast<const CudaCommand*>(event.command().get());
      if (command && !command->is_lost()) {
        require(driver().cuStreamWaitEvent(stream_, command->end(), 0));
      } else if (auto waited = event.wait(); !waited && !failure_) {
        failure_ = std::move(waited.error());
      }
    }
  }

  /// Gives the stream what `start` starts. Throws Failure.
  template <class Start>
  Event give(const CommandName& name, std::span<const Event> after, Start&& start) {
    session_->enter();
    if (failure_) return Event::failed(not_run(*failure_, name.text()));
    auto command = std::make_shared<CudaCommand>(session_, name, keeps_times_);
    wait_for_all(after, [&](CUresult status) { command->require(status); });
    if (failure_) return Event::failed(not_run(*failure_, name.text()));
    command->begins(stream_);
    command->require(start());
    command->ends(stream_);
    return Event(std::move(command));
  }

  /// Runs a transfer of memory that is not pinned, after all that is before it. Throws Failure.
  template <class Transfer>
  Event stage(const CommandName& name, std::span<const Event> after, Transfer&& transfer) {
    const auto require = [&](CUresult status) {
      if (status != CUDA_SUCCESS)
        session_->require(status, fmt::format("{} on device {}", name.text(), session_->named()));
    };
    session_->enter();
    if (!failure_) wait_for_all(after, require);
    if (failure_) return Event::failed(not_run(*failure_, name.text()));
    require(driver().cuStreamSynchronize(stream_));
    const double start = host_seconds();
    require(transfer());
    return Event::ended({start, host_seconds()});
  }

  SessionPtr session_;
  std::shared_ptr<GreenContext> part_;
  CUstream stream_;
  Owner owner_;
  std::uint64_t generation_;
  bool keeps_times_ = true;
  std::optional<Error> failure_;
};

class CudaPartition final : public Partition {
 public:
  CudaPartition(SessionPtr session, std::shared_ptr<GreenContext> part)
      : session_(std::move(session)), part_(std::move(part)), generation_(session_->generation()) {}
  std::size_t compute_units() const override {
    return part_ ? part_->multiprocessors() : session_->info().compute_units;
  }
  Result<std::unique_ptr<Queue>> queue() override {
    return catch_failure([&]() -> std::unique_ptr<Queue> {
      session_->require_alive(generation_, "a partition");
      session_->enter();
      const Driver& driver = session_->driver();
      // A stream belongs to the context that is current when it is made.
      CUstream stream = nullptr;
      CUresult status = part_ ? driver.cuCtxSetCurrent(part_->context()) : CUDA_SUCCESS;
      if (status == CUDA_SUCCESS) status = driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
      if (part_) session_->enter();
      session_->require(status, fmt::format("opening a queue of device {}", session_->named()));
      return std::make_unique<CudaQueue>(session_, part_, stream, CudaQueue::Owner::Queue);
    });
  }

 private:
  SessionPtr session_;
  std::shared_ptr<GreenContext> part_;  ///< null: the whole device
  std::uint64_t generation_;
};

/// Records an event of the device's context in a stream of a green one, and reads it on the clock of both.
/// CUDA's manual leaves open whether that may be done, so it is tried before a partition is given to anybody.
CUresult try_queue(Session& session, const GreenContext& part) {
  const Driver& driver = session.driver();
  const Mark* mark = nullptr;
  CUevent event = nullptr;
  CUstream stream = nullptr;
  float milliseconds = 0;
  CUresult status = session.timeline().mark(mark, session.stream());
  if (status == CUDA_SUCCESS) status = session.timeline().take(event);
  if (status == CUDA_SUCCESS) status = driver.cuCtxSetCurrent(part.context());
  if (status == CUDA_SUCCESS) status = driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (status == CUDA_SUCCESS) status = driver.cuCtxSetCurrent(session.context());
  if (status == CUDA_SUCCESS) status = driver.cuEventRecord(event, stream);
  if (status == CUDA_SUCCESS) status = driver.cuEventSynchronize(event);
  if (status == CUDA_SUCCESS) status = driver.cuEventElapsedTime(&milliseconds, mark->event, event);
  if (stream != nullptr) driver.cuStreamDestroy_v2(stream);
  if (event != nullptr) session.timeline().give_back(event);
  return status;
}

/// Pinned memory that is the caller's, or was allocated for it. It is registered rather than allocated by the
/// driver, so that it outlives a context that is lost.
class PinnedMemory final : public HostMemory {
 public:
  PinnedMemory(SessionPtr session, std::unique_ptr<HostMemory> plain)
      : session_(std::move(session)), plain_(std::move(plain)) {}
  ~PinnedMemory() override { session_->unpin(plain_->bytes()); }
  std::span<std::byte> bytes() override { return plain_->bytes(); }
  bool is_pinned() const override { return true; }
  const std::string& note() const override { return plain_->note(); }

 private:
  SessionPtr session_;
  std::unique_ptr<HostMemory> plain_;
};

/// Why memory was not pinned; nothing where it now is. Throws Failure.
std::optional<std::string> pin(Session& session, std::span<std::byte> memory) {
  if (memory.empty()) return "there is nothing to pin";
  session.enter();
  const CUresult status = session.pin(memory);
  if (status == CUDA_SUCCESS) return std::nullopt;
  return fmt::format("the driver pins no {}: {}; transfers go through staging buffers",
                     bytes_text(memory.size()), status_text(session.driver(), status));
}

}  // namespace

std::unique_ptr<HostMemory> pinned_memory(const SessionPtr& session, std::size_t bytes) {
  auto memory = need(plain_memory(bytes, {}));
  const auto reason = pin(*session, memory->bytes());
  if (reason) return need(plain_memory(bytes, *reason));
  return std::make_unique<PinnedMemory>(session, std::move(memory));
}

std::unique_ptr<HostMemory> pinned_memory(const SessionPtr& session, std::span<std::byte> memory) {
  const auto reason = pin(*session, memory);
  if (reason) return plain_memory(memory, *reason);
  return std::make_unique<PinnedMemory>(session, plain_memory(memory, {}));
}

Partitioning divide(const SessionPtr& session, std::size_t count) {
  session->enter();
  Division division;
  if (count > 1) division = divide_multiprocessors(session, count);
  if (!division.contexts.empty()) {
    const CUresult status = try_queue(*session, *division.contexts.front());
    session->enter();
    if (status != CUDA_SUCCESS)
      division = {{},
                  fmt::format("green contexts take no commands: {}", status_text(session->driver(), status))};
  }
  Partitioning made{.partitions = {},
                    .are_separate = count == 1 || !division.contexts.empty(),
                    .note = std::move(division.note)};
  division.contexts.resize(count);
  std::size_t used = 0;
  for (auto& context : division.contexts) {
    if (context) used += context->multiprocessors();
    made.partitions.push_back(std::make_unique<CudaPartition>(session, std::move(context)));
  }
  if (used != 0 && used < session->info().compute_units)
    made.note = fmt::format("{} of the {} multiprocessors are in no partition",
                            session->info().compute_units - used, session->info().compute_units);
  return made;
}

std::unique_ptr<Queue> queue_on(const SessionPtr& session, CUstream stream) {
  session->enter();
  return std::make_unique<CudaQueue>(session, nullptr, stream, CudaQueue::Owner::SomebodyElse);
}

StreamFacts stream_facts(Session& session) {
  int engines = 0;
  session.driver().cuDeviceGetAttribute(&engines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, session.device());
  const Granules smallest = granules(session);
  StreamFacts facts{.is_asynchronous = true,
                    .needs_pinned = true,
                    .copy_engines = static_cast<std::size_t>(std::clamp(engines, 1, 2)),
                    .most_partitions = std::max<std::size_t>(smallest.count, 1),
                    .partition_granularity = std::max<std::size_t>(smallest.multiprocessors, 1),
                    .notes = {}};
  if (facts.copy_engines == 1)
    facts.notes.emplace_back("the device has one copy engine: uploads and downloads wait for each other");
  if (smallest.count == 0)
    facts.notes.emplace_back("the driver has no green contexts: partitions share the multiprocessors");
  return facts;
}

}  // namespace hoist::runtime::cuda
