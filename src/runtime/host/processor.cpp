#include "runtime/host/processor.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <thread>
#include <utility>

#include "runtime/host/cpuid.hpp"

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

/// Takes from the features that the system lists those that the processor denies.
void remove_denied_features(Processor& processor) {
  std::istringstream listed(std::exchange(processor.features, {}));
  for (std::string each; listed >> each;) {
    if (lacks_feature(each))
      processor.is_emulated = true;
    else
      processor.features += (processor.features.empty() ? "" : " ") + each;
  }
}

/// What the system tells of the first processor's caches. What sysconf says of some processors is the sum
/// over their parts, each of which has a cache of its own.
std::array<std::size_t, 3> read_caches() {
  std::array<std::size_t, 3> bytes{};
  constexpr int most = 8;
  for (int index = 0; index < most; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    std::size_t level = 0, size = 0;
    char unit = 0;
    std::string type;
    if (!(std::ifstream(folder + "/level") >> level)) break;
    std::ifstream(folder + "/type") >> type;
    std::ifstream(folder + "/size") >> size >> unit;
    if (type == "Instruction" || level == 0 || level > bytes.size()) continue;
    bytes[level - 1] = size * (unit == 'M' ? 1024 * 1024 : unit == 'K' ? 1024 : 1);
  }
  return bytes;
}

/// Those that OpenMP gives a kernel.
std::size_t usable_threads() {
  const std::size_t all = std::max(1u, std::thread::hardware_concurrency());
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  const unsigned long number = asked == nullptr ? 0 : std::strtoul(asked, nullptr, 10);
  return number == 0 ? all : std::min<std::size_t>(all, number);
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

}  // namespace

Processor this_processor() {
  auto cpuinfo = read_cpuinfo();
  Processor processor;
  processor.name = cpuinfo["model name"].empty() ? "processor" : cpuinfo["model name"];
  processor.vendor = cpuinfo["vendor_id"];
  processor.features = cpuinfo["flags"].empty() ? cpuinfo["Features"] : cpuinfo["flags"];
  remove_denied_features(processor);
  processor.threads = usable_threads();
  processor.clock_mhz = static_cast<int>(std::strtod(cpuinfo["cpu MHz"].c_str(), nullptr));
  const std::string features = " " + processor.features + " ";
  if (features.find(" avx512f ") != std::string::npos)
    processor.f32_vector = 16;
  else if (features.find(" avx ") != std::string::npos)
    processor.f32_vector = 8;
  if (const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE); line > 0)
    processor.cache_line = static_cast<std::size_t>(line);
  processor.caches = read_caches();
  processor.memory = usable_memory();
  return processor;
}

}  // namespace hoist::runtime::host
