// Listings read into functions and instructions.
#include "assembly/instruction.hpp"

#include <gtest/gtest.h>

namespace hoist::assembly {
namespace {

/// The only instruction of a function.
Instruction one(const std::string& text) {
  const auto functions = read_listing("f:\n\t" + text + "\n");
  EXPECT_EQ(functions.size(), 1U) << text;
  EXPECT_EQ(functions.at(0).instructions.size(), 1U) << text;
  return functions.at(0).instructions.at(0);
}

TEST(Listing, FunctionsBeginAtLabelsThatAreNotLocal) {
  const auto functions = read_listing(
      "\t.text\n\t.globl\tf\nf:                       # @f\n.LFB0:\n\tret\n"
      "f._omp_fn.0:\n\tincq\t%rax\n.L3:\n\tdecq\t%rcx\n\tjne\t.L3\n\tret\n"
      "table:\n\t.long\t5\n.omp_outlined.:\n\tnop\n");
  ASSERT_EQ(functions.size(), 3U);
  EXPECT_EQ(functions[0].name, "f");
  EXPECT_EQ(functions[0].instructions.size(), 1U);
  EXPECT_EQ(functions[1].name, "f._omp_fn.0");
  EXPECT_EQ(functions[1].labels.at(".L3"), 1U);
  EXPECT_EQ(functions[1].instructions[0].line, 7U);
  EXPECT_EQ(functions[2].name, ".omp_outlined.");
}

TEST(Listing, OperandsOfEveryForm) {
  const Instruction load = one("vmovups\t-64(%rcx,%rax,4), %zmm17{%k1}{z}  # comment");
  EXPECT_EQ(load.mnemonic, "vmovups");
  EXPECT_EQ(load.text, "vmovups -64(%rcx,%rax,4), %zmm17{%k1}{z}");
  ASSERT_EQ(load.operands.size(), 2U);
  EXPECT_EQ(load.operands[0].kind, OperandKind::Memory);
  EXPECT_EQ(load.operands[0].displacement, "-64");
  EXPECT_EQ(load.operands[0].base, (Register{RegisterFile::General, 1, 64}));
  EXPECT_EQ(load.operands[0].index, (Register{RegisterFile::General, 0, 64}));
  EXPECT_EQ(load.operands[1].reg, (Register{RegisterFile::Vector, 17, 512}));
  EXPECT_EQ(load.operands[1].mask, (Register{RegisterFile::Mask, 1, 64}));
  EXPECT_TRUE(load.operands[1].zeroes_masked);

  EXPECT_TRUE(one("vaddps (%rax){1to16}, %zmm0, %zmm1").operands[0].is_broadcast);
  EXPECT_FALSE(one("vaddps .LC0(%rip), %ymm0, %ymm1").operands[0].is_broadcast);
  EXPECT_EQ(one("vaddps .LC0(%rip), %ymm0, %ymm1").operands[0].displacement, ".LC0");
  EXPECT_EQ(one("movq %fs:40, %rax").operands[0].kind, OperandKind::Memory);
  EXPECT_EQ(one("leaq (,%rax,8), %rdx").operands[0].base, std::nullopt);
  EXPECT_EQ(one("leaq (,%rax,8), %rdx").operands[0].index, (Register{RegisterFile::General, 0, 64}));
  EXPECT_EQ(one("addl $-3, %r10d").operands[0].kind, OperandKind::Immediate);
  EXPECT_EQ(one("addl $-3, %r10d").operands[1].reg, (Register{RegisterFile::General, 10, 32}));
  EXPECT_EQ(one("movb %sil, 3(%r8)").operands[0].reg, (Register{RegisterFile::General, 6, 8}));
  EXPECT_EQ(one("jne .L3").operands[0].kind, OperandKind::Label);
  EXPECT_EQ(one("lock addl $1, (%rdi)").mnemonic, "addl");
  EXPECT_EQ(one("{evex} vaddps %xmm0, %xmm1, %xmm2").mnemonic, "vaddps");
  EXPECT_TRUE(one("ret").operands.empty());
}

TEST(Listing, WhatIsNoAssemblyIsLeftOut) {
  EXPECT_TRUE(read_listing("").empty());
  EXPECT_TRUE(read_listing("\n\n# nothing\n\t.file \"a.cpp\"\n").empty());
  EXPECT_TRUE(read_listing("int main() { return 0; }").at(0).name.empty());
  EXPECT_TRUE(read_listing("Hello, World!").empty());
}

}  // namespace
}  // namespace hoist::assembly
