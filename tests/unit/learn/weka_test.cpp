// The learners of src/learn/weka against Weka's own predictions, which tests/unit/learn/data keeps beside the
// program that asked Weka for them.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "learn/weka/ibk.hpp"
#include "learn/weka/java_random.hpp"
#include "learn/weka/k_star.hpp"
#include "learn/weka/linear_regression.hpp"
#include "learn/weka/m5p.hpp"
#include "learn/weka/multilayer_perceptron.hpp"
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
  std::unique_ptr<Regressor> (*make)();
  double tolerance = 1e-9;  ///< relative to numbers greater than 1
};
std::ostream& operator<<(std::ostream& out, const WekaCase& each) { return out << each.learner; }

const WekaCase learners[] = {{"ibk", make_ibk},
                             {"k_star", make_k_star},
                             {"linear_regression", make_linear_regression},
                             {"m5p", make_m5p},
                             {"multilayer_perceptron", make_multilayer_perceptron},
                             {"smo_reg", make_smo_reg}};
const char* const tables_of_weka[] = {"wide", "small", "deep"};

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
