// Programs of several nests: each has choices of its own.
#include "variants/alternatives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "driver/compile.hpp"
#include "ir/print.hpp"
#include "support/executed.hpp"

namespace hoist::variants {
namespace {

using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

class Compositions : public testing::Test {
 protected:
  static std::unique_ptr<const Variants> explored(const std::string& text,
                                                  const driver::NamedSizes& sizes = {},
                                                  const ExplorationOptions& options = {}) {
    const auto sized = driver::with_sizes(testing_support::program_of(text), sizes);
    return explore(sized.value(), options).value();
  }
  static std::unique_ptr<const Variants> two_products() {
    return explored(
        "def f(A: [M][N]f32, x: [N]f32): [N]f32 =\n"
        "  let y = A |> map(row => zip(row, x) |> map(*) |> reduce(+, 0.0))\n"
        "  transpose(A) |> map(column => zip(column, y) |> map(*) |> reduce(+, 0.0))\n",
        {{"M", 512}, {"N", 256}});
  }

  ir::Arena arena_;
};

TEST_F(Compositions, OneNestIsAnExploration) {
  const auto variants = explored("def f(x: [1024]f32): [1024]f32 = x |> map(e => e + 1.0)");
  EXPECT_EQ(variants->parts(), 1U);
  EXPECT_EQ(&variants->part(0), variants.get());
}

TEST_F(Compositions, CountIsTheProduct) {
  const auto variants = two_products();
  ASSERT_EQ(variants->parts(), 2U);
  EXPECT_EQ(variants->count(), variants->part(0).count() * variants->part(1).count());
}

TEST_F(Compositions, IdsAreMadeOfTheParts) {
  const auto variants = two_products();
  for (const CandidateId& id : variants->sample(50, 1)) {
    ASSERT_THAT(id.parts, SizeIs(2));
    EXPECT_EQ(to_string(id), to_string(id.parts[0]) + "+" + to_string(id.parts[1]));
    EXPECT_EQ(candidate_id(to_string(id)).value(), id);
    EXPECT_TRUE(variants->contains(id));
    EXPECT_FALSE(variants->contains(id.parts[0]));
    std::vector<std::int64_t> values;
    std::set<std::string> names;
    for (const auto& [name, value] : variants->named_values(id)) EXPECT_TRUE(names.insert(name).second);
    for (const Coordinate& each : variants->coordinates(id)) values.push_back(each.value);
    EXPECT_EQ(variants->find(values), id);
  }
  for (const char* text : {"1-2+", "+1-2", "1-2+3", "1-2 + 3-4"}) EXPECT_FALSE(candidate_id(text)) << text;
}

TEST_F(Compositions, TheFirstDerivationOfEachPartIsTheDefaultMapping) {
  const auto variants = two_products();
  const ir::Program low = variants->term(candidate_id("0-0+0-0").value());
  const auto mapped = rewrite::default_mapping(
      driver::with_sizes(testing_support::program_of(
                             "def f(A: [M][N]f32, x: [N]f32): [N]f32 =\n"
                             "  let y = A |> map(row => zip(row, x) |> map(*) |> reduce(+, 0.0))\n"
                             "  transpose(A) |> map(column => zip(column, y) |> map(*) |> reduce(+, 0.0))\n"),
                         {{"M", 512}, {"N", 256}})
          .value(),
      target::Processor::Gpu);
  EXPECT_EQ(ir::to_string(low), ir::to_string(mapped->program));
}

TEST_F(Compositions, KernelsAreToldApart) {
  const auto variants = two_products();
  for (const CandidateId& id : variants->sample(20, 2)) {
    const ir::Arena of_this_candidate;
    const Candidate candidate = variants->make(id, {});
    if (!candidate.plan) continue;
    ASSERT_THAT(candidate.part_of_kernel, SizeIs(candidate.plan->kernels.size()));
    const std::multiset<std::size_t> parts(candidate.part_of_kernel.begin(), candidate.part_of_kernel.end());
    for (std::size_t part = 0; part < 2; ++part) EXPECT_THAT(parts.count(part), Gt(0U)) << to_string(id);
  }
}

TEST_F(Compositions, NestsThatComputeTheSameAreOnePart) {
  const auto variants = explored(
      "def blur(u: [64][64]f32): [64][64]f32 =\n"
      "  u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => join(n) |> reduce(+, 0.0))\n"
      "def f(u: [64][64]f32): [64][64]f32 = u |> blur |> blur |> blur\n");
  EXPECT_EQ(variants->parts(), 1U);
  const CandidateId id = variants->sample(1, 1).at(0);
  EXPECT_THAT(id.parts, SizeIs(0));
  const Candidate candidate = variants->make(id, {});
  ASSERT_TRUE(candidate.plan) << candidate.discarded;
  EXPECT_THAT(candidate.part_of_kernel, Each(0U));
}

/// What rules do not touch is mapped as the default mapping maps it: no stage is one work-item's.
TEST_F(Compositions, StagesBeforeTheOneThatIsTunedAreParallel) {
  const auto variants = explored(
      "def f(x: [4096]f32): [4096]f32 =\n"
      "  let y = x |> scan(+, 0.0)\n"
      "  generate(4096, i => y[i] + y[4095 - i])\n");
  for (const CandidateId& id : variants->sample(20, 1)) {
    const Candidate candidate = variants->make(id, {});
    ASSERT_TRUE(candidate.plan) << candidate.discarded;
    std::int64_t most = 0;
    for (const loop::Kernel& kernel : candidate.plan->kernels)
      most = std::max(most, kernel.launch.global[0].constant().value_or(0));
    EXPECT_THAT(most, Gt(1));
    EXPECT_THAT(candidate.plan->kernels, SizeIs(testing::Ge(3U)));
  }
}

TEST_F(Compositions, WhatLoopsComputeIsNotCopiedIntoTheLayoutOfTheResult) {
  // Columns are filtered as rows are: no candidate takes a kernel more for the transpose of the result.
  const auto variants = explored(
      "def filter(w, line) = line |> pad(2, 2, 0.0) |> slide(5, 1) |> map(window => dotProduct(window, w))\n"
      "def f(image: [64][128]f32, v: [5]f32, w: [5]f32): [64][128]f32 =\n"
      "  image |> map(row => filter(v, row)) |> transpose |> map(column => filter(w, column)) |> "
      "transpose\n");
  ASSERT_EQ(variants->alternative(0).parts(), 2U);
  int looked_at = 0;
  for (const CandidateId& id : variants->alternative(0).sample(40, 1)) {
    const ir::Arena of_this_candidate;
    const Candidate candidate = variants->alternative(0).make(id, {});
    if (!candidate.discarded.empty()) continue;
    ++looked_at;
    EXPECT_THAT(candidate.part_of_kernel, SizeIs(2)) << to_string(id);
  }
  EXPECT_GT(looked_at, 10);
}

TEST_F(Compositions, AResultThatIsAStageIsNoNestOfItsOwn) {
  const auto variants = explored(
      "def f(A: [256][256]f32, u: [256]f32, x: [256]f32): ([256][256]f32, [256]f32) =\n"
      "  let B = zip(A, u) |> map((row, a) => row |> map(e => e + a))\n"
      "  (B, B |> map(row => dotProduct(row, x)))\n");
  EXPECT_EQ(variants->alternative(0).parts(), 2U);
}

TEST_F(Compositions, StepsOfAnIterationAreExplored) {
  const auto variants = explored(
      "def f(u: [256][256]f32): [256][256]f32 =\n"
      "  u |> iterate(10, v => v |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => join(n) |> reduce(+, "
      "0.0)))\n");
  EXPECT_THAT(variants->count(), Gt(100U));
  EXPECT_FALSE(variants->is_default());
}

TEST_F(Compositions, BoundsAreOfAnyPart) {
  ExplorationOptions options;
  options.bounds = {{"l", {64, 64}}};
  const char* text =
      "def f(A: [512][256]f32, x: [256]f32): [512]f32 =\n"
      "  let y = A |> map(row => zip(row, x) |> map(*) |> reduce(+, 0.0))\n"
      "  generate(512, i => y[i] + y[511 - i])\n";
  const auto sized = driver::with_sizes(testing_support::program_of(text), {});
  EXPECT_TRUE(explore(*sized, options));
  options.bounds = {{"nothing", {64, 64}}};
  const auto refused = explore(*sized, options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("?nothing"));
}

}  // namespace
}  // namespace hoist::variants
