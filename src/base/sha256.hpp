#pragma once
// The name of a text that is the same in every process, on every machine and in every version.
#include <string>
#include <string_view>

namespace hoist {

/// SHA-256 (FIPS 180-4) of the bytes, as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace hoist
