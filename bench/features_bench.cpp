// How many candidates' features a second, of plans that are lowered already; and how long it takes, on one
// core, to rank 10,000 candidates from nothing but their ids: to lower them, to read their features, and to
// predict. Prints JSON rows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "driver/suite.hpp"
#include "features/features.hpp"
#include "lang/lang.hpp"
#include "model/model.hpp"
#include "target/kinds.hpp"
#include "variants/explore.hpp"

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
  hoist::driver::NamedSizes sizes;
};

hoist::ir::Program sized(const Case& each) {
  using namespace hoist;
  const std::string path = std::string(HOIST_SOURCE_DIR) + "/kernels/" + each.program + ".hoist";
  return need(driver::with_sizes(need(lang::parse_program(need(driver::read_source(path)))), each.sizes));
}

void measure(const Case& each, std::size_t wanted) {
  using namespace hoist;
  const ir::Arena arena;
  const auto program = sized(each);
  variants::ExplorationOptions options;
  options.target = target::usual_device(*target::profile_named("gpu"));
  const auto space = need(variants::Exploration::of(program, options));
  const target::Target target;
  std::vector<double> times;
  double sum = 0, checksum = 0;
  for (const variants::CandidateId& id : space.sample(wanted, 1)) {
    const ir::Arena of_this_candidate;
    const variants::Candidate candidate = space.make(id, {});
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
      each.program.c_str(), times.size(), features::schema(target.machine.processor).features.size(),
      count / sum, sum / count * 1e6, times[times.size() / 2] * 1e6, times[times.size() * 95 / 100] * 1e6,
      times.back() * 1e6, checksum);
}

/// What `hoist tune --search predict` does before it runs anything.
void rank(const Case& each, std::size_t wanted) {
  using namespace hoist;
  const ir::Arena arena;
  const auto program = sized(each);
  const auto model = need(model::load(std::string(HOIST_SOURCE_DIR) + "/models/nvidia-h200.json.gz"));
  variants::ExplorationOptions options;
  options.target = target::usual_device(*target::profile_named("gpu"));
  options.looks_at_features = true;
  const double start = seconds();
  const auto space = need(variants::Exploration::of(program, options));
  const double derived = seconds();
  const auto facts = space.look_at_all(space.sample(wanted, 1), {}, 1);
  Matrix numbers;
  for (const variants::CandidateFacts& fact : facts) {
    if (fact.discarded.empty()) numbers.add(fact.features);
  }
  const double read = seconds();
  const auto predictions = need(model.predict(numbers));
  const double predicted = seconds();
  std::printf(
      "{\"benchmark\": \"rank\", \"program\": \"%s\", \"candidates\": %zu, \"fit\": %zu, \"seconds\": "
      "{\"derive\": %.2f, "
      "\"features\": %.2f, \"model\": %.2f}, \"wanted\": {\"features and model\": 5, \"model\": 1}}\n",
      each.program.c_str(), facts.size(), predictions.size(), derived - start, read - derived,
      predicted - read);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t wanted = count > 1 ? std::stoul(arguments[1]) : 1000;
  const Case cases[] = {{"jacobi2d5", {{"H", 8192}, {"W", 8192}}},
                        {"jacobi3d27", {{"D", 512}, {"H", 512}, {"W", 512}}},
                        {"matmul_nn", {{"M", 1024}, {"N", 1024}, {"K", 1024}}}};
  for (const Case& each : cases) measure(each, wanted);
  for (const Case& each : cases) rank(each, 10 * wanted);
  return 0;
}
