#include "features/target.hpp"

namespace hoist::features {

Target gpu_target() { return {}; }

Target cpu_target() {
  Target cpu;
  cpu.kind = TargetKind::Processor;
  cpu.warp_size = 8;
  cpu.line_bytes = 64;
  cpu.sector_bytes = 64;
  cpu.banks = 1;
  cpu.bank_bytes = 4;
  cpu.compute_units = 8;
  cpu.items_per_unit = 1024;
  cpu.groups_per_unit = 1;
  cpu.local_bytes_per_unit = 1024 * 1024;
  // One work-item after the other has the 16 vector registers for itself; what waits for it is in memory.
  cpu.registers_per_unit = 16 * 8 * cpu.items_per_unit;
  cpu.registers_per_item = 16;
  cpu.l1_bytes = 48 * 1024;
  cpu.l2_bytes = 2 * 1024 * 1024;
  cpu.memory_bytes_per_second = 1e11;
  cpu.l2_bytes_per_second = 8e11;
  cpu.l1_bytes_per_unit_cycle = 64;
  cpu.local_bytes_per_unit_cycle = 64;
  cpu.operations_per_unit_cycle = 16;
  cpu.f64_share = 0.5;
  cpu.special_share = 0.125;
  cpu.cycles_per_second = 3e9;
  cpu.launch_seconds = 1e-5;
  return cpu;
}

}  // namespace hoist::features
