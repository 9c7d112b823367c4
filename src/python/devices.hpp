#pragma once
// Devices that this process has opened. Each is opened once, and used by one thread at a time: whoever uses
// it holds its mutex, and never the interpreter's lock while waiting for that.
#include <sys/types.h>

#include <hoist/hoist.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hoist::python {

class OpenDevice {
 public:
  explicit OpenDevice(Device device);

  const Device& device() const { return device_; }
  const std::string& id() const { return device_.facts().id; }
  /// Whether kernels use the host's memory as it is.
  bool is_processor() const { return device_.facts().type == "cpu"; }
  /// Whether a process that was forked from the one that opened it has it: its driver's threads are not
  /// there.
  bool is_lost() const;
  /// The error that says so.
  static Error lost_error();

  /// Runs `body`, which uses the device, and frees what was let go of meanwhile. The interpreter's lock is
  /// not held.
  template <class Body>
  auto use(Body&& body) {
    const std::lock_guard lock(mutex_);
    const Release release{*this};
    return body();
  }
  /// Lets go of what the device has made, at once or when its user is done.
  void release(std::shared_ptr<void> made);

 private:
  struct Release {
    OpenDevice& of;
    ~Release() { of.free_released(); }
  };
  void free_released();

  Device device_;
  pid_t process_;
  std::mutex mutex_;
  std::mutex of_released_;
  std::vector<std::shared_ptr<void>> released_;
};
using DevicePtr = std::shared_ptr<OpenDevice>;

/// The device of that id; empty: the one that `hoist run` takes. A process has it for good. The interpreter's
/// lock is not held.
Result<DevicePtr> open(const std::string& id);

/// Something that a device made, freed when nobody else uses the device.
template <class Made>
class OnDevice {
 public:
  OnDevice(DevicePtr device, Made made)
      : device_(std::move(device)), made_(std::make_shared<Made>(std::move(made))) {}
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { device_->release(std::move(made_)); }
  const DevicePtr& device() const { return device_; }
  Made& operator*() const { return *made_; }
  Made* operator->() const { return made_.get(); }

 private:
  DevicePtr device_;
  std::shared_ptr<Made> made_;
};

}  // namespace hoist::python
