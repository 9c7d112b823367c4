// Random expressions before and after simplification: the value is kept, facts and comparisons hold, text
// reads back, and simplifying again changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "arith/arena.hpp"
#include "arith/parse.hpp"
#include "unit/arith/reference.hpp"

namespace hoist::arith {
namespace {

using reference::TreePtr;
using reference::World;

constexpr int worlds = 25;
constexpr int valuations = 12;

/// Another seed may be given to look further.
std::uint64_t seed_of(int round) {
  const char* given = std::getenv("HOIST_SEED");
  return (given != nullptr ? std::strtoull(given, nullptr, 10) : 20240607U) +
         static_cast<std::uint64_t>(round);
}

Scope scope_of(const World& world) {
  Scope scope;
  for (std::size_t at = 0; at < world.variable_count(); ++at)
    scope.names[world.name(at)] = world.variable(at);
  return scope;
}

/// Calls visit(tree, world, random) for many random trees, in fresh arenas.
template <class Visit>
void for_random_trees(int count, int depth, Visit&& visit) {
  for (int round = 0; round < worlds; ++round) {
    const std::uint64_t seed = seed_of(round);
    SCOPED_TRACE(testing::Message() << "HOIST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const Arena arena;
    const World world;
    for (int at = 0; at < count / worlds && !testing::Test::HasFailure(); ++at) {
      visit(reference::random_tree(world, random, depth), world, random);
    }
  }
}

std::string show(const World& world, const reference::Values& values) {
  std::string text;
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (values[at]) text += world.name(at) + "=" + std::to_string(*values[at]) + " ";
  }
  return text;
}

void expect_facts(const Facts& facts, std::int64_t value) {
  if (facts.minimum) {
    EXPECT_LE(*facts.minimum, value);
  }
  if (facts.maximum) {
    EXPECT_GE(*facts.maximum, value);
  }
  if (facts.modulus == 0) {
    EXPECT_EQ(facts.remainder, value);
  }
  if (facts.modulus > 1) {
    const std::int64_t rest = value % facts.modulus;
    EXPECT_EQ(rest < 0 ? rest + facts.modulus : rest, facts.remainder);
  }
}

TEST(RandomExpressions, KeepTheirValueAndFacts) {
  for_random_trees(
      reference::repetitions(10000, 200000), 5, [](const TreePtr& tree, const World& world, auto& random) {
        const Expr simplified = reference::build(*tree, world);
        const Expr low = lower_bound(simplified);
        const Expr high = upper_bound(simplified);
        for (int trial = 0; trial < valuations; ++trial) {
          const auto values = world.random_values(random);
          const auto expected = reference::evaluate(*tree, values);
          if (!expected) continue;
          const Bindings bindings = world.bindings(values);
          SCOPED_TRACE(testing::Message() << reference::to_string(*tree, world) << "\n  became "
                                          << to_string(simplified) << "\n  at " << show(world, values));
          ASSERT_EQ(evaluate(simplified, bindings), expected);
          expect_facts(simplified->facts, *expected);
          if (low) {
            const auto bound = evaluate(low, bindings);
            if (bound) {
              EXPECT_LE(*bound, *expected) << "the lower bound " << to_string(low);
            }
          }
          if (high) {
            const auto bound = evaluate(high, bindings);
            if (bound) {
              EXPECT_GE(*bound, *expected) << "the upper bound " << to_string(high);
            }
          }
          if (testing::Test::HasFailure()) return;
        }
      });
}

TEST(RandomExpressions, ReadBackAndAreIdempotent) {
  for_random_trees(
      reference::repetitions(10000, 200000), 5, [](const TreePtr& tree, const World& world, auto&) {
        const Expr simplified = reference::build(*tree, world);
        const Result<Expr> again = parse(to_string(simplified), scope_of(world));
        ASSERT_TRUE(again) << to_string(simplified) << ": " << again.error().render();
        ASSERT_EQ(*again, simplified) << reference::to_string(*tree, world) << "\n  became "
                                      << to_string(simplified) << "\n  and then   " << to_string(*again);
      });
}

TEST(RandomExpressions, AreCheapToSimplify) {
  // No more operators than were written, but for what multiplying out costs.
  std::int64_t before = 0;
  std::int64_t after = 0;
  for_random_trees(2000, 4, [&](const TreePtr& tree, const World& world, auto&) {
    const Expr simplified = reference::build(*tree, world);
    after += operation_count(simplified);
    const WithoutSimplification raw;
    before += operation_count(reference::build(*tree, world));
  });
  EXPECT_LT(2 * after, 3 * before);
}

TEST(RandomExpressions, ComparisonsAreRight) {
  int decided = 0;
  for_random_trees(
      reference::repetitions(6000, 100000), 3, [&](const TreePtr& tree, const World& world, auto& random) {
        const TreePtr other = reference::random_tree(world, random, 3);
        const Expr a = reference::build(*tree, world);
        const Expr b = reference::build(*other, world);
        const Truth is_less = less(a, b);
        const Truth is_less_or_equal = less_equal(a, b);
        const Truth is_equal = equal(a, b);
        const Truth is_divided = divides(a, b);
        decided += is_less != Truth::Unknown;
        const auto check = [](Truth claimed, bool actual) {
          return claimed == Truth::Unknown || (claimed == Truth::Yes) == actual;
        };
        for (int trial = 0; trial < valuations; ++trial) {
          const auto values = world.random_values(random);
          const auto x = reference::evaluate(*tree, values);
          const auto y = reference::evaluate(*other, values);
          if (!x || !y) continue;
          const bool all_right = check(is_less, *x < *y) && check(is_less_or_equal, *x <= *y) &&
                                 check(is_equal, *x == *y) && (*x == 0 || check(is_divided, *y % *x == 0));
          ASSERT_TRUE(all_right) << reference::to_string(*tree, world) << " is " << to_string(a)
                                 << "\n against " << reference::to_string(*other, world) << " is "
                                 << to_string(b) << "\n at " << show(world, values);
        }
      });
  EXPECT_GT(decided, 1000);
}

TEST(RandomExpressions, WithoutSimplificationKeepTheirValue) {
  for_random_trees(4000, 5, [](const TreePtr& tree, const World& world, auto& random) {
    const WithoutSimplification raw;
    const Expr written = reference::build(*tree, world);
    const Result<Expr> again = parse(to_string(written), scope_of(world));
    ASSERT_TRUE(again) << to_string(written);
    for (int trial = 0; trial < valuations; ++trial) {
      const auto values = world.random_values(random);
      const auto expected = reference::evaluate(*tree, values);
      if (!expected) continue;
      ASSERT_EQ(evaluate(written, world.bindings(values)), expected) << to_string(written);
      ASSERT_EQ(evaluate(*again, world.bindings(values)), expected) << to_string(written);
      expect_facts(written->facts, *expected);
    }
  });
}

TEST(RandomExpressions, OverflowNeverGivesAnotherValue) {
  for_random_trees(
      reference::repetitions(6000, 100000), 4, [](const TreePtr& small, const World& world, auto& random) {
        const TreePtr tree = reference::with_huge_constants(small, random);
        const Expr simplified = reference::build(*tree, world);
        const Expr low = lower_bound(simplified);
        Expr written;
        {
          const WithoutSimplification raw;
          written = reference::build(*tree, world);
        }
        for (int trial = 0; trial < valuations; ++trial) {
          const auto values = world.random_values(random);
          const Bindings bindings = world.bindings(values);
          const auto is_bound = [&](Expr variable) { return bindings.contains(variable.get()); };
          if (!std::ranges::all_of(variables(written), is_bound)) continue;
          const auto expected = evaluate(written, bindings);
          const auto value = evaluate(simplified, bindings);
          // What overflows in one form may be representable in the other.
          if (!expected || !value) continue;
          SCOPED_TRACE(testing::Message() << reference::to_string(*tree, world) << "\n  became "
                                          << to_string(simplified) << "\n  at " << show(world, values));
          ASSERT_EQ(value, expected);
          expect_facts(simplified->facts, *expected);
          const auto bound = low ? evaluate(low, bindings) : std::nullopt;
          ASSERT_LE(bound.value_or(*expected), *expected);
        }
      });
}

TEST(RandomExpressions, SubstitutionKeepsTheValue) {
  for_random_trees(
      reference::repetitions(4000, 100000), 4, [](const TreePtr& tree, const World& world, auto& random) {
        const TreePtr inner = reference::random_tree(world, random, 2);
        constexpr std::size_t unbounded = 9;  // x, which may take any value
        ASSERT_EQ(world.name(unbounded), "x");
        const Expr e = reference::build(*tree, world);
        const Expr replaced =
            substitute(e, {{world.variable(unbounded).get(), reference::build(*inner, world)}});
        for (int trial = 0; trial < valuations; ++trial) {
          auto values = world.random_values(random);
          const auto value = reference::evaluate(*inner, values);
          if (!value) continue;
          const Bindings before = world.bindings(values);
          values[unbounded] = *value;
          const auto expected = reference::evaluate(*tree, values);
          if (!expected) continue;
          ASSERT_EQ(evaluate(replaced, before), expected)
              << reference::to_string(*tree, world) << " with x = " << reference::to_string(*inner, world);
        }
      });
}

}  // namespace
}  // namespace hoist::arith
