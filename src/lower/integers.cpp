// Integers that a program computes: where they become indices and tests of indices, which do not wrap as they
// do, and where they have no value.
#include <algorithm>

#include "lower/to_loops.hpp"

namespace hoist::lower {

using loop::AddressSpace;
using loop::ValuePtr;

namespace {

/// Whether an integer that was computed with this result has it as an index expression, too, which does not
/// wrap. What depends on sizes that are not known is taken not to add up to more than the largest integer.
bool is_exact(ScalarOp op, Scalar type, arith::Expr result) {
  const arith::Expr lower = arith::lower_bound(result), upper = arith::upper_bound(result);
  if (!lower || !upper) return false;
  const auto least = lower.constant(), most = upper.constant();
  if (least && most) return smallest(type) <= *least && *most <= largest(type);
  return op == ScalarOp::Add || op == ScalarOp::Subtract;
}

/// What is known of a variable as an index expression.
using IndexOf = std::unordered_map<loop::VariablePtr, arith::Expr>;

/// An integer as an index expression, if it is known to be the same: sums and products of index expressions
/// that do not wrap, the least and largest of them, and parts of them.
std::optional<arith::Expr> exact_index(const ValuePtr& value, const IndexOf& variables = {}) {
  if (auto* index = std::get_if<loop::IndexValue>(&value->node)) return index->expr;
  if (auto* literal = std::get_if<loop::Literal>(&value->node))
    return arith::constant(literal->value.integer);
  if (auto* reference = std::get_if<loop::Reference>(&value->node)) {
    const auto known = variables.find(reference->variable);
    if (known != variables.end()) return known->second;
  }
  auto* operation = std::get_if<loop::Operation>(&value->node);
  if (!operation || operation->operands.size() != 2) return std::nullopt;
  const auto a = exact_index(operation->operands[0], variables),
             b = exact_index(operation->operands[1], variables);
  if (!a || !b) return std::nullopt;
  arith::Expr result;
  switch (operation->op) {
    case ScalarOp::Add:
      result = *a + *b;
      break;
    case ScalarOp::Subtract:
      result = *a - *b;
      break;
    case ScalarOp::Multiply:
      result = *a * *b;
      break;
    case ScalarOp::Minimum:
      return arith::minimum(*a, *b);
    case ScalarOp::Maximum:
      return arith::maximum(*a, *b);
    case ScalarOp::Divide:
      if (b->constant().value_or(0) < 1) return std::nullopt;
      return *a / *b;
    default:
      return std::nullopt;
  }
  return is_exact(operation->op, value->type.scalar, result) ? std::optional(result) : std::nullopt;
}

/// Whether an index expression of the value has no part that may wrap where the value does.
bool is_index_alike(const ValuePtr& value, const IndexOf& variables) {
  if (exact_index(value, variables) || std::holds_alternative<loop::Reference>(value->node)) return true;
  auto* operation = std::get_if<loop::Operation>(&value->node);
  return operation && (operation->op == ScalarOp::Divide || operation->op == ScalarOp::Remainder ||
                       operation->op == ScalarOp::Minimum || operation->op == ScalarOp::Maximum ||
                       operation->op == ScalarOp::Select);
}

/// Whether the value is another one when it is read later.
bool reads_mutable(const ValuePtr& root) {
  bool found = false;
  loop::for_each_value(root, [&](const ValuePtr& value) {
    auto* reference = std::get_if<loop::Reference>(&value->node);
    found |= reference && reference->variable->is_mutable;
  });
  return found;
}

/// Whether a conversion changes no integer.
bool keeps_all(Scalar from, Scalar to) {
  return smallest(to) <= smallest(from) && largest(from) <= largest(to);
}

/// Which numbers an index expression may be that an integer is read as, and what they depend on.
struct Extent {
  double low, high;
  enum { Constants, Sizes, Data } of;
};

Extent extent_of_type(Scalar type) {
  return {static_cast<double>(smallest(type)), static_cast<double>(largest(type)), Extent::Data};
}

/// Whether an index in this extent is outside of every array wherever the integer, which wraps, is another
/// number: from 2^32 on an i32 would be inside of arrays again, and so far below -2^31.
bool is_outside_where_it_wraps(const Extent& extent, Scalar type) {
  constexpr double slack = 1 << 20;  // no array has nearly 2^31 elements
  const Extent all = extent_of_type(type);
  return extent.low >= all.low - slack && extent.high <= 2 * all.high;
}

Extent index_extent(const ValuePtr& value, const IndexOf& variables);

/// The extent of a sum, a difference or a product as an index expression of its operands; nothing where that
/// is another number inside of an array. What depends on sizes that are not known is taken not to add up to
/// more than the largest integer.
std::optional<Extent> extent_by_operands(const loop::Operation& operation, Scalar type,
                                         const IndexOf& variables) {
  const Extent a = index_extent(operation.operands[0], variables),
               b = index_extent(operation.operands[1], variables);
  Extent result = extent_of_type(type);
  result.of = std::max(a.of, b.of);
  if (result.of == Extent::Sizes) return result;
  if (operation.op == ScalarOp::Multiply) {
    const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    result = {low, high, result.of};
  } else if (operation.op == ScalarOp::Add) {
    result = {a.low + b.low, a.high + b.high, result.of};
  } else {
    result = {a.low - b.high, a.high - b.low, result.of};
  }
  return is_outside_where_it_wraps(result, type) ? std::optional(result) : std::nullopt;
}

Extent index_extent(const ValuePtr& value, const IndexOf& variables) {
  const Scalar type = value->type.scalar;
  const Extent all = extent_of_type(type);
  if (auto* literal = std::get_if<loop::Literal>(&value->node)) {
    const auto number = static_cast<double>(literal->value.integer);
    return {number, number, Extent::Constants};
  }
  auto* index = std::get_if<loop::IndexValue>(&value->node);
  auto* reference = std::get_if<loop::Reference>(&value->node);
  const auto known = reference ? variables.find(reference->variable) : variables.end();
  if (index || known != variables.end()) {
    const arith::Expr expression = index ? index->expr : known->second;
    const arith::Expr lower = arith::lower_bound(expression), upper = arith::upper_bound(expression);
    if (!lower || !upper) return all;
    const auto least = lower.constant(), most = upper.constant();
    return {least ? static_cast<double>(*least) : all.low, most ? static_cast<double>(*most) : all.high,
            least && most ? Extent::Constants : Extent::Sizes};
  }
  auto* operation = std::get_if<loop::Operation>(&value->node);
  if (!operation || operation->operands.size() != 2) return all;
  switch (operation->op) {
    case ScalarOp::Add:
    case ScalarOp::Subtract:
    case ScalarOp::Multiply:
      return extent_by_operands(*operation, type, variables).value_or(all);
    case ScalarOp::Divide:
    case ScalarOp::Remainder: {
      const Extent a = index_extent(operation->operands[0], variables),
                   b = index_extent(operation->operands[1], variables);
      const auto of = std::max(a.of, b.of);
      if (of == Extent::Sizes || b.low < 1) return {all.low, all.high, of};
      const double most = operation->op == ScalarOp::Remainder ? b.high - 1 : all.high;
      return {std::max(std::min(a.low, 0.0), -most), std::min(std::max(a.high, 0.0), most), of};
    }
    case ScalarOp::Minimum:
    case ScalarOp::Maximum: {
      const Extent a = index_extent(operation->operands[0], variables),
                   b = index_extent(operation->operands[1], variables);
      const bool is_least = operation->op == ScalarOp::Minimum;
      return {is_least ? std::min(a.low, b.low) : std::max(a.low, b.low),
              is_least ? std::min(a.high, b.high) : std::max(a.high, b.high), std::max(a.of, b.of)};
    }
    default:
      return all;
  }
}

}  // namespace

ValuePtr ToLoops::as_test(ValuePtr condition) {
  auto* operation = std::get_if<loop::Operation>(&condition->node);
  if (operation && condition->type.width == 1 &&
      (operation->op == ScalarOp::And || operation->op == ScalarOp::Or)) {
    const ValuePtr a = as_test(operation->operands[0]), b = as_test(operation->operands[1]);
    // The side that says nothing: what is always true in a conjunction, what never is in a disjunction.
    const bool is_and = operation->op == ScalarOp::And;
    const auto says_nothing = [&](const ValuePtr& side) {
      auto* test = std::get_if<loop::Test>(&side->node);
      return test && arith::holds(test->predicate) == (is_and ? arith::Truth::Yes : arith::Truth::No);
    };
    return says_nothing(a) ? b : says_nothing(b) ? a : loop::operation(operation->op, {a, b});
  }
  if (!operation || condition->type.width != 1 || operation->operands.size() != 2) return condition;
  if (operation->operands[0]->type.scalar != Scalar::I32 || reads_mutable(condition)) return condition;
  const auto a = exact_index(operation->operands[0], index_of_),
             b = exact_index(operation->operands[1], index_of_);
  if (!a || !b) return condition;
  switch (operation->op) {
    case ScalarOp::Less:
      return loop::test({arith::Relation::Less, *a, *b});
    case ScalarOp::LessEqual:
      return loop::test({arith::Relation::LessEqual, *a, *b});
    case ScalarOp::Greater:
      return loop::test({arith::Relation::Less, *b, *a});
    case ScalarOp::GreaterEqual:
      return loop::test({arith::Relation::LessEqual, *b, *a});
    case ScalarOp::Equal:
      return loop::test({arith::Relation::Equal, *a, *b});
    case ScalarOp::NotEqual:
      return loop::test({arith::Relation::NotEqual, *a, *b});
    default:
      return condition;
  }
}

namespace {

bool loads_memory(const ValuePtr& root) {
  bool found = false;
  loop::for_each_value(
      root, [&](const ValuePtr& value) { found |= std::holds_alternative<loop::Load>(value->node); });
  return found;
}

}  // namespace

arith::Expr ToLoops::unchecked_index(const ValuePtr& value, arith::Expr length) {
  if (auto* index = std::get_if<loop::IndexValue>(&value->node)) return index->expr;
  if (auto* literal = std::get_if<loop::Literal>(&value->node))
    return arith::constant(literal->value.integer);
  // Index expressions do not wrap as narrow and unsigned integers do.
  auto is_as_index = [](const ValuePtr& v) {
    return v->type.scalar == Scalar::I32 || v->type.scalar == Scalar::I64;
  };
  if (auto* operation = std::get_if<loop::Operation>(&value->node);
      operation && operation->operands.size() == 2 && is_as_index(value)) {
    // Long integers are cut to numbers whose sums do not overflow, all of which but those in arrays are
    // outside of them.
    const bool keeps_order = operation->op == ScalarOp::Minimum || operation->op == ScalarOp::Maximum;
    if (value->type.scalar == Scalar::I64 && !keeps_order && !exact_index(value, index_of_))
      return index_variable(value, length);
    const ValuePtr &first = operation->operands[0], &second = operation->operands[1];
    auto both = [&](auto make) {
      if (!extent_by_operands(*operation, value->type.scalar, index_of_))
        return index_variable(value, length);
      arith::Expr a = unchecked_index(first);
      return make(a, unchecked_index(second));
    };
    using E = arith::Expr;
    const auto divisor = exact_index(second, index_of_);
    const bool is_divisor = divisor && arith::is_less(0, *divisor);
    switch (operation->op) {
      case ScalarOp::Add:
        return both([](E a, E b) { return a + b; });
      case ScalarOp::Subtract:
        return both([](E a, E b) { return a - b; });
      case ScalarOp::Multiply:
        return both([](E a, E b) { return a * b; });
      case ScalarOp::Divide:
        if (is_divisor) return index_of_value(first) / *divisor;
        break;
      case ScalarOp::Remainder:
        if (is_divisor) return index_of_value(first) % *divisor;
        break;
      case ScalarOp::Minimum: {
        const E a = index_of_value(first);
        return arith::minimum(a, index_of_value(second));
      }
      case ScalarOp::Maximum: {
        const E a = index_of_value(first);
        return arith::maximum(a, index_of_value(second));
      }
      default:
        break;
    }
  }
  if (auto* select = std::get_if<loop::Operation>(&value->node); select && select->op == ScalarOp::Select) {
    // What a condition guards stays behind it: a load that is bound to a variable would be done in any case.
    bool is_guard = loads_memory(select->operands[1]) || loads_memory(select->operands[2]);
    auto* condition = std::get_if<loop::Test>(&select->operands[0]->node);
    if (condition && !is_guard && is_as_index(value)) {
      return arith::conditional(condition->predicate, index_of_value(select->operands[1]),
                                index_of_value(select->operands[2]));
    }
  }
  if (auto* cast = std::get_if<loop::Cast>(&value->node);
      cast && (is_as_index(cast->operand) || is_narrow(cast->operand->type.scalar)) &&
      keeps_all(cast->operand->type.scalar, value->type.scalar)) {
    return unchecked_index(cast->operand, length);
  }
  if (auto* reference = std::get_if<loop::Reference>(&value->node);
      reference && !reference->variable->is_mutable) {
    auto known = index_of_.find(reference->variable);
    if (known != index_of_.end()) return known->second;
  }
  return index_variable(value, length);
}

arith::Expr ToLoops::index_of_value(const ValuePtr& value) {
  return is_index_alike(value, index_of_) ? unchecked_index(value) : index_variable(value, {});
}

arith::Expr ToLoops::index_variable(const ValuePtr& value, arith::Expr length) {
  auto variable = std::make_shared<loop::Variable>(loop::Variable{
      names_.fresh("j"), {size_of(value->type.scalar) == 8 ? Scalar::I64 : Scalar::I32, 1}, false});
  // With checks on, nothing is assumed that the check is to find out.
  arith::Expr index = length && !options_.check_indices ? arith::data(variable->name, 0, length)
                                                        : arith::data(variable->name);
  ValuePtr whole = loop::cast(value, variable->type.scalar);
  if (variable->type.scalar == Scalar::I64) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const auto limit = [](std::int64_t number) {
      return loop::literal(ScalarValue::of_integer(Scalar::I64, number));
    };
    whole = loop::operation(ScalarOp::Maximum,
                            {limit(-most), loop::operation(ScalarOp::Minimum, {limit(most), whole})});
  }
  emit({loop::Let{variable, whole, index}});
  index_of_.emplace(variable, index);
  return index;
}

arith::Expr ToLoops::checked(arith::Expr index, arith::Expr length) {
  if (!options_.check_indices) return index;
  bool is_not_negative = arith::is_less_equal(0, index), is_below = arith::is_less(index, length);
  if (is_not_negative && is_below) return index;
  ValuePtr outside =
      is_below ? loop::test({arith::Relation::Less, index, 0})
      : is_not_negative
          ? loop::test({arith::Relation::LessEqual, length, index})
          : loop::operation(ScalarOp::Or, {loop::test({arith::Relation::Less, index, 0}),
                                           loop::test({arith::Relation::LessEqual, length, index})});
  raise(Fault::IndexOutside, outside);
  return nearest_index(index, length);
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

/// Whether an operation on integers may have no value, by its second operand: a divisor of 0, a shift by no
/// less than the width, a negative power.
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
      const ValuePtr own =
          lacks_value(op, operand->type.width == 1 ? operand : loop::component(operand, lane));
      condition = condition ? loop::operation(ScalarOp::Or, {condition, own}) : own;
    }
    raise(Fault::NoValue, condition);
  }
  return loop::operation(op, std::move(operands));
}

}  // namespace hoist::lower
