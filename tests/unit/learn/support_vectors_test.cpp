// Support vectors against solutions that were computed otherwise.
#include "learn/support_vectors.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "unit/learn/tables.hpp"

namespace hoist::learn {
namespace {

const Matrix places{2, {0.6, 0.27, 0.28, 0.25, 0.33, 0.14, 0.17, 0.96, 0.96, 0.19, 0.02,
                        0.2, 0.7,  0.78, 0.02, 0.58, 0.0,  0.52, 0.64, 0.99, 0.26, 0.8}};
const std::vector<std::uint32_t> classes = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2};

/// The class of each of ten times ten places of the unit square.
std::string map_of(const SupportVectorOptions& options) {
  const auto learner = make_support_vector_classifier(options);
  learner->fit(places, classes, 3);
  Matrix grid;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) grid.add(std::vector<double>{i / 9.0, j / 9.0});
  }
  std::string map;
  for (const std::uint32_t each : learner->classify(grid)) map += static_cast<char>('0' + each);
  return map;
}

/// numpy's answer: the optimality conditions solved for each choice of which multipliers are 0, at C or
/// between. No place is nearer to a border than forty times the tolerance.
TEST(SupportVectors, ClassifyAsTheExactSolutionDoes) {
  EXPECT_EQ(
      map_of({4, 2}),
      "1111122222111112222200000222220000002222000000222200000022220000011222000111112211111111221111111112");
  EXPECT_EQ(
      map_of({10, 3}),
      "1111122200111111220000000022200000000220000000022200000011220000011122000111111211111111111111111111");
}

/// Two examples on a line: the border is in the middle, whatever C.
TEST(SupportVectors, TwoExamplesShareTheLine) {
  for (const double capacity : {0.1, 1.0, 100.0}) {
    const auto learner = make_support_vector_classifier({capacity, 1});
    learner->fit({1, {0, 1}}, {1, 0}, 2);
    EXPECT_THAT(learner->classify({1, {-5, 0, 0.4999, 0.5001, 1, 5}}),
                testing::ElementsAre(1, 1, 1, 0, 0, 0));
  }
}

TEST(SupportVectors, VoteForClassesThatOccur) {
  const auto learner = make_support_vector_classifier({10, 3});
  learner->fit(places, classes, 5);
  const Matrix votes = learner->probabilities(places);
  ASSERT_EQ(votes.width, 5U);
  for (std::size_t i = 0; i < votes.count(); ++i) {
    EXPECT_NEAR(votes.at(i, 0) + votes.at(i, 1) + votes.at(i, 2), 1, 1e-12);
    EXPECT_EQ(votes.at(i, 3), 0);
  }
  learner->fit({1, {1, 2, 3}}, {2, 2, 2}, 4);
  EXPECT_THAT(learner->classify({1, {0, 9}}), testing::ElementsAre(2, 2));
}

/// Examples at one place that disagree, and many of them.
TEST(SupportVectors, EndWithExamplesThatContradictEachOther) {
  Matrix rows;
  std::vector<std::uint32_t> labels;
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    rows.add(std::vector<double>{static_cast<double>(random.below(4)), static_cast<double>(random.below(3))});
    labels.push_back(static_cast<std::uint32_t>(rows.at(rows.count() - 1, 0) < 2 ? random.below(5) == 0
                                                                                 : random.below(5) != 0));
  }
  const auto learner = make_support_vector_classifier({100, 1});
  learner->fit(rows, labels, 2);
  EXPECT_THAT(learner->classify({2, {0, 0, 1, 2, 2, 1, 3, 2}}), testing::ElementsAre(0, 0, 1, 1));
}

}  // namespace
}  // namespace hoist::learn
