#include "runtime/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/cuda/cuda_device.hpp"
#include "runtime/host/host_device.hpp"
#include "runtime/opencl/opencl_device.hpp"

namespace hoist::runtime {

namespace {

std::string devices_present() {
  std::vector<std::string> notes;
  std::string present = "devices present:";
  for (const DeviceInfo& device : list_devices(&notes))
    present += fmt::format("\n  {}  {}", device.id, device.name);
  for (const std::string& note : notes) present += "\n" + note;
  return present;
}

/// What a backend opened; an error that lists the devices where it has none of that id.
template <class Opened>
Result<std::unique_ptr<Opened>> found(const std::string& id, Result<std::unique_ptr<Opened>> opened) {
  if (opened && *opened) return opened;
  if (opened)
    return device_error(fmt::format("there is no device {}", id), devices_present(),
                        "name one that is present");
  if (id.starts_with("cuda")) {
    std::string& note = opened.error().diagnostics.front().note;
    note += (note.empty() ? "" : "\n") + devices_present();
  }
  return opened;
}

}  // namespace

std::vector<DeviceInfo> list_devices(std::vector<std::string>* notes) {
  std::vector<DeviceInfo> devices = cuda::list_devices(notes);
  for (DeviceInfo& each : opencl::list_devices(notes)) devices.push_back(std::move(each));
  devices.push_back(host::device_info());
  return devices;
}

Result<std::unique_ptr<Device>> open_device(const std::string& id) {
  if (id == "host") return host::open_device();
  return found<Device>(id, id.starts_with("cuda") ? cuda::open_device(id) : opencl::open_device(id));
}

Result<std::unique_ptr<Builder>> open_builder(const std::string& id) {
  if (id == "host") return host::open_builder();
  return found<Builder>(id, id.starts_with("cuda") ? cuda::open_builder(id) : opencl::open_builder(id));
}

std::string default_device() {
  const std::vector<DeviceInfo> devices = list_devices();
  const auto gpu = std::find_if(devices.begin(), devices.end(), [](const DeviceInfo& device) {
    return device.type == DeviceInfo::Type::Gpu;
  });
  return gpu != devices.end() ? gpu->id : devices.front().id;
}

}  // namespace hoist::runtime
