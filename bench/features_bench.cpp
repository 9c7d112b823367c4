// How many candidates' features a second: of plans that are lowered already, since that is done once whatever
// reads them. A sample of each program's candidates; prints JSON rows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "features/features.hpp"
#include "lang/lang.hpp"
#include "tune/explore.hpp"
#include "tune/suite.hpp"

namespace {

/// Of the processor, so that other work on the machine does not count.
double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

template <class T>
T need(hoist::Result<T> result) {
  if (!result) stop(result.error().render());
  return *std::move(result);
}

struct Case {
  std::string program;
  hoist::tune::NamedSizes sizes;
};

void measure(const Case& each, std::size_t wanted) {
  using namespace hoist;
  const ir::Arena arena;
  const std::string path = std::string(HOIST_SOURCE_DIR) + "/kernels/" + each.program + ".hoist";
  const auto program =
      need(tune::with_sizes(need(lang::parse_program(need(tune::read_source(path)))), each.sizes));
  const auto space = need(tune::Exploration::of(program, tune::ExplorationOptions{}));
  const features::Target target = features::gpu_target();
  std::vector<double> times;
  double sum = 0, checksum = 0;
  for (const tune::CandidateId& id : space.sample(wanted, 1)) {
    const ir::Arena of_this_candidate;
    const tune::Candidate candidate = space.look(id, {});
    if (!candidate.discarded.empty()) continue;
    const double start = seconds();
    const std::vector<double> values = features::features_of(*candidate.plan, target);
    times.push_back(seconds() - start);
    sum += times.back();
    checksum += values[0];
  }
  if (times.empty()) stop(each.program + ": no candidate fits");
  std::sort(times.begin(), times.end());
  const auto count = static_cast<double>(times.size());
  std::printf(
      "{\"benchmark\": \"features\", \"program\": \"%s\", \"candidates\": %zu, \"features\": %zu, "
      "\"per_second\": %.0f, "
      "\"microseconds\": {\"mean\": %.1f, \"median\": %.1f, \"p95\": %.1f, \"most\": %.1f}, \"checksum\": "
      "%g}\n",
      each.program.c_str(), times.size(), features::schema().size(), count / sum, sum / count * 1e6,
      times[times.size() / 2] * 1e6, times[times.size() * 95 / 100] * 1e6, times.back() * 1e6, checksum);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t wanted = count > 1 ? std::stoul(arguments[1]) : 1000;
  measure({"jacobi2d5", {{"H", 8192}, {"W", 8192}}}, wanted);
  measure({"jacobi3d27", {{"D", 512}, {"H", 512}, {"W", 512}}}, wanted);
  measure({"matmul_nn", {{"M", 1024}, {"N", 1024}, {"K", 1024}}}, wanted);
  return 0;
}
