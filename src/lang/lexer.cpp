// Tokens from text. `tokenize` reads one token after the other, the longest that fits; spaces and comments
// separate tokens and are dropped. A character that begins no token is reported, and becomes a token of its
// own kind, so that the parser is silent about it and reads on.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "base/scalar.hpp"
#include "lang/lang.hpp"
#include "lang/token.hpp"

namespace hoist::lang {
namespace {

// The character classes of <cctype> depend on the locale and take no negative bytes.
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}
bool is_word(char byte) { return is_letter(byte) || is_digit(byte); }

constexpr std::pair<std::string_view, TokenKind> keyword_kinds[] = {
    {"def", TokenKind::Def},   {"let", TokenKind::Let},     {"in", TokenKind::In},
    {"if", TokenKind::If},     {"then", TokenKind::Then},   {"else", TokenKind::Else},
    {"true", TokenKind::True}, {"false", TokenKind::False},
};

// Longer symbols first, so that the first match is the longest.
constexpr std::pair<std::string_view, TokenKind> symbol_kinds[] = {
    {"=>", TokenKind::Arrow},
    {"|>", TokenKind::Pipe},
    {">>", TokenKind::Compose},
    {"<<", TokenKind::ShiftLeft},
    {"||", TokenKind::OrOr},
    {"&&", TokenKind::AndAnd},
    {"==", TokenKind::EqualEqual},
    {"!=", TokenKind::NotEqual},
    {"<=", TokenKind::LessEqual},
    {">=", TokenKind::GreaterEqual},
    {"**", TokenKind::StarStar},
    {"(", TokenKind::LeftParenthesis},
    {")", TokenKind::RightParenthesis},
    {"[", TokenKind::LeftBracket},
    {"]", TokenKind::RightBracket},
    {",", TokenKind::Comma},
    {":", TokenKind::Colon},
    {".", TokenKind::Dot},
    {"?", TokenKind::Question},
    {"=", TokenKind::Define},
    {"<", TokenKind::Less},
    {">", TokenKind::Greater},
    {"+", TokenKind::Plus},
    {"-", TokenKind::Minus},
    {"*", TokenKind::Star},
    {"/", TokenKind::Slash},
    {"%", TokenKind::Percent},
    {"!", TokenKind::Not},
    {"&", TokenKind::And},
    {"|", TokenKind::Or},
    {"^", TokenKind::Caret},
    {"~", TokenKind::Tilde},
};

/// inf, nan, inff64...: what floats without digits print as.
bool is_special_number(std::string_view word) {
  if (!word.starts_with("inf") && !word.starts_with("nan")) return false;
  const std::string_view suffix = word.substr(3);
  return suffix.empty() || suffix == "f32" || suffix == "f64";
}

class Lexer {
 public:
  Lexer(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    // Some editors begin a file of UTF-8 with a byte order mark.
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
    while (skip_blanks(), position_ < text_.size()) read_token();
    add(TokenKind::End, position_);
    return std::move(tokens_);
  }

 private:
  char at(std::size_t offset) const {
    return position_ + offset < text_.size() ? text_[position_ + offset] : '\0';
  }

  void skip_blanks() {
    while (position_ < text_.size()) {
      const char byte = text_[position_];
      if (byte == '\n') {
        starts_line_ = true;
        ++position_;
      } else if (byte == ' ' || byte == '\t' || byte == '\r') {
        ++position_;
      } else if (byte == '/' && at(1) == '/') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else {
        return;
      }
    }
  }

  void add(TokenKind kind, std::size_t begin) {
    tokens_.push_back({kind,
                       {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(position_)},
                       text_.substr(begin, position_ - begin),
                       starts_line_});
    starts_line_ = false;
  }

  void read_token() {
    const std::size_t begin = position_;
    const char byte = text_[position_];
    if (is_letter(byte)) return read_word();
    if (is_digit(byte)) return read_number();
    if (byte == '?' && is_letter(at(1))) {
      ++position_;
      while (is_word(at(0))) ++position_;
      if (at(0) == '@' && is_digit(at(1))) {
        ++position_;
        while (is_digit(at(0))) ++position_;
      }
      return add(TokenKind::Hole, begin);
    }
    for (const auto& [symbol, kind] : symbol_kinds) {
      if (text_.substr(position_).starts_with(symbol)) {
        position_ += symbol.size();
        return add(kind, begin);
      }
    }
    report_unknown();
  }

  void read_word() {
    const std::size_t begin = position_;
    while (is_word(at(0))) ++position_;
    const std::string_view word = text_.substr(begin, position_ - begin);
    TokenKind kind = is_special_number(word) ? TokenKind::Number : TokenKind::Identifier;
    for (const auto& [keyword, keyword_kind] : keyword_kinds) {
      if (word == keyword) kind = keyword_kind;
    }
    add(kind, begin);
  }

  void read_number() {
    const std::size_t begin = position_;
    while (is_digit(at(0))) ++position_;
    // After the dot of `t.0.1` a number is a position, not a fraction.
    const bool is_position = !tokens_.empty() && tokens_.back().kind == TokenKind::Dot;
    if (!is_position && at(0) == '.' && is_digit(at(1))) {
      ++position_;
      while (is_digit(at(0))) ++position_;
    }
    if (!is_position && (at(0) == 'e' || at(0) == 'E')) {
      const std::size_t sign = at(1) == '+' || at(1) == '-' ? 2 : 1;
      if (is_digit(at(sign))) {
        position_ += sign;
        while (is_digit(at(0))) ++position_;
      }
    }
    const std::size_t suffix = position_;
    while (is_word(at(0))) ++position_;
    const std::string_view word = text_.substr(suffix, position_ - suffix);
    if (!word.empty() && (word == "bool" || !scalar_named(word))) {
      diagnostics_.report(
          {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(position_)},
          fmt::format("'{}' is neither a number nor a name", text_.substr(begin, position_ - begin)),
          "a number may end in a type: 1f64, 2u8, 3i64", "");
      // What follows reads on with the digits alone.
      const std::size_t end = std::exchange(position_, suffix);
      add(TokenKind::Number, begin);
      position_ = end;
      return;
    }
    add(TokenKind::Number, begin);
  }

  void report_unknown() {
    const std::size_t begin = position_;
    ++position_;
    // The rest of a UTF-8 character belongs to it.
    while ((static_cast<unsigned char>(at(0)) & 0xC0U) == 0x80U) ++position_;
    const Span span{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(position_)};
    const char byte = text_[begin];
    std::string help;
    if (byte == ';') help = "a definition ends where the next 'def' begins; nothing separates them";
    const bool printable = static_cast<unsigned char>(byte) >= 0x20 && byte != '\x7f';
    diagnostics_.report(
        span,
        printable ? fmt::format("'{}' is not part of the language", text_.substr(begin, position_ - begin))
                  : fmt::format("the byte 0x{:02x} is not part of the language",
                                static_cast<unsigned>(static_cast<unsigned char>(byte))),
        "", help);
    add(TokenKind::Unknown, begin);
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t position_ = 0;
  bool starts_line_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<std::string_view> keywords() {
  std::vector<std::string_view> names;
  for (const auto& [name, kind] : keyword_kinds) names.push_back(name);
  return names;
}

std::vector<std::string_view> symbols() {
  std::vector<std::string_view> texts;
  for (const auto& [text, kind] : symbol_kinds) texts.push_back(text);
  return texts;
}

std::vector<Token> tokenize(std::string_view text, Diagnostics& diagnostics) {
  return Lexer(text, diagnostics).run();
}

}  // namespace hoist::lang
