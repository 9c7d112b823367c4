#include "runtime/counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

namespace hoist::runtime {

namespace {

constexpr std::uint64_t cache_event(std::uint64_t cache, std::uint64_t result) {
  return cache | (std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8) | (result << 16);
}

/// In the order of CounterRates.
std::vector<CounterRatio> usual_ratios() {
  constexpr std::uint64_t reads = PERF_COUNT_HW_CACHE_RESULT_ACCESS, misses = PERF_COUNT_HW_CACHE_RESULT_MISS;
  const auto of_cache = [&](std::uint64_t cache) {
    return CounterRatio{{PERF_TYPE_HW_CACHE, cache_event(cache, misses)},
                        {PERF_TYPE_HW_CACHE, cache_event(cache, reads)}};
  };
  return {{{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
           {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS}},
          of_cache(PERF_COUNT_HW_CACHE_L1D),
          of_cache(PERF_COUNT_HW_CACHE_LL),
          {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES}, {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS}}};
}

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  std::error_code gone;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    const std::string name = each.path().filename().string();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc())
      threads.push_back(thread);
  }
  return threads;
}

/// Those of a group are counted at the same times; -1: alone.
int open_event(const CounterEvent& event, pid_t thread, int group) {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, -1, group, PERF_FLAG_FD_CLOEXEC));
}

/// How often it happened; where the processor counts fewer events at a time than it is asked for, what was
/// missed is estimated by the share of time. Nothing where it never was counted.
std::optional<double> count_of(int file) {
  std::array<std::uint64_t, 3> read{};
  if (::read(file, read.data(), sizeof read) != sizeof read) return std::nullopt;
  const auto [count, enabled, running] = read;
  if (running == 0) return std::nullopt;
  return static_cast<double>(count) * static_cast<double>(enabled) / static_cast<double>(running);
}

}  // namespace

Counters::Counters(Counters&& other) noexcept : files_(std::exchange(other.files_, {})) {}

Counters& Counters::operator=(Counters&& other) noexcept {
  if (this != &other) {
    close();
    files_ = std::exchange(other.files_, {});
  }
  return *this;
}

Counters::~Counters() { close(); }

void Counters::close() {
  for (const auto& of_ratio : files_) {
    for (const Files& each : of_ratio) {
      ::close(each.part);
      ::close(each.whole);
    }
  }
  files_.clear();
}

Result<Counters> Counters::begin(const std::vector<CounterRatio>& ratios) {
  Counters counters;
  counters.files_.resize(ratios.size());
  int error = ENOENT;
  const auto cannot = [&] {
    return unsupported(std::string("the system counts nothing for this process: ") + std::strerror(error));
  };
  bool counts_any = false;
  for (const pid_t thread : threads_of_process()) {
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      Files files{.part = open_event(ratios[i].part, thread, -1)};
      if (files.part >= 0) files.whole = open_event(ratios[i].whole, thread, files.part);
      if (files.whole >= 0) {
        counters.files_[i].push_back(files);
        counts_any = true;
        continue;
      }
      error = errno;
      if (files.part >= 0) ::close(files.part);
      if (error == EMFILE || error == ENFILE) return cannot();
    }
  }
  if (!counts_any) return cannot();
  return counters;
}

Result<Counters> Counters::begin() { return begin(usual_ratios()); }

std::vector<std::optional<Counters::Counts>> Counters::counts() const {
  std::vector<std::optional<Counts>> counts;
  for (const auto& of_ratio : files_) {
    std::optional<Counts> sum;
    for (const Files& each : of_ratio) {
      const auto part = count_of(each.part), whole = count_of(each.whole);
      if (!part || !whole) continue;  // a thread that did nothing, too
      if (!sum) sum.emplace();
      sum->part += *part;
      sum->whole += *whole;
    }
    counts.push_back(sum);
  }
  return counts;
}

CounterRates Counters::rates() const {
  const auto counted = counts();
  const auto rate = [&](std::size_t place) -> std::optional<double> {
    const auto& each = counted.at(place);
    if (!each || each->whole <= 0) return std::nullopt;
    return each->part / each->whole;
  };
  return {rate(0), rate(1), rate(2), rate(3)};
}

}  // namespace hoist::runtime
