#pragma once
// Processes that measure on one device take turns, candidate by candidate: so several searches build side by
// side, and no kernel is timed while another process runs its own.
#include <functional>
#include <string>

namespace hoist::measure {

class DeviceTurn {
 public:
  /// For the device of that id (runtime::open_device), of what CUDA_VISIBLE_DEVICES leaves. Processes of
  /// other users are not waited for; nobody is where no file can be locked in the directory of temporary
  /// files.
  explicit DeviceTurn(const std::string& device);
  DeviceTurn(const DeviceTurn&) = delete;
  DeviceTurn& operator=(const DeviceTurn&) = delete;
  ~DeviceTurn();

  /// Waits until no other has the turn. False where `is_over` said so before.
  bool take(const std::function<bool()>& is_over);
  void give_back();

 private:
  int file_ = -1;
};

}  // namespace hoist::measure
