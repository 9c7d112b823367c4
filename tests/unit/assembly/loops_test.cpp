// Loops, and which of them is the hot one.
#include "assembly/loops.hpp"

#include <gtest/gtest.h>

#include "assembly/hot_loop.hpp"

namespace hoist::assembly {
namespace {

Function function_of(const std::string& body) {
  const auto functions = read_listing("f:\n" + body);
  EXPECT_EQ(functions.size(), 1U);
  return functions.at(0);
}

using Indices = std::vector<std::size_t>;

TEST(Loops, OneBlock) {
  const auto loops =
      loops_of(function_of("xorl %eax, %eax\n.L2:\nincq %rax\ncmpq %rdi, %rax\njne .L2\nret\n"));
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].instructions, (Indices{1, 2, 3}));
  EXPECT_EQ(loops[0].depth, 1U);
}

TEST(Loops, ANestFromInsideOut) {
  const auto loops =
      loops_of(function_of("nop\n.L1:\nincq %rax\n.L2:\nincq %rcx\njne .L2\ndecq %rax\njne .L1\nret\n"));
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0].instructions, (Indices{2, 3}));
  EXPECT_EQ(loops[0].depth, 2U);
  EXPECT_EQ(loops[1].instructions, (Indices{1, 4, 5}));
  EXPECT_EQ(loops[1].depth, 1U);
}

TEST(Loops, EnteredAtTheTestBehindTheBody) {
  // The header is .L2, which the loop is entered by: an iteration begins there.
  const auto loops =
      loops_of(function_of("jmp .L2\n.L3:\naddq $8, %rax\n.L2:\ncmpq %rdi, %rax\njne .L3\nret\n"));
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].instructions, (Indices{2, 3, 1}));
}

TEST(Loops, WithABranchInside) {
  const auto loops =
      loops_of(function_of(".L1:\ntestq %rax, %rax\nje .L2\nincq %rcx\n.L2:\nincq %rax\njne .L1\nret\n"));
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].instructions, (Indices{0, 1, 2, 3, 4}));
}

TEST(Loops, TwoOfOneHeader) {
  // Nothing is between the beginnings of the two.
  const auto nest = loops_of(function_of(".L1:\nincq %rcx\njne .L1\nincq %rax\njne .L1\nret\n"));
  ASSERT_EQ(nest.size(), 2U);
  EXPECT_EQ(nest[0].instructions, (Indices{0, 1}));
  EXPECT_EQ(nest[0].depth, 2U);
  EXPECT_EQ(nest[1].instructions, (Indices{2, 3}));
  // Two branches that both go back are one loop.
  const auto branches = loops_of(
      function_of(".L1:\ntestq %rax, %rax\nje .L2\nincq %rcx\njmp .L1\n.L2:\nincq %rax\njne .L1\nret\n"));
  ASSERT_EQ(branches.size(), 1U);
  EXPECT_EQ(branches[0].instructions, (Indices{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(branches[0].depth, 1U);
}

TEST(Loops, ABackwardJumpAloneIsNone) {
  // Code that was moved behind the end of a function jumps back into it.
  EXPECT_TRUE(
      loops_of(function_of("testq %rax, %rax\nje .L9\n.L2:\nincq %rcx\nret\n.L9:\nnop\njmp .L2\n")).empty());
  EXPECT_TRUE(loops_of(function_of("nop\nret\n")).empty());
  EXPECT_TRUE(loops_of(function_of("jmp .L9\nret\n")).empty());
}

TEST(Loops, ACycleWithTwoEntriesIsNone) {
  EXPECT_TRUE(
      loops_of(function_of("testq %rax, %rax\nje .L2\n.L1:\nincq %rcx\n.L2:\nincq %rax\njne .L1\nret\n"))
          .empty());
}

TEST(Loops, BehindAJumpTable) {
  // No edge leads to .L4, which is entered all the same.
  const auto loops = loops_of(function_of("jmp *.L9(,%rdi,8)\n.L4:\nincq %rax\njne .L4\nret\n"));
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].instructions, (Indices{1, 2}));
}

const std::string wide_loop = ".L2:\nvaddps (%rax), %ymm0, %ymm0\naddq $32, %rax\ncmpq %rdx, %rax\njne .L2\n";
const std::string remainder = ".L3:\nvaddss (%rax), %xmm0, %xmm0\naddq $4, %rax\ncmpq %rcx, %rax\njne .L3\n";
const std::string narrow_loop =
    ".L4:\nvaddps (%rax), %xmm0, %xmm0\naddq $16, %rax\ncmpq %rdx, %rax\njne .L4\n";

std::optional<HotLoop> hot_loop_of(const std::string& text, const std::string& kernel) {
  return hot_loop(read_listing(text), kernel);
}

TEST(HotLoop, ThePeeledLoopNotItsRemainders) {
  for (const std::string& text : {"f:\n" + remainder + narrow_loop + wide_loop + "ret\n",
                                  "f:\n" + wide_loop + narrow_loop + remainder + "ret\n"}) {
    const auto loop = hot_loop_of(text, "f");
    ASSERT_TRUE(loop.has_value());
    EXPECT_EQ(loop->instructions.front().text, "vaddps (%rax), %ymm0, %ymm0");
  }
}

TEST(HotLoop, TheDeeperOneOfTheSameArithmetic) {
  const auto loop =
      hot_loop_of("f:\n" + wide_loop + "nop\n.L1:\n" + narrow_loop + "decq %rsi\njne .L1\nret\n", "f");
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->depth, 2U);
  EXPECT_EQ(loop->instructions.front().text, "vaddps (%rax), %xmm0, %xmm0");
}

TEST(HotLoop, AroundAScalarVersionOfItself) {
  const auto loop =
      hot_loop_of("f:\n.L1:\nvaddps (%rax), %ymm0, %ymm0\n" + remainder + "decq %rsi\njne .L1\nret\n", "f");
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->depth, 1U);
  EXPECT_EQ(loop->instructions.size(), 3U);
}

TEST(HotLoop, ScalarArithmeticBeforeNone) {
  const auto loop =
      hot_loop_of("f:\n.L1:\nnop\nnop\nnop\nnop\nnop\ndecq %rsi\njne .L1\n" + remainder + "ret\n", "f");
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->instructions.front().mnemonic, "vaddss");
}

TEST(HotLoop, InAFunctionThatTheKernelNames) {
  const std::string clang =
      ".text\nf:\nleaq .omp_outlined.(%rip), %rdx\ncallq __kmpc_fork_call@PLT\nretq\n"
      ".omp_outlined.:\ncallq helper@PLT\nretq\nhelper:\n" +
      wide_loop +
      "retq\n"
      "other:\n" +
      narrow_loop + wide_loop;
  ASSERT_TRUE(hot_loop_of(clang, "f").has_value());
  EXPECT_EQ(hot_loop_of(clang, "f")->function, "helper");
  EXPECT_EQ(hot_loop_of(clang, "other")->function, "other");
  const std::string part = "f._omp_fn.0:\n" + wide_loop + "ret\nf:\nret\n";
  EXPECT_EQ(hot_loop_of(part, "f")->function, "f._omp_fn.0");
}

TEST(HotLoop, NoneWhereThereIsNone) {
  EXPECT_EQ(hot_loop_of("", "f"), std::nullopt);
  EXPECT_EQ(hot_loop_of("f:\nvaddps %ymm0, %ymm1, %ymm2\nret\n", "f"), std::nullopt);
  EXPECT_EQ(hot_loop_of("f:\n" + wide_loop + "ret\n", "g"), std::nullopt);
}

}  // namespace
}  // namespace hoist::assembly
