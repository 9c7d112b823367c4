// The builder makes the text that its expressions mean, so that there is one place where programs are
// checked.
#include <algorithm>
#include <hoist/builder.hpp>
#include <map>
#include <set>

#include "api/access.hpp"

namespace hoist::api {

/// Text with other expressions in it: pieces[0] operands[0] pieces[1] ... A function has no pieces, but
/// parameters and one operand, its body.
struct Expression {
  std::vector<std::string> pieces;
  std::vector<ExpressionPtr> operands;
  std::vector<ExpressionPtr> parameters;
  std::string parameter_type;
  std::set<const Expression*> unbound;  ///< parameters that occur inside without their function
  std::size_t depth = 0;                ///< of operands in operands; those above `most_nested` are not kept
};

namespace {

/// More than the language can nest: what is done to expressions is recursive, to destroy them, too.
constexpr std::size_t most_nested = 5000;

ExpressionPtr make(std::vector<std::string> pieces, std::vector<ExpressionPtr> operands) {
  auto result = std::make_shared<Expression>();
  for (const ExpressionPtr& each : operands) {
    result->unbound.insert(each->unbound.begin(), each->unbound.end());
    result->depth = std::max(result->depth, each->depth + 1);
  }
  result->pieces = std::move(pieces);
  if (result->depth <= most_nested) result->operands = std::move(operands);
  return result;
}
bool is_function(const Expression& expression) { return expression.pieces.empty(); }
ExpressionPtr word(std::string text) { return make({std::move(text)}, {}); }

Value binary(const Value& a, const char* symbol, const Value& b) {
  return Value(make({"(", std::string(" ") + symbol + " ", ")"}, {a.expression(), b.expression()}));
}

/// "(a, b)" with anything before it.
ExpressionPtr listed(const std::string& before, const std::vector<ExpressionPtr>& operands) {
  if (operands.empty()) return word(before + "()");
  std::vector<std::string> pieces{before + "("};
  pieces.resize(operands.size(), ", ");
  pieces.emplace_back(")");
  return make(std::move(pieces), operands);
}

/// Prints expressions; what occurs more than once is bound by a `let` in the outermost function where it has
/// a meaning.
class Text {
 public:
  Text(ExpressionPtr root, std::set<std::string> taken) : root_(std::move(root)), taken_(std::move(taken)) {
    count(*root_);
  }

  std::string print() { return body(*root_); }

 private:
  void count(const Expression& expression) {
    if (++uses_[&expression] > 1) return;
    for (const ExpressionPtr& each : expression.operands) count(*each);
  }

  std::string fresh_name() {
    std::string name;
    do {
      name = "v" + std::to_string(++names_made_);
    } while (taken_.count(name) > 0);
    return name;
  }

  bool has_meaning_here(const Expression& expression) const {
    for (const Expression* parameter : expression.unbound) {
      if (names_.count(parameter) == 0) return false;
    }
    return true;
  }

  /// The body of the program or of a function: lets, then the value.
  std::string body(const Expression& expression) {
    const auto names_before = names_;
    std::string text;
    std::set<const Expression*> seen;
    add_lets(expression, seen, text);
    text += print(expression);
    names_ = names_before;
    return text;
  }

  void add_lets(const Expression& expression, std::set<const Expression*>& seen, std::string& text) {
    if (names_.count(&expression) > 0 || !seen.insert(&expression).second) return;
    for (const ExpressionPtr& each : expression.operands) add_lets(*each, seen, text);
    const bool is_compound = !expression.operands.empty() && !is_function(expression);
    if (uses_[&expression] < 2 || !is_compound || !has_meaning_here(expression)) return;
    const std::string value = print(expression);
    const std::string name = fresh_name();
    names_[&expression] = name;
    text += "let " + name + " = " + value + " in\n  ";
  }

  std::string print(const Expression& expression) {
    if (const auto name = names_.find(&expression); name != names_.end()) return name->second;
    if (is_function(expression)) return function(expression);
    std::string text = expression.pieces[0];
    for (std::size_t i = 0; i < expression.operands.size(); ++i) {
      text += print(*expression.operands[i]) + expression.pieces[i + 1];
    }
    return text;
  }

  std::string function(const Expression& expression) {
    const auto names_before = names_;
    std::string parameters;
    for (const ExpressionPtr& each : expression.parameters) {
      names_[each.get()] = fresh_name();
      parameters += (parameters.empty() ? "" : ", ") + names_[each.get()];
    }
    if (!expression.parameter_type.empty()) parameters += ": " + expression.parameter_type;
    std::string text = "(" + parameters + ") => " + body(*expression.operands[0]);
    names_ = names_before;
    return text;
  }

  ExpressionPtr root_;
  std::set<std::string> taken_;
  std::map<const Expression*, int> uses_;
  std::map<const Expression*, std::string> names_;  ///< of parameters and of what a `let` binds, where we are
  int names_made_ = 0;
};

void check_name(const std::string& what, const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool is_name = !name.empty() && is_letter(name[0]);
  for (char c : name) is_name = is_name && (is_letter(c) || (c >= '0' && c <= '9'));
  if (!is_name)
    throw_user(fmt::format("'{}' is no name for {}", name, what), {}, "names are letters, digits and _");
}

}  // namespace

Value::Value(const Size& size) : expression_(word("size(" + size.text() + ")")) {}

Value Value::untyped(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return Value(word(text.starts_with('-') ? "(" + text + ")" : text));
}
Value Value::untyped(std::int64_t number) {
  return Value(word(number < 0 ? fmt::format("({})", number) : std::to_string(number)));
}

ExpressionPtr Value::literal(Scalar type, const void* number) {
  const std::string text = to_string(load_scalar(number, inner(type), 0));
  return word(text.starts_with('-') ? "(" + text + ")" : text);
}

Value Value::operator[](const Value& index) const {
  return Value(make({"", "[", "]"}, {expression_, index.expression_}));
}
Value Value::component(int index) const {
  return Value(make({"", "." + std::to_string(index)}, {expression_}));
}
Value Value::as(Scalar type) const { return apply(name_of(type), {*this}); }

Value operator+(const Value& a, const Value& b) { return binary(a, "+", b); }
Value operator-(const Value& a, const Value& b) { return binary(a, "-", b); }
Value operator*(const Value& a, const Value& b) { return binary(a, "*", b); }
Value operator/(const Value& a, const Value& b) { return binary(a, "/", b); }
Value operator%(const Value& a, const Value& b) { return binary(a, "%", b); }
Value operator<(const Value& a, const Value& b) { return binary(a, "<", b); }
Value operator<=(const Value& a, const Value& b) { return binary(a, "<=", b); }
Value operator>(const Value& a, const Value& b) { return binary(a, ">", b); }
Value operator>=(const Value& a, const Value& b) { return binary(a, ">=", b); }
Value operator==(const Value& a, const Value& b) { return binary(a, "==", b); }
Value operator!=(const Value& a, const Value& b) { return binary(a, "!=", b); }
Value operator&&(const Value& a, const Value& b) { return binary(a, "&&", b); }
Value operator||(const Value& a, const Value& b) { return binary(a, "||", b); }
Value operator&(const Value& a, const Value& b) { return binary(a, "&", b); }
Value operator|(const Value& a, const Value& b) { return binary(a, "|", b); }
Value operator^(const Value& a, const Value& b) { return binary(a, "^", b); }
Value operator<<(const Value& a, const Value& b) { return binary(a, "<<", b); }
Value operator>>(const Value& a, const Value& b) { return binary(a, ">>", b); }
Value operator~(const Value& a) { return Value(make({"(~", ")"}, {a.expression()})); }
Value operator!(const Value& a) { return Value(make({"(!", ")"}, {a.expression()})); }
Value operator-(const Value& a) { return Value(make({"(-", ")"}, {a.expression()})); }

Value if_then_else(const Value& condition, const Value& then_value, const Value& else_value) {
  return Value(make({"(if ", " then ", " else ", ")"},
                    {condition.expression(), then_value.expression(), else_value.expression()}));
}

Value tuple(const std::vector<Value>& components) {
  std::vector<ExpressionPtr> operands;
  for (const Value& each : components) operands.push_back(each.expression());
  return Value(listed("", operands));
}

Function::Function(const char* text) : expression_(word(text)) {}

Function::Function(std::size_t parameters, const std::function<Value(const std::vector<Value>&)>& body,
                   const std::string& parameter_type) {
  auto result = std::make_shared<Expression>();
  std::vector<Value> values;
  for (std::size_t i = 0; i < parameters; ++i) {
    auto parameter = std::make_shared<Expression>();
    parameter->pieces = {"?"};
    parameter->unbound = {parameter.get()};
    result->parameters.push_back(parameter);
    values.emplace_back(parameter);
  }
  result->operands = {body(values).expression()};
  result->parameter_type = parameter_type;
  result->unbound = result->operands[0]->unbound;
  result->depth = result->operands[0]->depth + 1;
  for (const ExpressionPtr& each : result->parameters) result->unbound.erase(each.get());
  expression_ = std::move(result);
}

Function Function::typed(const std::string& parameter_type, const std::function<Value(Value)>& f) {
  return Function(
      1, [&](const std::vector<Value>& v) { return f(v[0]); }, parameter_type);
}

Operand::Operand(const Size& size) : expression_(word(size.text())) {}
Operand::Operand(Boundary boundary)
    : expression_(word(boundary == Boundary::Clamp     ? "clamp"
                       : boundary == Boundary::Mirror  ? "mirror"
                       : boundary == Boundary::Reflect ? "reflect"
                                                       : "wrap")) {}

Value apply(const std::string& name, const std::vector<Operand>& operands) {
  std::vector<ExpressionPtr> expressions;
  for (const Operand& each : operands) expressions.push_back(each.expression());
  return Value(listed(name, expressions));
}

Size Builder::size(const std::string& name) {
  size_names_.push_back(name);
  return Size(name);
}
Size Builder::parameter(const std::string& name) { return Size("?" + name); }

Value Builder::input(const std::string& name, const Type& type) {
  inputs_.push_back({name, type.text()});
  return Value(word(name));
}

Result<Program> Builder::returns(const Value& value) const {
  return guarded(nullptr, [&]() -> Result<Program> {
    check_name("a program", name_);
    std::set<std::string> taken{name_};
    for (const std::string& each : size_names_) {
      check_name("a size", each);
      taken.insert(each);
    }
    std::string parameters;
    for (const Input& input : inputs_) {
      check_name("an input", input.name);
      taken.insert(input.name);
      parameters += (parameters.empty() ? "" : ", ") + input.name + ": " + input.type;
    }
    if (!value.expression()->unbound.empty()) {
      throw_user("the parameter of a function is used outside that function", {},
                 "let the function return the value that depends on its parameter");
    }
    if (value.expression()->depth > most_nested) {
      throw_user(fmt::format("more than {} operations are nested", most_nested), {},
                 "write steps that are alike as a loop: iterate(n, f, x)");
    }
    const std::string body = Text(value.expression(), std::move(taken)).print();
    return Program::parse("def " + name_ + "(" + parameters + ") =\n  " + body + "\n", name_,
                          "built " + name_);
  });
}

}  // namespace hoist::api
