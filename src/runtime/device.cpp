#include "runtime/device.hpp"

namespace hoist::runtime {

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

}  // namespace hoist::runtime
