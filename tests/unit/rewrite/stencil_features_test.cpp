// What is read off stencils however they are written, and why other programs are none.
#include "rewrite/stencil_features.hpp"

#include <gmock/gmock.h>

#include "base/random.hpp"
#include "rewrite/rules/catalogue.hpp"
#include "unit/rewrite/macro_rules.hpp"

namespace hoist::rewrite {
namespace {

using ir::Term;
using testing::AllOf;
using testing::HasSubstr;

class StencilFeaturesOf : public testing::Test {
 protected:
  /// With lengths of 32, 48 and 64 by these names.
  static ir::Program sized(const std::string& text) {
    ir::Program program = program_of(text);
    arith::Substitution sizes;
    for (const arith::Expr& size : program.sizes) {
      const std::string name = arith::to_string(size);
      sizes[size.get()] = name == "D" ? 32 : name == "H" ? 48 : name == "R" ? 2 : 64;
    }
    program.function = ir::substitute_sizes(program.function, sizes);
    return program;
  }
  static StencilFeatures features(const std::string& text) {
    const auto found = stencil_features(sized(text));
    if (!found) throw std::runtime_error(found.error().reason);
    return *found;
  }
  static NoStencil refusal(const std::string& text) {
    const auto found = stencil_features(sized(text));
    return found ? NoStencil{NoStencil::Kind::TooLarge, "it is one"} : found.error();
  }
  static void expect_refused(const std::string& text, NoStencil::Kind kind,
                             const testing::Matcher<std::string>& reason) {
    const NoStencil why = refusal(text);
    EXPECT_EQ(why.kind, kind) << text << "\n" << why.reason;
    EXPECT_THAT(why.reason, reason) << text;
  }

  ir::Arena arena_;
};

constexpr const char* jacobi =
    "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1)"
    " |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))";

TEST_F(StencilFeaturesOf, FivePoints) {
  const StencilFeatures found = features(jacobi);
  EXPECT_EQ(found.size, 5);
  EXPECT_EQ(found.dimensionality, 2);
  EXPECT_EQ(found.radius, 1);
  EXPECT_DOUBLE_EQ(found.density, 5.0 / 9);
  EXPECT_EQ(found.unique_dimension, Axis::Z);
  EXPECT_EQ(found.additions, 4);
  EXPECT_EQ(found.multiplications, 1);
  EXPECT_EQ(found.additions_per_point(), 1);
  EXPECT_EQ(found.points,
            (std::vector<StencilPoint>{{0, -1, 0}, {0, 0, -1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}}));
}

TEST_F(StencilFeaturesOf, HoweverItIsWritten) {
  const StencilFeatures found = features(jacobi);
  for (const char* text : {
           // A padded input, and every kind of border.
           "def p(u: [H + 2][W + 2]f32): [H][W]f32 = u |> slide2(3, 1)"
           " |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))",
           "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, wrap) |> slide2(3, 1)"
           " |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))",
           "def p(u: [H][W]f32): [H][W]f32 = u |> map(pad(1, 1, 0.0)) |> transpose |> map(pad(1, 1, 0.0)) |> "
           "transpose"
           " |> slide2(3, 1) |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))",
           // Indices, with conditions at the border.
           "def p(u: [H][W]f32): [H][W]f32 = generate(H, i => generate(W, j =>"
           " 0.2 * (u[i][j] + u[if i > 0 then i - 1 else i][j] + u[min(i + 1, size(H - 1))][j]"
           " + u[i][max(j - 1, 0)] + u[i][min(j + 1, size(W - 1))])))",
           // Rotated arrays.
           "def p(u: [H][W]f32): [H][W]f32 = zip2(u, zip2(zip2(u |> rotate(1), u |> rotate(-1)),"
           " zip2(u |> map(rotate(1)), u |> map(rotate(-1)))))"
           " |> map2((c, (a, b)) => 0.2 * (c + a.0 + a.1 + b.0 + b.1))",
           // A sum over a flat window, with weights of 0.2 taken out, and in local memory.
           "def p(u: [H + 2][W + 2]f32): [H][W]f32 = u |> toLocal |> slide2(3, 1)"
           " |> map2(n => 0.2 * (n |> join |> gather(i => if i < 4 then 2 * i + 1 else 4) |> take(5) |> "
           "reduceSeq(+, 0.0)))",
       })
    EXPECT_EQ(features(text), found) << text;
}

TEST_F(StencilFeaturesOf, SeveralInputsAndCoefficients) {
  const StencilFeatures found = features(
      "def p(t: [H][W]f32, power: [H][W]f32, s: f32): [H][W]f32 ="
      " zip2(t |> pad2(1, 1, clamp) |> slide2(3, 1), power)"
      " |> map2((n, p) => n[1][1] + s * (p + (n[0][1] + n[2][1] - 2.0 * n[1][1])))");
  EXPECT_EQ(found.size, 3);
  EXPECT_EQ(found.inputs, 2);
  EXPECT_EQ(found.reads, 4);
  EXPECT_EQ(found.dimensionality, 1);
  EXPECT_EQ(found.unique_dimension, Axis::Y);
  EXPECT_EQ(found.additions, 4);
  EXPECT_EQ(found.multiplications, 2);
  const StencilFeatures weighted = features(
      "def p(u: [H][W]f32, w: [2*R+1][2*R+1]f32): [H][W]f32 = u |> pad2(R, R, clamp) |> slide2(2*R+1, 1)"
      " |> map2(n => dotProduct(join(n), join(w)))");
  EXPECT_EQ(weighted.size, 25);
  EXPECT_EQ(weighted.radius, 2);
  EXPECT_EQ(weighted.density, 1);
  EXPECT_EQ(weighted.fixed_reads, 25);
  EXPECT_EQ(weighted.multiplications_per_point(), 1);
  EXPECT_EQ(weighted.additions_per_point(), 1);
}

TEST_F(StencilFeaturesOf, OtherOperationsAndSharedOnes) {
  const StencilFeatures found = features(
      "def p(u: [N]f32): [N]f32 = u |> pad(1, 1, clamp) |> slide(3, 1)"
      " |> map(n => sqrt(n[0] * n[0] + n[2] * n[2]) + n[0] * n[0] / 3.0 + 0.0)");
  EXPECT_EQ(found.size, 2);
  EXPECT_DOUBLE_EQ(found.density, 2.0 / 3);
  EXPECT_EQ(found.multiplications, 2);
  EXPECT_EQ(found.additions, 2);
  EXPECT_EQ(found.other_operations, 2);
  EXPECT_EQ(found.unique_dimension, Axis::X);
}

TEST_F(StencilFeaturesOf, OneSidedOnesAndPoints) {
  const StencilFeatures backward =
      features("def p(u: [N + 1]f32): [N]f32 = u |> slide(2, 1) |> map(n => n[1] - n[0])");
  EXPECT_EQ(backward.points, (std::vector<StencilPoint>{{0, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(backward.radius, 1);
  const StencilFeatures point = features("def p(u: [H][W]f32): [H][W]f32 = u |> map2(e => 2.0 * e)");
  EXPECT_EQ(point.size, 1);
  EXPECT_EQ(point.dimensionality, 0);
  EXPECT_EQ(point.radius, 0);
  EXPECT_EQ(point.density, 1);
  EXPECT_EQ(name_of(point.unique_dimension), "none");
  EXPECT_EQ(features("def p(u: [N]f32): [N]f32 = u |> map(e => e)").additions, 0);
}

TEST_F(StencilFeaturesOf, StagesAndStepsComposed) {
  const StencilFeatures twice = features(
      "def step(v) = v |> pad(1, 1, clamp) |> slide(3, 1) |> map(n => n[0] + n[1] + n[2])\n"
      "def p(u: [N]f32): [N]f32 = u |> iterate(2, step)");
  EXPECT_EQ(twice.size, 5);
  EXPECT_EQ(twice.additions, 8);
}

TEST_F(StencilFeaturesOf, ProgramsThatAreNone) {
  using enum NoStencil::Kind;
  expect_refused("def p(x: [N]f32): f32 = sum(x)", ResultIsNoArray, HasSubstr("its result is f32"));
  expect_refused("def p(x: [N]f32): [1]f32 = x |> split(N) |> map(sum)", ResultIsNoArray,
                 HasSubstr("one element"));
  expect_refused("def p(x: [N]f32): ([N]f32, f32) = (x, x[0])", ResultIsNoArray, HasSubstr("no array"));
  expect_refused("def p(x: [D][D][D][D]f32): [D][D][D][D]f32 = x", ResultIsNoArray,
                 HasSubstr("three dimensions"));
  expect_refused("def p(x: [N]f32, k: [N]i32): [N]f32 = k |> map(i => x[i])", DependsOnData,
                 HasSubstr("an element is read at an index that depends on k"));
  expect_refused("def p(x: [N]f32): [N]f32 = x |> scan(+, 0.0)", Sequential,
                 HasSubstr("scan combines each element with all before it"));
  expect_refused("def p(k: [N]i32): [N]i32 = k |> reduceByKey(+, fill(N, 0), k)", Sequential,
                 HasSubstr("reduceByKey"));
  expect_refused(
      "def p(x: [N]f32): [N]f32 = x |> iterateWhile(v => v[0] < 1.0, 100, v => v |> map(e => e + e))",
      Sequential, HasSubstr("depends on data"));
  expect_refused("def p(A: [H][W]f32, x: [W]f32): [H]f32 = A |> map(row => dotProduct(row, x))",
                 NotTheSameEverywhere, HasSubstr("A has 2 dimensions, and the result 1"));
  expect_refused(
      "def p(A: [H][W]f32, B: [W][D]f32): [H][D]f32 ="
      " A |> map(row => B |> transpose |> map(column => dotProduct(row, column)))",
      NotTheSameEverywhere, AllOf(HasSubstr("do not move along with the element"), HasSubstr("[0 to 63]")));
  expect_refused("def p(x: [W][W]f32): [W][W]f32 = x |> transpose", NotTheSameEverywhere,
                 HasSubstr("elements of x"));
  expect_refused("def p(x: [2 * N]f32): [N]f32 = x |> split(2) |> map(c => c[0] + c[1])",
                 NotTheSameEverywhere, HasSubstr("elements of x"));
  expect_refused("def p(x: [N]f32): [N]f32 = generate(N, i => if i % 2 == 0 then x[i] else x[i] + x[i])",
                 NotTheSameEverywhere, HasSubstr("the same operations"));
  expect_refused("def p(x: [N]f32): [N]f32 = x |> map(e => sum(x))", NothingRead,
                 HasSubstr("no input is read"));
  expect_refused("def p(x: [N]f32): [N]f32 = iota(N) |> map(i => f32(i))", NothingRead,
                 HasSubstr("no input is read"));
  expect_refused("def p(x: [4]f32): [4]f32 = x |> pad(5, 5, wrap) |> slide(11, 1) |> map(sum)",
                 LargerThanArray, HasSubstr("outside of its arrays"));
  expect_refused("def p(x: [4]f32): [4]f32 = x |> pad(5, 5, 0.0) |> slide(11, 1) |> map(sum)",
                 LargerThanArray, HasSubstr("outside of its arrays"));
  expect_refused("def p(x: [N]f32): [N]f32 = x |> map(e => e + sum(generate(100000000, i => f32(i))))",
                 TooLarge, HasSubstr("takes too long"));
  expect_refused("def p(x: [N]f32): [N]f32 = x |> iterate(100000, v => v |> rotate(1))", TooLarge,
                 HasSubstr("too many steps"));
  expect_refused(
      "def p(x: [N]f32): [N]f32 = x |> map(e => (e, 1.0) |> iterate(1000000, (a, b) => (a + b, b)) |> (r => "
      "r.0))",
      TooLarge, HasSubstr("takes too long"));
  const auto open = stencil_features(program_of(jacobi));
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind, UnknownSizes);
  EXPECT_THAT(open.error().reason, HasSubstr("the size H is left open"));
}

/// Rules of the catalogue, each at a random place where it fits; they mean the same, and so have the same
/// features.
TEST_F(StencilFeaturesOf, RulesLeaveThemAsTheyAre) {
  const char* texts[] = {
      jacobi,
      "def p(u: [D + 4][H][W]f32): [D][H][W]f32 = u |> map(map(slide(1, 1)) >> slide(1, 1) >> map(transpose))"
      " |> slide(5, 1) |> map(transpose >> map(transpose)) |> map3(n => 0.5 * n[0][0][0] + 0.25 * "
      "n[4][0][0])",
      "def p(u: [H][W]f32, w: [2*R+1][2*R+1]f32): [H][W]f32 = u |> pad2(R, R, clamp) |> slide2(2*R+1, 1)"
      " |> map2(n => dotProduct(join(n), join(w)))",
      "def p(u: [N]f32): [N]f32 = u |> pad(1, 1, clamp) |> slide(3, 1) |> map(n => n |> map(e => 3.0 * e) |> "
      "sum)"};
  std::size_t applied = 0;
  std::set<std::string> used;
  for (const char* text : texts) {
    const StencilFeatures before = features(text);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      ir::Program program = sized(text);
      for (int step = 0; step < 40; ++step) {
        const Rule& rule = all_rules()[random.below(all_rules().size())];
        const Strategy strategy = rewrite::rule(rule);
        const Term body = program.function.as<ir::Lambda>()->body;
        const auto places = redexes(body, strategy, Context(program.function));
        if (places.empty()) continue;
        const Path& path = places[random.below(places.size())].path;
        const auto next = rewrite(program, at_path(path, strategy), {2, 2, 2, 2});
        if (!next || !ir::open_parameters(next->program.function).empty()) continue;
        const auto after = stencil_features(next->program);
        // What is chosen must divide; where it does not, the program has no meaning.
        if (!after && after.error().kind == NoStencil::Kind::UnknownSizes) continue;
        ASSERT_TRUE(after) << rule.name << "\n" << after.error().reason << ir::to_string(next->program);
        if (rule.floats == Floats::Exact) {
          ASSERT_EQ(*after, before) << rule.name << "\n" << ir::to_string(next->program);
        } else {
          ASSERT_EQ(after->points, before.points) << rule.name << "\n" << ir::to_string(next->program);
        }
        program = next->program;
        ++applied;
        used.insert(rule.name);
      }
    }
  }
  EXPECT_GT(applied, 200U);
  EXPECT_GT(used.size(), 25U);
}

}  // namespace
}  // namespace hoist::rewrite
