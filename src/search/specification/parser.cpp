// Reads a specification by recursive descent, and prints one. `Reader` has a function for each rule of the
// grammar (docs/search.md); comparisons bind least, then sums, then products. A fault ends the step that it
// is in: what is left of the step is skipped, and reading goes on, so that all faults are told at once. No
// word is reserved: `set`, `repeat`, `best`, `sample`, `min` and `max` are told by what follows them, so
// parameters may be called so.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "search/specification/syntax.hpp"
#include "search/specification/tokens.hpp"

namespace hoist::search::specification {

namespace {

/// Parentheses and repetitions within each other: the reader calls itself as often.
constexpr int most_nested = 100;
/// Whoever walks an expression calls itself as often, at the most.
constexpr int most_operations = 1000;

struct Spelling {
  std::string_view text;
  Operator operation;
};
constexpr Spelling comparisons[] = {{"<=", Operator::LessEqual}, {">=", Operator::GreaterEqual},
                                    {"<", Operator::Less},       {">", Operator::Greater},
                                    {"==", Operator::Equal},     {"!=", Operator::NotEqual}};
constexpr Spelling sums[] = {{"+", Operator::Add}, {"-", Operator::Subtract}};
constexpr Spelling products[] = {
    {"*", Operator::Multiply}, {"/", Operator::Divide}, {"%", Operator::Remainder}};

Span join(Span first, Span last) { return {first.begin, last.end}; }

class Reader {
 public:
  explicit Reader(const Source& source) : tokens_(tokenize(source.text)) {}

  Result<Specification> run() {
    Specification specification;
    while (!is_end()) read_item(specification.items, &specification.settings);
    if (faults_.empty() && specification.items.empty())
      faults_.push_back({"the specification has no step",
                         next().span,
                         {},
                         "a step gives values to parameters: WX=1:64:*2, WY=1;"});
    if (faults_.empty()) return specification;
    return tl::unexpected(Error{ErrorKind::User, std::move(faults_)});
  }

 private:
  /// What is wrong with a step; `read_item` catches it.
  struct Fault {
    Diagnostic diagnostic;
  };
  [[noreturn]] static void fail(Span span, std::string message, std::string help = {}) {
    throw Fault{{std::move(message), span, {}, std::move(help)}};
  }

  const Token& next(std::size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  bool is_end() const { return next().kind == TokenKind::End; }
  bool is_symbol(std::string_view symbol, std::size_t ahead = 0) const {
    return next(ahead).kind == TokenKind::Symbol && next(ahead).text == symbol;
  }
  bool is_name(std::string_view name) const { return next().kind == TokenKind::Name && next().text == name; }
  Token take() {
    const Token token = next();
    if (!is_end()) ++position_;
    return token;
  }
  bool take_if(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    take();
    return true;
  }
  static std::string told(const Token& token) {
    return token.kind == TokenKind::End ? "the end of the text" : fmt::format("'{}'", printable(token.text));
  }
  static std::string printable(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    return first < 0x20 || first == 0x7f ? fmt::format("\\x{:02x}", first) : std::string(text);
  }
  Token need(std::string_view symbol, const char* where, std::string help = {}) {
    if (!is_symbol(symbol))
      fail(next().span, fmt::format("'{}' is expected {}, not {}", symbol, where, told(next())),
           std::move(help));
    return take();
  }
  Token need_name(const char* what) {
    if (next().kind != TokenKind::Name)
      fail(next().span, fmt::format("{} is expected, not {}", what, told(next())));
    return take();
  }

  /// What reads itself again takes one of these.
  class Nested {
   public:
    Nested(Reader& reader, Span span) : reader_(reader) {
      if (++reader_.depth_ > most_nested) {
        --reader_.depth_;
        fail(span, fmt::format("this is nested more than {} deep", most_nested));
      }
    }
    ~Nested() { --reader_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Reader& reader_;
  };

  /// One item and the ';' behind it, or a setting where those are allowed.
  void read_item(std::vector<Item>& items, std::vector<Setting>* settings) {
    if (take_if(";")) return;
    const std::size_t begin = position_;
    operations_ = 0;
    try {
      if (is_name("set") && next(1).kind == TokenKind::Name) {
        if (settings == nullptr || !items.empty())
          fail(next().span, "a setting comes after steps", "settings come first, before every step");
        settings->push_back(setting());
      } else if (is_name("repeat") && !is_symbol("=", 1)) {
        items.push_back({repetition()});
        return;
      } else {
        items.push_back({step()});
      }
      if (is_end() || is_symbol("}") || take_if(";")) return;
      fail(next().span, fmt::format("',' or ';' is expected, not {}", told(next())),
           "values of one step are separated by ',', and steps by ';'");
    } catch (const Fault& fault) {
      if (faults_.size() < most_faults) faults_.push_back(fault.diagnostic);
      if (position_ == begin) take();
      while (!is_end() && !is_symbol("}") && !take_if(";")) take();
      // A '}' that nothing opened would stop the reader here for ever.
      if (settings != nullptr) take_if("}");
    }
  }

  Setting setting() {
    take();
    const Token name = take();
    Setting result{std::string(name.text), name.span};
    need("=", "after a setting's name", "write set n = 2; or set TECHNIQUE = global | local;");
    if (next().kind != TokenKind::Name || !is_symbol("|", 1)) {
      result.value = expression();
      return result;
    }
    std::set<std::string_view> known;
    do {
      const Token word = need_name("a word of the setting");
      if (!known.insert(word.text).second)
        fail(word.span, fmt::format("the setting has the word '{}' twice", word.text));
      result.words.emplace_back(word.text);
    } while (take_if("|"));
    return result;
  }

  Repetition repetition() {
    const Token word = take();
    const Nested nested(*this, word.span);
    Repetition result{expression(), {}, word.span};
    need("{", "after the number of repetitions", "write repeat 2 { WX=1:64:*2; WY=1:64:*2; }");
    while (!is_end() && !is_symbol("}")) read_item(result.items, nullptr);
    if (is_end()) fail(word.span, "the '}' that ends this repetition is missing");
    const Token last = take();
    if (result.items.empty()) fail(join(word.span, last.span), "the repetition has no step");
    return result;
  }

  Step step() {
    Step result;
    result.span = next().span;
    do {
      const std::size_t begin = position_;
      operations_ = 0;
      if (next().kind == TokenKind::Name && is_symbol("=", 1)) {
        result.parts.emplace_back(assignment());
      } else if (is_name("sample") && is_symbol("(", 1)) {
        const Token word = take();
        take();
        if (result.sampled) fail(word.span, "the step is sampled twice");
        result.sampled = expression();
        need(")", "after the number of samples",
             "a range is sampled where a parameter takes it: WX=sample(3, 1:64:*2)");
      } else {
        Condition condition{expression()};
        if (condition.expression.kind != Expression::Kind::Operation)
          fail(
              condition.expression.span,
              begin + 1 == position_ && condition.expression.kind == Expression::Kind::Name
                  ? fmt::format("'=' is expected after '{}', not {}", condition.expression.name, told(next()))
                  : "this is no condition: a condition compares values",
              "a step gives values to parameters: WX=1:64:*2, WY=1;");
        result.parts.emplace_back(std::move(condition));
      }
      result.span = join(result.span, tokens_[position_ - 1].span);
    } while (take_if(","));
    const bool assigns = std::any_of(result.parts.begin(), result.parts.end(), [](const auto& part) {
      return std::holds_alternative<Assignment>(part);
    });
    if (!assigns && (!result.sampled || !result.parts.empty()))
      fail(result.span, "the step gives no parameter a value", "write WX=1:64:*2, or sample(1000) alone");
    return result;
  }

  Assignment assignment() {
    const Token name = take();
    take();
    Assignment result{std::string(name.text), name.span, 0, Expression{}};
    if (is_name("sample") && is_symbol("(", 1)) {
      take();
      take();
      result.sampled = expression();
      need(",", "after the number of samples", "write sample(3, 1:64:*2)");
      result.values = range(expression());
      need(")", "after the range");
      return result;
    }
    Expression first = expression();
    if (is_symbol(":")) {
      result.values = range(std::move(first));
    } else {
      result.values = std::move(first);
    }
    return result;
  }

  /// What follows the first value of a range.
  Range range(Expression from) {
    constexpr const char* help = "write 1:64:*2 for powers of two, 1:8:+1 for all numbers";
    need(":", "in a range", help);
    Range result{std::move(from), expression(), {}};
    need(":", "before the step of a range", help);
    if (!is_symbol("*") && !is_symbol("+"))
      fail(next().span, fmt::format("'*' or '+' is expected before the step's number, not {}", told(next())),
           help);
    result.multiplies = take().text == "*";
    result.step = expression();
    result.span = join(result.from.span, result.step.span);
    return result;
  }

  Expression operation_of(Operator operation, std::vector<Expression> operands, Span span) {
    if (++operations_ > most_operations)
      fail(span, fmt::format("the expression has more than {} operations", most_operations));
    Expression result{Expression::Kind::Operation, span};
    result.operation = operation;
    result.operands = std::move(operands);
    return result;
  }

  Expression expression() {
    const Nested nested(*this, next().span);
    Expression left = chain(sums, [this] { return chain(products, [this] { return unary(); }); });
    const auto compared = operator_of(comparisons);
    if (!compared) return left;
    take();
    Expression right = chain(sums, [this] { return chain(products, [this] { return unary(); }); });
    if (operator_of(comparisons))
      fail(next().span, "comparisons are not chained", "write both in parentheses, or as two conditions");
    const Span span = join(left.span, right.span);
    return operation_of(*compared, {std::move(left), std::move(right)}, span);
  }

  template <std::size_t count>
  std::optional<Operator> operator_of(const Spelling (&spellings)[count]) const {
    for (const Spelling& each : spellings) {
      if (is_symbol(each.text)) return each.operation;
    }
    return std::nullopt;
  }

  /// Operands with operators of one precedence between them, which bind to the left.
  template <std::size_t count, class Operand>
  Expression chain(const Spelling (&spellings)[count], const Operand& operand) {
    Expression left = operand();
    while (const auto operation = operator_of(spellings)) {
      take();
      Expression right = operand();
      const Span span = join(left.span, right.span);
      left = operation_of(*operation, {std::move(left), std::move(right)}, span);
    }
    return left;
  }

  Expression unary() {
    if (!is_symbol("-")) return primary();
    const Token sign = take();
    const Nested nested(*this, sign.span);
    Expression operand = unary();
    const Span span = join(sign.span, operand.span);
    return operation_of(Operator::Negate, {std::move(operand)}, span);
  }

  Expression primary() {
    const Token token = take();
    if (token.kind == TokenKind::Number) {
      Expression result{Expression::Kind::Number, token.span};
      const char* const end = token.text.data() + token.text.size();
      if (std::from_chars(token.text.data(), end, result.number).ec != std::errc())
        fail(token.span, "the number is too large: it has more than 63 bits");
      return result;
    }
    if (token.kind == TokenKind::Symbol && token.text == "(") {
      Expression inner = expression();
      need(")", "to close the parenthesis");
      return inner;
    }
    if (token.kind != TokenKind::Name) {
      fail(token.span, fmt::format("a value is expected, not {}", told(token)),
           token.kind == TokenKind::Unknown ? "comments begin with //" : "");
    }
    if (token.text == "best" && is_symbol(".")) {
      take();
      const Token name = need_name("the name of a parameter after 'best.'");
      Expression result{Expression::Kind::Best, join(token.span, name.span)};
      result.name = name.text;
      return result;
    }
    if ((token.text == "min" || token.text == "max") && take_if("(")) {
      Expression left = expression();
      need(",", "between two values");
      Expression right = expression();
      const Token last = need(")", "after two values");
      return operation_of(token.text == "min" ? Operator::Least : Operator::Most,
                          {std::move(left), std::move(right)}, join(token.span, last.span));
    }
    Expression result{Expression::Kind::Name, token.span};
    result.name = token.text;
    return result;
  }

  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int depth_ = 0;
  int operations_ = 0;  ///< of the expression that is being read
  std::vector<Diagnostic> faults_;
};

/// How closely an operation binds: an operand that binds less is in parentheses, and so is the right one of
/// two that bind alike.
int closeness_of(const Expression& expression) {
  constexpr int comparison = 1, sum = 2, product = 3, unary = 4, primary = 5;
  if (expression.kind != Expression::Kind::Operation) return primary;
  switch (expression.operation) {
    case Operator::Negate:
      return unary;
    case Operator::Add:
    case Operator::Subtract:
      return sum;
    case Operator::Multiply:
    case Operator::Divide:
    case Operator::Remainder:
      return product;
    case Operator::Least:
    case Operator::Most:
      return primary;
    case Operator::Less:
    case Operator::LessEqual:
    case Operator::Greater:
    case Operator::GreaterEqual:
    case Operator::Equal:
    case Operator::NotEqual:
      return comparison;
  }
  return primary;
}

/// In parentheses where it binds less closely than that.
std::string printed(const Expression& expression, int least_closeness = 0) {
  if (closeness_of(expression) < least_closeness) return "(" + printed(expression) + ")";
  switch (expression.kind) {
    case Expression::Kind::Number:
      return std::to_string(expression.number);
    case Expression::Kind::Name:
    case Expression::Kind::Value:
      return expression.name;
    case Expression::Kind::Best:
      return "best." + expression.name;
    case Expression::Kind::Operation:
      break;
  }
  const int own = closeness_of(expression);
  const std::vector<Expression>& operands = expression.operands;
  const std::string_view sign = text_of(expression.operation);
  if (expression.operation == Operator::Negate) return "-" + printed(operands[0], own);
  if (expression.operation == Operator::Least || expression.operation == Operator::Most)
    return fmt::format("{}({}, {})", sign, printed(operands[0]), printed(operands[1]));
  // Comparisons are not chained: neither operand is one.
  const bool is_comparison = own == 1;
  return fmt::format("{} {} {}", printed(operands[0], is_comparison ? own + 1 : own), sign,
                     printed(operands[1], own + 1));
}

std::string printed(const Range& range) {
  return fmt::format("{}:{}:{}{}", printed(range.from), printed(range.to), range.multiplies ? '*' : '+',
                     printed(range.step));
}

std::string printed(const Assignment& assignment) {
  const auto* range = std::get_if<Range>(&assignment.values);
  std::string values = range ? printed(*range) : printed(std::get<Expression>(assignment.values));
  if (assignment.sampled) values = fmt::format("sample({}, {})", printed(*assignment.sampled), values);
  return assignment.name + "=" + values;
}

std::string printed(const Step& step) {
  std::string text = step.sampled ? fmt::format("sample({})", printed(*step.sampled)) : "";
  for (const auto& part : step.parts) {
    text += text.empty() ? "" : ", ";
    const auto* assignment = std::get_if<Assignment>(&part);
    text += assignment ? printed(*assignment) : printed(std::get<Condition>(part).expression);
  }
  return text;
}

void print(const std::vector<Item>& items, const std::string& margin, std::string& text) {
  for (const Item& item : items) {
    if (const auto* step = std::get_if<Step>(&item.content)) {
      text += margin + printed(*step) + ";\n";
      continue;
    }
    const auto& repetition = std::get<Repetition>(item.content);
    text += fmt::format("{}repeat {} {{\n", margin, printed(repetition.count));
    print(repetition.items, margin + "  ", text);
    text += margin + "}\n";
  }
}

}  // namespace

std::string_view text_of(Operator operation) {
  switch (operation) {
    case Operator::Negate:
    case Operator::Subtract:
      return "-";
    case Operator::Add:
      return "+";
    case Operator::Multiply:
      return "*";
    case Operator::Divide:
      return "/";
    case Operator::Remainder:
      return "%";
    case Operator::Least:
      return "min";
    case Operator::Most:
      return "max";
    case Operator::Less:
      return "<";
    case Operator::LessEqual:
      return "<=";
    case Operator::Greater:
      return ">";
    case Operator::GreaterEqual:
      return ">=";
    case Operator::Equal:
      return "==";
    case Operator::NotEqual:
      return "!=";
  }
  return "";
}

Result<Specification> parse(const Source& source) { return Reader(source).run(); }

std::string to_string(const Specification& specification) {
  std::string text;
  for (const Setting& each : specification.settings)
    text += fmt::format("set {} = {};\n", each.name,
                        each.value ? printed(*each.value) : fmt::format("{}", fmt::join(each.words, " | ")));
  print(specification.items, "", text);
  return text;
}

}  // namespace hoist::search::specification
