#pragma once
// Pieces of C text that know how tightly they bind, so that parentheses are printed only where they are
// needed.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hoist::codegen {

/// C's operators from the loosest to the tightest.
enum class Precedence : std::uint8_t {
  Conditional,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Sum,
  Product,
  Unary,
  Postfix,
};

/// An expression's text and its outermost operator.
struct Code {
  std::string text;
  Precedence precedence = Precedence::Postfix;
};

/// The text, in parentheses unless it binds at least as tightly as `least`.
std::string enclosed(const Code& code, Precedence least);

/// `left symbol right` of an operator that groups to the left.
Code infix(const Code& left, std::string_view symbol, const Code& right, Precedence precedence);
Code prefix(std::string_view symbol, const Code& operand);
/// `(type)operand`.
Code cast(std::string_view type, const Code& operand);
/// `function(argument, ...)`.
Code call(std::string_view function, const std::vector<Code>& arguments);
/// `condition ? yes : no`.
Code conditional(const Code& condition, const Code& yes, const Code& no);
/// `pointer + index`; without parentheses, since it is the same address.
Code offset(const std::string& pointer, const Code& index);
/// `array[index]`.
Code subscript(const Code& array, const Code& index);

/// Whether the text has this identifier.
bool has_word(std::string_view text, std::string_view word);

}  // namespace hoist::codegen
