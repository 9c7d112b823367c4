// Identities that index arithmetic relies on, and traps that published simplifiers fell into.
#include <gtest/gtest.h>

#include "arith/arena.hpp"
#include "arith/expr.hpp"
#include "arith/parse.hpp"

namespace hoist::arith {
namespace {

class Identities : public ::testing::Test {
 protected:
  Identities() {
    for (const char* name : {"M", "N", "K", "n", "m", "d", "y"}) scope_.declare_size(name);
    declare("i in [0,M)");
    declare("j in [0,N)");
    declare("k in [0,K)");
  }

  void declare(const std::string& range) {
    const Result<void> declared = scope_.declare_index(range);
    ASSERT_TRUE(declared) << declared.error().render();
  }
  void declare_integer(const std::string& name) { scope_.names[name] = arith::data(name); }

  Expr read(const std::string& text) {
    Result<Expr> parsed = parse(text, scope_);
    EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().render());
    return parsed.value_or(Expr(-987654321));
  }
  std::string simplified(const std::string& text) { return to_string(read(text)); }
  void expect_same(const std::string& left, const std::string& right) {
    EXPECT_EQ(read(left), read(right))
        << left << " is " << simplified(left) << ", but " << right << " is " << simplified(right);
  }
  void expect_kept(const std::string& text, Kind kind) {
    EXPECT_EQ(read(text).kind(), kind) << text << " became " << simplified(text);
  }
  Truth compare(const std::string& left, const std::string& right) { return less(read(left), read(right)); }

  Arena arena_;
  Scope scope_;
};

TEST_F(Identities, SymbolicDivisorOfTwoTerms) {
  declare("p in [0,M+2)");
  expect_same("(M*j + 2*j + p) % (2 + M)", "p");
  expect_same("(M*j + 2*j + p) / (2 + M)", "j");
  expect_same("(2*N + M*N) / (2 + M)", "N");
  declare("q in [0,N+2)");
  expect_same("(N*i + N*k + 2*i + 2*k + q) / (2 + N)", "i + k");
  expect_same("(3 + N + j) / (2 + N)", "1");
  expect_same("(3 + N + j) % (2 + N)", "1 + j");
}

TEST_F(Identities, QuotientAndRemainderMeetAgain) {
  declare_integer("a");
  expect_same("(a / d) * d + a % d", "a");
  expect_same("(a / 7) * 7 + a % 7", "a");
  expect_same("(a / (d + 2)) * (d + 2) + a % (d + 2)", "a");
  expect_same("a - (a / d) * d", "a % d");
  expect_same("i % 4 + 4 * ((i / 4) % 8)", "i % 32");
  expect_same("i % N + N * ((i / N) % K)", "i % (N * K)");
  expect_same("(i + 3) / 4 * 4 + (i + 3) % 4", "i + 3");
}

TEST_F(Identities, ConstantDivisors) {
  declare("l in [0,4)");
  declare("o in [0,5)");
  declare("t in [0,2)");
  declare("v in [0,32)");
  expect_same("(l + 4*t) / 8", "0");
  expect_kept("(o + 4*t) / 8", Kind::Quotient);
  expect_same("(899 + 4*v) % 128", "3 + 4*v");
  expect_same("(899 + 4*v) / 128", "7");
  expect_same("(8*i + l) / 4", "2*i");
  expect_same("(8*i + 4 + l) % 8", "4 + l");
  expect_same("(8*i + 4 + l) / 8", "i");
  expect_same("(8*i + 7 - l) / 8", "i");
}

TEST_F(Identities, ConstantsMeanWhatCMeans) {
  expect_same("-11 % 5", "-1");
  expect_same("11 % -5", "1");
  expect_same("-11 / 5", "-2");
  expect_same("11 / -5", "-2");
  expect_same("-11 / -5", "2");
}

TEST_F(Identities, WorkGroupIndices) {
  declare("wg in [0,M)");
  declare("l in [0,N)");
  expect_same("(wg*N + l) % N", "l");
  expect_same("(wg*N + l) / N", "wg");
  // The three lines of the matrix transposition in the Lift thesis, figure 4.6.
  expect_same("((((wg*N+l)/N) + (((wg*N+l)%N)*M))/M)*M + (((wg*N+l)/N) + (((wg*N+l)%N)*M))%M", "l*M + wg");
  expect_same("((wg + l*M)/M)*M + (wg + l*M)%M", "l*M + wg");
}

TEST_F(Identities, Cancellation) {
  declare_integer("x");
  declare_integer("z");
  expect_same("(x + z) - x", "z");
  expect_same("4*n / (2*m)", "2*n / m");
  expect_same("(6*x + 4) / 10", "(3*x + 2) / 5");
  expect_same("(x*n) % (n*m)", "n * (x % m)");
  expect_same("x * n / n", "x");
  expect_same("x / n / m", "x / (n * m)");
  expect_same("(x % (n*m)) / n", "(x / n) % m");
  expect_same("(x % (4*m)) % m", "x % m");
}

TEST_F(Identities, ExactQuotients) {
  expect_same("exactdiv(N, 64) * 64", "N");
  expect_same("exactdiv(N, 64) * 128", "2*N");
  expect_same("exactdiv(N, 64) * 16", "exactdiv(N, 4)");
  expect_same("exactdiv(N + 64*i, 64)", "exactdiv(N, 64) + i");
  expect_same("exactdiv(M*N, 64*M)", "exactdiv(N, 64)");
  expect_same("N / exactdiv(N, 64)", "64");
  expect_same("exactdiv(N, d) * d", "N");
  expect_same("exactdiv(N, d + 2) * (d + 2)", "N");
  declare("w in [0, exactdiv(N,64))");
  declare("l in [0, 64)");
  EXPECT_EQ(compare("64*w + l", "N"), Truth::Yes);
  expect_same("(64*w + l) % 64", "l");
}

TEST_F(Identities, CeilingQuotients) {
  expect_same("ceildiv(64*N, 64)", "N");
  expect_same("ceildiv(64*N + 3, 64)", "N + 1");
  expect_same("ceildiv(64*N - 3, 64)", "N");
  expect_same("ceildiv(10, 4)", "3");
  EXPECT_EQ(less_equal(read("N"), read("64 * ceildiv(N, 64)")), Truth::Yes);
}

TEST_F(Identities, Powers) {
  expect_same("2 ** (k + 1)", "2 * 2 ** k");
  expect_same("2 ** (k + 1) / 2 ** k", "2");
  expect_same("N ** 2", "N * N");
  expect_same("(N + 1) ** 2", "N*N + 2*N + 1");
  expect_same("2 ** (k + 3) % 8", "0");
  expect_same("3 ** 2 ** 2", "81");
  expect_same("2 ** k * 2 ** (10 - k)", "1024");
  expect_same("3 * N * 2 ** (M - k) * 2 ** k + 1", "3 * N * 2 ** M + 1");
  expect_same("N ** (M - k) * N ** (k - i) * N ** i", "N ** M");
  expect_same("exactdiv(exactdiv(N, 2 ** k), 2 ** (10 - k))", "exactdiv(N, 1024)");
}

TEST_F(Identities, ClampsFoldOnlyWhereTheRangeSaysSo) {
  expect_same("min(max(i, 0), M - 1)", "i");
  expect_same("max(0, i + 1)", "i + 1");
  expect_kept("max(i - 1, 0)", Kind::Maximum);
  expect_kept("min(i + 1, M - 1)", Kind::Minimum);
  expect_same("(i < 1 ? 0 : i - 1)", "max(0, i - 1)");
  expect_same("(i < M ? i : 0)", "i");
  expect_same("(i + 1 <= M - 1 ? i + 1 : M - 1)", "min(i + 1, M - 1)");
  EXPECT_EQ(compare("min(max(i - 1, 0), M - 1)", "M"), Truth::Yes);
  EXPECT_EQ(compare("max(i - 1, 0)", "M"), Truth::Yes);
}

TEST_F(Identities, Traps) {
  declare_integer("x");
  declare("e in [0,3)");
  expect_kept("(3 + ((x - 3) % 3)) % 3", Kind::Remainder);
  EXPECT_FALSE(read("(3 + ((x - 3) % 3)) % 3") == read("(x - 3) % 3"));
  expect_kept("x / y", Kind::Quotient);
  declare("u in [-3,3)");
  expect_kept("u / y", Kind::Quotient);
  expect_same("0 % y", "0");
  expect_kept("1 % y", Kind::Remainder);
  expect_kept("1 / y", Kind::Quotient);
  expect_same("1 % (y + 1)", "1");
  expect_kept("(x*N + j) / N", Kind::Quotient);
}

TEST_F(Identities, MixedRadixBounds) {
  EXPECT_EQ(compare("i + M*j", "M*N"), Truth::Yes);
  EXPECT_EQ(compare("i + M*(j + N*k)", "M*N*K"), Truth::Yes);
  EXPECT_EQ(compare("M*N*K - 1 - (i + M*(j + N*k))", "0"), Truth::No);
  EXPECT_EQ(compare("i + M*j + 1", "M*N"), Truth::Unknown);
  EXPECT_EQ(compare("M*N", "i + M*j"), Truth::No);
  declare("w in [0, N/64)");
  declare("l in [0, 64)");
  EXPECT_EQ(compare("64*w + l", "N"), Truth::Yes);
  declare("c in [0, ceildiv(N,64))");
  EXPECT_EQ(compare("64*c + l", "N"), Truth::Unknown);
  EXPECT_EQ(compare("64*c", "N"), Truth::Yes);
  declare("s in [0, 16*K, 16)");
  declare("r in [0, 16)");
  EXPECT_EQ(compare("s + r", "16*K"), Truth::Yes);
  EXPECT_EQ(compare("(M - 1)*(N - 1) + 1", "0"), Truth::No);
  EXPECT_EQ(less_equal(read("M + N"), read("M*N + 1")), Truth::Yes);
}

TEST_F(Identities, RangesAreNotEmptyWhereTheirVariablesHaveValues) {
  // The inside of a grid: N - 2 may be negative, but not where a lies below it.
  declare("a in [0, N - 2)");
  declare("b in [0, M - 2)");
  expect_same("(b*(N - 2) + a) / (N - 2)", "b");
  expect_same("(b*(N - 2) + a) % (N - 2)", "a");
  EXPECT_EQ(compare("b*(N - 2) + a", "(M - 2)*(N - 2)"), Truth::Yes);
  EXPECT_EQ(compare("(b + 2)*N + a + 2", "M*N"), Truth::Yes);
  EXPECT_EQ(less(read("2"), read("N")), Truth::Unknown);
  EXPECT_EQ(less(read("2"), read("a + N - a")), Truth::Unknown);
  // Windows of 4 elements, 2 apart.
  declare("w in [0, (N - 4 + 2) / 2)");
  declare("e in [0, 4)");
  EXPECT_EQ(compare("2*w + e", "N"), Truth::Yes);
  EXPECT_EQ(compare("2*w + e + 1", "N"), Truth::Unknown);
  declare("g in [0, ceildiv(N - 2, 64))");
  declare("l in [0, 64)");
  EXPECT_EQ(compare("64*g", "N - 2"), Truth::Yes);
  expect_same("(g*64 + l) / 64", "g");
}

TEST_F(Identities, Strides) {
  declare("s in [0,64,4)");
  expect_same("s % 4", "0");
  expect_same("s / 4 * 4", "s");
  EXPECT_EQ(compare("s", "61"), Truth::Yes);
  declare("o in [3,64,4)");
  expect_same("o % 4", "3");
  EXPECT_EQ(read("o")->facts.maximum, 63);
}

}  // namespace
}  // namespace hoist::arith
