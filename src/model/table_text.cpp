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

double TableLines::number(std::string_view cell, std::string_view column, double least, double most) const {
  const double value = number(cell, column);
  if (value < least || value > most)
    wrong(fmt::format("'{}' in the column '{}' is not from {} to {}", cell, column, least, most));
  return value;
}

TableOrigin TableLines::read_origin(std::string_view title, int version) {
  if (!next() || line() != fmt::format("{},{}", title, version))
    wrong(fmt::format("the first line is not '{},{}'", title, version));
  TableOrigin origin;
  while (next() && line().starts_with('#')) {
    const std::vector<std::string>& cells = split();
    if (cells[0] == "#device_class" && cells.size() == 2) {
      origin.device_class = cells[1];
    } else if (cells[0] == "#provenance" && cells.size() == 3) {
      origin.provenance[cells[1]] = cells[2];
    } else {
      wrong(fmt::format("'{}' with {} values is not known", cells[0], cells.size() - 1));
    }
  }
  if (origin.device_class.empty()) wrong("there is no line '#device_class' above the table");
  return origin;
}

std::string origin_text(std::string_view title, int version, const std::string& device_class,
                        const std::map<std::string, std::string>& provenance) {
  std::string text = fmt::format("{},{}\n#device_class,{}\n", title, version, quoted_cell(device_class));
  for (const auto& [key, value] : provenance)
    text += fmt::format("#provenance,{},{}\n", quoted_cell(key), quoted_cell(value));
  return text;
}

}  // namespace hoist::model
