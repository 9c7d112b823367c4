#pragma once
// The kinds of device, a row each: what commands take by name, what their help and the shell's completion
// list, and the targets that stand for a kind where no device is named. What opens a kind's devices (runtime)
// and prints its kernels (driver, export) live above this room, which knows no devices and no code: each of
// them looks the language up in one switch over all cases, so that the compiler names what a new row still
// lacks.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "target/target.hpp"

namespace hoist::target {

/// All that devices of one language have in common.
struct Kind {
  Language language;
  std::string_view name;  ///< what --target takes, and the ids of its devices begin with: "opencl"
  bool is_numbered;       ///< there may be several devices: "opencl:1"
  int rank;               ///< devices are listed, and the one to run on is chosen, in this order
  /// What the default mapping is made for. Of OpenCL's devices it is a GPU also where the device is a CPU, so
  /// that a program becomes the same kernels with a device and without.
  Processor mapping;
  /// The type of a device that a store knows by its name alone. Profile and features follow from the type,
  /// which OpenCL's devices tell.
  Type usual_type;
  /// Whether all devices of the kind have warps; nothing where each device tells.
  std::optional<bool> has_warps;
  /// The largest image that devices with images usually read: width and height, and pixels in all (0: as many
  /// as these allow). 0 by 0 where no device of the kind has images.
  std::array<std::size_t, 2> usual_image;
  std::size_t usual_pixels;
};
std::span<const Kind> kinds();
const Kind& kind_of(Language language);
/// "opencl", "cuda", "host".
std::string_view name_of(Language language);
/// Nothing for a name that no kind has.
std::optional<Language> language_named(std::string_view name);
/// In the order of the table.
std::vector<std::string> names_of_kinds();

/// What --device takes: "cuda:1", and "cuda" for the first of its kind.
struct DeviceId {
  Language language;
  std::optional<std::size_t> number = std::nullopt;

  /// Whether the device with the id of the target is meant.
  bool means(const Target& target) const;
  bool operator==(const DeviceId&) const = default;
};
/// Nothing for a text that is no id.
std::optional<DeviceId> device_id(std::string_view text);
std::string to_string(const DeviceId& id);
/// An id of each form, for help: "opencl", "opencl:0", "cuda", "cuda:0", "host".
std::vector<std::string> example_ids();

/// What holds of all devices of the language: what kernels are made for where no device is named.
Target any_device(Language language);
/// The target where it is programmed in another language: with the warps that all devices have in it, and
/// images where it has them.
Target in_language(Target target, Language language);
/// The target with the images that devices of its language usually read.
Target with_usual_images(Target target);
/// A device as most of the language and type are: what is taken of one that does not tell.
Target usual_device(Language language, Type type);
/// The device that an exploration by the profile is for where none is named.
Target usual_device(const Profile& profile);

}  // namespace hoist::target
