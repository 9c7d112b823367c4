#pragma once
// What the operating system tells of this machine.
#include <cstddef>
#include <string>

namespace hoist::runtime::host {

struct Processor {
  std::string name;         ///< "AMD EPYC", or "processor" where the system does not say
  std::string vendor;       ///< "AuthenticAMD", may be empty
  std::string features;     ///< the instruction sets, as the system lists them
  std::size_t threads = 1;  ///< hardware threads that this process may use
  int clock_mhz = 0;        ///< 0 where unknown
  int f32_vector = 4;       ///< f32 in the widest vector register
  std::size_t cache_line = 64;
  std::size_t last_level_cache = 0;  ///< bytes; 0 where unknown
  std::size_t memory = 0;  ///< bytes this process may use: of the machine, or of its control group if less
};

Processor this_processor();

}  // namespace hoist::runtime::host
