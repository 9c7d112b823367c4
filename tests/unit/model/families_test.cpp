#include "model/families.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "unit/model/synthetic.hpp"

namespace hoist::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// Programs of their own random candidates, and "twin", whose candidates are launched as those of "p0".
Dataset with_twin() {
  Dataset dataset = synthetic::make(4, 20);
  const std::uint32_t task = dataset.task({"twin", "N=1", "gpu"});
  for (std::uint32_t row = 0; row < 20; ++row) {
    Measurement measurement = dataset.measurements[row];
    measurement.task = task;
    std::vector<double> numbers(dataset.features.row(row).begin(), dataset.features.row(row).end());
    numbers[4] += 100;  // another number of loads
    dataset.add(measurement, numbers);
  }
  return dataset;
}

TEST(Families, AreTold) {
  const Families families =
      families_of(synthetic::make(4, 20), {{"even", {"p0", "p2", "p4"}}, {"absent", {"p9"}}}, "input");
  EXPECT_THAT(families, ElementsAre(Pair("even", ElementsAre("p0", "p1", "p2", "p3"))))
      << "the sizes of all programs are equal";
  EXPECT_THAT(
      families_of(synthetic::make(4, 20), {{"even", {"p0", "p2", "p4"}}, {"absent", {"p9"}}}, "analytic"),
      ElementsAre(Pair("even", ElementsAre("p0", "p2")), Pair("p1", ElementsAre("p1")),
                  Pair("p3", ElementsAre("p3"))));
}

TEST(Families, AreFoundWhateverIsTold) {
  const Dataset dataset = with_twin();
  EXPECT_THAT(families_of(dataset, {}, "analytic"),
              ElementsAre(Pair("p0+twin", ElementsAre("p0", "twin")), Pair("p1", ElementsAre("p1")),
                          Pair("p2", ElementsAre("p2")), Pair("p3", ElementsAre("p3"))));
  EXPECT_THAT(families_of(dataset, {{"a", {"p0", "p1"}}, {"b", {"twin", "p2"}}}, "analytic"),
              ElementsAre(Pair("a+b", ElementsAre("p0", "p1", "p2", "twin")), Pair("p3", ElementsAre("p3"))));
}

TEST(Families, AreLeftOutWhole) {
  const Dataset dataset = with_twin();
  const std::vector<Split> splits =
      leave_families_out(dataset, families_of(dataset, {{"odd", {"p1", "p3"}}}, "analytic"));
  ASSERT_EQ(splits.size(), 3U);
  const auto programs = [&](const std::vector<std::uint32_t>& rows) {
    std::set<std::string> names;
    for (const std::uint32_t row : rows) names.insert(dataset.tasks[dataset.measurements[row].task].program);
    return names;
  };
  EXPECT_EQ(splits[0].name, "odd");
  EXPECT_THAT(programs(splits[0].test), ElementsAre("p1", "p3"));
  EXPECT_THAT(programs(splits[0].train), ElementsAre("p0", "p2", "twin"));
  EXPECT_EQ(splits[1].name, "p0+twin");
  EXPECT_THAT(programs(splits[1].train), ElementsAre("p1", "p2", "p3"));
  for (const Split& split : splits)
    EXPECT_EQ(split.train.size() + split.test.size(), dataset.measurements.size());
}

TEST(Families, AreReadFromTheCard) {
  const std::string path = testing::TempDir() + "families.json";
  const auto read = [&](const std::string& text) {
    std::ofstream(path) << text;
    return read_families(path);
  };
  EXPECT_EQ(*read(R"({"stencil": ["a", "b"]})"), (Families{{"stencil", {"a", "b"}}}));
  EXPECT_THAT(read(R"({"stencil": ["a"], "other": ["a"]})").error().diagnostics.front().message,
              HasSubstr("'a' in two families, 'other' and 'stencil'"));
  EXPECT_THAT(read(R"(["a"])").error().diagnostics.front().message, HasSubstr("does not list families"));
  std::filesystem::remove(path);
  EXPECT_FALSE(read_families(path));
}

}  // namespace
}  // namespace hoist::model
