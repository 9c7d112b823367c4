// What single instructions do.
#include "assembly/operation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembly/counts.hpp"
#include "assembly/ports.hpp"

namespace hoist::assembly {
namespace {

using testing::UnorderedElementsAre;

Instruction one(const std::string& text) {
  return read_listing("f:\n" + text + "\n").at(0).instructions.at(0);
}

constexpr Place v(int number) { return 32 + number; }
constexpr Place k(int number) { return 64 + number; }
constexpr Place rax = 0, rcx = 1, rdx = 2, rdi = 7;

struct Case {
  std::string text, counted;
  std::size_t loaded = 0, stored = 0;
};

TEST(Operation, TypesAndBytes) {
  const std::vector<Case> cases = {
      {"vfmadd231ps (%rax), %zmm0, %zmm1", "addition, multiplication, load", 64, 0},
      {"vfmadd231ps (%rax){1to16}, %zmm0, %zmm1", "addition, multiplication, load", 4, 0},
      {"vfmadd231ss (%rax), %xmm0, %xmm1", "scalar arithmetic, load", 4, 0},
      {"addps %xmm0, %xmm1", "addition"},
      {"vsubpd %ymm0, %ymm1, %ymm2", "addition"},
      {"mulpd 16(%rax), %xmm1", "multiplication, load", 16, 0},
      {"addsd (%rax), %xmm1", "scalar arithmetic, load", 8, 0},
      {"vpaddd %ymm0, %ymm1, %ymm2", "addition"},
      {"vpmulld (%rax), %ymm1, %ymm2", "multiplication, load", 32, 0},
      {"movups (%rax), %xmm0", "load", 16, 0},
      {"movss (%rax), %xmm0", "load", 4, 0},
      {"vmovsd %xmm0, (%rax)", "store", 0, 8},
      {"vmovupd %zmm0, 64(%rdi)", "store", 0, 64},
      {"vmovups %ymm0, (%rax){%k1}", "store", 0, 32},
      {"vmovntps %ymm0, (%rax)", "store", 0, 32},
      {"movaps %xmm0, %xmm1", "miscellaneous"},
      {"vbroadcastss (%rax), %ymm0", "load", 4, 0},
      {"vbroadcastsd (%rax), %zmm0", "load", 8, 0},
      {"vbroadcastf128 (%rax), %ymm0", "load", 16, 0},
      {"vbroadcastf32x4 (%rax), %zmm0", "load", 16, 0},
      {"vbroadcastf64x4 (%rax), %zmm0", "load", 32, 0},
      {"vbroadcastss %xmm0, %ymm0", "miscellaneous"},
      {"vpbroadcastd (%rax), %ymm0", "load", 4, 0},
      {"movddup (%rax), %xmm0", "load", 8, 0},
      {"vmovddup (%rax), %ymm0", "load", 32, 0},
      {"shufps $0, %xmm6, %xmm6", "miscellaneous"},
      {"vinsertf128 $1, (%rax), %ymm0, %ymm1", "load, miscellaneous", 16, 0},
      {"vextractf128 $1, %ymm0, (%rax)", "store, miscellaneous", 0, 16},
      {"vextractf64x4 $1, %zmm0, (%rax)", "store, miscellaneous", 0, 32},
      {"movhps (%rax), %xmm0", "load, miscellaneous", 8, 0},
      {"vinsertps $16, (%rax), %xmm0, %xmm1", "load, miscellaneous", 4, 0},
      {"vpmovsxbd (%rax), %ymm0", "load, miscellaneous", 8, 0},
      {"vpmovzxbw (%rax), %ymm0", "load, miscellaneous", 16, 0},
      {"vcvtps2pd (%rax), %ymm0", "load, miscellaneous", 16, 0},
      {"vcvtsd2ss (%rax), %xmm0, %xmm0", "load", 8, 0},
      {"vcvtsi2ssl %eax, %xmm0, %xmm0", ""},
      {"vcvtsi2sdq (%rax), %xmm0, %xmm0", "load", 8, 0},
      {"vdivps %ymm0, %ymm1, %ymm2", "miscellaneous"},
      {"vpermi2ps %zmm0, %zmm1, %zmm2", "miscellaneous"},
      {"vgatherdps (%rax,%ymm1,4), %ymm0{%k1}", "load, miscellaneous", 32, 0},
      {"movl (%rax), %ecx", "", 4, 0},
      {"movzbl (%rax), %ecx", "", 1, 0},
      {"movslq (%rax), %rcx", "", 4, 0},
      {"addq $1, 8(%rsp)", "", 8, 8},
      {"cmpq %rax, 8(%rsp)", "", 8, 0},
      {"movb $0, (%rax)", "", 0, 1},
      {"mov %ecx, (%rax)", "", 0, 4},
      {"leaq 8(%rax), %rcx", ""},
      {"prefetcht0 64(%rax)", ""},
      {"kmovw (%rax), %k1", "", 2, 0},
      {"vzeroupper", ""},
      {"jne .L3", ""},
  };
  for (const Case& each : cases) {
    const Instruction instruction = one(each.text);
    const Counts counts = counts_of(operation_of(instruction));
    EXPECT_EQ(counted_as(counts), each.counted) << each.text;
    EXPECT_EQ(counts.bytes_loaded, static_cast<double>(each.loaded)) << each.text;
    EXPECT_EQ(counts.bytes_stored, static_cast<double>(each.stored)) << each.text;
  }
}

TEST(Operation, Lanes) {
  EXPECT_EQ(operation_of(one("vfmadd231ps %zmm0, %zmm1, %zmm2")).lanes(), 16);
  EXPECT_EQ(operation_of(one("vaddpd %ymm0, %ymm1, %ymm2")).lanes(), 4);
  EXPECT_EQ(operation_of(one("mulps %xmm0, %xmm1")).lanes(), 4);
  EXPECT_EQ(operation_of(one("vpaddb %ymm0, %ymm1, %ymm2")).lanes(), 32);
  EXPECT_EQ(operation_of(one("vpmullw %ymm0, %ymm1, %ymm2")).lanes(), 16);
  EXPECT_EQ(operation_of(one("vpaddq %ymm0, %ymm1, %ymm2")).lanes(), 4);
}

struct PlacesCase {
  std::string text;
  std::vector<Place> reads, address, writes;
};

TEST(Operation, WhatIsReadAndWritten) {
  const std::vector<PlacesCase> cases = {
      {"addps %xmm0, %xmm1", {v(0), v(1)}, {}, {v(1)}},
      {"vaddps %ymm0, %ymm1, %ymm2", {v(0), v(1)}, {}, {v(2)}},
      {"vaddps %zmm0, %zmm1, %zmm2{%k3}", {v(0), v(1), v(2), k(3)}, {}, {v(2)}},
      {"vaddps %zmm0, %zmm1, %zmm2{%k3}{z}", {v(0), v(1), k(3)}, {}, {v(2)}},
      {"vfmadd213ps (%rax,%rcx,4), %ymm1, %ymm2", {v(1), v(2)}, {rax, rcx}, {v(2)}},
      {"vxorps %xmm1, %xmm1, %xmm1", {}, {}, {v(1)}},
      {"pxor %xmm1, %xmm1", {}, {}, {v(1)}},
      {"xorps %xmm0, %xmm1", {v(0), v(1)}, {}, {v(1)}},
      {"movaps %xmm0, %xmm1", {v(0)}, {}, {v(1)}},
      {"movss %xmm0, %xmm1", {v(0), v(1)}, {}, {v(1)}},
      {"movss (%rax), %xmm1", {}, {rax}, {v(1)}},
      {"movups %xmm1, (%rax)", {v(1)}, {rax}, {}},
      {"pshufd $1, %xmm0, %xmm1", {v(0)}, {}, {v(1)}},
      {"shufps $1, %xmm0, %xmm1", {v(0), v(1)}, {}, {v(1)}},
      {"sqrtps %xmm0, %xmm1", {v(0)}, {}, {v(1)}},
      {"vpermt2ps %zmm0, %zmm1, %zmm2", {v(0), v(1), v(2)}, {}, {v(2)}},
      {"vcmpps $1, %zmm0, %zmm1, %k2", {v(0), v(1)}, {}, {k(2)}},
      {"ucomiss %xmm0, %xmm1", {v(0), v(1)}, {}, {flags_place}},
      {"addq $8, %rax", {rax}, {}, {rax, flags_place}},
      {"movq %rcx, %rax", {rcx}, {}, {rax}},
      {"leaq 8(%rax,%rcx), %rdx", {}, {rax, rcx}, {rdx}},
      {"cmpq %rax, %rcx", {rax, rcx}, {}, {flags_place}},
      {"testl %eax, %eax", {rax, rax}, {}, {flags_place}},
      {"xorl %eax, %eax", {}, {}, {rax, flags_place}},
      {"imulq $3, %rax, %rcx", {rax}, {}, {rcx, flags_place}},
      {"cmovg %rax, %rcx", {rax, rcx, flags_place}, {}, {rcx}},
      {"sete %al", {flags_place}, {}, {rax}},
      {"jne .L3", {flags_place}, {}, {}},
      {"jmp .L3", {}, {}, {}},
      {"idivq %rcx", {rcx, rax, rdx}, {}, {rcx, rax, rdx, flags_place}},
      {"cqto", {rax}, {}, {rdx}},
      {"addq %rcx, (%rdi)", {rcx}, {rdi}, {flags_place}},
      {"incq %rcx", {rcx}, {}, {rcx, flags_place}},
  };
  for (const PlacesCase& each : cases) {
    const Instruction instruction = one(each.text);
    const Operation operation = operation_of(instruction);
    EXPECT_THAT(operation.reads, testing::UnorderedElementsAreArray(each.reads)) << each.text;
    EXPECT_THAT(operation.address, testing::UnorderedElementsAreArray(each.address)) << each.text;
    EXPECT_THAT(operation.writes, testing::UnorderedElementsAreArray(each.writes)) << each.text;
  }
}

TEST(Operation, ACallWritesWhatNoFunctionKeeps) {
  const Instruction call = one("call sqrtf@PLT");
  const Operation operation = operation_of(call);
  EXPECT_THAT(operation.writes, testing::Contains(v(0)));
  EXPECT_THAT(operation.writes, testing::Contains(rax));
  EXPECT_THAT(operation.writes, testing::Not(testing::Contains(Place{3})));  // rbx
}

constexpr PortSet set(std::initializer_list<int> members) {
  int bits = 0;
  for (int each : members) bits |= 1 << each;
  return static_cast<PortSet>(bits);
}

TEST(Ports, OfInstructions) {
  const auto cost = [](const std::string& text) {
    const Instruction instruction = one(text);
    return cost_of(operation_of(instruction));
  };
  EXPECT_THAT(cost("vfmadd231ps (%rax), %ymm0, %ymm1").micro_operations,
              UnorderedElementsAre(set({0, 1}), set({2, 3})));
  EXPECT_EQ(cost("vfmadd231ps (%rax), %ymm0, %ymm1").issued, 1);
  EXPECT_EQ(cost("vfmadd231ps (%rax), %ymm0, %ymm1").latency, 4);
  EXPECT_EQ(cost("vfmadd231ps (%rax), %ymm0, %ymm1").load_latency, 7);
  EXPECT_THAT(cost("vfmadd231ps %zmm0, %zmm1, %zmm2").micro_operations, UnorderedElementsAre(set({0, 5})));
  EXPECT_THAT(cost("vshufps $0, %zmm0, %zmm1, %zmm2").micro_operations, UnorderedElementsAre(set({5})));
  EXPECT_THAT(cost("movups %xmm0, (%rax)").micro_operations, UnorderedElementsAre(set({4}), set({2, 3, 7})));
  EXPECT_THAT(cost("movups %xmm0, (%rax,%rcx)").micro_operations,
              UnorderedElementsAre(set({4}), set({2, 3})));
  EXPECT_EQ(cost("movups %xmm0, (%rax)").issued, 1);
  EXPECT_THAT(cost("vbroadcastss (%rax), %zmm0").micro_operations, UnorderedElementsAre(set({2, 3})));
  EXPECT_THAT(cost("movaps %xmm0, %xmm1").micro_operations, UnorderedElementsAre());
  EXPECT_EQ(cost("movaps %xmm0, %xmm1").issued, 1);
  EXPECT_THAT(cost("addq $1, (%rax)").micro_operations,
              UnorderedElementsAre(set({0, 1, 5, 6}), set({2, 3}), set({4}), set({2, 3, 7})));
  EXPECT_EQ(cost("addq $1, (%rax)").issued, 2);
  // A half from memory is blended with the other; from a register it is shuffled.
  EXPECT_THAT(cost("vinsertf128 $1, (%rax), %ymm0, %ymm1").micro_operations,
              UnorderedElementsAre(set({0, 1, 5}), set({2, 3})));
  EXPECT_THAT(cost("vinsertf128 $1, %xmm0, %ymm0, %ymm1").micro_operations, UnorderedElementsAre(set({5})));
  EXPECT_EQ(cost("vbroadcastss %xmm0, %ymm1").latency, 3);
  EXPECT_EQ(cost("vbroadcastss %xmm0, %xmm1").latency, 1);
  EXPECT_THAT(cost("vcmpps $1, %zmm0, %zmm1, %k1").micro_operations, UnorderedElementsAre(set({5})));
  EXPECT_THAT(cost("vcmpps $1, %ymm0, %ymm1, %ymm2").micro_operations, UnorderedElementsAre(set({0, 1})));
  EXPECT_THAT(cost("kmovw %k1, %eax").micro_operations, UnorderedElementsAre(set({0})));
  EXPECT_THAT(cost("kmovw %eax, %k1").micro_operations, UnorderedElementsAre(set({5})));
  EXPECT_THAT(cost("vmovd %xmm0, %eax").micro_operations, UnorderedElementsAre(set({0})));
  EXPECT_THAT(cost("vucomiss %xmm0, %xmm1").micro_operations, UnorderedElementsAre(set({0})));
  EXPECT_EQ(cost("vdivps %ymm0, %ymm1, %ymm2").divider, 5);
  EXPECT_EQ(cost("vdivpd %zmm0, %zmm1, %zmm2").latency, 24);
}

TEST(Ports, TheBoundIsThatOfTheFullestSet) {
  EXPECT_EQ(port_bound({}), 0);
  // Three of two ports, and one of all: the two need 1.5 cycles.
  EXPECT_EQ(port_bound({set({0, 1}), set({0, 1}), set({0, 1}), set({0, 1, 5})}), 1.5);
  EXPECT_EQ(port_bound({set({5}), set({5}), set({0, 5})}), 2);
  EXPECT_EQ(port_uses({set({5}), set({0, 5})}), (std::array<double, ports>{0.5, 0, 0, 0, 0, 1.5, 0, 0}));
}

}  // namespace
}  // namespace hoist::assembly
