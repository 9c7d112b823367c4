#include "tuner/records.hpp"

#include <algorithm>

#include "base/sha256.hpp"
#include "ir/print.hpp"
#include "predict/devices.hpp"
#include "rewrite/strategies/catalogue.hpp"
#include "rewrite/strategy.hpp"

namespace hoist::tuner {

namespace {

store::Outcome stored_outcome(measure::OutcomeKind kind) {
  switch (kind) {
    case measure::OutcomeKind::Ok:
      return store::Outcome::Ok;
    case measure::OutcomeKind::StoppedEarly:
      return store::Outcome::StoppedEarly;
    case measure::OutcomeKind::NotCompiled:
      return store::Outcome::NotCompiled;
    case measure::OutcomeKind::DoesNotFit:
      return store::Outcome::DoesNotFit;
    case measure::OutcomeKind::BuildFailed:
      return store::Outcome::BuildFailed;
    case measure::OutcomeKind::WrongResult:
      return store::Outcome::WrongResult;
    case measure::OutcomeKind::Crash:
      return store::Outcome::Crash;
    case measure::OutcomeKind::Timeout:
      return store::Outcome::Timeout;
    case measure::OutcomeKind::DriverError:
    case measure::OutcomeKind::DeviceLost:
      return store::Outcome::DriverError;
    case measure::OutcomeKind::OutOfMemory:
      return store::Outcome::OutOfMemory;
  }
  throw Bug("an outcome without a name");
}

search::FailureKind failure_of(store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::DoesNotFit:
    case store::Outcome::OutOfMemory:
      return search::FailureKind::DoesNotFit;
    case store::Outcome::NotCompiled:
    case store::Outcome::BuildFailed:
      return search::FailureKind::Compile;
    case store::Outcome::WrongResult:
      return search::FailureKind::WrongResult;
    case store::Outcome::Timeout:
      return search::FailureKind::Timeout;
    default:
      return search::FailureKind::Run;
  }
}

search::Outcome outcome_of(store::Outcome outcome, std::optional<double> median, double cost) {
  const bool has_time = outcome == store::Outcome::Ok || outcome == store::Outcome::StoppedEarly;
  return has_time && median ? search::Outcome::of_time(*median, cost)
                            : search::Outcome::of_failure(failure_of(outcome), cost);
}

/// Adds the time of each part to an outcome; nothing where kernels have no times of their own.
void add_parts(search::Outcome& outcome, const std::vector<std::optional<double>>& kernel_seconds,
               const std::vector<std::size_t>& part_of_kernel) {
  if (!outcome.seconds || part_of_kernel.empty() || kernel_seconds.size() != part_of_kernel.size()) return;
  std::vector<double> seconds;
  for (std::size_t k = 0; k < kernel_seconds.size(); ++k) {
    if (!kernel_seconds[k]) return;
    const std::size_t part = part_of_kernel[k];
    if (part == variants::no_part) continue;
    seconds.resize(std::max(seconds.size(), part + 1));
    seconds[part] += *kernel_seconds[k];
  }
  outcome.part_seconds = std::move(seconds);
}

std::optional<double> told(double value) { return value == 0 ? std::nullopt : std::optional(value); }

store::KernelBuild build_of(const measure::MeasuredKernel& kernel) {
  store::KernelBuild build{.kernel = kernel.name};
  build.seconds = kernel.seconds;
  if (!kernel.facts) return build;
  const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  build.registers = number(kernel.facts->registers);
  build.private_memory = number(kernel.facts->private_memory);
  build.local_memory = number(kernel.facts->local_memory);
  build.max_group_size = number(kernel.facts->max_group_size);
  build.groups_per_unit = number(kernel.facts->groups_per_unit);
  return build;
}

store::Candidate record_of(const variants::Variants& variants, const variants::CandidateId& id,
                           const ir::Program& low, const driver::NamedSizes& values) {
  store::Candidate record{.name = to_string(id), .hash = {}};
  for (const rewrite::Step& step : variants.steps(id))
    record.derivation.push_back({step.rule, rewrite::to_string(step.path)});
  record.parameters.assign(values.begin(), values.end());
  record.term = ir::to_string(low);
  record.hash = sha256(record.term);
  return record;
}

}  // namespace

store::Program stored_program(const ir::Program& program) {
  const std::string text = ir::to_string(program);
  return {program.name, text, sha256(text)};
}

store::Candidate record_of(const variants::Variants& variants, const variants::CandidateId& id) {
  return record_of(variants, id, variants.term(id), variants.named_values(id));
}
store::Candidate record_of(const variants::Variants& variants, const variants::Candidate& candidate) {
  return record_of(variants, candidate.id, candidate.low, candidate.values);
}

std::vector<store::Launch> launches_of(const measure::Outcome& outcome) {
  std::vector<store::Launch> launches;
  for (const measure::MeasuredKernel& kernel : outcome.kernels) {
    store::Launch launch{.kernel = kernel.name};
    for (std::size_t d = 0; d < 3; ++d) {
      launch.global[d] = static_cast<std::int64_t>(kernel.range.global[d]);
      launch.local[d] = static_cast<std::int64_t>(kernel.range.local[d]);
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

store::Evaluation evaluation_of(const measure::Outcome& outcome) {
  store::Evaluation evaluation;
  evaluation.outcome = stored_outcome(outcome.kind);
  evaluation.message = outcome.message;
  evaluation.times = outcome.seconds;
  evaluation.build_seconds = outcome.build.seconds;
  evaluation.wall_seconds = outcome.wall_seconds;
  for (const measure::MeasuredKernel& kernel : outcome.kernels)
    evaluation.kernels.push_back(build_of(kernel));
  if (const auto& vitals = outcome.after ? outcome.after : outcome.before) {
    evaluation.conditions = {.clock_mhz = told(vitals->clock_mhz),
                             .memory_clock_mhz = told(vitals->memory_clock_mhz),
                             .temperature_celsius = told(vitals->celsius),
                             .power_watts = told(vitals->watts)};
  }
  return evaluation;
}

search::Outcome outcome_of(const measure::Outcome& outcome, const std::vector<std::size_t>& part_of_kernel) {
  double cost = outcome.build.seconds;
  for (const double seconds : outcome.seconds) cost += seconds;
  const auto median = measure::has_times(outcome.kind) ? std::optional(outcome.median()) : std::nullopt;
  search::Outcome result = outcome_of(stored_outcome(outcome.kind), median, cost);
  result.build_seconds = outcome.build.seconds;
  std::vector<std::optional<double>> seconds;
  for (const measure::MeasuredKernel& kernel : outcome.kernels) seconds.push_back(kernel.seconds);
  add_parts(result, seconds, part_of_kernel);
  return result;
}

search::Outcome outcome_of(const store::EvaluationSummary& stored,
                           const std::vector<std::size_t>& part_of_kernel) {
  search::Outcome result =
      outcome_of(stored.outcome, stored.median, stored.build_seconds + stored.run_seconds);
  result.build_seconds = stored.build_seconds;
  add_parts(result, stored.kernel_seconds, part_of_kernel);
  return result;
}

std::vector<ir::Program> programs_after(const ir::Program& program, const std::vector<store::Step>& steps) {
  std::vector<ir::Program> programs;
  for (const store::Step& step : steps) {
    const auto path = rewrite::path_from_text(step.place);
    const auto named = rewrite::strategy_from_text(step.rule);
    if (!path || !*path || !named) return programs;
    const ir::Program& now = programs.empty() ? program : programs.back();
    auto next = rewrite::rewrite(now, rewrite::at_path(**path, named->strategy));
    if (!next) return programs;
    programs.push_back(std::move(next->program));
  }
  return programs;
}

}  // namespace hoist::tuner
