#include "driver/size_inference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/inputs.hpp"
#include "support/executed.hpp"

namespace hoist::driver {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Shape = std::vector<std::int64_t>;

/// What shapes of some of a program's inputs tell.
class Inference {
 public:
  explicit Inference(const std::string& text) : program_(testing_support::program_of(text)) {}

  Inference& give(const std::string& name, std::int64_t value) {
    inference_.give(name, value);
    return *this;
  }
  Inference& add(const std::string& input, const Shape& shape) {
    for (const ir::ParameterDeclaration& parameter : program_.parameters) {
      for (const NamedLeaf& leaf : named_leaves(parameter.type)) {
        if (parameter.name + leaf.path == input)
          inference_.add_shape({input, input + ".npy", input + ".npy as it is", leaf.type,
                                ir::leaves(leaf.type).front().shape, shape});
      }
    }
    return *this;
  }
  NamedSizes sizes() const {
    auto solved = inference_.solve();
    EXPECT_TRUE(solved) << solved.error().render();
    return solved.value_or(NamedSizes{});
  }
  std::string refusal() const {
    const auto solved = inference_.solve();
    EXPECT_FALSE(solved);
    return solved ? std::string() : solved.error().render();
  }

 private:
  const ir::Arena arena_;
  const ir::Program program_;
  SizeInference inference_{program_, [](const std::string& name, std::int64_t example) {
                             return fmt::format("try {} as {}", example, name);
                           }};
};

TEST(SizeInference, TakesExtentsOfShapes) {
  EXPECT_THAT(Inference("def f(A: [M][N]f32, x: [N]f32) = A\n").add("A", {2, 3}).sizes(),
              ElementsAre(Pair("M", 2), Pair("N", 3)));
}

TEST(SizeInference, SolvesForOneSizeAfterTheOther) {
  EXPECT_THAT(Inference("def f(x: [M + N]f32, y: [2 * N]f32) = (x, y)\n").add("x", {7}).add("y", {8}).sizes(),
              ElementsAre(Pair("M", 3), Pair("N", 4)));
  EXPECT_THAT(Inference("def f(x: [M * N]f32, y: [N]f32) = (x, y)\n").add("x", {12}).add("y", {4}).sizes(),
              testing::UnorderedElementsAre(Pair("M", 3), Pair("N", 4)));
}

TEST(SizeInference, SearchesWhereAnEquationIsNotLinear) {
  EXPECT_THAT(Inference("def f(x: [N * N]f32) = x\n").add("x", {49}).sizes(), ElementsAre(Pair("N", 7)));
  EXPECT_THAT(Inference("def f(x: [ceildiv(N, 4)]f32) = x\n").add("x", {3}).refusal(),
              HasSubstr("no single value follows from"));
}

TEST(SizeInference, KeepsWhatIsGiven) {
  EXPECT_THAT(Inference("def f(x: [M + N]f32) = x\n").give("M", 3).add("x", {7}).sizes(),
              ElementsAre(Pair("M", 3), Pair("N", 4)));
}

TEST(SizeInference, TakesComponentsOfTuples) {
  EXPECT_THAT(Inference("def f(p: [N](f32, i32)) = p\n").add("p.1", {5}).sizes(), ElementsAre(Pair("N", 5)));
}

TEST(SizeInference, NamesBothThatContradictEachOther) {
  EXPECT_THAT(Inference("def f(x: [N]f32, y: [N]f32) = (x, y)\n").add("x", {3}).add("y", {4}).refusal(),
              AllOf(HasSubstr("with N = 3 the input y: [N]f32 takes 3 elements, but y.npy has 4"),
                    HasSubstr("x: [N]f32 is given as x.npy as it is")));
  EXPECT_THAT(Inference("def f(A: [N][N]f32) = A\n").add("A", {3, 4}).refusal(),
              HasSubstr("takes 3 elements in dimension 1, but A.npy has 4"));
  EXPECT_THAT(Inference("def f(x: [N]f32) = x\n").give("N", 5).add("x", {3}).refusal(),
              AllOf(HasSubstr("takes 5 elements, but x.npy has 3"), HasSubstr("N=5 is given")));
  EXPECT_THAT(Inference("def f(x: [4]f32) = x\n").add("x", {3}).refusal(),
              HasSubstr("x: [4]f32 takes 4 elements, but x.npy has 3"));
}

TEST(SizeInference, RefusesSizesBelowOne) {
  EXPECT_THAT(Inference("def f(x: [N + 2]f32) = x\n").add("x", {2}).refusal(),
              HasSubstr("N would be 0, but sizes are at least 1"));
}

TEST(SizeInference, AsksForAllThatNothingTells) {
  EXPECT_THAT(Inference("def f(x: [M + N]f32) = x |> split(?t)\n").add("x", {8}).refusal(),
              AllOf(HasSubstr("the size M is not given"), HasSubstr("try 1024 as M"),
                    HasSubstr("no single value follows from M + N = 8"), HasSubstr("the size N is not given"),
                    HasSubstr("the tuning parameter ?t is not given"), HasSubstr("try 16 as t")));
}

}  // namespace
}  // namespace hoist::driver
