#pragma once
// Work that is shared out among threads, which end with it (fork-join).
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace hoist {

/// As many threads as the machine runs at a time.
inline std::size_t usual_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

/// Runs work(next) once in each thread, where next() hands out the numbers below `count`, each to one thread,
/// and nothing when all are handed out. What a thread throws is thrown by the caller's.
template <class Work>
void share_out(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> taken = 0;
  std::mutex failing;
  std::exception_ptr failure;
  const auto next = [&]() -> std::optional<std::size_t> {
    const std::size_t number = taken++;
    return number < count ? std::optional(number) : std::nullopt;
  };
  const auto run = [&] {
    try {
      work(next);
    } catch (...) {
      const std::lock_guard lock(failing);
      failure = std::current_exception();
      taken = count;
    }
  };
  std::vector<std::thread> all;
  const std::size_t wanted = std::min(count, threads);
  try {
    while (wanted > 1 && all.size() < wanted) all.emplace_back(run);
  } catch (const std::system_error&) {
    // The machine gives no more threads: those that there are do it.
  }
  if (all.empty() && count > 0) run();
  for (std::thread& each : all) each.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hoist
