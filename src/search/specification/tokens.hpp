#pragma once
// The words of a specification's text.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/span.hpp"

namespace hoist::search::specification {

enum class TokenKind : std::uint8_t {
  End,
  Unknown,  ///< a character that begins no token
  Name,     ///< a letter, then letters and digits; of a parameter of one part also its number: t.1
  Number,   ///< digits
  Symbol,   ///< one of ; , = : ( ) { } | . + - * / % < <= > >= == !=
};

struct Token {
  TokenKind kind = TokenKind::End;
  Span span;
  std::string_view text;
};

/// The tokens with an End at the end. Spaces and comments, from // to the line's end, separate them.
std::vector<Token> tokenize(std::string_view text);

}  // namespace hoist::search::specification
