#include "python/devices.hpp"

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <algorithm>
#include <map>

namespace hoist::python {

namespace {

/// The devices of this process. They are not closed at the end of the process, when their drivers' threads
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

OpenDevice::OpenDevice(Device device)
    : device_(std::move(device)), process_(getpid()), resets_(device_.resets()) {}

std::optional<Error> OpenDevice::lost() const {
  if (getpid() != process_) return forked_error();
  if (!is_closed_) return std::nullopt;
  return Error{
      ErrorKind::Device,
      {{"the device " + id() + " was closed, and what was on it with it",
        {},
        "programs that are called open it again; arrays are put there anew by hoist.array(values, \"" + id() +
            "\")",
        std::nullopt,
        {}}}};
}

void OpenDevice::free() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<void>> freed;
  {
    // Who looks at what was made holds the interpreter's lock, or the device's mutex, as this thread does.
    const pybind11::gil_scoped_acquire locked;
    const std::lock_guard made_lock(of_made_);
    for (std::shared_ptr<void>* const each : made_) freed.push_back(std::move(*each));
    made_.clear();
  }
  spare_.clear();
  free_released();
}

void OpenDevice::hold(std::shared_ptr<void>& made) {
  const std::lock_guard lock(of_made_);
  made_.insert(&made);
}

void OpenDevice::keep(std::shared_ptr<void>& made) {
  const std::lock_guard lock(of_made_);
  made_.erase(&made);
}

Result<Buffer> OpenDevice::allocate(Scalar scalar, std::size_t elements) {
  const auto found = std::ranges::find_if(
      spare_, [&](const Buffer& each) { return each.type() == scalar && each.elements() == elements; });
  if (found != spare_.end()) {
    Buffer buffer = *found;
    spare_.erase(found);
    return buffer;
  }
  auto buffer = Buffer::allocate(device_, scalar, elements);
  if (buffer || spare_.empty()) return buffer;
  spare_.clear();
  return Buffer::allocate(device_, scalar, elements);
}

void OpenDevice::put_back(Buffer buffer) {
  constexpr std::size_t most = 4, share_of_memory = 16;
  const auto bytes = [](const Buffer& each) { return each.elements() * size_of(each.type()); };
  spare_.push_back(std::move(buffer));
  std::size_t all = 0;
  for (const Buffer& each : spare_) all += bytes(each);
  auto kept = spare_.begin();
  while (spare_.end() - kept > static_cast<std::ptrdiff_t>(most) ||
         all > device_.facts().global_memory / share_of_memory)
    all -= bytes(*kept++);
  spare_.erase(spare_.begin(), kept);
}

void OpenDevice::note_resets() {
  if (device_.resets() == resets_) return;
  resets_ = device_.resets();
  spare_.clear();
}

void OpenDevice::release(std::shared_ptr<void>& made, bool is_spare, std::uint64_t resets) {
  if (getpid() != process_) {
    // What the parent's driver made is the parent's to free.
    static_cast<void>(new std::shared_ptr<void>(std::move(made)));  // NOLINT
    return;
  }
  {
    const std::lock_guard lock(of_made_);
    made_.erase(&made);
    if (made) released_.push_back({std::move(made), is_spare, resets});
  }
  if (mutex_.try_lock()) {
    free_released();
    mutex_.unlock();
  }
}

void OpenDevice::free_released() {
  std::vector<Released> released;
  {
    const std::lock_guard lock(of_made_);
    released.swap(released_);
  }
  if (is_closed_) return;
  for (const Released& each : released) {
    if (each.is_spare && each.resets == resets_) put_back(*static_cast<const Buffer*>(each.made.get()));
  }
}

Error forked_error() {
  return {
      ErrorKind::Device,
      {{"this process was forked from one that had used Hoist's device already",
        "threads of the device's driver are not in the new process",
        "start processes anew: multiprocessing.set_start_method(\"spawn\"); or use Hoist after the fork only",
        std::nullopt,
        {}}}};
}

Result<DevicePtr> open(const std::string& id) {
  Registry& known = registry();
  // Looked at before the mutex, which a thread that is not here may have held when this process was forked.
  if (const pid_t process = known.process; process != 0 && process != getpid()) return forked_error();
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

Result<void> close(const std::string& id) {
  Registry& known = registry();
  if (const pid_t process = known.process; process != 0 && process != getpid()) return forked_error();
  std::unique_lock lock(known.mutex);
  const auto found = known.devices.find(id);
  if (found == known.devices.end())
    return Error{
        ErrorKind::User,
        {{"no device " + id + " is open", {}, "hoist.devices() lists the devices", std::nullopt, {}}}};
  const DevicePtr device = found->second;
  std::erase_if(known.devices, [&](const auto& each) { return each.second == device; });
  // Before others open it again: so arrays are on the device of that id, or on one that was closed.
  device->mark_closed();
  lock.unlock();
  device->free();
  return {};
}

}  // namespace hoist::python
