#include "runtime/nvml.hpp"

#include "base/library.hpp"

namespace hoist::runtime {

namespace {

// Numbers of nvml.h: nvmlReturn_t, nvmlClockType_t, nvmlTemperatureSensors_t.
constexpr int success = 0;
constexpr int processor_clock = 1, memory_clock = 2;
constexpr int gpu_temperature = 0;

}  // namespace

std::optional<ManagedDevice> ManagedDevice::find(const std::string& pci_bus_id) {
  static const LibraryPlace place{.what = "NVIDIA's management library",
                                  .variable = "HOIST_NVML_LIBRARY",
                                  .names = {"libnvidia-ml.so.1"}};
  const auto functions =
      functions_of<Functions>(Library::open(place), [](Library& library, Functions& found) {
        library.find("nvmlInit_v2", found.nvmlInit_v2);
        library.find("nvmlDeviceGetHandleByPciBusId_v2", found.nvmlDeviceGetHandleByPciBusId_v2);
        library.find("nvmlDeviceGetClockInfo", found.nvmlDeviceGetClockInfo);
        library.find("nvmlDeviceGetTemperature", found.nvmlDeviceGetTemperature);
        library.find("nvmlDeviceGetPowerUsage", found.nvmlDeviceGetPowerUsage);
      });
  Handle handle = nullptr;
  if (!functions || functions->nvmlInit_v2() != success ||
      functions->nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id.c_str(), &handle) != success)
    return std::nullopt;
  return ManagedDevice(*functions, handle);
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
