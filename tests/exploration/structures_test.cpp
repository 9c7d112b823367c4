// What experts write by hand is among what is derived, found by structure: the steps say so.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "exploration/shipped.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"
#include "variants/alternatives.hpp"
#include "variants/explore.hpp"

namespace hoist {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> derivations_of(const variants::Exploration& space) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < space.derivations(); ++i) {
    std::string steps;
    for (const rewrite::Step& step : space.derivation(i).trace) steps += step.rule + "; ";
    all.push_back(steps);
  }
  return all;
}

variants::Exploration explored(const char* name, const driver::NamedSizes& sizes, const char* profile) {
  variants::ExplorationOptions options;
  options.target = target::usual_device(*target::profile_named(profile));
  auto space = variants::Exploration::of(testing_support::shipped(name, sizes).sized, options);
  if (!space) throw std::runtime_error(space.error().render());
  return std::move(*space);
}

TEST(Structures, OfTheMatrixProduct) {
  const ir::Arena arena;
  const variants::Exploration space = explored("matmul_nn", {{"M", 256}, {"N", 256}, {"K", 256}}, "gpu");
  EXPECT_GT(space.count(), 46'000U);  // what the thesis reached, at 1024
  const std::vector<std::string> all = derivations_of(space);
  // Tiles in two dimensions, blocked in registers, both tiles in local memory.
  EXPECT_THAT(all,
              Contains("tileGroups(2); hoistReduceByChunks; tileAccumulationLocal; hoistReduce; map; "
                       "toLocal(1,0,1,0,0,even); toLocal(0,1,1,1,0,even); toPrivate(0,1); toPrivate(1,1); "));
  // Without local memory, held in registers or not.
  EXPECT_THAT(all,
              Contains("tileGroups(2); tileLocal(2); hoistReduce; map; toPrivate(0,1); toPrivate(1,1); "));
  EXPECT_THAT(all, Contains("tileGroups(2); tileLocal(2); hoistReduce; map; "));
  // Copies in vectors of four, what is next copied ahead.
  EXPECT_THAT(
      all,
      Contains(
          "tileGroups(2); hoistReduceByChunks; tileAccumulationLocalBlocks; hoistReduce; map; "
          "toLocal(1,0,4,0,0,even); toLocal(0,1,4,0,4,even); toPrivate(0,4); toPrivate(1,4); prefetch; "));
}

TEST(Structures, LongReductionsOfFewElementsAreSplit) {
  const ir::Arena arena;
  const std::vector<std::string> product =
      derivations_of(explored("matmul_nn", {{"M", 96}, {"N", 96}, {"K", 98304}}, "gpu"));
  EXPECT_THAT(product,
              Contains("splitReduction; tileGroups(2); hoistReduceByChunks; tileAccumulationLocalBlocks; "
                       "hoistReduce; map; toLocal(1,0,4,0,0,even); toLocal(0,1,4,0,4,even); toPrivate(0,4); "
                       "toPrivate(1,4); prefetch; "));
  const std::vector<std::string> columns =
      derivations_of(explored("gemv_transposed", {{"M", 100003}, {"N", 96}}, "gpu"));
  EXPECT_THAT(columns, Contains("splitReductionGuarded; tileGroups(1); map; "));
  // Many elements fill the processor, and short reductions are done before a second kernel starts.
  for (const driver::NamedSizes& sizes : {driver::NamedSizes{{"M", 4096}, {"N", 4096}, {"K", 4096}},
                                          driver::NamedSizes{{"M", 96}, {"N", 96}, {"K", 96}}}) {
    EXPECT_THAT(derivations_of(explored("matmul_nn", sizes, "gpu")),
                testing::Each(testing::Not(HasSubstr("splitReduction"))));
  }
}

TEST(Structures, OfTheMatrixProductWithoutLocalMemory) {
  const ir::Arena arena;
  const variants::Exploration space =
      explored("matmul_nt", {{"M", 64}, {"N", 64}, {"K", 64}}, "gpu-without-local-memory");
  EXPECT_THAT(derivations_of(space),
              Contains("tileItems(2); dotVectors(4); hoistReduce; map; toPrivate(0,1); toPrivate(1,1); "));
}

TEST(Structures, OfReductionsAndStencils) {
  const ir::Arena arena;
  EXPECT_THAT(derivations_of(explored("dot", {{"N", 65536}}, "gpu")), Contains("reduceByGroups(4); map; "));
  EXPECT_THAT(derivations_of(explored("gemv", {{"M", 256}, {"N", 256}}, "gpu")),
              Contains("groups(1); reduceInGroup(4); map; "));
  EXPECT_THAT(derivations_of(explored("nbody", {{"N", 1024}}, "gpu")),
              Contains(testing::AllOf(HasSubstr("hoistReduceByChunks"), HasSubstr("toLocal"))));
  EXPECT_THAT(derivations_of(explored("axpy", {{"N", 65536}}, "gpu")),
              Contains("mapVectors(4); tileItems(1); map; "));
  const std::vector<std::string> plane =
      derivations_of(explored("jacobi2d5", {{"H", 256}, {"W", 256}}, "gpu"));
  EXPECT_THAT(plane, Contains("streamWindows(4); map; "));
  EXPECT_THAT(plane, Contains("streamWindows(4); itemsInGroups; map; "));
  EXPECT_THAT(plane, Contains(testing::AllOf(HasSubstr("tileGroups(2)"), HasSubstr("toLocal"))));
  // A column of elements by a work-item, what its windows share read once for each column of the weights.
  EXPECT_THAT(
      derivations_of(explored("convolution2d", {{"H", 128}, {"W", 128}, {"R", 3}}, "gpu")),
      Contains("tileGroups(2); tileLocal(2); hoistReduceByColumns; hoistReduce; map; toLocal(0,1,1,1,0); "
               "toPrivate(1,1); "));
  EXPECT_THAT(derivations_of(explored("jacobi3d7", {{"D", 32}, {"H", 32}, {"W", 64}}, "gpu")),
              Contains("streamWindows(4); map; "));
}

TEST(Structures, OfRowsThatAreGoneThroughSeveralTimes) {
  const ir::Arena arena;
  constexpr const char* softmax = R"(
def softmax(x: [R][C]f32): [R][C]f32 =
  x |> map(row =>
    let m = row |> reduce(max, -inf)
    let e = row |> map(v => exp(v - m))
    let s = e |> reduce(+, 0.0)
    in e |> map(v => v / s))
)";
  constexpr const char* normalised = R"(
def normalised(x: [R][C]f32, g: [C]f32, b: [C]f32): [R][C]f32 =
  x |> map(row =>
    let mean = (row |> reduce(+, 0.0)) / f32(C)
    let d = row |> map(v => v - mean)
    let variance = (d |> map(v => v * v) |> reduce(+, 0.0)) / f32(C)
    in zip(d, g, b) |> map((v, g, b) => v * rsqrt(variance + 0.00001) * g + b))
)";
  for (const char* text : {softmax, normalised}) {
    variants::ExplorationOptions options;
    options.target = target::usual_device(*target::profile_named("gpu"));
    const auto sized = driver::with_sizes(testing_support::program_of(text), {{"R", 64}, {"C", 1024}});
    const auto all = variants::explore(*sized, options);
    ASSERT_TRUE(all) << all.error().render();
    std::vector<std::string> steps;
    for (const variants::DerivationSummary& each : (*all)->derivation_summaries())
      steps.push_back(fmt::format("{}", fmt::join(each.steps, "; ")));
    // Rows are read once, in vectors, and stay in registers.
    EXPECT_THAT(steps, Contains("groups(1); rowInGroup(4); map"));
    EXPECT_THAT(steps, Contains("groups(1); rowInGroup(1); map"));
  }
}

}  // namespace
}  // namespace hoist
