#pragma once
// What a CUDA device, its buffers, programs and kernels share: the driver, the compiler and the context.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/cuda/driver.hpp"
#include "runtime/cuda/staging.hpp"
#include "runtime/cuda/timeline.hpp"
#include "runtime/device.hpp"

namespace hoist::runtime::cuda {

/// "the kernel accessed memory outside its buffers (CUDA_ERROR_ILLEGAL_ADDRESS, 700)".
std::string status_text(const Driver& driver, CUresult status);

/// Whether a context is of no use after this status.
bool is_sticky(CUresult status);

/// One device that is open. All who open it share one session, because they share the device's primary
/// context, which only goes as a whole.
class Session {
 public:
  /// Takes the device's context; throws Failure.
  Session(Driver driver, Nvrtc nvrtc, CUdevice device, target::Target info, int major, int minor);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Driver& driver() const { return driver_; }
  const Nvrtc& nvrtc() const { return nvrtc_; }
  const target::Target& info() const { return info_; }
  CUdevice device() const { return device_; }
  CUcontext context() const { return context_; }
  Staging& staging() { return staging_; }
  CUstream stream() const { return stream_; }
  Timeline& timeline() { return timeline_; }
  CUevent start() const { return start_; }
  CUevent end() const { return end_; }
  int major() const { return major_; }
  int minor() const { return minor_; }
  std::string named() const { return fmt::format("{} ({})", info_.id, info_.name); }

  /// Which context it is: each that is lost is followed by the next.
  std::uint64_t generation() const { return generation_; }
  /// Makes the context the calling thread's; throws Failure where there is none any more.
  void enter() const;
  /// Throws Failure when the status is no success, after getting a new context where the old one is lost.
  void require(CUresult status, const std::string& attempted, const std::string& note = {},
               const std::string& help = {});
  /// Throws Failure where something of an earlier context is used; `what` names it.
  void require_alive(std::uint64_t generation, const std::string& what) const;

  /// Notes that a kernel was started without waiting for it, for the message where one fails.
  void note_started(const std::string& kernel);

  /// Pins memory of the host; the status says whether it did. It is no context's, and stays when one is lost.
  CUresult pin(std::span<std::byte> memory);
  void unpin(std::span<std::byte> memory);
  /// Whether all of it lies in one range that was pinned.
  bool is_pinned(std::span<const std::byte> memory) const;

  /// Has copies from the other device's memory go there without the host, where the two can do that; where
  /// they cannot, the driver takes them through the host's memory. Throws Failure.
  void reach(const Session& other);

  /// Green contexts belong to the context and go with it.
  void add_green(CUgreenCtx context) { greens_.push_back(context); }
  /// Of the context that there is now.
  void destroy_green(CUgreenCtx context);

  /// Waits for all that the stream has been given.
  void finish(const std::string& attempted) { require(driver_.cuStreamSynchronize(stream_), attempted); }

 private:
  void open();
  void close();
  /// Whether there is a context again.
  bool rebuild();

  Driver driver_;
  Nvrtc nvrtc_;
  CUdevice device_;
  target::Target info_;
  int major_, minor_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  Staging staging_{driver_};
  Timeline timeline_{driver_};
  std::map<const std::byte*, std::size_t> pinned_;  ///< where ranges begin, and their bytes
  std::vector<CUgreenCtx> greens_;
  std::set<CUcontext> reached_;  ///< of other devices
  CUevent start_ = nullptr, end_ = nullptr;
  std::uint64_t generation_ = 0;
  std::string lost_by_;  ///< what was attempted when the last context was lost
  static constexpr std::size_t most_noted = 4;
  std::vector<std::string> started_;  ///< the last kernels that were started, each once, the last one last
};
using SessionPtr = std::shared_ptr<Session>;

}  // namespace hoist::runtime::cuda
