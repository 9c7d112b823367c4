#include "model/dataset.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "unit/model/synthetic.hpp"

namespace hoist::model {
namespace {

using testing::HasSubstr;

class DatasetFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_ = [] {
    auto folder = std::filesystem::temp_directory_path() /
                  ("hoist_dataset_" + std::to_string(::getpid()) + "_" +
                   testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
    return folder;
  }();
};

void expect_alike(const Dataset& one, const Dataset& other) {
  EXPECT_EQ(one.schema, other.schema);
  EXPECT_EQ(one.provenance, other.provenance);
  EXPECT_EQ(one.tasks, other.tasks);
  EXPECT_EQ(one.derivations, other.derivations);
  ASSERT_EQ(one.measurements.size(), other.measurements.size());
  for (std::size_t i = 0; i < one.measurements.size(); ++i) {
    const Measurement &a = one.measurements[i], &b = other.measurements[i];
    EXPECT_EQ(a.task, b.task);
    EXPECT_EQ(a.derivation, b.derivation);
    EXPECT_EQ(a.candidate, b.candidate);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(a.outcome, b.outcome);
    EXPECT_EQ(a.ran(), b.ran());
    if (a.ran()) {
      EXPECT_NEAR(a.seconds, b.seconds, 1e-5 * a.seconds);
    }
    for (std::size_t f = 0; f < one.features.width; ++f) {
      const double number = one.features.at(i, f);
      const double error = number == std::floor(number) ? 0 : 1e-5 * std::abs(number);
      EXPECT_NEAR(other.features.at(i, f), number, error);
    }
  }
}

TEST_F(DatasetFile, IsReadAsItWasWritten) {
  const Dataset dataset = synthetic::make(3, 40);
  for (const char* name : {"data.csv", "data.csv.gz"}) {
    ASSERT_TRUE(write_dataset(dataset, path(name)));
    const auto read = read_dataset(path(name));
    ASSERT_TRUE(read) << read.error().render();
    expect_alike(dataset, *read);
    // What was rounded stays as it is.
    ASSERT_TRUE(write_dataset(*read, path(std::string("again_") + name)));
    EXPECT_EQ(bytes(path(name)), bytes(path(std::string("again_") + name)));
  }
  EXPECT_LT(bytes(path("data.csv.gz")).size(), bytes(path("data.csv")).size() / 2);
  EXPECT_FALSE(std::filesystem::exists(path("data.csv.part")));
}

TEST_F(DatasetFile, CellsMayHoldWhatDividesCells) {
  Dataset dataset;
  dataset.schema = {1, {{"a,b", "#\"", "g", ""}}};
  Measurement measurement;
  measurement.task = dataset.task({"#p,\"q\"", "N=1, M=2", "d"});
  measurement.derivation = dataset.derivation("split(\"x\", 4), map");
  measurement.candidate = "\"";
  measurement.values = {{"a", -1}, {"t", 64}};
  measurement.outcome = "ok";
  measurement.seconds = 0.25;
  dataset.add(measurement, std::vector<double>{-1.5e-300});
  ASSERT_TRUE(write_dataset(dataset, path("odd.csv")));
  const auto read = read_dataset(path("odd.csv"));
  ASSERT_TRUE(read) << read.error().render();
  expect_alike(dataset, *read);
}

TEST_F(DatasetFile, TablesOfOneSchemaAreMerged) {
  const Dataset one = synthetic::make(1, 10, 1), two = synthetic::make(2, 10, 2);
  const auto whole = merge({one, two});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->tasks.size(), 4U);
  EXPECT_EQ(whole->measurements.size(), 60U);
  EXPECT_EQ(whole->features.at(20, 3), two.features.at(0, 3));
  Dataset unmeasured;
  unmeasured.schema = one.schema;
  unmeasured.task({"p9", "N=1", "gpu"});
  EXPECT_EQ(merge({one, unmeasured})->tasks.back().program, "p9") << "tasks without rows are tasks, too";
  Dataset other = two;
  other.schema.version = 9;
  const auto refused = merge({one, other});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("version 3 with 9 features, another version 9"));
}

TEST_F(DatasetFile, SelectsRows) {
  const Dataset dataset = synthetic::make(2, 10);
  const std::vector<std::uint32_t> rows = {39, 0, 38};
  const Dataset some = dataset.select(rows);
  ASSERT_EQ(some.measurements.size(), 3U);
  EXPECT_EQ(some.tasks.size(), 2U);
  EXPECT_EQ(some.tasks[some.measurements[0].task], dataset.tasks[dataset.measurements[39].task]);
  EXPECT_EQ(some.measurements[0].candidate, dataset.measurements[39].candidate);
  EXPECT_EQ(some.features.at(2, 2), dataset.features.at(38, 2));
}

struct Damage {
  const char *from, *to, *message;
};

class DamagedDataset : public testing::TestWithParam<Damage> {};

TEST_P(DamagedDataset, IsRefusedWithTheLine) {
  std::string text =
      "#hoist-measurements,2\n"
      "#schema,2\n"
      "#provenance,device,a\n"
      "#feature,f,,g,\n"
      "#feature,h,s,g,f\n"
      "#derivation,split\n"
      "program,sizes,device_class,derivation,candidate,values,outcome,seconds,f,h\n"
      "p,N=1,gpu,0,c1,k=8 t=64,ok,0.5,1,2\n"
      "p,N=1,gpu,0,c2,,\"compile, error\",,1,2\n";
  ASSERT_TRUE(parse_dataset(text, "t")) << parse_dataset(text, "t").error().render();
  const std::string from = GetParam().from;
  const std::size_t place = text.find(from);
  ASSERT_NE(place, std::string::npos);
  text.replace(place, from.size(), GetParam().to);
  const auto read = parse_dataset(text, "data.csv");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::User);
  EXPECT_THAT(read.error().render(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Each, DamagedDataset,
    testing::Values(
        Damage{"#hoist-measurements,2", "a,b",
               "data.csv:1: the first line does not begin with '#hoist-measurements'"},
        Damage{"#hoist-measurements,2", "#hoist-measurements,9", "data.csv:1: the format's version is '9'"},
        Damage{"#schema,2\n", "", "data.csv:6: there is no line '#schema'"},
        Damage{"#schema,2", "#schema,x",
               "data.csv:2: 'x' in the column 'the schema's version' is no finite number"},
        Damage{"#feature,h", "#feature,f", "data.csv:5: the feature 'f' is there twice"},
        Damage{"#feature,h,s,g,f", "#feature,h", "data.csv:5: '#feature' has 1 values instead of 4"},
        Damage{"#provenance", "#origin", "data.csv:3: '#origin' is not known"},
        Damage{"seconds,f,h", "seconds,h,f", "data.csv:7: the names of the columns"},
        Damage{"64,ok,0.5,1,2", "64,ok,0.5,1", "data.csv:8: the row has 9 cells instead of 10"},
        Damage{"64,ok,0.5,1,2", "64,ok,0.5,nan,2", "data.csv:8: 'nan' in the column 'f' is no finite number"},
        Damage{"64,ok,0.5,1,2", "64,ok,0.5,1,1e999",
               "data.csv:8: '1e999' in the column 'h' is no finite number"},
        Damage{"t=64,", "t=,", "data.csv:8: 't=' in the column 'values' is not like t=64"},
        Damage{"t=64,", "=64,", "data.csv:8: '=64' in the column 'values'"},
        Damage{"t=64,", "t=6x,", "data.csv:8: 't=6x' in the column 'values'"},
        Damage{"t=64,", "t=99999999999999999999,", "data.csv:8: 't=99999999999999999999' in the column"},
        Damage{"t=64,", "64,", "data.csv:8: '64' in the column 'values'"},
        Damage{"64,ok,0.5", "64,ok,0", "data.csv:8: the time of 0 seconds is not positive"},
        Damage{"64,ok,0.5", "64,ok,-1", "data.csv:8: the time of -1 seconds is not positive"},
        Damage{"gpu,0,c2", "gpu,1,c2", "data.csv:9: there is no derivation 1: there are 1"},
        Damage{"error\",", "error,", "data.csv:9: a quote is not closed"},
        Damage{"error\",", "error\"x,", "data.csv:9: something stands between a closing quote and a comma"}));

TEST_F(DatasetFile, WhatIsNoFileOrCutIsRefused) {
  EXPECT_THAT(read_dataset(path("nothing.csv")).error().render(), HasSubstr("there is no file"));
  EXPECT_THAT(read_dataset(path("")).error().render(), HasSubstr("is a directory"));
  ASSERT_TRUE(write_dataset(synthetic::make(2, 50), path("whole.csv.gz")));
  std::string cut = bytes(path("whole.csv.gz"));
  cut.resize(cut.size() / 2);
  std::ofstream(path("cut.csv.gz"), std::ios::binary) << cut;
  EXPECT_THAT(read_dataset(path("cut.csv.gz")).error().render(),
              HasSubstr("is damaged: it cannot be unpacked"));
  const auto unwritten = write_dataset(synthetic::make(1, 1), path("no/such/folder.csv"));
  ASSERT_FALSE(unwritten);
  EXPECT_THAT(unwritten.error().render(), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace hoist::model
