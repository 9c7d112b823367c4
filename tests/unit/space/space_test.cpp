// Spaces of parameters: what they hold, by comparison with what a loop over all values finds.
#include "space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_F(Spaces, HaveNeighboursThatDifferInOneValue) {
  const Space small =
      space({{"t", 1, 64}, {"u", 1, 64}}, {divides(t, 12), divides(u, 12), at_most(t * u, 24)});
  EXPECT_THAT(small.neighbours({4, 6}), UnorderedElementsAre(Point{3, 6}, Point{4, 4}));
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

}  // namespace
}  // namespace hoist::space
