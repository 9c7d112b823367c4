#pragma once
// The profiles of exploration: what is derived for which devices.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hoist::target {

/// What a device says that it is.
enum class Type : std::uint8_t { Cpu, Gpu, Accelerator, Other };
/// "cpu", "gpu", "accelerator", "other".
std::string_view name_of(Type type);

/// What an exploration derives for a device. `hoist explore --profile` takes the names.
struct Profile {
  std::string_view name = "gpu";
  bool has_groups = true;                  ///< groups whose work-items share memory and wait for each other
  bool has_local_memory = true;            ///< of its own: a copy into it is worth something
  bool has_dot = false;                    ///< of vectors, in hardware
  std::vector<std::int64_t> widths{1, 4};  ///< of vectors that values are copied in

  bool operator==(const Profile&) const = default;
};

/// The profiles of exploration: "gpu", "gpu-without-local-memory", "cpu".
std::span<const Profile> profiles();
/// In the order of the table.
std::vector<std::string> names_of_profiles();
/// Null for a name that none has.
const Profile* profile_named(std::string_view name);
/// The one that devices of the type ask for.
const Profile& own_profile(Type type, bool local_memory_is_dedicated);

}  // namespace hoist::target
