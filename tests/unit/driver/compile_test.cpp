// The pipeline from a program to the source of its kernels.
#include "driver/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/print.hpp"
#include "loop/print.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"

namespace hoist::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ir::Program double_all() {
  return testing_support::program_of("def f(x: [64]f32): [64]f32 = x |> map(e => 2.0 * e)\n");
}

/// A group keeps 64 KiB: more than a CUDA kernel may declare.
ir::Program large_tiles() {
  return testing_support::program_of(
      "def f(x: [2][16384]f32): [2][16384]f32 = x |> mapWrg(0, r => r |> split(64) |> mapLcl(0, mapSeq(id))\n"
      "  |> toLocal |> join |> split(64) |> reverse |> mapLcl(0, mapSeq(id)) |> join)\n");
}

TEST(Compilation, GoesAsFarAsItIsAsked) {
  const ir::Arena arena;
  const Compiled low = compile(double_all(), {.last = Stage::Low}).value();
  EXPECT_THAT(ir::to_string(low.low), HasSubstr("mapGlb"));
  EXPECT_THAT(low.plan.kernels, IsEmpty());
  EXPECT_THAT(low.dynamic_local_memory, IsEmpty());
  const Compiled loops = compile(double_all(), {.last = Stage::Loop}).value();
  EXPECT_THAT(loops.plan.kernels, testing::SizeIs(1));
  EXPECT_THAT(loops.dynamic_local_memory, ElementsAre(0U));
  EXPECT_THAT(loops.source, IsEmpty());
  const Compiled source = compile(double_all(), Compilation{}).value();
  EXPECT_THAT(source.source, HasSubstr("kernel"));
  EXPECT_EQ(loop::to_string(loops.plan), loop::to_string(source.plan));
  EXPECT_EQ(source.source, compile(double_all(), lower::Options()).value().source);
}

TEST(Compilation, TellsOfItsStagesInOrder) {
  const ir::Arena arena;
  std::vector<std::string> told;
  Compilation compilation{
      .mapped = [&](const rewrite::MappedProgram&) { told.emplace_back("mapped"); },
      .lowered = [&](const loop::Plan& plan) { told.push_back(plan.kernels.at(0).name); }};
  compilation.lowering.trace = [&](std::string_view, const loop::Plan&) {
    if (told.back() != "pass") told.emplace_back("pass");
  };
  ASSERT_TRUE(compile(double_all(), compilation));
  EXPECT_THAT(told, ElementsAre("mapped", "pass", "f"));
  told.clear();
  compilation.last = Stage::Low;
  ASSERT_TRUE(compile(double_all(), compilation));
  EXPECT_THAT(told, ElementsAre("mapped"));
}

TEST(Compilation, EndsWithWhatIsThrownByThoseWhoLookOn) {
  const ir::Arena arena;
  const auto compiled =
      compile(double_all(), {.lowered = [](const loop::Plan&) { throw_user("the launch is refused"); }});
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.error().render(), HasSubstr("the launch is refused"));
}

TEST(Compilation, NamesKernels) {
  const ir::Arena arena;
  const Compiled compiled = compile(double_all(), {.kernel_names = "mine"}).value();
  EXPECT_EQ(compiled.plan.kernels.at(0).name, "mine_kernel0");
  EXPECT_THAT(compiled.source, HasSubstr("mine_kernel0("));
}

TEST(Compilation, NamesNoKernelAsALibraryDoes) {
  const ir::Arena arena;
  ir::Program program = double_all();
  for (const auto& [name, language, expected] :
       {std::tuple{"power", target::Language::Host, "power_kernel"},
        std::tuple{"malloc", target::Language::Host, "malloc_kernel"},
        std::tuple{"smoothstep", target::Language::OpenCL, "smoothstep_kernel"},
        std::tuple{"hypot", target::Language::Cuda, "hypot_kernel"},
        std::tuple{"power", target::Language::OpenCL, "power"}}) {
    program.name = name;
    const auto compiled = compile(program, options_for(target::any_device(language)));
    ASSERT_TRUE(compiled) << compiled.error().render();
    EXPECT_EQ(compiled->plan.kernels.at(0).name, expected);
  }
}

TEST(Compilation, SaysWhatLocalMemoryLaunchesGive) {
  const ir::Arena arena;
  const auto given = [](target::Language language) {
    return compile(large_tiles(), options_for(target::any_device(language))).value().dynamic_local_memory;
  };
  EXPECT_THAT(given(target::Language::Cuda), ElementsAre(65536U));
  // These declare what they need.
  EXPECT_THAT(given(target::Language::OpenCL), ElementsAre(0U));
  EXPECT_THAT(given(target::Language::Host), ElementsAre(0U));
}

}  // namespace
}  // namespace hoist::driver
