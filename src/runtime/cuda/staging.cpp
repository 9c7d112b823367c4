#include "runtime/cuda/staging.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace hoist::runtime::cuda {

bool Staging::is_possible() {
  if (was_tried_) return !lanes_.empty();
  was_tried_ = true;
  constexpr unsigned most = 6;
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, most);
  for (unsigned thread = 0; thread < threads; ++thread) {
    lanes_.emplace_back();
    if (open(lanes_.back())) continue;
    // Pinned memory is scarce: transfers do without.
    release();
    return false;
  }
  return true;
}

bool Staging::open(Lane& lane) {
  bool is_open = driver_.cuStreamCreate(&lane.stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
  for (std::size_t slot = 0; slot < lane.blocks.size(); ++slot) {
    is_open = is_open && driver_.cuMemHostAlloc(&lane.blocks[slot], block_bytes, 0) == CUDA_SUCCESS &&
              driver_.cuEventCreate(&lane.done[slot], CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS;
  }
  return is_open;
}

void Staging::release(bool is_lost) {
  for (Lane& lane : lanes_) {
    if (is_lost) break;
    for (std::size_t slot = 0; slot < lane.blocks.size(); ++slot) {
      if (lane.done[slot]) driver_.cuEventDestroy_v2(lane.done[slot]);
      if (lane.blocks[slot]) driver_.cuMemFreeHost(lane.blocks[slot]);
    }
    if (lane.stream) driver_.cuStreamDestroy_v2(lane.stream);
  }
  lanes_.clear();
  was_tried_ = was_tried_ && !is_lost;
}

template <class Transfer>
CUresult Staging::in_parallel(CUcontext context, std::size_t bytes, Transfer&& transfer) {
  // Parts of whole blocks.
  const std::size_t blocks = (bytes + block_bytes - 1) / block_bytes;
  const std::size_t part = (blocks + lanes_.size() - 1) / lanes_.size() * block_bytes;
  std::vector<CUresult> statuses(lanes_.size(), CUDA_SUCCESS);
  {
    std::vector<std::jthread> threads;
    for (std::size_t at = 0; at < lanes_.size() && at * part < bytes; ++at) {
      threads.emplace_back([&, at] {
        statuses[at] = driver_.cuCtxSetCurrent(context);
        if (statuses[at] != CUDA_SUCCESS) return;
        statuses[at] = transfer(lanes_[at], at * part, std::min(part, bytes - at * part));
      });
    }
  }
  const auto failed =
      std::find_if(statuses.begin(), statuses.end(), [](CUresult s) { return s != CUDA_SUCCESS; });
  return failed == statuses.end() ? CUDA_SUCCESS : *failed;
}

CUresult Staging::write(CUcontext context, CUdeviceptr to, std::span<const std::byte> data) {
  return in_parallel(context, data.size(), [&](Lane& lane, std::size_t first, std::size_t bytes) {
    return write_part(lane, to + first, data.subspan(first, bytes));
  });
}

CUresult Staging::read(CUcontext context, std::span<std::byte> data, CUdeviceptr from) {
  return in_parallel(context, data.size(), [&](Lane& lane, std::size_t first, std::size_t bytes) {
    return read_part(lane, data.subspan(first, bytes), from + first);
  });
}

CUresult Staging::write_part(Lane& lane, CUdeviceptr to, std::span<const std::byte> data) const {
  std::size_t slot = 0;
  for (std::size_t at = 0; at < data.size(); at += block_bytes, slot = 1 - slot) {
    const std::size_t bytes = std::min(block_bytes, data.size() - at);
    // A block is filled again when what was in it is on the device; at first, at once.
    CUresult status = driver_.cuEventSynchronize(lane.done[slot]);
    if (status != CUDA_SUCCESS) return status;
    std::memcpy(lane.blocks[slot], data.data() + at, bytes);
    status = driver_.cuMemcpyHtoDAsync_v2(to + at, lane.blocks[slot], bytes, lane.stream);
    if (status == CUDA_SUCCESS) status = driver_.cuEventRecord(lane.done[slot], lane.stream);
    if (status != CUDA_SUCCESS) return status;
  }
  return driver_.cuStreamSynchronize(lane.stream);
}

CUresult Staging::read_part(Lane& lane, std::span<std::byte> data, CUdeviceptr from) const {
  const auto start = [&](std::size_t at, std::size_t slot) -> CUresult {
    if (at >= data.size()) return CUDA_SUCCESS;
    const std::size_t bytes = std::min(block_bytes, data.size() - at);
    const CUresult status = driver_.cuMemcpyDtoHAsync_v2(lane.blocks[slot], from + at, bytes, lane.stream);
    return status == CUDA_SUCCESS ? driver_.cuEventRecord(lane.done[slot], lane.stream) : status;
  };
  CUresult status = start(0, 0);
  std::size_t slot = 0;
  for (std::size_t at = 0; at < data.size() && status == CUDA_SUCCESS; at += block_bytes, slot = 1 - slot) {
    status = start(at + block_bytes, 1 - slot);
    if (status == CUDA_SUCCESS) status = driver_.cuEventSynchronize(lane.done[slot]);
    if (status == CUDA_SUCCESS)
      std::memcpy(data.data() + at, lane.blocks[slot], std::min(block_bytes, data.size() - at));
  }
  return status;
}

}  // namespace hoist::runtime::cuda
