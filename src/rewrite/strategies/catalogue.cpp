#include "rewrite/strategies/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "rewrite/strategies/normal_forms.hpp"
#include "rewrite/strategies/tiling.hpp"

namespace hoist::rewrite {

namespace {

constexpr StrategyEntry entries[] = {
    {"fuse", "fuse", "fuses what produces an array with what consumes it, wherever it can", false},
    {"simplify", "simplify", "removes patterns that undo each other or do nothing", false},
    {"normalize", "normalize", "simplify and fuse until neither changes anything", false},
    {"interchange", "interchange", "exchanges the two maps of a nest", true},
    {"tile", "tile(dimensions, [sizes])",
     "cuts a nest of 1 or 2 maps into tiles; sizes are numbers or parameters ?t", true},
};

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    if (c == ' ') continue;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// 16 or ?t.
arith::Expr size_from_text(const std::string& text) {
  const bool is_parameter =
      text.size() > 1 && text[0] == '?' && std::all_of(text.begin() + 1, text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      });
  if (is_parameter) return arith::parameter(text.substr(1));
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < 1)
    throw_user(fmt::format("'{}' is no size", text), {}, "write a number, or ?name for a tuning parameter");
  return value;
}

std::vector<arith::Expr> sizes_of(const std::string& text) {
  std::vector<arith::Expr> sizes;
  for (const std::string& each : parts_of(text)) sizes.push_back(size_from_text(each));
  return sizes;
}

NamedStrategy read(const std::string& text) {
  const std::size_t open = text.find('(');
  const std::string name = text.substr(0, open);
  const auto* entry = std::ranges::find(entries, name, &StrategyEntry::name);
  if (entry == std::end(entries)) throw_user(fmt::format("there is no strategy '{}'", name));
  std::vector<std::string> arguments;
  if (open != std::string::npos) {
    if (text.back() != ')') throw_user(fmt::format("'{}' lacks its closing parenthesis", text));
    arguments = parts_of(text.substr(open + 1, text.size() - open - 2));
  }
  NamedStrategy result{entry, {}, {}};
  if (name == "tile") {
    if (arguments.empty() || arguments.size() > 2 || (arguments[0] != "1" && arguments[0] != "2"))
      throw_user(fmt::format("'{}' is not as {}", text, entry->signature), {}, "for example tile(2,[?a,?b])");
    const std::size_t dimensions = arguments[0] == "1" ? 1 : 2;
    if (arguments.size() == 2) {
      const std::string& sizes = arguments[1];
      if (sizes.size() < 2 || sizes.front() != '[' || sizes.back() != ']')
        throw_user("sizes are written [16,?t]");
      result.choices = sizes_of(sizes.substr(1, sizes.size() - 2));
      if (result.choices.size() != dimensions)
        throw_user(
            fmt::format("tile({}) takes {} sizes, not {}", dimensions, dimensions, result.choices.size()));
    }
    result.strategy = tile(dimensions);
    return result;
  }
  if (!arguments.empty()) throw_user(fmt::format("{} takes no arguments", name));
  result.strategy = name == "fuse"        ? fuse()
                    : name == "simplify"  ? simplify()
                    : name == "normalize" ? normalize()
                                          : interchange();
  return result;
}

}  // namespace

std::span<const StrategyEntry> all_strategies() { return entries; }

Result<std::vector<arith::Expr>> sizes_from_text(const std::string& text) {
  return catch_failure([&] { return sizes_of(text); });
}

Result<NamedStrategy> strategy_from_text(const std::string& text) {
  return catch_failure([&] { return read(text); });
}

}  // namespace hoist::rewrite
