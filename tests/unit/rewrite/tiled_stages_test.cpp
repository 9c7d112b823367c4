#include "rewrite/strategies/tiled_stages.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "equivalence/random_choices.hpp"
#include "ir/print.hpp"
#include "rewrite/strategies/catalogue.hpp"
#include "unit/rewrite/macro_rules.hpp"

namespace hoist::rewrite {
namespace {

using testing::HasSubstr;

class TiledStages : public testing::Test {
 protected:
  ir::Arena arena_;
};

/// The program after tileStages; its text where it declines.
tl::expected<ir::Program, std::string> tiled(const ir::Program& program, const std::string& strategy) {
  const auto named = strategy_from_text(strategy).value();
  auto rewritten = rewrite(program, named.strategy, named.choices);
  if (!rewritten) return tl::unexpected(rewritten.error().reason);
  return rewritten->program;
}

void expect_same(const std::string& text, const std::string& strategy) {
  const ir::Program program = program_of(text);
  const auto rewritten = tiled(program, strategy);
  ASSERT_TRUE(rewritten) << rewritten.error() << "\n" << text;
  const auto difference = interpret::compare(value_of(program, {}), value_of(*rewritten, {}), {1e-5, false});
  EXPECT_TRUE(difference && difference->agrees()) << text << strategy << "\n" << ir::to_string(*rewritten);
}

TEST_F(TiledStages, ChainsOfStencilsWithTilesThatDivideAndThatDoNot) {
  const char* text =
      "def blur(u: [23]f32): [23]f32 = u |> pad(1, 1, clamp) |> slide(3, 1) |> map(reduce(+, 0.0))\n"
      "def f(u: [23]f32): [23]f32 =\n"
      "  let a = blur(u)\n"
      "  let b = blur(a)\n"
      "  blur(b)\n";
  for (const int tile : {1, 2, 8, 23, 32}) expect_same(text, fmt::format("tileStages(1,[{}])", tile));
}

TEST_F(TiledStages, ChainsOfStencilsWithBuffersThatRoll) {
  const char* text =
      "def blur(u: [23]f32): [23]f32 = u |> pad(1, 1, clamp) |> slide(3, 1) |> map(reduce(+, 0.0))\n"
      "def f(u: [23]f32): [23]f32 =\n"
      "  let a = blur(u)\n"
      "  let b = blur(a)\n"
      "  blur(b)\n";
  for (const char* sizes : {"2,1", "12,1", "12,2", "12,6", "46,1", "32,4"})
    expect_same(text, fmt::format("rollStages(1,[{}])", sizes));
}

TEST_F(TiledStages, ABufferHoldsWhatTheNewRowsOfItsReadersNeed) {
  // For new rows two rows more are needed. A round has at least two, so that four are in the buffer.
  const auto rolled = tiled(program_of("def blur(u: [64]f32): [64]f32 =\n"
                                       "  u |> pad(1, 1, clamp) |> slide(3, 1) |> map(reduce(+, 0.0))\n"
                                       "def f(u: [64]f32): [64]f32 =\n"
                                       "  let a = blur(u)\n"
                                       "  let b = blur(a)\n"
                                       "  blur(b)\n"),
                            "rollStages(1,[16,1])");
  ASSERT_TRUE(rolled) << rolled.error();
  const std::string text = ir::to_string(*rolled);
  EXPECT_THAT(text, HasSubstr("generate(4, i"));
  // Two rounds fill the buffers of two stages.
  EXPECT_THAT(text, HasSubstr("generate(20, i"));
  EXPECT_THAT(text, HasSubstr("drop(2)"));
}

TEST_F(TiledStages, RowsReadAtDifferentPacesDoNotRoll) {
  const auto refused = tiled(program_of("def f(u: [64]f32): [32]f32 =\n"
                                        "  let a = u |> map(e => e * e)\n"
                                        "  generate(32, i => a[i] + a[2 * i])\n"),
                             "rollStages(1,[8,2])");
  ASSERT_FALSE(refused);
}

TEST_F(TiledStages, StagesOfSeveralArrays) {
  // As the first half of a step of srad: rows of tuples as tuples of rows, and these as a tuple of arrays.
  const char* rows =
      "def f(u: [13][9]f32): [13][9]f32 =\n"
      "  let (c, d, e) = u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map(row => row |> map(n =>\n"
      "    (n[1][1] + n[0][1], n[2][1] - n[1][1], n[1][2] - n[1][0])) |> unzip) |> unzip\n"
      "  let windows = c |> pad2(0, 1, clamp) |> slide2(2, 1)\n"
      "  zip(windows, d, e) |> map((windowRow, dRow, eRow) => zip(windowRow, dRow, eRow)\n"
      "    |> map((w, d, e) => w[0][0] * d + w[1][0] * e - w[0][1]))\n";
  // A pair of gradients, then their products, which are two stages side by side.
  const char* gradients =
      "def f(u: [13][9]f32): [13][9]f32 =\n"
      "  let (x, y) = u |> pad2(1, 1, mirror) |> slide2(3, 1)\n"
      "    |> map(row => row |> map(n => (n[1][2] - n[1][0], n[2][1] - n[0][1])) |> unzip) |> unzip\n"
      "  let (xx, xy) = (zip2(x, x) |> map2(*), zip2(x, y) |> map2(*))\n"
      "  zip2(xx |> pad2(1, 1, clamp) |> slide2(3, 1), xy) |> map2((n, e) => n[0][1] + n[2][2] - e)\n";
  for (const char* text : {rows, gradients}) {
    for (const char* strategy : {"tileStages(1,[4])", "tileStages(2,[4,5])", "tileStages(2,[13,2])",
                                 "rollStages(1,[8,2])", "rollStages(2,[12,4,3])"})
      expect_same(text, strategy);
  }
}

TEST_F(TiledStages, WhatIsReadAsAWholeIsNoTile) {
  const auto refused = tiled(program_of("def f(u: [64]f32): [64]f32 =\n"
                                        "  let a = u |> map(e => e * e)\n"
                                        "  a |> map(e => a |> reduce(+, e))\n"),
                             "tileStages(1,[8])");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("needs all of a stage"));
}

TEST_F(TiledStages, ScansAndFailingStagesAreNone) {
  EXPECT_FALSE(tiled(program_of("def f(u: [64]f32): [64]f32 =\n"
                                "  let a = u |> scan(+, 0.0)\n"
                                "  a |> map(e => e + 1.0)\n"),
                     "tileStages(1,[8])"));
  EXPECT_FALSE(tiled(program_of("def f(u: [64]f32, at: [64]i32): [64]f32 =\n"
                                "  let a = at |> map(i => u[i])\n"
                                "  a |> map(e => e + 1.0)\n"),
                     "tileStages(1,[8])"));
}

/// A chain of stages in one or two dimensions: stencils with every boundary, means of neighbours, elements
/// doubled, and sums with stages before.
class RandomChain : public testing_support::RandomChoices {
 public:
  explicit RandomChain(std::uint64_t seed) : RandomChoices(seed) {
    is_matrix = chance(0.5);
    lengths_ = {9 + below(12), is_matrix ? 9 + below(8) : 0};
    std::string body;
    stages_.push_back({"u", lengths_});
    const std::vector<int> input = lengths_;
    const int count = 2 + below(4);
    for (int i = 0; i <= count; ++i) {
      if (chance(0.25)) body += pairs(fmt::format("p{}", i));
      const std::string value = is_matrix ? next_of_matrix() : next("@", 0);
      const std::string name = fmt::format("s{}", i);
      body += i == count ? fmt::format("  {}\n", called(value))
                         : fmt::format("  let {} = {}\n", name, called(value));
      stages_.push_back({name, lengths_});
    }
    const auto type = [&](const std::vector<int>& lengths) {
      return is_matrix ? fmt::format("[{}][{}]f32", lengths[0], lengths[1])
                       : fmt::format("[{}]f32", lengths[0]);
    };
    text = fmt::format("def f(u: {}): {} =\n{}", type(input), type(lengths_), body);
  }

  std::string text;
  bool is_matrix;

 private:
  struct Stage {
    std::string name;
    std::vector<int> lengths;
  };

  /// A stage of two results before another that reads both at different places.
  std::string pairs(const std::string& name) {
    const std::string before = stages_.back().name;
    const std::string mode = pick<const char*>({"clamp", "mirror", "reflect", "wrap"});
    const int d = is_matrix ? below(2) : 0;
    const std::string both = fmt::format("e => (0.5 * e, e - {}.0)", below(3));
    // As one array of tuples, or as two arrays.
    const bool is_unzipped = chance(0.5);
    const std::string unzip = is_unzipped ? " |> unzip" : "";
    const std::string bound = is_unzipped ? fmt::format("({0}a, {0}b)", name) : name;
    const std::string data =
        !is_unzipped ? name : fmt::format("{0}({1}a, {1}b)", is_matrix ? "zip2" : "zip", name);
    const std::string values =
        is_matrix ? fmt::format("map(row => row |> map({}){})", both, unzip) : fmt::format("map({})", both);
    const std::string reading =
        fmt::format("pad(1, 1, {}) |> slide(3, 1) |> map(w => w[0].0 - w[2].1 + w[1].{})", mode, below(2));
    const std::string line =
        !is_matrix ? data + " |> " + reading
        : d == 1   ? fmt::format("{} |> map(row => row |> {})", data, reading)
                   : fmt::format("{} |> transpose |> map(row => row |> {}) |> transpose", data, reading);
    stages_.push_back({name + "s", lengths_});
    return fmt::format("  let {} = {} |> {}{}\n  let {}s = {}\n", bound, before, values, unzip, name, line);
  }

  /// The value with the stage before it as what it reads.
  std::string called(const std::string& value) const {
    std::string result;
    for (const char letter : value) result += letter == '@' ? stages_.back().name : std::string(1, letter);
    return result;
  }

  std::string next_of_matrix() {
    if (chance(0.3)) {
      const std::string mode = pick<const char*>({"clamp", "mirror", "reflect", "wrap"});
      const int a = below(3), b = 2 - a;
      return fmt::format(
          "@ |> pad2({}, {}, {}) |> slide2(3, 1) |> map2(w => w[0][1] - w[2][0] + 0.5 * w[1][2])", a, b,
          mode);
    }
    if (chance(0.5)) return fmt::format("@ |> map(row => {})", next("row", 1));
    return fmt::format("@ |> transpose |> map(row => {}) |> transpose", next("row", 0));
  }

  /// Of an array in one dimension, whose length becomes that of dimension d.
  std::string next(const std::string& x, std::size_t d) {
    int& n = lengths_[d];
    switch (below(7)) {
      case 0: {
        n *= 2;
        return x + " |> map(e => [e, 2.0 * e]) |> join";
      }
      case 1: {
        const int of = n;
        n = 5 + below(n);
        return fmt::format("generate({}, i => {}[min(i + {}, {})] + 3.0 * {}[min(max(i - 2, 0), {})])", n, x,
                           below(3), of - 1, x, of - 1);
      }
      case 2: {
        const int of = n;
        n = (n + 1) / 2;
        return fmt::format("generate({}, i => {}[min(2 * i + 1, {})])", n, x, of - 1);
      }
      case 3:
        if (d == 0 && !is_matrix) {
          for (const Stage& each : stages_) {
            if (each.lengths == lengths_ && chance(0.5))
              return fmt::format("zip(@, {}) |> map((a, b) => a - 2.0 * b)", each.name);
          }
        }
        [[fallthrough]];
      default: {
        const int step = chance(0.3) ? 2 : 1, before = below(4), after = below(4);
        const int width = std::min(1 + below(4), n + before + after);
        const std::string padding =
            chance(0.2) ? fmt::format("padValue({}, {}, 7.0)", before, after)
                        : fmt::format("pad({}, {}, {})", before, after,
                                      pick<const char*>({"clamp", "mirror", "reflect", "wrap"}));
        n = (n + before + after - width) / step + 1;
        const std::string sum =
            chance(0.5) ? "reduce(+, 0.0)" : fmt::format("w => w[0] - 2.0 * w[{}]", width - 1);
        return fmt::format("{} |> {} |> slide({}, {}) |> map({})", x, padding, width, step, sum);
      }
    }
  }

  std::vector<int> lengths_;
  std::vector<Stage> stages_;
};

TEST_F(TiledStages, RandomChains) {
  int tiles = 0, strips = 0;
  constexpr int chains = 400;
  for (std::uint64_t seed = 0; seed < chains; ++seed) {
    const ir::Arena of_this_chain;
    const RandomChain chain(seed);
    SCOPED_TRACE(seed);
    const ir::Program program = program_of(chain.text);
    const int outer = 1 << (seed % 4), inner = 1 << (seed / 4 % 4);
    const int rows = 1 + static_cast<int>(seed / 16 % 3), strip = rows * (4 << seed % 3);
    for (const std::string& strategy :
         {fmt::format("tileStages(1,[{}])", outer), fmt::format("tileStages(2,[{},{}])", outer, inner),
          fmt::format("rollStages(1,[{},{}])", strip, rows),
          fmt::format("rollStages(2,[{},{},{}])", strip, inner, rows)}) {
      const auto rewritten = tiled(program, strategy);
      if (!rewritten) continue;
      ++(strategy.starts_with("roll") ? strips : tiles);
      const auto difference =
          interpret::compare(value_of(program, {}), value_of(*rewritten, {}), {1e-5, false});
      ASSERT_TRUE(difference && difference->agrees()) << chain.text << strategy << "\n"
                                                      << ir::to_string(*rewritten);
    }
  }
  EXPECT_GT(tiles, chains / 2);
  EXPECT_GT(strips, chains / 4);
  RecordProperty("tiles", tiles);
  RecordProperty("strips", strips);
}

}  // namespace
}  // namespace hoist::rewrite
