#include "base/span.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hoist {
namespace {

/// UTF-8 continuation bytes do not start a character.
bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

int characters_in(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

/// Blanks as wide as `text`; tabs stay tabs, so that the underline keeps its place below them.
std::string blanks_below(std::string_view text) {
  std::string blanks;
  for (char byte : text) {
    if (starts_character(byte)) blanks += byte == '\t' ? '\t' : ' ';
  }
  return blanks;
}

}  // namespace

Position position_of(const Source& source, std::uint32_t offset) {
  const std::string_view before = std::string_view(source.text).substr(0, offset);
  const auto line_begin = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          1 + characters_in(before.substr(line_begin))};
}

std::string render_excerpt(const Source& source, Span span, std::string_view severity,
                           std::string_view message, std::string_view note, std::string_view help) {
  const std::string_view text = source.text;
  const std::size_t begin = std::min<std::size_t>(span.begin, text.size());
  const Position position = position_of(source, static_cast<std::uint32_t>(begin));
  const std::size_t line_begin = text.substr(0, begin).rfind('\n') + 1;
  const std::size_t line_end = std::min(text.find('\n', begin), text.size());
  // The first line of a span over several lines is enough to find it.
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, line_end);

  const std::string number = std::to_string(position.line);
  const std::string margin(number.size(), ' ');
  const std::string underline(
      static_cast<std::size_t>(std::max(1, characters_in(text.substr(begin, end - begin)))), '^');
  std::string result =
      fmt::format("{}:{}:{}: {}: {}\n {} | {}\n {} | {}{}", source.name, position.line, position.column,
                  severity, message, number, text.substr(line_begin, line_end - line_begin), margin,
                  blanks_below(text.substr(line_begin, begin - line_begin)), underline);
  if (!note.empty()) result += fmt::format("\n {} = note: {}", margin, note);
  if (!help.empty()) result += fmt::format("\n {} = help: {}", margin, help);
  return result;
}

}  // namespace hoist
