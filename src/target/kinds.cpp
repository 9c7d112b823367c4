#include "target/kinds.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace hoist::target {

namespace {

constexpr Kind all_kinds[] = {
    {.language = Language::OpenCL,
     .name = "opencl",
     .is_numbered = true,
     .rank = 1,
     .mapping = Processor::Gpu,
     .usual_type = Type::Cpu,
     .has_warps = std::nullopt,
     .usual_image = {16384, 16384},
     .usual_pixels = 0},
    {.language = Language::Cuda,
     .name = "cuda",
     .is_numbered = true,
     .rank = 0,
     .mapping = Processor::Gpu,
     .usual_type = Type::Gpu,
     .has_warps = true,
     .usual_image = {std::size_t{1} << 27, std::size_t{1} << 27},
     .usual_pixels = std::size_t{1} << 27},
    {.language = Language::Host,
     .name = "host",
     .is_numbered = false,
     .rank = 2,
     .mapping = Processor::Cpu,
     .usual_type = Type::Cpu,
     .has_warps = false,
     .usual_image = {0, 0},
     .usual_pixels = 0},
};

}  // namespace

std::span<const Kind> kinds() { return all_kinds; }

const Kind& kind_of(Language language) {
  for (const Kind& each : all_kinds) {
    if (each.language == language) return each;
  }
  throw Bug("a language of no kind of device");
}

std::string_view name_of(Language language) { return kind_of(language).name; }

std::optional<Language> language_named(std::string_view name) {
  for (const Kind& each : all_kinds) {
    if (each.name == name) return each.language;
  }
  return std::nullopt;
}

std::vector<std::string> names_of_kinds() {
  std::vector<std::string> names;
  for (const Kind& each : all_kinds) names.emplace_back(each.name);
  return names;
}

bool DeviceId::means(const Target& target) const {
  return number ? target.id == to_string(*this) : target.language == language;
}

std::optional<DeviceId> device_id(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto language = language_named(text.substr(0, colon));
  if (!language) return std::nullopt;
  if (colon == std::string_view::npos) return DeviceId{*language};
  const std::string_view digits = text.substr(colon + 1);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || !kind_of(*language).is_numbered)
    return std::nullopt;
  return DeviceId{*language, number};
}

std::string to_string(const DeviceId& id) {
  const std::string name(name_of(id.language));
  return id.number ? name + ":" + std::to_string(*id.number) : name;
}

std::vector<std::string> example_ids() {
  std::vector<std::string> ids;
  for (const Kind& each : all_kinds) {
    ids.push_back(to_string(DeviceId{each.language}));
    if (each.is_numbered) ids.push_back(to_string(DeviceId{each.language, 0}));
  }
  return ids;
}

Target any_device(Language language) { return in_language({}, language); }

Target in_language(Target target, Language language) {
  const Kind& kind = kind_of(language);
  target.language = language;
  if (kind.has_warps) target.sub_group_sizes.clear();
  if (kind.has_warps.value_or(false)) target.sub_group_sizes = {warp_size};
  if (target.has_images()) target = with_usual_images(std::move(target));
  return target;
}

Target with_usual_images(Target target) {
  const Kind& kind = kind_of(target.language);
  target.largest_image = kind.usual_image;
  target.most_pixels = kind.usual_pixels;
  return target;
}

Target usual_device(Language language, Type type) {
  const bool is_gpu = type == Type::Gpu;
  const Machine machine = usual_machine(is_gpu ? Processor::Gpu : Processor::Cpu);
  Target target;
  target.language = language;
  target.type = type;
  target.compute_units = static_cast<std::size_t>(machine.compute_units);
  target.local_memory_is_dedicated = is_gpu;
  target.cache_line = static_cast<std::size_t>(machine.line_bytes);
  if (is_gpu) {
    target.preferred_group_multiple = warp_size;
    target.sub_group_sizes = {warp_size};
    target = with_usual_images(std::move(target));
  }
  return completed(std::move(target));
}

Target usual_device(const Profile& profile) {
  Target target =
      profile.has_groups ? usual_device(Language::Cuda, Type::Gpu) : usual_device(Language::Host, Type::Cpu);
  target.local_memory_is_dedicated = profile.has_local_memory;
  return with_profile(std::move(target), profile);
}

}  // namespace hoist::target
