#include "tuner/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hoist::tuner {

std::string sizes_text(const store::NamedValues& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

double size_distance(const store::NamedValues& a, const driver::NamedSizes& b) {
  double sum = 0;
  for (const auto& [name, value] : b) {
    const auto same = std::find_if(a.begin(), a.end(), [&](const auto& each) { return each.first == name; });
    if (same == a.end()) return INFINITY;
    sum += std::fabs(std::log2(static_cast<double>(same->second) / static_cast<double>(value)));
  }
  return sum;
}

}  // namespace hoist::tuner
