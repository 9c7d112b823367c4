#include "search/specification/tokens.hpp"

#include <algorithm>
#include <array>

namespace hoist::search::specification {

namespace {

// The character classes of <cctype> depend on the locale and take no negative bytes.
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool begins_name(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}
bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

// Longer symbols first, so that the first match is the longest.
constexpr std::array<std::string_view, 21> symbols = {"<=", ">=", "==", "!=", ";", ",", "=",
                                                      ":",  "(",  ")",  "{",  "}", "|", ".",
                                                      "+",  "-",  "*",  "/",  "%", "<", ">"};

/// Reads one token after the other.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {
    // Some editors begin a file of UTF-8 with a byte order mark.
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
  }

  std::vector<Token> run() {
    while (skip_blanks(), position_ < text_.size()) {
      const std::size_t begin = position_;
      const TokenKind kind = advance();
      tokens_.push_back({kind, span(begin), text_.substr(begin, position_ - begin)});
    }
    tokens_.push_back({TokenKind::End, span(position_), {}});
    return std::move(tokens_);
  }

 private:
  char at(std::size_t offset) const {
    return position_ + offset < text_.size() ? text_[position_ + offset] : '\0';
  }
  Span span(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(position_)};
  }

  void skip_blanks() {
    while (position_ < text_.size()) {
      if (is_blank(text_[position_])) {
        ++position_;
      } else if (at(0) == '/' && at(1) == '/') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else {
        return;
      }
    }
  }

  TokenKind advance() {
    if (begins_name(at(0))) {
      while (begins_name(at(0)) || is_digit(at(0))) ++position_;
      if (at(0) == '.' && is_digit(at(1))) {
        ++position_;
        while (is_digit(at(0))) ++position_;
      }
      return TokenKind::Name;
    }
    if (is_digit(at(0))) {
      while (is_digit(at(0))) ++position_;
      return TokenKind::Number;
    }
    for (const std::string_view symbol : symbols) {
      if (!text_.substr(position_).starts_with(symbol)) continue;
      position_ += symbol.size();
      return TokenKind::Symbol;
    }
    ++position_;
    // The rest of a UTF-8 character belongs to it.
    while ((static_cast<unsigned char>(at(0)) & 0xC0U) == 0x80U) ++position_;
    return TokenKind::Unknown;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Scanner(text).run(); }

}  // namespace hoist::search::specification
