// The learners of src/learn/weka against Weka's own predictions, which tests/unit/learn/data keeps beside the
// program that asked Weka for them.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "learn/weka/ibk.hpp"
#include "learn/weka/java_random.hpp"
#include "learn/weka/k_star.hpp"
#include "learn/weka/linear_regression.hpp"
#include "learn/weka/m5p.hpp"
#include "learn/weka/multilayer_perceptron.hpp"
#include "learn/weka/quicksort.hpp"
#include "learn/weka/smo_reg.hpp"
#include "unit/learn/tables.hpp"

namespace hoist::learn {
namespace {

struct Table {
  Examples seen;  ///< to learn from
  Matrix rows;    ///< to predict: those and others
  std::vector<double> expected;
};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) result.push_back(cell);
  return result;
}

/// The table of a file, with what the column of this name expects.
Table read_table(const std::string& name, const std::string& learner) {
  std::ifstream in(HOIST_SOURCE_DIR "/tests/unit/learn/data/weka_" + name + ".csv");
  std::string line;
  std::getline(in, line);
  std::size_t seen = 0;
  in.ignore(2) >> seen;
  std::getline(in, line);
  std::getline(in, line);
  const std::vector<std::string> names = cells(line);
  const auto place_of = [&](const std::string& column) {
    return std::find(names.begin(), names.end(), column) - names.begin();
  };
  const std::ptrdiff_t target = place_of("y"), prediction = place_of(learner);
  Table table;
  while (std::getline(in, line)) {
    std::vector<double> numbers;
    for (const std::string& cell : cells(line)) numbers.push_back(std::stod(cell));
    const std::vector<double> row(numbers.begin(), numbers.begin() + target);
    table.rows.add(row);
    table.expected.push_back(numbers.at(static_cast<std::size_t>(prediction)));
    if (table.rows.count() > seen) continue;
    table.seen.rows.add(row);
    table.seen.targets.push_back(numbers[static_cast<std::size_t>(target)]);
  }
  return table;
}

struct WekaCase {
  const char* learner;
  std::unique_ptr<StoredRegressor> (*make)();
  double tolerance = 1e-9;  ///< relative to numbers greater than 1
};
std::ostream& operator<<(std::ostream& out, const WekaCase& each) { return out << each.learner; }

const WekaCase learners[] = {{"ibk", make_ibk},
                             {"k_star", make_k_star},
                             {"linear_regression", make_linear_regression},
                             {"m5p", make_m5p},
                             {"multilayer_perceptron", make_multilayer_perceptron},
                             {"smo_reg", make_smo_reg}};
const char* const tables_of_weka[] = {"wide", "small", "deep", "many"};

class EachOfWeka : public testing::TestWithParam<std::tuple<WekaCase, const char*>> {};

TEST_P(EachOfWeka, PredictsWhatWekaPredicts) {
  const auto& [each, name] = GetParam();
  const Table table = read_table(name, each.learner);
  ASSERT_FALSE(table.expected.empty());
  const auto learner = each.make();
  learner->fit(table.seen);
  const std::vector<double> told = tables::means(*learner, table.rows);
  for (std::size_t i = 0; i < told.size(); ++i)
    EXPECT_NEAR(told[i], table.expected[i], each.tolerance * std::max(1.0, std::abs(table.expected[i])))
        << "row " << i;
}

/// What is damaged is refused, wherever it is: no list is shorter than it must be, and nothing is missing.
TEST_P(EachOfWeka, RefusesWhatIsNotWhatItWrote) {
  const auto& [each, name] = GetParam();
  const Table table = read_table(name, each.learner);
  const auto learner = each.make();
  learner->fit(table.seen);
  const Json written = learner->to_json();
  const std::size_t width = table.seen.rows.width;
  ASSERT_TRUE(learner->from_json(written, width));
  EXPECT_EQ(learner->to_json(), written);
  EXPECT_FALSE(learner->from_json(written, width + 1));
  for (const auto& [key, value] : written.items()) {
    Json without = written, other = written, shorter = written;
    without.erase(key);
    other[key] = "text";
    EXPECT_FALSE(learner->from_json(without, width)) << key;
    EXPECT_FALSE(learner->from_json(other, width)) << key;
    if (!value.is_array()) continue;
    shorter[key] = Json(value.begin(), value.end() - 1);
    EXPECT_FALSE(learner->from_json(shorter, width)) << key;
  }
}

TEST(Quicksort, OrdersAnyList) {
  Random random(1);
  for (std::size_t size = 0; size < 60; ++size) {
    std::vector<double> list;
    for (std::size_t i = 0; i < size; ++i) list.push_back(static_cast<double>(random.below(1 + size / 2)));
    std::vector<double> sorted = list;
    std::sort(sorted.begin(), sorted.end());
    quicksort(std::span(list), [](double number) { return number; });
    EXPECT_EQ(list, sorted);
  }
}

/// Children that come before their parent would make a walk that never ends.
TEST(M5p, RefusesATreeThatGoesInCircles) {
  const Json leaf = {{"coefficients", {1.0}}, {"intercept", 2.0}};
  const auto tree = [&](std::size_t column, std::size_t left, std::size_t right) {
    return Json{{"nodes", {{{"column", column}, {"at", 0.5}, {"children", {left, right}}}, leaf, leaf}}};
  };
  const auto learner = make_m5p();
  ASSERT_TRUE(learner->from_json(tree(0, 1, 2), 1));
  EXPECT_EQ(tables::means(*learner, {1, {0.5, 1}}), (std::vector<double>{2.5, 3}));
  EXPECT_FALSE(learner->from_json(tree(0, 0, 2), 1));
  EXPECT_FALSE(learner->from_json(tree(0, 1, 3), 1));
  EXPECT_FALSE(learner->from_json(tree(1, 1, 2), 1));
}

/// The numbers are those that OpenJDK 17 draws.
TEST(JavaRandom, DrawsTheNumbersOfJava) {
  JavaRandom random(0);
  EXPECT_EQ(random.below(10), 0U);
  EXPECT_EQ(random.below(16), 13U);
  EXPECT_EQ(random.unit(), 0.24053641567148587);
  EXPECT_EQ(random.below(1000000007), 368843508U);
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_EQ(random.below(1500000000), 1182054491U);
  EXPECT_EQ(random.below(1500000000), 251269761U);
  EXPECT_EQ(random.below(1500000000), 1283218719U);
  JavaRandom other(1);
  EXPECT_EQ(other.below(100), 85U);
  EXPECT_EQ(other.unit(), 0.10047321632624884);
}

INSTANTIATE_TEST_SUITE_P(Learners, EachOfWeka,
                         testing::Combine(testing::ValuesIn(learners), testing::ValuesIn(tables_of_weka)),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param).learner) + "_" +
                                  std::get<1>(each.param);
                         });

}  // namespace
}  // namespace hoist::learn
