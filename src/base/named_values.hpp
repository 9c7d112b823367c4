#pragma once
// Values with names, as on the command line.
#include <fmt/format.h>

#include <string>

namespace hoist {

/// "H=512 W=512", of pairs of a name and a number.
template <class NamedValues>
std::string assignments(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

}  // namespace hoist
