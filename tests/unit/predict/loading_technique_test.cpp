// The loading technique of stencils, learned from tables that follow a rule which the tests know.
#include "predict/loading_technique.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "predict/technique_evaluation.hpp"
#include "predict/technique_table.hpp"

namespace hoist::predict {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr ByTechnique<bool> all_available = {true, true, true, true};
/// Seconds of each technique; 0 where it never ran.
using Rule = std::function<ByTechnique<double>(const StencilTraits&)>;

/// Dense stencils and stars of all radii and dimensions, as the paper's.
std::vector<StencilRecord> stencils() {
  std::vector<StencilRecord> result;
  const auto add = [&](const char* pattern, int radius, int dimensions, double size, UniqueDimension unique) {
    const double box = std::pow(2 * radius + 1, dimensions);
    StencilRecord record;
    record.stencil = fmt::format("{}_{}d_{}_r{}", pattern, dimensions, name_of(unique), radius);
    record.pattern = pattern;
    record.traits = {size, static_cast<double>(dimensions), size / box, unique, 1, 1};
    result.push_back(record);
  };
  using enum UniqueDimension;
  for (int radius = 1; radius <= 5; ++radius) {
    const double side = 2 * radius + 1;
    for (const UniqueDimension unique : {X, Y, Z}) {
      add("dense", radius, 1, side, unique);
      add("dense", radius, 2, side * side, unique);
      if (radius > 1) add("star", radius, 2, 4 * radius + 1, unique);
      if (radius > 1) add("cross", radius, 2, 4 * radius + 5, unique);
    }
    add("dense", radius, 3, side * side * side, None);
    add("star", radius, 3, 6 * radius + 1, None);
    add("cross", radius, 3, 6 * radius + 9, None);
  }
  return result;
}

/// Of the hybrid heuristic alone.
TechniqueTable table_by(const Rule& rule, double noise = 0, std::uint64_t seed = 1) {
  TechniqueTable table{"nvidia-h200-cuda", {{"by", "a rule"}}, stencils()};
  Random random(seed);
  for (StencilRecord& each : table.stencils) {
    const ByTechnique<double> seconds = rule(each.traits);
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const double factor = std::exp(noise * (2 * random.unit() - 1));
      if (seconds[i] > 0) each.searches[2][i] = {seconds[i] * factor, 100, 5, 1};
    }
  }
  return table;
}

/// Large ones are faster from local memory by up to four times, those along x alone by vectors, others from
/// images.
ByTechnique<double> usual_rule(const StencilTraits& traits) {
  const double work = 1e-3 * traits.size;
  if (traits.size > 24) return {work, 1.2 * work, work / 2, work / 1.5};
  if (traits.dimensionality == 1 && traits.unique_dimension == UniqueDimension::X)
    return {work, work / 1.4, 1.1 * work, 1.05 * work};
  return {work, 1.5 * work, 1.3 * work, work / 1.2};
}

const TechniqueJudgement& judgement_of(const TechniqueEvaluation& evaluation, const std::string& classifier) {
  for (const TechniqueJudgement& each : evaluation.judgements) {
    if (each.classifier == classifier) return each;
  }
  throw Bug("no such classifier");
}

TechniqueEvaluation evaluated(const TechniqueTable& table, LeftOut left_out) {
  const auto evaluations = evaluate_techniques(table, left_out, 1);
  if (!evaluations) throw Failure(evaluations.error());
  return evaluations->back();
}

TEST(Techniques, ARuleIsRecoveredFromOtherStencils) {
  const TechniqueTable table = table_by(usual_rule);
  const TechniqueEvaluation by_stencil = evaluated(table, LeftOut::Stencil);
  EXPECT_EQ(by_stencil.stencils.size(), table.stencils.size());
  EXPECT_GE(judgement_of(by_stencil, "ours").accuracy, 0.9);
  EXPECT_GE(judgement_of(by_stencil, "ours").penalty_weighted, 0.98);
  EXPECT_GE(judgement_of(by_stencil, "weka").accuracy, 0.85);
  EXPECT_LT(judgement_of(by_stencil, "most frequent").penalty_weighted, 0.9);
  EXPECT_NEAR(judgement_of(by_stencil, "chance").accuracy, 0.25, 1e-12);
  const TechniqueEvaluation by_pattern = evaluated(table, LeftOut::Pattern);
  EXPECT_GE(judgement_of(by_pattern, "ours").penalty_weighted, 0.9);
}

/// Times vary by a few percent, and which of two that are nearly equal is the best is luck: what a choice
/// costs is what matters.
TEST(Techniques, NoiseDecidesLabelsAndHardlyCosts) {
  const Rule even = [](const StencilTraits& traits) -> ByTechnique<double> {
    const double work = 1e-3 * traits.size;
    if (traits.size > 24) return {work, 2 * work, work / 2, 0.505 * work};
    return {work, work * 1.005, 2 * work, 1.9 * work};
  };
  const TechniqueTable table = table_by(even, 0.02);
  const TechniqueEvaluation evaluation = evaluated(table, LeftOut::Stencil);
  EXPECT_GE(judgement_of(evaluation, "ours").penalty_weighted, 0.98);
  EXPECT_GE(judgement_of(evaluation, "ours").least, 0.9);
}

/// Of the many that differ by little two thirds are labelled one way; the few that matter are the other.
/// Counting errors chooses by the many.
TEST(Techniques, WhatCostsMostIsLearnedFirst) {
  TechniqueTable table = table_by([](const StencilTraits&) -> ByTechnique<double> { return {1, 2, 2, 2}; });
  for (std::size_t i = 0; i < table.stencils.size(); ++i) {
    StencilRecord& each = table.stencils[i];
    each.traits = {27, 3, 1, UniqueDimension::None, 1, 1};
    each.searches[2][2].seconds = i % 3 == 0 ? 0.3 : 1.01;
  }
  const auto model = TechniqueModel::learn(table, {});
  ASSERT_TRUE(model);
  const auto told = model->predict(Heuristic::Hybrid, {table.stencils[0].traits}, all_available);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->front().technique, Technique::Local);
}

TEST(Techniques, WhatNeverRanIsNeverChosen) {
  const TechniqueTable table = table_by([](const StencilTraits& traits) {
    ByTechnique<double> seconds = usual_rule(traits);
    seconds[3] = 0;
    if (traits.dimensionality == 3) seconds[2] = 0;
    return seconds;
  });
  const TechniqueEvaluation evaluation = evaluated(table, LeftOut::Stencil);
  for (const Technique each : judgement_of(evaluation, "ours").choices) EXPECT_NE(each, Technique::Image);
  EXPECT_GE(judgement_of(evaluation, "ours").penalty_weighted, 0.95);
}

TEST(Techniques, OneIsAlwaysTheBest) {
  const TechniqueTable table = table_by([](const StencilTraits&) -> ByTechnique<double> {
    return {0, 0, 1e-3, 0};
  });
  for (const LeftOut left_out : all_left_out) {
    const TechniqueEvaluation evaluation = evaluated(table, left_out);
    for (const char* each : {"ours", "weka", "most frequent"})
      EXPECT_EQ(judgement_of(evaluation, each).accuracy, 1) << each;
    EXPECT_NEAR(judgement_of(evaluation, "chance").penalty_weighted, 0.25, 1e-12);
  }
  const auto model = TechniqueModel::learn(table, {});
  const auto told = model->predict(Heuristic::Hybrid, {table.stencils[0].traits}, all_available);
  EXPECT_THAT(explanation(told->front(), table.stencils[0].traits, all_available),
              HasSubstr("of such stencils no other technique ran"));
}

/// A stencil of which nothing ran says nothing; one heuristic may know less than another.
TEST(Techniques, EachHeuristicHasAModel) {
  TechniqueTable table = table_by(usual_rule);
  for (StencilRecord& each : table.stencils) each.searches[1] = each.searches[2];
  table.stencils[0].searches[1] = {};
  const auto model = TechniqueModel::learn(table, {});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->learned_from(Heuristic::Dimensions), 0U);
  EXPECT_EQ(model->learned_from(Heuristic::Optimisations), table.stencils.size() - 1);
  EXPECT_EQ(model->learned_from(Heuristic::Hybrid), table.stencils.size());
  const auto none = model->predict(Heuristic::Dimensions, {{}}, all_available);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().diagnostics.front().message, HasSubstr("dimensions"));
  const auto evaluations = evaluate_techniques(table, LeftOut::Stencil, 1);
  ASSERT_TRUE(evaluations);
  EXPECT_EQ(evaluations->size(), 2U);
}

TEST(Techniques, StencilsThatDifferInOperationsAloneAreLeftOutTogether) {
  TechniqueTable table = table_by(usual_rule);
  const std::vector<StencilRecord> once = table.stencils;
  for (StencilRecord each : once) {
    each.stencil += "_twice";
    each.traits.additions = 2;
    table.stencils.push_back(each);
  }
  // By its twin each would be known.
  Random random(5);
  for (std::size_t i = 0; i < once.size(); ++i) {
    for (StencilRecord* each : {&table.stencils[i], &table.stencils[i + once.size()]}) {
      for (auto& search : each->searches[2]) search.seconds = 1;
    }
    const std::uint64_t best = random.below(4);
    table.stencils[i].searches[2][best].seconds = table.stencils[i + once.size()].searches[2][best].seconds =
        0.1;
  }
  EXPECT_LT(judgement_of(evaluated(table, LeftOut::Stencil), "ours").accuracy, 0.5);
}

TEST(Techniques, WhatLeavesNothingToLearnFromIsSaid) {
  TechniqueTable table = table_by(usual_rule);
  std::erase_if(table.stencils, [](const StencilRecord& each) { return each.pattern != "star"; });
  const auto none = evaluate_techniques(table, LeftOut::Pattern, 1);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().diagnostics.front().message, HasSubstr("nothing to learn from"));
  table.stencils.clear();
  EXPECT_FALSE(evaluate_techniques(table, LeftOut::Stencil, 1));
  EXPECT_FALSE(TechniqueModel::learn(table, {}));
}

TEST(Techniques, AModelIsReadAsItWasWritten) {
  const TechniqueTable table = table_by(usual_rule, 0.01);
  const auto model = TechniqueModel::learn(table, {.seed = 7, .provenance = {{"date", "2026-01-31"}}});
  ASSERT_TRUE(model);
  const std::string path = testing::TempDir() + "/technique.json.gz";
  ASSERT_TRUE(model->save(path));
  const auto read = TechniqueModel::load(path);
  ASSERT_TRUE(read) << read.error().render();
  EXPECT_EQ(read->to_json(), model->to_json());
  EXPECT_EQ(read->device_class(), "nvidia-h200-cuda");
  const auto one = model->predict(Heuristic::Hybrid, {table.stencils[3].traits}, all_available),
             other = read->predict(Heuristic::Hybrid, {table.stencils[3].traits}, all_available);
  EXPECT_EQ(one->front().shares, other->front().shares);
}

TEST(Techniques, DamagedModelsAreRefused) {
  const auto model = TechniqueModel::learn(table_by(usual_rule), {});
  const learn::Json written = model->to_json();
  for (const auto& [key, value] : written.items()) {
    learn::Json without = written, other = written;
    without.erase(key);
    other[key] = 7.5;
    EXPECT_FALSE(TechniqueModel::parse(without.dump(), "m")) << key;
    if (key == "seed") continue;  // it is 7 then
    EXPECT_FALSE(TechniqueModel::parse(other.dump(), "m")) << key;
  }
  learn::Json row = written;
  row["learned"]["hybrid"][0][0][0] = 0;
  EXPECT_FALSE(TechniqueModel::parse(row.dump(), "m"));
  row = written;
  row["learned"]["hybrid"][2][1][3] = 1.5;
  const auto refused = TechniqueModel::parse(row.dump(), "m");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("row 2 of 'hybrid'"));
  EXPECT_FALSE(TechniqueModel::parse("{", "m"));
}

TEST(Techniques, APredictionIsExplained) {
  const auto model = TechniqueModel::learn(table_by(usual_rule), {});
  const auto told_of = [&](const StencilTraits& traits, const ByTechnique<bool>& available) {
    return explanation(model->predict(Heuristic::Hybrid, {traits}, available)->front(), traits, available);
  };
  const std::string dense = told_of({343, 3, 1, UniqueDimension::None, 1, 1}, all_available);
  EXPECT_THAT(dense,
              testing::MatchesRegex("local memory: 343 points of 343 in the box around them, in three "
                                    "dimensions; such stencils are 1.[0-9]* times as fast from there as "
                                    "from images"));
  EXPECT_THAT(
      told_of({3, 1, 1, UniqueDimension::X, 1, 1}, all_available),
      HasSubstr("vectors of global memory: 3 points of 3 in the box around them, in one dimension, x"));
  EXPECT_THAT(told_of({9, 2, 0.36, UniqueDimension::Z, 1, 1}, all_available),
              HasSubstr("in two dimensions, x and y"));
  EXPECT_THAT(told_of({13, 3, 0.5, UniqueDimension::Y, 1, 1}, all_available),
              HasSubstr("of which y differs"));
  // A device that lacks what would be best.
  const std::string without = told_of({343, 3, 1, UniqueDimension::None, 1, 1}, {true, true, false, true});
  EXPECT_THAT(without, testing::StartsWith("images: "));
  EXPECT_THAT(without, HasSubstr("local memory would be faster, but the device has none"));
  EXPECT_THAT(told_of({343, 3, 1, UniqueDimension::None, 1, 1}, {true, false, false, false}),
              HasSubstr("it is the only one that the device has"));
}

TEST(TechniqueTables, AreReadAsTheyWereWritten) {
  TechniqueTable table = table_by(usual_rule);
  table.stencils[4].searches[1][3] = {std::nullopt, 12, 3.5, 0};
  table.stencils[4].searches[1][0] = {1.5e-4, 12, 3.5, 0};
  table.stencils[5].stencil = "odd, \"name\"";
  const std::string path = testing::TempDir() + "/techniques.csv.gz";
  ASSERT_TRUE(write_technique_table(table, path));
  const auto read = read_technique_table(path);
  ASSERT_TRUE(read) << read.error().render();
  EXPECT_EQ(read->device_class, table.device_class);
  EXPECT_EQ(read->provenance, table.provenance);
  ASSERT_EQ(read->stencils.size(), table.stencils.size());
  for (std::size_t i = 0; i < table.stencils.size(); ++i) {
    const StencilRecord &one = table.stencils[i], &other = read->stencils[i];
    EXPECT_EQ(one.stencil, other.stencil);
    EXPECT_EQ(one.pattern, other.pattern);
    EXPECT_EQ(one.traits.unique_dimension, other.traits.unique_dimension);
    EXPECT_NEAR(one.traits.density, other.traits.density, 1e-5 * one.traits.density);
    for (std::size_t h = 0; h < one.searches.size(); ++h) {
      for (std::size_t t = 0; t < all_techniques.size(); ++t) {
        const TechniqueSearch &a = one.searches[h][t], &b = other.searches[h][t];
        ASSERT_EQ(a.seconds.has_value(), b.seconds.has_value());
        EXPECT_NEAR(a.seconds.value_or(1), b.seconds.value_or(1), 1e-5 * a.seconds.value_or(1));
        EXPECT_EQ(a.configurations, b.configurations);
        EXPECT_EQ(a.build_seconds, b.build_seconds);
      }
    }
  }
}

TEST(TechniqueTables, SayTheLineThatIsWrong) {
  const std::string path = testing::TempDir() + "/few.csv";
  TechniqueTable few = table_by(usual_rule);
  few.stencils.resize(2);
  ASSERT_TRUE(write_technique_table(few, path));
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  ASSERT_TRUE(parse_technique_table(text, "t.csv"));
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t place = changed.find(from);
    if (place == std::string::npos) throw Bug("the table has no " + from);
    changed.replace(place, from.size(), to);
    const auto read = parse_technique_table(changed, "t.csv");
    return read ? std::string("read") : read.error().diagnostics.front().message;
  };
  EXPECT_THAT(refused("#hoist-techniques,1", "#hoist-techniques,2"),
              HasSubstr("t.csv:1: the first line is not"));
  EXPECT_THAT(refused("#device_class,nvidia-h200-cuda\n", ""), HasSubstr("'#device_class'"));
  EXPECT_THAT(refused("#provenance,by", "#other,by"), HasSubstr("t.csv:3: '#other'"));
  EXPECT_THAT(refused("hybrid_image_run_seconds", "hybrid_image_seconds"),
              HasSubstr("t.csv:4: the names of the columns"));
  EXPECT_THAT(refused("dense_1d_x_r1,dense,1,3,1,x", "dense_1d_x_r1,dense,1,3,1,w"),
              HasSubstr("'w' in the column 'unique_dimension'"));
  EXPECT_THAT(refused("dense_1d_x_r1,dense,1,3", "dense_1d_x_r1,dense,1,0"),
              HasSubstr("t.csv:5: '0' in the column 'size'"));
  EXPECT_THAT(refused("dense_1d_x_r1,dense,1,3", "dense_1d_x_r1,dense,1"), HasSubstr("cells instead of"));
  EXPECT_THAT(refused("dense_2d_x_r1,dense", "dense_1d_x_r1,dense"),
              HasSubstr("t.csv:6: the stencil 'dense_1d_x_r1'"));
  EXPECT_THAT(refused(",100,5,1", ",none,5,1"),
              HasSubstr("'none' in the column 'hybrid_global_configurations'"));
}

TEST(TechniqueTables, OfSeveralDevicesAreNotOne) {
  TechniqueTable one = table_by(usual_rule), other = one;
  EXPECT_THAT(merge_technique_tables({one, other}).error().render(), HasSubstr("in two tables"));
  other.stencils.erase(other.stencils.begin() + 3, other.stencils.end());
  for (StencilRecord& each : other.stencils) each.stencil += "_more";
  const auto all = merge_technique_tables({one, other});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->stencils.size(), one.stencils.size() + 3);
  other.device_class = "pocl-cpu-opencl";
  EXPECT_THAT(merge_technique_tables({one, other}).error().render(), HasSubstr("devices of one class"));
}

}  // namespace
}  // namespace hoist::predict
