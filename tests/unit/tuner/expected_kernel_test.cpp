#include "tuner/expected_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "driver/compile.hpp"
#include "ir/print.hpp"
#include "predict/models.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "tuner/proposer.hpp"
#include "variants/alternatives.hpp"
#include "workloads/contraction.hpp"

namespace hoist::tuner {
namespace {

class ExpectedKernel : public testing::Test {
 protected:
  static std::optional<ChosenKernel> expected(const std::string& text, const std::string& device,
                                              const driver::NamedSizes& sizes = {}) {
    const auto opened = runtime::open_device(device);
    if (!opened) return std::nullopt;
    const auto sized = driver::with_sizes(testing_support::program_of(text), sizes);
    return expected_kernel(sized.value(), (*opened)->info()).value();
  }
  static std::optional<ChosenKernel> of_contraction(const std::string& device) {
    const auto contraction = workloads::contraction_named("ijkl-imkn-jnlm").value();
    return expected(workloads::program_of(contraction, Scalar::F32), device,
                    {{"I", 8}, {"J", 4}, {"K", 4}, {"L", 16}, {"M", 8}, {"N", 8}});
  }

  ir::Arena arena_;
};

TEST_F(ExpectedKernel, OfAContractionHasItsLoopsInAnOrder) {
  const auto kernel = of_contraction("host");
  ASSERT_TRUE(kernel);
  EXPECT_THAT(kernel->origin, testing::StartsWith(kernel->name + ", which the model of this device expects"));
  EXPECT_TRUE(driver::compile(kernel->low, lower::Options{}));
}

TEST_F(ExpectedKernel, OfAProductIsBlocked) {
  const std::string text =
      "def p(a: [M][K]f32, b: [N][K]f32): [M][N]f32 =\n"
      "  a |> map(row => b |> map(other => zip(row, other) |> map(*) |> reduce(+, 0.0)))";
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1024, 1024, 1024}, {1023, 37, 517}}) {
    const auto kernel = expected(text, "host", {{"M", m}, {"N", n}, {"K", k}});
    ASSERT_TRUE(kernel);
    EXPECT_THAT(kernel->origin, testing::HasSubstr("which an analysis of this device's caches expects"));
    EXPECT_THAT(ir::to_string(kernel->low), testing::HasSubstr("loopPack(1"));
    EXPECT_TRUE(driver::compile(kernel->low, lower::Options{}));
  }
}

TEST_F(ExpectedKernel, OfABlockedNestIsWhatTuningBeginsWith) {
  const std::string text =
      "def p(a: [M][K]f32, b: [N][K]f32): [M][N]f32 =\n"
      "  a |> map(row => b |> map(other => zip(row, other) |> map(*) |> reduce(+, 0.0)))";
  const driver::NamedSizes sizes{{"M", 1000}, {"N", 512}, {"K", 640}};
  const auto kernel = expected(text, "host", sizes);
  ASSERT_TRUE(kernel);
  const auto opened = runtime::open_device("host").value();
  const target::Target& device = opened->info();
  const auto model = predict::model_for(device, nullptr).value();
  ASSERT_TRUE(model);
  variants::ExplorationOptions exploring;
  exploring.target = device;
  exploring.looks_at_features = true;
  const auto sized = driver::with_sizes(testing_support::program_of(text), sizes).value();
  ProposerOptions options{.lowering = driver::options_for(device)};
  options.model = &model->model;
  options.device = &device;
  options.ranked = 200;
  Proposer proposer(variants::explore(sized, exploring).value(), std::move(options));
  proposer.start({});
  const auto proposals = proposer.propose(1);
  ASSERT_TRUE(proposals && proposals->size() == 1);
  EXPECT_EQ(proposals->front().record.name, kernel->name);
}

TEST_F(ExpectedKernel, IsNoneWhereLoopsHaveNoOtherOrder) {
  EXPECT_FALSE(expected("def f(x: [1048576]f32): [1048576]f32 = x |> map(e => e + 1.0)", "host"));
}

TEST_F(ExpectedKernel, IsTheHostsAlone) { EXPECT_FALSE(of_contraction("opencl:0")); }

}  // namespace
}  // namespace hoist::tuner
