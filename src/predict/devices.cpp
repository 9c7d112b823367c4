#include "predict/devices.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "loop/kernel.hpp"

namespace hoist::predict {

namespace {

using Json = nlohmann::json;
using runtime::DeviceInfo;
using runtime::Language;

constexpr const char* cpu = "cpu";

Language language_of(const std::string& name) {
  for (const Language each : {Language::OpenCL, Language::Cuda, Language::Host}) {
    if (runtime::name_of(each) == name) return each;
  }
  return Language::OpenCL;
}

/// Lower case, with a hyphen for whatever is neither letter nor digit.
std::string slug(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      result += static_cast<char>(std::tolower(byte));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

/// As most of them are.
DeviceInfo usual(Language language, bool is_gpu) {
  DeviceInfo device;
  device.language = language;
  device.type = is_gpu ? DeviceInfo::Type::Gpu : DeviceInfo::Type::Cpu;
  device.local_memory_is_dedicated = is_gpu;
  device.local_memory = 48 * 1024;
  device.max_group_size = 1024;
  device.cache_line = is_gpu ? 128 : 64;
  if (is_gpu) {
    device.preferred_group_multiple = loop::warp_size;
    device.sub_group_sizes = {loop::warp_size};
    if (language == Language::OpenCL) device.largest_image = {16384, 16384};
  }
  return device;
}

/// Without the language at its end.
std::string_view device_in(std::string_view device_class) {
  return device_class.substr(0, device_class.rfind('-'));
}
std::string_view language_in(std::string_view device_class) {
  return device_class.substr(device_class.rfind('-') + 1);
}
bool is_cpu_class(std::string_view device_class) { return device_class.find(cpu) != std::string_view::npos; }

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

std::string facts_of(const DeviceInfo& device) {
  return Json{{"type", std::string(runtime::name_of(device.type))},
              {"local_memory", device.local_memory},
              {"local_memory_is_dedicated", device.local_memory_is_dedicated},
              {"cache_line", device.cache_line},
              {"max_group_size", device.max_group_size},
              {"preferred_group_multiple", device.preferred_group_multiple},
              {"sub_group_sizes", device.sub_group_sizes},
              {"largest_image", device.largest_image},
              {"clock_mhz", device.clock_mhz}}
      .dump();
}

DeviceInfo device_of(const store::Device& stored) {
  const Json facts = Json::parse(stored.facts, nullptr, false);
  const auto fact = [&](const char* name, auto usual_value) {
    if (!facts.is_object() || !facts.contains(name)) return usual_value;
    return facts[name].get<decltype(usual_value)>();
  };
  const Language language = language_of(stored.language);
  const bool seems_gpu = language == Language::Cuda || stored.vendor.find("NVIDIA") != std::string::npos;
  const std::string type = fact("type", std::string(seems_gpu ? "gpu" : cpu));
  DeviceInfo device = usual(language, type == "gpu");
  device.name = stored.name;
  device.vendor = stored.vendor;
  device.platform = stored.platform;
  device.version = stored.version;
  device.driver = stored.driver;
  device.compute_units = static_cast<std::size_t>(std::max<std::int64_t>(stored.compute_units, 1));
  device.local_memory = fact("local_memory", device.local_memory);
  device.local_memory_is_dedicated = fact("local_memory_is_dedicated", device.local_memory_is_dedicated);
  device.cache_line = fact("cache_line", device.cache_line);
  device.max_group_size = fact("max_group_size", device.max_group_size);
  device.preferred_group_multiple = fact("preferred_group_multiple", device.preferred_group_multiple);
  device.sub_group_sizes = fact("sub_group_sizes", device.sub_group_sizes);
  device.largest_image = fact("largest_image", device.largest_image);
  device.clock_mhz = fact("clock_mhz", device.clock_mhz);
  return device;
}

features::Target target_of(const DeviceInfo& device) {
  const bool is_gpu = device.type == DeviceInfo::Type::Gpu;
  features::Target target = is_gpu ? features::gpu_target() : features::cpu_target();
  const auto units = static_cast<std::int64_t>(std::max<std::size_t>(device.compute_units, 1));
  const double share = static_cast<double>(units) / static_cast<double>(target.compute_units);
  target.compute_units = units;
  target.memory_bytes_per_second *= share;
  target.l2_bytes_per_second *= share;
  if (device.cache_line > 0) target.line_bytes = static_cast<std::int64_t>(device.cache_line);
  if (is_gpu && device.preferred_group_multiple > 1)
    target.warp_size = static_cast<std::int64_t>(device.preferred_group_multiple);
  if (device.clock_mhz > 0) target.cycles_per_second = device.clock_mhz * 1e6;
  return target;
}

features::TargetKind target_kind(std::string_view device_class) {
  return is_cpu_class(device_class) ? features::TargetKind::Processor : features::TargetKind::Gpu;
}

std::string device_class(const DeviceInfo& device) {
  const std::string language(runtime::name_of(device.language));
  if (device.type == DeviceInfo::Type::Gpu) return slug(device.name) + "-" + language;
  const bool is_pocl = device.platform.find("Portable Computing Language") != std::string::npos;
  return std::string(is_pocl ? "pocl-" : "") + cpu + "-" + language;
}

std::string nearest_class(const std::string& device_class, const std::vector<std::string>& known) {
  std::string nearest;
  std::tuple<bool, bool, std::size_t> best;
  for (const std::string& each : known) {
    if (each == device_class) return each;
    if (is_cpu_class(each) != is_cpu_class(device_class)) continue;
    const std::tuple likeness(device_in(each) == device_in(device_class),
                              language_in(each) == language_in(device_class),
                              common_prefix(each, device_class));
    if (nearest.empty() || likeness > best) {
      nearest = each;
      best = likeness;
    }
  }
  return nearest;
}

std::vector<std::string_view> by_likeness(std::string_view device_class,
                                          std::vector<std::string_view> names) {
  std::erase_if(names,
                [&](std::string_view each) { return is_cpu_class(each) != is_cpu_class(device_class); });
  const auto likeness = [&](std::string_view name) {
    const bool is_same = name == device_class || name == device_in(device_class);
    return std::pair(is_same, common_prefix(name, device_class));
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](std::string_view a, std::string_view b) { return likeness(a) > likeness(b); });
  return names;
}

}  // namespace hoist::predict
