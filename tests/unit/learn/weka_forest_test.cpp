// Weka's random forest against Weka's own predictions, which tests/unit/learn/data keeps beside the program
// that asked Weka for them; tests/unit/learn/data/make_weka_forests.py --compare does so with many more
// tables.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "learn/weka/random_forest.hpp"
#include "unit/learn/tables.hpp"

namespace hoist::learn {
namespace {

struct Table {
  WekaNames names;
  Matrix rows;  ///< the first of which are learned from
  std::vector<std::uint32_t> classes;
  Matrix expected;
  std::size_t trees = 0;

  Matrix learned;
};

std::vector<Table> tables_of_weka() {
  std::ifstream in(HOIST_SOURCE_DIR "/tests/unit/learn/data/weka_forests.json");
  std::vector<Table> tables;
  for (const Json& each : Json::parse(in)) {
    Table table;
    table.names = {each.at("columns"), each.at("classes")};
    table.trees = each.at("trees");
    for (const Json& row : each.at("rows")) {
      std::vector<double> numbers;
      for (const Json& cell : row) numbers.push_back(cell.is_null() ? std::nan("") : cell.get<double>());
      table.rows.add(numbers);
      if (table.learned.count() < each.at("learned")) table.learned.add(numbers);
    }
    table.classes = each.at("labels").get<std::vector<std::uint32_t>>();
    table.classes.resize(table.learned.count());
    for (const Json& row : each.at("distributions")) table.expected.add(row.get<std::vector<double>>());
    tables.push_back(std::move(table));
  }
  return tables;
}

Matrix told_by(Classifier& forest, const Table& table) {
  forest.fit(table.learned, table.classes, static_cast<std::uint32_t>(table.names.classes.size()));
  return forest.probabilities(table.rows);
}

TEST(WekaRandomForest, PredictsWhatWekaPredicts) {
  const std::vector<Table> tables = tables_of_weka();
  ASSERT_EQ(tables.size(), 12U);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const auto forest = make_weka_random_forest(tables[t].names, tables[t].trees);
    const Matrix told = told_by(*forest, tables[t]);
    ASSERT_EQ(told.numbers.size(), tables[t].expected.numbers.size());
    for (std::size_t i = 0; i < told.numbers.size(); ++i)
      EXPECT_NEAR(told.numbers[i], tables[t].expected.numbers[i], 1e-9) << "table " << t << ", number " << i;
  }
}

TEST(WekaRandomForest, IsTheSameAgainAndForgetsWhatItLearnedBefore) {
  const std::vector<Table> tables = tables_of_weka();
  const auto forest = make_weka_random_forest(tables[0].names);
  const Matrix once = told_by(*forest, tables[0]);
  EXPECT_EQ(told_by(*forest, tables[0]).numbers, once.numbers);
}

TEST(WekaRandomForest, TellsClassesApart) {
  const auto stripe = [](std::span<const double> x) {
    return static_cast<std::uint32_t>(3 * (x[0] + x[1]) / 2);
  };
  const Matrix rows = tables::points(600, 3, 1), others = tables::points(300, 3, 2);
  const auto forest = make_weka_random_forest();
  forest->fit(rows, tables::values_of<std::uint32_t>(rows, stripe), 3);
  const std::vector<std::uint32_t> right = tables::values_of<std::uint32_t>(others, stripe),
                                   told = forest->classify(others);
  int agree = 0;
  for (std::size_t i = 0; i < right.size(); ++i) agree += told[i] == right[i] ? 1 : 0;
  EXPECT_GT(agree, 250);
}

/// Columns of names have no order: classes that alternate with the place are as easy as any.
TEST(WekaRandomForest, CutsByNames) {
  Matrix rows;
  std::vector<std::uint32_t> classes;
  for (std::uint32_t i = 0; i < 60; ++i) {
    rows.add(std::vector<double>{static_cast<double>(i % 6)});
    classes.push_back(i % 2);
  }
  const auto forest = make_weka_random_forest({{{"a", "b", "c", "d", "e", "f"}}, {"even", "odd"}});
  forest->fit(rows, classes, 2);
  EXPECT_EQ(forest->classify(rows), classes);
}

TEST(WekaRandomForest, RefusesNamesThatWekaWouldWriteOtherwise) {
  EXPECT_THROW(make_weka_random_forest({{{"100%", "b"}}, {}}), Bug);
  EXPECT_THROW(make_weka_random_forest({{}, {"it's", "b"}}), Bug);
}

}  // namespace
}  // namespace hoist::learn
