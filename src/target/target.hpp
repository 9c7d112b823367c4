#pragma once
// The target: all that Hoist knows of the device that a program becomes kernels for. The runtime makes one of
// what a device tells, a store keeps it as JSON (json.hpp), and every other room asks it: the default mapping
// for whom it maps, lowering for warps and images, exploration for limits and what is worth a derivation,
// features for lanes, lines and rates. Where no device is named there are the targets of kinds.hpp.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "target/processor.hpp"
#include "target/profiles.hpp"

namespace hoist::target {

/// What source a device takes; each has a row in the table of kinds (kinds.hpp).
enum class Language : std::uint8_t { OpenCL, Cuda, Host };

/// How a device computes and remembers, in plain numbers: what estimates of time and the structure of
/// accesses are made of. No device tells most of it: it is that of a usual processor, with what the device
/// does tell put in.
struct Machine {
  Processor processor = Processor::Gpu;
  /// Work-items that execute together; on a CPU the elements of a vector register.
  std::int64_t lanes = 32;
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

  bool operator==(const Machine&) const = default;
};
/// A GPU with memory of its own, of the size of NVIDIA's H200, whose rates are what was measured on one; or a
/// CPU of eight cores with vectors of eight f32 and the caches that are usual in servers.
Machine usual_machine(Processor processor);

/// One that nothing is told of is a GPU which kernels can count on nothing of: neither warps nor images.
struct Target {
  // ---- What the device tells. Sizes in bytes.
  std::string id;    ///< what --device takes: "opencl:0", "cuda:0", "host"; empty where no device is meant
  std::string name;  ///< the vendor's name of the device
  std::string vendor, platform, version, driver;
  Language language = Language::OpenCL;
  Type type = Type::Other;
  std::size_t compute_units = 1;
  std::size_t global_memory = 0, largest_buffer = 0, local_memory = 48 * 1024;
  std::size_t cache_line = 0;  ///< 0 where it is not told
  /// Bytes of a processor's first-level data cache, of the second, and of the third; 0 where it is not told.
  std::array<std::size_t, 3> caches{};
  bool local_memory_is_dedicated = false;  ///< scratchpad in hardware, rather than ordinary memory
  std::size_t max_group_size = 1024;
  std::array<std::size_t, 3> max_group_sizes{1024, 1024, 64};  ///< per dimension
  std::size_t preferred_group_multiple = 1;                    ///< warp or wavefront; 1 where unknown
  /// How many work-items may be in a sub-group (a warp), in which they can exchange registers; a kernel
  /// chooses where there are several. Empty: it has none, or does not say.
  std::vector<std::size_t> sub_group_sizes;
  /// Width and height of an image, in pixels; 0 where kernels read no images.
  std::array<std::size_t, 2> largest_image{0, 0};
  std::size_t most_pixels = 0;  ///< of an image in all; 0: whatever its width and height allow
  int preferred_f32_vector = 1;
  /// What kernels are restricted to (instruction_set.hpp); empty: they may use all that the device has.
  std::string instruction_set;
  bool has_f64 = false;
  int clock_mhz = 0;

  // ---- What follows, by completed().
  Machine machine;
  Profile profile;
  std::size_t least_group_size = 1;  ///< smaller groups leave most of the device idle

  /// Whether it is a device of PoCL, the Portable Computing Language, which has ways of its own.
  bool is_pocl() const;
  /// Whether a group consists of warps that can exchange registers.
  bool has_warps() const;
  /// Whether kernels can read arrays of global memory as two-dimensional images.
  bool has_images() const { return largest_image[0] > 0; }
  /// The most work-items of a group in launches that nobody asked for.
  std::int64_t most_launched_together() const;
  /// The most groups of a launch in each dimension. CUDA's limits are those of all devices that there are.
  std::array<std::size_t, 3> most_groups() const;
  /// Bytes that the caches may hold; of a processor that does not tell, what is usual in servers.
  std::int64_t largest_cache() const;
  /// What the unrolled loops of a kernel may come to together, in operations.
  std::int64_t most_unrolled_operations() const;

  bool operator==(const Target&) const = default;
};

/// With the machine, the profile and the least group that follow from what the device tells.
Target completed(Target told);
/// For explorations by another profile than the device's own.
Target with_profile(Target target, const Profile& profile);

}  // namespace hoist::target
