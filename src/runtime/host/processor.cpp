#include "runtime/host/processor.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <thread>

namespace hoist::runtime::host {

namespace {

/// The keys of the first processor's paragraph in /proc/cpuinfo.
std::map<std::string, std::string> read_cpuinfo() {
  std::map<std::string, std::string> values;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t key_end = line.find_last_not_of(" \t", colon - 1);
    const std::size_t value_begin = line.find_first_not_of(" \t", colon + 1);
    if (key_end == std::string::npos) continue;
    values[line.substr(0, key_end + 1)] = value_begin == std::string::npos ? "" : line.substr(value_begin);
  }
  return values;
}

std::size_t usable_memory() {
  struct sysinfo system {};
  if (sysinfo(&system) != 0) return std::numeric_limits<std::size_t>::max();
  const std::size_t machine = std::size_t{system.totalram} * system.mem_unit;
  std::size_t group = 0;
  // "max" when the control group has no limit, and then nothing is read.
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> group) return std::min(machine, group);
  return machine;
}

/// As Linux tells it of the first core. What sysconf says of some processors is the sum over their parts,
/// each of which has a cache of its own.
std::size_t largest_cache() {
  std::size_t largest = 0;
  for (int level = 0; level < 8; ++level) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", level));
    std::size_t kibibytes = 0;
    if (file >> kibibytes && file.get() == 'K') largest = std::max(largest, 1024 * kibibytes);
  }
  return largest;
}

}  // namespace

Processor this_processor() {
  auto cpuinfo = read_cpuinfo();
  Processor processor;
  processor.name = cpuinfo["model name"].empty() ? "processor" : cpuinfo["model name"];
  processor.vendor = cpuinfo["vendor_id"];
  processor.features = cpuinfo["flags"].empty() ? cpuinfo["Features"] : cpuinfo["flags"];
  processor.threads = std::max(1u, std::thread::hardware_concurrency());
  processor.clock_mhz = static_cast<int>(std::strtod(cpuinfo["cpu MHz"].c_str(), nullptr));
  const std::string features = " " + processor.features + " ";
  if (features.find(" avx512f ") != std::string::npos)
    processor.f32_vector = 16;
  else if (features.find(" avx ") != std::string::npos)
    processor.f32_vector = 8;
  if (const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE); line > 0)
    processor.cache_line = static_cast<std::size_t>(line);
  processor.last_level_cache = largest_cache();
  processor.memory = usable_memory();
  return processor;
}

}  // namespace hoist::runtime::host
