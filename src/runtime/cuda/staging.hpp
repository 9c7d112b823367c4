#pragma once
// Transfers of large arrays through pinned memory. A processor core copies to it at some 10 GB/s, the device
// reads it at five times that: several threads copy, each through two blocks of its own, one filled while the
// other is transferred.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "runtime/cuda/driver.hpp"

namespace hoist::runtime::cuda {

class Staging {
 public:
  /// Transfers of fewer bytes are as fast without.
  static constexpr std::size_t least_bytes = std::size_t{8} << 20;

  /// Whatever was allocated belongs to the context that is current now and then.
  explicit Staging(const Driver& driver) : driver_(driver) {}
  ~Staging() { release(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Whether there is pinned memory; it is allocated once, at the first call.
  bool is_possible();
  /// Both wait for the end. The first failure's status.
  CUresult write(CUcontext context, CUdeviceptr to, std::span<const std::byte> data);
  CUresult read(CUcontext context, std::span<std::byte> data, CUdeviceptr from);
  /// Frees all; with a context that is lost, forgets it.
  void release(bool is_lost = false);

 private:
  static constexpr std::size_t block_bytes = std::size_t{4} << 20;
  /// What one thread transfers with.
  struct Lane {
    CUstream stream = nullptr;
    std::array<void*, 2> blocks{};
    std::array<CUevent, 2> done{};
  };

  bool open(Lane& lane);
  CUresult write_part(Lane& lane, CUdeviceptr to, std::span<const std::byte> data) const;
  CUresult read_part(Lane& lane, std::span<std::byte> data, CUdeviceptr from) const;
  /// Runs transfer(lane, first byte, bytes) in a thread for each lane.
  template <class Transfer>
  CUresult in_parallel(CUcontext context, std::size_t bytes, Transfer&& transfer);

  const Driver& driver_;
  std::vector<Lane> lanes_;
  bool was_tried_ = false;
};

}  // namespace hoist::runtime::cuda
