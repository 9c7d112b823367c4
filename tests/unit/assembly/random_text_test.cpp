// No text is too bad to be read: damaged listings, and words of the language in any order.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "assembly/features.hpp"
#include "base/random.hpp"

namespace hoist::assembly {
namespace {

void read_all_of(const std::string& text) {
  const std::vector<Function> functions = read_listing(text);
  for (const Function& function : functions) {
    const auto loop = hot_loop(functions, function.name);
    if (!loop) continue;
    const std::vector<double> values = features_of(*loop);
    ASSERT_EQ(values.size(), definitions().size());
    for (double value : values) ASSERT_TRUE(std::isfinite(value) && value >= 0) << text;
  }
}

std::string one_of(const std::vector<std::string>& words, Random& random) {
  return words[static_cast<std::size_t>(random.below(words.size()))];
}

TEST(RandomText, DamagedListings) {
  std::ifstream file(HOIST_SOURCE_DIR "/tests/unit/assembly/listings/g++-avx512.s");
  std::stringstream whole;
  whole << file.rdbuf();
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    std::string text = whole.str();
    text = text.substr(random.below(text.size() / 2), 400 + random.below(12000));
    for (int change = 0; change < 40 && !text.empty(); ++change) {
      const std::size_t at = random.below(text.size());
      switch (random.below(3)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, random.below(30));
          break;
        default:
          text.insert(at, text.substr(random.below(text.size()), random.below(60)));
      }
    }
    read_all_of(text);
  }
}

TEST(RandomText, WordsInAnyOrder) {
  const std::vector<std::string> words = {"f:",
                                          "g:",
                                          ".L1:",
                                          ".L2:",
                                          ".L3:",
                                          "1:",
                                          ":",
                                          "jne",
                                          "jmp",
                                          "je",
                                          ".L1",
                                          ".L2",
                                          ".L3",
                                          "1b",
                                          "f",
                                          "*%rax",
                                          "ret",
                                          "call",
                                          "vaddps",
                                          "vfmadd231ps",
                                          "vmovups",
                                          "movaps",
                                          "addq",
                                          "cmpq",
                                          "leaq",
                                          "xchgq",
                                          "idivq",
                                          "push",
                                          "%ymm0",
                                          "%zmm31",
                                          "%xmm1",
                                          "%k1",
                                          "%rax",
                                          "%rsp",
                                          "%rip",
                                          "%",
                                          "$4",
                                          "$",
                                          "{%k1}",
                                          "{z}",
                                          "{1to16}",
                                          "{",
                                          "}",
                                          "(%rax)",
                                          "(",
                                          ")",
                                          "8(%rsp)",
                                          "(%rax,%rcx,4)",
                                          ",",
                                          ", ",
                                          "(,%rdx,8)",
                                          "-4(%rbp)",
                                          "\t",
                                          "\n",
                                          "\n",
                                          "\n",
                                          "#",
                                          ".p2align",
                                          "lock",
                                          "vgatherdps",
                                          "(%rax,%ymm1,4)",
                                          "kmovw",
                                          "vpermt2ps",
                                          "vxorps",
                                          "v",
                                          "k",
                                          "j",
                                          "p",
                                          "vcvtsi2ssl",
                                          "vpmovsxbd",
                                          "vextractf128"};
  Random random(2);
  for (int round = 0; round < 400; ++round) {
    std::string text = "f:\n";
    const std::uint64_t length = random.below(300);
    for (std::uint64_t i = 0; i < length; ++i)
      text += one_of(words, random) + (random.below(3) == 0 ? " " : "");
    read_all_of(text);
  }
}

TEST(RandomText, InstructionsInAnyOrder) {
  const std::vector<std::string> registers = {"%ymm0", "%ymm1", "%ymm2", "%zmm3",
                                              "%xmm4", "%rax",  "%rcx",  "%k1"};
  const std::vector<std::string> places = {"(%rax)", "8(%rsp)", "(%rax,%rcx,4)", "-8(%rbp)", ".LC0(%rip)"};
  const std::vector<std::string> names = {"vaddps",  "vfmadd231ps", "movups",       "addq",
                                          "vmovaps", "vdivpd",      "cmpq",         "leaq",
                                          "vpermps", "imulq",       "vbroadcastss", "xorl"};
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::string text = "f:\n";
    for (int line = 0; line < 60; ++line) {
      if (random.below(5) == 0) text += fmt::format(".L{}:\n", random.below(12));
      if (random.below(6) == 0) {
        text += fmt::format("\t{} .L{}\n", random.below(4) == 0 ? "jmp" : "jne", random.below(12));
        continue;
      }
      text += "\t" + one_of(names, random) + " ";
      for (std::uint64_t operand = random.below(4); operand > 0; --operand)
        text += one_of(random.below(3) == 0 ? places : registers, random) + (operand > 1 ? ", " : "");
      text += "\n";
    }
    read_all_of(text);
  }
}

TEST(RandomText, LongTextsTakeNoLong) {
  std::string nest = "f:\n";
  for (int depth = 0; depth < 300; ++depth) nest += fmt::format(".L{}:\n\tincq %rax\n", depth);
  for (int depth = 300; depth-- > 0;) nest += fmt::format("\tjne .L{}\n", depth);
  EXPECT_EQ(hot_loop(read_listing(nest), "f")->depth, 300U);
  std::string straight = "f:\n.L1:\n";
  for (int line = 0; line < 20000; ++line)
    straight += fmt::format("\tvaddps {}(%rsp), %ymm{}, %ymm{}\n", 32 * (line % 500), line % 16, line % 7);
  straight += "\tjne .L1\n";
  read_all_of(straight);
}

}  // namespace
}  // namespace hoist::assembly
