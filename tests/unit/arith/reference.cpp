#include "unit/arith/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace hoist::arith::reference {
namespace {

std::int64_t pick(std::mt19937_64& random, std::int64_t lowest, std::int64_t highest) {
  return std::uniform_int_distribution<std::int64_t>(lowest, highest)(random);
}

TreePtr leaf(Kind kind, std::int64_t value) {
  auto tree = std::make_shared<Tree>();
  tree->kind = kind;
  tree->value = value;
  return tree;
}

TreePtr node(Kind kind, std::vector<TreePtr> operands, Relation relation = Relation::Less) {
  auto tree = std::make_shared<Tree>();
  tree->kind = kind;
  tree->relation = relation;
  tree->operands = std::move(operands);
  return tree;
}

TreePtr random_leaf(const World& world, std::mt19937_64& random) {
  if (pick(random, 0, 9) < 3)
    return leaf(Kind::Constant, pick(random, 0, 5) == 0 ? pick(random, -6, -1) : pick(random, 0, 9));
  return leaf(Kind::Variable, pick(random, 0, static_cast<std::int64_t>(world.variable_count()) - 1));
}

/// Divisors that make the rules of divisions fire: constants, sizes and small sums and products of them.
TreePtr random_divisor(const World& world, std::mt19937_64& random) {
  switch (pick(random, 0, 7)) {
    case 0:
    case 1:
      return leaf(Kind::Constant, pick(random, 1, 8));
    case 2:
      return leaf(Kind::Constant, pick(random, -4, -1));
    case 3:
      return leaf(Kind::Variable, pick(random, 0, 1));
    case 4:
      return node(Kind::Sum,
                  {leaf(Kind::Variable, pick(random, 0, 1)), leaf(Kind::Constant, pick(random, -2, 4))});
    case 5:
      return node(Kind::Product, {leaf(Kind::Variable, pick(random, 0, 1)), random_leaf(world, random)});
    default:
      return random_tree(world, random, 1);
  }
}

}  // namespace

World::World() {
  const Expr big = size("M");
  const Expr other = size("N");
  variables_ = {
      {"M", big, 1, 4},
      {"N", other, 1, 4},
      {"i", index("i", 0, big), 0, 0},
      {"j", index("j", 0, other), 0, 0},
      {"l", index("l", 0, 4), 0, 0},
      {"s", index("s", 0, 16, 4), 0, 0},
      {"p", index("p", 0, 4 * big, 2), 0, 0},
      {"q", index("q", 1, big + 2), 0, 0},
      {"u", index("u", -3, other), 0, 0},
      {"x", data("x"), -7, 7},
      {"y", data("y"), -20, 20},
      {"z", data("z", 0), 0, 12},
      {"o", index("o", 0, 1), 0, 0},
  };
  variables_.push_back({"w", index("w", 0, ceiling_quotient(4 * big + other, 3)), 0, 0});
  variables_.push_back({"v", index("v", 0, (big + 5 * other) / 2), 0, 0});
  // Ranges that are empty for some sizes, and so say something about the sizes where they are not.
  variables_.push_back({"a", index("a", 0, big - 1), 0, 0});
  variables_.push_back({"b", index("b", 0, (other - 1) / 2), 0, 0});
  variables_.push_back({"c", index("c", 1, ceiling_quotient(big + 1, 2)), 0, 0});
  // Stands for any number, whatever its own is.
  variables_.push_back({"g", launched("g", 3), 1, 4});
  const Expr last = variables_[3].expr;
  variables_.push_back({"t", index("t", last, last + 3), 0, 0});
}

Values World::random_values(std::mt19937_64& random) const {
  Values values;
  Bindings bound;
  for (const Entry& entry : variables_) {
    const Node& variable = *entry.expr.get();
    std::int64_t lowest = entry.lowest;
    std::int64_t highest = entry.highest;
    std::int64_t step = 1;
    if (variable.variable_kind == VariableKind::Index) {
      lowest = *arith::evaluate(variable.start, bound);
      highest = *arith::evaluate(variable.stop, bound) - 1;
      step = *arith::evaluate(variable.step, bound);
    }
    if (highest < lowest) {
      values.push_back(std::nullopt);
      continue;
    }
    // The ends are where rules are wrong.
    const std::int64_t steps = (highest - lowest) / step;
    const std::int64_t chosen = pick(random, 0, 3);
    values.push_back(lowest + step * (chosen == 0 ? 0 : chosen == 1 ? steps : pick(random, 0, steps)));
    bound.emplace(entry.expr.get(), *values.back());
  }
  return values;
}

Bindings World::bindings(const Values& values) const {
  Bindings result;
  for (std::size_t at = 0; at < variables_.size(); ++at)
    if (values[at]) result.emplace(variables_[at].expr.get(), *values[at]);
  return result;
}

TreePtr random_tree(const World& world, std::mt19937_64& random, int depth) {
  if (depth <= 0) return random_leaf(world, random);
  const auto child = [&] { return random_tree(world, random, depth - static_cast<int>(pick(random, 1, 2))); };
  switch (pick(random, 0, 19)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return node(Kind::Sum, {child(), child()});
    case 5:
      return node(Kind::Sum, {child(), node(Kind::Product, {leaf(Kind::Constant, -1), child()})});
    case 6:
    case 7:
    case 8:
      return node(Kind::Product, {child(), random_leaf(world, random)});
    case 9:
      return node(Kind::Product, {child(), child()});
    case 10:
    case 11:
    case 12:
      return node(Kind::Quotient, {child(), random_divisor(world, random)});
    case 13:
    case 14:
    case 15:
      return node(Kind::Remainder, {child(), random_divisor(world, random)});
    case 16: {
      const TreePtr divisor = random_divisor(world, random);
      if (pick(random, 0, 1) == 0) return node(Kind::CeilingQuotient, {child(), divisor});
      return node(Kind::ExactQuotient, {node(Kind::Product, {divisor, child()}), divisor});
    }
    case 17:
      return node(Kind::Minimum, {child(), child()});
    case 18:
      return node(Kind::Maximum, {child(), child()});
    default:
      if (pick(random, 0, 3) == 0) {
        const TreePtr base = leaf(Kind::Constant, pick(random, -1, 3)), exponent = random_leaf(world, random);
        if (pick(random, 0, 1) == 0) return node(Kind::Power, {base, exponent});
        // Powers of one base whose exponents cancel.
        const TreePtr negated = node(Kind::Product, {leaf(Kind::Constant, -1), exponent});
        return node(Kind::Product,
                    {node(Kind::Power, {base, exponent}),
                     node(Kind::Power, {base, node(Kind::Sum, {random_leaf(world, random), negated})})});
      }
      return node(Kind::Conditional, {child(), child(), child(), child()},
                  static_cast<Relation>(pick(random, 0, 3)));
  }
}

TreePtr with_huge_constants(const TreePtr& tree, std::mt19937_64& random) {
  constexpr std::int64_t huge[] = {INT64_MIN,
                                   INT64_MIN + 1,
                                   INT64_MAX,
                                   INT64_MAX - 1,
                                   std::int64_t{1} << 62,
                                   -(std::int64_t{1} << 62),
                                   3037000500,
                                   -1};
  auto copy = std::make_shared<Tree>(*tree);
  if (tree->kind == Kind::Constant && pick(random, 0, 1) == 0) {
    copy->value = huge[pick(random, 0, static_cast<std::int64_t>(std::size(huge)) - 1)];
  }
  for (TreePtr& operand : copy->operands) operand = with_huge_constants(operand, random);
  return copy;
}

namespace {

/// Every variable has a value, also in branches that are not taken: so it is inside the loops that an index
/// is of.
bool has_values(const Tree& tree, const Values& values) {
  if (tree.kind == Kind::Variable) return values[static_cast<std::size_t>(tree.value)].has_value();
  return std::ranges::all_of(tree.operands,
                             [&](const TreePtr& operand) { return has_values(*operand, values); });
}

std::optional<std::int64_t> value_of(const Tree& tree, const Values& values) {
  using Wide = __int128;
  if (tree.kind == Kind::Constant) return tree.value;
  if (tree.kind == Kind::Variable) return values[static_cast<std::size_t>(tree.value)];
  const auto left = value_of(*tree.operands[0], values);
  const auto right = value_of(*tree.operands[1], values);
  if (!left || !right) return std::nullopt;
  const std::int64_t a = *left;
  const std::int64_t b = *right;
  // Values stay small, so that no simplified form overflows where the original does not.
  const auto small = [](Wide value) -> std::optional<std::int64_t> {
    if (value > 1000000000 || value < -1000000000) return std::nullopt;
    return static_cast<std::int64_t>(value);
  };
  switch (tree.kind) {
    case Kind::Sum:
      return small(Wide{a} + b);
    case Kind::Product:
      return small(Wide{a} * b);
    case Kind::Quotient:
      return b == 0 ? std::nullopt : small(a / b);
    case Kind::Remainder:
      return b == 0 ? std::nullopt : small(a % b);
    case Kind::ExactQuotient:
      return b == 0 || a % b != 0 ? std::nullopt : small(a / b);
    case Kind::CeilingQuotient:
      return a < 0 || b < 1 ? std::nullopt : small((a + b - 1) / b);
    case Kind::Minimum:
      return std::min(a, b);
    case Kind::Maximum:
      return std::max(a, b);
    case Kind::Power: {
      if (b < 0) return std::nullopt;
      std::optional<std::int64_t> result = 1;
      for (std::int64_t at = 0; at < b && result; ++at) result = small(Wide{*result} * a);
      return result;
    }
    case Kind::Conditional: {
      const bool chosen = tree.relation == Relation::Less        ? a < b
                          : tree.relation == Relation::LessEqual ? a <= b
                          : tree.relation == Relation::Equal     ? a == b
                                                                 : a != b;
      return value_of(*tree.operands[chosen ? 2 : 3], values);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> evaluate(const Tree& tree, const Values& values) {
  return has_values(tree, values) ? value_of(tree, values) : std::nullopt;
}

Expr build(const Tree& tree, const World& world) {
  if (tree.kind == Kind::Constant) return Expr(tree.value);
  if (tree.kind == Kind::Variable) return world.variable(static_cast<std::size_t>(tree.value));
  const Expr a = build(*tree.operands[0], world);
  const Expr b = build(*tree.operands[1], world);
  switch (tree.kind) {
    case Kind::Sum:
      return a + b;
    case Kind::Product:
      return a * b;
    case Kind::Quotient:
      return a / b;
    case Kind::Remainder:
      return a % b;
    case Kind::ExactQuotient:
      return exact_quotient(a, b);
    case Kind::CeilingQuotient:
      return ceiling_quotient(a, b);
    case Kind::Minimum:
      return minimum(a, b);
    case Kind::Maximum:
      return maximum(a, b);
    case Kind::Power:
      return power(a, b);
    default:
      return conditional({tree.relation, a, b}, build(*tree.operands[2], world),
                         build(*tree.operands[3], world));
  }
}

std::string to_string(const Tree& tree, const World& world) {
  if (tree.kind == Kind::Constant) return std::to_string(tree.value);
  if (tree.kind == Kind::Variable) return world.name(static_cast<std::size_t>(tree.value));
  const std::string a = to_string(*tree.operands[0], world);
  const std::string b = to_string(*tree.operands[1], world);
  switch (tree.kind) {
    case Kind::Sum:
      return fmt::format("({} + {})", a, b);
    case Kind::Product:
      return fmt::format("({} * {})", a, b);
    case Kind::Quotient:
      return fmt::format("({} / {})", a, b);
    case Kind::Remainder:
      return fmt::format("({} % {})", a, b);
    case Kind::ExactQuotient:
      return fmt::format("exactdiv({}, {})", a, b);
    case Kind::CeilingQuotient:
      return fmt::format("ceildiv({}, {})", a, b);
    case Kind::Minimum:
      return fmt::format("min({}, {})", a, b);
    case Kind::Maximum:
      return fmt::format("max({}, {})", a, b);
    case Kind::Power:
      return fmt::format("(({}) ** ({}))", a, b);
    default: {
      const char* relations[] = {"<", "<=", "==", "!="};
      return fmt::format("({} {} {} ? {} : {})", a, relations[static_cast<int>(tree.relation)], b,
                         to_string(*tree.operands[2], world), to_string(*tree.operands[3], world));
    }
  }
}

int repetitions(int ordinary, int slow) { return std::getenv("HOIST_SLOW") != nullptr ? slow : ordinary; }

}  // namespace hoist::arith::reference
