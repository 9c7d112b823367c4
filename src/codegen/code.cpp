#include "codegen/code.hpp"

#include <fmt/format.h>

#include <cctype>

namespace hoist::codegen {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_bitwise(Precedence precedence) {
  return precedence == Precedence::BitOr || precedence == Precedence::BitXor ||
         precedence == Precedence::BitAnd || precedence == Precedence::Shift;
}

/// C would need no parentheses here, but few readers know these precedences, and compilers warn.
bool is_confusing(Precedence outer, Precedence inner) {
  if (inner >= Precedence::Unary || inner == outer) return false;
  return is_bitwise(outer) || is_bitwise(inner) || (outer == Precedence::Or && inner == Precedence::And);
}

void append_operand(const Code& operand, Precedence outer, bool is_right, std::string& text) {
  const bool binds = is_right ? operand.precedence > outer : operand.precedence >= outer;
  const bool is_enclosed = !binds || is_confusing(outer, operand.precedence);
  if (is_enclosed) text += '(';
  text += operand.text;
  if (is_enclosed) text += ')';
}

}  // namespace

std::string enclosed(const Code& code, Precedence least) {
  return code.precedence >= least ? code.text : "(" + code.text + ")";
}

Code infix(const Code& left, std::string_view symbol, const Code& right, Precedence precedence) {
  constexpr std::size_t spaces_and_parentheses = 6;
  std::string text;
  text.reserve(left.text.size() + symbol.size() + right.text.size() + spaces_and_parentheses);
  append_operand(left, precedence, false, text);
  text.append(" ").append(symbol).append(" ");
  append_operand(right, precedence, true, text);
  return {std::move(text), precedence};
}

Code prefix(std::string_view symbol, const Code& operand) {
  std::string text = enclosed(operand, Precedence::Unary);
  if (text.starts_with(symbol)) text = "(" + text + ")";  // - -x, not --x
  return {std::string(symbol) + text, Precedence::Unary};
}

Code cast(std::string_view type, const Code& operand) {
  return {fmt::format("({}){}", type, enclosed(operand, Precedence::Unary)), Precedence::Unary};
}

Code call(std::string_view function, const std::vector<Code>& arguments) {
  std::string text = std::string(function) + "(";
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    if (at > 0) text += ", ";
    text += arguments[at].text;
  }
  return {text + ")", Precedence::Postfix};
}

Code conditional(const Code& condition, const Code& yes, const Code& no) {
  const Precedence least = is_bitwise(condition.precedence) ? Precedence::Postfix : Precedence::Or;
  return {fmt::format("{} ? {} : {}", enclosed(condition, least), enclosed(yes, Precedence::Or),
                      enclosed(no, Precedence::Conditional)),
          Precedence::Conditional};
}

Code offset(const std::string& pointer, const Code& index) {
  if (index.text == "0") return {pointer};
  return {fmt::format("{} + {}", pointer, enclosed(index, Precedence::Sum)), Precedence::Sum};
}

Code subscript(const Code& array, const Code& index) {
  return {fmt::format("{}[{}]", enclosed(array, Precedence::Postfix), index.text), Precedence::Postfix};
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) &&
        (end == text.size() || !is_word_character(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace hoist::codegen
