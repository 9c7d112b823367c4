// Nests whose loops run as loopAt, loopJam and loopLanes say.
#include "lower/scheduled_nest.hpp"

#include <algorithm>
#include <numeric>

#include "equivalence/random_choices.hpp"
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class ScheduledNest : public Lowering {
 protected:
  static std::string product(const std::string& schedule) {
    return "def p(a: [8][4]f32, b: [4][16]f32): [8][16]f32 = a |> mapGlb(0, row =>\n"
           "  transpose(b) |> mapSeq(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))" +
           schedule;
  }
};

TEST_F(ScheduledNest, SumsStayInRegistersInsideTheInnermostReduction) {
  const std::string text = product(" |> loopLanes(2, 8) |> loopJam(1, 8, 2)");
  const std::string loops = loops_of(text);
  EXPECT_THAT(loops, HasSubstr("var sum: f32x8 = f32x8(0.0)")) << loops;
  EXPECT_THAT(loops, HasSubstr("sum = sum + a_1 * b_1")) << loops;
  EXPECT_THAT(loops, HasSubstr("sum_1 = sum_1 + a_2 * b_1")) << loops;
  expect_right(text);
}

TEST_F(ScheduledNest, SumsAreInMemoryBetweenLoopsOfTheReduction) {
  const std::string text = product(" |> loopLanes(2, 8) |> loopAt(3, 3)");
  const std::string loops = loops_of(text);
  EXPECT_THAT(loops, HasSubstr("= 0.0;")) << loops;
  EXPECT_THAT(loops, HasSubstr("let out_1: f32x8 = out[")) << loops;
  expect_right(text);
}

TEST_F(ScheduledNest, SumsOfAnotherTypeThanTheResultStayInRegisters) {
  const std::string sums =
      "def p(a: [4][16]f64): [16]f32 = transpose(a) |> mapGlb(0, column => f32(column |> reduce(+, 0.0)))";
  expect_right(sums + " |> loopLanes(1, 8)");
  expect_right(sums + " |> loopLanes(2, 4)");
  EXPECT_THAT(message_of(sums + " |> loopLanes(1, 8) |> loopAt(2, 2)"),
              HasSubstr("its sums are of another type than its result"));
}

TEST_F(ScheduledNest, LanesAlongTheReductionAreAddedAtTheEnd) {
  const std::string text = product(" |> loopLanes(3, 4)");
  EXPECT_THAT(loops_of(text), HasSubstr("var sum: f32x4 = f32x4(0.0)"));
  expect_right(text);
}

TEST_F(ScheduledNest, WhatLiesSideBySideAlongAnotherLoopIsTurned) {
  // Lanes are rows of a, whose elements lie side by side along the reduction.
  const std::string text = product(" |> loopLanes(1, 4) |> loopJam(3, 4, 4)");
  const std::string loops = loops_of(text);
  EXPECT_THAT(loops, HasSubstr("turned")) << loops;
  EXPECT_THAT(loops_of(product(" |> loopLanes(1, 4) |> loopJam(3, 4, 2)")), Not(HasSubstr("turned")));
  expect_right(text);
}

TEST_F(ScheduledNest, RowsOfEveryLengthAreTurnedIntoLanesAndBack) {
  for (const auto& [type, bytes] : {std::pair{"f32", 4}, {"f64", 8}, {"i32", 4}, {"i16", 2}, {"u8", 1}}) {
    // More lanes of bytes are not read one by one.
    for (int lanes = 2; lanes * bytes <= 64 && lanes <= 32; lanes *= 2) {
      for (int width = 2; width <= lanes; width *= 2) {
        SCOPED_TRACE(fmt::format("{} rows of {} {}", lanes, width, type));
        const std::string text = fmt::format(
            "def p(a: [{0}][{1}]{2}, b: [{1}][{0}]{2}): [{0}][{1}]{2} =\n"
            "  zip(a, transpose(b)) |> mapGlb(0, (r, s) => zip(r, s) |> mapSeq((x, y) => x - y))\n"
            "  |> loopLanes(1, {0}) |> loopJam(2, {1}, {1})",
            lanes, width, type);
        const std::string loops = loops_of(text);
        // Below a block of 16 bytes lanes are read one by one.
        EXPECT_EQ(loops.find("turned") != std::string::npos, width * bytes >= std::min(16, lanes * bytes))
            << loops;
        expect_right(text);
      }
    }
  }
}

TEST_F(ScheduledNest, LanesOfAsManySumsAsThereAreAreAddedTogether) {
  for (const auto& [type, bytes] : {std::pair{"f32", 4}, {"f64", 8}, {"i32", 4}}) {
    for (int lanes = 2; lanes * bytes <= 64; lanes *= 2) {
      for (const int rows : {2, 4, 8, 16, 12}) {
        SCOPED_TRACE(fmt::format("{} sums of {} lanes of {}", rows, lanes, type));
        expect_right(
            fmt::format("def p(a: [{0}][{1}]{2}, c: [2][{1}]{2}): [2][{0}]{2} =\n"
                        "  c |> mapGlb(0, e => a |> mapSeq(r => zip(e, r) |> map(*) |> reduce(+, {3})))\n"
                        "  |> loopLanes(3, {4}) |> loopJam(2, {0}, {0})",
                        rows, 2 * lanes, type, type[0] == 'f' ? "1.0" : "1", lanes));
      }
    }
  }
}

TEST_F(ScheduledNest, TilesReadCopiesThatLieSideBySide) {
  const std::string text = product(
      " |> loopTile(1, 4) |> loopTile(2, 16) |> loopTile(3, 2) |> loopLanes(2, 8) |> loopJam(1, 4, 2)"
      " |> loopAt(4, 6) |> loopAt(4, 5) |> loopAt(4, 4) |> loopPack(2, 3) |> loopPack(1, 3)");
  const std::string loops = loops_of(text);
  EXPECT_THAT(loops, HasSubstr("group(0)")) << loops;
  EXPECT_THAT(loops, HasSubstr("allocate b_packed: local")) << loops;
  EXPECT_THAT(loops, Not(HasSubstr("edge"))) << loops;
  EXPECT_THAT(loops, Not(HasSubstr("barrier"))) << loops;
  expect_right(text);
}

TEST_F(ScheduledNest, TilesNeedNotDivideTheirLoops) {
  const std::string text = product(
      " |> loopTile(1, 6) |> loopTile(1, 3) |> loopTile(2, 32) |> loopTile(3, 3) |> loopLanes(2, 8)"
      " |> loopJam(1, 3, 3) |> loopJam(2, 4, 4) |> loopAt(4, 7) |> loopAt(5, 6) |> loopAt(5, 5)"
      " |> loopPack(2, 3) |> loopPack(1, 3)");
  EXPECT_THAT(loops_of(text), HasSubstr("allocate edge: local f32[96]"));
  expect_right(text);
}

TEST_F(ScheduledNest, CopiesAreTurnedWhereLanesAreNoNeighbours) {
  // b lies along the reduction, of which a tile has a square and a rest; the last lanes of the second body
  // are beyond the end.
  for (const int columns : {16, 13}) {
    const std::string text = fmt::format(
        "def p(a: [8][6]f32, b: [{0}][6]f32): [8][{0}]f32 = a |> mapGlb(0, row =>\n"
        "  b |> mapSeq(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))"
        " |> loopTile(1, 4) |> loopTile(2, 8) |> loopLanes(2, 4) |> loopJam(2, 2, 2) |> loopJam(1, 4, 4)"
        " |> loopPack(2, 1) |> loopPack(1, 2)",
        columns);
    const std::string loops = loops_of(text);
    EXPECT_THAT(loops, HasSubstr(".s1, ")) << loops;
    EXPECT_THAT(loops, HasSubstr("b_packed")) << loops;
    EXPECT_EQ(loops.find("edge") != std::string::npos, columns == 13) << loops;
    expect_right(text);
  }
}

TEST_F(ScheduledNest, CopiesAtAnEdgeAreVectorsUpToIt) {
  // Lanes lie side by side; 6 rows of a body, along which a lies, are copied as 4 and 2.
  const std::string text =
      "def p(a: [5][9]f32, b: [5][13]f32): [9][13]f32 = transpose(a) |> mapGlb(0, row =>\n"
      "  transpose(b) |> mapSeq(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))"
      " |> loopTile(1, 6) |> loopTile(2, 8) |> loopLanes(2, 4) |> loopJam(2, 2, 2) |> loopJam(1, 6, 6)"
      " |> loopPack(2, 1) |> loopPack(1, 2)";
  const std::string loops = loops_of(text);
  EXPECT_THAT(loops, HasSubstr("+: 2] = a[")) << loops;
  EXPECT_THAT(loops, HasSubstr("edge")) << loops;
  expect_right(text);
}

TEST_F(ScheduledNest, TilesThatCannotBeAreRefused) {
  EXPECT_THAT(message_of(product(" |> loopTile(1, 6) |> loopTile(1, 4)")),
              HasSubstr("tiles of 6 do not consist of tiles of 4"));
  EXPECT_THAT(message_of(product(" |> loopTile(1, 4) |> loopAt(1, 4)")),
              HasSubstr("a loop is outside of the one over the tiles that it cuts"));
  EXPECT_THAT(message_of(product(" |> loopTile(1, 3) |> loopJam(1, 3, 3)")),
              HasSubstr("tiles that do not divide a loop read what is not packed"));
  EXPECT_THAT(message_of(product(" |> loopTile(3, 3) |> loopJam(3, 3, 3)")),
              HasSubstr("3 does not divide the 4 iterations of loop 3, a reduction"));
  EXPECT_THAT(message_of(product(" |> loopPack(3, 1)")), HasSubstr("its elements read fewer arrays"));
  EXPECT_THAT(message_of(product(" |> loopPack(1, 3)")), HasSubstr("a copy is inside of where sums begin"));
  EXPECT_THAT(message_of(product(" |> loopTile(1, 4) |> loopLanes(3, 4)")),
              HasSubstr("lanes along its reduction"));
}

TEST_F(ScheduledNest, ThatCannotBeIsRefused) {
  EXPECT_THAT(message_of(product(" |> loopLanes(4, 8)")), HasSubstr("it has fewer loops"));
  EXPECT_THAT(
      message_of(
          "def p(x: [4][6]f32): [4]f32 = x |> mapGlb(0, row => row |> reduce(+, 0.0)) |> loopLanes(2, 3)"),
      HasSubstr("3 lanes are no power of two"));
  EXPECT_THAT(message_of(product(" |> loopLanes(2, 8) |> loopJam(2, 16, 2)")),
              HasSubstr("loop 2 has 2 iterations, not 16"));
  EXPECT_THAT(message_of(product(" |> loopLanes(3, 8)")),
              HasSubstr("does not divide the 4 iterations of loop 3"));
  EXPECT_THAT(
      message_of("def p(x: [8][8]f32): [8]f32 = x |> mapGlb(0, row => row |> reduceSeq((s, e) => e - s, 0.0))"
                 " |> loopLanes(1, 4)"),
      HasSubstr("its reduction has an order"));
  EXPECT_THAT(message_of("def p(x: [8]f32): [8]f32 = x |> mapGlb(0, e => if e > 0.0 then x[0] else 0.0)"
                         " |> loopLanes(1, 4)"),
              HasSubstr("a condition guards what it reads"));
  EXPECT_THAT(message_of("def p(x: [8][8]f32): [8][8]f32 =\n"
                         "  x |> mapGlb(0, row => row |> mapSeq(e => e + 1.0) |> loopLanes(1, 4))"),
              HasSubstr("no kernel by itself"));
}

/// Sums, products, least and largest of products of arrays, of which each has some of the indices, in any
/// order; and a schedule of their loops, with tiles or without.
class RandomNest : public testing_support::RandomChoices {
 public:
  RandomNest(std::uint64_t seed, bool is_tiled) : RandomChoices(seed) {
    scalar_ = pick<std::string>({"f32", "f32", "f64", "i32"});
    maps_ = 1 + below(3);
    sums_ = is_tiled ? 1 + below(2) : below(3);
    for (int l = 0; l < maps_ + sums_; ++l)
      lengths_.push_back(is_tiled ? pick<int>({2, 3, 5, 7, 8, 13, 16}) : pick<int>({2, 3, 4, 6, 8, 16}));
    make_program();
    if (is_tiled) {
      make_tiles();
    } else {
      make_schedule();
    }
  }

  std::string text;
  const std::string& scalar() const { return scalar_; }

 private:
  /// The name of a loop's index in the program.
  std::string index(int l) const {
    if (l < maps_) return fmt::format("i{}", l);
    if (sums_ == 1) return "q";
    return fmt::format("(q {} {})", l == maps_ ? "/" : "%", lengths_.back());
  }

  bool is_integer() const { return scalar_[0] == 'i'; }
  std::string number(const char* real, const char* integer) const { return is_integer() ? integer : real; }

  /// An element of a new input that has some of the first indices.
  std::string element(int loops, bool of_all) {
    std::vector<int> own;
    for (int l = 0; l < loops; ++l) {
      if (of_all || chance(0.7)) own.push_back(l);
    }
    if (own.empty()) own.push_back(below(loops));
    for (std::size_t at = own.size(); at > 1; --at)
      std::swap(own[at - 1], own[static_cast<std::size_t>(below(static_cast<int>(at)))]);
    const std::string name = fresh("x");
    inputs_ += inputs_.empty() ? "" : ", ";
    inputs_ += name + ": ";
    std::string read = name;
    for (const int l : own) {
      inputs_ += fmt::format("[{}]", lengths_[static_cast<std::size_t>(l)]);
      read += fmt::format("[{}]", index(l));
    }
    inputs_ += scalar_;
    return read;
  }

  void make_program() {
    const int all = maps_ + sums_;
    std::string body = chance(0.5) ? element(all, true) + " * " + element(all, false)
                                   : element(all, false) + " * " + element(all, true);
    operands_ = 2;
    if (chance(0.3)) {
      body = fmt::format("({} + {})", body, element(all, false));
      ++operands_;
    }
    if (sums_ > 0) {
      int length = 1;
      for (int l = maps_; l < all; ++l) length *= lengths_[static_cast<std::size_t>(l)];
      const std::string start = chance(0.3) ? element(maps_, false) : number("0.5", "3");
      const std::string operation = pick({"+", "+", "+", "min", "max"});
      body = fmt::format("(generate({}, q => {}) |> reduce({}, {}))", length, body, operation, start);
    }
    if (chance(0.3)) body = fmt::format("{} * {} - {}", number("2.0", "2"), body, element(maps_, true));
    std::string type;
    for (int l = maps_; l-- > 0;) {
      const int length = lengths_[static_cast<std::size_t>(l)];
      type = fmt::format("[{}]{}", length, type);
      body = fmt::format("generate({}, i => i) |> {}i{} => {})", length, l == 0 ? "mapGlb(0, " : "mapSeq(", l,
                         body);
    }
    program_ = body;
    type_ = type;
  }

  void make_schedule() {
    const int all = maps_ + sums_;
    std::string schedule;
    const int lanes_of = below(all);
    int lanes = 1;
    for (const int width : {16, 8, 4, 2}) {
      if (lengths_[static_cast<std::size_t>(lanes_of)] % width == 0 && (lanes == 1 || chance(0.3)))
        lanes = width;
    }
    if (lanes > 1) schedule += fmt::format(" |> loopLanes({}, {})", lanes_of + 1, lanes);
    int copies = 1;
    for (int l = 0; l < all; ++l) {
      const int rounds = lengths_[static_cast<std::size_t>(l)] / (l == lanes_of ? lanes : 1);
      const int jam = pick<int>({1, 2, 3, 4, 8});
      constexpr int most = 128;
      if (rounds == 1 || rounds % jam != 0 || copies * jam > most) continue;
      copies *= jam;
      schedule += fmt::format(" |> loopJam({}, {}, {})", l + 1, rounds, jam);
    }
    for (int left = all; left > 1; --left)
      schedule += fmt::format(" |> loopAt({}, {})", 1 + below(left), left);
    text = fmt::format("def p({}): {}{} =\n  {}\n   {}\n", inputs_, type_, scalar_, program_, schedule);
  }

  /// Tiles of up to two levels for each loop, which need not divide it, their loops in any order that has the
  /// larger ones outside, and copies of some arrays.
  void make_tiles() {
    const int all = maps_ + sums_;
    std::string schedule, jams;
    std::vector<std::pair<int, std::size_t>> places;  // by loop of the schedule: that of the nest, how deep
    std::vector<std::size_t> depths(static_cast<std::size_t>(all), 0);
    const int lanes_of = below(maps_), lanes = pick<int>({1, 2, 4, 4, 8});
    std::vector<int> tiled;
    int copies = 1;
    for (int l = 0; l < all; ++l) {
      const int length = lengths_[static_cast<std::size_t>(l)], width = l == lanes_of ? lanes : 1;
      int jam = l < maps_ ? pick<int>({1, 2, 3}) : 1;
      constexpr int most = 16;
      if (copies * jam > most) jam = 1;
      copies *= jam;
      const int body = jam * width;
      // What does not divide its loop needs tiles.
      if (length % body == 0 && chance(0.3)) {
        if (jam > 1) jams += fmt::format(" |> loopJam({}, {}, {})", l + 1, length / width, jam);
        continue;
      }
      const int tile = body * (1 + below(3));
      if (chance(0.4)) {
        schedule += fmt::format(" |> loopTile({}, {})", l + 1, tile * (1 + below(3)));
        tiled.push_back(l);
      }
      schedule += fmt::format(" |> loopTile({}, {})", l + 1, tile);
      tiled.push_back(l);
      if (jam > 1) jams += fmt::format(" |> loopJam({}, {}, {})", l + 1, tile / width, jam);
    }
    if (lanes > 1) schedule += fmt::format(" |> loopLanes({}, {})", lanes_of + 1, lanes);
    schedule += jams;
    // The loops of each loop of the nest, from the outermost on: in their order, but those of others between.
    std::vector<std::vector<std::size_t>> chains(static_cast<std::size_t>(all));
    for (std::size_t i = 0; i < tiled.size(); ++i)
      chains[static_cast<std::size_t>(tiled[i])].push_back(static_cast<std::size_t>(all) + i);
    for (int l = 0; l < all; ++l) chains[static_cast<std::size_t>(l)].push_back(static_cast<std::size_t>(l));
    std::vector<std::size_t> left(static_cast<std::size_t>(all) + tiled.size());
    std::iota(left.begin(), left.end(), 0U);
    std::size_t sums = 0;  // after the last loop over elements there are so many of the reduction
    const std::size_t loops = left.size();
    while (!left.empty()) {
      const auto of = static_cast<std::size_t>(below(all));
      if (chains[of].empty()) continue;
      const auto at = std::find(left.begin(), left.end(), chains[of].front());
      chains[of].erase(chains[of].begin());
      schedule += fmt::format(" |> loopAt({}, {})", at - left.begin() + 1, left.size());
      left.erase(at);
      sums = of >= static_cast<std::size_t>(maps_) ? sums + 1 : 0;
    }
    for (int operand = 1; operand <= operands_; ++operand) {
      if (chance(0.85))
        schedule += fmt::format(" |> loopPack({}, {})", operand, 1 + below(static_cast<int>(loops - sums)));
    }
    text = fmt::format("def p({}): {}{} =\n  {}\n   {}\n", inputs_, type_, scalar_, program_, schedule);
  }

  int maps_, sums_;
  int operands_ = 0;  ///< that an element reads, at the most
  std::vector<int> lengths_;
  std::string scalar_, inputs_, program_, type_;
};

TEST_F(ScheduledNest, RandomNestsAndSchedules) {
  constexpr std::uint64_t nests = 600;
  int vectors = 0, turned = 0, sums_of_several = 0;
  for (std::uint64_t number = 0; number < nests && !HasFailure(); ++number) {
    const ir::Arena of_this_nest;
    const RandomNest nest(number, false);
    SCOPED_TRACE(number);
    // Dimensions of the reduction that follow each other in all arrays are one loop.
    const std::string message = message_of(nest.text);
    if (message.find("it has fewer loops") != std::string::npos ||
        message.find(" iterations, not ") != std::string::npos ||
        message.find("too many lanes are read or stored one by one") != std::string::npos)
      continue;
    const std::string loops = loops_of(nest.text);
    vectors += loops.find(nest.scalar() + "x") != std::string::npos ? 1 : 0;
    sums_of_several += loops.find("lanes_1") != std::string::npos ? 1 : 0;
    turned += loops.find("turned") != std::string::npos ? 1 : 0;
    expect_right(nest.text);
  }
  EXPECT_GT(vectors, 300);
  EXPECT_GT(turned, 20);
  EXPECT_GT(sums_of_several, 20);
}

TEST_F(ScheduledNest, RandomTilesWithCopies) {
  constexpr std::uint64_t nests = 900;
  int right = 0, packed = 0, edges = 0, shared = 0, turned = 0;
  for (std::uint64_t number = 0; number < nests && !HasFailure(); ++number) {
    const ir::Arena of_this_nest;
    const RandomNest nest(number, true);
    SCOPED_TRACE(number);
    const std::string message = message_of(nest.text);
    // Dimensions of the reduction that follow each other in all arrays are one loop.
    const std::vector<std::string> expected{"it has fewer loops", " iterations, not ",
                                            "read what is not packed",
                                            "a copy is inside of where sums begin"};
    if (std::any_of(expected.begin(), expected.end(),
                    [&](const std::string& each) { return message.find(each) != std::string::npos; }))
      continue;
    const std::string loops = loops_of(nest.text);
    ++right;
    packed += loops.find("_packed") != std::string::npos ? 1 : 0;
    edges += loops.find("edge") != std::string::npos ? 1 : 0;
    shared += loops.find("group(1)") != std::string::npos ? 1 : 0;
    turned += loops.find(".s1, ") != std::string::npos ? 1 : 0;
    expect_right(nest.text);
  }
  EXPECT_GT(right, 400);
  EXPECT_GT(packed, 300);
  EXPECT_GT(edges, 200);
  EXPECT_GT(shared, 20);
  EXPECT_GT(turned, 20);
}

}  // namespace
}  // namespace hoist::lower
