#include "loop/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace hoist::loop {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

std::size_t TextReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  return at_;
}

std::string_view TextReader::peek_word() const {
  std::size_t end = at_;
  while (end < text_.size() && is_name_part(text_[end])) ++end;
  return std::string_view(text_).substr(at_, end - at_);
}

std::string_view TextReader::word() {
  skip_space();
  if (!is_name_at(at_)) fail_here("expected a word");
  const std::string_view word = peek_word();
  at_ += word.size();
  return word;
}

std::int64_t TextReader::natural() {
  const std::size_t begin = skip_space();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc() || value < 0 || value > std::numeric_limits<int>::max()) {
    fail_at(begin, begin + 1, "expected a natural number");
  }
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::string TextReader::quoted() {
  expect("\"");
  std::string plain;
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
      ++at_;
      plain += text_[at_] == 'n' ? '\n' : text_[at_];
    } else {
      plain += text_[at_];
    }
  }
  if (at_ == text_.size()) fail_here("expected the end of a quoted text");
  ++at_;
  return plain;
}

bool TextReader::accept(std::string_view symbol) {
  skip_space();
  if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
  at_ += symbol.size();
  return true;
}

void TextReader::expect(std::string_view symbol) {
  if (!accept(symbol)) fail_here(fmt::format("expected '{}'", symbol));
}

bool TextReader::accept_word(std::string_view wanted) {
  skip_space();
  if (peek_word() != wanted) return false;
  at_ += wanted.size();
  return true;
}

void TextReader::expect_word(std::string_view wanted) {
  if (!accept_word(wanted)) fail_here(fmt::format("expected '{}'", wanted));
}

void TextReader::fail_at(std::size_t begin, std::size_t end, std::string message) {
  throw Failure(Error{ErrorKind::User, {Diagnostic{std::move(message), span(begin, end)}}});
}

void TextReader::fail_here(std::string message) {
  const std::size_t begin = skip_space();
  fail_at(begin, std::min(begin + 1, text_.size()), std::move(message));
}

}  // namespace hoist::loop
