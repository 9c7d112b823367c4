// Type schemes from text: a recursive-descent parser of the column `scheme` of the table of primitives. Its
// productions are, from the top: `run` the whole signature, `type`, `size` with `product` and `atom` by
// precedence, `condition`. A scheme that does not parse is a Bug: every row is read when the first one is
// asked for.
#include "ir/scheme_parse.hpp"

#include <cctype>

#include "base/error.hpp"

namespace hoist::ir {

namespace {

class Parser {
 public:
  explicit Parser(const Primitive& row) : row_(row), text_(row.scheme) {}

  Scheme run() {
    Scheme scheme;
    scheme.is_special = row_.op == Op::Zip || row_.op == Op::Unzip || row_.op == Op::Iterate;
    if (word() != row_.name) broken("does not begin with its name");
    expect("(");
    while (!accept(")")) {
      if (accept("...")) continue;
      SchemeArgument argument;
      argument.name = word();
      expect(":");
      TypePattern data{TypePattern::Kind::Letter, '?', {}, {}, {}};
      FunctionPattern function;
      std::size_t mark = position_;
      std::string kind = std::isalpha(static_cast<unsigned char>(peek())) != 0 ? word() : "";
      if (kind == "size") {
        argument.kind = ArgumentKind::Size;
      } else if (kind == "dimension") {
        argument.kind = ArgumentKind::Dimension;
      } else if (kind == "boundary") {
        argument.kind = ArgumentKind::Boundary;
      } else if (kind == "int") {
        argument.kind = ArgumentKind::Index;
      } else {
        position_ = mark;
        if (peek() == '(' && is_function_ahead()) {
          argument.kind = ArgumentKind::Function;
          expect("(");
          while (!accept(")")) {
            function.parameters.push_back(type());
            accept(",");
          }
          expect("->");
          function.result.push_back(type());
        } else {
          argument.kind = ArgumentKind::Data;
          data = scheme.is_special ? skip_type() : type();
        }
      }
      if (argument.is_static() && argument.name.size() != 1) broken("has a size of more than one letter");
      scheme.arguments.push_back(std::move(argument));
      scheme.data.push_back(std::move(data));
      scheme.functions.push_back(std::move(function));
      accept(",");
    }
    expect(":");
    scheme.result.push_back(scheme.is_special ? skip_type() : type());
    if (!at_end()) {
      if (word() != "where") broken("has something after the result that is not 'where'");
      do {
        scheme.conditions.push_back(condition());
      } while (accept("and "));
      if (!at_end()) broken("has something after its conditions");
    }
    return scheme;
  }

 private:
  [[noreturn]] void broken(const std::string& what) const {
    throw Bug("the scheme of " + std::string(row_.name) + " " + what + ": " + std::string(row_.scheme));
  }
  void skip_space() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }
  bool at_end() {
    skip_space();
    return position_ >= text_.size();
  }
  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) broken("lacks '" + std::string(token) + "'");
  }
  std::string word() {
    skip_space();
    std::size_t begin = position_;
    while (position_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[position_])) != 0)
      ++position_;
    return std::string(text_.substr(begin, position_ - begin));
  }
  bool is_function_ahead() const {
    int depth = 0;
    for (std::size_t i = position_; i < text_.size(); ++i) {
      if (text_[i] == '(') ++depth;
      if (text_[i] == ')' && --depth == 0) return text_.substr(i + 1, 4) == " -> ";
    }
    return false;
  }
  Condition condition() {
    SizePattern left = atom();
    if (accept("<=")) return {Condition::Kind::AtMost, left, atom()};
    if (word() != "divides") broken("has an unknown condition");
    return {Condition::Kind::Divides, left, atom()};
  }
  /// Types of the special primitives are documentation only.
  TypePattern skip_type() {
    int depth = 0;
    while (position_ < text_.size()) {
      char c = text_[position_];
      if (depth == 0 && (c == ',' || c == ')' || text_.substr(position_).starts_with(" where "))) break;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      ++position_;
    }
    return {TypePattern::Kind::Letter, '?', {}, {}, {}};
  }
  TypePattern type() {
    if (accept("[")) {
      SizePattern length = size();
      expect("]");
      return {TypePattern::Kind::Array, {}, {}, {length}, {type()}};
    }
    std::string name = word();
    if (name.size() == 1) return {TypePattern::Kind::Letter, name[0], {}, {}, {}};
    if (name.size() == 3 && name[1] == 'x') {
      SizePattern width{SizePattern::Kind::Letter, name[2], 0, {}};
      return {TypePattern::Kind::Vector, name[0], {}, {width}, {}};
    }
    auto scalar = scalar_named(name);
    if (!scalar) broken("names an unknown type '" + name + "'");
    return {TypePattern::Kind::Scalar, {}, *scalar, {}, {}};
  }
  SizePattern size() {
    SizePattern left = product();
    while (true) {
      if (accept("+")) {
        left = {SizePattern::Kind::Add, {}, 0, {left, product()}};
      } else if (peek() == '-' && accept("-")) {
        left = {SizePattern::Kind::Subtract, {}, 0, {left, product()}};
      } else {
        return left;
      }
    }
  }
  SizePattern product() {
    SizePattern left = atom();
    while (true) {
      if (accept("*")) {
        left = {SizePattern::Kind::Multiply, {}, 0, {left, atom()}};
      } else if (accept("/")) {
        left = {SizePattern::Kind::Divide, {}, 0, {left, atom()}};
      } else {
        return left;
      }
    }
  }
  SizePattern atom() {
    if (accept("(")) {
      SizePattern inner = size();
      expect(")");
      return inner;
    }
    std::string name = word();
    if (name == "exactdiv") {
      expect("(");
      SizePattern a = size();
      expect(",");
      SizePattern b = size();
      expect(")");
      return {SizePattern::Kind::ExactDivide, {}, 0, {a, b}};
    }
    if (name.empty()) broken("lacks a size");
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
      return {SizePattern::Kind::Constant, {}, std::stoll(name), {}};
    }
    if (name.size() > 1) broken("has a size of more than one letter, '" + name + "'");
    return {SizePattern::Kind::Letter, name[0], 0, {}};
  }

  const Primitive& row_;
  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

const Scheme& scheme_of(Op op) {
  static const std::vector<Scheme> schemes = [] {
    std::vector<Scheme> all;
    for (const Primitive& row : all_primitives()) all.push_back(Parser(row).run());
    return all;
  }();
  return schemes[static_cast<std::size_t>(op)];
}

}  // namespace hoist::ir
