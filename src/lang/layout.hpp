#pragma once
// Where the lines of a program's text begin, and how far each is indented: the larger half of `formatted`.
#include <cstddef>
#include <string_view>
#include <vector>

#include "lang/syntax.hpp"
#include "lang/token.hpp"

namespace hoist::lang {

/// The columns that code may take, and by how many columns what is inside of something is indented.
inline constexpr std::size_t line_limit = 100;
inline constexpr int indentation = 2;

/// A token with what stands before it.
struct Piece {
  Token token;
  bool begins_line = false;
  int indent = 0;           ///< of a piece that begins a line
  std::string_view before;  ///< "" or " ", of one that does not
};

/// Whether an operand ends with such a token: what follows then is an infix operator, an index or arguments.
bool ends_operand(TokenKind kind);

/// Indents the lines of a file that parses, and breaks those that are longer than `line_limit` where its
/// syntax tree has places for that. `pieces` are all its tokens; lines that begin already stay lines.
void lay_out(const syntax::File& file, std::vector<Piece>& pieces);

}  // namespace hoist::lang
