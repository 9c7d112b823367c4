// What we take of xgboost, against xgboost.
#include "learn/xgboost.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "learn/trees.hpp"
#include "support/abi.hpp"

#if __has_include(<xgboost/c_api.h>)
#include <xgboost/c_api.h>

namespace hoist::learn {
namespace {

using testing_support::are_alike;

#define HOIST_CHECK(result, name, parameters) \
  static_assert(are_alike(decltype(xgboost::Functions::name)(), decltype (&::name)()), #name);
HOIST_XGBOOST_FUNCTIONS(HOIST_CHECK)
#undef HOIST_CHECK

}  // namespace
}  // namespace hoist::learn
#endif

namespace hoist::learn {
namespace {

void* library() {
  for (const char* name : {"libxgboost.so.0", "libxgboost.so"}) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

xgboost::Data sample(std::size_t rows) {
  Random random(5);
  xgboost::Data training;
  training.width = 4;
  for (std::size_t i = 0; i < rows; ++i) {
    float row[4];
    for (float& number : row) number = static_cast<float>(std::floor(random.unit() * 40) / 3);
    training.rows.insert(training.rows.end(), row, row + 4);
    training.targets.push_back(row[0] * row[1] - row[2] + static_cast<float>(random.normal()));
    training.weights.push_back(1);
  }
  return training;
}

/// xgboost's own answers.
std::vector<float> answers(const std::string& model, const xgboost::Data& data) {
  void* handle = library();
  const auto create = reinterpret_cast<int (*)(const float*, std::uint64_t, std::uint64_t, float, void**)>(
      dlsym(handle, "XGDMatrixCreateFromMat"));
  const auto make =
      reinterpret_cast<int (*)(void* const*, std::uint64_t, void**)>(dlsym(handle, "XGBoosterCreate"));
  const auto load = reinterpret_cast<int (*)(void*, const void*, std::uint64_t)>(
      dlsym(handle, "XGBoosterLoadModelFromBuffer"));
  const auto predict =
      reinterpret_cast<int (*)(void*, void*, const char*, const std::uint64_t**, std::uint64_t*,
                               const float**)>(dlsym(handle, "XGBoosterPredictFromDMatrix"));
  void *matrix = nullptr, *booster = nullptr;
  EXPECT_EQ(create(data.rows.data(), data.targets.size(), data.width, std::numeric_limits<float>::quiet_NaN(),
                   &matrix),
            0);
  EXPECT_EQ(make(nullptr, 0, &booster), 0);
  EXPECT_EQ(load(booster, model.data(), model.size()), 0);
  const std::uint64_t* shape = nullptr;
  std::uint64_t dimensions = 0;
  const float* numbers = nullptr;
  EXPECT_EQ(
      predict(
          booster, matrix,
          R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})",
          &shape, &dimensions, &numbers),
      0);
  std::vector<float> result(numbers, numbers + data.targets.size());
  reinterpret_cast<int (*)(void*)>(dlsym(handle, "XGBoosterFree"))(booster);
  reinterpret_cast<int (*)(void*)>(dlsym(handle, "XGDMatrixFree"))(matrix);
  return result;
}

TEST(Xgboost, OurEvaluationOfItsTreesIsItsOwn) {
  if (!library()) GTEST_SKIP() << "xgboost (libxgboost0) is not installed";
  const xgboost::Data training = sample(3000);
  const Matrix rows{4, {training.rows.begin(), training.rows.end()}};
  for (const char* parallel : {"1", "5"}) {
    const std::string model = xgboost::train(training,
                                             {{"tree_method", "hist"},
                                              {"max_depth", "7"},
                                              {"num_parallel_tree", parallel},
                                              {"base_score", "0"},
                                              {"nthread", "1"},
                                              {"verbosity", "0"}},
                                             20);
    const Trees trees = Trees::from_xgboost(model);
    EXPECT_EQ(trees.count(), 20U * static_cast<std::size_t>(std::atoi(parallel)));
    const std::vector<float> theirs = answers(model, training);
    const std::vector<double> ours = trees.sums(rows);
    const std::vector<double> read = Trees::from_json(trees.to_json(), 4).sums(rows);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(ours[i], theirs[i], 1e-5 * std::max(1.0F, std::abs(theirs[i])));
      EXPECT_EQ(ours[i], read[i]);
    }
  }
}

TEST(Xgboost, ItsErrorsAreSaid) {
  if (!library()) GTEST_SKIP() << "xgboost (libxgboost0) is not installed";
  try {
    xgboost::train(sample(10), {{"objective", "nonsense"}}, 1);
    FAIL() << "it was accepted";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), testing::HasSubstr("nonsense"));
  }
}

TEST(Xgboost, WithoutItTheMessageSaysWhatToInstall) {
  ::setenv("HOIST_XGBOOST_LIBRARY", "libno-such-library.so", 1);
  const auto opened = catch_failure([] { return xgboost::load(); });
  ::setenv("HOIST_XGBOOST_LIBRARY", "libz.so.1", 1);
  const auto other = catch_failure([] { return xgboost::load(); });
  ::unsetenv("HOIST_XGBOOST_LIBRARY");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::User);
  EXPECT_THAT(opened.error().render(), testing::HasSubstr("install it (libxgboost0 on Debian)"));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().render(), testing::HasSubstr("it has no function XG"));
}

TEST(Trees, ThatAreNoTreesAreRefused) {
  const Json good = {{"roots", {0}}, {"number", {0.5, 1, 2}}, {"column", {1, 0, 0}}, {"left", {1, 0, 0}}};
  const auto read = [&](const char* key, Json value, std::size_t width = 2) {
    Json json = good;
    if (*key != '\0') json[key] = std::move(value);
    return catch_failure([&] { return Trees::from_json(json, width); });
  };
  const auto trees = read("", {});
  ASSERT_TRUE(trees);
  EXPECT_EQ(trees->sums({2, {0, 0.25, 0, 0.5}}), (std::vector<double>{1, 2}));
  EXPECT_FALSE(read("", {}, 1)) << "a column that there is not";
  EXPECT_FALSE(read("left", {0, 0, 1})) << "a circle";
  EXPECT_FALSE(read("left", {2, 0, 0})) << "a child behind the end";
  EXPECT_FALSE(read("roots", {3})) << "a root behind the end";
  EXPECT_FALSE(read("left", {1, 0})) << "nodes of which a part is missing";
}

}  // namespace
}  // namespace hoist::learn
