#pragma once
// Reading values and index expressions of loop IR (their grammar: syntax.hpp).
#include <optional>
#include <unordered_map>
#include <utility>

#include "arith/parse.hpp"
#include "loop/text_reader.hpp"
#include "loop/value.hpp"

namespace hoist::loop {

/// "f32", "f32x4".
std::optional<ValueType> type_named(std::string_view word);

class ValueReader : public TextReader {
 public:
  using TextReader::TextReader;

 protected:
  /// A value whose infix operations bind at least so tightly.
  ValuePtr value(int precedence = 1);
  /// "[index]" or "[index +: width]".
  std::pair<arith::Expr, int> place();
  /// Up to one of the characters `stops` (or "+:") outside parentheses; "_" is the empty expression.
  arith::Expr expr(std::string_view stops);
  /// A number, a name or a parenthesised expression.
  arith::Expr atom();
  arith::Predicate predicate(std::string_view stops);
  BufferPtr known_buffer();

  // What has been declared, by name.
  arith::Scope scope_;
  std::unordered_map<std::string, VariablePtr> variables_;
  std::unordered_map<std::string, BufferPtr> buffers_;

 private:
  ValuePtr postfix();
  ValuePtr primary();
  ValuePtr call(std::size_t begin, std::string_view word);
  /// The infix operation that comes next, not read; the longest symbol wins.
  std::optional<ScalarOp> infix();
  /// "1.5", "2f64", "true", "7u8", "-inf_f32"; nullopt, with nothing read, where there is none.
  std::optional<ScalarValue> literal_scalar();
  ScalarValue number(std::size_t begin);
  /// Makes a value; what its constructor refuses is an error in the text from `begin` on.
  template <class Make>
  ValuePtr checked(std::size_t begin, Make&& make);
  arith::Expr parsed(std::size_t begin, std::size_t end);
  void skip_to(std::string_view stops);
};

}  // namespace hoist::loop
