#pragma once
// Type schemes of the primitive table, parsed once: they give a call's type, the types that a function
// argument's parameters must have, and what the sizes must satisfy.
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ir/node.hpp"
#include "ir/scheme_parse.hpp"
#include "ir/size_assumption.hpp"

namespace hoist::ir {

/// Incremental inference of one call: give what is known, in any order; ask for the types of functions'
/// parameters when the data arguments are in. Zip, unzip and iterate, whose types a scheme cannot say, are
/// handled here too.
class CallTyping {
 public:
  explicit CallTyping(Op op, std::size_t data_arguments);
  ~CallTyping();
  CallTyping(CallTyping&&) noexcept;

  const std::vector<SchemeArgument>& arguments() const;
  void give_static(std::size_t argument, arith::Expr value);
  /// User error naming the primitive, what it wants and what it got:
  /// "zip: the first array has M elements, the second N; they must be equal". Lengths that iterate binds
  /// read k.
  Result<void> give_data(std::size_t argument, Type type);
  /// The parameter types of the function argument at this position, or an error that says what is missing.
  Result<std::vector<Type>> function_parameters(std::size_t argument);
  Result<void> give_function(std::size_t argument, Type function);
  /// The type of the call once everything is given. Conditions ("where s divides n") that are provably false
  /// are errors; the unproven become assumptions.
  Result<Type> result();
  const std::vector<SizeAssumption>& assumptions() const;
  bool has_assumptions() const;
  /// The static arguments in order as `Call::sizes` wants them (iterate on an array adds the length that its
  /// function is typed with).
  std::vector<arith::Expr> static_arguments() const;

  struct State;  ///< what is known so far; only scheme.cpp looks inside

 private:
  std::unique_ptr<State> state_;
};

}  // namespace hoist::ir
