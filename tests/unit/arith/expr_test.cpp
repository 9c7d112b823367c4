// Interning, arenas, facts, printing, comparison, bounds, substitution and solving.
#include "arith/expr.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "arith/arena.hpp"
#include "arith/parse.hpp"

namespace hoist::arith {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

TEST(Expr, EqualExpressionsAreOneNode) {
  const Arena arena;
  const Expr n = size("N");
  EXPECT_EQ(n, size("N"));
  EXPECT_EQ(n, size(std::string("N")));
  EXPECT_FALSE(n == parameter("N"));
  const Expr i = index("i", 0, n);
  EXPECT_FALSE(i == index("i", 0, n));
  EXPECT_EQ(i + n * 2 + 1, 1 + 2 * n + i);
  EXPECT_EQ((i + 1) * n, n * i + n);
  EXPECT_EQ((i + n)->hash, (n + i)->hash);
}

TEST(Expr, IntegersAreExpressions) {
  EXPECT_TRUE(Expr(0).is_constant(0));
  EXPECT_TRUE((Expr(7) / 2).is_constant(3));
  EXPECT_EQ(Expr(largest).constant(), largest);
  EXPECT_EQ((Expr(5000) + 5000).constant(), 10000);
  EXPECT_FALSE(Expr());
}

TEST(Expr, OverflowingConstantsAreNotFolded) {
  const Arena arena;
  const Expr x = data("x");
  for (const Expr e : {Expr(largest) + 1, Expr(smallest) - 1, Expr(largest) * 2, Expr(smallest) / -1,
                       power(Expr(10), 40), (x + largest) + 1, (x * largest) * 2, -(x * smallest)}) {
    EXPECT_FALSE(e.constant()) << to_string(e);
    EXPECT_EQ(evaluate(e, {{x.get(), 3}}), std::nullopt) << to_string(e);
  }
  EXPECT_TRUE((Expr(smallest) % -1).is_constant(0));
}

TEST(Arena, NestsLikeScopes) {
  const Arena outer;
  const Expr n = size("N");
  const Expr sum_outside = n + 1;
  {
    const Arena inner;
    EXPECT_EQ(size("N"), n);
    EXPECT_EQ(size("N") + 1, sum_outside);
    EXPECT_EQ(inner.size(), 0U);
    const Expr i = index("i", 0, n);
    EXPECT_EQ((i + n) - i, n);
    EXPECT_GT(inner.size(), 0U);
    EXPECT_NE(index("i", 0, n)->id, i->id);
  }
  const std::size_t before = outer.size();
  EXPECT_EQ(n + 1, sum_outside);
  EXPECT_EQ(outer.size(), before);
}

TEST(Arena, IdentitiesStayUniqueAfterAnInnerArena) {
  const Arena outer;
  std::uint32_t inner_id = 0;
  {
    const Arena inner;
    inner_id = index("i", 0, 4)->id;
  }
  EXPECT_GT(index("i", 0, 4)->id, inner_id);
}

TEST(Arena, ThreadsDoNotShare) {
  std::string text;
  std::thread worker([&] {
    const Arena arena;
    text = to_string(size("N") * 64 + index("l", 0, 64));
  });
  worker.join();
  EXPECT_EQ(text, "64*N + l");
}

TEST(Arena, ManyNodes) {
  const Arena arena;
  const Expr n = size("N");
  for (std::int64_t at = 0; at < 20000; ++at) ASSERT_EQ(n + 5000 + at, n + at + 5000);
  EXPECT_GT(arena.size(), 20000U);
}

TEST(WithoutSimplification, OnlyFoldsConstantsAndFlattens) {
  const Arena arena;
  const Expr n = size("N");
  const Expr i = index("i", 0, n);
  {
    const WithoutSimplification raw;
    EXPECT_EQ(to_string((i * n + i) % n), "(i*N + i) % N");
    EXPECT_EQ(to_string((i + i) + (Expr(2) * 3 + 0)), "i + i + 6");
    EXPECT_EQ(to_string(n * 1 * 2 * 3), "6*N");
    EXPECT_EQ(to_string(minimum(i, n)), "min(i, N)");
    EXPECT_EQ(less(i + i - i, n), Truth::Yes);
    EXPECT_EQ(divides(n, n * i + n), Truth::Yes);
    EXPECT_EQ(to_string(upper_bound(i + i - i)), "N - 1");
    EXPECT_EQ((i + n)->facts.minimum, 1);
  }
  EXPECT_EQ(to_string((i * n + i) % n), "i");
}

TEST(Facts, OfVariables) {
  const Arena arena;
  EXPECT_EQ(size("N")->facts.minimum, 1);
  EXPECT_EQ(size("N")->facts.maximum, std::nullopt);
  const Expr strided = index("s", 3, 20, 4);
  EXPECT_EQ(strided->facts.minimum, 3);
  EXPECT_EQ(strided->facts.maximum, 19);
  EXPECT_EQ(strided->facts.modulus, 4);
  EXPECT_EQ(strided->facts.remainder, 3);
  EXPECT_EQ(data("x", -2, 5)->facts.maximum, 4);
  EXPECT_EQ(data("x")->facts.minimum, std::nullopt);
  EXPECT_EQ(index("e", 0, 0)->facts.maximum, -1);  // an empty range bounds nothing, but must not hang
}

TEST(Facts, OfOperators) {
  const Arena arena;
  const Expr i = index("i", 0, 8);
  const Expr x = data("x", -5, 10);
  const Expr n = size("N");
  EXPECT_EQ((4 * i + 3)->facts.maximum, 31);
  EXPECT_EQ((4 * i + 3)->facts.modulus, 4);
  EXPECT_EQ((x * i)->facts.minimum, -35);
  EXPECT_EQ((x / 2)->facts.minimum, -2);
  EXPECT_EQ((x % 3)->facts.minimum, -2);
  EXPECT_EQ((x % 3)->facts.maximum, 2);
  EXPECT_EQ((n * n)->facts.minimum, 1);
  EXPECT_EQ(minimum(x, n)->facts.maximum, 9);
  EXPECT_EQ(maximum(x, 0)->facts.minimum, 0);
  EXPECT_EQ(ceiling_quotient(n, 64)->facts.minimum, 1);
  EXPECT_EQ(power(2, i)->facts.maximum, 128);
  EXPECT_EQ((n * largest)->facts.maximum, std::nullopt);
}

TEST(Print, HasFewestParenthesesAndReadsWell) {
  const Arena arena;
  Scope scope;
  for (const char* name : {"M", "N"}) scope.declare_size(name);
  for (const char* range : {"i in [0,M)", "j in [0,N)"}) ASSERT_TRUE(scope.declare_index(range));
  scope.names["x"] = data("x");
  const auto print = [&](const std::string& text) { return to_string(parse(text, scope).value()); };
  EXPECT_EQ(print("i + 64*j + M*j"), "M*j + 64*j + i");
  EXPECT_EQ(print("N - 1 - i"), "N - i - 1");
  EXPECT_EQ(print("-i"), "-i");
  EXPECT_EQ(print("-3*i - 2"), "-3*i - 2");
  EXPECT_EQ(print("(N/64)*i"), "i*(N / 64)");
  EXPECT_EQ(print("(4*x + 2) % (M + 1)"), "(4*x + 2) % (M + 1)");
  EXPECT_EQ(print("M*x / 64"), "M*x / 64");
  EXPECT_EQ(print("x / (2*N)"), "x / (2*N)");
  EXPECT_EQ(print("exactdiv(N, 64)"), "exactdiv(N, 64)");
  EXPECT_EQ(print("ceildiv(N, 64)"), "ceildiv(N, 64)");
  EXPECT_EQ(print("2 ** i"), "2 ** i");
  EXPECT_EQ(print("min(max(i - 1, 0), N - 1)"), "min(max(i - 1, 0), N - 1)");
  EXPECT_EQ(print("(x < 2 ? i : j)"), "(x < 2 ? i : j)");
  EXPECT_EQ(print("-(x % 3) - x / 4"), "-(x / 4) - (x % 3)");
  EXPECT_EQ(print("?t * 4"), "4*?t");
  EXPECT_EQ(to_string(Predicate{Relation::LessEqual, size("N") + 1, size("M")}), "N + 1 <= M");
}

TEST(Parse, ReportsWhatIsWrong) {
  const Arena arena;
  Scope scope;
  scope.declare_size("N");
  const auto message = [&](const std::string& text) {
    const Result<Expr> parsed = parse(text, scope);
    return parsed ? "parsed as " + to_string(*parsed) : parsed.error().diagnostics.front().message;
  };
  EXPECT_EQ(message("N + q"), "'q' is not declared");
  EXPECT_EQ(message("N +"), "a name was expected here");
  EXPECT_EQ(message("(N"), "')' was expected here");
  EXPECT_EQ(message("N N"), "nothing more was expected here");
  EXPECT_EQ(message("N < 2"), "a comparison is no number; write (a < b ? x : y)");
  EXPECT_EQ(message("N ? 1 : 2"), "a condition compares two expressions");
  EXPECT_EQ(message("99999999999999999999"), "this number does not fit in 64 bits");
  EXPECT_EQ(message("floor(N, 2)"), "there is no function 'floor'; min, max, ceildiv and exactdiv are known");
  EXPECT_EQ(message("-9223372036854775808"), "parsed as -9223372036854775808");
  EXPECT_EQ(parse("N + q", scope).error().diagnostics.front().span, (Span{4, 5}));
  for (const char* range : {"i", "i in", "i in [0", "i in [0,N", "i in [0,N,1", "i of [0,N)", "i in [0,Q)",
                            "1 in [0,N)", "i in [0,N) x"}) {
    EXPECT_FALSE(scope.declare_index(range)) << range;
  }
  EXPECT_TRUE(scope.declare_index("i in [0, N, 2)"));
  EXPECT_EQ(scope.names["i"]->step, Expr(2));
}

TEST(Compare, YesNoAndUnknown) {
  const Arena arena;
  const Expr m = size("M");
  const Expr n = size("N");
  const Expr i = index("i", 0, n);
  EXPECT_EQ(less(i, n), Truth::Yes);
  EXPECT_EQ(less(n, i), Truth::No);
  EXPECT_EQ(less(i, m), Truth::Unknown);
  EXPECT_EQ(less_equal(n, m * n), Truth::Yes);
  EXPECT_EQ(less(m * n, n), Truth::No);
  EXPECT_EQ(less(n, m * n), Truth::Unknown);
  EXPECT_EQ(equal(2 * i + 1, 2 * n), Truth::No);
  EXPECT_EQ(equal(i, n), Truth::No);
  EXPECT_EQ(equal(i, n - 1), Truth::Unknown);
  EXPECT_EQ(equal(maximum(i, n - 1), n - 1), Truth::Yes);
  EXPECT_EQ(divides(4, 8 * i + 4), Truth::Yes);
  EXPECT_EQ(divides(4, 8 * i + 2), Truth::No);
  EXPECT_EQ(divides(4, n), Truth::Unknown);
  EXPECT_EQ(divides(n, m * n + n), Truth::Yes);
  EXPECT_EQ(divides(n + 1, Expr(1)), Truth::No);
  EXPECT_EQ(divides(0, n), Truth::Unknown);
  EXPECT_EQ(holds({Relation::NotEqual, i, n}), Truth::Yes);
  EXPECT_EQ(holds({Relation::Equal, i, i}), Truth::Yes);
}

TEST(Compare, NegationIsTheOpposite) {
  const Arena arena;
  const Expr n = size("N");
  const Expr m = size("M");
  for (const Relation relation : {Relation::Less, Relation::LessEqual, Relation::Equal, Relation::NotEqual}) {
    const Predicate predicate{relation, n, m};
    for (std::int64_t a = 1; a < 4; ++a) {
      const Bindings bindings{{n.get(), a}, {m.get(), 2}};
      EXPECT_NE(evaluate(predicate, bindings), evaluate(negation(predicate), bindings));
    }
    EXPECT_EQ(negation(negation(predicate)), predicate);
  }
}

TEST(Compare, GuardsOfTiledLoops) {
  const Arena arena;
  const Expr n = size("N");
  const Expr tile = parameter("tile");
  const Expr lane = index("lane", 0, tile);
  const Expr exact_group = index("group", 0, exact_quotient(n, tile));
  EXPECT_EQ(less(exact_group * tile + lane, n), Truth::Yes);
  const Expr group = index("group", 0, ceiling_quotient(n, tile));
  EXPECT_EQ(less(group * tile + lane, n), Truth::Unknown);
  EXPECT_EQ(less(group * tile, n), Truth::Yes);
  EXPECT_EQ(less(minimum(group * tile + lane, n - 1), n), Truth::Yes);
  // A loop over a work-group's share, strided by the number of work-items.
  const Expr items = size("items");
  const Expr item = data("item", 0, items);
  const Expr share = index("i", item, n, items);
  EXPECT_EQ(less(share, n), Truth::Yes);
  EXPECT_EQ(less_equal(0, share), Truth::Yes);
}

TEST(Bounds, KeepSizes) {
  const Arena arena;
  const Expr n = size("N");
  const Expr m = size("M");
  const Expr i = index("i", 0, n);
  const Expr j = index("j", 0, m);
  EXPECT_EQ(upper_bound(i * m + j), n * m - 1);
  EXPECT_EQ(lower_bound(i * m + j), Expr(0));
  EXPECT_EQ(lower_bound(n - i), Expr(1));
  EXPECT_EQ(upper_bound(index("k", 0, i)), n - 2);
  EXPECT_EQ(upper_bound(i / 4), (n - 1) / 4);
  EXPECT_EQ(upper_bound(minimum(i + 1, n - 1)), n - 1);
  EXPECT_EQ(upper_bound(n), n);
  EXPECT_FALSE(upper_bound(data("x")));
  EXPECT_EQ(upper_bound(data("x") % 8), Expr(7));
  EXPECT_EQ(upper_bound(index("s", 0, 16 * n, 16)), 16 * n - 16);
}

TEST(Substitute, ReplacesVariablesAndParts) {
  const Arena arena;
  const Expr n = size("N");
  const Expr i = index("i", 0, n);
  const Expr j = index("j", 0, n);
  EXPECT_EQ(substitute(i * 4 + 1, {{i.get(), Expr(2)}}), Expr(9));
  EXPECT_EQ(substitute(i + j, {{i.get(), j}, {j.get(), i}}), i + j);
  EXPECT_EQ(substitute(i * n + j, {{i.get(), j}, {j.get(), i}}), j * n + i);
  EXPECT_EQ(substitute(n / 64 + i, {{(n / 64).get(), j}}), i + j);
  EXPECT_EQ(substitute(i + 7, {{Expr(7).get(), n}}), i + n);
  EXPECT_EQ(substitute(Predicate{Relation::Less, i, n}, {{i.get(), n}}), (Predicate{Relation::Less, n, n}));
  const Expr choice = conditional({Relation::Less, i, 3}, j * 2, n);
  EXPECT_EQ(substitute(choice, {{i.get(), Expr(1)}}), j * 2);
  EXPECT_EQ(substitute(i, {}), i);
}

TEST(Solve, LinearEquations) {
  const Arena arena;
  const Expr n = size("N");
  const Expr m = size("M");
  const Expr x = data("x");
  const Expr y = data("y");
  EXPECT_EQ(solve(x + 3, y, x), y - 3);
  EXPECT_EQ(solve(3 * x + 2, 6 * y - 1, x), 2 * y - 1);
  EXPECT_EQ(solve(n * x + n, n * m, x), m - 1);
  EXPECT_EQ(solve(5, n - x, x), n - 5);
  EXPECT_EQ(solve(x + y, 2 * x, x), y);
  EXPECT_FALSE(solve(2 * x, y, x));      // not an integer for every y
  EXPECT_FALSE(solve(x * x, y, x));      // not linear
  EXPECT_FALSE(solve(x / 2, y, x));      // not linear
  EXPECT_FALSE(solve(y, n, x));          // x does not occur
  EXPECT_FALSE(solve(x * y, y * n, x));  // any x where y is 0
  EXPECT_FALSE(solve(x, x, x));
}

TEST(Walks, VariablesInOrderOfOccurrence) {
  const Arena arena;
  const Expr n = size("N");
  const Expr m = size("M");
  const Expr i = index("i", 0, m);
  const Expr choice = conditional({Relation::Less, data("x"), n}, i, n);
  EXPECT_EQ(variables(choice).size(), 3U);
  EXPECT_EQ(variables(n * i + n), (std::vector<Expr>{n, i}));
  EXPECT_TRUE(contains(choice, n));
  EXPECT_FALSE(contains(choice, m));  // only in the range of i
  EXPECT_TRUE(variables(5).empty());
  EXPECT_EQ(operation_count(n * i + n), 2);
  EXPECT_EQ(operation_count(n), 0);
  EXPECT_FALSE((Expr(3) + 4)->has_variables);
}

TEST(CanonicalOrder, DoesNotDependOnHistory) {
  std::string first;
  std::string second;
  {
    const Arena arena;
    first = to_string(size("A") * size("B") + size("C") * 2 + size("D"));
  }
  {
    const Arena arena;
    const Expr d = size("D");
    const Expr c = size("C");
    second = to_string(d + 2 * c + size("B") * size("A"));
  }
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, "A*B + 2*C + D");
}

TEST(Evaluate, HasNoValueOutsideTheDomain) {
  const Arena arena;
  const Expr x = data("x");
  const Expr y = data("y");
  const auto at = [&](Expr e, std::int64_t a, std::int64_t b) {
    return evaluate(e, {{x.get(), a}, {y.get(), b}});
  };
  EXPECT_EQ(at(x / y, 7, 0), std::nullopt);
  EXPECT_EQ(at(x % y, 7, 0), std::nullopt);
  EXPECT_EQ(at(x / y, smallest, -1), std::nullopt);
  EXPECT_EQ(at(x * y, largest, 2), std::nullopt);
  EXPECT_EQ(at(exact_quotient(x, y), 7, 2), std::nullopt);
  EXPECT_EQ(at(exact_quotient(x, y), 8, -2), -4);
  EXPECT_EQ(at(ceiling_quotient(x, y), 7, 2), 4);
  EXPECT_EQ(at(ceiling_quotient(x, y), -7, 2), std::nullopt);
  EXPECT_EQ(at(power(x, y), 2, -1), std::nullopt);
  EXPECT_EQ(at(power(x, y), 0, 0), 1);
  EXPECT_EQ(at(conditional({Relation::Less, x, y}, x / y, y), 3, 0), 0);  // the other branch has no value
  EXPECT_EQ(evaluate(x, {}), std::nullopt);
}

}  // namespace
}  // namespace hoist::arith
