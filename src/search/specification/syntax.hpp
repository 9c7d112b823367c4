#pragma once
// What a specification file of a search says: steps, each with the values that its parameters take (Garvey
// and Abdelrahman, A strategy for automatic performance tuning of stencil computations on GPUs, Scientific
// Programming 2018, section 7.3). docs/search.md has the grammar.
//
//   set n = 2;                        a setting, which the user may give another value
//   WX=1:NX:*2, CX=1:NX/WX:*2;        a step: all combinations of these values are tried
//   repeat n { WY=1:NY:*2; }          steps again
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/span.hpp"

namespace hoist::search::specification {

enum class Operator : std::uint8_t {
  Negate,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Least,
  Most,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
};
/// "+", "min", "<=".
std::string_view text_of(Operator operation);

struct Expression {
  enum class Kind : std::uint8_t {
    Number,
    Name,       ///< not bound yet: a setting, a word of one, a size or a parameter
    Value,      ///< the value of a parameter in the configuration at hand
    Best,       ///< its value in the best configuration so far
    Operation,  ///< of one operand (Negate) or two
  };
  Kind kind = Kind::Number;
  Span span;
  std::int64_t number = 0;  ///< of Number
  std::string name = {};    ///< of Name, Value, Best
  std::size_t place = 0;    ///< of Value and Best, among the space's names, once it is bound
  Operator operation = Operator::Add;
  std::vector<Expression> operands = {};
};

/// from, from + step, from + 2 step, ... up to `to`; or from, from * step, ...
struct Range {
  Expression from, to, step;
  bool multiplies = false;
  Span span = {};
};

/// NAME = expression, range, or a sample of a range.
struct Assignment {
  std::string name;
  Span name_span;
  std::size_t place = 0;  ///< among the space's names, once it is bound
  std::variant<Expression, Range> values;
  std::optional<Expression> sampled = {};  ///< how many of the range are drawn; nothing: all
};

/// Configurations in which it is 0 are none of the step.
struct Condition {
  Expression expression;
};

/// All combinations of values, in the order in which they are written. What it does not mention keeps the
/// value of the best configuration so far.
struct Step {
  /// How many of its configurations are drawn; nothing: all. Where the step assigns nothing they are drawn
  /// from the whole space.
  std::optional<Expression> sampled = {};
  std::vector<std::variant<Assignment, Condition>> parts = {};
  Span span = {};
};

struct Item;
/// Ends earlier when a round tries nothing that was not tried before.
struct Repetition {
  Expression count;
  std::vector<Item> items;
  Span span = {};
};
struct Item {
  std::variant<Step, Repetition> content;
};

/// A value that whoever calls may choose: a number, or one of several words, of which the first is taken.
struct Setting {
  std::string name;
  Span span;
  std::optional<Expression> value = {};
  std::vector<std::string> words = {};
};

struct Specification {
  std::vector<Setting> settings;
  std::vector<Item> items;
};

/// More faults of a text than these help nobody: the first have to be mended anyway.
inline constexpr std::size_t most_faults = 50;

/// Reads the text of a specification. User errors, with places in the text: what does not follow the grammar.
Result<Specification> parse(const Source& source);
/// As text that parses to the same.
std::string to_string(const Specification& specification);

}  // namespace hoist::search::specification
