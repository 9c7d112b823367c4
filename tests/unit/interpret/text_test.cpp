// Programs as they are written, against plain loops.
#include <algorithm>
#include <cmath>

#include "interpret/compare.hpp"
#include "interpret/random.hpp"
#include "lang/lang.hpp"
#include "programs.hpp"

namespace hoist::interpret {
namespace {

class Text : public InterpretTest {
 protected:
  /// Parses the program, runs it on random inputs (kept in `inputs`), gives the leaves of its result.
  Data run_text(const std::string& text, const Sizes& sizes, std::uint64_t seed = 1) {
    const Source source{"test", text};
    const auto parsed = lang::parse_program(source);
    if (!parsed) {
      ADD_FAILURE() << parsed.error().render(&source);
      return {};
    }
    inputs.clear();
    for (const auto& parameter : parsed->parameters) {
      inputs.push_back(random_data(parameter.type, bindings(sizes), seed++).value());
    }
    auto result = evaluate(*parsed, inputs, bindings(sizes));
    if (!result) {
      ADD_FAILURE() << result.error().render();
      return {};
    }
    return *result;
  }
  Reals input(std::size_t parameter, std::size_t leaf = 0) const {
    return elements<float>(inputs.at(parameter).at(leaf));
  }

  std::vector<Data> inputs;
};

TEST_F(Text, MatrixProduct) {
  constexpr int M = 5, K = 7, N = 3;
  const Data result = run_text(
      "def matmul(A: [M][K]f32, B: [K][N]f32): [M][N]f32 =\n"
      "  A |> map(row => transpose(B) |> map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))",
      {{"M", M}, {"K", K}, {"N", N}});
  const Reals a = input(0), b = input(1);
  Reals expected;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
      expected.push_back(sum);
    }
  }
  EXPECT_EQ(result, (Data{f32({M, N}, expected)}));
}

TEST_F(Text, StencilsOfTwoDimensions) {
  constexpr int H = 6, W = 5;
  for (const std::string mode : {"clamp", "mirror", "wrap", "1.5"}) {
    const Data result = run_text("def stencil(u: [H][W]f32): [H][W]f32 =\n  u |> pad2(2, 2, " + mode +
                                     ") |> slide2(5, 1) |> map2(n => n[0][2] + 2.0 * n[4][1] - n[2][3])",
                                 {{"H", H}, {"W", W}});
    const Reals u = input(0);
    const auto inside = [&](int i, int n) {
      if (mode == "clamp") return std::clamp(i, 0, n - 1);
      if (mode == "mirror") return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
      return (i + n) % n;
    };
    const auto point = [&](int i, int j) {
      if (mode == "1.5" && (i < 0 || i >= H || j < 0 || j >= W)) return 1.5F;
      return u[inside(i, H) * W + inside(j, W)];
    };
    Reals expected;
    for (int i = 0; i < H; ++i) {
      for (int j = 0; j < W; ++j) {
        expected.push_back(point(i - 2, j) + 2.0F * point(i + 2, j - 1) - point(i, j + 1));
      }
    }
    EXPECT_EQ(result, (Data{f32({H, W}, expected)})) << mode;
  }
}

TEST_F(Text, StencilOfThreeDimensions) {
  constexpr int D = 4, H = 3, W = 5;
  const Data result = run_text(
      "def stencil(u: [D][H][W]f32): [D][H][W]f32 =\n"
      "  u |> pad3(1, 1, clamp) |> slide3(3, 1) |> map3(n => n[0][1][1] + n[1][2][1] * n[1][1][0])",
      {{"D", D}, {"H", H}, {"W", W}});
  const Reals u = input(0);
  const auto point = [&](int d, int i, int j) {
    return u[(std::clamp(d, 0, D - 1) * H + std::clamp(i, 0, H - 1)) * W + std::clamp(j, 0, W - 1)];
  };
  Reals expected;
  for (int d = 0; d < D; ++d) {
    for (int i = 0; i < H; ++i) {
      for (int j = 0; j < W; ++j) {
        expected.push_back(point(d - 1, i, j) + point(d, i + 1, j) * point(d, i, j - 1));
      }
    }
  }
  EXPECT_EQ(result, (Data{f32({D, H, W}, expected)}));
}

TEST_F(Text, LowLevelTermsMeanTheirHighLevelOnes) {
  const Data tiled = run_text(
      "def scale(x: [N]f32, a: f32): [N]f32 =\n"
      "  x |> split(8) |> mapWrg(0, chunk => chunk |> asVector(4) |> mapLcl(0, v => v * a) |> toLocal |> "
      "asScalar)"
      " |> join",
      {{"N", 32}});
  const Reals x = input(0);
  const float a = input(1)[0];
  Reals expected;
  for (float e : x) expected.push_back(e * a);
  EXPECT_EQ(tiled, (Data{f32({32}, expected)}));
}

TEST_F(Text, SizesThatDoNotDivide) {
  const Data result = run_text(
      "def next(x: [N]i32): [N]i32 =\n"
      "  x |> splitGuarded(8) |> map(map(e => e + 1)) |> joinGuarded(N)",
      {{"N", 19}});
  Integers expected = elements<std::int32_t>(inputs[0][0]);
  for (std::int32_t& e : expected) ++e;
  EXPECT_EQ(result, (Data{i32({19}, expected)}));
}

TEST_F(Text, IterationsOverTuples) {
  const Data result = run_text(
      "def fibonacci(n: i32): i32 =\n"
      "  let (a, b) = (0, 1) |> iterate(30, (a, b) => (b, a + b))\n"
      "  a + 0 * n",
      {});
  EXPECT_EQ(result, (Data{i32({}, {832040})}));
}

TEST_F(Text, TreesOfSums) {
  const Data result = run_text(
      "def total(x: [1024]i32): [1]i32 = x |> iterate(10, v => v |> split(2) |> map(reduce(+, 0)))", {});
  std::int32_t sum = 0;
  for (std::int32_t e : elements<std::int32_t>(inputs[0][0])) sum += e;
  EXPECT_EQ(result, (Data{i32({1}, {sum})}));
}

TEST_F(Text, NearestCentre) {
  const Data result = run_text(
      "def nearest(points: [N]f32, centres: [K]f32): [N]i32 =\n"
      "  points |> map(p => (zip(iota(K), centres) |> map((k, c) => ((p - c) * (p - c), k))\n"
      "    |> reduce((best, next) => if next.0 < best.0 then next else best, (3.4e38, 0))).1)",
      {{"N", 40}, {"K", 6}});
  const Reals points = input(0), centres = input(1);
  Integers expected;
  for (float p : points) {
    const auto closer = [&](float a, float b) { return (p - a) * (p - a) < (p - b) * (p - b); };
    expected.push_back(static_cast<std::int32_t>(std::min_element(centres.begin(), centres.end(), closer) -
                                                 centres.begin()));
  }
  EXPECT_EQ(result, (Data{i32({40}, expected)}));
}

TEST_F(Text, PrefixSumsAndReversals) {
  const Data result =
      run_text("def both(x: [N]i32): ([N]i32, [N]i32) = (x |> scanExclusive(+, 0), reverse(x))", {{"N", 9}});
  const Integers x = elements<std::int32_t>(inputs[0][0]);
  Integers sums = {0};
  for (std::size_t i = 0; i + 1 < x.size(); ++i) sums.push_back(sums.back() + x[i]);
  EXPECT_EQ(result, (Data{i32({9}, sums), i32({9}, Integers(x.rbegin(), x.rend()))}));
}

}  // namespace
}  // namespace hoist::interpret
