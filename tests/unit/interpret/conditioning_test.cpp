// The bound follows the conditioning of the program on its inputs: a right result of an ill-conditioned
// program is let pass, a wrong result of any program is not. What stands for another executor is another
// order of the same operations.
#include "interpret/conditioning.hpp"

#include <cmath>

#include "interpret/random.hpp"
#include "lang/lang.hpp"
#include "programs.hpp"

namespace hoist::interpret {
namespace {

class Conditioning : public InterpretTest {
 protected:
  static ir::Program parsed(const std::string& text) {
    const Source source{"test", text};
    auto program = lang::parse_program(source);
    if (!program) throw std::runtime_error(program.error().render(&source));
    return *program;
  }
  void evaluate_text(const std::string& text, std::uint64_t seed = 1) {
    program = parsed(text);
    inputs.clear();
    for (const auto& parameter : program.parameters) {
      inputs.push_back(random_data(parameter.type, {}, seed++).value());
    }
    Counts counts;
    expected = evaluate(program, inputs, {}, {}, &counts).value();
    bound = error_bound(program, {}, &counts);
  }
  Data other(const std::string& text) const { return evaluate(parsed(text), inputs, {}).value(); }
  Disturbed disturbed() const {
    return [this](std::uint64_t noise) { return evaluate(program, inputs, {}, {.noise = noise}); };
  }
  Comparison held_against(const Data& got) { return compare(expected, got, bound, disturbed()).value(); }
  /// The result with one element off by a part of itself.
  Data wrong(std::size_t element, double part) const {
    Data data = expected;
    ScalarValue value = load_scalar(data[0].bytes.data(), data[0].scalar, element);
    store_scalar(data[0].bytes.data(), element, ScalarValue::of_real(value.type, value.real * (1 + part)));
    return data;
  }

  std::size_t largest_element() const {
    std::size_t largest = 0;
    const auto magnitude = [&](std::size_t i) {
      return std::fabs(load_scalar(expected[0].bytes.data(), expected[0].scalar, i).real);
    };
    for (std::size_t i = 1; i < static_cast<std::size_t>(expected[0].elements()); ++i) {
      if (magnitude(i) > magnitude(largest)) largest = i;
    }
    return largest;
  }

  ir::Program program;
  std::vector<Data> inputs;
  Data expected;
  ErrorBound bound;
};

constexpr const char* quotient =
    "def f(a: [20000]f32, b: [20000]f32, c: [20000]f32) = zip(a, b, c) |> map((a, b, c) => {})";
std::string quotient_of(const char* e) { return fmt::format(fmt::runtime(quotient), e); }

TEST_F(Conditioning, QuotientAfterCancellation) {
  evaluate_text(quotient_of("1.0 / (0.299 * a + 0.587 * b + 0.114 * c)"));
  // A device's: contracted, from the other end, and a division that is off by a unit.
  const Data right = other(quotient_of("1.0000001 / fma(0.299, a, fma(0.587, b, 0.114 * c))"));
  EXPECT_FALSE(compare(expected, right, bound)->agrees()) << "the bound by lengths covers it already";
  const Comparison comparison = held_against(right);
  EXPECT_TRUE(comparison.agrees()) << to_string(comparison);
  // The sum of most elements is no small number, and these are known as well as ever.
  int found = 0;
  for (std::size_t i = 0; i < 100; ++i) found += held_against(wrong(i, 1e-3)).agrees() ? 0 : 1;
  EXPECT_GE(found, 50);
  EXPECT_FALSE(held_against(other(quotient_of("1.0 / (0.299 * a + 0.588 * b + 0.114 * c)"))).agrees());
}

/// An LU factorisation without pivots; {} is what is taken away of an element.
std::string factorisation(const char* taken) {
  return fmt::format(
      "def lu(A: [25][25]f64) = iota(24) |> reduce((M, k) =>\n"
      "  generate(25, i => generate(25, j =>\n"
      "    if i <= k then M[i][j] else if j < k then M[i][j] else\n"
      "    if j == k then M[i][k] / M[k][k] else M[i][j] - {})), A)\n",
      taken);
}

TEST_F(Conditioning, FactorisationOfARandomMatrix) {
  int beyond_lengths = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    evaluate_text(factorisation("M[i][k] / M[k][k] * M[k][j]"), seed);
    const Data right = other(factorisation("M[i][k] * (M[k][j] / M[k][k])"));
    beyond_lengths += compare(expected, right, bound)->agrees() ? 0 : 1;
    const Comparison comparison = held_against(right);
    EXPECT_TRUE(comparison.agrees()) << to_string(comparison);
    EXPECT_FALSE(held_against(wrong(624, 1e-4)).agrees());
    EXPECT_FALSE(held_against(other(factorisation("1.000001f64 * M[i][k] / M[k][k] * M[k][j]"))).agrees());
  }
  EXPECT_GE(beyond_lengths, 1) << "the bound by lengths covers all already";
}

/// x with L x = b; {} is the inner product of row i of L and x.
std::string substitution(const char* product) {
  return fmt::format(
      "def substitute(L: [30][30]f64, b: [30]f64) = iota(30) |> reduce((x, i) =>\n"
      "  let s = {} in generate(30, j => if j == i then (b[i] - s) / L[i][i] else x[j]), fill(30, 0.0f64))\n",
      product);
}

TEST_F(Conditioning, ForwardSubstitution) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    evaluate_text(substitution("zip(L[i], x) |> map(*) |> reduce(+, 0.0)"), seed);
    const Data right = other(substitution("zip(L[i] |> reverse, x |> reverse) |> map(*) |> reduce(+, 0.0)"));
    const Comparison comparison = held_against(right);
    EXPECT_TRUE(comparison.agrees()) << to_string(comparison);
    EXPECT_FALSE(held_against(wrong(largest_element(), 1e-6)).agrees());
  }
}

/// Durbin's recursion for the Yule-Walker equations; {} is the inner product in step k.
std::string durbin(const char* product) {
  return fmt::format(
      "def durbin(r: [40]f64) = iota(39) |> reduce(((y, alpha, beta), m) =>\n"
      "  let k = m + 1\n"
      "  let beta1 = (1.0f64 - alpha * alpha) * beta\n"
      "  let s = {}\n"
      "  let next = -(r[k] + s) / beta1\n"
      "  (generate(40, i => if i < k then y[i] + next * y[k - 1 - i] else if i == k then next else y[i]), "
      "next, beta1),\n"
      "  (generate(40, i => if i == 0 then -r[0] else 0.0f64), -r[0], 1.0f64)) |> state => state.0\n",
      product);
}

TEST_F(Conditioning, DurbinsRecursion) {
  int beyond_lengths = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    evaluate_text(
        durbin("generate(40, i => if i < k then r[k - 1 - i] * y[i] else 0.0f64) |> reduce(+, 0.0)"), seed);
    const Data right =
        other(durbin("generate(40, i => if i < k then r[i] * y[k - 1 - i] else 0.0f64) |> reduce(+, 0.0)"));
    beyond_lengths += compare(expected, right, bound)->agrees() ? 0 : 1;
    const Comparison comparison = held_against(right);
    EXPECT_TRUE(comparison.agrees()) << to_string(comparison);
  }
  EXPECT_GE(beyond_lengths, 1) << "the bound by lengths covers all already";
}

TEST_F(Conditioning, StaysTightWhereItIsTight) {
  // By worst-case analysis the error of a rotation grows like 1.4^n, that of a wave like 3^n.
  for (const char* text :
       {"def product(A: [30][40]f32, B: [20][40]f32) =\n"
        "  A |> map(row => B |> map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))",
        "def rotated(x: [100]f32) = x |> map(e => iota(100) |> reduce(((c, s), i) =>\n"
        "  (0.8 * c - 0.6 * s, 0.6 * c + 0.8 * s), (e, 1.0))) |> unzip |> state => state.0",
        "def wave(x: [100]f32) = x |> map(e => iota(60) |> reduce(((now, before), i) =>\n"
        "  (1.9 * now - before, now), (e, e))) |> unzip |> state => state.0",
        "def softmax(x: [100]f32) = let m = x |> reduce(max, -inf) in let s = x |> map(e => exp(e - m)) |> "
        "reduce(+, 0.0) in\n"
        "  x |> map(e => exp(e - m) / s)"}) {
    SCOPED_TRACE(text);
    evaluate_text(text);
    EXPECT_TRUE(held_against(expected).agrees());
    EXPECT_TRUE(bound.spread.empty()) << "looked for without need";
    EXPECT_FALSE(held_against(wrong(largest_element(), 2e-3)).agrees());
  }
}

TEST_F(Conditioning, WhatIsExactHasNoSpread) {
  evaluate_text(
      "def f(x: [1000]i32) = x |> map(e => f32(e) * 0.5) |> scan(+, 0.0) |> map(e => sqrt(e * e) / 4.0)");
  const Data spread = spread_of(expected, disturbed()).value();
  for (float each : elements<float>(spread[0])) EXPECT_EQ(each, 0);
}

TEST_F(Conditioning, SomeProgramsNeedNoLook) {
  const auto magnifies = [](const std::string& text) { return may_magnify(parsed(text)); };
  EXPECT_FALSE(magnifies("def f(x: [N]f32, y: [N]f32) = zip(x, y) |> map(*) |> reduce(+, 0.0)"));
  EXPECT_FALSE(
      magnifies("def f(x: [N]f32) = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(w => 0.3 * (w[0] + w[2]))"));
  EXPECT_FALSE(magnifies("def f(x: [N]f32) = x |> map(e => exp(e) / (2.0 * e))"));
  EXPECT_TRUE(magnifies("def f(x: [N]f32) = x |> map(e => 1.0 / (e + 0.5))"));
  EXPECT_TRUE(magnifies("def f(x: [N]f32) = let s = x |> reduce(+, 0.0) in x |> map(e => e / s)"));
  EXPECT_TRUE(magnifies("def f(x: [N]f32) = x |> map(e => log(1.0 - e))"));
  EXPECT_TRUE(magnifies("def f(x: [N]f32) = x |> scan((s, e) => 1.5 * s + e, 0.0)"));
  EXPECT_TRUE(magnifies("def f(x: [N]f32) = x |> iterate(9, map(e => 3.9 * e * (1.0 - e)))"));
}

TEST_F(Conditioning, ProbeWidensOnlyWhatNeedsIt) {
  evaluate_text(quotient_of("1.0 / (3.0 + 0.299 * a + 0.587 * b + 0.114 * c)"));
  ASSERT_TRUE(widen_if_needed(bound, program, expected, disturbed()));
  EXPECT_TRUE(bound.spread.empty());
  evaluate_text(quotient_of("1.0 / (0.299 * a + 0.587 * b + 0.114 * c)"));
  ASSERT_TRUE(widen_if_needed(bound, program, expected, disturbed()));
  EXPECT_FALSE(bound.spread.empty());
}

TEST_F(Conditioning, WhatHasNoDigitIsLetPass) {
  // One over nothing but rounding errors.
  evaluate_text("def f(x: [1000]f32) = x |> map(e => 1.0 / ((e + 0.1) - 0.1 - e))");
  const Data right = other("def f(x: [1000]f32) = x |> map(e => 1.0 / ((e - e) + (0.1 - 0.1)))");
  EXPECT_LT(held_against(right).mismatches, 1000);
}

}  // namespace
}  // namespace hoist::interpret
