// Stencils by their names, against plain loops over weights that are written here once more.
#include "workloads/stencil.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluated.hpp"

namespace hoist::workloads {
namespace {

/// Weights of a square or a cube around the point, row by row, and what they are divided by.
struct Weights {
  std::string name;
  int dimensions, radius;
  std::vector<double> values;
  double divisor = 1;
};

const double root2 = std::sqrt(2.0), root5 = std::sqrt(5.0);

const std::vector<Weights> all_weights = {
    {"disothree", 2, 1, {-1 / root2, 0, 1 / root2, -1, 0, 1, -1 / root2, 0, 1 / root2}},
    {"disofive", 2, 2, {-1 / root2, -1 / root5, 0, 1 / root5, 1 / root2,  //
                        -2 / root5, -1 / root2, 0, 1 / root2, 2 / root5,  //
                        -1,         -1,         0, 1,         1,          //
                        -2 / root5, -1 / root2, 0, 1 / root2, 2 / root5,  //
                        -1 / root2, -1 / root5, 0, 1 / root5, 1 / root2}},
    {"drowthree", 2, 1, {-1, 0, 1, -2, 0, 2, -1, 0, 1}, 4},
    {"dlilbiharm", 2, 2, {0, 0,  1,  0,  0,  //
                          0, 2,  -8, 2,  0,  //
                          1, -8, 20, -8, 1,  //
                          0, 2,  -8, 2,  0,  //
                          0, 0,  1,  0,  0}},
    {"dbigbiharm",
     2,
     3,
     {0,  0,  0,   -1,  0,   0,  0,   //
      0,  0,  -1,  14,  -1,  0,  0,   //
      0,  -1, 20,  -77, 20,  -1, 0,   //
      -1, 14, -77, 184, -77, 14, -1,  //
      0,  -1, 20,  -77, 20,  -1, 0,   //
      0,  0,  -1,  14,  -1,  0,  0,   //
      0,  0,  0,   -1,  0,   0,  0},
     6},
    {"dresid",
     3,
     1,
     {1, 2, 1, 2, 0,   2, 1, 2, 1,  //
      2, 0, 2, 0, -32, 0, 2, 0, 2,  //
      1, 2, 1, 2, 0,   2, 1, 2, 1},
     12},
    {"drprjthree",
     3,
     1,
     {1, 2, 1, 2, 4, 2, 1, 2, 1,  //
      2, 4, 2, 4, 8, 4, 2, 4, 2,  //
      1, 2, 1, 2, 4, 2, 1, 2, 1},
     16},
    {"inoiseone", 2, 1, {1, 1, 1, 1, 2, 1, 1, 1, 1}, 10},
    {"inoisetwo", 2, 1, {1, 2, 1, 2, 4, 2, 1, 2, 1}, 16},
};

/// The result at one point of an array of three dimensions, the first of which may be 1 long.
double at_point(const Weights& weights, const std::vector<double>& input,
                const std::vector<std::int64_t>& extents, std::int64_t plane, std::int64_t row,
                std::int64_t column) {
  const std::int64_t width = 2 * weights.radius + 1, planes = weights.dimensions == 3 ? width : 1;
  double sum = 0;
  for (std::int64_t p = 0; p < planes; ++p)
    for (std::int64_t r = 0; r < width; ++r)
      for (std::int64_t c = 0; c < width; ++c)
        sum +=
            weights.values[static_cast<std::size_t>((p * width + r) * width + c)] *
            input[static_cast<std::size_t>(((plane + p) * extents[1] + row + r) * extents[2] + column + c)];
  return sum / weights.divisor;
}

TEST(Stencil, ProgramsAreWhatTheirLoopsAre) {
  ASSERT_EQ(stencils().size(), all_weights.size());
  Random random(1);
  for (const Weights& weights : all_weights) {
    const auto stencil = stencil_named(weights.name);
    ASSERT_TRUE(stencil.has_value()) << weights.name;
    const std::int64_t border = 2 * weights.radius;
    const bool is_solid = weights.dimensions == 3;
    std::vector<std::int64_t> extents{is_solid ? 3 + border : 1, 4 + border, 5 + border};
    Sizes sizes{{"H", 4}, {"W", 5}};
    if (is_solid) sizes["D"] = 3;
    const auto input = small_numbers(elements_of(extents), random);
    const std::vector<std::int64_t> shape(is_solid ? extents.begin() : extents.begin() + 1, extents.end());
    const auto got = evaluated(program_of(*stencil, Scalar::F64), {{shape, input}}, sizes);
    ASSERT_EQ(got.size(), is_solid ? 60U : 20U) << weights.name;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      EXPECT_NEAR(got[i], at_point(weights, input, extents, at / 20, at / 5 % 4, at % 5), 1e-11)
          << weights.name;
    }
  }
}

TEST(Stencil, CountsOfPoints) {
  const std::map<std::string_view, std::size_t> points = {
      {"disothree", 6}, {"disofive", 20},   {"drowthree", 6}, {"dlilbiharm", 13}, {"dbigbiharm", 25},
      {"dresid", 21},   {"drprjthree", 27}, {"inoiseone", 9}, {"inoisetwo", 9}};
  for (const Stencil& each : stencils()) EXPECT_EQ(each.points(), points.at(each.name)) << each.name;
}

/// A stencil on a function of x and y, around 0.
double applied(const std::string& name, double (*function)(double, double)) {
  const auto stencil = stencil_named(name);
  double sum = 0;
  for (const Term& term : stencil->terms) {
    for (const Offset& each : term.points) sum += term.coefficient * function(each.column, each.row);
  }
  return sum;
}

TEST(Stencil, BiharmonicOperatorsAreThat) {
  for (const char* name : {"dlilbiharm", "dbigbiharm"}) {
    EXPECT_NEAR(applied(name, [](double, double) { return 1.0; }), 0, 1e-10) << name;
    EXPECT_NEAR(applied(name, [](double x, double y) { return x * x + 3 * y * y; }), 0, 1e-10) << name;
    EXPECT_NEAR(applied(name, [](double x, double) { return x * x * x * x; }), 24, 1e-10) << name;
    EXPECT_NEAR(applied(name, [](double x, double y) { return x * x * y * y; }), 8, 1e-10) << name;
  }
  // Only one of them is of fourth order.
  EXPECT_NE(applied("dlilbiharm", [](double x, double) { return std::pow(x, 6); }), 0);
  EXPECT_NEAR(applied("dbigbiharm", [](double x, double) { return std::pow(x, 6); }), 0, 1e-10);
  EXPECT_NEAR(applied("dbigbiharm", [](double x, double y) { return std::pow(x, 4) * y * y; }), 0, 1e-10);
}

TEST(Stencil, TheTextOfAProgram) {
  const auto stencil = stencil_named("inoiseone");
  EXPECT_EQ(program_of(*stencil, Scalar::F32),
            "// noise cleaning, 3 x 3, twice the centre\n"
            "def inoiseone(u: [H + 2][W + 2]f32): [H][W]f32 =\n"
            "  u |> slide2(3, 1) |> map2(n =>\n"
            "    0.1 * (n[0][0] + n[0][1] + n[0][2] + n[1][0] + n[1][2] + n[2][0] + n[2][1] + n[2][2])\n"
            "    + 0.2 * n[1][1])\n");
}

TEST(Stencil, BadNames) {
  for (const char* name : {"", "noise", "disothree "}) EXPECT_FALSE(stencil_named(name).has_value()) << name;
}

}  // namespace
}  // namespace hoist::workloads
