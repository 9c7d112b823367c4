#include "runtime/host/cpuid.hpp"

namespace hoist::runtime::host {

#if defined(__x86_64__)

bool lacks_feature(std::string_view name) {
  // The compiler's own look at CPUID, and at whether the system keeps the registers. It takes literals only.
  struct Feature {
    std::string_view name;
    bool is_there;
  };
  __builtin_cpu_init();
  const Feature features[] = {{"sse4_2", __builtin_cpu_supports("sse4.2") != 0},
                              {"avx", __builtin_cpu_supports("avx") != 0},
                              {"avx2", __builtin_cpu_supports("avx2") != 0},
                              {"fma", __builtin_cpu_supports("fma") != 0},
                              {"bmi1", __builtin_cpu_supports("bmi") != 0},
                              {"bmi2", __builtin_cpu_supports("bmi2") != 0},
                              {"avx512f", __builtin_cpu_supports("avx512f") != 0},
                              {"avx512cd", __builtin_cpu_supports("avx512cd") != 0},
                              {"avx512bw", __builtin_cpu_supports("avx512bw") != 0},
                              {"avx512dq", __builtin_cpu_supports("avx512dq") != 0},
                              {"avx512vl", __builtin_cpu_supports("avx512vl") != 0}};
  for (const Feature& each : features) {
    if (each.name == name) return !each.is_there;
  }
  return false;
}

#else

bool lacks_feature(std::string_view) { return false; }

#endif

}  // namespace hoist::runtime::host
