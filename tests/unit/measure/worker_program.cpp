// The smallest program whose processes can be workers of a Measurer.
#include <cstdio>

#include "measure/worker/worker.hpp"

int main(int count, char** arguments) {
  if (const auto status = hoist::measure::run_as_worker(count, arguments)) return *status;
  std::fputs("this program is started by tests only\n", stderr);
  return 1;
}
