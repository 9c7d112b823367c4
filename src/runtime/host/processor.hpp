#pragma once
// What the operating system tells of this machine.
#include <array>
#include <cstddef>
#include <string>

namespace hoist::runtime::host {

struct Processor {
  std::string name;          ///< "AMD EPYC", or "processor" where the system does not say
  std::string vendor;        ///< "AuthenticAMD", may be empty
  std::string features;      ///< the instruction sets, as the system lists them
  bool is_emulated = false;  ///< lacks instruction sets that the system lists; `features` is without them
  std::size_t threads = 1;   ///< hardware threads that this process may use, at most OMP_NUM_THREADS
  int clock_mhz = 0;         ///< 0 where unknown
  int f32_vector = 4;        ///< f32 in the widest vector register
  std::size_t cache_line = 64;
  /// Bytes of the first-level data cache, of the second, and of the third, which threads share; 0 where
  /// unknown.
  std::array<std::size_t, 3> caches{};
  std::size_t memory = 0;  ///< bytes this process may use: of the machine, or of its control group if less
};

Processor this_processor();

}  // namespace hoist::runtime::host
