#include "runtime/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/cuda/cuda_device.hpp"
#include "runtime/host/host_device.hpp"
#include "runtime/opencl/opencl_device.hpp"
#include "target/kinds.hpp"

namespace hoist::runtime {

namespace {

using target::Language;
using target::Target;

/// What finds and opens the devices of a kind. Opening is null where there is no device of that id.
struct Backend {
  std::vector<Target> (*list)(std::vector<std::string>* notes);
  Result<std::unique_ptr<Device>> (*open_device)(const target::DeviceId& id);
  Result<std::optional<Target>> (*describe)(const target::DeviceId& id);
  Result<std::unique_ptr<Builder>> (*open_builder)(const Target& device);
  /// Whether an error of opening says nothing of the devices that there are instead.
  bool needs_devices_named = false;
};

Backend backend_of(Language language) {
  switch (language) {
    case Language::OpenCL:
      return {opencl::list_devices, opencl::open_device, opencl::describe_device, opencl::open_builder};
    case Language::Cuda:
      return {cuda::list_devices, cuda::open_device, cuda::describe_device, cuda::open_builder, true};
    case Language::Host:
      return {host::list_devices, host::open_device, host::describe_device, host::open_builder};
  }
  throw Bug("not a language");
}

std::string devices_present() {
  std::vector<std::string> notes;
  std::string present = "devices present:";
  for (const Target& device : list_devices(&notes))
    present += fmt::format("\n  {}  {}", device.id, device.name);
  for (const std::string& note : notes) present += "\n" + note;
  return present;
}

tl::unexpected<Error> no_device(const std::string& id) {
  return device_error(fmt::format("there is no device {}", id), devices_present(),
                      "name one that is present");
}

/// What the backend's function gives for a device; an error that lists the devices where there is none of
/// that id.
template <class Given>
Result<Given> given_by(const std::string& id, Result<Given> (*Backend::*function)(const target::DeviceId&)) {
  if (const auto meant = target::device_id(id)) {
    const Backend backend = backend_of(meant->language);
    auto given = (backend.*function)(*meant);
    if (!given && backend.needs_devices_named) {
      std::string& note = given.error().diagnostics.front().note;
      note += (note.empty() ? "" : "\n") + devices_present();
    }
    if (!given || *given) return given;
  }
  return no_device(id);
}

}  // namespace

std::vector<Target> list_devices(std::vector<std::string>* notes) {
  std::vector<target::Kind> kinds(target::kinds().begin(), target::kinds().end());
  std::sort(kinds.begin(), kinds.end(),
            [](const target::Kind& a, const target::Kind& b) { return a.rank < b.rank; });
  std::vector<Target> devices;
  for (const target::Kind& kind : kinds) {
    for (Target& each : backend_of(kind.language).list(notes)) devices.push_back(std::move(each));
  }
  return devices;
}

Result<std::unique_ptr<Device>> open_device(const std::string& id) {
  return given_by(id, &Backend::open_device);
}

Result<Target> describe_device(const std::string& id) {
  auto described = given_by(id, &Backend::describe);
  if (!described) return tl::unexpected(std::move(described.error()));
  return **std::move(described);
}

Result<std::unique_ptr<Builder>> open_builder(const Target& device) {
  auto builder = backend_of(device.language).open_builder(device);
  if (builder && !*builder) return no_device(device.id);
  return builder;
}

std::string default_device() {
  const std::vector<Target> devices = list_devices();
  const auto gpu = std::find_if(devices.begin(), devices.end(),
                                [](const Target& device) { return device.type == target::Type::Gpu; });
  return gpu != devices.end() ? gpu->id : devices.front().id;
}

}  // namespace hoist::runtime
