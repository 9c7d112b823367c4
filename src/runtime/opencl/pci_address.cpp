#include "runtime/opencl/pci_address.hpp"

#include <fmt/format.h>

namespace hoist::runtime::opencl {

std::string pci_address(const PciFacts& facts) {
  const auto text = [](std::uint32_t domain, std::uint32_t bus, std::uint32_t device,
                       std::uint32_t function) {
    return fmt::format("{:08X}:{:02X}:{:02X}.{:X}", domain, bus, device, function);
  };
  if (facts.bus_info) {
    const auto& [domain, bus, device, function] = *facts.bus_info;
    return text(domain, bus, device, function);
  }
  if (!facts.nvidia_bus || !facts.nvidia_slot) return {};
  return text(facts.nvidia_domain.value_or(0), *facts.nvidia_bus, *facts.nvidia_slot >> 3U,
              *facts.nvidia_slot & 7U);
}

}  // namespace hoist::runtime::opencl
