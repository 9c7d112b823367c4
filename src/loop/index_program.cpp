#include "loop/index_program.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace hoist::loop {
namespace {

using Code = IndexProgram::Code;

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return no_value;
  std::int64_t result = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) return out_of_range;
    if (result == 0 || result == 1) break;  // 0 and 1 stay
    if (result == -1 && base == -1) return (exponent - 1) % 2 == 0 ? -1 : 1;
  }
  return result;
}

/// C's meaning; both operands are valid.
std::int64_t binary(Code code, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (code) {
    case Code::Add:
      return __builtin_add_overflow(a, b, &result) ? out_of_range : result;
    case Code::Multiply:
      return __builtin_mul_overflow(a, b, &result) ? out_of_range : result;
    case Code::Quotient:
      return b == 0 ? no_value : a / b;  // INT64_MIN is not valid, so this cannot overflow
    case Code::Remainder:
      return b == 0 ? no_value : a % b;
    case Code::CeilingQuotient:
      return b == 0 ? no_value : a / b + (a % b != 0 && (a > 0) == (b > 0) ? 1 : 0);
    case Code::Power:
      return power(a, b);
    case Code::Minimum:
      return std::min(a, b);
    case Code::Maximum:
      return std::max(a, b);
    default:
      throw Bug("not a binary instruction of index expressions");
  }
}

}  // namespace

bool holds(arith::Relation relation, std::int64_t left, std::int64_t right) {
  switch (relation) {
    case arith::Relation::Less:
      return left < right;
    case arith::Relation::LessEqual:
      return left <= right;
    case arith::Relation::Equal:
      return left == right;
    case arith::Relation::NotEqual:
      return left != right;
  }
  return false;
}

IndexProgram::IndexProgram(arith::Expr e, std::int64_t smallest, std::int64_t largest, const Resolve& resolve)
    : smallest_(smallest), largest_(largest) {
  compile(e, resolve);
  done_.clear();
}

std::int32_t IndexProgram::add(Instruction instruction) {
  // Where all operands are constants the result is one: sizes are bound, so much of an index is known.
  const bool is_binary = instruction.code != Code::Constant && instruction.code != Code::Column &&
                         instruction.code != Code::Conditional;
  if (is_binary) {
    const Instruction& left = code_[static_cast<std::size_t>(instruction.left)];
    const Instruction& right = code_[static_cast<std::size_t>(instruction.right)];
    if (left.code == Code::Constant && right.code == Code::Constant) {
      const bool is_known = is_valid(left.constant) && is_valid(right.constant);
      const std::int64_t folded = is_known ? binary(instruction.code, left.constant, right.constant)
                                           : std::min(left.constant, right.constant);
      instruction = {Code::Constant, {}, instruction.is_checked, 0, 0, 0, 0, folded};
    }
  }
  if (instruction.code == Code::Constant && instruction.is_checked) {
    instruction.constant = in_range(instruction.constant);
  }
  code_.push_back(instruction);
  return static_cast<std::int32_t>(code_.size()) - 1;
}

std::int32_t IndexProgram::fold(Code code, std::span<const arith::Expr> operands, const Resolve& resolve) {
  std::int32_t result = compile(operands[0], resolve);
  for (std::size_t at = 1; at < operands.size(); ++at) {
    // The parts of a sum may be added in any order: only the whole has to be in range.
    const bool is_last = at + 1 == operands.size();
    const std::int32_t right = compile(operands[at], resolve);
    result = add({code, {}, is_last, result, right, 0, 0, 0});
  }
  return result;
}

std::int32_t IndexProgram::compile(arith::Expr e, const Resolve& resolve) {
  if (const auto found = done_.find(e.get()); found != done_.end()) return found->second;
  std::int32_t result = 0;
  switch (e.kind()) {
    case arith::Kind::Constant:
      result = add({Code::Constant, {}, true, 0, 0, 0, 0, e->value});
      break;
    case arith::Kind::Variable: {
      const Binding place = resolve(e);
      result = place.is_constant ? add({Code::Constant, {}, true, 0, 0, 0, 0, place.constant})
                                 : add({Code::Column, {}, true, place.column, 0, 0, 0, 0});
      break;
    }
    case arith::Kind::Sum:
      result = fold(Code::Add, e->operands, resolve);
      break;
    case arith::Kind::Product:
      result = fold(Code::Multiply, e->operands, resolve);
      break;
    case arith::Kind::Quotient:
    case arith::Kind::ExactQuotient:
      result = fold(Code::Quotient, e->operands, resolve);
      break;
    case arith::Kind::Remainder:
      result = fold(Code::Remainder, e->operands, resolve);
      break;
    case arith::Kind::CeilingQuotient:
      result = fold(Code::CeilingQuotient, e->operands, resolve);
      break;
    case arith::Kind::Power:
      result = fold(Code::Power, e->operands, resolve);
      break;
    case arith::Kind::Minimum:
      result = fold(Code::Minimum, e->operands, resolve);
      break;
    case arith::Kind::Maximum:
      result = fold(Code::Maximum, e->operands, resolve);
      break;
    case arith::Kind::Conditional: {
      Instruction choice;
      choice.code = Code::Conditional;
      choice.relation = e->predicate.relation;
      choice.test_left = compile(e->predicate.left, resolve);
      choice.test_right = compile(e->predicate.right, resolve);
      choice.left = compile(e->operands[0], resolve);
      choice.right = compile(e->operands[1], resolve);
      result = add(choice);
      break;
    }
  }
  done_.emplace(e.get(), result);
  return result;
}

const std::int64_t* IndexProgram::evaluate(Lanes lanes, const std::int64_t* state, std::int64_t* scratch,
                                           std::size_t stride) const {
  std::int64_t* result = scratch;
  for (const Instruction& step : code_) {
    const std::int64_t* left = scratch + static_cast<std::size_t>(step.left) * stride;
    const std::int64_t* right = scratch + static_cast<std::size_t>(step.right) * stride;
    if (step.code == Code::Constant) {
      for (std::uint32_t lane : lanes) result[lane] = step.constant;
    } else if (step.code == Code::Column) {
      const std::int64_t* column = state + static_cast<std::size_t>(step.left) * stride;
      for (std::uint32_t lane : lanes) result[lane] = column[lane];
    } else if (step.code == Code::Conditional) {
      const std::int64_t* test_left = scratch + static_cast<std::size_t>(step.test_left) * stride;
      const std::int64_t* test_right = scratch + static_cast<std::size_t>(step.test_right) * stride;
      for (std::uint32_t lane : lanes) {
        const std::int64_t a = test_left[lane], b = test_right[lane];
        result[lane] = !is_valid(a) || !is_valid(b) ? std::min(a, b)
                       : holds(step.relation, a, b) ? left[lane]
                                                    : right[lane];
      }
    } else {
      for (std::uint32_t lane : lanes) {
        const std::int64_t a = left[lane], b = right[lane];
        result[lane] = is_valid(a) && is_valid(b) ? binary(step.code, a, b) : std::min(a, b);
      }
    }
    if (step.is_checked) {
      for (std::uint32_t lane : lanes) result[lane] = in_range(result[lane]);
    }
    result += stride;
  }
  return result - stride;
}

}  // namespace hoist::loop
