// How many work-items kernels are launched with.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::ElementsAre;

/// The work-items of each kernel of a program, in all and per group, by dimension 0.
std::vector<std::pair<std::int64_t, std::int64_t>> launches(const loop::Plan& plan) {
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const loop::Kernel& kernel : plan.kernels)
    result.emplace_back(*kernel.launch.global[0].constant(), *kernel.launch.local[0].constant());
  return result;
}

const std::string doubled = "x |> split(4) |> mapWrg(0, tile => tile |> mapLcl(0, e => 2.0 * e)) |> join";

TEST_F(Lowering, ASequentialKernelHasOneWorkItemWhateverItReads) {
  // In as many groups as computed what it reads, every group would write the result.
  for (const std::string after : {"reduceSeq(+, 0.0)", "scanSeq(+, 0.0)", "mapSeq(e => e + 1.0)",
                                  "split(6) |> transpose |> mapSeq(row => row |> reduceSeq(+, 0.0))"}) {
    const std::string result = after == "reduceSeq(+, 0.0)"         ? "f32"
                               : after[0] == 's' && after[1] == 'p' ? "[6]f32"
                                                                    : "[24]f32";
    const std::string text = "def p(x: [24]f32): " + result + " = " + doubled + " |> " + after;
    EXPECT_THAT(launches(plan_of(text)), ElementsAre(std::pair(24, 4), std::pair(1, 1))) << text;
    expect_right(text);
  }
}

TEST_F(Lowering, AKernelsGroupsAreThoseOfItsOwnMaps) {
  const std::string text = "def p(x: [24]f32): [24]f32 = " + doubled +
                           " |> reverse |> split(8) |> mapWrg(0, mapLcl(0, e => e + 1.0)) |> join";
  EXPECT_THAT(launches(plan_of(text)), ElementsAre(std::pair(24, 4), std::pair(24, 8)));
  expect_right(text);
  const std::string reduced = "def p(x: [24]f32): f32 = " + doubled + " |> reduceLcl(0, +, 0.0)";
  EXPECT_THAT(launches(plan_of(reduced)), ElementsAre(std::pair(24, 4), std::pair(24, 24)));
  expect_right(reduced);
}

TEST_F(Lowering, TheFunctionOfAReductionSharesItsWorkOut) {
  const std::string text =
      "def p(x: [24]f32): [4]f32 = " + doubled +
      " |> split(4) |> reduceSeq((sums, row) => zip(sums, row) |> mapLcl(0, +), generate(4, i => 0.0))";
  EXPECT_THAT(launches(plan_of(text)), ElementsAre(std::pair(24, 4), std::pair(4, 4)));
  expect_right(text);
}

TEST_F(Lowering, KernelsLearnAtTheirLaunchHowLargeGroupsAre) {
  const auto learned = [&](const std::string& text, const Options& options = {}) {
    std::vector<std::string> lengths;
    for (const loop::Kernel& kernel : plan_of(text, options).kernels)
      lengths.push_back(arith::to_string(kernel.launch.local[0]));
    return lengths;
  };
  const std::string start = "def p(x: [24]f32): [24]f32 = x |> split(?t@4) |> ";
  const std::string groups = start + "mapWrg(0, mapLcl(0, e => 2.0 * e)) |> join";
  EXPECT_THAT(learned(groups), ElementsAre("?t@4"));
  EXPECT_THAT(loops_of(groups), testing::HasSubstr("out[?t@4*wg + l] = 2.0 * x[?t@4*wg + l]"));
  expect_right(groups);
  // What cannot be learned is known: a group that is too large and goes on in a loop, lengths of what a
  // work-item keeps, of local memory in OpenCL, of arrays between kernels, and how often something is done.
  Options small;
  small.target.max_group_size = 2;
  EXPECT_THAT(learned(groups, small), ElementsAre("2"));
  expect_right(groups, small);
  const std::string reversed =
      start +
      "mapWrg(0, row => row |> mapLcl(0, e => 2.0 * e) |> toLocal |> reverse |> mapLcl(0, id)) |> join";
  EXPECT_THAT(learned(reversed), ElementsAre("4"));
  expect_right(reversed);
  Options cuda;
  cuda.target.language = target::Language::Cuda;
  EXPECT_THAT(learned(reversed, cuda), ElementsAre("?t@4"));
  expect_right(reversed, cuda);
  for (const std::string rest :
       {"mapGlb(0, mapSeq(e => 2.0 * e)) |> join",
        "mapWrg(0, row => row |> mapSeq(e => 2.0 * e) |> toPrivate |> mapSeq(id)) |> join"}) {
    for (const std::string& length : learned(start + rest))
      EXPECT_EQ(length.find('?'), std::string::npos) << rest;
    expect_right(start + rest);
  }
  const std::string between =
      "def p(x: [24]f32): [4]f32 = x |> split(?t@4) |> mapWrg(0, row => row |> "
      "reduceLcl(0, +, 0.0)) |> take(4) |> mapGlb(0, e => e + 1.0)";
  expect_right(between);
}

TEST_F(Lowering, WhereADeviceLaunchesFewerGroupsThanThereAreElementsTheyGoOnInALoop) {
  Options options;
  options.target.language = target::Language::Cuda;
  for (const std::string maps : {"mapGlb(2, row => row |> mapGlb(0, e => e + 1.0))",
                                 "mapWrg(1, row => row |> mapLcl(0, e => e + 1.0))"}) {
    const std::string text = "def p(x: [140000][2]f32): [140000][2]f32 = x |> " + maps;
    const loop::LaunchRange launch = plan_of(text, options).kernels[0].launch;
    for (std::size_t d = 1; d < 3; ++d) {
      EXPECT_LE(*launch.global[d].constant() / *launch.local[d].constant(), 65535) << text;
    }
    expect_right(text, options);
  }
  for (const std::string size : {"2", "?t@2"}) {
    const std::string text = "def p(x: [280000]f32): [280000]f32 = x |> split(" + size +
                             ") |> mapWrg(1, row => row |> mapLcl(0, e => e + 1.0)) |> join";
    EXPECT_EQ(arith::known_value(plan_of(text, options).kernels[0].launch.global[1]), 65535) << text;
    expect_right(text, options);
  }
  // Shorter groups than those that were limited are more.
  options.local_size = {1, 1, 1};
  const std::string more =
      "def p(x: [140000][2]f32): [140000][2]f32 = x |> mapGlb(1, mapGlb(0, e => e + 1.0))";
  EXPECT_LE(*plan_of(more, options).kernels[0].launch.global[1].constant(), 65535);
  expect_right(more, options);
}

}  // namespace
}  // namespace hoist::lower
