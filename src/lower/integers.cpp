// Integers that a program computes: where they become indices and tests of indices, which do not wrap as they do, and where
// they have no value.
#include <algorithm>

#include "lower/to_loops.hpp"

namespace hoist::lower {

using loop::AddressSpace;
using loop::ValuePtr;

namespace {

/// Whether an integer that was computed with this result has it as an index expression, too, which does not wrap. What depends
/// on sizes that are not known is taken not to add up to more than the largest integer.
bool is_exact(ScalarOp op, Scalar type, arith::Expr result) {
  const arith::Expr lower = arith::lower_bound(result), upper = arith::upper_bound(result);
  if (!lower || !upper) return false;
  const auto least = lower.constant(), most = upper.constant();
  if (least && most) return smallest(type) <= *least && *most <= largest(type);
  return op == ScalarOp::Add || op == ScalarOp::Subtract;
}

/// An integer as an index expression, if it is known to be the same: sums and products of index expressions that do not wrap.
std::optional<arith::Expr> exact_index(const ValuePtr& value) {
  if (auto* index = std::get_if<loop::IndexValue>(&value->node)) return index->expr;
  if (auto* literal = std::get_if<loop::Literal>(&value->node)) return arith::constant(literal->value.integer);
  auto* operation = std::get_if<loop::Operation>(&value->node);
  if (!operation || operation->operands.size() != 2) return std::nullopt;
  const auto a = exact_index(operation->operands[0]), b = exact_index(operation->operands[1]);
  if (!a || !b) return std::nullopt;
  arith::Expr result;
  switch (operation->op) {
    case ScalarOp::Add: result = *a + *b; break;
    case ScalarOp::Subtract: result = *a - *b; break;
    case ScalarOp::Multiply: result = *a * *b; break;
    default: return std::nullopt;
  }
  return is_exact(operation->op, value->type.scalar, result) ? std::optional(result) : std::nullopt;
}

/// Whether an index expression of the value has no part that may wrap where the value does.
bool is_index_alike(const ValuePtr& value) {
  if (exact_index(value) || std::holds_alternative<loop::Reference>(value->node)) return true;
  auto* operation = std::get_if<loop::Operation>(&value->node);
  return operation && (operation->op == ScalarOp::Divide || operation->op == ScalarOp::Remainder ||
                       operation->op == ScalarOp::Minimum || operation->op == ScalarOp::Maximum);
}

}  // namespace

ValuePtr ToLoops::as_test(ValuePtr condition) {
  auto* operation = std::get_if<loop::Operation>(&condition->node);
  if (!operation || condition->type.width != 1 || operation->operands.size() != 2) return condition;
  if (operation->operands[0]->type.scalar != Scalar::I32) return condition;
  const auto a = exact_index(operation->operands[0]), b = exact_index(operation->operands[1]);
  if (!a || !b) return condition;
  switch (operation->op) {
    case ScalarOp::Less: return loop::test({arith::Relation::Less, *a, *b});
    case ScalarOp::LessEqual: return loop::test({arith::Relation::LessEqual, *a, *b});
    case ScalarOp::Greater: return loop::test({arith::Relation::Less, *b, *a});
    case ScalarOp::GreaterEqual: return loop::test({arith::Relation::LessEqual, *b, *a});
    case ScalarOp::Equal: return loop::test({arith::Relation::Equal, *a, *b});
    case ScalarOp::NotEqual: return loop::test({arith::Relation::NotEqual, *a, *b});
    default: return condition;
  }
}

namespace {

bool loads_memory(const ValuePtr& root) {
  bool found = false;
  loop::for_each_value(root, [&](const ValuePtr& value) { found |= std::holds_alternative<loop::Load>(value->node); });
  return found;
}

}  // namespace

arith::Expr ToLoops::unchecked_index(const ValuePtr& value, arith::Expr length) {
  if (auto* index = std::get_if<loop::IndexValue>(&value->node)) return index->expr;
  if (auto* literal = std::get_if<loop::Literal>(&value->node)) return arith::constant(literal->value.integer);
  // Index expressions do not wrap as narrow and unsigned integers do.
  auto is_as_index = [](const ValuePtr& v) { return v->type.scalar == Scalar::I32 || v->type.scalar == Scalar::I64; };
  if (auto* operation = std::get_if<loop::Operation>(&value->node);
      operation && operation->operands.size() == 2 && is_as_index(value)) {
    const ValuePtr &first = operation->operands[0], &second = operation->operands[1];
    auto both = [&](auto make) {
      arith::Expr a = unchecked_index(first);
      return make(a, unchecked_index(second));
    };
    // Where a sum or a product wraps, the index is outside of the array either way. What is computed of it further is not.
    auto whole = [&](const ValuePtr& operand) {
      return is_index_alike(operand) ? unchecked_index(operand) : index_variable(operand, {});
    };
    using E = arith::Expr;
    const auto divisor = exact_index(second);
    const bool is_divisor = divisor && arith::is_less(0, *divisor);
    switch (operation->op) {
      case ScalarOp::Add: return both([](E a, E b) { return a + b; });
      case ScalarOp::Subtract: return both([](E a, E b) { return a - b; });
      case ScalarOp::Multiply: return both([](E a, E b) { return a * b; });
      case ScalarOp::Divide:
        if (is_divisor) return whole(first) / *divisor;
        break;
      case ScalarOp::Remainder:
        if (is_divisor) return whole(first) % *divisor;
        break;
      case ScalarOp::Minimum: {
        const E a = whole(first);
        return arith::minimum(a, whole(second));
      }
      case ScalarOp::Maximum: {
        const E a = whole(first);
        return arith::maximum(a, whole(second));
      }
      default: break;
    }
  }
  if (auto* select = std::get_if<loop::Operation>(&value->node); select && select->op == ScalarOp::Select) {
    // What a condition guards stays behind it: a load that is bound to a variable would be done in any case.
    bool is_guard = loads_memory(select->operands[1]) || loads_memory(select->operands[2]);
    auto* condition = std::get_if<loop::Test>(&select->operands[0]->node);
    if (condition && !is_guard && is_as_index(value)) {
      return arith::conditional(condition->predicate, unchecked_index(select->operands[1]), unchecked_index(select->operands[2]));
    }
  }
  if (auto* cast = std::get_if<loop::Cast>(&value->node);
      cast && (is_as_index(cast->operand) || is_narrow(cast->operand->type.scalar))) {
    return unchecked_index(cast->operand, length);
  }
  if (auto* reference = std::get_if<loop::Reference>(&value->node); reference && !reference->variable->is_mutable) {
    auto known = index_of_.find(reference->variable.get());
    if (known != index_of_.end()) return known->second;
  }
  return index_variable(value, length);
}

arith::Expr ToLoops::index_variable(const ValuePtr& value, arith::Expr length) {
  auto variable = std::make_shared<loop::Variable>(
      loop::Variable{names_.fresh("j"), {size_of(value->type.scalar) == 8 ? Scalar::I64 : Scalar::I32, 1}, false});
  // With checks on, nothing is assumed that the check is to find out.
  arith::Expr index = length && !options_.check_indices ? arith::data(variable->name, 0, length)
                                                        : arith::data(variable->name);
  emit({loop::Let{variable, loop::cast(value, variable->type.scalar), index}});
  index_of_.emplace(variable.get(), index);
  return index;
}

arith::Expr ToLoops::checked(arith::Expr index, arith::Expr length) {
  if (!options_.check_indices) return index;
  bool is_not_negative = arith::is_less_equal(0, index), is_below = arith::is_less(index, length);
  if (is_not_negative && is_below) return index;
  ValuePtr outside = is_below         ? loop::test({arith::Relation::Less, index, 0})
                     : is_not_negative ? loop::test({arith::Relation::LessEqual, length, index})
                                       : loop::operation(ScalarOp::Or,
                                                         {loop::test({arith::Relation::Less, index, 0}),
                                                          loop::test({arith::Relation::LessEqual, length, index})});
  raise(Fault::IndexOutside, outside);
  return arith::minimum(arith::maximum(index, 0), length - 1);
}

void ToLoops::raise(Fault fault, const ValuePtr& condition) {
  if (!faults_) {
    faults_ = std::make_shared<loop::Buffer>(
        loop::Buffer{std::string(fault_flag), {Scalar::I32, 1}, AddressSpace::Global, 1});
  }
  loop::If raise;
  raise.condition = condition;
  const auto code = ScalarValue::of_integer(Scalar::I32, static_cast<std::int64_t>(fault));
  raise.then_body.push_back({loop::Store{faults_, 0, loop::literal(code)}});
  emit({std::move(raise)});
}

namespace {

/// Whether an operation on integers may have no value, by its second operand: a divisor of 0, a shift by no less than the
/// width, a negative power.
bool may_lack_value(ScalarOp op, const ValuePtr& operand) {
  if (!is_integer(operand->type.scalar)) return false;
  const auto* literal = std::get_if<loop::Literal>(&operand->node);
  const auto* index = std::get_if<loop::IndexValue>(&operand->node);
  const auto bits = static_cast<std::int64_t>(8 * size_of(operand->type.scalar));
  switch (op) {
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      if (literal) return literal->value.integer == 0;
      return !(index && arith::is_less(0, index->expr));
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRight:
      if (literal) return literal->value.integer < 0 || literal->value.integer >= bits;
      return !(index && arith::is_less_equal(0, index->expr) && arith::is_less(index->expr, bits));
    case ScalarOp::Power:
      if (literal) return literal->value.integer < 0;
      return is_signed(operand->type.scalar) && !(index && arith::is_less_equal(0, index->expr));
    default:
      return false;
  }
}

/// The same as a test of a scalar.
ValuePtr lacks_value(ScalarOp op, const ValuePtr& operand) {
  const Scalar type = operand->type.scalar;
  auto compared = [&](ScalarOp comparison, std::int64_t with) {
    return loop::operation(comparison, {operand, loop::literal(ScalarValue::of_integer(type, with))});
  };
  if (op == ScalarOp::Divide || op == ScalarOp::Remainder) return compared(ScalarOp::Equal, 0);
  if (op == ScalarOp::Power) return compared(ScalarOp::Less, 0);
  const ValuePtr is_long = compared(ScalarOp::GreaterEqual, static_cast<std::int64_t>(8 * size_of(type)));
  return is_signed(type) ? loop::operation(ScalarOp::Or, {compared(ScalarOp::Less, 0), is_long}) : is_long;
}

}  // namespace

ValuePtr ToLoops::operation(ScalarOp op, std::vector<ValuePtr> operands) {
  if (options_.check_indices && operands.size() == 2 && may_lack_value(op, operands[1])) {
    ValuePtr& operand = operands[1];
    if (!is_trivial(operand)) operand = loop::reference(declare("v", operand->type, operand, false));
    ValuePtr condition;
    for (int lane = 0; lane < operand->type.width; ++lane) {
      const ValuePtr own = lacks_value(op, operand->type.width == 1 ? operand : loop::component(operand, lane));
      condition = condition ? loop::operation(ScalarOp::Or, {condition, own}) : own;
    }
    raise(Fault::NoValue, condition);
  }
  return loop::operation(op, std::move(operands));
}

}  // namespace hoist::lower
