// Lines from a syntax tree. The author's lines stay; what is computed is how far each is indented, and where
// a line that is too long is broken:
//
//   def f(x: [N]f32): f32 = x |> map(e => ...) |> sum        def f(x: [N]f32): f32 =
//                                                              x |> map(e => ...)
//                                                                |> sum
//
// `indent_definition` walks over a definition's tree beside its tokens: each visit has the tokens first to
// last of an expression, its parentheses among them, and the `base` by which the line is indented that the
// expression begins in. What begins a line inside of it is indented by two columns more. An expression some
// part of which begins a line passes a base larger by two on to all of its parts, so that
//
//   let (s, t) = x |> map(e =>
//       let y = ...                  is further in than the pipe below, whose operand it is part of
//       (y, e))
//     |> reduce(...)
//
// On its way the visit marks the places where a line may be broken (`may_break`), the outermost with the
// smallest depth. `break_line` takes the outermost places of a line, as many of them as it takes to fit. Then
// everything is indented anew, until no line changes. As broken lines are like those of the author, what is
// laid out stays as it is when it is laid out again.
#include "lang/layout.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace hoist::lang {

using namespace syntax;

bool ends_operand(TokenKind kind) {
  switch (kind) {
    case TokenKind::Identifier:
    case TokenKind::Number:
    case TokenKind::Hole:
    case TokenKind::True:
    case TokenKind::False:
    case TokenKind::RightParenthesis:
    case TokenKind::RightBracket:
      return true;
    default:
      return false;
  }
}

namespace {

/// Operators of one level, which stand one below the other: a sum, a product, or the same operator again.
int level_of(ScalarOp op) {
  constexpr int beyond_all_operators = 1000;
  switch (op) {
    case ScalarOp::Add:
    case ScalarOp::Subtract:
      return beyond_all_operators;
    case ScalarOp::Multiply:
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      return beyond_all_operators + 1;
    default:
      return static_cast<int>(op);
  }
}

/// The operands of an infix operator, and what tells those that belong together.
struct InfixParts {
  int level;
  const Expression* left;
  const Expression* right;
};
std::optional<InfixParts> infix_parts_of(const Expression& expression) {
  if (const auto* pipe = expression.as<Pipe>()) return InfixParts{-2, pipe->argument, pipe->function};
  if (const auto* compose = expression.as<Compose>()) return InfixParts{-1, compose->first, compose->second};
  const auto* binary = expression.as<Binary>();
  if (binary == nullptr || binary->op == ScalarOp::Power) return std::nullopt;
  return InfixParts{level_of(binary->op), binary->left, binary->right};
}

class Layout {
 public:
  Layout(const File& file, std::vector<Piece>& pieces)
      : file_(file), pieces_(pieces), breaks_(pieces.size()), partner_(pieces.size(), 0) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const TokenKind kind = kind_of(i);
      if (kind == TokenKind::LeftParenthesis || kind == TokenKind::LeftBracket) open.push_back(i);
      if (kind != TokenKind::RightParenthesis && kind != TokenKind::RightBracket) continue;
      partner_[i] = open.back();
      partner_[open.back()] = i;
      open.pop_back();
    }
  }

  void run() {
    do {
      is_changed_ = false;
      groups_ = 0;
      std::fill(breaks_.begin(), breaks_.end(), Break{});
      for (const Definition& definition : file_.definitions) indent_definition(definition);
      for (std::size_t begin = 0; begin + 1 < pieces_.size();) {
        std::size_t end = begin + 1;
        while (!pieces_[end].begins_line) ++end;
        break_line(begin, end);
        begin = end;
      }
    } while (is_changed_);
  }

 private:
  /// A place where a line may be broken, before a piece.
  struct Break {
    int depth = -1;  ///< of the expression that it breaks; below 0: none
    int group = 0;   ///< places of one expression
  };

  TokenKind kind_of(std::size_t piece) const { return pieces_[piece].token.kind; }
  bool begins_line(std::size_t piece) const { return pieces_[piece].begins_line; }
  void indent(std::size_t piece, int columns) { pieces_[piece].indent = columns; }
  void may_break(std::size_t piece, int depth, int group) { breaks_[piece] = {depth, group}; }
  void begin_line(std::size_t piece) {
    if (begins_line(piece)) return;
    pieces_[piece].begins_line = true;
    is_changed_ = true;
  }

  /// The last piece of an expression, with the parentheses around it of those from `first` on.
  std::size_t last_of(const Expression& expression, std::size_t first) const {
    const auto after = std::partition_point(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
      return piece.token.span.begin < expression.span.end;
    });
    auto last = static_cast<std::size_t>(after - pieces_.begin()) - 1;
    while (true) {
      const std::size_t close = last + (kind_of(last + 1) == TokenKind::Comma ? 2 : 1);  // (a,) is a
      if (kind_of(close) != TokenKind::RightParenthesis || partner_[close] < first) return last;
      last = close;
    }
  }
  /// From `piece` on the first of this kind outside of brackets.
  std::size_t next_of(TokenKind kind, std::size_t piece) const {
    while (kind_of(piece) != kind) {
      const bool opens =
          kind_of(piece) == TokenKind::LeftParenthesis || kind_of(piece) == TokenKind::LeftBracket;
      piece = opens ? partner_[piece] + 1 : piece + 1;
    }
    return piece;
  }

  // ---- Indentation.
  void indent_definition(const Definition& definition) {
    const std::size_t first =
        static_cast<std::size_t>(std::partition_point(pieces_.begin(), pieces_.end(),
                                                      [&](const Piece& piece) {
                                                        return piece.token.span.begin < definition.span.begin;
                                                      }) -
                                 pieces_.begin());
    const std::size_t define = next_of(TokenKind::Define, first);
    indent(first, 0);
    indent_header(first, define);
    indent(define + 1, indentation);
    may_break(define + 1, 0, groups_++);
    const int base = begins_line(define + 1) ? indentation : 0;
    visit(*definition.body, define + 1, last_of(*definition.body, define + 1), base, 1);
  }

  /// From `def` to `=`: a line may be broken between parameters, before the result's type, and between the
  /// components of types.
  void indent_header(std::size_t first, std::size_t define) {
    const int group = groups_++;
    const bool has_parameters = kind_of(first + 2) == TokenKind::LeftParenthesis;
    const std::size_t parameters_end = has_parameters ? partner_[first + 2] : first + 1;
    std::vector<int> open;  // the groups of the parentheses
    for (std::size_t i = first + 1; i <= define; ++i) {
      if (kind_of(i) == TokenKind::RightParenthesis) open.pop_back();
      const int depth = static_cast<int>(open.size()) + (i > parameters_end ? 1 : 0);
      indent(i, (std::max(depth, 1) + 1) * indentation);
      if (kind_of(i) == TokenKind::Comma && !open.empty() && kind_of(i + 1) != TokenKind::RightParenthesis)
        may_break(i + 1, depth, open.back());
      if (kind_of(i) == TokenKind::LeftParenthesis) open.push_back(i == first + 2 ? group : groups_++);
    }
    if (has_parameters && parameters_end + 1 < define) may_break(parameters_end + 1, 1, group);
  }

  void visit(const Expression& expression, std::size_t first, std::size_t last, int base, int depth) {
    while (kind_of(first) == TokenKind::LeftParenthesis && partner_[first] == last &&
           pieces_[first].token.span.begin < expression.span.begin) {
      indent(first + 1, base + indentation);
      indent(last, base);
      if (begins_line(first + 1)) base += indentation;
      ++first;
      --last;
      if (kind_of(last) == TokenKind::Comma) --last;  // (a,) is a
    }
    if (const auto infix = infix_parts_of(expression))
      return visit_chain(expression, first, last, base, depth);
    if (const auto* lambda = expression.as<Lambda>()) return visit_lambda(*lambda, first, last, base, depth);
    if (const auto* let = expression.as<Let>()) return visit_let(*let, first, last, base, depth);
    if (const auto* conditional = expression.as<If>()) {
      return visit_if(*conditional, first, last, base, begins_line(first) ? base : base + indentation, depth);
    }
    if (const auto* apply = expression.as<Apply>()) {
      const std::size_t open = partner_[last];
      visit(*apply->callee, first, open - 1, base, depth + 2);
      return visit_list(apply->arguments, open, base, depth);
    }
    if (const auto* tuple = expression.as<Tuple>()) return visit_list(tuple->components, first, base, depth);
    if (const auto* array = expression.as<Array>()) return visit_list(array->elements, first, base, depth);
    if (const auto* index = expression.as<Index>()) {
      const std::size_t open = partner_[last];
      visit(*index->array, first, open - 1, base, depth + 1);
      indent(open + 1, base + indentation);
      return visit(*index->index, open + 1, last - 1, base + (begins_line(open + 1) ? indentation : 0),
                   depth + 1);
    }
    if (const auto* get = expression.as<Get>()) return visit(*get->tuple, first, last - 2, base, depth + 1);
    if (const auto* unary = expression.as<Unary>()) {
      return visit(*unary->operand, first + 1, last, base, depth + 1);
    }
    if (const auto* power = expression.as<Binary>()) {
      const std::size_t symbol = last_of(*power->left, first) + 1;
      visit(*power->left, first, symbol - 1, base, depth + 1);
      indent(symbol, base + indentation);
      return visit(*power->right, symbol + 1, last, base, depth + 1);
    }
    for (std::size_t i = first + 1; i <= last; ++i) indent(i, base + indentation);
  }

  /// a |> f |> g, a + b - c: the operators of one level are one below the other.
  void visit_chain(const Expression& expression, std::size_t first, std::size_t last, int base, int depth) {
    struct Operand {
      const Expression* expression;
      std::size_t first, last;
    };
    std::vector<Operand> operands;
    const int level = infix_parts_of(expression)->level;
    const Expression* rest = &expression;
    std::size_t end = last;
    while (true) {
      const auto infix = infix_parts_of(*rest);
      // What is parenthesised is an operand of its own: its span begins behind the parenthesis.
      const bool is_of_chain =
          infix && infix->level == level && rest->span.begin == pieces_[first].token.span.begin;
      if (!is_of_chain) break;
      const std::size_t symbol = last_of(*infix->left, first) + 1;
      operands.push_back({infix->right, symbol + 1, end});
      end = symbol - 1;
      rest = infix->left;
    }
    operands.push_back({rest, first, end});
    std::reverse(operands.begin(), operands.end());

    const bool is_broken = std::any_of(operands.begin() + 1, operands.end(),
                                       [&](const Operand& each) { return begins_line(each.first - 1); });
    const int inner = is_broken ? base + indentation : base;
    const int group = groups_++;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = operands[i];
      int operand_base = inner;
      if (i > 0) {
        indent(operand.first - 1, base + indentation);
        may_break(operand.first - 1, depth, group);
        // Behind an operator a line begins after a comment alone, or with `let`.
        indent(operand.first, inner + indentation);
        if (begins_line(operand.first)) operand_base += indentation;
      }
      visit(*operand.expression, operand.first, operand.last, operand_base, depth + 1);
    }
  }

  void visit_lambda(const Lambda& lambda, std::size_t first, std::size_t last, int base, int depth) {
    const std::size_t arrow = kind_of(first) == TokenKind::LeftParenthesis ? partner_[first] + 1 : first + 1;
    for (std::size_t i = first + 1; i <= arrow; ++i) indent(i, base + 2 * indentation);
    indent(arrow + 1, base + indentation);
    may_break(arrow + 1, depth, groups_++);
    visit(*lambda.body, arrow + 1, last, begins_line(arrow + 1) ? base + indentation : base, depth + 1);
  }

  void visit_let(const Let& let, std::size_t first, std::size_t last, int base, int depth) {
    // What is inside of a value is broken before the value is set apart from its name.
    constexpr int last_choice = 1000;
    const std::size_t define = next_of(TokenKind::Define, first);
    const std::size_t value_last = last_of(*let.value, define + 1);
    const bool has_in = kind_of(value_last + 1) == TokenKind::In;
    const std::size_t body = value_last + (has_in ? 2 : 1);
    for (std::size_t i = first + 1; i <= define; ++i) indent(i, base + 2 * indentation);
    indent(define + 1, base + indentation);
    may_break(define + 1, depth + last_choice, groups_++);
    visit(*let.value, define + 1, value_last, begins_line(define + 1) ? base + indentation : base, depth + 1);
    if (has_in) indent(value_last + 1, base + indentation);
    // The body stands below its `let`.
    if (begins_line(body)) begin_line(first);
    indent(body, base);
    may_break(body, depth, groups_++);
    visit(*let.body, body, last, base, depth + 1);
  }

  /// `margin` is where a `then` and an `else` stand that begin a line.
  void visit_if(const If& conditional, std::size_t first, std::size_t last, int base, int margin, int depth) {
    const bool is_worded = kind_of(first) == TokenKind::If;
    const std::size_t condition = is_worded ? first + 1 : first;
    const std::size_t then_mark = last_of(*conditional.condition, condition) + 1;
    const std::size_t else_mark = last_of(*conditional.then_expression, then_mark + 1) + 1;
    const int inner = begins_line(then_mark) || begins_line(else_mark) ? margin : base;
    if (is_worded) indent(condition, inner + indentation);
    visit(*conditional.condition, condition, then_mark - 1,
          is_worded && begins_line(condition) ? inner + indentation : inner, depth + 1);
    const int group = groups_++;
    for (const std::size_t mark : {then_mark, else_mark}) {
      indent(mark, margin);
      if (is_worded) may_break(mark, depth, group);
      indent(mark + 1, inner + indentation);
    }
    const auto base_after = [&](std::size_t mark) {
      return begins_line(mark + 1) ? inner + indentation : inner;
    };
    visit(*conditional.then_expression, then_mark + 1, else_mark - 1, base_after(then_mark), depth + 1);
    const auto* next = conditional.else_expression->as<If>();
    if (next != nullptr && kind_of(else_mark + 1) == TokenKind::If && !begins_line(else_mark + 1)) {
      return visit_if(*next, else_mark + 1, last, inner, margin, depth + 1);
    }
    visit(*conditional.else_expression, else_mark + 1, last, base_after(else_mark), depth + 1);
  }

  /// Arguments, components or elements between brackets.
  void visit_list(const std::vector<const Expression*>& items, std::size_t open, int base, int depth) {
    const std::size_t close = partner_[open];
    std::vector<std::size_t> firsts;
    for (std::size_t at = open + 1; firsts.size() < items.size();) {
      firsts.push_back(at);
      while (at < close && kind_of(at) != TokenKind::Comma) {
        const bool opens = kind_of(at) == TokenKind::LeftParenthesis || kind_of(at) == TokenKind::LeftBracket;
        at = opens ? partner_[at] + 1 : at + 1;
      }
      ++at;
    }
    const bool is_broken =
        std::any_of(firsts.begin(), firsts.end(), [&](std::size_t each) { return begins_line(each); });
    const int inner = is_broken ? base + indentation : base;
    const int group = groups_++;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool is_last = i + 1 == items.size();
      std::size_t end = is_last ? close - 1 : firsts[i + 1] - 2;
      if (is_last && kind_of(end) == TokenKind::Comma) --end;
      indent(firsts[i], base + indentation);
      if (i > 0) may_break(firsts[i], depth + 1, group);
      // A line ends rather behind the arrow of a function that comes last than before it.
      visit(*items[i], firsts[i], end, inner,
            is_last && items[i]->as<Lambda>() != nullptr ? depth : depth + 2);
    }
    indent(close, base);
  }

  // ---- Lines that are too long.
  void break_line(std::size_t begin, std::size_t end) {
    std::vector<std::size_t> columns{static_cast<std::size_t>(pieces_[begin].indent)};
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) columns.back() += pieces_[i].before.size();
      columns.push_back(columns.back() + pieces_[i].token.text.size());
    }
    if (columns.back() <= line_limit) return;
    const auto column_of = [&](std::size_t piece) { return columns[piece - begin]; };

    std::map<int, std::vector<std::size_t>> places_of_groups;
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (breaks_[i].depth >= 0) places_of_groups[breaks_[i].group].push_back(i);
    }
    // The outermost places that leave lines of the right length; else those that leave one before them.
    std::vector<std::size_t> chosen;
    std::pair<int, int> least_price;
    for (const auto& [group, places] : places_of_groups) {
      std::vector<std::size_t> filled;
      bool all_fit = true;
      std::size_t line_begin = 0, column = 0;  // where the line that is being filled begins
      const auto length_until = [&](std::size_t until) { return until - line_begin + column; };
      for (std::size_t p = 0; p < places.size(); ++p) {
        const bool is_last = p + 1 == places.size();
        const std::size_t until =
            is_last ? columns.back() : column_of(places[p + 1]) - pieces_[places[p + 1]].before.size();
        if (length_until(until) <= line_limit) continue;
        all_fit =
            all_fit && length_until(column_of(places[p]) - pieces_[places[p]].before.size()) <= line_limit;
        filled.push_back(places[p]);
        line_begin = column_of(places[p]);
        column = static_cast<std::size_t>(pieces_[places[p]].indent);
      }
      all_fit = all_fit && length_until(columns.back()) <= line_limit;
      const bool first_fits = column_of(places.front()) <= line_limit;
      const int depth = breaks_[places.front()].depth;
      const bool is_body = depth == 0;  // what is behind the `=` of a definition
      const std::pair price{all_fit || (is_body && first_fits) ? 0 : first_fits ? 1 : 2, depth};
      if (!chosen.empty() && least_price <= price) continue;
      chosen = std::move(filled);
      least_price = price;
    }
    for (const std::size_t place : chosen) begin_line(place);
  }

  const File& file_;
  std::vector<Piece>& pieces_;
  std::vector<Break> breaks_;
  std::vector<std::size_t> partner_;  ///< of each bracket the one that it belongs to
  int groups_ = 0;
  bool is_changed_ = false;
};

}  // namespace

void lay_out(const File& file, std::vector<Piece>& pieces) { Layout(file, pieces).run(); }

}  // namespace hoist::lang
