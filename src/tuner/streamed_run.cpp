#include "tuner/streamed_run.hpp"

namespace hoist::tuner {

std::vector<std::pair<predict::StreamFeature, double>> counted_features(const runtime::CounterRates& rates) {
  using enum predict::StreamFeature;
  std::vector<std::pair<predict::StreamFeature, double>> features;
  const auto add = [&](predict::StreamFeature feature, const std::optional<double>& rate) {
    if (rate) features.emplace_back(feature, *rate);
  };
  add(BranchMissRate, rates.branch_miss_rate);
  add(L1MissRate, rates.l1_miss_rate);
  add(L2MissRate, rates.l2_miss_rate);
  add(CyclesPerInstruction, rates.cycles_per_instruction);
  return features;
}

predict::StreamedRun streamed_run(const execute::StreamedPlan& plan, const execute::StreamTimes& times) {
  predict::StreamedRun run;
  run.configuration = {static_cast<std::int64_t>(plan.partitions), static_cast<std::int64_t>(plan.tasks)};
  run.upload_bytes = static_cast<double>(times.upload_bytes);
  run.download_bytes = static_cast<double>(times.download_bytes);
  run.upload_seconds = times.uploads;
  run.download_seconds = times.downloads;
  run.kernel_seconds = times.each_kernel;
  run.counted = counted_features(times.counters);
  return run;
}

}  // namespace hoist::tuner
