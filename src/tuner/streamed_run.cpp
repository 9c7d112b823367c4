#include "tuner/streamed_run.hpp"

namespace hoist::tuner {

predict::StreamedRun streamed_run(const execute::StreamedPlan& plan, const execute::StreamTimes& times) {
  return {.configuration = {static_cast<std::int64_t>(plan.partitions), static_cast<std::int64_t>(plan.tasks)},
          .upload_bytes = static_cast<double>(times.upload_bytes),
          .download_bytes = static_cast<double>(times.download_bytes),
          .upload_seconds = times.uploads,
          .download_seconds = times.downloads,
          .kernel_seconds = times.each_kernel};
}

}  // namespace hoist::tuner
