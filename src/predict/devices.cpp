#include "predict/devices.hpp"

#include <algorithm>
#include <cctype>

#include "target/kinds.hpp"

namespace hoist::predict {

namespace {

constexpr const char* cpu = "cpu";

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

target::Processor processor_of(std::string_view device_class) {
  return is_cpu_class(device_class) ? target::Processor::Cpu : target::Processor::Gpu;
}

std::string device_class(const target::Target& device) {
  const std::string language(target::name_of(device.language));
  if (device.type == target::Type::Gpu) return slug(device.name) + "-" + language;
  return std::string(device.is_pocl() ? "pocl-" : "") + cpu + "-" + language;
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
