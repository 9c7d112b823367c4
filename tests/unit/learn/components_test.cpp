// Scaling, principal components and their rotation, and the choice of columns.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "learn/column_selection.hpp"
#include "learn/principal_components.hpp"
#include "learn/scaling.hpp"
#include "learn/varimax.hpp"

namespace hoist::learn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

TEST(Standardization, GivesColumnsMeanZeroAndDeviationOne) {
  const Matrix rows{3, {1, 10, 7, 3, 30, 7, 5, 20, 7}};
  const Standardization scaling = Standardization::of(rows);
  EXPECT_THAT(scaling.mean, ElementsAre(3, 20, 7));
  EXPECT_THAT(scaling.deviation,
              Pointwise(DoubleNear(1e-12), {std::sqrt(8 / 3.0), std::sqrt(200 / 3.0), 1.0}));
  const Matrix scaled = scaling.apply(rows);
  EXPECT_THAT(scaled.row(0)[0], DoubleNear(-std::sqrt(1.5), 1e-12));
  EXPECT_THAT(scaled.row(1)[1], DoubleNear(std::sqrt(1.5), 1e-12));
  EXPECT_EQ(scaled.row(2)[2], 0) << "a constant column";
  EXPECT_EQ(scaling.apply({3, {3, 20, 9}}).numbers.back(), 2) << "and what differs from it later";
}

/// Points along the diagonal, with a little across it and less along the third axis.
Matrix cigar() {
  Matrix rows;
  for (int i = -2; i <= 2; ++i) {
    for (const double across : {-0.5, 0.5}) {
      for (const double up : {-0.1, 0.1}) rows.add(std::vector<double>{i + across, i - across, up});
    }
  }
  return rows;
}

TEST(PrincipalComponents, AreTheDirectionsOfTheMostVariance) {
  // The variances are 4 along (1, 1), 0.5 along (1, -1), 0.01 upwards.
  const auto two = PrincipalComponents::of(cigar(), 0.95);
  ASSERT_EQ(two.count(), 2U);
  const Matrix projected = two.project({3, {1, 1, 0, 1, -1, 0, 0, 0, 1}});
  EXPECT_THAT(projected.numbers, Pointwise(DoubleNear(1e-9), {std::sqrt(2.0), 0.0, 0.0,
                                                              std::abs(projected.at(1, 1)), 0.0, 0.0}));
  EXPECT_NEAR(std::abs(projected.at(1, 1)), std::sqrt(2.0), 1e-9);
}

TEST(PrincipalComponents, AsManyAreKeptAsHoldTheShare) {
  EXPECT_EQ(PrincipalComponents::of(cigar(), 0.5).count(), 1U);
  EXPECT_EQ(PrincipalComponents::of(cigar(), 0.88).count(), 1U);
  EXPECT_EQ(PrincipalComponents::of(cigar(), 0.89).count(), 2U);
  EXPECT_EQ(PrincipalComponents::of(cigar(), 0.9999).count(), 3U);
}

TEST(PrincipalComponents, AreReadAsTheyWereWritten) {
  const auto written = PrincipalComponents::of(cigar(), 0.95);
  const auto read = PrincipalComponents::from_json(written.to_json(), 3).value();
  EXPECT_EQ(read.project(cigar()).numbers, written.project(cigar()).numbers);
  EXPECT_FALSE(PrincipalComponents::from_json(written.to_json(), 4));
  EXPECT_FALSE(PrincipalComponents::from_json(Json::array(), 3));
  EXPECT_FALSE(PrincipalComponents::from_json({"a", "b", "c"}, 3));
}

TEST(PrincipalComponents, AsManyAreKeptAsAreAskedFor) {
  const auto all = PrincipalComponents::of(cigar(), 1);
  const auto two = PrincipalComponents::of_count(cigar(), 2);
  ASSERT_EQ(two.count(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto direction = two.direction(i), same = all.direction(i);
    EXPECT_THAT(std::vector(direction.begin(), direction.end()),
                Pointwise(DoubleNear(1e-12), std::vector(same.begin(), same.end())));
  }
  EXPECT_EQ(PrincipalComponents::of_count(cigar(), 9).count(), 3U);
}

TEST(RangeScaling, GivesNumbersFromZeroToOneAndCutsOthers) {
  const Matrix rows{3, {1, 10, 7, 3, 30, 7, 5, 20, 7}};
  const RangeScaling scaling = RangeScaling::of(rows);
  EXPECT_THAT(scaling.least, ElementsAre(1, 10, 7));
  EXPECT_THAT(scaling.most, ElementsAre(5, 30, 7));
  EXPECT_THAT(scaling.apply(rows).numbers, ElementsAre(0, 0, 0, 0.5, 1, 0, 1, 0.5, 0));
  EXPECT_THAT(scaling.apply({3, {-4, 15, 9, 9, 31, 5}}).numbers, ElementsAre(0, 0.25, 0, 1, 1, 0));
}

TEST(ColumnSelection, LeavesOutWhatAnEarlierColumnSays) {
  // The second is twice the first, the third the first turned around with an error (correlation -0.8), the
  // fourth is constant, the fifth is like neither.
  const Matrix rows{5, {1, 2, 4, 7, 1,   //
                        2, 4, 2, 7, -1,  //
                        3, 6, 3, 7, -1,  //
                        4, 8, 1, 7, 1}};
  EXPECT_THAT(uncorrelated_columns(rows, 0.7), ElementsAre(0, 4));
  EXPECT_THAT(uncorrelated_columns(rows, 0.85), ElementsAre(0, 2, 4));
  EXPECT_THAT(select_columns(rows, {4, 0}).numbers, ElementsAre(1, 1, -1, 2, -1, 3, 1, 4));
}

TEST(Loadings, AreCovariancesWithComponentsOfVarianceOne) {
  const auto components = PrincipalComponents::of(cigar(), 1);
  const Matrix loaded = loadings(components, cigar());
  // 4 of variance along (1, 1) / sqrt(2), 0.5 along (1, -1) / sqrt(2), 0.01 along the third column.
  const double along = 2 / std::sqrt(2.0), across = std::sqrt(0.5) / std::sqrt(2.0);
  EXPECT_THAT(std::abs(loaded.at(0, 0)), DoubleNear(along, 1e-9));
  EXPECT_THAT(std::abs(loaded.at(1, 1)), DoubleNear(across, 1e-9));
  EXPECT_THAT(loaded.at(2, 2), DoubleNear(0.1, 1e-9));
  const Matrix shares = variance_shares(loaded);
  EXPECT_THAT(shares.at(0, 0), DoubleNear(2 / 4.51, 1e-9));
  EXPECT_THAT(shares.at(2, 2), DoubleNear(0.01 / 4.51, 1e-9));
}

/// What numpy gives for it by the other usual algorithm, by singular values.
TEST(Varimax, IsTheRotationThatAnotherAlgorithmFinds) {
  const Matrix given{3,
                     {0.44, -0.33, 2.43, -0.25, 0.11, 1.58, -0.91, -0.59, 0.19, -0.33, -1.19, -0.2, -0.36,
                      0.6, -1.66, -0.7, 1.15, 1.86}};
  const Matrix expected{
      3,
      {0.005237960656560975, 0.7519911663729851, 2.3752645851494445, -0.21215273240606708, 0.9930753076781752,
       1.2408838186601274, -1.0878917987703038, 0.15874919120457112, 0.05991768069783553, -0.9887101323022732,
       -0.7534996803263148, 0.1403228635360755, 0.18372385180768042, -0.22290964083306392,
       -1.7781329641791768, 0.07045672977503978, 2.088187436259735, 0.952160217755609}};
  const Matrix turned = varimax(given);
  // Components may change places and signs.
  for (std::size_t own = 0; own < 3; ++own) {
    double nearest = 1;
    for (std::size_t other = 0; other < 3; ++other) {
      for (const double sign : {1.0, -1.0}) {
        double farthest = 0;
        for (std::size_t i = 0; i < 6; ++i)
          farthest = std::max(farthest, std::abs(turned.at(i, own) - sign * expected.at(i, other)));
        nearest = std::min(nearest, farthest);
      }
    }
    EXPECT_LT(nearest, 1e-6) << own;
  }
  for (std::size_t i = 0; i < 6; ++i) {
    double before = 0, after = 0;
    for (std::size_t component = 0; component < 3; ++component) {
      before += given.at(i, component) * given.at(i, component);
      after += turned.at(i, component) * turned.at(i, component);
    }
    EXPECT_NEAR(before, after, 1e-12);
  }
}

}  // namespace
}  // namespace hoist::learn
