#pragma once
// NVIDIA's management library, found at run time: what NVIDIA's devices tell of their clocks and temperature.
#include <optional>
#include <string>

#include "runtime/device.hpp"

namespace hoist::runtime {

class ManagedDevice {
 public:
  /// The device at that place of the PCI bus ("00000000:3B:00.0"). The library is the one that the
  /// environment variable HOIST_NVML_LIBRARY names, else libnvidia-ml.so.1; nothing where it, or the device,
  /// is not there.
  static std::optional<ManagedDevice> find(const std::string& pci_bus_id);
  /// Nothing where it does not even tell its clock.
  std::optional<Vitals> vitals() const;

 private:
  using Handle = struct nvmlDevice_st*;
  struct Functions {
    int (*nvmlInit_v2)() = nullptr;
    int (*nvmlDeviceGetHandleByPciBusId_v2)(const char* pci_bus_id, Handle* device) = nullptr;
    int (*nvmlDeviceGetClockInfo)(Handle device, int type, unsigned int* mhz) = nullptr;
    int (*nvmlDeviceGetTemperature)(Handle device, int sensor, unsigned int* celsius) = nullptr;
    int (*nvmlDeviceGetPowerUsage)(Handle device, unsigned int* milliwatts) = nullptr;
  };
  ManagedDevice(const Functions& functions, Handle handle) : functions_(functions), handle_(handle) {}

  Functions functions_;
  Handle handle_;
};

}  // namespace hoist::runtime
