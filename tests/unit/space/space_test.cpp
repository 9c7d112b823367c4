// Spaces of parameters: what they hold, by comparison with what a loop over all values finds.
#include "space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "arith/arena.hpp"

namespace hoist::space {
namespace {

using arith::Relation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Spaces : public testing::Test {
 protected:
  arith::Arena arena;
  arith::Expr t = arith::parameter("t"), u = arith::parameter("u"), v = arith::parameter("v");

  static Constraint divides(arith::Expr divisor, arith::Expr number) {
    return {{Relation::Equal, number % divisor, 0},
            arith::to_string(divisor) + " must divide " + arith::to_string(number)};
  }
  static Constraint at_most(arith::Expr a, arith::Expr b) {
    return {{Relation::LessEqual, a, b}, arith::to_string(a) + " must be at most " + arith::to_string(b)};
  }
  static Space space(std::vector<Parameter> parameters, std::vector<Constraint> constraints) {
    auto made = Space::make(std::move(parameters), std::move(constraints));
    if (!made) throw std::runtime_error(made.error().render());
    return *std::move(made);
  }
  /// All values within bounds, each asked.
  static std::set<Point> filtered(const std::vector<Parameter>& parameters,
                                  const std::vector<Constraint>& constraints) {
    std::set<Point> points;
    Point point(parameters.size());
    std::function<void(std::size_t)> choose = [&](std::size_t at) {
      if (at == parameters.size()) {
        arith::Bindings bindings;
        for (std::size_t i = 0; i < at; ++i) bindings[arith::parameter(parameters[i].name).get()] = point[i];
        for (const Constraint& each : constraints) {
          if (!arith::evaluate(each.predicate, bindings).value_or(false)) return;
        }
        points.insert(point);
        return;
      }
      for (std::int64_t value = parameters[at].least; value <= parameters[at].most; ++value) {
        if (parameters[at].is_power_of_two && (value & (value - 1)) != 0) continue;
        point[at] = value;
        choose(at + 1);
      }
    };
    choose(0);
    return points;
  }
  static void expect_same(const std::vector<Parameter>& parameters,
                          const std::vector<Constraint>& constraints) {
    const Space made = space(parameters, constraints);
    const std::set<Point> expected = filtered(parameters, constraints);
    EXPECT_EQ(made.count(), expected.size());
    std::set<Point> listed, ranked;
    made.for_each([&](const Point& point) { return listed.insert(point).second; });
    EXPECT_EQ(listed, expected);
    for (std::uint64_t rank = 0; rank < made.count(); ++rank) {
      const Point point = made.at(rank);
      EXPECT_EQ(made.rank(point), rank);
      ranked.insert(point);
    }
    EXPECT_EQ(ranked, expected);
  }
};

TEST_F(Spaces, HoldWhatFilteringFinds) {
  expect_same({{"t", 1, 40}}, {divides(t, 36)});
  expect_same({{"t", 1, 64}, {"u", 1, 64}}, {divides(t, 48), divides(u, t)});
  expect_same({{"u", 1, 64}, {"t", 1, 64}}, {divides(t, 48), divides(u, t)});
  expect_same({{"t", 1, 32}, {"u", 1, 32}, {"v", 1, 32}},
              {divides(t, 32), divides(u, 24), at_most(t * u, 64), divides(v, t * u)});
  expect_same({{"t", 1, 30}, {"u", 1, 30}}, {divides(t * u, 60), at_most(t, u)});
  expect_same({{"t", 1, 64, true}, {"u", 2, 9}}, {at_most(t + u, 20)});
  expect_same({{"t", 1, 20}, {"u", 1, 20}}, {divides(u, arith::exact_quotient(arith::constant(60), t))});
  expect_same({{"t", 1, 5}}, {});
}

TEST_F(Spaces, OfBillionsOfPointsAreCountedAndSampled) {
  // Two chains of divisors and four parameters that nothing ties together.
  std::vector<Parameter> parameters{{"t", 1, 1 << 20}, {"u", 1, 1 << 20}};
  for (const char* name : {"a", "b", "c", "d"}) parameters.push_back({name, 1, 1000});
  const Space large = space(parameters, {divides(t, 1 << 20), divides(u, t)});
  EXPECT_EQ(large.count(), 231 * std::uint64_t{1000000000000});
  const auto ranks = large.sample(1000, 7);
  EXPECT_EQ(std::set<std::uint64_t>(ranks.begin(), ranks.end()).size(), 1000U);
  EXPECT_EQ(ranks, large.sample(1000, 7)) << "the same for the same seed";
  EXPECT_NE(ranks, large.sample(1000, 8));
  double sum = 0;
  for (const std::uint64_t rank : ranks) {
    const Point point = large.at(rank);
    EXPECT_EQ(point[0] % point[1], 0);
    sum += static_cast<double>(point[2]);
  }
  EXPECT_NEAR(sum / 1000, 500.5, 40)
      << "uniform: the mean of a thousand numbers to 1000, by five standard errors";
}

// Tiles of tiles, as derivations leave them open: divisions of quotients, products of quotients within
// bounds, sums of memory, roundings.
TEST_F(Spaces, OfRandomTilesHoldWhatFilteringFinds) {
  std::mt19937 random(20261122);
  const auto one_of = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const std::int64_t n = one_of({12, 16, 18}), m = one_of({6, 8, 9});
    const arith::Expr w = arith::parameter("w"), groups = arith::exact_quotient(t, u);
    const arith::Expr others = arith::exact_quotient(arith::constant(m), v);
    std::vector<Constraint> all{divides(t, n),
                                divides(u, t),
                                divides(v, m),
                                divides(w, v * u),
                                divides(groups, w * t),
                                divides(groups, arith::exact_quotient(t, w)),
                                divides(others, arith::exact_quotient(v * t * 4, groups)),
                                divides(u * w, 2 * n),
                                divides(v, t + 2),
                                at_most(groups * others, one_of({4, 12, 40})),
                                at_most(one_of({2, 5}), groups * v),
                                at_most(4 * t * v + 2 * u * w + 3, one_of({60, 200, 700})),
                                at_most((t + 2) * (v + 2), one_of({40, 100})),
                                at_most(arith::exact_quotient(8 * t, groups * w), one_of({4, 16})),
                                at_most(arith::ceiling_quotient(t, v), 4),
                                at_most(u, w),
                                {{Relation::Less, u * 2, arith::constant(one_of({7, 20}))}, "less"},
                                {{Relation::Equal, groups * u, arith::constant(n)}, "equal"},
                                {{Relation::NotEqual, t, w}, "not equal"}};
    std::shuffle(all.begin(), all.end(), random);
    all.resize(1 + random() % 7);
    std::vector<Parameter> parameters{{"t", 1, n}, {"u", 1, 9, random() % 2 == 0}, {"v", 1, m}, {"w", 1, 9}};
    std::shuffle(parameters.begin(), parameters.end(), random);
    expect_same(parameters, all);
  }
}

// The tiles of two matrices in groups, work-items and registers, three times over: what one chain of choices
// leaves is how many work-items and registers, so that none is gone through for each choice of the others.
TEST_F(Spaces, OfManyTilesAreCountedByWhatTheyLeave) {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  arith::Expr items = 1, registers = 1;
  for (int i = 0; i < 6; ++i) {
    const std::string number = std::to_string(i);
    const arith::Expr tile = arith::parameter("t" + number), own = arith::parameter("r" + number),
                      block = arith::parameter("b" + number);
    for (const char* name : {"t", "r", "b"}) parameters.push_back({name + number, 1, 4096});
    constraints.push_back(divides(tile, 1024));
    constraints.push_back(divides(own, tile));
    constraints.push_back(divides(block, own));
    constraints.push_back(divides(arith::exact_quotient(tile, own), arith::exact_quotient(tile, block)));
    items = items * arith::exact_quotient(tile, own);
    registers = registers * own;
  }
  constraints.push_back(at_most(items, 1024));
  constraints.push_back(at_most(registers, 160));
  constraints.push_back(at_most(32, items));
  const Space large = space(parameters, constraints);
  // By the logarithms of a chain's work-items and registers; a block is any divisor of the registers.
  std::map<std::pair<int, int>, std::uint64_t> ways{{{0, 0}, 1}};
  for (int i = 0; i < 6; ++i) {
    std::map<std::pair<int, int>, std::uint64_t> more;
    for (const auto& [sums, count] : ways) {
      for (int d = 0; sums.first + d <= 10; ++d) {
        for (int r = 0; sums.second + r <= 7 && d + r <= 10; ++r)
          more[{sums.first + d, sums.second + r}] += count * static_cast<std::uint64_t>(r + 1);
      }
    }
    ways = std::move(more);
  }
  std::uint64_t expected = 0;
  for (const auto& [sums, count] : ways) expected += sums.first >= 5 ? count : 0;
  EXPECT_EQ(large.count(), expected);
  for (const std::uint64_t rank : large.sample(20, 1)) EXPECT_EQ(large.rank(large.at(rank)), rank);
}

// What is left to divide says all about the choices before: 13! has 1584 divisors, but millions of chains of
// three.
TEST_F(Spaces, ChainsAreCountedByWhatTheyLeave) {
  const std::int64_t number = 6227020800;
  const arith::Expr n = arith::constant(number), w = arith::parameter("w");
  const std::vector<Parameter> parameters{
      {"t", 1, number}, {"u", 1, number}, {"v", 1, number}, {"w", 1, number}};
  EXPECT_EQ(space(parameters, {divides(t, n), divides(u, arith::exact_quotient(n, t)),
                               divides(v, arith::exact_quotient(n, t * u)),
                               divides(w, arith::exact_quotient(n, t * u * v))})
                .count(),
            236486250U);
}

TEST_F(Spaces, SamplesOfAllAreAll) {
  const Space small = space({{"t", 1, 64}}, {divides(t, 12)});
  EXPECT_THAT(small.sample(100, 1), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(Spaces, HaveNeighboursWithTheNextValueOfOneParameter) {
  const Space small =
      space({{"t", 1, 64}, {"u", 1, 64}}, {divides(t, 12), divides(u, 12), at_most(t * u, 24)});
  // Where the other cannot keep its value it has the nearest one.
  EXPECT_THAT(small.neighbours({4, 6}),
              UnorderedElementsAre(Point{3, 6}, Point{6, 4}, Point{4, 4}, Point{2, 12}));
  const Space chain = space({{"t", 1, 64}, {"u", 1, 64}}, {divides(t, 12), divides(u, t)});
  EXPECT_THAT(chain.neighbours({6, 2}),
              UnorderedElementsAre(Point{4, 2}, Point{12, 2}, Point{6, 1}, Point{6, 3}));
}

TEST_F(Spaces, SayWhatLeftNothing) {
  const Space none = space({{"t", 5, 64}, {"u", 1, 64}}, {divides(t, 36), at_most(t * u, 4)});
  EXPECT_EQ(none.count(), 0U);
  EXPECT_THAT(none.emptied_by(), HasSubstr("must be at most 4"));
  EXPECT_THAT(space({{"t", 50, 64}}, {divides(t, 36)}).emptied_by(), HasSubstr("within its bounds"));
  EXPECT_THAT(none.sample(3, 1), IsEmpty());
}

TEST_F(Spaces, RefuseWhatHasNoValue) {
  const auto refused = Space::make({{"t", 1, 64}}, {divides(t, arith::size("N"))});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("N"));
}

TEST_F(Spaces, WithoutParametersTheConstraintsAloneDecide) {
  const Space one = space({}, {at_most(3, 4)}), none = space({}, {at_most(3, 4), at_most(5, 4)});
  EXPECT_EQ(one.count(), 1U);
  EXPECT_EQ(one.rank({}), 0U);
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.rank({}), std::nullopt);
  EXPECT_EQ(none.emptied_by(), "5 must be at most 4");
  none.for_each([](const Point&) {
    ADD_FAILURE() << "there is no point";
    return true;
  });
}

}  // namespace
}  // namespace hoist::space
