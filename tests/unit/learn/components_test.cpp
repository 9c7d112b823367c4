// Scaling and principal components.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "learn/principal_components.hpp"
#include "learn/scaling.hpp"

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

}  // namespace
}  // namespace hoist::learn
