// The 104 stencils: the counts and the list of the paper, programs against plain loops, and the features that
// are read off their terms against what they were made from.
#include "workloads/stencil_family.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <tuple>

#include "evaluated.hpp"
#include "ir/arena.hpp"
#include "rewrite/stencil_features.hpp"

namespace hoist::workloads {
namespace {

/// Rows of the paper's table 2: in one, two and three dimensions, and of radius 0 to 5.
const std::map<Pattern, std::array<int, 9>> table_2 = {
    {Pattern::Star, {0, 15, 5, 0, 4, 4, 4, 4, 4}},    {Pattern::Thumbtack, {0, 0, 15, 0, 3, 3, 3, 3, 3}},
    {Pattern::Diamond, {0, 12, 4, 0, 0, 4, 4, 4, 4}}, {Pattern::NoCorners, {0, 12, 5, 0, 1, 4, 4, 4, 4}},
    {Pattern::Dense, {16, 15, 5, 1, 7, 7, 7, 7, 7}},
};

TEST(StencilFamily, HasTheCountsOfThePaper) {
  std::map<Pattern, std::array<int, 9>> counts;
  const auto all = stencil_family(1);
  for (const FamilyStencil& each : all) {
    // The paper calls the single point one-dimensional.
    ++counts[each.pattern][static_cast<std::size_t>(std::max(each.dimensionality, 1) - 1)];
    ++counts[each.pattern][static_cast<std::size_t>(3 + each.radius)];
  }
  EXPECT_EQ(counts, table_2);
  EXPECT_EQ(all.size(), 104U);
  EXPECT_EQ(stencil_family(1, true).size(), 416U);
}

/// A row of the tables 12 and 13.
using Row = std::tuple<int, std::string, int, std::string>;

/// As the paper has them, written here without regard to how the list is made.
std::vector<Row> rows_of_the_paper() {
  std::vector<Row> rows;
  const std::vector<std::string> axes{"x", "y", "z"};
  const auto all_axes = [&](int radius, const std::string& pattern, int dimensions) {
    for (const std::string& axis : axes) rows.emplace_back(radius, pattern, dimensions, axis);
  };
  for (int radius = 1; radius <= 5; ++radius) all_axes(radius, "thumbtack", 3);
  rows.emplace_back(0, "dense", 1, "none");
  for (int radius = 1; radius <= 5; ++radius) {
    all_axes(radius, "dense", 1);
    all_axes(radius, "dense", 2);
    rows.emplace_back(radius, "dense", 3, "none");
  }
  for (int radius = 1; radius <= 5; ++radius) {
    all_axes(radius, "star", 2);
    rows.emplace_back(radius, "star", 3, "none");
  }
  for (int radius = 2; radius <= 5; ++radius) {
    all_axes(radius, "diamond", 2);
    rows.emplace_back(radius, "diamond", 3, "none");
  }
  rows.emplace_back(1, "no corners", 3, "none");
  for (int radius = 2; radius <= 5; ++radius) {
    all_axes(radius, "no corners", 2);
    rows.emplace_back(radius, "no corners", 3, "none");
  }
  return rows;
}

TEST(StencilFamily, IsTheListOfThePaper) {
  std::vector<Row> rows;
  for (const FamilyStencil& each : stencil_family(1)) {
    rows.emplace_back(each.radius, std::string(name_of(each.pattern)), std::max(each.dimensionality, 1),
                      each.unique_dimension ? std::string(1, *each.unique_dimension) : "none");
  }
  EXPECT_EQ(rows, rows_of_the_paper());
}

TEST(StencilFamily, StencilsDiffer) {
  std::set<std::vector<std::array<int, 3>>> points;
  std::set<std::string> names;
  for (const FamilyStencil& each : stencil_family(1)) {
    std::vector<std::array<int, 3>> own;
    for (const Term& term : each.stencil.terms)
      own.push_back({term.points[0].plane, term.points[0].row, term.points[0].column});
    points.insert(own);
    names.insert(each.stencil.name);
  }
  EXPECT_EQ(points.size(), 104U);
  EXPECT_EQ(names.size(), 104U);
}

TEST(StencilFamily, SizesOfSomeByTheirNames) {
  const std::map<std::string, std::size_t> sizes = {
      {"dense_r0", 1},         {"dense_z_r5", 11},       {"dense_yx_r2", 25},    {"dense_zyx_r5", 1331},
      {"star_zx_r3", 13},      {"star_zyx_r5", 31},      {"diamond_yx_r2", 13},  {"diamond_zyx_r2", 25},
      {"nocorners_zy_r2", 21}, {"nocorners_zyx_r1", 19}, {"thumbtack_x_r1", 11}, {"thumbtack_z_r5", 131}};
  std::size_t found = 0;
  for (const FamilyStencil& each : stencil_family(1)) {
    const auto known = sizes.find(each.stencil.name);
    if (known == sizes.end()) continue;
    ++found;
    EXPECT_EQ(each.stencil.points(), known->second) << known->first;
  }
  EXPECT_EQ(found, sizes.size());
}

TEST(StencilFamily, WeightsAreNotZeroAndReadBackExactly) {
  const auto all = stencil_family(7), again = stencil_family(7), other = stencil_family(8);
  bool is_other = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < all[i].stencil.terms.size(); ++k) {
      const double weight = all[i].stencil.terms[k].coefficient;
      EXPECT_GT(weight, 0);
      EXPECT_EQ(weight, again[i].stencil.terms[k].coefficient);
      EXPECT_EQ(std::stof(fmt::format("{}", weight)), static_cast<float>(weight));
      is_other = is_other || weight != other[i].stencil.terms[k].coefficient;
    }
  }
  EXPECT_TRUE(is_other);
}

TEST(StencilFamily, ProgramsAreWhatTheirLoopsAre) {
  Random random(1);
  for (const FamilyStencil& each : stencil_family(3, true)) {
    const Stencil& stencil = each.stencil;
    std::vector<std::int64_t> extents;
    const std::int64_t lengths[] = {3, 4, 5};
    for (std::size_t d = 0; d < 3; ++d) extents.push_back(lengths[d] + 2 * stencil.reach[d]);
    const auto input = small_numbers(elements_of(extents), random);
    const auto got =
        evaluated(program_of(stencil, Scalar::F64), {{extents, input}}, {{"D", 3}, {"H", 4}, {"W", 5}});
    ASSERT_EQ(got.size(), 60U) << stencil.name;
    for (std::int64_t i = 0; i < 60; ++i) {
      double sum = 0;
      for (const Term& term : stencil.terms) {
        const Offset& at = term.points[0];
        const std::int64_t plane = i / 20 + stencil.reach[0] + at.plane,
                           row = i / 5 % 4 + stencil.reach[1] + at.row,
                           column = i % 5 + stencil.reach[2] + at.column;
        const double element =
            input[static_cast<std::size_t>((plane * extents[1] + row) * extents[2] + column)];
        sum +=
            term.coefficient * (stencil.additions * element) * (stencil.multiplications == 2 ? element : 1);
      }
      EXPECT_NEAR(got[static_cast<std::size_t>(i)], sum, 1e-8) << stencil.name;
    }
  }
}

TEST(StencilFamily, TheTextOfAProgram) {
  for (const FamilyStencil& each : stencil_family(1, true)) {
    const std::string text = program_of(each.stencil, Scalar::F32);
    if (each.stencil.name == "dense_z_r1_a2_m2") {
      std::vector<std::string> weights;
      for (const Term& term : each.stencil.terms) weights.push_back(fmt::format("{}", term.coefficient));
      EXPECT_EQ(
          text,
          fmt::format("// dense stencil of radius 1 in z, 3 points, 2 additions and 2 multiplications each\n"
                      "def dense_z_r1_a2_m2(u: [D + 2][H][W]f32): [D][H][W]f32 =\n"
                      "  u |> map(map(slide(1, 1)) >> slide(1, 1) >> map(transpose))\n"
                      "    |> slide(3, 1) |> map(transpose >> map(transpose)) |> map3(n =>\n"
                      "    {} * ((n[0][0][0] + n[0][0][0]) * n[0][0][0])\n"
                      "    + {} * ((n[1][0][0] + n[1][0][0]) * n[1][0][0])\n"
                      "    + {} * ((n[2][0][0] + n[2][0][0]) * n[2][0][0]))\n",
                      weights[0], weights[1], weights[2]));
    }
  }
}

rewrite::StencilFeatures features_of(const Stencil& stencil, const driver::NamedSizes& sizes) {
  const auto program = driver::with_sizes(parsed(program_of(stencil, Scalar::F32)), sizes);
  if (!program) throw std::runtime_error(program.error().render());
  const auto features = rewrite::stencil_features(*program);
  if (!features) throw std::runtime_error(features.error().reason);
  return *features;
}

TEST(StencilFamily, FeaturesReadOffTheTermsAreThoseOfTheGenerator) {
  for (const FamilyStencil& each : stencil_family(5, true)) {
    const ir::Arena arena;
    SCOPED_TRACE(each.stencil.name);
    const rewrite::StencilFeatures found = features_of(each.stencil, {{"D", 256}, {"H", 256}, {"W", 256}});
    EXPECT_EQ(found.size, static_cast<std::int64_t>(each.stencil.points()));
    EXPECT_EQ(found.dimensionality, each.dimensionality);
    EXPECT_EQ(found.radius, each.radius);
    EXPECT_DOUBLE_EQ(found.density, each.density());
    EXPECT_EQ(rewrite::name_of(found.unique_dimension),
              each.unique_dimension ? std::string(1, *each.unique_dimension) : "none");
    EXPECT_DOUBLE_EQ(found.additions_per_point(), each.stencil.additions);
    EXPECT_DOUBLE_EQ(found.multiplications_per_point(), each.stencil.multiplications);
    EXPECT_EQ(found.other_operations, 0);
    EXPECT_EQ(found.inputs, 1);
    EXPECT_EQ(found.reads, found.size);
    for (std::size_t i = 0; i < found.points.size(); ++i) {
      const Offset& own = each.stencil.terms[i].points[0];
      EXPECT_EQ(found.points[i], (rewrite::StencilPoint{own.plane, own.row, own.column}));
    }
  }
}

}  // namespace
}  // namespace hoist::workloads
