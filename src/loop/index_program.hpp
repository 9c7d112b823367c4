#pragma once
// Index expressions prepared for the interpreter: straight-line code over one column of integers per step.
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "arith/expr.hpp"

namespace hoist::loop {

/// The work-items that execute something, by their flat number in the group.
using Lanes = std::span<const std::uint32_t>;

/// Stand for results that are not integers; everything computed from one is one.
inline constexpr std::int64_t no_value = INT64_MIN;          ///< division by zero
inline constexpr std::int64_t out_of_range = INT64_MIN + 1;  ///< left the range of the index type
inline bool is_valid(std::int64_t value) { return value > out_of_range; }

/// One expression with everything that is known bound: variables are columns of the interpreter's state, one
/// integer a work-item.
class IndexProgram {
 public:
  enum class Code : std::uint8_t {
    Constant,
    Column,  ///< copies the state's column `left`
    Add,
    Multiply,
    Quotient,
    Remainder,
    CeilingQuotient,
    Power,
    Minimum,
    Maximum,
    Conditional,  ///< relation(test_left, test_right) ? left : right
  };
  struct Instruction {
    Code code = Code::Constant;
    arith::Relation relation = arith::Relation::Less;
    bool is_checked = true;  ///< whether the result must be in the index type's range
    std::int32_t left = 0, right = 0, test_left = 0, test_right = 0;  ///< earlier instructions
    std::int64_t constant = 0;
  };

  /// What a variable is: a constant or a column of the state.
  struct Binding {
    bool is_constant = false;
    std::int64_t constant = 0;
    std::int32_t column = 0;
  };
  using Resolve = std::function<Binding(arith::Expr variable)>;

  IndexProgram() = default;
  /// `smallest` and `largest` bound what the index type holds.
  IndexProgram(arith::Expr e, std::int64_t smallest, std::int64_t largest, const Resolve& resolve);

  /// Scratch columns that evaluate() needs.
  std::size_t columns() const { return code_.size(); }

  /// Computes the value for each of `lanes`; gives the column that holds it, valid until the next call with
  /// the same scratch memory. `state` and `scratch` are columns of `stride` integers.
  const std::int64_t* evaluate(Lanes lanes, const std::int64_t* state, std::int64_t* scratch,
                               std::size_t stride) const;

 private:
  std::int32_t compile(arith::Expr e, const Resolve& resolve);
  std::int32_t fold(IndexProgram::Code code, std::span<const arith::Expr> operands, const Resolve& resolve);
  std::int32_t add(Instruction instruction);
  std::int64_t in_range(std::int64_t value) const {
    return is_valid(value) && (value < smallest_ || value > largest_) ? out_of_range : value;
  }

  std::int64_t smallest_ = 0, largest_ = 0;
  std::vector<Instruction> code_;
  std::unordered_map<const arith::Node*, std::int32_t> done_;
};

/// Whether the relation holds.
bool holds(arith::Relation relation, std::int64_t left, std::int64_t right);

}  // namespace hoist::loop
