// Loops against the number of work-items or iterations: which become straight code, which an `if`.
#include <gmock/gmock.h>

#include "arith/arena.hpp"
#include "lower/passes.hpp"
#include "unit/loop/programs.hpp"

namespace hoist::lower {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ControlFlow : public testing::Test {
 protected:
  static constexpr std::int64_t length = 64;

  /// A kernel that one group of M work-items runs, before the pass.
  static loop::Plan plan_of(const std::string& body,
                            const std::string& launch = "[M, 1, 1] local [M, 1, 1]") {
    return loop::parsed(loop::one_kernel(
        "size M; size N; input x: global f32[64]; output out: global f32[64];",
        "read x: global f32[64], write out: global f32[64], size M, size N", "global " + launch, body));
  }

  /// The kernel after the pass, which must do what it did: for several sizes.
  static std::string simplified(const std::string& body,
                                const std::string& launch = "[M, 1, 1] local [M, 1, 1]") {
    const loop::Plan before = plan_of(body, launch);
    loop::Plan after = plan_of(body, launch);
    if (before.kernels.empty()) return "";
    simplify_control_flow(after.kernels.front());
    for (const std::int64_t m : {1, 2, 3, 4, 8, 13}) {
      for (const std::int64_t n : {1, 5, 16})
        EXPECT_EQ(ran(after, m, n), ran(before, m, n)) << "M=" << m << " N=" << n;
    }
    return loop::to_string(after);
  }

  static std::vector<float> ran(const loop::Plan& plan, std::int64_t m, std::int64_t n) {
    std::vector<float> x;
    for (int i = 0; i < length; ++i) x.push_back(static_cast<float>(i + 1));
    loop::Trial trial;
    trial.bind("M", m)
        .bind("N", n)
        .input("x", x)
        .input("out", std::vector<float>(length, -1.0F))
        .execute(plan);
    // What no iteration writes is unset, and stays as it was given.
    EXPECT_THAT(trial.report.faults, testing::Each(HasSubstr("unset"))) << loop::to_string(plan);
    return trial.output<float>("out");
  }

  const arith::Arena arena;
};

TEST_F(ControlFlow, AsManyIterationsAsWorkItemsAreOneEach) {
  EXPECT_THAT(simplified("for l in local(0) [0, M) step 1 { out[l] = x[l]; }"),
              HasSubstr("[0, M) step 1 : exactly_once"));
}

TEST_F(ControlFlow, FewerIterationsThanWorkItemsAreOneAtMost) {
  EXPECT_THAT(simplified("for l in local(0) [0, M - 1) step 1 { out[l] = x[l]; }"),
              HasSubstr("[0, M - 1) step 1 : at_most_once"));
}

TEST_F(ControlFlow, MoreIterationsThanWorkItemsStayALoop) {
  for (const char* stop : {"M + 1", "N", "2*M"}) {
    EXPECT_THAT(simplified(std::string("for l in local(0) [0, ") + stop + ") step 1 { out[l] = x[l]; }"),
                Not(HasSubstr("once")))
        << stop;
  }
}

/// How many iterations there are may change from step to step; the loop runs once at most where it does so
/// when they are most: here in the first step, when they are a third of M and a little.
TEST_F(ControlFlow, IterationsThatShrinkAreOneAtMostIfTheMostAre) {
  EXPECT_THAT(simplified("for s in sequential [0, M) step 1 {\n"
                         "  for l in local(0) [0, max((M + 4 - 2*s) / 3, 0)) step 1 { out[l] = x[l + s]; }\n"
                         "}"),
              HasSubstr("at_most_once"));
  EXPECT_THAT(
      simplified("for s in sequential [0, M) step 1 {\n"
                 "  for l in local(0) [0, max((4*M + 4 - 2*s) / 3, 0)) step 1 { out[l] = x[l + s]; }\n"
                 "}"),
      Not(HasSubstr("once")));
}

TEST_F(ControlFlow, OneWorkItemRunsOneIterationOrNone) {
  const std::string alone = "[1, 1, 1] local [1, 1, 1]";
  EXPECT_THAT(simplified("for l in local(0) [0, 1) step 1 { out[l] = x[l + 3]; }", alone),
              AllOf(HasSubstr("out[0] = x[3];"), Not(HasSubstr("for")), Not(HasSubstr("if"))));
  EXPECT_THAT(
      simplified("for l in local(0) [0, min(M / 2, 1)) step 1 { out[l] = x[l + 3]; }", alone),
      AllOf(HasSubstr("if (test(0 < min(M / 2, 1)))"), HasSubstr("out[0] = x[3];"), Not(HasSubstr("for"))));
}

TEST_F(ControlFlow, GroupsAndAllWorkItemsCountAlike) {
  const std::string launch = "[4*M, 1, 1] local [M, 1, 1]";
  EXPECT_THAT(
      simplified(
          "for wg in group(0) [0, 4) step 1 { for l in local(0) [0, M) step 1 { out[M*wg + l] = x[l]; } }",
          launch),
      AllOf(HasSubstr("group(0) [0, 4) step 1 : exactly_once"), HasSubstr("[0, M) step 1 : exactly_once")));
  EXPECT_THAT(simplified("for g in global(0) [0, 4*M - 2) step 1 { out[g] = x[g]; }", launch),
              HasSubstr("step 1 : at_most_once"));
}

TEST_F(ControlFlow, SequentialLoopsOfOneIterationOrNone) {
  EXPECT_THAT(
      simplified("for l in local(0) [0, M) step 1 { for i in sequential [5, 6) step 1 { out[l] = x[i]; } }"),
      AllOf(HasSubstr("= x[5];"), Not(HasSubstr("sequential"))));
  EXPECT_THAT(simplified("for l in local(0) [0, M) step 1 {\n"
                         "  for i in sequential [0, 3) step 4 { out[l] = x[i + 1]; }\n}"),
              AllOf(HasSubstr("= x[1];"), Not(HasSubstr("sequential"))));
  EXPECT_THAT(simplified("for l in local(0) [0, M) step 1 {\n"
                         "  out[l] = 3.0;\n  for i in sequential [M, M) step 1 { out[l] = x[i]; }\n}"),
              Not(HasSubstr("sequential")));
  EXPECT_THAT(
      simplified("for l in local(0) [0, M) step 1 { for i in sequential [0, 2) step 1 { out[l] = x[i]; } }"),
      HasSubstr("sequential [0, 2)"));
}

TEST_F(ControlFlow, TestsThatRangesDecideAreGone) {
  const auto tested = [&](const std::string& test) {
    return simplified("for l in local(0) [0, M) step 1 {\n  if (test(" + test +
                      ")) {\n    out[l] = x[l];\n  } else {\n    out[l] = 0.5;\n  }\n}");
  };
  EXPECT_THAT(tested("l < M"), AllOf(HasSubstr("= x[l];"), Not(HasSubstr("0.5")), Not(HasSubstr("if"))));
  EXPECT_THAT(tested("M <= l"), AllOf(HasSubstr("0.5"), Not(HasSubstr("x[l]")), Not(HasSubstr("if"))));
  EXPECT_THAT(tested("l < 3"), AllOf(HasSubstr("x[l]"), HasSubstr("0.5"), HasSubstr("if (")));
}

}  // namespace
}  // namespace hoist::lower
