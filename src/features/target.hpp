#pragma once
// What features know of the device that a kernel is for: plain numbers, since this layer sees no device.
#include <cstdint>

namespace hoist::features {

/// Targets of one kind have the same features (features.hpp).
enum class TargetKind { Gpu, Processor };
inline constexpr TargetKind all_target_kinds[] = {TargetKind::Gpu, TargetKind::Processor};

struct Target {
  TargetKind kind = TargetKind::Gpu;
  /// Work-items that execute together; on a processor the elements of a vector register.
  std::int64_t warp_size = 32;
  std::int64_t line_bytes = 128;   ///< of the caches
  std::int64_t sector_bytes = 32;  ///< that a memory access moves at the least
  std::int64_t banks = 32;         ///< of local memory; 1: its accesses do not conflict
  std::int64_t bank_bytes = 4;
  std::int64_t compute_units = 132;
  // What a compute unit holds at once.
  std::int64_t items_per_unit = 2048;
  std::int64_t groups_per_unit = 32;
  std::int64_t local_bytes_per_unit = 228 * 1024;
  std::int64_t registers_per_unit = 65536;  ///< of 32 bits
  std::int64_t registers_per_item = 255;    ///< the most that a work-item may have
  std::int64_t l1_bytes = 256 * 1024;       ///< of a compute unit
  std::int64_t l2_bytes = 50 * 1024 * 1024;
  // Rates, for the roofline: of the whole device, but for those of a unit.
  double memory_bytes_per_second = 4.2e12;
  double l2_bytes_per_second = 8e12;
  double l1_bytes_per_unit_cycle = 128;
  double local_bytes_per_unit_cycle = 128;
  double operations_per_unit_cycle = 128;  ///< of f32; a fused multiply-add is one
  double f64_share = 0.5;                  ///< of that rate for f64
  double special_share = 0.125;            ///< of that rate for divisions, roots, exponentials ...
  double cycles_per_second = 1.7e9;
  double launch_seconds = 3e-6;
};

/// A GPU with memory of its own, of the size of NVIDIA's H200; its rates are what was measured on one.
Target gpu_target();
/// A processor of eight cores with vectors of eight f32 and the caches that are usual in servers.
Target cpu_target();

}  // namespace hoist::features
