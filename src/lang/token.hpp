#pragma once
// Words of the language's text.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/span.hpp"
#include "lang/diagnostics.hpp"

namespace hoist::lang {

enum class TokenKind : std::uint8_t {
  End,
  Unknown,  ///< a byte that starts no token; it is already reported
  Identifier,
  Number,  ///< also inf and nan, with their suffixes
  Hole,    ///< ?name
  // keywords
  Def,
  Let,
  In,
  If,
  Then,
  Else,
  True,
  False,
  // punctuation
  LeftParenthesis,
  RightParenthesis,
  LeftBracket,
  RightBracket,
  Comma,
  Colon,
  Dot,
  Question,
  Define,   ///< =
  Arrow,    ///< =>
  Pipe,     ///< |>
  Compose,  ///< >>, of numbers the shift to the right
  // operators
  OrOr,
  AndAnd,
  EqualEqual,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  StarStar,
  Not,
  And,
  Or,
  Caret,
  Tilde,
  ShiftLeft,
};

struct Token {
  TokenKind kind = TokenKind::End;
  Span span;
  std::string_view text;
  bool starts_line = false;  ///< the first token of its line
};

/// The tokens of `text` with an End at the end.
std::vector<Token> tokenize(std::string_view text, Diagnostics& diagnostics);

}  // namespace hoist::lang
