// A worker thread a queue. A command is a function with the events that it waits for; the thread takes one
// after the other, waits, runs it, and tells the command's event. A wait in the thread cannot be for what
// comes later in its own queue, since whoever gave the command had that event already.
//
// OpenMP's threads of a kernel are children of the thread that launches it. They inherit the processors that
// it keeps to, and `omp_set_num_threads` in that thread limits how many there are: so launches of a partition
// stay within it.
#include "runtime/host/host_queue.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/need.hpp"
#include "runtime/host/host_objects.hpp"
#include "runtime/limits.hpp"

namespace hoist::runtime::host {

namespace {

class HostCommand final : public Event::Command {
 public:
  bool has_ended() override {
    const std::lock_guard lock(mutex_);
    return outcome_.has_value();
  }
  Result<Times> wait() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return outcome_.has_value(); });
    return *outcome_;
  }
  void end(Result<Times> outcome) {
    // Notified under the lock: the waiter may free the command as soon as it sees the outcome.
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    ended_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Result<Times>> outcome_;
};

void keep_to(const Processors& processors) {
  if (processors.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  // A system that declines leaves the thread where it is, which costs time only.
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

class HostQueue final : public Queue {
 public:
  HostQueue(const target::Target& info, Processors processors)
      : info_(info), processors_(std::move(processors)), thread_([this] { work(); }) {}

  ~HostQueue() override {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Result<Event> upload(Buffer& to, std::size_t offset, std::span<const std::byte> from,
                       std::span<const Event> after) override {
    return catch_failure([&] {
      std::byte* target = memory_of(to) + offset;
      need(check_transfer(info_, "write", offset + from.size(), to.bytes()));
      return give(fmt::format("an upload of {}", bytes_text(from.size())), after, [target, from] {
        if (!from.empty() && target != from.data()) std::memcpy(target, from.data(), from.size());
      });
    });
  }

  Result<Event> download(const Buffer& from, std::size_t offset, std::span<std::byte> to,
                         std::span<const Event> after) override {
    return catch_failure([&] {
      const std::byte* origin = memory_of(from) + offset;
      need(check_transfer(info_, "read", offset + to.size(), from.bytes()));
      return give(fmt::format("a download of {}", bytes_text(to.size())), after, [origin, to] {
        if (!to.empty() && origin != to.data()) std::memcpy(to.data(), origin, to.size());
      });
    });
  }

  Result<Event> copy(const Buffer& from, std::size_t from_offset, Buffer& to, std::size_t to_offset,
                     std::size_t bytes, std::span<const Event> after) override {
    return catch_failure([&] {
      const std::byte* origin = memory_of(from) + from_offset;
      std::byte* target = memory_of(to) + to_offset;
      need(check_copy(info_, from, from_offset, to, to_offset, bytes));
      return give(fmt::format("a copy of {}", bytes_text(bytes)), after, [origin, target, bytes] {
        if (bytes != 0 && origin != target) std::memcpy(target, origin, bytes);
      });
    });
  }

  Result<Event> upload_rows(Buffer& to, const Rows& rows, const std::byte* from, std::size_t pitch,
                            std::span<const Event> after) override {
    return catch_failure([&] {
      need(check_transfer(info_, "write", rows.end(), to.bytes()));
      return give_rows("an upload", memory_of(to) + rows.offset, rows.pitch, from, pitch, rows, after);
    });
  }

  Result<Event> download_rows(const Buffer& from, const Rows& rows, std::byte* to, std::size_t pitch,
                              std::span<const Event> after) override {
    return catch_failure([&] {
      need(check_transfer(info_, "read", rows.end(), from.bytes()));
      return give_rows("a download", to, pitch, memory_of(from) + rows.offset, rows.pitch, rows, after);
    });
  }

  Result<Event> copy_rows(const Buffer& from, Buffer& to, const Rows& rows,
                          std::span<const Event> after) override {
    return catch_failure([&] {
      need(check_transfer(info_, "copy from", rows.end(), from.bytes()));
      need(check_transfer(info_, "copy to", rows.end(), to.bytes()));
      return give_rows("a copy", memory_of(to) + rows.offset, rows.pitch, memory_of(from) + rows.offset,
                       rows.pitch, rows, after);
    });
  }

  Result<Event> fill(Buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
                     std::span<const Event> after) override {
    return catch_failure([&] {
      std::byte* target = memory_of(to) + offset;
      need(check_transfer(info_, "fill", offset + bytes, to.bytes()));
      return give(fmt::format("a fill of {}", bytes_text(bytes)), after, [target, bytes, value] {
        if (bytes != 0) std::memset(target, value, bytes);
      });
    });
  }

  Result<Event> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range,
                       std::span<const Event> after) override {
    return catch_failure([&] {
      const auto launched = std::make_shared<HostLaunch>(info_, kernel, arguments, range);
      const std::optional<std::size_t> threads =
          processors_.empty() ? std::nullopt : std::optional(processors_.size());
      return give(fmt::format("kernel {}", launched->name()), after,
                  [launched, threads] { launched->run(threads); });
    });
  }

  Result<Event> barrier(std::span<const Event> after) override {
    return give("a barrier", after, [] {});
  }

  Result<void> finish() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return commands_.empty(); });
    if (!failure_) return {};
    return tl::unexpected(*std::exchange(failure_, std::nullopt));
  }

 private:
  struct Given {
    std::string name;
    std::vector<Event> after;
    std::function<void()> body;
    std::shared_ptr<HostCommand> command;
  };

  Event give_rows(const char* what, std::byte* to, std::size_t to_pitch, const std::byte* from,
                  std::size_t from_pitch, const Rows& rows, std::span<const Event> after) {
    return give(fmt::format("{} of {}", what, bytes_text(rows.total())), after, [=] {
      for (std::size_t row = 0; row < rows.count && rows.bytes != 0 && to != from; ++row)
        std::memcpy(to + row * to_pitch, from + row * from_pitch, rows.bytes);
    });
  }

  Event give(std::string name, std::span<const Event> after, std::function<void()> body) {
    auto command = std::make_shared<HostCommand>();
    {
      const std::lock_guard lock(mutex_);
      commands_.push_back({std::move(name), {after.begin(), after.end()}, std::move(body), command});
    }
    changed_.notify_all();
    return Event(std::move(command));
  }

  void work() {
    keep_to(processors_);
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_closing_ || !commands_.empty(); });
      if (commands_.empty()) return;
      // It stays in the queue, which `finish` sees empty, until it has ended. Giving adds at the other end,
      // and does not move it.
      Given& given = commands_.front();
      std::optional<Error> failure = failure_;
      lock.unlock();
      run(given, failure);
      lock.lock();
      if (failure && !failure_) failure_ = std::move(failure);
      commands_.pop_front();
      changed_.notify_all();
    }
  }

  /// Runs a command, unless an earlier one of the queue or one that it waits for has failed: then `failure`
  /// is why.
  static void run(const Given& given, std::optional<Error>& failure) {
    const Result<void> before = wait_for(given.after);
    if (!before && !failure) failure = before.error();
    if (failure) return given.command->end(tl::unexpected(not_run(*failure, given.name)));
    const double start = host_seconds();
    given.body();
    given.command->end(Times{start, host_seconds()});
  }

  const target::Target& info_;
  const Processors processors_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Given> commands_;  ///< the first is being run
  std::optional<Error> failure_;
  bool is_closing_ = false;
  std::thread thread_;  ///< the last member: it uses the others
};

}  // namespace

std::vector<Processors> shares_of_processors(std::size_t count, std::size_t most) {
  cpu_set_t set;
  CPU_ZERO(&set);
  Processors all;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (CPU_ISSET(processor, &set)) all.push_back(processor);
    }
  }
  all.resize(std::min(all.size(), most));
  count = std::min(count, all.size());
  std::vector<Processors> shares;
  for (std::size_t at = 0; at < count; ++at) {
    shares.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at * all.size() / count),
                        all.begin() + static_cast<std::ptrdiff_t>((at + 1) * all.size() / count));
  }
  return shares;
}

std::unique_ptr<Queue> make_queue(const target::Target& info, Processors processors) {
  return std::make_unique<HostQueue>(info, std::move(processors));
}

}  // namespace hoist::runtime::host
