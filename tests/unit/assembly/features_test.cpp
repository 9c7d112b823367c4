// Features counted by hand: of the paper's examples, and of what g++ and clang make of listings/kernels.cc
// for SSE4.2, AVX2 with FMA, and AVX-512 (listings/make.sh makes the listings again).
#include "assembly/features.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace hoist::assembly {
namespace {

using Features = std::map<std::string, double>;

std::string listing(const std::string& name) {
  std::ifstream file(HOIST_SOURCE_DIR "/tests/unit/assembly/listings/" + name + ".s");
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Those of a kernel's hot loop; none where there is no loop.
Features features(const std::string& text, const std::string& kernel) {
  const auto loop = hot_loop(read_listing(text), kernel);
  if (!loop) return {};
  const std::vector<double> values = features_of(*loop);
  Features result;
  for (std::size_t i = 0; i < values.size(); ++i) result[std::string(definitions()[i].name)] = values[i];
  return result;
}

void expect(const std::string& compiler_and_isa, const std::string& kernel, const Features& expected) {
  const Features found = features(listing(compiler_and_isa), kernel);
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(found.contains(name)) << compiler_and_isa << " " << kernel << " " << name;
    EXPECT_DOUBLE_EQ(found.at(name), value) << compiler_and_isa << " " << kernel << " " << name;
  }
}

TEST(AssemblyFeatures, FigureFiveOfThePaper) {
  const Features found = features(
      "f:\n.L6:\nmovups 544(%rsp,%rdi), %xmm1\nmovups 560(%rsp,%rdi), %xmm2\nmovups 572(%rsp,%rdi), %xmm3\n"
      "addq $32, %rdi\nmulps %xmm1, %xmm2\naddps %xmm2, %xmm3\nmovups %xmm3, 572(%rsp,%rdi)\nincq %r9\n"
      "cmpq $8, %r9\njb .L6\n",
      "f");
  EXPECT_EQ(found.at("loads"), 3);
  EXPECT_EQ(found.at("miscellaneous"), 0);
  EXPECT_EQ(found.at("multiplications"), 1);
  EXPECT_EQ(found.at("additions"), 1);
  EXPECT_EQ(found.at("stores"), 1);
  EXPECT_EQ(found.at("vector_operations"), 6);
  EXPECT_DOUBLE_EQ(found.at("arithmetic_intensity"), 2.0 / 3);
  EXPECT_EQ(found.at("total_operations"), 10);
  EXPECT_EQ(found.at("critical_path"), 5);
  EXPECT_EQ(found.at("sufficient_distance"), 0);
  // Its stack is an array: the address changes.
  EXPECT_EQ(found.at("spill_loads"), 0);
}

TEST(AssemblyFeatures, FigureSixOfThePaper) {
  const Features found = features(
      "f:\n.L6:\nshufps $0, %xmm6, %xmm6\nmovaps %xmm15, %xmm14\nshufps $0, %xmm4, %xmm4\n"
      "movaps %xmm6, %xmm12\nmulps %xmm5, %xmm14\nmulps %xmm2, %xmm15\nmulps %xmm5, %xmm12\n"
      "addps %xmm14, %xmm7\nmulps %xmm2, %xmm6\naddps %xmm15, %xmm10\nmulps %xmm4, %xmm5\n"
      "addps %xmm12, %xmm0\nmulps %xmm2, %xmm4\naddps %xmm6, %xmm1\naddps %xmm5, %xmm3\naddps %xmm4, %xmm11\n"
      "jb .L6\n",
      "f");
  // The figure's 10. It divides them by 13 and so counts one of the two copies as arithmetic; the paper's
  // text does not.
  EXPECT_EQ(found.at("sufficient_distance"), 10);
  EXPECT_EQ(found.at("additions") + found.at("multiplications"), 12);
  EXPECT_DOUBLE_EQ(found.at("sufficient_distance_ratio"), 10.0 / 12);
  EXPECT_EQ(found.at("miscellaneous"), 4);
  EXPECT_EQ(found.at("total_operations"), 16 + 1);
}

TEST(AssemblyFeatures, SetsHoldEachOther) {
  ASSERT_EQ(feature_sets().size(), 4U);
  EXPECT_EQ(feature_sets()[0].count, 1U);
  EXPECT_EQ(feature_sets()[1].count, 7U);
  EXPECT_EQ(feature_sets()[2].count, 8U);
  EXPECT_EQ(feature_sets()[3].count, 11U);
  EXPECT_EQ(feature_sets()[3].name, "fs4");
}

TEST(AssemblyFeatures, StencilOfGccInSse) {
  // Three loads, addps, two mulps, addps, a store; addq, cmpq, jne.
  expect("g++-sse4.2", "stencil",
         {{"additions", 2},
          {"multiplications", 2},
          {"loads", 3},
          {"stores", 1},
          {"miscellaneous", 0},
          {"vector_operations", 8},
          {"arithmetic_intensity", 4.0 / 3},
          {"critical_path", 6},
          {"total_operations", 11},
          {"sufficient_distance", 0},
          {"depth", 1},
          {"vector_bits", 128},
          {"element_operations", 16},
          {"bytes_loaded", 48},
          {"bytes_stored", 16},
          // All but the comparison, which is one with its jump. The store has an index, so ports 2 and 3 have
          // four addresses.
          {"micro_operations", 10},
          {"port_2", 2},
          {"port_4", 1},
          {"port_7", 0},
          {"port_cycles", 2},
          {"chain_cycles", 1},
          {"cycles", 2.5}});
}

TEST(AssemblyFeatures, StencilOfGccWithFma) {
  // Two of the three loads are operands of vmulps and vaddps; the addition and the multiplication that are
  // left are one instruction.
  const Features both = {{"additions", 2},        {"multiplications", 2},           {"loads", 3},
                         {"stores", 1},           {"vector_operations", 8},         {"critical_path", 6},
                         {"total_operations", 8}, {"sufficient_distance_ratio", 0}, {"micro_operations", 7}};
  expect("g++-avx2", "stencil", both);
  expect("g++-avx512", "stencil", both);
  expect("g++-avx2", "stencil", {{"vector_bits", 256}, {"element_operations", 32}, {"bytes_loaded", 96}});
  // Of 512 bits three instructions of arithmetic go to ports 0 and 5.
  expect("g++-avx512", "stencil",
         {{"vector_bits", 512}, {"element_operations", 64}, {"bytes_loaded", 192}, {"port_1", 0.25}});
}

TEST(AssemblyFeatures, StencilOfClangIsScalarAndUnrolled) {
  // Two copies of the body: addss, two mulss, addss.
  expect("clang++-sse4.2", "stencil",
         {{"additions", 0},
          {"multiplications", 0},
          {"scalar_arithmetic", 8},
          {"loads", 2},
          {"stores", 2},
          {"total_operations", 21},
          {"element_operations", 0},
          {"bytes_loaded", 8}});
  // Four copies of addss, mulss and a fused multiply-add.
  expect("clang++-avx512", "stencil",
         {{"scalar_arithmetic", 16},
          {"loads", 4},
          {"stores", 4},
          {"miscellaneous", 0},
          {"total_operations", 23}});
}

TEST(AssemblyFeatures, ProductsAreThreeLoopsDeep) {
  // movddup and eight times movupd, mulpd, addpd. Each mulpd is read by the next instruction; each addpd by
  // itself in the next iteration.
  expect("g++-sse4.2", "product",
         {{"depth", 3},
          {"additions", 8},
          {"multiplications", 8},
          {"loads", 9},
          {"vector_operations", 25},
          {"total_operations", 29},
          {"sufficient_distance", 8},
          {"sufficient_distance_ratio", 0.5},
          {"critical_path", 17},
          {"bytes_loaded", 8 + 8 * 16},
          {"chain_cycles", 4},
          {"port_cycles", 8}});
  // vbroadcastsd and four fused multiply-adds with an operand in memory.
  expect("g++-avx2", "product",
         {{"depth", 3},
          {"additions", 4},
          {"multiplications", 4},
          {"loads", 5},
          {"vector_operations", 13},
          {"arithmetic_intensity", 8.0 / 5},
          {"total_operations", 9},
          {"sufficient_distance_ratio", 1},
          {"critical_path", 9},
          {"element_operations", 32},
          {"bytes_loaded", 8 + 4 * 32},
          {"port_cycles", 2.5},
          {"chain_cycles", 4},
          {"cycles", 4},
          {"operations_per_cycle", 8}});
  expect("g++-avx512", "product",
         {{"depth", 3},
          {"additions", 2},
          {"loads", 3},
          {"total_operations", 7},
          {"bytes_loaded", 8 + 2 * 64},
          {"element_operations", 32}});
  // Four copies of a broadcast and two multiply-adds, on two sums: 4 in a chain. Six of them have an operand
  // in memory, two loads of their own; copies are four. Three multiply-adds are read by the third instruction
  // behind them.
  expect("clang++-avx512", "product",
         {{"depth", 2},
          {"additions", 8},
          {"multiplications", 8},
          {"loads", 12},
          {"miscellaneous", 4},
          {"total_operations", 22},
          {"sufficient_distance", 10},
          {"chain_cycles", 16},
          {"issue_cycles", 5.25}});
}

TEST(AssemblyFeatures, ASumIsAChain) {
  // Eight vaddss, one after the other.
  for (const char* isa : {"g++-avx2", "clang++-avx2", "clang++-sse4.2"}) {
    expect(isa, "sum",
           {{"scalar_arithmetic", 8},
            {"additions", 0},
            {"arithmetic_intensity", 0},
            {"loads", 8},
            {"total_operations", 11},
            {"bytes_loaded", 32},
            {"chain_cycles", 32},
            {"cycles", 32}});
  }
}

TEST(AssemblyFeatures, SpillsOfTwentySumsInSixteenRegisters) {
  // Nine sums are loaded, added to and stored again: 10 cycles for each iteration. The tenth slot, 16(%rsp),
  // is loaded twice and stored twice, which makes a chain of two loads of 6 cycles and a multiply-add of 4.
  expect("clang++-avx2", "spill",
         {{"additions", 20},
          {"multiplications", 20},
          {"loads", 9 + 11},
          {"stores", 11},
          {"miscellaneous", 4},
          {"spill_slots", 10},
          {"spill_loads", 11},
          {"spill_stores", 11},
          {"chain_cycles", 16},
          {"total_operations", 59},
          {"bytes_loaded", 20 * 16},
          {"bytes_stored", 11 * 16}});
  // AVX-512 has 32.
  expect("clang++-avx512", "spill",
         {{"additions", 20},
          {"loads", 9},
          {"stores", 0},
          {"spill_slots", 0},
          {"spill_loads", 0},
          {"sufficient_distance", 40},
          {"chain_cycles", 4},
          {"port_cycles", 10}});
}

TEST(AssemblyFeatures, ALoopThatWasPeeledAway) {
  // Eight multiply-adds with a broadcast each are left of two loops, each at most three instructions behind
  // the one before; the scalar loop inside is for arrays that overlap, and does not count. The rest of the
  // loop around are the tests for that.
  expect("g++-avx512", "peeled",
         {{"depth", 2},
          {"additions", 8},
          {"multiplications", 8},
          {"vector_bits", 512},
          {"loads", 16},
          {"stores", 1},
          {"scalar_arithmetic", 0},
          {"element_operations", 256},
          {"sufficient_distance", 0}});
}

TEST(AssemblyFeatures, ParallelRegionsAreFunctionsOfTheirOwn) {
  EXPECT_EQ(hot_loop(read_listing(listing("g++-avx2")), "parallel")->function, "parallel._omp_fn.0");
  EXPECT_EQ(hot_loop(read_listing(listing("clang++-avx2")), "parallel")->function, ".omp_outlined.");
  expect("g++-avx2", "parallel",
         {{"depth", 2}, {"additions", 1}, {"loads", 2}, {"stores", 1}, {"total_operations", 6}});
  // Unrolled four times.
  expect("clang++-avx2", "parallel",
         {{"depth", 2}, {"additions", 4}, {"loads", 8}, {"stores", 4}, {"total_operations", 15}});
}

TEST(AssemblyFeatures, NoneWithoutALoop) {
  for (const char* each :
       {"g++-sse4.2", "g++-avx2", "g++-avx512", "clang++-sse4.2", "clang++-avx2", "clang++-avx512"})
    EXPECT_TRUE(features(listing(each), "straight").empty()) << each;
}

}  // namespace
}  // namespace hoist::assembly
