// What the interpreter computes and counts.
#include <numeric>

#include "programs.hpp"

namespace hoist::loop {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Interpret : public testing::Test {
 private:
  arith::Arena arena_;
};

std::vector<float> counted(int count) {
  std::vector<float> elements(static_cast<std::size_t>(count));
  std::iota(elements.begin(), elements.end(), 0.0F);
  return elements;
}

TEST_F(Interpret, GlobalLoopCoversWhatDoesNotDivide) {
  const Plan plan = parsed(one_kernel(
      "size N; input A: global f32[N]; input a: f32; output C: global f32[N];",
      "read A: global f32[N], write C: global f32[N], scalar a: f32, size N",
      "global [8, 1, 1] local [4, 1, 1]", "for i in global(0) [0, N) step 1 { C[i] = a * A[i]; }"));
  Trial trial;
  trial.bind("N", 21).scalar("a", ScalarValue::of_real(Scalar::F32, 3)).input("A", counted(21)).execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  const std::vector<float> result = trial.output<float>("C");
  ASSERT_EQ(result.size(), 21U);
  for (std::size_t at = 0; at < 21; ++at) EXPECT_EQ(result[at], 3.0F * static_cast<float>(at));
  const Counts& counts = trial.report.counts;
  EXPECT_EQ(counts.loop_iterations, 21U);
  EXPECT_EQ(counts.operations, 21U);
  EXPECT_EQ(counts.loads[static_cast<int>(AddressSpace::Global)], 21U);
  EXPECT_EQ(counts.stores[static_cast<int>(AddressSpace::Global)], 21U);
  EXPECT_EQ(counts.loads[static_cast<int>(AddressSpace::Local)], 0U);
  EXPECT_EQ(counts.barriers, 0U);
  EXPECT_EQ(counts.branches, 0U);
}

TEST_F(Interpret, ThreeDimensions) {
  const Plan plan = parsed(one_kernel(
      "output C: global i32[240];", "write C: global i32[240]", "global [4, 6, 10] local [2, 3, 5]",
      "for x in group(0) [0, 2) step 1 : exactly_once { for y in group(1) [0, 2) step 1 : exactly_once {"
      "for z in group(2) [0, 2) step 1 : exactly_once { for lx in local(0) [0, 2) step 1 : exactly_once {"
      "for ly in local(1) [0, 3) step 1 : exactly_once { for lz in local(2) [0, 5) step 1 : exactly_once {"
      "C[2*x + lx + 4*(3*y + ly) + 24*(5*z + lz)] = index_i32(100*(2*x + lx) + 10*(3*y + ly) + 5*z + lz);"
      "} } } } } }"));
  Trial trial;
  trial.execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  const std::vector<std::int32_t> result = trial.output<std::int32_t>("C");
  for (int at = 0; at < 240; ++at) {
    EXPECT_EQ(result[static_cast<std::size_t>(at)], 100 * (at % 4) + 10 * (at / 4 % 6) + at / 24) << at;
  }
  EXPECT_EQ(trial.report.counts.loop_iterations, 0U) << "loops that run exactly once are none";
}

/// Sums each group's 8 elements in local memory, as a tree.
const char* const tree_reduction =
    "for g in group(0) [0, N / 8) step 1 : exactly_once {"
    "  allocate t: local f32[8];"
    "  for l in local(0) [0, 8) step 1 : exactly_once { t[l] = A[8*g + l]; }"
    "  barrier(local);"
    "  for l4 in local(0) [0, 4) step 1 : at_most_once { t[l4] = t[l4] + t[l4 + 4]; }"
    "  barrier(local);"
    "  for l2 in local(0) [0, 2) step 1 : at_most_once { t[l2] = t[l2] + t[l2 + 2]; }"
    "  barrier(local);"
    "  for l1 in local(0) [0, 1) step 1 : at_most_once { C[g] = t[0] + t[1]; }"
    "}";

std::string reduction(const std::string& body) {
  return one_kernel(
      "size N; input A: global f32[N]; output C: global f32[N / 8]; assume (N % 8 == 0) \"8 divides N\";",
      "read A: global f32[N], write C: global f32[N / 8], size N", "global [N, 1, 1] local [8, 1, 1]", body);
}

TEST_F(Interpret, TreeReductionInLocalMemory) {
  Trial trial;
  trial.bind("N", 24).input("A", counted(24)).execute(parsed(reduction(tree_reduction)));
  EXPECT_THAT(trial.report.faults, IsEmpty());
  EXPECT_THAT(trial.output<float>("C"), ElementsAre(28, 92, 156));
  const Counts& counts = trial.report.counts;
  EXPECT_EQ(counts.barriers, 9U) << "three in each of three groups";
  EXPECT_EQ(counts.branches, 3U * 8 * 3) << "every work-item tests whether it takes part";
  EXPECT_EQ(counts.operations, 3U * (4 + 2 + 1));
  EXPECT_EQ(counts.loads[static_cast<int>(AddressSpace::Local)], 3U * 2 * (4 + 2 + 1));
  EXPECT_EQ(counts.stores[static_cast<int>(AddressSpace::Local)], 3U * (8 + 4 + 2));
  EXPECT_EQ(counts.loads[static_cast<int>(AddressSpace::Global)], 24U);
  EXPECT_EQ(counts.stores[static_cast<int>(AddressSpace::Global)], 3U);
}

TEST_F(Interpret, EveryMissingBarrierIsARace) {
  const std::string text = tree_reduction;
  std::size_t at = 0;
  int removed = 0;
  while ((at = text.find("barrier(local);", at)) != std::string::npos) {
    std::string broken = text;
    broken.erase(at, 15);
    Trial trial;
    trial.bind("N", 24).input("A", counted(24)).execute(parsed(reduction(broken)));
    EXPECT_THAT(trial.report.faults, Each(HasSubstr("race: "))) << broken;
    EXPECT_THAT(trial.report.faults, testing::Not(IsEmpty())) << broken;
    ++removed;
    ++at;
  }
  EXPECT_EQ(removed, 3);
}

TEST_F(Interpret, SequentialLoopsHaveBoundsOfTheirOwn) {
  const Plan plan = parsed(one_kernel("output C: global i32[6];", "write C: global i32[6]",
                                      "global [6, 1, 1] local [3, 1, 1]",
                                      "for i in global(0) [0, 6) step 1 : exactly_once {"
                                      "  var s: i32 = 0;"
                                      "  for j in sequential [i, 10) step (i + 1) { s = s + index_i32(j); }"
                                      "  C[i] = s; }"));
  Trial trial;
  trial.execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  std::vector<std::int32_t> expected;
  std::uint64_t iterations = 0;
  for (int i = 0; i < 6; ++i) {
    int s = 0;
    for (int j = i; j < 10; j += i + 1, ++iterations) s += j;
    expected.push_back(s);
  }
  EXPECT_EQ(trial.output<std::int32_t>("C"), expected);
  EXPECT_EQ(trial.report.counts.loop_iterations, iterations);
}

TEST_F(Interpret, BranchesSplitTheWorkItems) {
  const Plan plan =
      parsed(one_kernel("input A: global f32[8]; output C: global f32[8];",
                        "read A: global f32[8], write C: global f32[8]", "global [8, 1, 1] local [8, 1, 1]",
                        "for i in global(0) [0, 8) step 1 : exactly_once {"
                        "  var x: f32 = A[i];"
                        "  if (test(i % 2 == 0)) { x = x * 10.0; }"
                        "  else { if (x < 4.0) { x = neg(x); } }"
                        "  C[i] = x; }"));
  Trial trial;
  trial.input("A", counted(8)).execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  EXPECT_THAT(trial.output<float>("C"), ElementsAre(0, -1, 20, -3, 40, 5, 60, 7));
  EXPECT_EQ(trial.report.counts.branches, 8U + 4U);
}

TEST_F(Interpret, Vectors) {
  const Plan plan = parsed(one_kernel(
      "input A: global f32[16]; output C: global f32[16];", "read A: global f32[16], write C: global f32[16]",
      "global [2, 1, 1] local [2, 1, 1]",
      "for i in global(0) [0, 2) step 1 : exactly_once {"
      "  allocate v: private f32x4[8];"
      "  v[0 +: 4] = A[8*i +: 4] * f32x4{2.0};"
      "  v[4 +: 4] = 1.0 + A[8*i + 4 +: 4];"
      "  C[8*i +: 4] = select(v[0 +: 4] < v[4 +: 4], v[0 +: 4], f32x4(0.0, v[1], -1.0, v[4 +: 4].s3));"
      "  C[8*i + 4 +: 4] = f32x4(v[7]); }"));
  Trial trial;
  trial.input("A", counted(16)).execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  // Work-item 0: v = 0 2 4 6 | 5 6 7 8; work-item 1: v = 16 18 20 22 | 13 14 15 16.
  EXPECT_THAT(trial.output<float>("C"), ElementsAre(0, 2, 4, 6, 8, 8, 8, 8, 0, 18, -1, 16, 16, 16, 16, 16));
  const Counts& counts = trial.report.counts;
  EXPECT_EQ(counts.loads[static_cast<int>(AddressSpace::Global)], 4U) << "a vector counts once";
  EXPECT_EQ(counts.stores[static_cast<int>(AddressSpace::Global)], 4U);
  EXPECT_EQ(counts.stores[static_cast<int>(AddressSpace::Private)], 4U);
  EXPECT_EQ(counts.operations, 2U * 4) << "two before the selection, it, and its comparison";
}

TEST_F(Interpret, ScalarTypes) {
  const Plan plan =
      parsed(one_kernel("input A: global u8[4]; input d: f64; output B: global bool[4]; output D: global "
                        "f64[4]; output L: global i64[4];"
                        "output U: global u32[4];",
                        "read A: global u8[4], scalar d: f64, write B: global bool[4], write D: global "
                        "f64[4], write L: global i64[4],"
                        "write U: global u32[4]",
                        "global [4, 1, 1] local [1, 1, 1]",
                        "for i in global(0) [0, 4) step 1 : exactly_once {"
                        "  let x: u8 = A[i] + 10u8;"
                        "  B[i] = x > 5u8;"
                        "  D[i] = as_f64(x) * d;"
                        "  L[i] = as_i64(x) * -10000000000i64;"
                        "  U[i] = as_u32(x) - 10u32; }"));
  Trial trial;
  trial.scalar("d", ScalarValue::of_real(Scalar::F64, 0.1));
  trial.input("A", std::vector<std::uint8_t>{0, 1, 250, 246}).execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  EXPECT_THAT(trial.output<std::uint8_t>("B"), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(trial.output<double>("D"), ElementsAre(10 * 0.1, 11 * 0.1, 4 * 0.1, 0));
  EXPECT_THAT(trial.output<std::int64_t>("L"), ElementsAre(-100000000000, -110000000000, -40000000000, 0));
  EXPECT_THAT(trial.output<std::uint32_t>("U"), ElementsAre(0U, 1U, 4294967290U, 4294967286U));
}

TEST_F(Interpret, DataMayBeAnIndex) {
  const Plan plan = parsed(one_kernel(
      "size N; input A: global f32[N]; input K: global i32[4]; input o: i32; output C: global f32[4];",
      "read A: global f32[N], read K: global i32[4], scalar o: i32, write C: global f32[4], size N",
      "global [4, 1, 1] local [2, 1, 1]",
      "for i in global(0) [0, 4) step 1 : exactly_once {"
      "  let k: i32 index [0, N) = K[i]; C[i] = A[(k + o) % N]; }"));
  Trial trial;
  trial.bind("N", 10).scalar("o", ScalarValue::of_integer(Scalar::I32, 3));
  trial.input("A", counted(10)).input("K", std::vector<std::int32_t>{4, 9, 0, 2}).execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  EXPECT_THAT(trial.output<float>("C"), ElementsAre(7, 2, 3, 5));
}

TEST_F(Interpret, OnlyTheChosenOperandIsComputed) {
  const Plan plan = parsed(one_kernel(
      "input A: global f32[4]; output C: global f32[8];", "read A: global f32[4], write C: global f32[8]",
      "global [8, 1, 1] local [8, 1, 1]",
      "for i in global(0) [0, 8) step 1 : exactly_once {"
      "  C[i] = select(test(i < 4) && A[i] > 1.0 , A[i], select(test(i < 4) || A[i] > 0.0, 5.0, 6.0)); }"));
  Trial trial;
  trial.input("A", counted(4)).execute(plan);
  EXPECT_THAT(trial.output<float>("C"), ElementsAre(5, 5, 2, 3, 6, 6, 6, 6));
  // The `&&` guards its load, the `||` does not: only that one is out of bounds.
  EXPECT_THAT(trial.report.faults, testing::SizeIs(4));
  EXPECT_THAT(trial.report.faults, Each(HasSubstr("out of bounds")));
}

TEST_F(Interpret, PointersExchangeWhatTheyName) {
  const Plan plan =
      parsed(one_kernel("input A: global i32[4]; output C: global i32[4];",
                        "read A: global i32[4], write C: global i32[4]", "global [4, 1, 1] local [4, 1, 1]",
                        "allocate s: local i32[4]; allocate t: local i32[4]; alias p: local i32[4] = s; "
                        "alias q: local i32[4] = t;"
                        "for l in local(0) [0, 4) step 1 : exactly_once { p[l] = A[l]; }"
                        "for i in sequential [0, 3) step 1 {"
                        "  barrier(local);"
                        "  for m in local(0) [0, 4) step 1 : exactly_once { q[m] = 10 * p[(m + 1) % 4] + 1; }"
                        "  swap(p, q); }"
                        "for n in local(0) [0, 4) step 1 : exactly_once { C[n] = p[n]; }"));
  Trial trial;
  trial.input("A", std::vector<std::int32_t>{1, 2, 3, 4}).execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  EXPECT_THAT(trial.output<std::int32_t>("C"), ElementsAre(4111, 1111, 2111, 3111));
}

TEST_F(Interpret, PointersOfPrivateMemoryBelongToAWorkItem) {
  const Plan plan = parsed(one_kernel("output C: global i32[4];", "write C: global i32[4]",
                                      "global [4, 1, 1] local [4, 1, 1]",
                                      "for l in local(0) [0, 4) step 1 : exactly_once {"
                                      "  allocate s: private i32[1]; allocate t: private i32[1];"
                                      "  alias p: private i32[1] = s; alias q: private i32[1] = t;"
                                      "  p[0] = 1; q[0] = 2;"
                                      "  for i in sequential [0, l) step 1 { swap(p, q); }"
                                      "  C[l] = p[0]; }"));
  Trial trial;
  trial.execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  EXPECT_THAT(trial.output<std::int32_t>("C"), ElementsAre(1, 2, 1, 2));
}

// ---- Plans

const char* const smoothing =
    "plan p { size N; size STEPS; input A: global f32[N]; output C: global f32[N]; temporary T: global "
    "f32[N];"
    "temporary S: global f32[N];"
    "kernel k(read T: global f32[N], write S: global f32[N], size N) launch global [N, 1, 1] local [1, 1, 1] "
    "index i32 { for i in global(0) [0, N) step 1 : exactly_once { S[i] = T[i] + T[min(i + 1, N - 1)]; } }"
    "steps { copy A to T; repeat (STEPS) exchange T, S { launch k; } copy T to C; } }";

TEST_F(Interpret, RepetitionsExchangeBuffers) {
  for (const int steps : {0, 1, 2, 3, 4}) {
    Trial trial;
    trial.bind("N", 4)
        .bind("STEPS", steps)
        .input("A", std::vector<float>{1, 2, 3, 4})
        .execute(parsed(smoothing));
    EXPECT_THAT(trial.report.faults, IsEmpty());
    std::vector<float> expected{1, 2, 3, 4};
    for (int step = 0; step < steps; ++step) {
      for (std::size_t at = 0; at < 4; ++at) expected[at] += at < 3 ? expected[at + 1] : expected[3];
    }
    EXPECT_EQ(trial.output<float>("C"), expected) << steps;
    EXPECT_FALSE(trial.memory.contains("T"));
  }
}

TEST_F(Interpret, KernelsFollowEachOtherWithoutRaces) {
  const Plan plan = parsed(
      "plan p { output C: global f32[8]; temporary T: global f32[8];"
      "kernel fill(write T: global f32[8]) launch global [8, 1, 1] local [4, 1, 1] index i32 {"
      "  for i in global(0) [0, 8) step 1 : exactly_once { T[i] = as_f32(index_i32(i)); } }"
      "kernel mirror(read T: global f32[8], write C: global f32[8]) launch global [8, 1, 1] local [4, 1, 1] "
      "index i32 {"
      "  for i in global(0) [0, 8) step 1 : exactly_once { C[i] = T[7 - i]; } }"
      "steps { launch fill; launch mirror; launch fill; } }");
  Trial trial;
  trial.execute(plan);
  EXPECT_THAT(trial.report.faults, IsEmpty());
  EXPECT_THAT(trial.output<float>("C"), ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
}

TEST_F(Interpret, WhatIsNotGivenIsAnError) {
  const Plan plan = parsed(reduction(tree_reduction));
  const auto message = [&](const arith::Bindings& sizes, Memory memory) {
    const Result<ExecutionReport> result = interpret(plan, sizes, {}, memory);
    EXPECT_FALSE(result.has_value());
    if (result) return std::string();
    EXPECT_EQ(result.error().kind, ErrorKind::User);
    return result.error().diagnostics.at(0).message;
  };
  const arith::Expr n = arith::size("N");
  EXPECT_EQ(message({}, {}), "size N is not bound");
  EXPECT_EQ(message({{n.get(), 12}}, {}), "8 divides N");
  EXPECT_EQ(message({{n.get(), 8}}, {}), "input 'A' is not given");
  EXPECT_EQ(message({{n.get(), 8}}, {{"A", bytes_of(counted(7))}}), "input 'A' has 32 bytes, not 28");

  const Plan scaled =
      parsed(one_kernel("input a: f32;", "scalar a: f32", "global [1, 1, 1] local [1, 1, 1]", ""));
  Memory memory;
  EXPECT_THAT(interpret(scaled, {}, {}, memory).error().diagnostics.at(0).message,
              "no value is given for 'a'");
  EXPECT_THAT(interpret(scaled, {}, {{"a", ScalarValue::of_real(Scalar::F64, 1)}}, memory)
                  .error()
                  .diagnostics.at(0)
                  .message,
              "'a' is f32, not f64");

  const Plan uneven = parsed(one_kernel("", "", "global [6, 1, 1] local [4, 1, 1]", ""));
  EXPECT_THAT(interpret(uneven, {}, {}, memory).error().diagnostics.at(0).message,
              HasSubstr("6 work-items in groups of 4 in dimension 0"));
}

}  // namespace
}  // namespace hoist::loop
