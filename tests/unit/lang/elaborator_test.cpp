// What programs mean as terms: types, literals, functions, sharing, sizes.
#include "support.hpp"

namespace hoist::lang {
namespace {

class Elaborates : public testing::Test {
 protected:
  ir::Arena arena_;
};

/// The body of `def f(PARAMETERS) = BODY` after elaboration, as text; other definitions may stand before.
std::string elaborated(const std::string& parameters, const std::string& body,
                       const std::string& before = {}) {
  const ir::Arena arena;  // equal terms share the names of the first
  const ir::Program program = program_of(before + "\ndef f(" + parameters + ") = " + body);
  expect_round_trip(program);
  const std::string text = ir::to_string(program);
  const std::size_t begin = text.find_first_not_of(" \n", text.find(" =") + 2);
  return text.substr(begin, text.size() - 1 - begin);
}
std::string result_type(const std::string& parameters, const std::string& body,
                        const std::string& before = {}) {
  return ir::to_string(program_of(before + "\ndef f(" + parameters + ") = " + body).result());
}

// ---- Types.

TEST_F(Elaborates, TypesOfPatterns) {
  EXPECT_EQ(type_of("def f(x: [N]f32) = x |> map(e => e > 0)"), "([N]f32) -> [N]bool");
  EXPECT_EQ(type_of("def f(x: [N][M]f32) = transpose(x)"), "([N][M]f32) -> [M][N]f32");
  EXPECT_EQ(type_of("def f(x: [12]f32) = x |> split(4)"), "([12]f32) -> [3][4]f32");
  EXPECT_EQ(type_of("def f(x: [N]f32) = x |> slide(3, 1)"), "([N]f32) -> [N - 2][3]f32");
  EXPECT_EQ(type_of("def f(x: [N]f32, y: [N]i32) = zip(x, y, x)"), "([N]f32, [N]i32) -> [N](f32, i32, f32)");
  EXPECT_EQ(type_of("def f(x: [N](f32, i32)) = unzip(x)"), "([N](f32, i32)) -> ([N]f32, [N]i32)");
  EXPECT_EQ(type_of("def f(x: [N]f32) = x |> asVector(4) |> map(v => v * v)"),
            "([N]f32) -> [exactdiv(N, 4)]f32x4");
  EXPECT_EQ(type_of("def f(x: [N]f32) = x |> split(?t) |> join"), "([N]f32) -> [N]f32");
  EXPECT_EQ(type_of("def f(x: [N]f32x?v) = asScalar(x)"), "([N]f32x?v) -> [N*?v]f32");
  EXPECT_EQ(type_of("def f: [4]i32 = generate(4, id)"), "() -> [4]i32");
}

TEST_F(Elaborates, ProgramsKeepNamesAndSizesInOrder) {
  const ir::Program program = program_of("def f(b: [M][2*R+1]f32, a: [N]f32, c: i32): [N]f32 = a");
  ASSERT_EQ(program.parameters.size(), 3U);
  EXPECT_EQ(program.parameters[0].name, "b");
  EXPECT_EQ(program.parameters[2].name, "c");
  ASSERT_EQ(program.sizes.size(), 3U);
  EXPECT_EQ(arith::to_string(program.sizes[0]), "M");
  EXPECT_EQ(arith::to_string(program.sizes[1]), "R");
  EXPECT_EQ(arith::to_string(program.sizes[2]), "N");
}

TEST_F(Elaborates, TheLastDefinitionOrTheEntry) {
  const std::string text = "def first(x: f32) = x\ndef second(x: i32) = x";
  EXPECT_EQ(program_of(text).name, "second");
  EXPECT_EQ(program_of(text, "first").name, "first");
  EXPECT_NE(errors_of(text, "third").find("no definition is named 'third'"), std::string::npos);
}

// ---- Literals.

TEST_F(Elaborates, LiteralsTakeTheTypeOfTheOtherOperand) {
  EXPECT_EQ(elaborated("x: f64", "2.0 * x + 1"), "2f64 * x + 1f64");
  EXPECT_EQ(elaborated("x: i64", "x % 2"), "x % 2i64");
  EXPECT_EQ(elaborated("x: f32", "x + 1"), "x + 1.0");
  EXPECT_EQ(elaborated("x: f64", "x > -1"), "x > -1f64");
  EXPECT_EQ(elaborated("x: u8", "min(3, x)"), "min(3u8, x)");
  EXPECT_EQ(elaborated("x: f64", "x * (1.0 / 3.0)"), "x * (1f64 / 3f64)");
  EXPECT_EQ(elaborated("x: f64", "select(x > 0, 1, x)"), "select(x > 0f64, 1f64, x)");
  EXPECT_EQ(elaborated("x: f64", "if x > 0 then 1 else x"), "if x > 0f64 then 1f64 else x");
  EXPECT_EQ(elaborated("x: f32x4", "2 * x"), "2.0 * x");
}

TEST_F(Elaborates, LiteralsTakeTheTypeOfTheirPlace) {
  EXPECT_EQ(elaborated("x: [N]f64", "x |> reduce(+, 0)"), "x |> reduce(+, 0f64)");
  EXPECT_EQ(elaborated("x: [N]f64", "x |> scan(max, 0)"), "x |> scan(max, 0f64)");
  EXPECT_EQ(elaborated("x: [N](f64, i64)", "x |> reduce((a, b) => (a.0 + b.0, a.1 * b.1), (0, 1))"),
            "x |> reduce(((a0, a1), (b0, b1)) => (a0 + b0, a1 * b1), (0f64, 1i64))");
  EXPECT_EQ(elaborated("x: [N]f64", "x |> pad(1, 1, 0)"), "x |> pad(1, 1, 0f64)");
  EXPECT_EQ(elaborated("a: f64", "g(2, a)", "def g(s: f64, x) = s * x"), "2f64 * a");
  EXPECT_EQ(elaborated("x: [N]f64", "scale(2, x)", "def scale(a, x) = x |> map(e => a * e)"),
            "x |> map(e => 2f64 * e)");
  EXPECT_EQ(result_type("", "fill(4, 0)"), "[4]i32");
  EXPECT_EQ(ir::to_string(program_of("def f(x: [N]f32): [N]f64 = x |> map(e => 0)").result()), "[N]f64");
  EXPECT_EQ(ir::to_string(program_of("def f(x: [N]f32): (f64, u8) = (1, 2)").result()), "(f64, u8)");
}

TEST_F(Elaborates, SpecialLiterals) {
  EXPECT_EQ(elaborated("x: f32", "max(x, -inf)"), "max(x, -inf)");
  EXPECT_EQ(elaborated("x: f64", "max(x, -inf)"), "max(x, -inff64)");
  EXPECT_EQ(elaborated("x: i64", "x + -9223372036854775808"), "x + -9223372036854775808i64");
  EXPECT_EQ(elaborated("x: f32", "x + 1.0e-45"), "x + 1e-45");
  EXPECT_EQ(elaborated("x: bool", "x && true"), "x && true");
}

// ---- Functions.

TEST_F(Elaborates, FunctionsInEveryForm) {
  const std::string wanted = "x |> map(e => e * 2.0)";
  EXPECT_EQ(elaborated("x: [N]f32", "map(e => e * 2, x)"), wanted);
  EXPECT_EQ(elaborated("x: [N]f32", "x |> map(double)", "def double(e) = e * 2"), wanted);
  EXPECT_EQ(elaborated("x: [N]f32", "x |> double", "def double = map(e => e * 2)"), wanted);
  EXPECT_EQ(elaborated("x: [N]f32", "let g = map(e => e * 2) in g(x)"), wanted);
  EXPECT_EQ(
      elaborated("x: [N]f32", "twice(x)", "def twice = scale(2)\ndef scale(a, x) = x |> map(e => e * a)"),
      wanted);
  EXPECT_EQ(elaborated("x: [N]f32", "x |> by(2)", "def by(a) = map(e => e * a)"), wanted);
  EXPECT_EQ(elaborated("x: [N]f32", "x |> id |> map(id) |> (y => y |> map(e => e * 2))"),
            "x |> map(id) |> map(e => e * 2.0)");
}

TEST_F(Elaborates, OperatorsAndPartialApplications) {
  EXPECT_EQ(elaborated("x: [N]f32, y: [N]f32", "zip(x, y) |> map(*)"), "zip(x, y) |> map(*)");
  EXPECT_EQ(elaborated("x: [N]f32, y: [N]f32", "zip(x, y) |> map((a, b) => a * b)"), "zip(x, y) |> map(*)");
  EXPECT_EQ(elaborated("x: [N]f32", "x |> map(max(0))"), "x |> map(x1 => max(0.0, x1))");
  EXPECT_EQ(elaborated("x: [N]f32, y: [N]f32", "y |> zip(x)"), "zip(x, y)");
  EXPECT_EQ(elaborated("x: [N]f32, y: [N]f32", "(x, y) |> zip |> map(min)"), "zip(x, y) |> map(min)");
  EXPECT_EQ(elaborated("x: [N][4]f32", "x |> map(reduce(+, 0))"), "x |> map(reduce(+, 0.0))");
  EXPECT_EQ(elaborated("x: [N]f32", "x |> map(abs >> sqrt)"), "x |> map(x1 => sqrt(abs(x1)))");
  EXPECT_EQ(elaborated("x: [N]i32", "x |> map(f32 >> sqrt)"), "x |> map(x1 => sqrt(f32(x1)))");
}

TEST_F(Elaborates, TuplesAreTakenApart) {
  EXPECT_EQ(elaborated("p: (f32, (f32, f32))", "p |> ((a, (b, c)) => a + b * c)"), "p.0 + p.1.0 * p.1.1");
  EXPECT_EQ(elaborated("p: (f32, f32)", "let (a, b) = p in a / b"), "let (a, b) = p in a / b");
  EXPECT_EQ(elaborated("x: [N](f32, f32)", "x |> map(swap)", "def swap((a, b)) = (b, a)"),
            "x |> map((a, b) => (b, a))");
  EXPECT_EQ(elaborated("x: f32, y: f32", "(x, y) |> ((a, b) => a - b)"), "x - y");
  EXPECT_EQ(elaborated("x: f32, y: f32", "g((x, y))", "def g((a, b)) = b - a"), "y - x");
}

TEST_F(Elaborates, ClaimsAboutOperators) {
  EXPECT_EQ(elaborated("x: [N]f32", "x |> reduce(associative(commutative((a, b) => a + b - 0.0)), 0)"),
            "x |> reduce(associative(commutative((a, b) => a + b - 0.0)), 0.0)");
  EXPECT_EQ(elaborated("x: [N]f32", "x |> reduce(associative(+), 0)"), "x |> reduce(associative(+), 0.0)");
}

TEST_F(Elaborates, NeutralElementsThatAreClaimed) {
  EXPECT_EQ(elaborated("x: [N]f64", "x |> reduce(associative(neutral((a, b) => a + b - 0, 0)), 1)"),
            "x |> reduce(associative(neutral((a, b) => a + b - 0f64, 0f64)), 1f64)");
  // Through parameters of definitions, too.
  EXPECT_EQ(elaborated("x: [N]f32", "zip(x, iota(N)) |> best((a, b) => if a.0 < b.0 then a else b, (inf, N))",
                       "def best(f, e, x) = x |> reduce(associative(neutral(f, e)), e)"),
            "zip(x, generate(N, id)) |> reduce(associative(neutral((a, b) =>\n"
            "    if a.0 < b.0 then a else b, (inf, N))), (inf, N))");
}

TEST_F(Elaborates, LiteralsOfAStateTakeTheTypesThatTheFunctionKeeps) {
  EXPECT_EQ(result_type("x: [N]f64", "x |> reduce(((s, c), e) => (s + e, c + 1), (0, 0))"), "(f64, i32)");
  EXPECT_EQ(result_type("x: [N]f64", "x |> scan(((s, c), e) => (s + e, c + 1), (0.0, 0))"), "[N](f64, i32)");
  EXPECT_EQ(result_type("x: [N]f64", "(x, 0) |> iterate(3, (v, s) => (v, s + v[0]))"), "([N]f64, f64)");
  EXPECT_EQ(result_type("x: [N]f64", "x |> reduce((v, e) => v |> map(s => s + e), fill(3, 0))"), "[3]f64");
  EXPECT_EQ(result_type("x: [N]f64", "x |> reduce((v, e) => v |> map(s => s + e), [0, 1])"), "[2]f64");
  EXPECT_EQ(result_type("x: [N]f64", "x |> sums((0, (0, 0.0)))",
                        "def sums(z, x) = x |> reduce(((s, (c, m)), e) => (s + e, (c + 1, max(m, e))), z)"),
            "(f64, (i32, f64))");
  EXPECT_EQ(ir::to_string(program_of("def f(x: [N]i32): (i64, f64) =\n"
                                     "  x |> reduce(((a, b), e) => (a + 1, b + 1), (0, 0))")
                              .result()),
            "(i64, f64)");
  EXPECT_EQ(ir::to_string(program_of("def f(n: size): [n]f64 = fill(n, 0)").result()), "[n]f64");
}

TEST_F(Elaborates, ArraysThatAreWrittenOut) {
  EXPECT_EQ(elaborated("a: f64", "[1, a]"), "generate(2, i => if i < 1 then 1f64 else a)");
  EXPECT_EQ(result_type("a: f64", "[[1, 2, 3], [a, 5, 6]]"), "[2][3]f64");
  EXPECT_EQ(elaborated("i: i32, a: f64", "a * [1, 1.0e300][i]"),
            "a * generate(2, i1 => if i1 < 1 then 1f64 else 1e+300f64)[i]");
  EXPECT_EQ(result_type("", "[1, 2.5]"), "[2]f32");
  EXPECT_EQ(result_type("", "[[1, 2], [3, 2.5]]"), "[2][2]f32");
  EXPECT_EQ(elaborated("x: [N]f32", "[sum(x), 0][0]"),
            "let element = x |> reduce(+, 0.0) in generate(2, i => if i < 1 then element else 0.0)[0]");
}

TEST_F(Elaborates, OperatorsOnBits) {
  EXPECT_EQ(elaborated("a: u16, b: u16", "a & 7 == b | ~a ^ b << 2"), "a & 7u16 == b | ~a ^ b << 2u16");
  EXPECT_EQ(elaborated("a: i64", "a + 1 >> 2"), "a + 1i64 >> 2i64");
  EXPECT_EQ(elaborated("x: [N]u8", "(x |> reduce(^, 0)) >> 1"), "(x |> reduce(^, 0u8)) >> 1u8");
  EXPECT_EQ(elaborated("x: [N]i32, f: i32", "x |> map(abs >> (e => e >> f))"),
            "x |> map(x1 => abs(x1) >> f)");
}

TEST_F(Elaborates, PadByAFunctionOfTheIndexAndTheLength) {
  EXPECT_EQ(elaborated("x: [N]f32", "x |> pad(1, 2, (i, n) => (i + n) % n)"),
            "generate(N + 3, i => x[(i - 1 + N) % N])");
  EXPECT_EQ(result_type("x: [M][N]f32", "x |> pad2(1, 2, (i, n) => (i + n) % n)"), "[M + 3][N + 3]f32");
  EXPECT_EQ(elaborated("x: [N]f32", "x |> pad(1, 2, reflect)"), "x |> pad(1, 2, reflect)");
}

TEST_F(Elaborates, ProgramsMayHaveSizesAsParameters) {
  const ir::Program program = program_of("def f(T: size, x: [N]f32) = x |> iterate(T, map(e => e * f32(T)))");
  ASSERT_EQ(program.sizes.size(), 2U);
  EXPECT_EQ(program.sizes[0]->name, "T");
  EXPECT_EQ(program.parameters.size(), 1U);
  expect_round_trip(program);
  const ir::Program stated = program_of("def f(T: size, x: [T]f32): [T]f32 = x |> take(T)");
  EXPECT_EQ(stated.sizes.size(), 1U);
  expect_round_trip(stated);
}

TEST_F(Elaborates, DefinitionsMayHaveNamesOfThePrelude) {
  const std::string text = "def sum(x) = x |> reduce(+, 7)\ndef f(x: [N]f32) = sum(x) * dotProduct(x, x)";
  EXPECT_EQ(ir::to_string(program_of(text)),
            "def f(x: [N]f32): f32 = (x |> reduce(+, 7.0)) * (zip(x, x) |> map(*) |> reduce(+, 0.0))\n");
  EXPECT_EQ(shadowed_names({"test", text}), std::vector<std::string>{"sum"});
}

TEST_F(Elaborates, LengthsThatIterateBindsReadAsKInMessages) {
  const std::string error = errors_of(
      "def f(x: [N]f32) = x |> iterate(2, (v: [k]f32) => v |> pad(1, 1, clamp) |> slide(3, 1)\n"
      "  |> map(w => w[0] + w[2]) |> (u => g(u, v |> drop(1))))\n"
      "def g(a: [m]f32, b: [m]f32) = zip(a, b) |> map(+)");
  EXPECT_NE(error, "");
  EXPECT_EQ(error.find('$'), std::string::npos) << error;
}

TEST_F(Elaborates, LowLevelPatterns) {
  EXPECT_EQ(elaborated("x: [N]f32", "x |> split(4) |> mapWrg(toLocal(mapLcl(abs)))"),
            "x |> split(4) |> mapWrg(0, x1 => x1 |> mapLcl(0, abs) |> toLocal)");
  EXPECT_EQ(elaborated("x: [N]f32", "x |> mapGlb(1, abs)"), "x |> mapGlb(1, abs)");
  EXPECT_EQ(elaborated("x: [N]f32", "let m = mapGlb(abs) in m(x)"), "x |> mapGlb(0, abs)");
  EXPECT_EQ(elaborated("x: [N]f32", "toLocal(x) |> toPrivate"), "toLocal(x) |> toPrivate");
}

TEST_F(Elaborates, VectorsRepeatTheScalarsBesideThem) {
  EXPECT_EQ(
      elaborated("x: [N]f32, a: f32", "x |> asVector(4) |> map(vectorize(4, e => a * e + 1)) |> asScalar"),
      "x |> asVector(4) |> map(e => a * e + 1.0) |> asScalar");
  EXPECT_EQ(elaborated("x: [N]f32",
                       "x |> asVector(4) |> map(vectorize(4, e => if e > 0 then e else 0)) |> asScalar"),
            "x |> asVector(4) |> map(e => select(e > 0.0, e, 0.0)) |> asScalar");
  EXPECT_EQ(elaborated("x: [N]f32", "x |> asVector(4) |> map(vectorize(4, e => 1.0))"),
            "x |> asVector(4) |> map(e => broadcast(4, 1.0))");
  EXPECT_NE(errors_of("def f(x: [N]f32) = x |> map(vectorize(4, abs))").find("vectors of width 4"),
            std::string::npos);
}

TEST_F(Elaborates, ReductionsOfVectorsStartFromAVectorWhereTheOperatorAsks) {
  EXPECT_EQ(elaborated("x: [N]f32x4", "x |> reduceSeq(+, 0)"), "x |> reduceSeq(+, broadcast(4, 0.0))");
  EXPECT_EQ(elaborated("x: [N]f32x4", "x |> scan(max, 0)"), "x |> scan(max, broadcast(4, 0.0))");
  EXPECT_EQ(elaborated("x: [N]f32x4", "x |> reduce((a, v) => a + dot(v, v), 0.0)"),
            "x |> reduce((a, v) => a + dot(v, v), 0f32)");
}

// ---- Sharing.

TEST_F(Elaborates, LetBindsOnce) {
  EXPECT_EQ(elaborated("x: f32", "let y = x * x\n y + y"), "let y = x * x in y + y");
  EXPECT_EQ(elaborated("x: f32", "let y = x\n y + y"), "let y = x in y + y");
  EXPECT_EQ(elaborated("x: [N]f32", "let n = N\n x |> map(e => e * f32(n))"),
            "let n = N in x |> map(e => e * f32(n))");
}

TEST_F(Elaborates, ArgumentsAreEvaluatedOnce) {
  const std::string square = "def square(x) = x * x";
  EXPECT_EQ(elaborated("x: f32", "square(x)", square), "x * x");
  EXPECT_EQ(elaborated("x: f32", "square(x + 1)", square), "let x1 = x + 1.0 in x1 * x1");
  EXPECT_EQ(elaborated("x: f32", "x + 1 |> (a => a * 2)"), "(x + 1.0) * 2.0");
  EXPECT_EQ(elaborated("x: f32", "square(square(x + 1))", square),
            "let x1 = let x1 = x + 1.0 in x1 * x1 in x1 * x1");
  EXPECT_EQ(elaborated("x: f32, p: (f32, f32)", "square(p.0)", square), "p.0 * p.0");
  EXPECT_EQ(elaborated("x: f32", "first(x, x * x)", "def first(a, b) = a"), "x");
}

TEST_F(Elaborates, ArgumentsStayOutsideOfRepeatedFunctions) {
  const std::string scale = "def scale(a, x) = x |> map(e => a * e)";
  EXPECT_EQ(elaborated("x: [N]f32, a: f32", "scale(a, x)", scale), "x |> map(e => a * e)");
  EXPECT_EQ(elaborated("x: [N]f32, a: f32", "scale(sqrt(a), x)", scale),
            "let a1 = sqrt(a) in x |> map(e => a1 * e)");
  EXPECT_EQ(elaborated("x: [N]f32, a: f32", "x |> map(plus(sqrt(a)))", "def plus(b, e) = b + e"),
            "let b = sqrt(a) in x |> map(e => b + e)");
  EXPECT_EQ(elaborated("x: [N]f32, a: f32", "x |> map(max(sqrt(a)))"),
            "let value = sqrt(a) in x |> map(x1 => max(value, x1))");
  // Views cost nothing: they may be repeated.
  EXPECT_EQ(elaborated("A: [N][M]f32", "g(transpose(A), A)",
                       "def g(B, A) = A |> map(r => B |> map(c => r[0] * c[0]))"),
            "A |> map(r => transpose(A) |> map(c => r[0] * c[0]))");
}

TEST_F(Elaborates, ArgumentsInBranchesAreStillEvaluatedOnce) {
  EXPECT_EQ(elaborated("x: f32", "g(x > 0, sqrt(x))", "def g(c, v) = if c then v + v else 0"),
            "let v = sqrt(x) in if x > 0.0 then v + v else 0.0");
}

// ---- Sizes.

TEST_F(Elaborates, SizesAsValuesAndArguments) {
  EXPECT_EQ(elaborated("x: [N]f32", "f32(N) * x[N - 1]"), "f32(N) * x[N - 1]");
  EXPECT_EQ(elaborated("x: [N]f32", "size(2 * N)"), "size(2*N)");
  EXPECT_EQ(elaborated("x: [8 * N]f32", "let h: size = N / 2 * 2\n x |> split(8) |> map(take(size(1 + 1)))"),
            "x |> split(8) |> map(take(2))");
  EXPECT_EQ(result_type("x: [N]f32", "x |> pad(N, ceildiv(N, 4) * 4 - N, clamp)"),
            "[4*ceildiv(N, 4) + N]f32");
  EXPECT_EQ(result_type("x: [N]f32", "x |> take(min(N, 4)) |> drop(0)"), "[min(N, 4)]f32");
  EXPECT_EQ(result_type("x: [N]f32", "generate(2 ** 3, id)"), "[8]i32");
  EXPECT_EQ(result_type("x: [N]f32", "generate(if N > 4 then 2 else 1, id)"), "[(4 < N ? 2 : 1)]i32");
  EXPECT_EQ(result_type("x: [N]f32", "x |> split(TILE)", "def TILE = 4 * 4"), "[exactdiv(N, 16)][16]f32");
  EXPECT_EQ(result_type("x: [N]f32", "x |> split(half(64))", "def half(n) = n / 2"),
            "[exactdiv(N, 32)][32]f32");
}

TEST_F(Elaborates, StatedSizesAreBoundAndChecked) {
  EXPECT_EQ(result_type("x: [8]f32", "halves(x)", "def halves(x: [2 * M]f32) = generate(M, id)"), "[4]i32");
  EXPECT_EQ(result_type("x: [N][K]f32", "g(x)", "def g(x: [R][C]_) = generate(C, i => R)"), "[K]i32");
  EXPECT_EQ(errors_of("def f(x: [N]f32): [N / 4][4]f32 = x |> split(4)"), "");
  EXPECT_EQ(errors_of("def f(x: [N]f32): [ceildiv(N, 4)][4]f32 = x |> splitGuarded(4)"), "");
  EXPECT_EQ(errors_of("def f(x: [M * 4]f32): [M][4]f32 = x |> split(4)"), "");
  EXPECT_EQ(errors_of("def f(x: [N]f32): [2 * N]f32 = concat(x, x)"), "");
}

TEST_F(Elaborates, IterateNamesTheLengthThatChanges) {
  EXPECT_EQ(elaborated("x: [128]f32", "iterate(7, (v: [k]f32) => v |> split(2) |> map(sum), x)"),
            "x |> iterate(7, (v: [k]f32) => v |> split(2) |> map(reduce(+, 0.0)))");
  EXPECT_EQ(elaborated("x: [N]f32", "x |> iterate(3, (v: [n]f32) => v |> pad(0, n, clamp))"),
            "x |> iterate(3, (v: [k]f32) => v |> pad(0, k, clamp))");
  EXPECT_EQ(elaborated("k: [N]f32", "k |> iterate(3, v => v |> map(e => e + 1))"),
            "k |> iterate(3, (v: [k1]f32) => v |> map(e => e + 1.0))");
  EXPECT_EQ(result_type("x: [64]f32",
                        "x |> iterate(2, v => v |> split(2) |> map(p => p |> iterate(1, w => w) |> sum))"),
            "[16]f32");
}

TEST_F(Elaborates, IterateKeepsALengthThatIsStatedOrUsed) {
  const std::string kept = "x |> iterate(3, (v: [N]f32) => zip(v, y) |> map(+))";
  EXPECT_EQ(elaborated("x: [N]f32, y: [N]f32", "x |> iterate(3, v => zip(v, y) |> map(+))"), kept);
  EXPECT_EQ(elaborated("x: [N]f32, y: [N]f32", "x |> iterate(3, (v: [N]f32) => zip(v, y) |> map(+))"), kept);
  EXPECT_EQ(elaborated("x: [8]f32", "x |> iterate(3, (v: [8]f32) => v |> take(8))"),
            "x |> iterate(3, (v: [8]f32) => v |> take(8))");
  EXPECT_THAT(errors_of("def f(x: [N]f32, y: [M]f32): [N]f32 = x |> iterate(3, v => zip(v, y) |> map(+))"),
              testing::HasSubstr("the first array has N elements, the second M"));
}

TEST_F(Elaborates, RotateByASizeOrByANumber) {
  EXPECT_EQ(elaborated("x: [N]f32", "x |> rotate(-1)"), "x |> rotate(-1)");
  EXPECT_EQ(elaborated("x: [M][N]f32", "x |> map(rotate(N / 2))"), "x |> map(rotate(N / 2))");
  EXPECT_EQ(elaborated("x: [N]f32, k: i32", "x |> rotate(k)"),
            "x |> gather(i =>\n"
            "    let rest = k % N in\n"
            "    let moved = i + select(rest > 0, rest - N, rest) in\n"
            "    max(0, min(size(N - 1), select(moved < 0, moved + N, moved))))");
  EXPECT_THAT(errors_of("def f(x: [N]f32, k: i64) = x |> rotate(k)"),
              testing::HasSubstr("how far rotate goes is a size or an i32, and this is i64"));
}

TEST_F(Elaborates, IterateGivesTheNumberOfTheStep) {
  const std::string text = "x |> iterate(3, (i, v) => v |> map(e => e + f32(i)))";
  EXPECT_EQ(elaborated("x: [N]f32", text), text);
  EXPECT_EQ(elaborated("x: [N]f32, m: i32", "x |> iterate(m, v => v |> map(e => e + 1.0))"),
            "x |> iterate(m, (step, v) => v |> map(e => e + 1.0))");
  // Two parameters are the components of a pair, unless that makes no sense.
  EXPECT_EQ(result_type("x: [N]f32", "(x, 1) |> iterate(3, (v, n) => (v |> map(e => e + f32(n)), n + 1))"),
            "([N]f32, i32)");
  const std::string pair =
      "(x, 1) |> iterate(3, (i, state: ([N]f32, i32)) => (state.0 |> reverse, state.1 + i))";
  EXPECT_EQ(elaborated("x: [N]f32", "(x, 1) |> iterate(3, (i, v, n) => (v |> reverse, n + i))"),
            elaborated("x: [N]f32", pair));
  EXPECT_EQ(elaborated("x: [N]f32", elaborated("x: [N]f32", pair)), elaborated("x: [N]f32", pair));
  EXPECT_EQ(result_type("x: [N]f32", "(x, 1) |> iterate(3, (i, (v, n)) => (v |> reverse, n + i))"),
            "([N]f32, i32)");
  // Two parameters of which one is a pair are no components of a pair of numbers, though nothing asks for its
  // parts.
  EXPECT_EQ(elaborated("k: i64", "(k, k) |> iterate(3, (i, (a, b)) => (i64(i), k))"),
            "(k, k) |> iterate(3, (i, a_b: (i64, i64)) => (i64(i), k))");
  EXPECT_EQ(elaborated("x: [N]f32", "x |> iterateWhile(v => v[0] < 1.0, N, v => v |> map(e => e + 1.0))"),
            "x |> iterateWhile(v => v[0] < 1.0, N, (step, v) => v |> map(e => e + 1.0))");
  EXPECT_THAT(errors_of("def f(x: [N]f32, m: i64): [N]f32 = x |> iterate(m, v => v |> reverse)"),
              testing::HasSubstr("the number of steps is a size or an i32, and this is i64"));
  EXPECT_THAT(errors_of("def f(x: [N]f32): [N]f32 = x |> iterate(3, (i, v) => v |> take(2))"),
              testing::HasSubstr("iterate: its function must give what it takes, [N]f32, but gives [2]f32"));
  EXPECT_THAT(errors_of("def f(x: [N]f32): [N]f32 = x |> iterateWhile(v => v[0], 3, v => v |> reverse)"),
              testing::HasSubstr("bool"));
}

TEST_F(Elaborates, HolesInSizesAndValues) {
  EXPECT_EQ(elaborated("x: [N]f32", "x |> split(?t) |> map(map(e => e * f32(?t))) |> join"),
            "x |> split(?t) |> map(map(e => e * f32(?t))) |> join");
}

TEST_F(Elaborates, PadWithAValueInEveryDimension) {
  EXPECT_EQ(elaborated("x: [H][W]f32", "x |> pad2(1, 1, 0)"),
            "x |> map(pad(1, 1, 0.0)) |> transpose |> map(pad(1, 1, 0.0)) |> transpose");
  EXPECT_EQ(result_type("x: [D][H][W]f64", "x |> pad3(1, 2, 0)"), "[D + 3][H + 3][W + 3]f64");
}

// ---- Errors.

TEST_F(Elaborates, NotesSayThroughWhichDefinition) {
  const std::string errors = errors_of("def g(x) = x + true\ndef f(y: f32) = g(y)");
  EXPECT_NE(errors.find("test:1:12"), std::string::npos) << errors;
  EXPECT_NE(errors.find("in 'g' as used on line 2, column 17"), std::string::npos) << errors;
  const std::string inside = errors_of("def f(y: f32) =\n  y |> map2(abs)");
  EXPECT_NE(inside.find("test:2:3"), std::string::npos) << inside;
  EXPECT_NE(inside.find("inside the prelude's 'map2'"), std::string::npos) << inside;
}

TEST_F(Elaborates, SuggestionsAndConversions) {
  EXPECT_NE(errors_of("def f(x: [N]f32) = transpoze(x)").find("did you mean 'transpose'?"),
            std::string::npos);
  EXPECT_NE(errors_of("def f(value: f32) = valu").find("did you mean 'value'?"), std::string::npos);
  EXPECT_EQ(errors_of("def f(x: f32) = qqqqqq").find("did you mean"), std::string::npos);
  EXPECT_NE(errors_of("def f(x: [N]f32) = replicate(3, x)").find("write fill(n, v)"), std::string::npos);
  EXPECT_NE(errors_of("def f(x: f32, i: i32) = x * i").find("write f32(i)"), std::string::npos);
  EXPECT_NE(errors_of("def f(x: f64, y: f32) = y * x").find("write f64(y)"), std::string::npos);
}

TEST_F(Elaborates, ConvertedLiteralsAreOfThatType) {
  EXPECT_EQ(elaborated("x: f64", "x + f64(3.141592653589793)"), "x + 3.141592653589793f64");
  EXPECT_EQ(elaborated("x: f64", "x + f64(-inf)"), "x + -inff64");
  EXPECT_EQ(elaborated("x: f64", "x + f64(0.1f32)"), "x + f64(0.1f32)");
  EXPECT_EQ(elaborated("x: f32", "x + f32(3)"), "x + 3.0");
  EXPECT_EQ(elaborated("x: i64", "x + i64(3000000000)"), "x + 3000000000i64");
  EXPECT_EQ(elaborated("x: u8", "x + u8(300)"), "x + u8(300)");
  EXPECT_EQ(elaborated("x: i32", "x + i32(2.5)"), "x + i32(2.5)");
  EXPECT_NE(errors_of("def f(x: u64) = x + u64(99999999999999999999)").find("out of the range of u64"),
            std::string::npos);
}

TEST_F(Elaborates, NamesOfLiteralsAreOfTheTypeOfTheirPlace) {
  EXPECT_EQ(elaborated("x: f64", "let c = 3.141592653589793 in x * f64(c)"), "x * 3.141592653589793f64");
  EXPECT_EQ(elaborated("x: f64", "let c = 0.1 in x * c"), "x * 0.1f64");
  EXPECT_EQ(elaborated("x: f64", "let (a, b) = (0.1, -0.2) in x * f64(a) + b"), "x * 0.1f64 + -0.2f64");
  EXPECT_EQ(elaborated("x: f64", "let a = 0.1 in let b = a in x * f64(b)"), "x * 0.1f64");
  // What is computed of them is computed once for each type.
  EXPECT_EQ(elaborated("x: f64", "x * f64(1.0 / 3.0)"), "x * (1f64 / 3f64)");
  EXPECT_EQ(elaborated("x: f64", "let c = 1.0 / 3.0 in (x * f64(c) + c, c)"),
            "let c = 1f64 / 3f64 in (x * c + c, 1.0 / 3.0)");
  // A type that is stated holds.
  EXPECT_EQ(elaborated("x: f64", "let c: f32 = 0.1 in x * f64(c)"), "let c = 0.1f32 in x * f64(c)");
  EXPECT_EQ(elaborated("x: f64", "let c = 0.1f32 in x * f64(c)"), "let c = 0.1f32 in x * f64(c)");
  EXPECT_EQ(elaborated("x: f64", "x * f64(1.0f32 / 3.0f32)"), "x * f64(1f32 / 3f32)");
  EXPECT_NE(
      errors_of("def g(c: f32, x: f64): f64 = c * x\ndef f(x: f64) = g(0.1, x)", "f").find("f32 and f64"),
      std::string::npos);
  EXPECT_NE(errors_of("def f(x: i32) = let c = 1.5 in x * c").find("i32 and f32"), std::string::npos);
  // Names of names double in number, what is made of them does not.
  std::string text = "def f(x: f64): f64 =\n  let a0 = 0.1\n";
  for (int i = 0; i < 100; ++i) text += fmt::format("  let a{} = a{} + a{}\n", i + 1, i, i);
  EXPECT_EQ(errors_of(text + "  x + f64(a100)"), "");
}

TEST_F(Elaborates, ErrorsShowTheFormThatIsMissed) {
  const auto says = [](const std::string& text, const std::string& part) {
    const std::string errors = errors_of(text);
    EXPECT_NE(errors.find(part), std::string::npos) << errors;
  };
  says("def f(S: size, u: [H][W]f32) = u |> slide2(S, S, 1)", "note: its arguments are slide2(n, step, x)");
  says("def f(x: [N]f32) = x |> reduce(+)",
       "note: the type of reduce is reduce(f: (b, a) -> b, init: b, x: [n]a): b");
  says("def g((a, b), c) = a + b + c\ndef f(x: f32) = g(x)", "its arguments are g((a, b), c)");
  says("def f(x: [N]f32) = x |> map((a, b) => a + b)", "note: it is given f32");
  says("def f(x: [N]f32) = zip(x, x) |> scan((s, a, b) => s + a * b, 0.0)",
       "note: it is given f32 and (f32, f32)");
  says("def f(x: [N]f32) = zip(x, x) |> scan((s, a, b) => s + a * b, 0.0)",
       "help: parentheses take a tuple apart");
  says("def f(x: [N](f32, f32)) = x |> reduce((a, b) => a + b, (0.0, 0.0))", "t.0 is a component of t");
  says("def f(x: [N](f32, f32)) = x |> map(p => p[0])", "help: t.0 is a component of a tuple t");
}

TEST_F(Elaborates, NeutralElementsAreConstantsOfAnyForm) {
  EXPECT_EQ(errors_of("def f(x: [N]f64) = x |> reduce(neutral(max, f64(-inf)), f64(-inf))"), "");
  EXPECT_EQ(errors_of("def f(x: [N]f64) = x |> reduce(neutral(max, -1.0 / 0.0), -1.0 / 0.0)"), "");
}

TEST_F(Elaborates, HostileExpansionEndsWithAMessage) {
  std::string doubling = "def d0(x) = x + x\n";
  for (int i = 1; i < 40; ++i) {
    doubling += "def d" + std::to_string(i) + "(x) = d" + std::to_string(i - 1) + "(d" +
                std::to_string(i - 1) + "(x))\n";
  }
  EXPECT_NE(errors_of(doubling + "def f(x: f32) = d39(x)").find("error"), std::string::npos);
  EXPECT_NE(errors_of("def w(g) = g(g)\ndef f(x: f32) = w(w)").find("expands too deeply"), std::string::npos);
}

}  // namespace
}  // namespace hoist::lang
