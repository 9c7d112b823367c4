#include "arith/samples.hpp"

#include <algorithm>

#include "arith/facts.hpp"

namespace hoist::arith {
namespace {

constexpr std::size_t count = Samples::count;

/// Sizes: large and unrelated, small and unrelated, all one, large again.
std::int64_t size_sample(std::size_t hash, std::size_t choice) {
  switch (choice) {
    case 0:
      return 1000 + static_cast<std::int64_t>((hash >> 8U) % 9001);
    case 1:
      return 2 + static_cast<std::int64_t>((hash >> 24U) % 29);
    case 2:
      return 1;
    default:
      return 1000 + static_cast<std::int64_t>((hash >> 40U) % 9001);
  }
}

/// Indices: last, first, last, either.
bool takes_last(const Node& variable, std::size_t choice) {
  return choice == 0 || choice == 2 || (choice == 3 && variable.id % 2 == 0);
}

Bound range_sample(const Node& variable, std::size_t choice) {
  const auto sample = [&](Expr bound) -> Bound {
    if (!bound || !interned(bound)->samples.valid[choice]) return std::nullopt;
    return interned(bound)->samples.values[choice];
  };
  const auto arbitrary = static_cast<std::int64_t>(variable.hash % 100);
  const Bound start = sample(variable.start);
  const Bound stop = sample(variable.stop);
  if ((variable.start && !start) || (variable.stop && !stop)) return std::nullopt;
  if (!start && !stop) return choice % 2 == 0 ? arbitrary : -arbitrary;
  if (!start) return checked_add(*stop, -1 - arbitrary);
  if (!stop) return takes_last(variable, choice) ? checked_add(*start, arbitrary) : start;
  if (*stop <= *start) return std::nullopt;
  const Bound step = variable.step ? sample(variable.step) : Bound(1);
  if (!step || *step < 1) return std::nullopt;
  if (!takes_last(variable, choice)) return start;
  std::int64_t distance = 0;
  if (__builtin_sub_overflow(*stop - 1, *start, &distance)) return std::nullopt;
  return *start + distance / *step * *step;
}

Bound apply(Kind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case Kind::Sum:
      return checked_add(a, b);
    case Kind::Product:
      return checked_multiply(a, b);
    case Kind::Quotient:
      return checked_quotient(a, b);
    case Kind::Remainder:
      return checked_remainder(a, b);
    case Kind::ExactQuotient:
      return checked_remainder(a, b) == 0 ? checked_quotient(a, b) : std::nullopt;
    case Kind::CeilingQuotient:
      if (a < 0 || b < 1) return std::nullopt;
      return a / b + (a % b != 0 ? 1 : 0);
    case Kind::Power:
      return checked_power(a, b);
    case Kind::Minimum:
      return std::min(a, b);
    case Kind::Maximum:
      return std::max(a, b);
    default:
      return std::nullopt;
  }
}

bool chosen(Relation relation, std::int64_t left, std::int64_t right) {
  switch (relation) {
    case Relation::Less:
      return left < right;
    case Relation::LessEqual:
      return left <= right;
    case Relation::Equal:
      return left == right;
    case Relation::NotEqual:
      return left != right;
  }
  return false;
}

Bound conditional_sample(const Node& node, std::size_t choice) {
  const Samples& left = interned(node.predicate.left)->samples;
  const Samples& right = interned(node.predicate.right)->samples;
  if (!left.valid[choice] || !right.valid[choice]) return std::nullopt;
  const bool then = chosen(node.predicate.relation, left.values[choice], right.values[choice]);
  const Samples& value = interned(node.operands[then ? 0 : 1])->samples;
  return value.valid[choice] ? Bound(value.values[choice]) : std::nullopt;
}

/// All choices at once: most nodes are sums and products.
Samples polynomial_samples(const Node& node) {
  Samples result = interned(node.operands.front())->samples;
  const bool is_sum = node.kind == Kind::Sum;
  for (Expr operand : node.operands.subspan(1)) {
    const Samples& other = interned(operand)->samples;
    for (std::size_t choice = 0; choice < count; ++choice) {
      std::int64_t& value = result.values[choice];
      const bool overflows = is_sum ? __builtin_add_overflow(value, other.values[choice], &value)
                                    : __builtin_mul_overflow(value, other.values[choice], &value);
      result.valid[choice] = result.valid[choice] && other.valid[choice] && !overflows;
    }
  }
  return result;
}

Bound operator_sample(const Node& node, std::size_t choice) {
  if (node.kind == Kind::Conditional) return conditional_sample(node, choice);
  const Samples& left = interned(node.operands[0])->samples;
  const Samples& right = interned(node.operands[1])->samples;
  if (!left.valid[choice] || !right.valid[choice]) return std::nullopt;
  return apply(node.kind, left.values[choice], right.values[choice]);
}

template <class Sample>
Samples collect(Sample&& sample) {
  Samples samples;
  for (std::size_t choice = 0; choice < count; ++choice) {
    const Bound value = sample(choice);
    samples.valid[choice] = value.has_value();
    samples.values[choice] = value.value_or(0);
  }
  return samples;
}

}  // namespace

Samples samples_of_constant(std::int64_t value) {
  return collect([&](std::size_t) { return Bound(value); });
}

Samples samples_of_variable(const Interned& variable) {
  return collect([&](std::size_t choice) {
    return is_natural(variable.variable_kind) ? Bound(size_sample(variable.hash, choice))
                                              : range_sample(variable, choice);
  });
}

Samples samples_of_operator(const Interned& node) {
  if (node.kind == Kind::Sum || node.kind == Kind::Product) return polynomial_samples(node);
  return collect([&](std::size_t choice) { return operator_sample(node, choice); });
}

}  // namespace hoist::arith
