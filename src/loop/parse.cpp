// Reads the text of loop IR (its grammar: syntax.hpp). Names are looked up in the whole kernel; that each is
// in scope where it is used is the checker's to say.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <utility>

#include "arith/parse.hpp"
#include "loop/print.hpp"
#include "loop/syntax.hpp"

namespace hoist::loop {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

/// The scalar after `prefix` in `word`: "as_f32" with "as_" is F32.
std::optional<Scalar> scalar_after(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  return scalar_named(word.substr(prefix.size()));
}

/// "f32", "f32x4".
std::optional<ValueType> type_named(std::string_view word) {
  if (const auto scalar = scalar_named(word)) return ValueType{*scalar, 1};
  const std::size_t x = word.rfind('x');
  if (x == std::string_view::npos) return std::nullopt;
  const auto scalar = scalar_named(word.substr(0, x));
  int width = 0;
  const auto [end, error] = std::from_chars(word.data() + x + 1, word.data() + word.size(), width);
  if (!scalar || error != std::errc() || end != word.data() + word.size() || width < 1) return std::nullopt;
  return ValueType{*scalar, width};
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Plan plan() {
    Plan plan;
    expect_word("plan");
    plan.name = name();
    expect("{");
    while (!accept("}")) plan_item(plan);
    skip_space();
    if (at_ != text_.size()) fail_here("expected the end of the plan");
    return plan;
  }

 private:
  // ---- Plans and kernels

  void plan_item(Plan& plan) {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    if (word == "size") {
      plan.sizes.push_back(size_variable());
      expect(";");
    } else if (word == "input") {
      plan.inputs.push_back(input());
      expect(";");
    } else if (word == "output") {
      plan.outputs.push_back(buffer_line());
    } else if (word == "temporary") {
      plan.temporaries.push_back(buffer_line());
    } else if (word == "assume") {
      Assumption assumption;
      expect("(");
      assumption.predicate = predicate(")");
      expect(")");
      assumption.message = quoted();
      expect(";");
      plan.assumptions.push_back(std::move(assumption));
    } else if (word == "kernel") {
      plan.kernels.push_back(kernel());
    } else if (word == "steps") {
      expect("{");
      while (!accept("}")) plan.steps.push_back(step(plan));
    } else {
      fail_at(begin, at_,
              "expected an item of a plan: size, input, output, temporary, assume, kernel, steps");
    }
  }

  PlanInput input() {
    const std::string given(name());
    expect(":");
    skip_space();
    if (const auto type = type_named(peek_word())) {
      word();
      return ScalarInput{scalar_input(given, *type)};
    }
    return buffer_after_name(given, false);
  }

  PlanStep step(const Plan& plan) {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    PlanStep step;
    if (word == "launch") {
      const std::size_t at = skip_space();
      const std::string kernel = name();
      const auto found = std::find_if(plan.kernels.begin(), plan.kernels.end(),
                                      [&](const Kernel& each) { return each.name == kernel; });
      if (found == plan.kernels.end()) fail_at(at, at_, fmt::format("no kernel '{}'", kernel));
      step.node = LaunchStep{static_cast<std::size_t>(found - plan.kernels.begin())};
      expect(";");
    } else if (word == "repeat") {
      RepeatStep repeat;
      expect("(");
      repeat.count = expr(")");
      expect(")");
      if (accept_word("exchange")) {
        repeat.swap_first = known_buffer();
        expect(",");
        repeat.swap_second = known_buffer();
      }
      expect("{");
      while (!accept("}")) repeat.body.push_back(this->step(plan));
      step.node = std::move(repeat);
    } else if (word == "copy") {
      CopyStep copy;
      copy.from = known_buffer();
      expect_word("to");
      copy.to = known_buffer();
      expect(";");
      step.node = std::move(copy);
    } else {
      fail_at(begin, at_, "expected a step: launch, repeat, copy");
    }
    return step;
  }

  Kernel kernel() {
    // What the plan declares can be used in a kernel; what the kernel declares ends with it.
    const auto outer = std::tuple(scope_, variables_, buffers_);
    Kernel kernel;
    kernel.name = name();
    expect("(");
    if (!accept(")")) {
      do kernel.parameters.push_back(parameter());
      while (accept(","));
      expect(")");
    }
    expect_word("launch");
    expect_word("global");
    kernel.launch.global = range();
    expect_word("local");
    kernel.launch.local = range();
    expect_word("index");
    kernel.index_type = scalar();
    kernel.body = block();
    std::tie(scope_, variables_, buffers_) = outer;
    return kernel;
  }

  KernelParameter parameter() {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    if (word == "size") return SizeParameter{size_variable()};
    if (word == "scalar") {
      const std::string given(name());
      expect(":");
      return ScalarParameter{scalar_input(given, type())};
    }
    if (word != "read" && word != "write") {
      fail_at(begin, at_, "expected a parameter: read, write, size, scalar");
    }
    const std::string given(name());
    expect(":");
    return BufferParameter{buffer_after_name(given, false), word == "write"};
  }

  std::array<arith::Expr, 3> range() {
    std::array<arith::Expr, 3> extents;
    expect("[");
    extents[0] = expr(",");
    expect(",");
    extents[1] = expr(",");
    expect(",");
    extents[2] = expr("]");
    expect("]");
    return extents;
  }

  arith::Expr size_variable() {
    skip_space();
    const bool is_parameter = text_.compare(at_, 1, "?") == 0;
    if (is_parameter) ++at_;
    const std::string given(name());
    const arith::Expr variable = is_parameter ? arith::parameter(given) : arith::size(given);
    scope_.names[is_parameter ? "?" + given : given] = variable;
    return variable;
  }

  // ---- Declarations

  VariablePtr variable(const std::string& given, ValueType type, bool is_mutable) {
    VariablePtr& known = variables_[given];
    if (!known || known->type != type || known->is_mutable != is_mutable) {
      known = std::make_shared<const Variable>(Variable{given, type, is_mutable});
    }
    return known;
  }

  /// A scalar that comes from outside; an integer may be used in index expressions.
  VariablePtr scalar_input(const std::string& given, ValueType type) {
    if (is_integer(type.scalar) && !scope_.names.contains(given)) scope_.names[given] = arith::data(given);
    return variable(given, type, false);
  }

  BufferPtr buffer_line() {
    const std::string given(name());
    expect(":");
    BufferPtr buffer = buffer_after_name(given, false);
    expect(";");
    return buffer;
  }

  /// "global f32[N]". A kernel's parameter that is the plan's buffer is the same object.
  BufferPtr buffer_after_name(const std::string& given, bool is_pointer) {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    Buffer buffer{given, {}, AddressSpace::Global, {}, is_pointer};
    if (word == name_of(AddressSpace::Local)) {
      buffer.space = AddressSpace::Local;
    } else if (word == name_of(AddressSpace::Private)) {
      buffer.space = AddressSpace::Private;
    } else if (word != name_of(AddressSpace::Global)) {
      fail_at(begin, at_, "expected an address space: global, local, private");
    }
    buffer.type = type();
    expect("[");
    buffer.scalars = expr("]");
    expect("]");
    BufferPtr& known = buffers_[given];
    if (!known || known->type != buffer.type || known->space != buffer.space ||
        known->scalars != buffer.scalars || known->is_pointer != is_pointer) {
      known = std::make_shared<const Buffer>(std::move(buffer));
    }
    return known;
  }

  BufferPtr known_buffer() {
    const std::size_t begin = skip_space();
    const std::string given(name());
    const auto found = buffers_.find(given);
    if (found == buffers_.end()) fail_at(begin, at_, fmt::format("no buffer '{}'", given));
    return found->second;
  }

  // ---- Statements

  Block block() {
    Block block;
    expect("{");
    while (!accept("}")) block.push_back(Statement{statement()});
    return block;
  }

  decltype(Statement::node) statement() {
    const std::size_t begin = skip_space();
    if (accept("//")) return comment();
    const std::string_view word = this->word();
    // A word that starts a statement may also be a variable's or a buffer's name.
    skip_space();
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (next == '[' || (next == '=' && variables_.contains(std::string(word)))) {
      at_ = begin;
      return next == '[' ? decltype(Statement::node)(store()) : decltype(Statement::node)(assign());
    }
    if (word == "for") return loop();
    if (word == "if") return branch();
    if (word == "let") return let(false);
    if (word == "var") return let(true);
    if (word == "barrier") return barrier();
    if (word == "allocate") return Allocate{buffer_line()};
    if (word == "alias") return alias();
    if (word == "swap") return swap();
    fail_at(begin, at_, fmt::format("no statement begins with '{}'", word));
  }

  Comment comment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string line = text_.substr(at_, end - at_);
    if (line.starts_with(' ')) line.erase(0, 1);
    at_ = end;
    return {std::move(line)};
  }

  For loop() {
    For loop;
    const std::string given(name());
    expect_word("in");
    loop.parallelism = named(parallelisms, "a kind of loop: sequential, global, group, local");
    if (loop.parallelism != Parallelism::Sequential) {
      expect("(");
      loop.dimension = static_cast<int>(natural());
      expect(")");
    }
    expect("[");
    loop.start = expr(",");
    expect(",");
    loop.stop = expr(")");
    expect(")");
    expect_word("step");
    loop.step = atom();
    arith::Expr start = loop.start, stop = loop.stop, step = loop.step;
    if (accept_word("ranging")) {
      expect("[");
      start = expr(",");
      expect(",");
      stop = expr(",");
      expect(",");
      step = expr(")");
      expect(")");
    }
    if (accept(":")) loop.form = named(forms, "a form of loop: at_most_once, exactly_once");
    loop.unroll = accept_word("unroll");
    loop.variable = arith::index(given, start, stop, step);
    scope_.names[given] = loop.variable;
    loop.body = block();
    return loop;
  }

  If branch() {
    If branch;
    expect("(");
    branch.condition = value();
    expect(")");
    branch.then_body = block();
    if (accept_word("else")) branch.else_body = block();
    return branch;
  }

  Let let(bool is_mutable) {
    Let let;
    const std::string given(name());
    expect(":");
    const ValueType declared = type();
    if (accept_word("index")) {
      expect("[");
      const arith::Expr minimum = expr(",");
      expect(",");
      const arith::Expr stop = expr(")");
      expect(")");
      let.index = arith::data(given, minimum, stop);
    }
    if (accept("=")) let.value = value();
    expect(";");
    let.variable = variable(given, declared, is_mutable);
    if (let.index) scope_.names[given] = let.index;
    return let;
  }

  Assign assign() {
    const auto found = variables_.find(std::string(name()));
    expect("=");
    Assign assign{found->second, value()};
    expect(";");
    return assign;
  }

  Store store() {
    Store store;
    store.buffer = known_buffer();
    int width = 1;
    const std::size_t begin = at_;
    std::tie(store.index, width) = place();
    const std::size_t end = at_;
    expect("=");
    store.value = value();
    if (store.value->type.width != width) {
      fail_at(begin, end, fmt::format("{} scalars are named, {} are stored", width, store.value->type.width));
    }
    expect(";");
    return store;
  }

  Barrier barrier() {
    Barrier barrier{false, false};
    expect("(");
    if (!accept(")")) {
      do {
        const std::size_t begin = skip_space();
        const std::string_view word = this->word();
        if (word == "local") {
          barrier.local = true;
        } else if (word == "global") {
          barrier.global = true;
        } else {
          fail_at(begin, at_, "expected local or global");
        }
      } while (accept(","));
      expect(")");
    }
    expect(";");
    return barrier;
  }

  Alias alias() {
    Alias alias;
    const std::string given(name());
    expect(":");
    alias.pointer = buffer_after_name(given, true);
    expect("=");
    alias.target = known_buffer();
    expect(";");
    return alias;
  }

  Swap swap() {
    Swap swap;
    expect("(");
    swap.first = known_buffer();
    expect(",");
    swap.second = known_buffer();
    expect(")");
    expect(";");
    return swap;
  }

  // ---- Values

  ValuePtr value(int precedence = 1) {
    const std::size_t begin = skip_space();
    ValuePtr left = postfix();
    for (;;) {
      const std::optional<ScalarOp> op = infix();
      if (!op || infix_precedence(*op) < precedence) return left;
      at_ += info(*op).symbol.size();
      std::vector<ValuePtr> operands{std::move(left), value(infix_precedence(*op) + 1)};
      left = checked(begin, [&] { return operation(*op, std::move(operands)); });
    }
  }

  /// The infix operation that comes next, without reading it; the longest symbol wins.
  std::optional<ScalarOp> infix() {
    skip_space();
    std::optional<ScalarOp> best;
    for (const ScalarOpInfo& row : all_scalar_ops()) {
      if (infix_precedence(row.op) == 0 || text_.compare(at_, row.symbol.size(), row.symbol) != 0) continue;
      if (!best || row.symbol.size() > info(*best).symbol.size()) best = row.op;
    }
    return best;
  }

  ValuePtr postfix() {
    const std::size_t begin = skip_space();
    ValuePtr vector = primary();
    while (accept(".s")) {
      const auto index = static_cast<int>(natural());
      vector = checked(begin, [&] { return component(std::move(vector), index); });
    }
    return vector;
  }

  ValuePtr primary() {
    const std::size_t begin = skip_space();
    if (accept("(")) {
      ValuePtr inner = value();
      expect(")");
      return inner;
    }
    if (const auto scalar = literal_scalar()) return literal(*scalar);
    const std::string_view word = this->word();
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (next == '[') {
      at_ = begin;
      const BufferPtr buffer = known_buffer();
      const auto [index, width] = place();
      return load(buffer, index, width);
    }
    if (next == '{') {
      const auto type = type_named(word);
      if (!type) fail_at(begin, at_, fmt::format("'{}' is not a type", word));
      expect("{");
      const std::size_t inside = skip_space();
      const auto scalar = literal_scalar();
      if (!scalar || scalar->type != type->scalar) fail_at(inside, at_, "expected a literal of the type");
      expect("}");
      return literal(*scalar, type->width);
    }
    if (next == '(') return call(begin, word);
    const auto found = variables_.find(std::string(word));
    if (found == variables_.end()) fail_at(begin, at_, fmt::format("no variable '{}'", word));
    return reference(found->second);
  }

  ValuePtr call(std::size_t begin, std::string_view word) {
    expect("(");
    if (word == "test") {
      const arith::Predicate guard = predicate(")");
      expect(")");
      return test(guard);
    }
    if (const auto scalar = scalar_after(word, "index_")) {
      const arith::Expr index = expr(")");
      expect(")");
      return checked(begin, [&] { return index_value(index, *scalar); });
    }
    std::vector<ValuePtr> operands;
    do operands.push_back(value());
    while (accept(","));
    expect(")");
    if (const auto scalar = scalar_after(word, "as_"); scalar && operands.size() == 1) {
      return cast(operands[0], *scalar);
    }
    if (const auto type = type_named(word)) {
      return checked(begin, [&] { return make_vector(std::move(operands), type->width); });
    }
    const auto op = scalar_op_named(word);
    if (!op) fail_at(begin, begin + word.size(), fmt::format("no function '{}'", word));
    return checked(begin, [&] { return operation(*op, std::move(operands)); });
  }

  /// "1.5", "2f64", "true", "7u8", "-inf_f32"; nullopt, with nothing read, where there is none.
  std::optional<ScalarValue> literal_scalar() {
    const std::size_t begin = skip_space();
    const std::size_t unsigned_begin = begin + (text_.compare(begin, 1, "-") == 0 ? 1 : 0);
    if (unsigned_begin < text_.size() && is_digit(text_[unsigned_begin])) return number(begin);
    at_ = unsigned_begin;
    const std::string_view word = is_name_at(at_) ? this->word() : std::string_view();
    const double sign = unsigned_begin > begin ? -1.0 : 1.0;
    if (begin == unsigned_begin && (word == "true" || word == "false")) {
      return ScalarValue::of_bool(word == "true");
    }
    if (const auto type = scalar_after(word, "inf_"); type && is_float(*type)) {
      return ScalarValue::of_real(*type, std::copysign(std::numeric_limits<double>::infinity(), sign));
    }
    if (const auto type = scalar_after(word, "nan_"); type && is_float(*type)) {
      return ScalarValue::of_real(*type, std::copysign(std::numeric_limits<double>::quiet_NaN(), sign));
    }
    at_ = begin;
    return std::nullopt;
  }

  ScalarValue number(std::size_t begin) {
    const char* const first = text_.data() + begin;
    const char* const last = text_.data() + text_.size();
    std::int64_t integer = 0;
    const auto [integer_end, integer_error] = std::from_chars(first, last, integer);
    double real = 0;
    const auto [real_end, real_error] = std::from_chars(first, last, real);
    at_ = static_cast<std::size_t>(real_end - text_.data());
    const std::string_view suffix = is_name_at(at_) ? word() : std::string_view();
    Scalar type = real_end == integer_end ? Scalar::I32 : Scalar::F32;
    if (!suffix.empty()) {
      const auto named = scalar_named(suffix);
      if (!named) fail_at(begin, at_, "a number with an unknown type");
      type = *named;
    }
    if (type == Scalar::F32) {  // rounding a double once more could give another f32
      float single = 0;
      std::from_chars(first, last, single);
      return ScalarValue::of_real(type, single);
    }
    if (is_float(type)) return ScalarValue::of_real(type, real);
    if (real_end != integer_end || integer_error != std::errc()) {
      fail_at(begin, at_, fmt::format("not a number of type {}", name_of(type)));
    }
    return ScalarValue::of_integer(type, integer);
  }

  // ---- Index expressions

  /// "[index]" or "[index +: width]".
  std::pair<arith::Expr, int> place() {
    expect("[");
    const arith::Expr index = expr("]");
    int width = 1;
    if (accept("+:")) width = static_cast<int>(natural());
    expect("]");
    return {index, width};
  }

  /// Up to one of the characters `stops` (or "+:") outside brackets.
  arith::Expr expr(std::string_view stops) {
    const std::size_t begin = skip_space();
    skip_to(stops);
    return parsed(begin, at_);
  }

  arith::Expr parsed(std::size_t begin, std::size_t end) {
    while (end > begin && text_[end - 1] == ' ') --end;
    const std::string part = text_.substr(begin, end - begin);
    if (part == "_") return {};
    Result<arith::Expr> result = arith::parse(part, scope_);
    if (result) return *result;
    Error error = std::move(result.error());
    for (Diagnostic& diagnostic : error.diagnostics) {
      const Span inner = diagnostic.span.value_or(Span{0, static_cast<std::uint32_t>(part.size())});
      diagnostic.span = span(begin + inner.begin, begin + inner.end);
    }
    throw Failure(std::move(error));
  }

  /// A number, a name or a parenthesised expression.
  arith::Expr atom() {
    const std::size_t begin = skip_space();
    if (!accept("(")) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
      return parsed(begin, at_);
    }
    const arith::Expr inner = expr(")");
    expect(")");
    return inner;
  }

  arith::Predicate predicate(std::string_view stops) {
    const std::size_t begin = skip_space();
    skip_to(stops);
    const std::size_t end = at_;
    constexpr std::pair<std::string_view, arith::Relation> relations[] = {
        {" <= ", arith::Relation::LessEqual},
        {" < ", arith::Relation::Less},
        {" == ", arith::Relation::Equal},
        {" != ", arith::Relation::NotEqual}};
    int depth = 0;
    for (std::size_t at = begin; at < end; ++at) {
      depth += text_[at] == '(' ? 1 : text_[at] == ')' ? -1 : 0;
      for (const auto& [symbol, relation] : relations) {
        if (depth == 0 && text_.compare(at, symbol.size(), symbol) == 0) {
          return {relation, parsed(begin, at), parsed(at + symbol.size(), end)};
        }
      }
    }
    fail_at(begin, end,
            "expected a comparison: a < b, a <= b, a == b, a != b, with spaces around the symbol");
  }

  void skip_to(std::string_view stops) {
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && (stops.find(c) != std::string_view::npos || text_.compare(at_, 2, "+:") == 0)) return;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    fail_here(fmt::format("expected '{}'", stops));
  }

  // ---- Words

  static constexpr Parallelism parallelisms[] = {Parallelism::Sequential, Parallelism::Global,
                                                 Parallelism::Group, Parallelism::Local};
  static constexpr LoopForm forms[] = {LoopForm::Loop, LoopForm::AtMostOnce, LoopForm::ExactlyOnce};

  template <class Enumeration, std::size_t count>
  Enumeration named(const Enumeration (&all)[count], std::string_view what) {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    for (Enumeration each : all) {
      if (name_of(each) == word) return each;
    }
    fail_at(begin, at_, fmt::format("expected {}", what));
  }

  ValueType type() {
    const std::size_t begin = skip_space();
    const auto type = type_named(word());
    if (!type) fail_at(begin, at_, "expected a type, as f32 or f32x4");
    return *type;
  }
  Scalar scalar() {
    const std::size_t begin = skip_space();
    const ValueType type = this->type();
    if (type.width != 1) fail_at(begin, at_, "expected a scalar type");
    return type.scalar;
  }

  std::size_t skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_;
  }
  bool is_name_at(std::size_t at) const { return at < text_.size() && is_name_start(text_[at]); }
  std::string_view peek_word() const {
    std::size_t end = at_;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    return std::string_view(text_).substr(at_, end - at_);
  }
  std::string_view word() {
    skip_space();
    if (!is_name_at(at_)) fail_here("expected a word");
    const std::string_view word = peek_word();
    at_ += word.size();
    return word;
  }
  std::string name() { return std::string(word()); }

  std::int64_t natural() {
    const std::size_t begin = skip_space();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0 || value > std::numeric_limits<int>::max()) {
      fail_at(begin, begin + 1, "expected a natural number");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string quoted() {
    expect("\"");
    std::string plain;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        plain += text_[at_] == 'n' ? '\n' : text_[at_];
      } else {
        plain += text_[at_];
      }
    }
    if (at_ == text_.size()) fail_here("expected the end of a quoted text");
    ++at_;
    return plain;
  }

  bool accept(std::string_view symbol) {
    skip_space();
    if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
    at_ += symbol.size();
    return true;
  }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) fail_here(fmt::format("expected '{}'", symbol));
  }
  bool accept_word(std::string_view wanted) {
    skip_space();
    if (peek_word() != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  void expect_word(std::string_view wanted) {
    if (!accept_word(wanted)) fail_here(fmt::format("expected '{}'", wanted));
  }

  // ---- Errors

  /// Makes a value; what its constructor refuses is an error in the text here.
  template <class Make>
  ValuePtr checked(std::size_t begin, Make&& make) {
    try {
      return make();
    } catch (const Bug& refused) {
      fail_at(begin, at_, refused.what());
    }
  }

  static Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  [[noreturn]] static void fail_at(std::size_t begin, std::size_t end, std::string message) {
    throw Failure(Error{ErrorKind::User, {Diagnostic{std::move(message), span(begin, end)}}});
  }
  [[noreturn]] void fail_here(std::string message) {
    const std::size_t begin = skip_space();
    fail_at(begin, std::min(begin + 1, text_.size()), std::move(message));
  }

  const std::string& text_;
  std::size_t at_ = 0;
  arith::Scope scope_;
  std::unordered_map<std::string, VariablePtr> variables_;
  std::unordered_map<std::string, BufferPtr> buffers_;
};

}  // namespace

Result<Plan> parse_plan(const std::string& text) {
  return catch_failure([&] { return Parser(text).plan(); });
}

}  // namespace hoist::loop
