// Typing of calls by the schemes of their primitives.
//
// The letters of a scheme are unknowns, and giving an argument is a matching of its type against the scheme's
// pattern:
//
//   split(s: size, x: [n]a): [exactdiv(n, s)][s]a where s divides n
//
// gets s = 4 from the text, n = N and a = f32 from an argument of type [N]f32, and the result's pattern with
// these in it is [exactdiv(N, 4)][4]f32 (`match`, `instantiate`). Conditions are proven, refuted (an error of
// the user) or become assumptions that a call checks (`check_condition`). A function's parameters follow from
// the data, so data comes first. The types of zip, unzip and iterate cannot be written as schemes; they have
// code of their own, last in the file.
#include "ir/scheme.hpp"

#include <fmt/format.h>

#include <array>

#include "ir/iterate.hpp"
#include "ir/scheme_parse.hpp"
#include "ir/type.hpp"

namespace hoist::ir {

using arith::Expr;
using arith::Truth;

namespace {

constexpr std::size_t letters = 26;
constexpr std::size_t most_statics = 3;

std::size_t place_of(char letter) { return static_cast<std::size_t>(letter - 'a'); }

/// "the second argument", for messages.
std::string ordinal(std::size_t index) {
  constexpr const char* words[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
  return index < std::size(words) ? words[index] : fmt::format("{}th", index + 1);
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// A condition that could be neither proven nor refuted.
struct Unproven {
  arith::Predicate predicate;
  std::string_view relation;  ///< "must divide": what `left` has to do with `right`
  Expr left, right;
};

}  // namespace

struct CallTyping::State {
  State(Op primitive_op, std::size_t data_arguments) : op(primitive_op), scheme(scheme_of(primitive_op)) {
    if (op == Op::Zip) {
      for (std::size_t i = 0; i < data_arguments; ++i) {
        zipped.push_back({"x" + std::to_string(i), ArgumentKind::Data});
      }
    }
    if (scheme.is_special) data.resize(arguments().size());
  }

  const std::vector<SchemeArgument>& arguments() const { return op == Op::Zip ? zipped : scheme.arguments; }
  std::string_view name() const { return primitive(op).name; }
  template <class... Arguments>
  tl::unexpected<Error> error(fmt::format_string<Arguments...> text, Arguments&&... values) const {
    return user_error(fmt::format("{}: {}", name(), fmt::format(text, std::forward<Arguments>(values)...)),
                      fmt::format("the type of {} is {}", name(), primitive(op).scheme));
  }

  // ---- Matching: letters of the scheme get the sizes and types of the arguments.
  Result<void> match(const TypePattern& pattern, Type actual, Type whole, std::size_t argument);
  Result<void> match(const SizePattern& pattern, Expr actual, std::string_view what);
  Result<void> match_letter(char letter, Type actual);
  /// The type that a pattern stands for; empty when a letter is not bound yet.
  Type instantiate(const TypePattern& pattern) const;
  Expr evaluate(const SizePattern& pattern) const;

  // ---- The parts of a typing.
  Result<void> give_array_to_zip(std::size_t argument, Type type);
  Result<void> give_function_to_iterate(Type function);
  Result<Type> iterated();
  Result<Type> iterated_array(Type start);
  Result<void> check_conditions();
  Result<void> check_condition(const Condition& condition);
  Result<void> check_width();
  Result<void> check_exact_quotients(Expr size);
  Result<void> check_dimension();

  Op op;
  const Scheme& scheme;
  std::vector<SchemeArgument> zipped;  ///< zip repeats its argument as often as it is given
  std::array<Expr, letters> sizes;
  std::array<Type, letters> types;
  std::array<Expr, most_statics> statics;
  std::vector<Type> data;  ///< of special primitives, by argument
  Type function;           ///< of iterate
  Expr length;             ///< iterate on an array: the length that its function is typed with
  std::vector<Unproven> unproven;
  std::vector<SizeAssumption> assumptions;  ///< `unproven` with messages, once asked for
};

Expr CallTyping::State::evaluate(const SizePattern& pattern) const {
  if (pattern.kind == SizePattern::Kind::Letter) return sizes[place_of(pattern.letter)];
  if (pattern.kind == SizePattern::Kind::Constant) return arith::constant(pattern.value);
  const Expr left = evaluate(pattern.operands[0]), right = evaluate(pattern.operands[1]);
  if (!left || !right) return {};
  switch (pattern.kind) {
    case SizePattern::Kind::Add:
      return left + right;
    case SizePattern::Kind::Subtract:
      return left - right;
    case SizePattern::Kind::Multiply:
      return left * right;
    case SizePattern::Kind::Divide:
      return left / right;
    default:
      return arith::exact_quotient(left, right);
  }
}

Result<void> CallTyping::State::match_letter(char letter, Type actual) {
  Type& known = types[place_of(letter)];
  if (!known) known = actual;
  if (is_equal(known, actual)) return {};
  return error("{} and {} must be one type ({})", to_string(known), to_string(actual), letter);
}

Result<void> CallTyping::State::match(const TypePattern& pattern, Type actual, Type whole,
                                      std::size_t argument) {
  const bool is_inside = actual != whole;
  const auto mismatch = [&](std::string_view wanted) -> Result<void> {
    auto refused = error("the argument {} must be {}, but it is {}", arguments()[argument].name, wanted,
                         to_string(whole));
    if (op == Op::At && is_tuple(whole))
      refused.value().diagnostics[0].help = "t.0 is a component of a tuple t";
    return refused;
  };
  switch (pattern.kind) {
    case TypePattern::Kind::Letter:
      if (pattern.letter == 's' && !is_scalar(actual)) {
        return mismatch(is_inside ? "an array of scalars" : "a scalar");
      }
      return match_letter(pattern.letter, actual);
    case TypePattern::Kind::Scalar:
      if (actual != scalar_type(pattern.scalar)) return mismatch(name_of(pattern.scalar));
      return {};
    case TypePattern::Kind::Vector:
      if (!is_vector(actual)) return mismatch(is_inside ? "an array of vectors" : "a vector (such as f32x4)");
      if (auto ok = match(pattern.size[0], actual->size, "width"); !ok) return ok;
      return match_letter(pattern.letter, scalar_type(actual->scalar));
    case TypePattern::Kind::Array:
      if (!is_array(actual)) return mismatch(is_inside ? "an array of arrays" : "an array");
      if (auto ok = match(pattern.size[0], actual->size, "length"); !ok) return ok;
      return match(pattern.elements[0], element_of(actual), whole, argument);
  }
  throw Bug("not a kind of pattern");
}

Result<void> CallTyping::State::match(const SizePattern& pattern, Expr actual, std::string_view what) {
  if (pattern.kind == SizePattern::Kind::Letter) {
    Expr& known = sizes[place_of(pattern.letter)];
    if (!known) known = actual;
  }
  const Expr wanted = evaluate(pattern);
  if (!wanted || wanted == actual || arith::equal(wanted, actual) == Truth::Yes) return {};
  return error("the {}s {} and {} must be equal", what, arith::to_string(wanted), arith::to_string(actual));
}

Type CallTyping::State::instantiate(const TypePattern& pattern) const {
  switch (pattern.kind) {
    case TypePattern::Kind::Letter:
      return types[place_of(pattern.letter)];
    case TypePattern::Kind::Scalar:
      return scalar_type(pattern.scalar);
    case TypePattern::Kind::Vector: {
      const Type scalar = types[place_of(pattern.letter)];
      const Expr width = evaluate(pattern.size[0]);
      return scalar && width ? vector_type(scalar->scalar, width) : Type();
    }
    case TypePattern::Kind::Array: {
      const Type element = instantiate(pattern.elements[0]);
      const Expr size = evaluate(pattern.size[0]);
      return element && size ? array_type(size, element) : Type();
    }
  }
  throw Bug("not a kind of pattern");
}

// ---- Conditions.

Result<void> CallTyping::State::check_condition(const Condition& condition) {
  const Expr left = evaluate(condition.left), right = evaluate(condition.right);
  if (!left || !right) return error("an argument is missing");
  if (condition.kind == Condition::Kind::Divides) {
    const Truth truth = arith::divides(left, right);
    if (truth == Truth::No)
      return error("{} does not divide {}", arith::to_string(left), arith::to_string(right));
    if (truth == Truth::Unknown) {
      unproven.push_back({{arith::Relation::Equal, right % left, 0}, "must divide", left, right});
    }
    return {};
  }
  const Truth truth = arith::less_equal(left, right);
  const bool is_bound_below = condition.left.kind == SizePattern::Kind::Constant;
  if (truth == Truth::No && is_bound_below) {
    return error("{} must be at least {}, but it is {}", condition.right.letter, arith::to_string(left),
                 arith::to_string(right));
  }
  if (truth == Truth::No) {
    return error("{} is more than the {} elements there are", arith::to_string(left),
                 arith::to_string(right));
  }
  if (truth == Truth::Unknown && is_bound_below) {
    unproven.push_back({{arith::Relation::LessEqual, left, right}, "must be at least", right, left});
  } else if (truth == Truth::Unknown) {
    unproven.push_back({{arith::Relation::LessEqual, left, right}, "must be at most", left, right});
  }
  return {};
}

Result<void> CallTyping::State::check_width() {
  const auto width = sizes[place_of('w')].constant();
  if (!width || *width == 2 || *width == 3 || *width == 4 || *width == 8 || *width == 16) return {};
  return error("the width is {}; it must be 2, 3, 4, 8 or 16", *width);
}

Result<void> CallTyping::State::check_dimension() {
  const auto dimension = sizes[place_of('d')].constant();
  if (dimension && *dimension >= 0 && *dimension <= 2) return {};
  return error("a dimension is 0, 1 or 2");
}

Result<void> CallTyping::State::check_conditions() {
  if (has_any(op, Trait::VectorWidth)) {
    if (auto ok = check_width(); !ok) return ok;
  }
  if (sharing(op) != Sharing::Nobody) {
    if (auto ok = check_dimension(); !ok) return ok;
  }
  for (const Expr& size : statics) {
    if (!size) continue;
    if (auto ok = check_exact_quotients(size); !ok) return ok;
  }
  for (const Condition& condition : scheme.conditions) {
    if (auto ok = check_condition(condition); !ok) return ok;
  }
  return {};
}

/// take(exactdiv(n, t), x) says that t divides n.
Result<void> CallTyping::State::check_exact_quotients(Expr size) {
  if (size.kind() == arith::Kind::ExactQuotient) {
    const Expr dividend = size->operands[0], divisor = size->operands[1];
    const Truth truth = arith::divides(divisor, dividend);
    if (truth == Truth::No)
      return error("{} does not divide {}", arith::to_string(divisor), arith::to_string(dividend));
    if (truth == Truth::Unknown)
      unproven.push_back({{arith::Relation::Equal, dividend % divisor, 0}, "must divide", divisor, dividend});
  }
  for (Expr operand : size->operands) {
    if (auto ok = check_exact_quotients(operand); !ok) return ok;
  }
  return {};
}

// ---- Zip and iterate.

Result<void> CallTyping::State::give_array_to_zip(std::size_t argument, Type type) {
  if (!is_array(type)) {
    return error("the {} argument must be an array, but it is {}", ordinal(argument), to_string(type));
  }
  for (std::size_t i = 0; i < argument; ++i) {
    const Expr other = data[i] ? data[i]->size : type->size;
    if (other == type->size || arith::equal(other, type->size) == Truth::Yes) continue;
    return error("the {} array has {} elements, the {} {}; they must be equal", ordinal(i),
                 arith::to_string(other), ordinal(argument), arith::to_string(type->size));
  }
  return {};
}

Result<void> CallTyping::State::give_function_to_iterate(Type given) {
  const Type start = data.back();
  if (!start) return error("its last argument is missing");
  if (given->elements.size() != 2) {
    return error("its function must take 1 argument, but the given function takes {}",
                 given->elements.size() - 1);
  }
  function = given;
  const Type parameter = given->elements[0];
  if (is_array(start) && is_array(parameter)) {
    // A variable stands for any length, unless it is the start's own.
    const bool is_variable = parameter->size.kind() == arith::Kind::Variable;
    length = is_variable ? parameter->size : start->size;
  }
  return {};
}

Result<Type> CallTyping::State::iterated() {
  const Type start = data.back();
  if (!start || !function) return error("an argument is missing");
  const Type parameter = function->elements[0], given = function->elements[1];
  if (is_array(start) && length && length != start->size) return iterated_array(start);
  if (!is_equal(parameter, start)) {
    return error("its function takes {}, but is given {}", to_string(parameter), to_string(start));
  }
  if (!is_equal(given, start)) {
    return error("its function must give what it takes, {}, but gives {}", to_string(start),
                 to_string(given));
  }
  return start;
}

Result<Type> CallTyping::State::iterated_array(Type start) {
  const Type element = element_of(start), parameter = function->elements[0], given = function->elements[1];
  if (!is_equal(element_of(parameter), element)) {
    return error("its function takes {}, but is given {}", to_string(parameter), to_string(start));
  }
  if (!is_array(given) || !is_equal(element_of(given), element)) {
    return error("its function must give an array of {}, but gives {}", to_string(element), to_string(given));
  }
  const Expr n = start->size, next = given->size, count = statics[0];
  const Expr last = length_after(next, length, n, count);
  if (!last) {
    return user_error(fmt::format("iterate: a length that changes from {} to {} in each of {} steps is not "
                                  "supported",
                                  arith::to_string(length), arith::to_string(next), arith::to_string(count)),
                      {}, "multiply, divide or add a constant");
  }
  if (last == n) return array_type(n, element);
  if (next.kind() == arith::Kind::ExactQuotient && next->operands[0] == length) {
    const Expr factor = arith::power(next->operands[1], count);
    const Truth divides = arith::divides(factor, n);
    if (divides == Truth::No) {
      return user_error(fmt::format("iterate: {} steps divide the length by {}, which does not divide {}",
                                    arith::to_string(count), arith::to_string(factor), arith::to_string(n)));
    }
    if (divides == Truth::Unknown) {
      unproven.push_back({{arith::Relation::Equal, n % factor, 0}, "must divide", factor, n});
    }
  }
  const Truth is_length = arith::less_equal(0, last);
  if (is_length == Truth::No) {
    return user_error(fmt::format("iterate: after {} steps the length would be {}", arith::to_string(count),
                                  arith::to_string(last)));
  }
  if (is_length == Truth::Unknown) {
    unproven.push_back({{arith::Relation::LessEqual, 0, last}, "must be at least", last, 0});
  }
  return array_type(last, element);
}

// ---- The interface.

CallTyping::CallTyping(Op op, std::size_t data_arguments)
    : state_(std::make_unique<State>(op, data_arguments)) {}
CallTyping::~CallTyping() = default;
CallTyping::CallTyping(CallTyping&&) noexcept = default;

const std::vector<SchemeArgument>& CallTyping::arguments() const { return state_->arguments(); }

void CallTyping::give_static(std::size_t argument, Expr value) {
  state_->sizes[place_of(state_->arguments()[argument].name[0])] = value;
  state_->statics[argument] = value;
}

Result<void> CallTyping::give_data(std::size_t argument, Type type) {
  State& state = *state_;
  const SchemeArgument& wanted = state.arguments()[argument];
  if (is_function(type))
    return state.error("the argument {} must be data, but it is a function", wanted.name);
  if (wanted.kind == ArgumentKind::Index) {
    if (is_scalar(type) && is_integer(type->scalar)) return {};
    return user_error(
        fmt::format("{}: the index must be an integer, but it is {}", state.name(), to_string(type)), {},
        is_scalar(type) ? "convert it: i32(...)" : "");
  }
  if (!state.scheme.is_special) return state.match(state.scheme.data[argument], type, type, argument);
  state.data[argument] = type;
  if (state.op == Op::Zip) return state.give_array_to_zip(argument, type);
  if (state.op == Op::Unzip && !(is_array(type) && is_tuple(element_of(type)))) {
    return state.error("the argument must be an array of tuples, but it is {}", to_string(type));
  }
  return {};
}

Result<std::vector<Type>> CallTyping::function_parameters(std::size_t argument) {
  State& state = *state_;
  if (state.op == Op::Iterate) {
    const Type start = state.data.back();
    if (!start) return state.error("its last argument is missing");
    if (!is_array(start)) return std::vector<Type>{start};
    if (!state.length) state.length = fresh_length();
    return std::vector<Type>{array_type(state.length, element_of(start))};
  }
  std::vector<Type> result;
  for (const TypePattern& pattern : state.scheme.functions[argument].parameters) {
    result.push_back(state.instantiate(pattern));
    if (!result.back()) return state.error("the types of its arrays do not follow from its arguments");
  }
  return result;
}

Result<void> CallTyping::give_function(std::size_t argument, Type function) {
  State& state = *state_;
  if (!is_function(function)) {
    return state.error("the argument {} must be a function, but it is {}", state.arguments()[argument].name,
                       to_string(function));
  }
  if (state.op == Op::Iterate) return state.give_function_to_iterate(function);
  const FunctionPattern& pattern = state.scheme.functions[argument];
  const std::size_t count = function->elements.size() - 1;
  if (pattern.parameters.size() != count) {
    return state.error("its function must take {}, but the given function takes {}",
                       counted(pattern.parameters.size(), "argument"), count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Type wanted = state.instantiate(pattern.parameters[i]);
    if (!wanted) return state.error("the types of its arrays do not follow from its arguments");
    if (!is_equal(wanted, function->elements[i])) {
      return state.error("its function is given {}, but takes {}", to_string(wanted),
                         to_string(function->elements[i]));
    }
  }
  const Type given = function->elements.back();
  const Type expected = state.instantiate(pattern.result[0]);
  if (!expected) return state.match_letter(pattern.result[0].letter, given);
  if (is_equal(expected, given)) return {};
  if (is_reduce(state.op) || is_scan(state.op) || is_keyed_reduce(state.op)) {
    return state.error("the operator gives {}, but the accumulator is {}", to_string(given),
                       to_string(expected));
  }
  return state.error("its function must give {}, but gives {}", to_string(expected), to_string(given));
}

Result<Type> CallTyping::result() {
  State& state = *state_;
  state.unproven.clear();
  state.assumptions.clear();
  if (auto ok = state.check_conditions(); !ok) return tl::unexpected(ok.error());
  if (state.op == Op::Iterate) return state.iterated();
  if (state.scheme.is_special) {
    for (Type each : state.data) {
      if (!each) return state.error("an argument is missing");
    }
  }
  if (state.op == Op::Zip) {
    if (state.data.size() < 2) return user_error("zip takes two arrays or more");
    std::vector<Type> elements;
    for (Type each : state.data) elements.push_back(element_of(each));
    return array_type(state.data[0]->size, tuple_type(std::move(elements)));
  }
  if (state.op == Op::Unzip) {
    const Type array = state.data[0];
    std::vector<Type> components;
    for (Type each : element_of(array)->elements) components.push_back(array_type(array->size, each));
    return tuple_type(std::move(components));
  }
  const Type type = state.instantiate(state.scheme.result[0]);
  if (!type) return state.error("an argument is missing");
  return type;
}

const std::vector<SizeAssumption>& CallTyping::assumptions() const {
  State& state = *state_;
  for (std::size_t i = state.assumptions.size(); i < state.unproven.size(); ++i) {
    const Unproven& each = state.unproven[i];
    state.assumptions.push_back(
        {each.predicate, fmt::format("{}: {} {} {}", state.name(), arith::to_string(each.left), each.relation,
                                     arith::to_string(each.right))});
  }
  return state.assumptions;
}

bool CallTyping::has_assumptions() const { return !state_->unproven.empty(); }

std::vector<Expr> CallTyping::static_arguments() const {
  std::vector<Expr> values;
  for (std::size_t i = 0; i < state_->arguments().size() && state_->arguments()[i].is_static(); ++i) {
    values.push_back(state_->statics[i]);
  }
  if (state_->op == Op::Iterate && state_->length) values.push_back(state_->length);
  return values;
}

}  // namespace hoist::ir
