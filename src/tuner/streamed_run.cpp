#include "tuner/streamed_run.hpp"

namespace hoist::tuner {

predict::StreamedRun streamed_run(const execute::StreamedPlan& plan, const execute::StreamTimes& times) {
  using enum predict::StreamFeature;
  predict::StreamedRun run;
  run.configuration = {static_cast<std::int64_t>(plan.partitions), static_cast<std::int64_t>(plan.tasks)};
  run.upload_bytes = static_cast<double>(times.upload_bytes);
  run.download_bytes = static_cast<double>(times.download_bytes);
  run.upload_seconds = times.uploads;
  run.download_seconds = times.downloads;
  run.kernel_seconds = times.each_kernel;
  const auto count = [&](predict::StreamFeature feature, const std::optional<double>& rate) {
    if (rate) run.counted.emplace_back(feature, *rate);
  };
  count(BranchMissRate, times.counters.branch_miss_rate);
  count(L1MissRate, times.counters.l1_miss_rate);
  count(L2MissRate, times.counters.l2_miss_rate);
  count(CyclesPerInstruction, times.counters.cycles_per_instruction);
  return run;
}

}  // namespace hoist::tuner
