#include "model/explain.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "unit/model/synthetic.hpp"

namespace hoist::model {
namespace {

class Explaining : public testing::Test {
 protected:
  static std::vector<double> candidate() { return {0x1p20, 0x1p18, 256, 1, 3, 4, 0.5, 7, 5e-6}; }
  Model learn(const char* kind) const {
    FitOptions options;
    options.effort = 0.5;
    options.roofline = {"roofline"};
    auto model = fit(kind, dataset_, options);
    EXPECT_TRUE(model) << model.error().render();
    return std::move(*model);
  }

  Dataset dataset_ = synthetic::make(4, 100);
  Population population_ = Population::of(dataset_.features);
};

TEST_F(Explaining, ContributionsAddUpToTheDifference) {
  const Model model = learn("network");
  std::vector<double> other = candidate();
  other[2] = 8;
  other[3] = 32;
  other[4] = 9;
  other[6] = 0.1;
  const auto found = explain(model, candidate(), other, population_, 1);
  ASSERT_TRUE(found) << found.error().render();
  Matrix both;
  both.add(candidate());
  both.add(other);
  const auto predictions = model.predict(both, population_);
  double sum = 0;
  for (const Contribution& each : *found) sum += each.value;
  EXPECT_NEAR(sum, (*predictions)[0].mean - (*predictions)[1].mean, 1e-6);
  ASSERT_EQ(found->size(), 4U) << "features that are the same contribute nothing";
  EXPECT_EQ((*found)[0].feature, "lines") << "32 lines a warp cost most";
  EXPECT_GT((*found)[0].value, 0.5);
  EXPECT_EQ((*found)[0].candidate, 1);
  EXPECT_EQ((*found)[0].other, 32);
  EXPECT_EQ(found->back().feature, "noise");
}

TEST_F(Explaining, OneFeatureHasItAll) {
  std::vector<double> other = candidate();
  other[8] = 1e-5;
  other[6] = 0.9;
  const auto found = explain(learn("roofline"), candidate(), other, population_, 1);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].feature, "roofline");
  EXPECT_NEAR((*found)[0].value, std::log(2), 1e-9);
  EXPECT_EQ((*found)[1].value, 0);
}

TEST_F(Explaining, NothingDiffersAndNumbersThatAreNone) {
  const Model model = learn("roofline");
  const auto same = explain(model, candidate(), candidate(), population_, 1);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->empty());
  std::vector<double> bad = candidate();
  bad[3] = std::nan("");
  const auto refused = explain(model, bad, candidate(), population_, 1);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), testing::HasSubstr("'lines'"));
}

}  // namespace
}  // namespace hoist::model
