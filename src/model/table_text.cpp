#include "model/table_text.hpp"

#include <charconv>
#include <cmath>

namespace hoist::model {

std::string quoted_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r#") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char letter : text) {
    if (letter == '"') cell += '"';
    cell += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  return cell + '"';
}

void append_number(std::string& text, double number) {
  constexpr double all_digits_below = 1e15;
  if (number == std::floor(number) && std::abs(number) < all_digits_below) {
    fmt::format_to(std::back_inserter(text), "{}", static_cast<std::int64_t>(number));
  } else {
    fmt::format_to(std::back_inserter(text), "{:.6g}", number);
  }
}

void TableLines::wrong(const std::string& what, const std::string& why) const {
  throw_user(
      fmt::format("{}:{}: {}", name_, number_, what), why,
      fmt::format("the file is not {} as Hoist writes them, or it was damaged; get or collect it again",
                  kind_));
}

bool TableLines::next() {
  if (at_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  line_ = text_.substr(at_, end - at_);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  at_ = end + 1;
  ++number_;
  return true;
}

const std::vector<std::string>& TableLines::split() {
  cells_.clear();
  for (std::size_t at = 0; at <= line_.size();) {
    std::string& cell = cells_.emplace_back();
    if (at < line_.size() && line_[at] == '"') {
      at = read_quoted(at + 1, cell);
    } else {
      const std::size_t end = std::min(line_.find(',', at), line_.size());
      cell = line_.substr(at, end - at);
      at = end;
    }
    if (at < line_.size() && line_[at] != ',') wrong("something stands between a closing quote and a comma");
    ++at;
  }
  return cells_;
}

/// Gives the place behind the closing quote.
std::size_t TableLines::read_quoted(std::size_t at, std::string& cell) const {
  while (at < line_.size()) {
    if (line_[at] != '"') {
      cell += line_[at++];
    } else if (at + 1 < line_.size() && line_[at + 1] == '"') {
      cell += '"';
      at += 2;
    } else {
      return at + 1;
    }
  }
  wrong("a quote is not closed");
}

double TableLines::number(std::string_view cell, std::string_view column) const {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    wrong(fmt::format("'{}' in the column '{}' is no finite number", cell, column));
  return value;
}

}  // namespace hoist::model
