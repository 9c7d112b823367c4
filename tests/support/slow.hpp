#pragma once
// Whether the slow suites run: more random cases, larger sizes.
#include <cstdlib>
#include <string>

namespace hoist::testing_support {

inline bool is_slow() {
  const char* slow = std::getenv("HOIST_SLOW");
  return slow != nullptr && std::string(slow) != "0";
}

}  // namespace hoist::testing_support
