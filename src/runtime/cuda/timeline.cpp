#include "runtime/cuda/timeline.hpp"

#include "runtime/queue.hpp"

namespace hoist::runtime::cuda {

namespace {

// A float of so many milliseconds still tells a microsecond.
constexpr double longest = 4;

}  // namespace

CUresult Timeline::take(CUevent& event, bool is_timed) {
  std::vector<CUevent>& known = unused(is_timed);
  if (known.empty()) return driver_.cuEventCreate(&event, is_timed ? 0 : CU_EVENT_DISABLE_TIMING);
  event = known.back();
  known.pop_back();
  return CUDA_SUCCESS;
}

CUresult Timeline::mark(const Mark*& now, CUstream stream) {
  if (marks_.empty() || host_seconds() - marks_.back().seconds > longest) {
    Mark next;
    CUresult status = driver_.cuEventCreate(&next.event, 0);
    if (status != CUDA_SUCCESS) return status;
    status = driver_.cuEventRecord(next.event, stream);
    if (status == CUDA_SUCCESS) status = driver_.cuEventSynchronize(next.event);
    next.seconds = host_seconds();
    // Times of one device are to be on one clock: only the first mark is read on the host's.
    if (status == CUDA_SUCCESS && !marks_.empty()) {
      float milliseconds = 0;
      status = driver_.cuEventElapsedTime(&milliseconds, marks_.back().event, next.event);
      next.seconds = marks_.back().seconds + static_cast<double>(milliseconds) * 1e-3;
    }
    if (status != CUDA_SUCCESS) {
      driver_.cuEventDestroy_v2(next.event);
      return status;
    }
    marks_.push_back(next);
  }
  now = &marks_.back();
  return CUDA_SUCCESS;
}

void Timeline::release(bool is_lost) {
  if (!is_lost) {
    for (const auto* events : {&unused_, &unused_untimed_}) {
      for (const CUevent event : *events) driver_.cuEventDestroy_v2(event);
    }
    for (const Mark& mark : marks_) driver_.cuEventDestroy_v2(mark.event);
  }
  unused_.clear();
  unused_untimed_.clear();
  marks_.clear();
}

}  // namespace hoist::runtime::cuda
