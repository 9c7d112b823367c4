// Shares of iterations under guards, and lines that differ, against counting one by one.
#include "features/guards.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "arith/arena.hpp"
#include "features/traffic.hpp"

namespace hoist::features {
namespace {

constexpr std::uint64_t seed = 20261122;

class Guards : public testing::Test {
 protected:
  arith::Arena arena;
  Places places{std::array<std::int64_t, 3>{1, 1, 1}};
  std::vector<arith::Expr> variables;
  std::vector<std::int64_t> trips;
  std::mt19937_64 random{seed};

  std::int64_t number(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  }
  void add_loop(std::int64_t length) {
    loop::For loop;
    loop.variable = arith::index("i" + std::to_string(variables.size()), 0, length);
    loop.start = 0;
    loop.stop = length;
    loop.step = 1;
    places.enter(loop);
    variables.push_back(loop.variable);
    trips.push_back(length);
  }
  arith::Expr random_sum() {
    arith::Expr sum = number(-20, 20);
    for (arith::Expr variable : variables) sum = sum + number(-6, 6) * variable;
    return sum;
  }
  /// How many points satisfy all, by trying each.
  std::int64_t counted(const std::vector<arith::Predicate>& predicates) const {
    std::int64_t count = 0;
    std::vector<std::int64_t> point(variables.size());
    do {
      arith::Bindings bindings;
      for (std::size_t i = 0; i < point.size(); ++i) bindings[variables[i].get()] = point[i];
      bool is_in = true;
      for (const arith::Predicate& each : predicates)
        is_in = is_in && arith::evaluate(each, bindings).value_or(false);
      count += is_in ? 1 : 0;
    } while (advance(point));
    return count;
  }
  bool advance(std::vector<std::int64_t>& point) const {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (++point[i] < trips[i]) return true;
      point[i] = 0;
    }
    return false;
  }
  Share share(const std::vector<arith::Predicate>& predicates) {
    std::vector<Guard> guards;
    for (const arith::Predicate& each : predicates) {
      Guard guard{places.form(each.left), each.relation};
      guard.form.add(places.form(each.right), -1);
      guards.push_back(guard);
    }
    return Shares(places).of(guards);
  }
  double points() const {
    double all = 1;
    for (const std::int64_t length : trips) all *= static_cast<double>(length);
    return all;
  }
};

TEST_F(Guards, OfRandomSumsAreCounted) {
  for (const std::int64_t length : {7, 12, 5}) add_loop(length);
  int exact = 0;
  constexpr int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    std::vector<arith::Predicate> predicates;
    for (std::int64_t i = number(1, 3); i > 0; --i)
      predicates.push_back({static_cast<arith::Relation>(number(0, 3)), random_sum(), random_sum()});
    const Share found = share(predicates);
    exact += found.is_exact ? 1 : 0;
    const auto expected = static_cast<double>(counted(predicates));
    if (found.is_exact) {
      EXPECT_NEAR(found.share * points(), expected, 1e-6) << "round " << round;
    }
    EXPECT_GE(found.share, 0);
    EXPECT_LE(found.share, 1);
  }
  EXPECT_GT(exact, rounds * 9 / 10);
}

TEST_F(Guards, OfDivisionsAndChoicesAreCounted) {
  for (const std::int64_t length : {13, 9}) add_loop(length);
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    const arith::Expr flat = 9 * variables[0] + variables[1];
    const arith::Expr parts[] = {flat / number(2, 11), flat % number(2, 11),
                                 arith::minimum(flat, number(5, 90)),
                                 arith::maximum(variables[0] - number(0, 9), 0)};
    const std::vector<arith::Predicate> predicates = {
        {arith::Relation::Less, parts[number(0, 3)] + variables[1], number(0, 20)},
        {arith::Relation::LessEqual, parts[number(0, 3)], number(0, 60)}};
    const Share found = share(predicates);
    EXPECT_TRUE(found.is_exact);
    EXPECT_NEAR(found.share * points(), static_cast<double>(counted(predicates)), 1e-6) << "round " << round;
  }
}

TEST_F(Guards, OfLargeLoopsAreExactAndCheap) {
  for (const std::int64_t length : {4096, 1 << 20, 32}) add_loop(length);
  // A tile of 32 at a time, 100 elements beyond the end left out.
  const Share tail = share({{arith::Relation::Less, 32 * variables[1] + variables[2], (1 << 25) - 100}});
  EXPECT_TRUE(tail.is_exact);
  EXPECT_NEAR(tail.share, 1 - 100.0 / (1 << 25), 1e-12);
  const Share inside = share({{arith::Relation::LessEqual, 1, variables[0]},
                              {arith::Relation::Less, variables[0], 4095},
                              {arith::Relation::LessEqual, 3, variables[1]}});
  EXPECT_TRUE(inside.is_exact);
  EXPECT_NEAR(inside.share, 4094.0 / 4096 * (1 - 3.0 / (1 << 20)), 1e-12);
}

TEST(Units, OfProgressionsByHand) {
  // 64 neighbours are two units of 32; 4 rows of them, 1000 apart, eight.
  EXPECT_EQ(units_of({{1, 64}}, {0}, 1, 32), 2);
  EXPECT_EQ(units_of({{1, 64}, {1000, 4}}, {0}, 1, 32), 8);
  // Vectors of four, one beside the other.
  EXPECT_EQ(units_of({{4, 16}}, {0}, 4, 32), 2);
  // Windows of three: 66 neighbours. Of three rows: two more rows.
  EXPECT_EQ(units_of({{1, 64}}, {-1, 0, 1}, 1, 1), 66);
  EXPECT_EQ(units_of({{1, 64}, {1000, 4}}, {-1000, 0, 1000}, 1, 1), 6 * 64);
  // Rows that a group does not have itself.
  EXPECT_EQ(units_of({{1, 64}}, {-1000, 0, 1000}, 1, 1), 3 * 64);
  // Tiles of 18 rows, 16 apart: what they share counts once.
  EXPECT_EQ(units_of({{1, 64}, {1000, 18}, {16000, 5}}, {0}, 1, 1), (18 + 4 * 16) * 64);
  // Nothing is read twice by work-items that have no id in the index.
  EXPECT_EQ(units_of({{0, 256}}, {7}, 1, 32), 1);
}

TEST(Units, OfDenseDigitsAreCountedOnce) {
  std::mt19937_64 random{seed};
  for (int round = 0; round < 100; ++round) {
    // Strides that are multiples of one another, as far apart as the ones before reach, or less.
    std::vector<Progression> progressions;
    double stride = 1;
    for (int i = 0; i < 3; ++i) {
      const double count = static_cast<double>(random() % 5 + 2);
      progressions.push_back({stride, count});
      stride *= static_cast<double>(random() % static_cast<unsigned>(count) + 1);
    }
    std::set<double> touched = {0};
    for (const Progression& each : progressions) {
      std::set<double> next;
      for (const double place : touched) {
        for (double i = 0; i < each.count; ++i) next.insert(place + i * each.stride);
      }
      touched = std::move(next);
    }
    EXPECT_EQ(units_of(progressions, {0}, 1, 1), static_cast<double>(touched.size())) << "round " << round;
  }
}

TEST(Folds, AreTheSameNumbers) {
  const Fold regular = fold_of({0, 1, 2, 3, 100, 101, 102, 103, 2, 2});
  EXPECT_EQ(regular.starts.size(), 1U);
  ASSERT_EQ(regular.progressions.size(), 2U);
  EXPECT_EQ(regular.progressions[0].stride, 1);
  EXPECT_EQ(regular.progressions[0].count, 4);
  EXPECT_EQ(regular.progressions[1].stride, 100);
  EXPECT_EQ(regular.progressions[1].count, 2);
  const Fold cross = fold_of({-100, -1, 0, 1, 100});
  EXPECT_TRUE(cross.progressions.empty());
  EXPECT_EQ(cross.starts, (std::vector<std::int64_t>{-100, -1, 0, 1, 100}));
}

}  // namespace
}  // namespace hoist::features
