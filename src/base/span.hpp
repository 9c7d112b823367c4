#pragma once
// Places in source texts, and how an error about a place is shown.
#include <cstdint>
#include <string>
#include <string_view>

namespace hoist {

/// Half-open range of byte offsets in one source text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

/// A named text, for example a file the user wrote.
struct Source {
  std::string name;
  std::string text;
};

/// 1-based line and column (in characters) of a byte offset.
struct Position {
  int line = 1;
  int column = 1;
};
Position position_of(const Source& source, std::uint32_t offset);

/// "file:3:7: error: message", the line, the span underlined, then note and help, each if not empty.
std::string render_excerpt(const Source& source, Span span, std::string_view severity,
                           std::string_view message, std::string_view note, std::string_view help);

}  // namespace hoist
