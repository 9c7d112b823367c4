#include "runtime/nvml.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace hoist::runtime {

namespace {

// Numbers of nvml.h: nvmlReturn_t, nvmlClockType_t, nvmlTemperatureSensors_t.
constexpr int success = 0;
constexpr int processor_clock = 1, memory_clock = 2;
constexpr int gpu_temperature = 0;

}  // namespace

std::optional<ManagedDevice> ManagedDevice::find(const std::string& pci_bus_id) {
  const char* named = std::getenv("HOIST_NVML_LIBRARY");
  void* library =
      dlopen(named && *named ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) return std::nullopt;
  Functions functions;
  bool has_all = true;
  const auto look_up = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    has_all = has_all && function;
  };
  look_up("nvmlInit_v2", functions.nvmlInit_v2);
  look_up("nvmlDeviceGetHandleByPciBusId_v2", functions.nvmlDeviceGetHandleByPciBusId_v2);
  look_up("nvmlDeviceGetClockInfo", functions.nvmlDeviceGetClockInfo);
  look_up("nvmlDeviceGetTemperature", functions.nvmlDeviceGetTemperature);
  look_up("nvmlDeviceGetPowerUsage", functions.nvmlDeviceGetPowerUsage);
  Handle handle = nullptr;
  if (!has_all || functions.nvmlInit_v2() != success ||
      functions.nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id.c_str(), &handle) != success)
    return std::nullopt;
  return ManagedDevice(functions, handle);
}

std::optional<Vitals> ManagedDevice::vitals() const {
  unsigned int clock = 0, memory = 0, celsius = 0, milliwatts = 0;
  if (functions_.nvmlDeviceGetClockInfo(handle_, processor_clock, &clock) != success) return std::nullopt;
  // A device may tell one and not another; what it does not tell stays 0.
  if (functions_.nvmlDeviceGetClockInfo(handle_, memory_clock, &memory) != success) memory = 0;
  if (functions_.nvmlDeviceGetTemperature(handle_, gpu_temperature, &celsius) != success) celsius = 0;
  if (functions_.nvmlDeviceGetPowerUsage(handle_, &milliwatts) != success) milliwatts = 0;
  return Vitals{static_cast<int>(clock), static_cast<int>(memory), static_cast<int>(celsius),
                1e-3 * milliwatts};
}

}  // namespace hoist::runtime
