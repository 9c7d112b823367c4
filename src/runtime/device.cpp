#include "runtime/device.hpp"

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

}  // namespace

std::string_view name_of(Language language) {
  switch (language) {
    case Language::OpenCL:
      return "opencl";
    case Language::Cuda:
      return "cuda";
    case Language::Host:
      return "host";
  }
  throw Bug("not a language");
}

std::string_view name_of(DeviceInfo::Type type) {
  switch (type) {
    case DeviceInfo::Type::Cpu:
      return "cpu";
    case DeviceInfo::Type::Gpu:
      return "gpu";
    case DeviceInfo::Type::Accelerator:
      return "accelerator";
    case DeviceInfo::Type::Other:
      return "other";
  }
  throw Bug("not a type of device");
}

std::vector<DeviceInfo> list_devices(std::vector<std::string>* notes) {
  std::vector<DeviceInfo> devices = cuda::list_devices(notes);
  for (DeviceInfo& each : opencl::list_devices(notes)) devices.push_back(std::move(each));
  devices.push_back(host::device_info());
  return devices;
}

Result<std::unique_ptr<Device>> open_device(const std::string& id) {
  if (id == "host") return host::open_device();
  if (id.starts_with("cuda")) {
    auto device = cuda::open_device(id);
    if (!device) {
      std::string& note = device.error().diagnostics.front().note;
      note += (note.empty() ? "" : "\n") + devices_present();
    }
    if (!device || *device) return device;
  } else {
    auto device = opencl::open_device(id);
    if (!device || *device) return device;
  }
  return device_error(fmt::format("there is no device {}", id), devices_present(),
                      "name one that is present");
}

std::string default_device() {
  const std::vector<DeviceInfo> devices = list_devices();
  const auto gpu = std::find_if(devices.begin(), devices.end(), [](const DeviceInfo& device) {
    return device.type == DeviceInfo::Type::Gpu;
  });
  return gpu != devices.end() ? gpu->id : devices.front().id;
}

}  // namespace hoist::runtime
