#include "store/database.hpp"

namespace hoist::store {

namespace {

/// How many bytes from `place` on are one character of UTF-8; 0 where they are none.
std::size_t character_length(std::string_view text, std::size_t place) {
  const auto byte = [&](std::size_t offset) -> unsigned {
    return place + offset < text.size() ? static_cast<unsigned char>(text[place + offset]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first == 0 ? 0 : 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  // Longer than need be, a surrogate, or beyond Unicode.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90)) return 0;
  return length;
}

}  // namespace

std::string valid_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t place = 0; place < text.size();) {
    const std::size_t length = character_length(text, place);
    if (length == 0)
      result += "\xef\xbf\xbd";
    else
      result += text.substr(place, length);
    place += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::optional<Values> Database::first(std::string_view sql, const Values& values) {
  std::optional<Values> found;
  query(sql, values, [&](const Row& row) {
    if (!found) found = row.values();
  });
  return found;
}

}  // namespace hoist::store
