#include "runtime/device.hpp"

#include <algorithm>

#include "runtime/host/host_device.hpp"
#include "runtime/opencl/opencl_device.hpp"

namespace hoist::runtime {

namespace {

tl::unexpected<Error> absent(const std::string& id) {
  std::vector<std::string> notes;
  std::string present = "devices present:";
  for (const DeviceInfo& device : list_devices(&notes))
    present += fmt::format("\n  {}  {}", device.id, device.name);
  for (const std::string& note : notes) present += "\n" + note;
  return device_error(fmt::format("there is no device {}", id), present, "name one that is present");
}

}  // namespace

std::vector<DeviceInfo> list_devices(std::vector<std::string>* notes) {
  std::vector<DeviceInfo> devices = opencl::list_devices(notes);
  devices.push_back(host::device_info());
  return devices;
}

Result<std::unique_ptr<Device>> open_device(const std::string& id) {
  if (id == "host") return host::open_device();
  auto device = opencl::open_device(id);
  if (device && !*device) return absent(id);
  return device;
}

std::string default_device() {
  const std::vector<DeviceInfo> devices = list_devices();
  const auto gpu = std::find_if(devices.begin(), devices.end(), [](const DeviceInfo& device) {
    return device.type == DeviceInfo::Type::Gpu;
  });
  return gpu != devices.end() ? gpu->id : devices.front().id;
}

}  // namespace hoist::runtime
