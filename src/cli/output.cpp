#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/spelling.hpp"

namespace hoist::cli {

namespace {

/// The first error of writing to standard output; what comes after it is dropped.
int output_error = 0;
bool is_silent = false;

bool has_colours() {
  static const bool colours = isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return colours;
}

/// The rendered error with its severity in red and the notes' names in cyan.
std::string coloured(const std::string& text) {
  struct Word {
    std::string_view text, code;
  };
  constexpr Word words[] = {{"unsupported: ", "\x1b[1;31m"}, {"device error: ", "\x1b[1;31m"},
                            {"error: ", "\x1b[1;31m"},       {"bug: ", "\x1b[1;31m"},
                            {"note: ", "\x1b[36m"},          {"help: ", "\x1b[32m"}};
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    const bool is_source = line.starts_with(' ') && line.find(" | ") != std::string_view::npos;
    const Word* found = nullptr;
    std::size_t place = std::string_view::npos;
    for (const Word& word : words) {
      if (!is_source && line.find(word.text) < place) {
        place = line.find(word.text);
        found = &word;
      }
    }
    if (found != nullptr) {
      const std::string_view label = found->text.substr(0, found->text.size() - 1);
      result += fmt::format("{}{}{}\x1b[0m{}", line.substr(0, place), found->code, label,
                            line.substr(place + label.size()));
    } else {
      result += line;
    }
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

/// Texts that somebody else wrote (a store's, a compiler's) do nothing to a terminal: control characters but
/// for line breaks and tabs are shown as JSON has them, so that JSON stays what it is.
std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      result += fmt::format("\\u{:04x}", byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      result += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

void write_note(std::string_view text) {
  std::fflush(stdout);  // keeps the order of both on a terminal
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

}  // namespace

void print_nothing() { is_silent = true; }

void print(std::string_view text) {
  if (is_silent || output_error != 0 || text.empty()) return;
  const std::string shown = printable(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size()) output_error = errno;
}

void print_json(const Json& json) {
  print(json.dump(2, ' ', false, Json::error_handler_t::replace));
  print("\n");
}

Result<void> finish_output() {
  if (std::fflush(stdout) != 0 && output_error == 0) output_error = errno;
  // Who closed the pipe has read what they wanted.
  if (output_error == 0 || output_error == EPIPE) return {};
  return device_error(fmt::format("standard output cannot be written: {}", std::strerror(output_error)));
}

void note(std::string_view text) {
  if (!is_silent) write_note(printable(text));
}

void report(const Error& error, const Source* source) {
  const std::string text = printable(error.render(source));
  write_note(has_colours() ? coloured(text) : text);
}

Json error_json(const Error& error, const Source* source, int status) {
  Json messages = Json::array();
  for (const Diagnostic& each : error.diagnostics) {
    Json message = {{"message", each.message}};
    if (!each.note.empty()) message["note"] = each.note;
    if (!each.help.empty()) message["help"] = each.help;
    if (source != nullptr && each.span) {
      const Position position = position_of(*source, each.span->begin);
      message["file"] = source->name;
      message["line"] = position.line;
      message["column"] = position.column;
    }
    messages.push_back(std::move(message));
  }
  return {{"error", {{"kind", name_of(error.kind)}, {"status", status}, {"messages", std::move(messages)}}}};
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.header.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string result;
  auto add_line = [&](auto&& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::Left ? fmt::format("{:<{}}", cell, widths[i])
                                               : fmt::format("{:>{}}", cell, widths[i]);
    }
    result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  static const std::string nothing;
  add_line([&](std::size_t i) -> const std::string& { return columns_[i].header; });
  for (const auto& row : rows_) {
    add_line([&](std::size_t i) -> const std::string& { return i < row.size() ? row[i] : nothing; });
  }
  return result;
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string rate_text(double rate) {
  return rate < 100 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate);
}

std::string named_values_text(const std::vector<std::pair<std::string, std::int64_t>>& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) parts.push_back(fmt::format("{} = {}", name, value));
  return joined(parts);
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

namespace {

std::string listed(const std::vector<std::string>& parts, const char* before_last) {
  if (parts.size() < 2) return joined(parts);
  return joined({parts.begin(), parts.end() - 1}) + before_last + parts.back();
}

}  // namespace

std::string alternatives(const std::vector<std::string>& parts) { return listed(parts, " or "); }
std::string conjunction(const std::vector<std::string>& parts) { return listed(parts, " and "); }

std::string shell_quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (char letter : word) result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string_view best = closest(word, {candidates.begin(), candidates.end()}, (word.size() + 1) / 2);
  return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

}  // namespace hoist::cli
