#include "ir/scheme.hpp"

#include <atomic>
#include <unordered_map>

#include "ir/scheme_parse.hpp"

namespace hoist::ir {

using arith::Expr;
using arith::Truth;

struct CallTyping::State {
  Op op;
  const Scheme* scheme = nullptr;
  std::vector<SchemeArgument> arguments;  // zip repeats its argument as often as it is given
  std::unordered_map<std::string, Expr> sizes;
  std::unordered_map<std::string, Type> types;
  std::vector<Expr> static_values;
  std::vector<Type> data;       // of special primitives
  std::vector<Type> functions;  // by argument, once given
  std::vector<SizeAssumption> assumptions;
  Expr length;                  // iterate: the bound size
  std::string name() const { return std::string(primitive(op).name); }
};

namespace {

Expr evaluate(const SizePattern& pattern, const std::unordered_map<std::string, Expr>& sizes) {
  auto operand = [&](std::size_t i) { return evaluate(pattern.operands[i], sizes); };
  switch (pattern.kind) {
    case SizePattern::Kind::Letter: {
      auto known = sizes.find(pattern.letter);
      return known == sizes.end() ? Expr() : known->second;
    }
    case SizePattern::Kind::Constant: return arith::constant(pattern.value);
    case SizePattern::Kind::Add: return operand(0) + operand(1);
    case SizePattern::Kind::Subtract: return operand(0) - operand(1);
    case SizePattern::Kind::Multiply: return operand(0) * operand(1);
    case SizePattern::Kind::Divide: return operand(0) / operand(1);
    case SizePattern::Kind::ExactDivide: return arith::exact_quotient(operand(0), operand(1));
  }
  return {};
}

std::string sized(Expr size) { return arith::to_string(size); }

/// "the second argument", for messages.
std::string ordinal(std::size_t index) {
  constexpr const char* words[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
  return index < std::size(words) ? words[index] : "next";
}

}  // namespace

CallTyping::CallTyping(Op op, std::size_t data_arguments) : state_(std::make_unique<State>()) {
  state_->op = op;
  state_->scheme = &scheme_of(op);
  state_->arguments = state_->scheme->arguments;
  if (op == Op::Zip) {
    state_->arguments.clear();
    for (std::size_t i = 0; i < data_arguments; ++i) {
      state_->arguments.push_back({"x" + std::to_string(i), ArgumentKind::Data});
    }
  }
  state_->data.resize(state_->arguments.size());
  state_->functions.resize(state_->arguments.size());
}
CallTyping::~CallTyping() = default;
CallTyping::CallTyping(CallTyping&&) noexcept = default;

const std::vector<SchemeArgument>& CallTyping::arguments() const { return state_->arguments; }

void CallTyping::give_static(std::size_t argument, Expr value) {
  state_->sizes[state_->arguments[argument].name] = value;
  state_->static_values.push_back(value);
}

namespace {

struct Matcher {
  CallTyping::State& state;
  std::size_t argument;

  Result<void> type(const TypePattern& pattern, Type actual, Type whole) {
    auto mismatch = [&](const std::string& wanted) -> Result<void> {
      std::string message = state.name() + ": the argument " + state.arguments[argument].name + " must be " + wanted +
                            ", but it is " + to_string(whole);
      return user_error(message, "the type of " + state.name() + " is " + std::string(primitive(state.op).scheme));
    };
    switch (pattern.kind) {
      case TypePattern::Kind::Letter: {
        if (is_function(actual)) return mismatch("data");
        if (pattern.letter == "s" && !is_scalar(actual)) return mismatch("of scalars");
        auto [known, is_new] = state.types.emplace(pattern.letter, actual);
        if (!is_new && known->second != actual && !same_type(known->second, actual)) {
          return user_error(state.name() + ": " + to_string(known->second) + " and " + to_string(actual) +
                                " must be one type (" + pattern.letter + ")",
                            "the type of " + state.name() + " is " + std::string(primitive(state.op).scheme));
        }
        return {};
      }
      case TypePattern::Kind::Scalar:
        if (actual != scalar_type(pattern.scalar)) return mismatch(std::string(name_of(pattern.scalar)));
        return {};
      case TypePattern::Kind::Vector: {
        if (!is_vector(actual)) return mismatch("of vectors (such as f32x4)");
        if (auto ok = size(pattern.size[0], actual->size, "width"); !ok) return ok;
        return type({TypePattern::Kind::Letter, pattern.letter, {}, {}, {}}, scalar_type(actual->scalar), whole);
      }
      case TypePattern::Kind::Array: {
        if (!is_array(actual)) {
          bool nested = actual != whole;
          return mismatch(nested ? "an array of arrays" : "an array");
        }
        if (auto ok = size(pattern.size[0], actual->size, "length"); !ok) return ok;
        return type(pattern.elements[0], element_of(actual), whole);
      }
      case TypePattern::Kind::Tuple:
        if (!is_tuple(actual) || actual->elements.size() != pattern.elements.size()) return mismatch("a tuple");
        for (std::size_t i = 0; i < pattern.elements.size(); ++i) {
          if (auto ok = type(pattern.elements[i], actual->elements[i], whole); !ok) return ok;
        }
        return {};
    }
    return {};
  }

  Result<void> size(const SizePattern& pattern, Expr actual, const char* what) {
    if (pattern.kind == SizePattern::Kind::Letter) {
      auto [known, is_new] = state.sizes.emplace(pattern.letter, actual);
      if (is_new || known->second == actual || arith::equal(known->second, actual) == Truth::Yes) return {};
      return user_error(state.name() + ": the " + what + "s " + sized(known->second) + " and " + sized(actual) +
                        " must be equal");
    }
    Expr wanted = evaluate(pattern, state.sizes);
    if (wanted && arith::equal(wanted, actual) != Truth::Yes) {
      return user_error(state.name() + ": the " + what + " must be " + sized(wanted) + ", but it is " + sized(actual));
    }
    return {};
  }

  /// Equal up to sizes that are proven equal.
  static bool same_type(Type a, Type b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->scalar != b->scalar || a->elements.size() != b->elements.size()) return false;
    if (a->size && arith::equal(a->size, b->size) != Truth::Yes) return false;
    for (std::size_t i = 0; i < a->elements.size(); ++i) {
      if (!same_type(a->elements[i], b->elements[i])) return false;
    }
    return true;
  }

  /// The type a pattern stands for; empty when a letter is not bound yet.
  Type instantiate(const TypePattern& pattern) {
    switch (pattern.kind) {
      case TypePattern::Kind::Letter: {
        auto known = state.types.find(pattern.letter);
        return known == state.types.end() ? Type() : known->second;
      }
      case TypePattern::Kind::Scalar: return scalar_type(pattern.scalar);
      case TypePattern::Kind::Vector: {
        auto known = state.types.find(pattern.letter);
        Expr width = evaluate(pattern.size[0], state.sizes);
        if (known == state.types.end() || !width) return {};
        return vector_type(known->second->scalar, width);
      }
      case TypePattern::Kind::Array: {
        Type element = instantiate(pattern.elements[0]);
        Expr length = evaluate(pattern.size[0], state.sizes);
        if (!element || !length) return {};
        return array_type(length, element);
      }
      case TypePattern::Kind::Tuple: {
        std::vector<Type> components;
        for (const TypePattern& each : pattern.elements) {
          components.push_back(instantiate(each));
          if (!components.back()) return {};
        }
        return tuple_type(std::move(components));
      }
    }
    return {};
  }
};

}  // namespace

Result<void> CallTyping::give_data(std::size_t argument, Type type) {
  State& state = *state_;
  state.data[argument] = type;
  if (is_function(type)) return user_error(state.name() + ": the " + ordinal(argument) + " argument must be data, but it is a function");
  if (state.arguments[argument].kind == ArgumentKind::Index) {
    if (is_scalar(type) && is_integer(type->scalar)) return {};
    return user_error(state.name() + ": the index must be an integer, but it is " + to_string(type), {},
                      is_scalar(type) ? "convert it: i32(...)" : "");
  }
  if (state.op == Op::Zip) {
    if (!is_array(type)) {
      return user_error("zip: the " + ordinal(argument) + " argument must be an array, but it is " + to_string(type));
    }
    for (std::size_t i = 0; i < argument; ++i) {
      if (!state.data[i] || arith::equal(state.data[i]->size, type->size) == Truth::Yes) continue;
      return user_error("zip: the " + ordinal(i) + " array has " + sized(state.data[i]->size) + " elements, the " +
                        ordinal(argument) + " " + sized(type->size) + "; they must be equal");
    }
    return {};
  }
  if (state.op == Op::Unzip) {
    if (is_array(type) && is_tuple(element_of(type))) return {};
    return user_error("unzip: the argument must be an array of tuples, but it is " + to_string(type));
  }
  if (state.op == Op::Iterate) return {};
  return Matcher{state, argument}.type(state.scheme->data[argument], type, type);
}

Result<std::vector<Type>> CallTyping::function_parameters(std::size_t argument) {
  State& state = *state_;
  if (state.op == Op::Iterate) {
    Type start = state.data.back();
    if (!start) return user_error("iterate: its last argument is missing");
    if (!is_array(start)) return std::vector<Type>{start};
    // A name of its own until `call` gives the canonical one.
    static std::atomic<std::uint64_t> next{0};
    if (!state.length) state.length = arith::size("$new" + std::to_string(next++));
    return std::vector<Type>{array_type(state.length, element_of(start))};
  }
  std::vector<Type> result;
  for (const TypePattern& pattern : state.scheme->functions[argument].parameters) {
    Type type = Matcher{state, argument}.instantiate(pattern);
    if (!type) return user_error(state.name() + ": the types of its data are not known before its function's");
    result.push_back(type);
  }
  return result;
}

Result<void> CallTyping::give_function(std::size_t argument, Type function) {
  State& state = *state_;
  if (!is_function(function)) {
    return user_error(state.name() + ": the argument " + state.arguments[argument].name + " must be a function, but it is " +
                      to_string(function));
  }
  state.functions[argument] = function;
  Type given = function->elements.back();
  if (state.op == Op::Iterate) {
    Type start = state.data.back();
    if (function->elements.size() != 2) return user_error("iterate: its function takes one argument");
    if (is_array(start) && is_array(function->elements[0])) state.length = function->elements[0]->size;
    return {};
  }
  auto parameters = function_parameters(argument);
  if (!parameters) return tl::unexpected(parameters.error());
  if (parameters->size() + 1 != function->elements.size()) {
    return user_error(state.name() + ": its function takes " + std::to_string(parameters->size()) + " argument" +
                      (parameters->size() == 1 ? "" : "s") + ", but this one takes " +
                      std::to_string(function->elements.size() - 1));
  }
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    if (!Matcher::same_type((*parameters)[i], function->elements[i])) {
      return user_error(state.name() + ": its function is given " + to_string((*parameters)[i]) + ", but takes " +
                        to_string(function->elements[i]));
    }
  }
  const TypePattern& wanted = state.scheme->functions[argument].result[0];
  Type expected = Matcher{state, argument}.instantiate(wanted);
  if (expected && !Matcher::same_type(expected, given)) {
    if (is_reduce(state.op) || is_scan(state.op)) {
      return user_error(state.name() + ": the operator gives " + to_string(given) + ", but the accumulator is " +
                        to_string(expected));
    }
    return user_error(state.name() + ": its function must give " + to_string(expected) + ", but gives " + to_string(given));
  }
  if (is_function(given)) return user_error(state.name() + ": its function must give data, not a function");
  if (!expected) state.types.emplace(wanted.letter, given);
  return {};
}

Result<Type> CallTyping::result() {
  State& state = *state_;
  if (state.op == Op::Zip) {
    if (state.data.size() < 2) return user_error("zip takes two arrays or more");
    std::vector<Type> elements;
    for (Type each : state.data) elements.push_back(element_of(each));
    return array_type(state.data[0]->size, tuple_type(std::move(elements)));
  }
  if (state.op == Op::Unzip) {
    Type array = state.data[0];
    std::vector<Type> components;
    for (Type each : element_of(array)->elements) components.push_back(array_type(array->size, each));
    return tuple_type(std::move(components));
  }
  if (state.op == Op::Iterate) {
    Type start = state.data.back(), function = state.functions[1];
    Type parameter = function->elements[0], given = function->elements[1];
    Expr count = state.static_values[0];
    if (!is_array(start)) {
      if (parameter == start && given == start) return start;
      return user_error("iterate: its function must give what it takes, " + to_string(start) + ", but gives " + to_string(given));
    }
    Type element = element_of(start);
    bool fits = is_array(parameter) && is_array(given) && Matcher::same_type(element_of(parameter), element) &&
                Matcher::same_type(element_of(given), element);
    if (!fits) {
      return user_error("iterate: its function must give an array of " + to_string(element) + ", but gives " + to_string(given));
    }
    Expr k = parameter->size, next = given->size, n = start->size;
    if (next == k) return start;
    if (!arith::contains(next, k)) {
      if (next == n && arith::equal(k, n) == Truth::Yes) return start;
      if (next == n) return start;
      return user_error("iterate: its function takes " + sized(n) + " elements, but gives " + sized(next));
    }
    if (next->kind == arith::Kind::ExactQuotient && next->operands[0] == k) {
      Expr factor = arith::power(next->operands[1], count);
      if (arith::divides(factor, n) == Truth::No) {
        return user_error("iterate: " + sized(count) + " steps divide the length by " + sized(factor) +
                          ", which does not divide " + sized(n));
      }
      if (arith::divides(factor, n) == Truth::Unknown) {
        state.assumptions.push_back({{arith::Relation::Equal, n % factor, 0},
                                     "iterate: " + sized(factor) + " must divide " + sized(n)});
      }
      return array_type(arith::exact_quotient(n, factor), element);
    }
    Expr ratio = arith::exact_quotient(next, k);
    if (!arith::contains(ratio, k)) return array_type(n * arith::power(ratio, count), element);
    Expr difference = next - k;
    if (!arith::contains(difference, k)) return array_type(n + difference * count, element);
    return user_error("iterate: a length that changes from " + sized(k) + " to " + sized(next) + " is not supported", {},
                      "multiply, divide, or add a constant");
  }
  for (const Condition& condition : state.scheme->conditions) {
    Expr left = state.sizes.at(condition.left), right = state.sizes.at(condition.right);
    if (condition.kind == Condition::Kind::Divides) {
      Truth truth = arith::divides(left, right);
      if (truth == Truth::No) return user_error(state.name() + ": " + sized(left) + " does not divide " + sized(right));
      if (truth == Truth::Unknown) {
        state.assumptions.push_back({{arith::Relation::Equal, right % left, 0},
                                     state.name() + ": " + sized(left) + " must divide " + sized(right)});
      }
    } else {
      Truth truth = arith::less_equal(left, right);
      if (truth == Truth::No) {
        return user_error(state.name() + ": " + sized(left) + " is more than the " + sized(right) + " elements there are");
      }
      if (truth == Truth::Unknown) {
        state.assumptions.push_back({{arith::Relation::LessEqual, left, right},
                                     state.name() + ": " + sized(left) + " must be at most " + sized(right)});
      }
    }
  }
  for (std::size_t i = 0; i < state.arguments.size(); ++i) {
    if (state.arguments[i].kind != ArgumentKind::Dimension) continue;
    auto value = state.sizes.at(state.arguments[i].name).constant();
    if (!value || *value < 0 || *value > 2) return user_error(state.name() + ": a dimension is 0, 1 or 2");
  }
  Type type = Matcher{state, 0}.instantiate(state.scheme->result[0]);
  if (!type) return user_error(state.name() + ": an argument is missing");
  return type;
}

const std::vector<SizeAssumption>& CallTyping::assumptions() const { return state_->assumptions; }

std::vector<Expr> CallTyping::static_arguments() const {
  std::vector<Expr> values = state_->static_values;
  if (state_->op == Op::Iterate && state_->length) values.push_back(state_->length);
  return values;
}

}  // namespace hoist::ir
