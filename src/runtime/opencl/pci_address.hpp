#pragma once
// Where on the PCI bus an OpenCL device is: what a vendor's management library knows it by.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace hoist::runtime::opencl {

/// What a device answers to queries of extensions; each is nothing where it does not know one.
struct PciFacts {
  /// Domain, bus, device and function, of cl_khr_pci_bus_info.
  std::optional<std::array<std::uint32_t, 4>> bus_info;
  /// The answers of cl_nv_device_attribute_query. A slot is a device and, in its last three bits, a function.
  /// Older drivers do not tell the domain.
  std::optional<std::uint32_t> nvidia_domain, nvidia_bus, nvidia_slot;
};

/// "00000000:3B:00.0", as NVIDIA's libraries write it; empty where it is not known.
std::string pci_address(const PciFacts& facts);

}  // namespace hoist::runtime::opencl
