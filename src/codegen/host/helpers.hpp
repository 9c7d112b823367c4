#pragma once
// What C++'s library lacks for kernels on the host, and the words that it keeps for itself.
#include <span>
#include <string>
#include <string_view>

namespace hoist::codegen::host_cpp {

/// No identifier may be one of these words.
std::span<const std::string_view> reserved_words();

/// A function template that kernels call; text empty where there is none of that name.
std::string_view helper(std::string_view name);

/// The vector types, the short names of integer types and the headers that a text uses.
std::string declarations(std::string_view text);

}  // namespace hoist::codegen::host_cpp
