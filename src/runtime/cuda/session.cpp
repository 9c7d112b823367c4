#include "runtime/cuda/session.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace hoist::runtime::cuda {

std::string status_text(const Driver& driver, CUresult status) {
  const char* name = nullptr;
  const char* words = nullptr;
  if (driver.cuGetErrorName(status, &name) != CUDA_SUCCESS || !name) name = "no name";
  if (driver.cuGetErrorString(status, &words) != CUDA_SUCCESS || !words)
    words = "an error that the driver does not name";
  return fmt::format("{} ({}, {})", words, name, status);
}

bool is_sticky(CUresult status) {
  constexpr std::array lost{CUDA_ERROR_ECC_UNCORRECTABLE,
                            CUDA_ERROR_ILLEGAL_ADDRESS,
                            CUDA_ERROR_LAUNCH_TIMEOUT,
                            CUDA_ERROR_CONTEXT_IS_DESTROYED,
                            CUDA_ERROR_ASSERT,
                            CUDA_ERROR_HARDWARE_STACK_ERROR,
                            CUDA_ERROR_ILLEGAL_INSTRUCTION,
                            CUDA_ERROR_MISALIGNED_ADDRESS,
                            CUDA_ERROR_INVALID_ADDRESS_SPACE,
                            CUDA_ERROR_INVALID_PC,
                            CUDA_ERROR_LAUNCH_FAILED};
  return std::find(lost.begin(), lost.end(), status) != lost.end();
}

Session::Session(Driver driver, Nvrtc nvrtc, CUdevice device, target::Target info, int major, int minor)
    : driver_(driver), nvrtc_(nvrtc), device_(device), info_(std::move(info)), major_(major), minor_(minor) {
  try {
    open();
  } catch (const Failure&) {
    close();
    throw;
  }
}

Session::~Session() { close(); }

void Session::open() {
  const auto check = [&](CUresult status) {
    if (status != CUDA_SUCCESS)
      throw_failure(ErrorKind::Device,
                    fmt::format("opening device {} failed: {}", named(), status_text(driver_, status)));
  };
  check(driver_.cuDevicePrimaryCtxRetain(&context_, device_));
  check(driver_.cuCtxSetCurrent(context_));
  check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  check(driver_.cuEventCreate(&start_, 0));
  check(driver_.cuEventCreate(&end_, 0));
}

void Session::close() {
  // Nothing can be done about what will not go.
  if (!context_) return;
  driver_.cuCtxSetCurrent(context_);
  staging_.release();
  timeline_.release();
  if (end_) driver_.cuEventDestroy_v2(end_);
  if (start_) driver_.cuEventDestroy_v2(start_);
  if (stream_) driver_.cuStreamDestroy_v2(stream_);
  driver_.cuCtxSetCurrent(nullptr);
  driver_.cuDevicePrimaryCtxRelease_v2(device_);
  context_ = nullptr;
  stream_ = nullptr;
  start_ = end_ = nullptr;
}

bool Session::rebuild() {
  ++generation_;
  staging_.release(true);
  timeline_.release(true);
  // Each keeps the context.
  for (const CUgreenCtx context : greens_) driver_.cuGreenCtxDestroy(context);
  greens_.clear();
  reached_.clear();
  started_.clear();
  // The reset destroys all that is in the context, and leaves it retained.
  driver_.cuDevicePrimaryCtxReset_v2(device_);
  driver_.cuDevicePrimaryCtxRelease_v2(device_);
  context_ = nullptr;
  stream_ = nullptr;
  start_ = end_ = nullptr;
  try {
    open();
  } catch (const Failure&) {
    close();
    return false;
  }
  return true;
}

void Session::enter() const {
  if (!context_)
    throw_failure(ErrorKind::Device, fmt::format("device {} can no longer be used by this process", named()),
                  fmt::format("it failed when {}", lost_by_), "start another process");
  if (const CUresult status = driver_.cuCtxSetCurrent(context_); status != CUDA_SUCCESS)
    throw_failure(ErrorKind::Device,
                  fmt::format("using device {} failed: {}", named(), status_text(driver_, status)));
}

void Session::require(CUresult status, const std::string& attempted, const std::string& note,
                      const std::string& help) {
  if (status == CUDA_SUCCESS) return;
  const std::string message = fmt::format("{} failed: {}", attempted, status_text(driver_, status));
  if (!is_sticky(status)) throw_failure(ErrorKind::Device, message, note, help);
  lost_by_ = attempted;
  std::string told;
  if (!started_.empty())
    told = fmt::format("; the last kernels that were started before somebody waited: {}",
                       fmt::join(started_, ", "));
  const bool is_usable = rebuild();
  throw_failure(
      ErrorKind::Device, message,
      (is_usable ? "the device was reset: all its buffers and programs are lost, new ones can be made"
                 : "the device could not be reset: this process can no longer use it") +
          told,
      "the kernel may have accessed memory outside its buffers, or run for too long");
}

void Session::note_started(const std::string& kernel) {
  if (!started_.empty() && started_.back() == kernel) return;
  std::erase(started_, kernel);
  if (started_.size() == most_noted) started_.erase(started_.begin());
  started_.push_back(kernel);
}

void Session::require_alive(std::uint64_t generation, const std::string& what) const {
  if (generation == generation_) return;
  throw_failure(ErrorKind::Device, fmt::format("{} of device {} is lost", what, named()),
                fmt::format("the device was reset when {} failed", lost_by_));
}

void Session::reach(const Session& other) {
  if (!reached_.insert(other.context()).second) return;
  enter();
  int can = 0;
  if (driver_.cuDeviceCanAccessPeer(&can, device_, other.device()) == CUDA_SUCCESS && can != 0)
    driver_.cuCtxEnablePeerAccess(other.context(), 0);
}

CUresult Session::pin(std::span<std::byte> memory) {
  const CUresult status =
      driver_.cuMemHostRegister_v2(memory.data(), memory.size(), CU_MEMHOSTREGISTER_PORTABLE);
  if (status == CUDA_SUCCESS) pinned_[memory.data()] = memory.size();
  return status;
}

void Session::unpin(std::span<std::byte> memory) {
  pinned_.erase(memory.data());
  if (context_ && driver_.cuCtxSetCurrent(context_) == CUDA_SUCCESS)
    driver_.cuMemHostUnregister(memory.data());
}

bool Session::is_pinned(std::span<const std::byte> memory) const {
  const auto after = pinned_.upper_bound(memory.data());
  if (after == pinned_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return memory.data() + memory.size() <= begin + bytes;
}

void Session::destroy_green(CUgreenCtx context) {
  std::erase(greens_, context);
  driver_.cuGreenCtxDestroy(context);
}

}  // namespace hoist::runtime::cuda
