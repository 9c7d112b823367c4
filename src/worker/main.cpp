// hoist-worker: what the C++ interface starts to tune programs (hoist/tools.hpp). It is this same library, so
// that the one who asks and the one who answers are of one version.
#include <cstdio>
#include <hoist/tools.hpp>

int main(int count, char** arguments) {
  if (const auto status = hoist::api::run_as_worker(count, arguments)) return *status;
  std::fputs("hoist-worker is started by Hoist's library, to build and run what is being tuned\n", stderr);
  return 1;
}
