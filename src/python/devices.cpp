#include "python/devices.hpp"

#include <unistd.h>

#include <atomic>
#include <map>

namespace hoist::python {

namespace {

/// The devices of this process. Drivers are not asked to close at the end of the process, when their threads
/// may be gone.
struct Registry {
  std::mutex mutex;
  std::map<std::string, DevicePtr> devices;
  std::string default_id;         ///< once it was asked for
  std::atomic<pid_t> process{0};  ///< that opened a device
};
Registry& registry() {
  static auto* const known = new Registry;  // NOLINT: stays to the end
  return *known;
}

}  // namespace

OpenDevice::OpenDevice(Device device) : device_(std::move(device)), process_(getpid()) {}

bool OpenDevice::is_lost() const { return getpid() != process_; }

Error OpenDevice::lost_error() {
  return {
      ErrorKind::Device,
      {{"this process was forked from one that had used Hoist's device already",
        "threads of the device's driver are not in the new process",
        "start processes anew: multiprocessing.set_start_method(\"spawn\"); or use Hoist after the fork only",
        std::nullopt,
        {}}}};
}

void OpenDevice::release(std::shared_ptr<void> made) {
  if (is_lost()) {
    // What the parent's driver made is the parent's to free.
    static_cast<void>(new std::shared_ptr<void>(std::move(made)));  // NOLINT
    return;
  }
  {
    const std::lock_guard lock(of_released_);
    released_.push_back(std::move(made));
  }
  if (mutex_.try_lock()) {
    free_released();
    mutex_.unlock();
  }
}

void OpenDevice::free_released() {
  std::vector<std::shared_ptr<void>> released;
  {
    const std::lock_guard lock(of_released_);
    released.swap(released_);
  }
}

Result<DevicePtr> open(const std::string& id) {
  Registry& known = registry();
  // Looked at before the mutex, which a thread that is not here may have held when this process was forked.
  if (const pid_t process = known.process; process != 0 && process != getpid())
    return OpenDevice::lost_error();
  const std::lock_guard lock(known.mutex);
  const auto found = known.devices.find(id.empty() ? known.default_id : id);
  if (found != known.devices.end()) return found->second;
  auto device = Device::open(id);
  if (!device) return device.error();
  known.process = getpid();
  // "opencl" is "opencl:0", too.
  const std::string own_id = device->facts().id;
  DevicePtr& opened = known.devices[own_id];
  if (!opened) opened = std::make_shared<OpenDevice>(*std::move(device));
  if (id.empty()) known.default_id = own_id;
  if (!id.empty()) known.devices[id] = opened;
  return opened;
}

}  // namespace hoist::python
