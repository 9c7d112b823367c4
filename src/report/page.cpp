#include "report/page.hpp"

#include "report/page_text.hpp"

namespace hoist::report {
namespace {

/// JSON that neither ends the script element that holds it nor opens a comment there: in JSON a `<` is always
/// inside a string, where its number means the same. Whatever is not ASCII, U+2028 included, is a number too.
std::string embedded(const nlohmann::json& data) {
  const std::string text = data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

bool has_name(const nlohmann::json& data) {
  const auto name = nlohmann::json::json_pointer("/program/name");
  return data.is_object() && data.contains(name) && data.at(name).is_string() &&
         !data.at(name).get_ref<const std::string&>().empty();
}

}  // namespace

Result<std::string> page(const nlohmann::json& data) {
  if (!has_name(data)) {
    return user_error("a report needs the name of its program", "the data have no text at program.name",
                      "docs/report.md says what the data hold");
  }
  constexpr std::string_view place = "{{data}}";
  const std::size_t at = page_text.find(place);
  std::string made{page_text.substr(0, at)};
  made += embedded(data);
  made += page_text.substr(at + place.size());
  return made;
}

}  // namespace hoist::report
