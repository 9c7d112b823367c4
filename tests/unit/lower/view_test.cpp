// What every layout pattern does to the index of a read, and of a write: nothing is left of the pattern but
// that.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Layout {
  const char* name;
  const char* program;
  const char* access;  ///< the statement that the kernel comes down to
};

void PrintTo(const Layout& layout, std::ostream* out) { *out << layout.name; }

class Views : public Lowering, public testing::WithParamInterface<Layout> {};

TEST_P(Views, AreOneIndex) {
  std::string loops = loops_of(GetParam().program);
  EXPECT_THAT(loops, HasSubstr(std::string(" ") + GetParam().access + ";\n"));
  EXPECT_THAT(loops, Not(HasSubstr("temporary"))) << "a layout pattern costs no memory";
}

constexpr Layout reads[] = {
    {"split", "def p(x: [N]f32): [N/4][4]f32 = x |> split(4) |> mapGlb(1, r => r |> mapGlb(0, id))",
     "out[4*g + g_1] = x[4*g + g_1]"},
    {"join", "def p(x: [N][M]f32): [N*M]f32 = x |> join |> mapGlb(0, id)", "out[g] = x[g]"},
    {"join_of_transposed", "def p(x: [5][7]f32): [35]f32 = x |> transpose |> join |> mapGlb(0, id)",
     "out[g] = x[7*(g % 5) + g / 5]"},
    {"transpose", "def p(x: [N][M]f32): [M][N]f32 = x |> transpose |> mapGlb(1, r => r |> mapGlb(0, id))",
     "out[N*g + g_1] = x[M*g_1 + g]"},
    {"transpose_twice",
     "def p(x: [N][M]f32): [N][M]f32 = x |> transpose |> transpose |> mapGlb(1, r => r |> mapGlb(0, id))",
     "out[M*g + g_1] = x[M*g + g_1]"},
    {"gather", "def p(x: [N]f32): [N]f32 = x |> gather(i => (i + 3) % N) |> mapGlb(0, id)",
     "out[g] = x[(g + 3) % N]"},
    {"reverse", "def p(x: [N]f32): [N]f32 = x |> reverse |> mapGlb(0, id)", "out[g] = x[N - g - 1]"},
    {"slide", "def p(x: [N]f32): [N-2]f32 = x |> slide(3, 1) |> mapGlb(0, w => w[0] + w[2])",
     "out[g] = x[g] + x[g + 2]"},
    {"slide_by_steps", "def p(x: [24]f32): [8]f32 = x |> slide(5, 2) |> take(8) |> mapGlb(0, w => w[4])",
     "out[g] = x[2*g + 4]"},
    {"pad_clamp", "def p(x: [N]f32): [N+3]f32 = x |> pad(1, 2, clamp) |> mapGlb(0, id)",
     "out[g] = x[min(max(g - 1, 0), N - 1)]"},
    {"pad_mirror", "def p(x: [16]f32): [19]f32 = x |> pad(1, 2, mirror) |> mapGlb(0, id)",
     "out[g] = x[(g - 1 < 0 ? -g : (g - 1 < 16 ? g - 1 : -g + 32))]"},
    {"pad_mirror_far", "def p(x: [3]f32): [13]f32 = x |> pad(5, 5, mirror) |> mapGlb(0, id)",
     "out[g] = x[((g + 1) % 6 < 3 ? (g + 1) % 6 : -((g + 1) % 6) + 5)]"},
    {"pad_wrap", "def p(x: [16]f32): [19]f32 = x |> pad(1, 2, wrap) |> mapGlb(0, id)",
     "out[g] = x[(g - 1 < 0 ? g + 15 : (g - 1 < 16 ? g - 1 : g - 17))]"},
    {"pad_value", "def p(x: [N]f32): [N+3]f32 = x |> pad(1, 2, 7.0) |> mapGlb(0, id)",
     "out[g] = select(test(0 <= g - 1), select(test(g - 1 < N), x[g - 1], 7.0), 7.0)"},
    {"pad_value_right", "def p(x: [N]f32): [N+2]f32 = x |> pad(0, 2, 7.0) |> mapGlb(0, id)",
     "out[g] = select(test(g < N), x[g], 7.0)"},
    {"take", "def p(x: [10]f32): [6]f32 = x |> take(6) |> mapGlb(0, id)", "out[g] = x[g]"},
    {"drop", "def p(x: [10]f32): [6]f32 = x |> drop(4) |> mapGlb(0, id)", "out[g] = x[g + 4]"},
    {"rotate", "def p(x: [10]f32): [10]f32 = x |> rotate(3) |> mapGlb(0, id)",
     "out[g] = x[(g + 3 < 10 ? g + 3 : g - 7)]"},
    {"rotate_back", "def p(x: [10]f32): [10]f32 = x |> rotate(-3) |> mapGlb(0, id)",
     "out[g] = x[(g + 7 < 10 ? g + 7 : g - 3)]"},
    {"rotate_far", "def p(x: [10]f32): [10]f32 = x |> rotate(-33) |> mapGlb(0, id)",
     "out[g] = x[(g + 7 < 10 ? g + 7 : g - 3)]"},
    {"rotate_around", "def p(x: [10]f32): [10]f32 = x |> rotate(-20) |> mapGlb(0, id)", "out[g] = x[g]"},
    {"rotate_by_size", "def p(x: [2*N]f32): [2*N]f32 = x |> rotate(N) |> mapGlb(0, id)",
     "out[g] = x[(N + g < 2*N ? N + g : -N + g)]"},
    {"rotate_by_negative_size", "def p(x: [2*N]f32): [2*N]f32 = x |> rotate(-N) |> mapGlb(0, id)",
     "out[g] = x[(-N + g < 0 ? N + g : -N + g)]"},
    {"rotate_perhaps_around", "def p(x: [N]f32): [N]f32 = x |> rotate(3) |> mapGlb(0, id)",
     "out[g] = x[(g + 3) % N]"},
    {"rotate_perhaps_around_back", "def p(x: [N]f32): [N]f32 = x |> rotate(-3) |> mapGlb(0, id)",
     "out[g] = x[(N + (g - 3) % N) % N]"},
    {"concat", "def p(x: [10]f32, y: [6]f32): [16]f32 = concat(x, y) |> mapGlb(0, id)",
     "out[g] = select(test(g < 10), x[g], y[g - 10])"},
    {"zip", "def p(x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> mapGlb(0, (a, b) => a - b)",
     "out[g] = x[g] - y[g]"},
    {"unzip", "def p(x: [N](f32, f32)): [N]f32 = unzip(x).1 |> mapGlb(0, id)", "out[g] = x_1[g]"},
    {"at", "def p(x: [8][N]f32): [N]f32 = x[3] |> mapGlb(0, id)", "out[g] = x[3*N + g]"},
    {"asVector", "def p(x: [N]f32): [N/4]f32 = x |> asVector(4) |> mapGlb(0, v => dot(v, broadcast(4, 1.0)))",
     "let v: f32x4 = x[4*g +: 4]"},
    {"asScalar", "def p(x: [N]f32x4): [4*N]f32 = x |> asScalar |> mapGlb(0, id)", "out[g] = x[g]"},
};

constexpr Layout writes[] = {
    {"join", "def p(x: [N][8]f32): [N*8]f32 = x |> mapGlb(1, r => r |> mapGlb(0, id)) |> join",
     "out[8*g + g_1] = x[8*g + g_1]"},
    {"split", "def p(x: [N]f32): [N/8][8]f32 = x |> mapGlb(0, id) |> split(8)", "out[g] = x[g]"},
    {"transpose", "def p(x: [N][M]f32): [M][N]f32 = x |> mapGlb(1, r => r |> mapGlb(0, id)) |> transpose",
     "out[N*g_1 + g] = x[M*g + g_1]"},
    {"scatter", "def p(x: [N]f32): [N]f32 = x |> mapGlb(0, id) |> scatter(i => N - 1 - i)",
     "out[N - g - 1] = x[g]"},
    {"take", "def p(x: [10]f32): [6]f32 = x |> mapGlb(0, id) |> take(6)", "out[g] = x[g]"},
    {"drop", "def p(x: [10]f32): [6]f32 = x |> mapGlb(0, id) |> drop(4)", "out[g - 4] = x[g]"},
    {"rotate", "def p(x: [10]f32): [10]f32 = x |> mapGlb(0, id) |> rotate(3)",
     "out[(g + 7 < 10 ? g + 7 : g - 3)] = x[g]"},
    {"rotate_perhaps_around", "def p(x: [N]f32): [N]f32 = x |> mapGlb(0, id) |> rotate(-3)",
     "out[(g + 3) % N] = x[g]"},
    {"concat", "def p(x: [10]f32, y: [6]f32): [16]f32 = concat(x |> mapGlb(0, id), y |> mapGlb(0, id))",
     "out[g_1 + 10] = y[g_1]"},
    {"unzip", "def p(x: [N]f32): ([N]f32, [N]f32) = x |> mapGlb(0, a => (a, a + 1.0)) |> unzip",
     "out_1[g] = v_1"},
    {"asScalar", "def p(x: [N]f32): [N]f32 = x |> asVector(4) |> mapGlb(0, v => v + v) |> asScalar",
     "out[4*g +: 4] = v + v"},
    {"map_of_transpose",
     "def p(x: [N][4][8]f32): [N][8][4]f32 =\n"
     "  x |> mapGlb(2, a => a |> mapGlb(1, r => r |> mapGlb(0, id))) |> map(transpose)",
     "out[32*g + 4*g_2 + g_1] = x[32*g + 8*g_1 + g_2]"},
};

std::string name_of(const testing::TestParamInfo<Layout>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Reads, Views, testing::ValuesIn(reads), name_of);
INSTANTIATE_TEST_SUITE_P(Writes, Views, testing::ValuesIn(writes), name_of);

TEST_F(Lowering, WritesThatAreCutOffAreGuarded) {
  EXPECT_THAT(loops_of("def p(x: [10]f32): [6]f32 = x |> mapGlb(0, id) |> take(6)"),
              HasSubstr("if (test(g < 6))"));
  EXPECT_THAT(loops_of("def p(x: [10]f32): [6]f32 = x |> mapGlb(0, id) |> drop(4)"),
              HasSubstr("if (test(4 <= g))"));
}

TEST_F(Lowering, WhatIsCutOffHasNoPlaceToCheck) {
  for (const char* cut : {"take(6)", "drop(4)", "drop(2) |> take(6)"}) {
    for (const char* place : {"i => 5 - i", "i => i * 5 % 6"}) {
      const std::string cut_and_scattered = std::string(cut) + " |> scatter(" + place + ")";
      for (const char* made : {"mapGlb(0, id)", "scanSeq((s, e) => s + e, 0.0)"}) {
        const std::string text = std::string("def p(x: [10]f32) = x |> ") + made + " |> " + cut_and_scattered;
        EXPECT_THAT(loops_of(text), Not(HasSubstr(std::string(fault_flag)))) << text;
        expect_right(text);
      }
    }
  }
}

TEST_F(Lowering, PatternsThatRepeatElementsAreReadFromMemory) {
  std::string text = "def p(x: [10]f32): [8][3]f32 = x |> mapGlb(0, id) |> slide(3, 1)";
  EXPECT_THAT(loops_of(text), HasSubstr("tmp[i + i_1]"));
  expect_right(text);
}

TEST_F(Lowering, RotationsReadAndWriteWhatTheyShould) {
  for (const char* length : {"1", "4", "7"}) {
    for (const char* by : {"0", "1", "-1", "4", "-4", "13", "-17"}) {
      const std::string x = std::string("def p(x: [") + length + "]f32) = x ";
      const std::string rotated = std::string("|> rotate(") + by + ") ";
      expect_right(x + rotated + "|> mapGlb(0, id)");
      expect_right(x + "|> mapGlb(0, id) " + rotated);
      expect_right(x + "|> split(1) |> mapWrg(0, r => r |> mapLcl(0, id)) |> join " + rotated);
    }
  }
}

TEST_F(Lowering, EveryBoundaryReadsWhatItShould) {
  for (const char* mode : {"clamp", "mirror", "wrap", "7.0"}) {
    for (const char* lengths : {"1, 2", "0, 3", "3, 0", "5, 7"}) {
      expect_right(std::string("def p(x: [3]f32) = x |> pad(") + lengths + ", " + mode +
                   ") |> mapGlb(0, id)");
      expect_right(std::string("def p(x: [3][4]f32) = x |> pad2(2, 1, ") + mode +
                   ") |> slide2(3, 1) |> mapGlb(1, r => r |> mapGlb(0, w => w[0][2] - w[2][1]))");
    }
  }
}

TEST_F(Lowering, SizesThatDoNotDivideAreGuarded) {
  std::string text =
      "def p(x: [13]f32): [13]f32 = x |> splitGuarded(4) |> mapWrg(0, r => r |> mapLcl(0, e => e * 2.0)) "
      "|> joinGuarded(13)";
  EXPECT_THAT(loops_of(text), HasSubstr("if (test(4*wg + l < 13))"));
  EXPECT_THAT(loops_of(text), HasSubstr("out[4*wg + l] = x[min(4*wg + l, 12)] * 2.0"));
  expect_right(text);
}

}  // namespace
}  // namespace hoist::lower
