// The oracle must be quick enough to be asked often. The figures are printed; the limits are generous, since
// builds for testing are slow ones.
#include <chrono>

#include "interpret/random.hpp"
#include "programs.hpp"

namespace hoist::interpret {
namespace {

class Speed : public InterpretTest {
 protected:
  /// Seconds that the program takes on random inputs.
  static double seconds(const char* name, const ir::Program& measured, const Sizes& sizes) {
    constexpr std::uint64_t seed = 1;
    std::vector<Data> inputs;
    for (const auto& parameter : measured.parameters) {
      inputs.push_back(random_data(parameter.type, bindings(sizes), seed).value());
    }
    Counts counts;
    const auto start = std::chrono::steady_clock::now();
    const auto result = evaluate(measured, inputs, bindings(sizes), {}, &counts);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(result) << result.error().render();
    std::printf("%s: %.3f s, %.3g operations a second\n", name, time.count(),
                static_cast<double>(counts.operations) / time.count());
    return time.count();
  }

  const arith::Expr N = arith::size("N");
  const arith::Expr M = arith::size("M");
  const arith::Expr K = arith::size("K");
};

TEST_F(Speed, FivePointStencil) {
  const Unary slide = [](Term x) { return layout(Op::Slide, {3, 1}, x); };
  const Unary transpose = [](Term x) { return layout(Op::Transpose, {}, x); };
  const ir::Program stencil = program(
      {f32_array({N, M})},
      [&](const auto& p) {
        const auto clamp = ir::Boundary::Clamp;
        const Term padded = pad(1, 1, clamp, map([&](Term row) { return pad(1, 1, clamp, row); }, p[0]));
        // slide2: windows of rows; in each, windows of columns.
        const Term windows =
            map([&](Term rows) { return map(transpose, slide(transpose(rows))); }, slide(padded));
        return map(
            [&](Term line) {
              return map(
                  [&](Term w) {
                    const auto point = [&](int i, int j) { return at(j, at(i, w)); };
                    return real(0.2F) * (point(1, 1) + point(0, 1) + point(2, 1) + point(1, 0) + point(1, 2));
                  },
                  line);
            },
            windows);
      },
      {"N", "M"});
  EXPECT_LT(seconds("5-point stencil, 512 x 512", stencil, {{"N", 512}, {"M", 512}}), 20);
}

TEST_F(Speed, MatrixProduct) {
  const ir::Program product = program(
      {f32_array({M, K}), f32_array({K, N})},
      [&](const auto& p) {
        return map(
            [&](Term row) {
              return map(
                  [&](Term column) {
                    const Term products = map([](Term pair) { return ir::get(0, pair) * ir::get(1, pair); },
                                              zip({row, column}));
                    return reduce([](Term a, Term x) { return a + x; }, real(0), products);
                  },
                  layout(Op::Transpose, {}, p[1]));
            },
            p[0]);
      },
      {"M", "K", "N"});
  EXPECT_LT(seconds("matrix product, 128 x 128 x 128", product, {{"M", 128}, {"K", 128}, {"N", 128}}), 20);
}

TEST_F(Speed, ScanOfMillions) {
  const ir::Program scan = program({f32_array({N})},
                                   [&](const auto& p) {
                                     return fold(
                                         Op::Scan, [](Term a, Term x) { return a + x; }, real(0), p[0]);
                                   },
                                   {"N"});
  EXPECT_LT(seconds("scan, 4194304 elements", scan, {{"N", 4194304}}), 20);
}

}  // namespace
}  // namespace hoist::interpret
