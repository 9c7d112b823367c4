#pragma once
// Devices that this process has opened. Each is opened once, and used by one thread at a time: whoever uses
// it holds its mutex, and never the interpreter's lock while waiting for that.
#include <sys/types.h>

#include <atomic>
#include <hoist/hoist.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <span>
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
  /// Why it cannot be used any more: it was closed, or this process was forked from the one that opened it,
  /// and threads of the driver are not here. Nothing while it can be used.
  std::optional<Error> lost() const;
  bool is_closed() const { return is_closed_; }

  /// Runs `body`, which uses the device and gives a Result, and frees what was let go of meanwhile. The error
  /// of lost() where there is one. The interpreter's lock is not held.
  template <class Body>
  auto use(Body&& body) -> decltype(body()) {
    // Before the mutex, which a thread that is not here may have held when this process was forked.
    if (auto error = lost()) return *std::move(error);
    const std::lock_guard lock(mutex_);
    if (auto error = lost()) return *std::move(error);
    const Release release{*this};
    return body();
  }
  /// Nobody begins to use it any more.
  void mark_closed() { is_closed_ = true; }
  /// Frees what was made with it, but what is kept, once nobody uses it. Precondition: mark_closed(). The
  /// interpreter's lock is not held.
  void free();

  /// Memory for an array: that of one of its length that was let go of lately, whatever it holds, or new.
  /// Drivers may take longer to allocate an array than a kernel to fill it. In use().
  Result<Buffer> allocate(Scalar scalar, std::size_t elements);
  /// Keeps memory for the next array of its length. In use().
  void put_back(Buffer buffer);
  /// Frees what is kept for next arrays. In use().
  void drop_spare() { spare_.clear(); }
  /// How often the device was reset: what was made before is lost.
  std::uint64_t resets() const { return resets_; }

  // For OnDevice.
  /// Remembers what the device has made, which close() frees.
  void hold(std::shared_ptr<void>& made);
  /// Forgets it: close() leaves it alone.
  void keep(std::shared_ptr<void>& made);
  /// Lets go of it, at once or when the device's user is done. The memory of a Buffer that is spare is put
  /// back, unless the device was reset since it had been reset so often.
  void release(std::shared_ptr<void>& made, bool is_spare, std::uint64_t resets);

 private:
  struct Release {
    OpenDevice& of;
    ~Release() {
      of.note_resets();
      of.free_released();
    }
  };
  void note_resets();
  void free_released();

  Device device_;
  pid_t process_;
  std::atomic<bool> is_closed_ = false;
  std::atomic<std::uint64_t> resets_;
  std::mutex mutex_;
  std::mutex of_made_;  ///< of the two below
  std::set<std::shared_ptr<void>*> made_;
  struct Released {
    std::shared_ptr<void> made;
    bool is_spare;
    std::uint64_t resets;
  };
  std::vector<Released> released_;
  std::vector<Buffer> spare_;  ///< oldest first; of who is in use()
};
using DevicePtr = std::shared_ptr<OpenDevice>;

/// The same of several devices, in this order.
template <class Body>
auto use_all(std::span<const DevicePtr> devices, Body&& body) -> decltype(body()) {
  if (devices.empty()) return body();
  return devices.front()->use([&] { return use_all(devices.subspan(1), body); });
}

/// The error of a device in a process that was forked from one that had used it.
Error forked_error();

/// The device of that id; empty: the one that `hoist run` takes. A process has it until it is closed. The
/// interpreter's lock is not held.
Result<DevicePtr> open(const std::string& id);
/// Closes a device that is open: who asks for it next opens it anew. User error where it is not open. The
/// interpreter's lock is not held.
Result<void> close(const std::string& id);

/// Something that a device made, freed when nobody else uses the device, or when that is closed.
template <class Made>
class OnDevice {
 public:
  OnDevice(DevicePtr device, Made made)
      : device_(std::move(device)),
        resets_(device_->resets()),
        made_(std::make_shared<Made>(std::move(made))) {
    device_->hold(made_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { device_->release(made_, is_spare_, resets_); }
  const DevicePtr& device() const { return device_; }
  /// Null once the device was closed. Who asks holds the interpreter's lock or is in OpenDevice::use.
  std::shared_ptr<Made> get() const { return std::static_pointer_cast<Made>(made_); }
  /// Whether the device has lost it by a failure.
  bool is_lost() const { return resets_ != device_->resets(); }
  /// It stays when the device is closed.
  void keep() { device_->keep(made_); }
  /// The memory of this Buffer, which nobody else uses, may be that of another array afterwards.
  void mark_spare() requires std::same_as<Made, Buffer> { is_spare_ = true; }

 private:
  DevicePtr device_;
  std::uint64_t resets_;  ///< of the device when it was made
  std::shared_ptr<void> made_;
  bool is_spare_ = false;
};

}  // namespace hoist::python
