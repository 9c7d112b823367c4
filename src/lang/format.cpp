// `formatted`: a program's text with the same tokens and comments, laid out in one way.
//
//   - The author's lines stay lines, but where a comma, an arrow, an `=` begins one (they end the line
//   before)
//     or an infix operator ends one (it begins the next), and where a line is longer than `line_limit`.
//   - How far lines are indented follows from the syntax tree: layout.cpp.
//   - Comments stay behind the token that they follow on a line, or on lines of their own before the next.
//   - Of several blank lines one stays.
//
// A line's beginning means something in three places only: a parenthesis or bracket that begins a line gives
// no arguments to what is before it, and a new line may end the value of a `let`. So no line is ever begun
// before a parenthesis or bracket that belongs to its left, and none of those that end a `let` is undone.
// `formatted` reads what it wrote and holds its tokens against those that it was given.
#include <algorithm>
#include <string>

#include "lang/lang.hpp"
#include "lang/layout.hpp"
#include "lang/parser.hpp"

namespace hoist::lang {
namespace {

struct Comment {
  std::string_view text;
  bool begins_line;
  bool is_indented;
  bool follows_blank_line;
};

/// What stands between two tokens.
struct Gap {
  std::vector<Comment> comments;
  bool ends_with_blank_line = false;
};

bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

Gap gap_between(std::string_view text, std::size_t begin, std::size_t end) {
  Gap gap;
  int lines = begin == 0 ? 1 : 0;  // that began since the last token or comment
  for (std::size_t at = begin; at < end;) {
    if (text[at] == '\n') {
      ++lines;
      ++at;
    } else if (text[at] == '/') {
      const std::size_t line_end = std::min(text.find('\n', at), end);
      std::size_t last = line_end;
      while (is_blank(text[last - 1])) --last;
      gap.comments.push_back(
          {text.substr(at, last - at), lines > 0, at > begin && is_blank(text[at - 1]), lines > 1});
      lines = 0;
      at = line_end;
    } else {
      ++at;
    }
  }
  gap.ends_with_blank_line = lines > 1;
  return gap;
}

bool is_sign(TokenKind kind) {
  return kind == TokenKind::Minus || kind == TokenKind::Not || kind == TokenKind::Tilde;
}

bool is_infix_symbol(TokenKind kind) {
  switch (kind) {
    case TokenKind::Pipe:
    case TokenKind::Compose:
    case TokenKind::OrOr:
    case TokenKind::AndAnd:
    case TokenKind::EqualEqual:
    case TokenKind::NotEqual:
    case TokenKind::Less:
    case TokenKind::LessEqual:
    case TokenKind::Greater:
    case TokenKind::GreaterEqual:
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Star:
    case TokenKind::Slash:
    case TokenKind::Percent:
    case TokenKind::StarStar:
    case TokenKind::And:
    case TokenKind::Or:
    case TokenKind::Caret:
    case TokenKind::ShiftLeft:
      return true;
    default:
      return false;
  }
}

class Formatter {
 public:
  Formatter(const Source& source, const syntax::File& file, const std::vector<Token>& tokens)
      : text_(source.text), file_(file) {
    std::size_t end = 0;
    for (const Token& token : tokens) {
      gaps_.push_back(gap_between(text_, end, token.span.begin));
      const bool begins_line = token.starts_line || token.kind == TokenKind::Def ||
                               token.kind == TokenKind::End || pieces_.empty();
      pieces_.push_back({token, begins_line, 0, ""});
      end = token.span.end;
    }
    find_colons_of_conditions();
  }

  std::string run() {
    for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) settle_line(i);
    for (std::size_t i = 1; i < pieces_.size(); ++i) pieces_[i].before = has_space_before(i) ? " " : "";
    lay_out(file_, pieces_);
    return written();
  }

 private:
  TokenKind kind_of(std::size_t piece) const { return pieces_[piece].token.kind; }
  bool is_prefix(std::size_t piece) const {
    return is_sign(kind_of(piece)) && (piece == 0 || !ends_operand(kind_of(piece - 1)));
  }
  bool is_infix(std::size_t piece) const {
    return is_infix_symbol(kind_of(piece)) && piece > 0 && ends_operand(kind_of(piece - 1));
  }
  /// Whether nothing at all is between a token and the one before.
  bool is_adjacent(std::size_t piece) const {
    return pieces_[piece].token.span.begin == pieces_[piece - 1].token.span.end;
  }

  /// The colon of `c ? a : b` is no type's.
  void find_colons_of_conditions() {
    is_of_condition_.assign(pieces_.size(), false);
    std::vector<int> open{0};  // questions without their colons, in each bracket
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      switch (kind_of(i)) {
        case TokenKind::Def:
          open.assign(1, 0);
          break;
        case TokenKind::LeftParenthesis:
        case TokenKind::LeftBracket:
          open.push_back(0);
          break;
        case TokenKind::RightParenthesis:
        case TokenKind::RightBracket:
          open.pop_back();
          break;
        case TokenKind::Question:
          ++open.back();
          break;
        case TokenKind::Colon:
          is_of_condition_[i] = open.back() > 0;
          if (open.back() > 0) --open.back();
          break;
        default:
          break;
      }
    }
  }

  /// Moves the beginning of a line to where it belongs.
  void settle_line(std::size_t i) {
    if (!pieces_[i].begins_line || !gaps_[i].comments.empty()) return;
    const TokenKind kind = kind_of(i), before = kind_of(i - 1);
    const bool ends_line = kind == TokenKind::Comma || kind == TokenKind::Dot || kind == TokenKind::Arrow ||
                           kind == TokenKind::Define;
    const bool is_held = before == TokenKind::Dot || is_prefix(i - 1) ||
                         (before == TokenKind::Colon && !is_of_condition_[i - 1]);
    if (ends_line || is_held) pieces_[i].begins_line = false;
    // `let` begins the line that its body is aligned with.
    if (is_infix(i - 1) && kind != TokenKind::Let) {
      pieces_[i].begins_line = false;
      pieces_[i - 1].begins_line = true;
    }
  }

  bool has_space_before(std::size_t i) const {
    const TokenKind kind = kind_of(i), before = kind_of(i - 1);
    if (before == TokenKind::LeftParenthesis || before == TokenKind::LeftBracket) return false;
    if (before == TokenKind::Dot) return false;
    // 2 .0 is a component, 2.0 a number.
    if (kind == TokenKind::Dot) return before == TokenKind::Number;
    if (kind == TokenKind::RightParenthesis || kind == TokenKind::RightBracket) return false;
    if (kind == TokenKind::Comma) return false;
    if (kind == TokenKind::Colon) return is_of_condition_[i];
    // -2 is a number, - 2 its negative.
    if (is_prefix(i - 1)) return kind == TokenKind::Number && !is_adjacent(i);
    if (kind == TokenKind::LeftParenthesis || kind == TokenKind::LeftBracket) return !ends_operand(before);
    // [N]f32, and the width of f32x?w.
    if (before == TokenKind::RightBracket && kind == TokenKind::Identifier) return false;
    if (before == TokenKind::Identifier && kind == TokenKind::Hole) return false;
    return true;
  }

  // ---- Writing.
  struct Line {
    std::string code;
    std::string_view comment;  ///< behind it
  };

  int indent_of_comments_before(std::size_t i, const Comment& comment) const {
    const TokenKind kind = kind_of(i);
    // At the margin a comment is the documentation of the definition below it.
    if (kind == TokenKind::Def || kind == TokenKind::End) return comment.is_indented ? indentation : 0;
    const bool closes = kind == TokenKind::RightParenthesis || kind == TokenKind::RightBracket;
    return pieces_[i].indent + (closes ? indentation : 0);
  }

  std::string written() const {
    std::vector<Line> lines;
    const auto add = [&](bool is_apart, int indent, std::string_view text) {
      if (is_apart && !lines.empty()) lines.emplace_back();
      lines.push_back({std::string(static_cast<std::size_t>(indent), ' ') + std::string(text), {}});
    };
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      for (const Comment& comment : gaps_[i].comments) {
        if (comment.begins_line) {
          add(comment.follows_blank_line, indent_of_comments_before(i, comment), comment.text);
        } else {
          lines.back().comment = comment.text;
        }
      }
      if (piece.token.kind == TokenKind::End) break;
      if (piece.begins_line) {
        add(gaps_[i].ends_with_blank_line, piece.indent, piece.token.text);
      } else {
        lines.back().code.append(piece.before).append(piece.token.text);
      }
    }
    return joined(lines);
  }

  /// Comments behind the code of neighbouring lines stand one below the other.
  static std::string joined(const std::vector<Line>& lines) {
    constexpr std::size_t distance = 2;
    std::string text;
    for (std::size_t i = 0; i < lines.size();) {
      std::size_t end = i, width = 0;
      for (; end < lines.size() && !lines[end].comment.empty(); ++end)
        width = std::max(width, lines[end].code.size());
      for (; i < end; ++i) {
        text += lines[i].code;
        text.append(width - lines[i].code.size() + distance, ' ').append(lines[i].comment) += '\n';
      }
      if (i < lines.size()) text += lines[i++].code + '\n';
    }
    return text;
  }

  std::string_view text_;
  const syntax::File& file_;
  std::vector<Piece> pieces_;
  std::vector<Gap> gaps_;  ///< before each piece
  std::vector<bool> is_of_condition_;
};

}  // namespace

Result<std::string> formatted(const Source& source) {
  Diagnostics diagnostics;
  const auto file = parse(source.text, diagnostics);
  if (!diagnostics.empty()) return tl::unexpected<Error>(diagnostics.take());
  const std::vector<Token> tokens = tokenize(source.text, diagnostics);
  std::string text = Formatter(source, *file, tokens).run();
  const auto is_same = [](const Token& a, const Token& b) { return a.kind == b.kind && a.text == b.text; };
  const std::vector<Token> again = tokenize(text, diagnostics);
  if (!std::equal(tokens.begin(), tokens.end(), again.begin(), again.end(), is_same))
    throw Bug("the formatted text has other tokens:\n" + text);
  return text;
}

}  // namespace hoist::lang
