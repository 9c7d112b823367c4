// Reads an index expression from text: `hoist dev simplify`, tests, and the parser of the loop IR use it. The
// expression is simplified while it is made, as any other is:
//
//   (4 * i + j) / 4 + min(i, ?t)      with i and j in the scope
//
// A parser by recursive descent, without a lexer, one function for each level of C's precedence: read from
// `conditional_expression` down over `comparison`, `sum_expression`, `product_expression`, `unary` and
// `power_of` to `atom`. A comparison is no value, so what these return is an Operand: a value or, in
// parentheses or before '?', a predicate. Errors are thrown with their place, and `parse` makes a Result of
// them.
#include "arith/parse.hpp"

#include <cctype>
#include <charconv>

namespace hoist::arith {
namespace {

class Parser {
 public:
  Parser(const std::string& text, const Scope& scope) : text_(text), scope_(scope) {}

  Expr whole() {
    const Expr result = conditional_expression();
    skip_blanks();
    if (at_ < text_.size()) error("nothing more was expected here");
    return result;
  }

  Expr conditional_expression() {
    const Operand condition = comparison();
    if (!take("?")) return value_of(condition);
    if (!condition.predicate) error("a condition compares two expressions");
    const Expr then_value = conditional_expression();
    expect(":");
    const Expr else_value = conditional_expression();
    return conditional(*condition.predicate, then_value, else_value);
  }

  bool take(std::string_view symbol) {
    skip_blanks();
    if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
    at_ += symbol.size();
    return true;
  }

  void expect(std::string_view symbol) {
    if (!take(symbol)) error(fmt::format("'{}' was expected here", symbol));
  }

  std::string identifier() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    if (begin == at_ || std::isdigit(static_cast<unsigned char>(text_[begin])) != 0) {
      at_ = begin;
      error("a name was expected here");
    }
    return text_.substr(begin, at_ - begin);
  }

  void end() {
    skip_blanks();
    if (at_ < text_.size()) error("nothing more was expected here");
  }

 private:
  /// Either a value or, in parentheses or before '?', a comparison.
  struct Operand {
    Expr value;
    std::optional<Predicate> predicate;
  };

  [[noreturn]] void error(const std::string& message) const {
    const auto at = static_cast<std::uint32_t>(at_);
    throw Failure(
        Error{ErrorKind::User, {Diagnostic{message, Span{at, at + 1}, fmt::format("in '{}'", text_)}}});
  }

  Expr value_of(const Operand& operand) const {
    if (operand.predicate) error("a comparison is no number; write (a < b ? x : y)");
    return operand.value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  Operand comparison() {
    const Operand left = sum_expression();
    const auto compare = [&](Relation relation, bool swapped) {
      const Expr first = value_of(left);
      const Expr second = value_of(sum_expression());
      return Operand{{}, swapped ? Predicate{relation, second, first} : Predicate{relation, first, second}};
    };
    if (take("<=")) return compare(Relation::LessEqual, false);
    if (take(">=")) return compare(Relation::LessEqual, true);
    if (take("==")) return compare(Relation::Equal, false);
    if (take("!=")) return compare(Relation::NotEqual, false);
    if (take("<")) return compare(Relation::Less, false);
    if (take(">")) return compare(Relation::Less, true);
    return left;
  }

  Operand sum_expression() {
    const Operand first = product_expression();
    std::vector<Expr> terms;
    while (true) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      if (terms.empty()) terms.push_back(value_of(first));
      const Expr term = value_of(product_expression());
      terms.push_back(plus ? term : -term);
    }
    if (terms.empty()) return first;
    return {sum(std::move(terms)), std::nullopt};
  }

  Operand product_expression() {
    Operand result = unary();
    while (true) {
      if (take("*")) {
        result.value = value_of(result) * value_of(unary());
      } else if (take("/")) {
        result.value = value_of(result) / value_of(unary());
      } else if (take("%")) {
        result.value = value_of(result) % value_of(unary());
      } else {
        return result;
      }
    }
  }

  Operand unary() {
    if (take("-")) {
      skip_blanks();
      // The minus is read together with the digits, so that the smallest integer can be written.
      if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
        return power_of(number(true));
      return {-value_of(unary()), std::nullopt};
    }
    const Operand base = atom();
    skip_blanks();
    if (text_.compare(at_, 2, "**") != 0) return base;
    return power_of(value_of(base));
  }

  /// Reads the exponent, if there is one, of a base that was read. A minus before a name or parentheses is
  /// that of the whole power, but one before digits is the base's: -2 ** 2 is 4.
  Operand power_of(Expr base) {
    if (!take("**")) return {base, std::nullopt};
    const Expr exponent = value_of(unary());
    return {power(base, exponent), std::nullopt};
  }

  Expr number(bool negative) {
    skip_blanks();
    std::int64_t value = 0;
    const std::string digits =
        (negative ? "-" : "") + text_.substr(at_, text_.find_first_not_of("0123456789", at_) - at_);
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc::result_out_of_range) error("this number does not fit in 64 bits");
    at_ += static_cast<std::size_t>(end - digits.data()) - (negative ? 1 : 0);
    return Expr(value);
  }

  Operand atom() {
    skip_blanks();
    if (take("(")) {
      const Operand inner = parenthesized();
      expect(")");
      return inner;
    }
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
      return {number(false), {}};
    if (take("?")) {
      const std::string name = identifier();
      if (at_ < text_.size() && text_[at_] == '@') {
        ++at_;
        return {launched(name, *number(false).constant()), std::nullopt};
      }
      return {parameter(name), std::nullopt};
    }
    const std::size_t begin = at_;
    const std::string name = identifier();
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') return {call(name, begin), std::nullopt};
    const auto found = scope_.names.find(name);
    if (found == scope_.names.end()) {
      at_ = begin;
      error(fmt::format("'{}' is not declared", name));
    }
    return {found->second, std::nullopt};
  }

  /// A conditional, or a comparison for the '?' that follows.
  Operand parenthesized() {
    const Operand condition = comparison();
    if (!condition.predicate || !take("?")) return condition;
    const Expr then_value = conditional_expression();
    expect(":");
    const Expr else_value = conditional_expression();
    return {conditional(*condition.predicate, then_value, else_value), std::nullopt};
  }

  Expr call(const std::string& name, std::size_t begin) {
    Expr (*function)(Expr, Expr) = nullptr;
    if (name == "min") function = minimum;
    if (name == "max") function = maximum;
    if (name == "ceildiv") function = ceiling_quotient;
    if (name == "exactdiv") function = exact_quotient;
    if (function == nullptr) {
      at_ = begin;
      error(fmt::format("there is no function '{}'; min, max, ceildiv and exactdiv are known", name));
    }
    expect("(");
    const Expr first = conditional_expression();
    expect(",");
    const Expr second = conditional_expression();
    expect(")");
    return function(first, second);
  }

  const std::string& text_;
  const Scope& scope_;
  std::size_t at_ = 0;
};

}  // namespace

void Scope::declare_size(const std::string& name) { names[name] = arith::size(name); }

Result<void> Scope::declare_index(const std::string& text) {
  return catch_failure([&] {
    Parser parser(text, *this);
    const std::string name = parser.identifier();
    if (parser.identifier() != "in")
      throw_user(fmt::format("'{}' does not have the form NAME in [START,STOP)", text));
    parser.expect("[");
    const Expr start = parser.conditional_expression();
    parser.expect(",");
    const Expr stop = parser.conditional_expression();
    const Expr step = parser.take(",") ? parser.conditional_expression() : Expr(1);
    parser.expect(")");
    parser.end();
    names[name] = index(name, start, stop, step);
  });
}

Result<Expr> parse(const std::string& text, const Scope& scope) {
  return catch_failure([&] { return Parser(text, scope).whole(); });
}

}  // namespace hoist::arith
