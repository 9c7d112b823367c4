#include "target/profiles.hpp"

#include "base/error.hpp"

namespace hoist::target {

namespace {

enum ProfileNumber : std::size_t { DiscreteGpu, GpuWithoutLocalMemory, Cpu };

const std::vector<Profile>& all_profiles() {
  static const std::vector<Profile> all{
      {.name = "gpu", .has_groups = true, .has_local_memory = true, .has_dot = false, .widths = {1, 4}},
      {.name = "gpu-without-local-memory",
       .has_groups = true,
       .has_local_memory = false,
       .has_dot = true,
       .widths = {1, 4}},
      {.name = "cpu", .has_groups = false, .has_local_memory = false, .has_dot = false, .widths = {1, 8}},
  };
  return all;
}

}  // namespace

std::string_view name_of(Type type) {
  switch (type) {
    case Type::Cpu:
      return "cpu";
    case Type::Gpu:
      return "gpu";
    case Type::Accelerator:
      return "accelerator";
    case Type::Other:
      return "other";
  }
  throw Bug("not a type of device");
}

std::span<const Profile> profiles() { return all_profiles(); }

std::vector<std::string> names_of_profiles() {
  std::vector<std::string> names;
  for (const Profile& each : all_profiles()) names.emplace_back(each.name);
  return names;
}

const Profile* profile_named(std::string_view name) {
  for (const Profile& each : all_profiles()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const Profile& own_profile(Type type, bool local_memory_is_dedicated) {
  if (type != Type::Gpu) return all_profiles()[Cpu];
  return all_profiles()[local_memory_is_dedicated ? DiscreteGpu : GpuWithoutLocalMemory];
}

}  // namespace hoist::target
