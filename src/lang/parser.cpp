// Syntax trees from tokens: a recursive-descent parser with precedence climbing for operators (`infix_of` has
// the precedences).
//
// A syntax error ends the reading of its definition, and the parser goes on at the next `def`: all
// definitions are checked. The body of a definition may take several lines without a mark where it ends, so
// whether a bracket or a minus at the beginning of a line goes on with the expression before is decided where
// expressions are read.
#include "lang/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "lang/limits.hpp"
#include "lang/token.hpp"

namespace hoist::lang {
namespace {

using namespace syntax;

/// Ends the reading of one definition; the diagnostic is already reported.
struct SyntaxError {};

/// What binds tighter has the larger precedence. The bits of integers bind tighter than comparisons, as in
/// Python and Rust, and >> is the shift's strength for functions too: nothing looser makes a function.
struct Infix {
  enum class Form { Pipe, Compose, Binary } form;
  int precedence;
  ScalarOp op{};
};
constexpr int comparison_precedence = 5;

std::optional<Infix> infix_of(TokenKind kind) {
  using Form = Infix::Form;
  switch (kind) {
    case TokenKind::Pipe:
      return Infix{Form::Pipe, 1};
    case TokenKind::Compose:
      return Infix{Form::Compose, 9, ScalarOp::ShiftRight};
    case TokenKind::OrOr:
      return Infix{Form::Binary, 3, ScalarOp::Or};
    case TokenKind::AndAnd:
      return Infix{Form::Binary, 4, ScalarOp::And};
    case TokenKind::EqualEqual:
      return Infix{Form::Binary, comparison_precedence, ScalarOp::Equal};
    case TokenKind::NotEqual:
      return Infix{Form::Binary, comparison_precedence, ScalarOp::NotEqual};
    case TokenKind::Less:
      return Infix{Form::Binary, comparison_precedence, ScalarOp::Less};
    case TokenKind::LessEqual:
      return Infix{Form::Binary, comparison_precedence, ScalarOp::LessEqual};
    case TokenKind::Greater:
      return Infix{Form::Binary, comparison_precedence, ScalarOp::Greater};
    case TokenKind::GreaterEqual:
      return Infix{Form::Binary, comparison_precedence, ScalarOp::GreaterEqual};
    case TokenKind::Or:
      return Infix{Form::Binary, 6, ScalarOp::BitOr};
    case TokenKind::Caret:
      return Infix{Form::Binary, 7, ScalarOp::BitXor};
    case TokenKind::And:
      return Infix{Form::Binary, 8, ScalarOp::BitAnd};
    case TokenKind::ShiftLeft:
      return Infix{Form::Binary, 9, ScalarOp::ShiftLeft};
    case TokenKind::Plus:
      return Infix{Form::Binary, 10, ScalarOp::Add};
    case TokenKind::Minus:
      return Infix{Form::Binary, 10, ScalarOp::Subtract};
    case TokenKind::Star:
      return Infix{Form::Binary, 11, ScalarOp::Multiply};
    case TokenKind::Slash:
      return Infix{Form::Binary, 11, ScalarOp::Divide};
    case TokenKind::Percent:
      return Infix{Form::Binary, 11, ScalarOp::Remainder};
    default:
      return std::nullopt;
  }
}

std::optional<ScalarOp> operator_of(TokenKind kind) {
  if (kind == TokenKind::Not) return ScalarOp::Not;
  if (kind == TokenKind::Tilde) return ScalarOp::BitNot;
  if (kind == TokenKind::StarStar) return ScalarOp::Power;
  const auto infix = infix_of(kind);
  if (!infix || infix->form == Infix::Form::Pipe) return std::nullopt;
  return infix->op;
}

class Parser {
 public:
  Parser(std::string_view text, Diagnostics& diagnostics)
      : text_(text),
        diagnostics_(diagnostics),
        tokens_(tokenize(text, diagnostics)),
        file_(std::make_unique<File>()) {
    match_parentheses();
  }

  std::unique_ptr<File> run() {
    while (token().kind != TokenKind::End) {
      try {
        read_definition();
      } catch (const SyntaxError&) {
        nesting_ = 0;
        while (token().kind != TokenKind::End && token().kind != TokenKind::Def) ++position_;
      }
    }
    return std::move(file_);
  }

 private:
  // ---- Tokens.
  const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  bool at(TokenKind kind) const { return token().kind == kind; }
  const Token& advance() {
    const Token& current = token();
    if (current.kind != TokenKind::End) {
      ++position_;
      last_end_ = current.span.end;
    }
    return current;
  }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  std::string found() const {
    return at(TokenKind::End) ? std::string("the end of the file") : fmt::format("'{}'", token().text);
  }
  [[noreturn]] void fail_here(std::string message, std::string help = {}) {
    Span span = token().span;
    // What is missing at the end of a definition is missing after what was read last.
    const bool is_over = (at(TokenKind::End) || at(TokenKind::Def)) && last_end_ > 0;
    if (is_over) span = {last_end_ - 1, last_end_};
    if (!at(TokenKind::Unknown)) diagnostics_.report(span, std::move(message), "", std::move(help));
    throw SyntaxError{};
  }
  const Token& expect(TokenKind kind, std::string_view what, std::string help = {}) {
    if (!at(kind)) fail_here(fmt::format("expected {}, found {}", what, found()), std::move(help));
    return advance();
  }
  Span span_from(std::uint32_t begin) const { return {begin, std::max(begin, last_end_)}; }

  /// Where each ( is closed: tells a lambda's parameters from a parenthesised expression.
  void match_parentheses() {
    closing_.assign(tokens_.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t index = 0; index < tokens_.size(); ++index) {
      const TokenKind kind = tokens_[index].kind;
      if (kind == TokenKind::Def) open.clear();
      if (kind == TokenKind::LeftParenthesis) open.push_back(index);
      if (kind == TokenKind::RightParenthesis && !open.empty()) {
        closing_[open.back()] = index;
        open.pop_back();
      }
    }
  }
  bool at_lambda() const {
    if (at(TokenKind::Identifier)) return token(1).kind == TokenKind::Arrow;
    if (!at(TokenKind::LeftParenthesis)) return false;
    const std::size_t closing = closing_[position_];
    return closing != 0 && tokens_[closing + 1].kind == TokenKind::Arrow;
  }

  // ---- Nodes.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > limits::nesting) parser_.fail_here("this is nested too deeply");
    }
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  template <class Node>
  const Expression* make(Node node, std::uint32_t begin, std::initializer_list<const Expression*> children) {
    return make(std::move(node), begin, std::vector<const Expression*>(children));
  }
  template <class Node>
  const Expression* make(Node node, std::uint32_t begin, const std::vector<const Expression*>& children) {
    int depth = 1;
    for (const Expression* child : children) depth = std::max(depth, child->depth + 1);
    if (depth > limits::nesting) {
      diagnostics_.report(span_from(begin), "this is nested too deeply", "",
                          "name a part of it with 'let' or 'def'");
      throw SyntaxError{};
    }
    file_->expressions.push_back({std::move(node), span_from(begin), depth});
    return &file_->expressions.back();
  }

  // ---- Definitions.
  void read_definition() {
    Definition definition;
    const std::uint32_t begin = token().span.begin;
    expect(TokenKind::Def, "'def'", "a file is a list of definitions: def name(x: [N]f32) = ...");
    definition.documentation = documentation_above(begin);
    const Token& name = expect(TokenKind::Identifier, "the name of the definition");
    definition.name = name.text;
    definition.name_span = name.span;
    if (accept(TokenKind::LeftParenthesis)) {
      while (!at(TokenKind::RightParenthesis)) {
        definition.parameters.push_back(read_pattern());
        if (!accept(TokenKind::Comma)) break;
      }
      expect(TokenKind::RightParenthesis, "',' or ')' after a parameter");
    }
    if (accept(TokenKind::Colon)) definition.result = read_type();
    expect(TokenKind::Define, "'=' and the body of the definition");
    definition.body = read_expression();
    definition.span = span_from(begin);
    if (!at(TokenKind::End) && !at(TokenKind::Def)) {
      fail_here(fmt::format("{} cannot continue the expression before it", found()),
                token().starts_line && (at(TokenKind::LeftParenthesis) || at(TokenKind::LeftBracket))
                    ? "arguments start on the line of their function"
                    : "");
    }
    file_->definitions.push_back(std::move(definition));
  }

  /// The text of the // lines directly above the line at `offset`.
  std::string documentation_above(std::size_t offset) const {
    std::vector<std::string_view> lines;
    std::size_t line_begin = offset == 0 ? 0 : text_.rfind('\n', offset - 1) + 1;
    while (line_begin > 0) {
      const std::size_t end = line_begin - 1;
      const std::size_t begin = end == 0 ? 0 : text_.rfind('\n', end - 1) + 1;
      std::string_view line = text_.substr(begin, end - begin);
      if (!line.starts_with("//")) break;
      line.remove_prefix(line.starts_with("// ") ? 3 : 2);
      lines.push_back(line);
      line_begin = begin;
    }
    std::string result;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      if (!result.empty()) result += '\n';
      result += *line;
    }
    return result;
  }

  const Pattern* read_pattern() {
    const Nested nested(*this);
    Pattern pattern;
    const std::uint32_t begin = token().span.begin;
    if (accept(TokenKind::LeftParenthesis)) {
      pattern.components = read_patterns();
    } else {
      pattern.name = expect(TokenKind::Identifier, "the name of a parameter").text;
    }
    if (accept(TokenKind::Colon)) pattern.type = read_type();
    pattern.span = span_from(begin);
    file_->patterns.push_back(std::move(pattern));
    return &file_->patterns.back();
  }
  /// After the opening parenthesis.
  std::vector<const Pattern*> read_patterns() {
    std::vector<const Pattern*> patterns;
    do patterns.push_back(read_pattern());
    while (accept(TokenKind::Comma));
    expect(TokenKind::RightParenthesis, "',' or ')' after a parameter");
    return patterns;
  }

  // ---- Types.
  const Type* read_type() {
    const Nested nested(*this);
    Type type{.kind = Type::Kind::Scalar, .span = {}, .elements = {}};
    const std::uint32_t begin = token().span.begin;
    if (accept(TokenKind::LeftBracket)) {
      type.kind = Type::Kind::Array;
      type.size = read_expression();
      expect(TokenKind::RightBracket, "']' after the size");
      type.elements = {read_type()};
    } else if (accept(TokenKind::LeftParenthesis)) {
      type.kind = Type::Kind::Tuple;
      do type.elements.push_back(read_type());
      while (accept(TokenKind::Comma));
      expect(TokenKind::RightParenthesis, "',' or ')' after a type");
      if (type.elements.size() == 1) return type.elements[0];
    } else {
      read_named_type(type);
    }
    type.span = span_from(begin);
    file_->types.push_back(std::move(type));
    return &file_->types.back();
  }

  void read_named_type(Type& type) {
    constexpr std::string_view types =
        "types are f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool, [N]f32, f32x4, (f32, i32)";
    const Token name = token();
    if (!at(TokenKind::Identifier)) {
      fail_here(fmt::format("expected a type, found {}", found()), std::string(types));
    }
    if (name.text == "size" || name.text == "_") {
      advance();
      type.kind = name.text == "_" ? Type::Kind::Any : Type::Kind::Size;
      return;
    }
    const std::size_t cross = name.text.find('x');
    const auto scalar = scalar_named(name.text.substr(0, cross));
    if (!scalar) fail_here(fmt::format("'{}' is not a type", name.text), std::string(types));
    advance();
    type.scalar = *scalar;
    if (cross == std::string_view::npos) return;
    type.kind = Type::Kind::Vector;
    type.size = read_width(name, cross + 1);
  }

  /// The width of a vector type: f32x4, f32xV, f32x?v, f32x(2 * V).
  const Expression* read_width(const Token& name, std::size_t start) {
    const std::string_view rest = name.text.substr(start);
    const auto begin = static_cast<std::uint32_t>(name.span.begin + start);
    if (rest.empty()) {
      const Token& next = token();
      if (next.span.begin == name.span.end && next.kind == TokenKind::Hole) {
        advance();
        return make(hole_of(next), begin, {});
      }
      if (next.span.begin == name.span.end && accept(TokenKind::LeftParenthesis)) {
        const Expression* width = read_expression();
        expect(TokenKind::RightParenthesis, "')' after the width");
        return width;
      }
      fail_here("expected the width of the vector, as in f32x4");
    }
    const auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
    if (std::all_of(rest.begin(), rest.end(), is_digit)) return make(Number{rest, false, {}}, begin, {});
    return make(Name{rest}, begin, {});
  }

  // ---- Expressions.
  const Expression* read_expression() {
    const Nested nested(*this);
    const std::uint32_t begin = token().span.begin;
    const Expression* expression = read_infix(0);
    if (!accept(TokenKind::Question)) return expression;
    // Sizes that depend on a comparison print like this.
    const Expression* then_expression = read_expression();
    expect(TokenKind::Colon, "':' and the value for the other case",
           "'c ? a : b' may be written 'if c then a else b'");
    const Expression* else_expression = read_expression();
    return make(If{expression, then_expression, else_expression}, begin,
                {expression, then_expression, else_expression});
  }

  const Expression* read_infix(int lowest) {
    const std::uint32_t begin = token().span.begin;
    const Expression* left = read_unary();
    while (const auto infix = infix_of(token().kind)) {
      if (infix->precedence < lowest) break;
      const Span symbol = token().span;
      advance();
      const Expression* right = read_infix(infix->precedence + 1);
      switch (infix->form) {
        case Infix::Form::Pipe:
          left = make(Pipe{left, right}, begin, {left, right});
          break;
        case Infix::Form::Compose:
          left = make(Compose{left, right}, begin, {left, right});
          break;
        case Infix::Form::Binary:
          left = make(Binary{infix->op, left, right}, begin, {left, right});
          break;
      }
      const auto next = infix_of(token().kind);
      if (infix->precedence == comparison_precedence && next && next->precedence == comparison_precedence) {
        diagnostics_.report(symbol, "comparisons do not chain", "", "write a < b && b < c");
        throw SyntaxError{};
      }
    }
    return left;
  }

  const Expression* read_unary() {
    const std::uint32_t begin = token().span.begin;
    // A sign directly before its digits belongs to the number, but -2 ** n is -(2 ** n).
    if (at(TokenKind::Minus) && token(1).kind == TokenKind::Number &&
        token(1).span.begin == token().span.end && token(2).kind != TokenKind::StarStar) {
      advance();
      const Token& number = advance();
      return read_postfix(begin, make(number_of(number, true), begin, {}));
    }
    if (at(TokenKind::Minus) || at(TokenKind::Not) || at(TokenKind::Tilde)) {
      const ScalarOp op = at(TokenKind::Minus) ? ScalarOp::Negate
                          : at(TokenKind::Not) ? ScalarOp::Not
                                               : ScalarOp::BitNot;
      advance();
      const Nested nested(*this);
      const Expression* operand = read_unary();
      return make(Unary{op, operand}, begin, {operand});
    }
    const Expression* base = read_postfix(begin, read_primary());
    if (!accept(TokenKind::StarStar)) return base;
    const Nested nested(*this);
    const Expression* exponent = read_unary();
    return make(Binary{ScalarOp::Power, base, exponent}, begin, {base, exponent});
  }

  static Hole hole_of(const Token& token) {
    const std::string_view text = token.text.substr(1);
    const std::size_t end = text.find('@');
    return {text.substr(0, end), end == std::string_view::npos ? std::string_view() : text.substr(end + 1)};
  }

  Number number_of(const Token& number, bool is_negative) const {
    std::string_view text = number.text;
    std::optional<Scalar> suffix;
    for (Scalar scalar : all_scalars) {
      if (scalar != Scalar::Bool && text.ends_with(name_of(scalar))) suffix = scalar;
    }
    if (suffix) text.remove_suffix(name_of(*suffix).size());
    const bool is_real = text.find_first_not_of("0123456789") != std::string_view::npos;
    if (is_negative) text = text_.substr(number.span.begin - 1, text.size() + 1);
    return {text, is_real, suffix};
  }

  /// x[i], t.0, f(x) as often as they follow.
  const Expression* read_postfix(std::uint32_t begin, const Expression* expression) {
    while (true) {
      if (at(TokenKind::LeftParenthesis) && !token().starts_line) {
        advance();
        std::vector<const Expression*> arguments = read_arguments(TokenKind::RightParenthesis);
        expect(TokenKind::RightParenthesis, "',' or ')' after an argument");
        std::vector<const Expression*> children = arguments;
        children.push_back(expression);
        expression = make(Apply{expression, std::move(arguments)}, begin, children);
      } else if (at(TokenKind::LeftBracket) && !token().starts_line) {
        advance();
        const Expression* index = read_expression();
        expect(TokenKind::RightBracket, "']' after the index");
        expression = make(Index{expression, index}, begin, {expression, index});
      } else if (at(TokenKind::Dot)) {
        advance();
        expression = read_get(begin, expression);
      } else {
        return expression;
      }
    }
  }

  const Expression* read_get(std::uint32_t begin, const Expression* tuple) {
    const std::string help = "t.0 is the first component of a tuple";
    const std::string_view digits = expect(TokenKind::Number, "the number of a component", help).text;
    std::uint32_t position = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), position);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      --position_;
      fail_here(fmt::format("'{}' does not number a component", digits), help);
    }
    return make(Get{tuple, position}, begin, {tuple});
  }

  std::vector<const Expression*> read_arguments(TokenKind closing) {
    std::vector<const Expression*> arguments;
    while (!at(closing)) {
      arguments.push_back(read_argument());
      if (!accept(TokenKind::Comma)) break;
    }
    return arguments;
  }

  /// An expression, or a bare operator.
  const Expression* read_argument() {
    const TokenKind next = token(1).kind;
    const auto op = operator_of(token().kind);
    if (op && (next == TokenKind::Comma || next == TokenKind::RightParenthesis)) {
      const std::uint32_t begin = advance().span.begin;
      return make(Operator{*op}, begin, {});
    }
    return read_expression();
  }

  const Expression* read_primary() {
    const std::uint32_t begin = token().span.begin;
    if (at_lambda()) return read_lambda();
    switch (token().kind) {
      case TokenKind::Identifier:
        return make(Name{advance().text}, begin, {});
      case TokenKind::Number:
        return make(number_of(advance(), false), begin, {});
      case TokenKind::Hole:
        return make(hole_of(advance()), begin, {});
      case TokenKind::True:
      case TokenKind::False:
        return make(Boolean{advance().kind == TokenKind::True}, begin, {});
      case TokenKind::LeftParenthesis:
        return read_parenthesised();
      case TokenKind::LeftBracket:
        return read_array();
      case TokenKind::Let:
        return read_let();
      case TokenKind::If:
        return read_if();
      case TokenKind::Question:
        fail_here("a tuning parameter needs a name directly after '?', as in ?tile");
      default:
        fail_here(fmt::format("expected an expression, found {}", found()));
    }
  }

  const Expression* read_lambda() {
    const std::uint32_t begin = token().span.begin;
    std::vector<const Pattern*> parameters;
    if (accept(TokenKind::LeftParenthesis)) {
      parameters = read_patterns();
    } else {
      parameters = {read_pattern()};
    }
    expect(TokenKind::Arrow, "'=>'");
    const Expression* body = read_expression();
    return make(Lambda{std::move(parameters), body}, begin, {body});
  }

  const Expression* read_parenthesised() {
    const std::uint32_t begin = advance().span.begin;
    std::vector<const Expression*> components = read_arguments(TokenKind::RightParenthesis);
    if (components.empty()) fail_here("expected an expression in the parentheses");
    expect(TokenKind::RightParenthesis, "',' or ')'");
    if (components.size() == 1) return components[0];
    const std::vector<const Expression*> children = components;
    return make(Tuple{std::move(components)}, begin, children);
  }

  const Expression* read_array() {
    const std::uint32_t begin = advance().span.begin;
    std::vector<const Expression*> elements = read_arguments(TokenKind::RightBracket);
    if (elements.empty()) fail_here("expected an element: arrays that are written out have at least one");
    expect(TokenKind::RightBracket, "',' or ']' after an element");
    const std::vector<const Expression*> children = elements;
    return make(Array{std::move(elements)}, begin, children);
  }

  const Expression* read_let() {
    const std::uint32_t begin = advance().span.begin;
    const Pattern* pattern = read_pattern();
    expect(TokenKind::Define, "'=' after the name in 'let'");
    const Expression* value = read_expression();
    if (!accept(TokenKind::In) && !token().starts_line) {
      fail_here(fmt::format("expected 'in' or a new line after the value of 'let', found {}", found()));
    }
    const Expression* body = read_expression();
    return make(Let{pattern, value, body}, begin, {value, body});
  }

  const Expression* read_if() {
    const std::uint32_t begin = advance().span.begin;
    const Expression* condition = read_expression();
    expect(TokenKind::Then, "'then'");
    const Expression* then_expression = read_expression();
    expect(TokenKind::Else, "'else'", "an 'if' is an expression: it needs a value in both cases");
    const Expression* else_expression = read_expression();
    return make(If{condition, then_expression, else_expression}, begin,
                {condition, then_expression, else_expression});
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> closing_;  ///< of each ( token its ) token, or 0
  std::unique_ptr<File> file_;
  std::size_t position_ = 0;
  std::uint32_t last_end_ = 0;
  int nesting_ = 0;
};

}  // namespace

std::unique_ptr<File> parse(std::string_view text, Diagnostics& diagnostics) {
  return Parser(text, diagnostics).run();
}

}  // namespace hoist::lang
