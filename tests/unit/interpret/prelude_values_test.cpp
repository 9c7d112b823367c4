// What definitions of the prelude compute: published values, and what the same loops give.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "lang/lang.hpp"
#include "programs.hpp"

namespace hoist::interpret {
namespace {

class PreludeValues : public testing::Test {
 protected:
  static constexpr unsigned seed = 20261121;

  Data values(const std::string& text, const std::vector<Data>& inputs, const Sizes& sizes = {}) {
    const Source source{"test", text};
    const auto program = lang::parse_program(source);
    if (!program) throw std::runtime_error(program.error().render(&source));
    auto result = evaluate(*program, inputs, bindings(sizes));
    if (!result) throw std::runtime_error(result.error().render());
    return *result;
  }

 private:
  ir::Arena arena_;
};

/// The vectors for Philox4x32-10 that come with its authors' library, Random123 (kat_vectors).
TEST_F(PreludeValues, PhiloxHasItsPublishedValues) {
  struct Known {
    std::array<std::uint32_t, 4> counter;
    std::array<std::uint32_t, 2> key;
    std::array<std::uint32_t, 4> numbers;
  };
  const Known known[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                         {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                          {0xffffffff, 0xffffffff},
                          {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                         {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          {0xa4093822, 0x299f31d0},
                          {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const Known& each : known) {
    std::string arguments;
    for (std::uint32_t part : each.key)
      arguments += fmt::format("{}{}u32", arguments.empty() ? "(" : ", ", part);
    arguments += "), (";
    for (std::size_t at = 0; at < 4; ++at)
      arguments += fmt::format("{}{}u32", at ? ", " : "", each.counter[at]);
    const Data numbers = values("def f(): (u32, u32, u32, u32) = philox(" + arguments + "))", {});
    for (std::size_t at = 0; at < 4; ++at)
      EXPECT_EQ(elements<std::uint32_t>(numbers[at])[0], each.numbers[at]) << arguments << " " << at;
  }
}

TEST_F(PreludeValues, RandomNumbersAreSpreadEvenly) {
  constexpr std::size_t count = 20000;
  const auto numbers = elements<float>(values("def f(): [20000]f32 = random(20000, 7u32)", {})[0]);
  double sum = 0, square = 0;
  for (const float each : numbers) {
    ASSERT_GE(each, 0.0F);
    ASSERT_LT(each, 1.0F);
    sum += each;
    square += double{each} * each;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.01);
  EXPECT_NEAR(square / count, 1.0 / 3, 0.01);
}

TEST_F(PreludeValues, ScatterToKeepsTheLastAndDropsWhatIsOutside) {
  EXPECT_EQ(values("def f(x: [N]i32, t: [M]i32, v: [M]i32) = x |> scatterTo(t, v)",
                   {{i32({4}, {1, 2, 3, 4})},
                    {i32({6}, {2, -1, 0, 4, 2, 2000000000})},
                    {i32({6}, {10, 20, 30, 40, 50, 60})}},
                   {{"N", 4}, {"M", 6}}),
            (Data{i32({4}, {30, 2, 50, 4})}));
}

TEST_F(PreludeValues, PartitionAndFilterKeepTheOrder) {
  const Tensor x = i32({7}, {5, -1, 0, 7, -3, -2, 4});
  const std::string parameter = "def f(x: [N]i32): (i32, [N]i32) = x |> ";
  EXPECT_EQ(values(parameter + "partition(e => e > 0)", {{x}}, {{"N", 7}}),
            (Data{i32({}, {3}), i32({7}, {5, 7, 4, -1, 0, -3, -2})}));
  EXPECT_EQ(values(parameter + "filter(e => e < 0, 9)", {{x}}, {{"N", 7}}),
            (Data{i32({}, {3}), i32({7}, {-1, -3, -2, 9, 9, 9, 9})}));
  EXPECT_EQ(values(parameter + "filter(e => true, 9)", {{x}}, {{"N", 7}}), (Data{i32({}, {7}), x}));
}

TEST_F(PreludeValues, SegmentsAreScannedAndReducedAlone) {
  const Data starts{tensor<std::uint8_t>(Scalar::Bool, {7}, {0, 1, 0, 0, 1, 1, 0})};
  const Tensor x = i32({7}, {1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(values("def f(s: [N]bool, x: [N]i32) = x |> segmentedScan(+, 0, s)", {starts, {x}}, {{"N", 7}}),
            (Data{i32({7}, {1, 2, 5, 9, 5, 6, 13})}));
  EXPECT_EQ(
      values("def f(s: [N]bool, x: [N]i32) = x |> segmentedReduce(+, 0, 5, s)", {starts, {x}}, {{"N", 7}}),
      (Data{i32({5}, {9, 5, 13, 0, 0})}));
  EXPECT_EQ(
      values("def f(s: [N]bool, x: [N]i32) = x |> segmentedReduce(max, -1, 2, s)", {starts, {x}}, {{"N", 7}}),
      (Data{i32({2}, {4, 5})}));
}

TEST_F(PreludeValues, SortIsStableAtEveryLength) {
  std::mt19937 random(seed);
  for (std::int64_t length = 1; length <= 40; ++length) {
    std::vector<std::int32_t> keys(static_cast<std::size_t>(length)), order(keys.size());
    for (std::int32_t& key : keys) key = static_cast<std::int32_t>(random() % 7);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    std::vector<std::int32_t> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(values("def f(k: [N]i32) = zip(k, iota(N)) |> sortBy((key, i) => key) |> unzip",
                     {{i32({length}, keys)}}, {{"N", length}}),
              (Data{i32({length}, sorted), i32({length}, order)}))
        << length << " (seed " << seed << ")";
  }
}

TEST_F(PreludeValues, SortPutsNaNLast) {
  const float nan = std::nanf("");
  const auto sorted = elements<float>(
      values("def f(x: [N]f32) = sort(x)", {{f32({7}, {nan, 2, -1, nan, 0, -INFINITY, 1})}}, {{"N", 7}})[0]);
  EXPECT_EQ(std::vector<float>(sorted.begin(), sorted.begin() + 5),
            (std::vector<float>{-INFINITY, -1, 0, 1, 2}));
  EXPECT_TRUE(std::isnan(sorted[5]) && std::isnan(sorted[6]));
}

}  // namespace
}  // namespace hoist::interpret
