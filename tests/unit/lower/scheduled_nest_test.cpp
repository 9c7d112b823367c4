// Nests whose loops run as loopAt, loopJam and loopLanes say.
#include "lower/scheduled_nest.hpp"

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
/// order; and a schedule of their loops.
class RandomNest : public testing_support::RandomChoices {
 public:
  explicit RandomNest(std::uint64_t seed) : RandomChoices(seed) {
    scalar_ = pick<std::string>({"f32", "f32", "f64", "i32"});
    maps_ = 1 + below(3);
    sums_ = below(3);
    for (int l = 0; l < maps_ + sums_; ++l) lengths_.push_back(pick<int>({2, 3, 4, 6, 8, 16}));
    make_program();
    make_schedule();
  }

  std::string text;

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
    if (chance(0.3)) body = fmt::format("({} + {})", body, element(all, false));
    if (sums_ > 0) {
      int length = 1;
      for (int l = maps_; l < all; ++l) length *= lengths_[static_cast<std::size_t>(l)];
      const std::string start = chance(0.3) ? element(maps_, false) : number("0.5", "3");
      const std::string operation = pick({"+", "+", "+", "min", "max"});
      // Lanes of whole numbers have no least element to begin with.
      body = fmt::format("(generate({}, q => {}) |> reduce({}, {}))", length, body,
                         is_integer() ? "+" : operation, start);
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

  int maps_, sums_;
  std::vector<int> lengths_;
  std::string scalar_, inputs_, program_, type_;
};

TEST_F(ScheduledNest, RandomNestsAndSchedules) {
  constexpr std::uint64_t nests = 600;
  int vectors = 0, turned = 0, sums_of_several = 0;
  for (std::uint64_t number = 0; number < nests && !HasFailure(); ++number) {
    const ir::Arena of_this_nest;
    const RandomNest nest(number);
    SCOPED_TRACE(number);
    // Dimensions of the reduction that follow each other in all arrays are one loop.
    const std::string message = message_of(nest.text);
    if (message.find("it has fewer loops") != std::string::npos ||
        message.find(" iterations, not ") != std::string::npos ||
        message.find("too many lanes are read or stored one by one") != std::string::npos)
      continue;
    const std::string loops = loops_of(nest.text);
    vectors += loops.find("f32x") != std::string::npos ? 1 : 0;
    sums_of_several += loops.find("lanes_1") != std::string::npos ? 1 : 0;
    turned += loops.find("turned") != std::string::npos ? 1 : 0;
    expect_right(nest.text);
  }
  EXPECT_GT(vectors, 150);
  EXPECT_GT(turned, 20);
  EXPECT_GT(sums_of_several, 20);
}

}  // namespace
}  // namespace hoist::lower
