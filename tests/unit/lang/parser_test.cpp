#include "lang/parser.hpp"

#include <gtest/gtest.h>

#include "lang/limits.hpp"
#include "support.hpp"
#include "tree.hpp"

namespace hoist::lang {
namespace {

using namespace syntax;

std::string body_of(const std::string& expression) {
  const std::string text = "def f = " + expression;
  Diagnostics diagnostics;
  const auto file = parse(text, diagnostics);
  const Source source{"test", text};
  if (!diagnostics.empty()) return diagnostics.take().render(&source);
  return shown(*file->definitions.at(0).body);
}

TEST(Parser, BindsOperatorsAsSpecified) {
  EXPECT_EQ(body_of("a + b * c - d"), "((a add (b mul c)) sub d)");
  EXPECT_EQ(body_of("a || b && c == d + e"), "(a or (b and (c eq (d add e))))");
  EXPECT_EQ(body_of("x |> f >> g |> h"), "((x |> (f >> g)) |> h)");
  EXPECT_EQ(body_of("-a * !b"), "((neg a) mul (not b))");
  EXPECT_EQ(body_of("-a ** b ** c"), "(neg (a pow (b pow c)))");
  EXPECT_EQ(body_of("-x[0].1"), "(neg x[0].1)");
  EXPECT_EQ(body_of("a & b == c | d ^ ~e << f + 1"),
            "((a bit_and b) eq (c bit_or (d bit_xor ((bit_not e) shl (f add 1)))))");
  EXPECT_EQ(body_of("a >> 2 == b"), "((a >> 2) eq b)");
  EXPECT_EQ(body_of("f(a)(b)[i].0"), "f(a)(b)[i].0");
}

TEST(Parser, GivesASignToTheNumberItTouches) {
  EXPECT_EQ(body_of("-1.5"), "-1.5");
  EXPECT_EQ(body_of("- 1.5"), "(neg 1.5)");
  EXPECT_EQ(body_of("a -1"), "(a sub 1)");
  EXPECT_EQ(body_of("a - -1"), "(a sub -1)");
  EXPECT_EQ(body_of("-2 ** n"), "(neg (2 pow n))");
  EXPECT_EQ(body_of("-3f64"), "-3f64");
}

TEST(Parser, ReadsLambdas) {
  EXPECT_EQ(body_of("x => x |> f"), "[x => (x |> f)]");
  EXPECT_EQ(body_of("(x, (y, z)) => x"), "[x (y, z) => x]");
  EXPECT_EQ(body_of("map(x => y => x, z)"), "map([x => [y => x]], z)");
  EXPECT_EQ(body_of("(x: [N]f32) => x"), "[x: [N]f32 => x]");
  EXPECT_EQ(body_of("(x, y)"), "<x, y>");
  EXPECT_EQ(body_of("((x))"), "x");
}

TEST(Parser, ReadsOperatorsAsFunctions) {
  EXPECT_EQ(body_of("reduce(+, 0.0)"), "reduce({add}, 0.0)");
  EXPECT_EQ(body_of("map(*) >> f((-), &&)"), "(map({mul}) >> f({sub}, {and}))");
  EXPECT_EQ(body_of("map(-x)"), "map((neg x))");
  EXPECT_EQ(body_of("f(&, |, ^, ~, <<, >>)"), "f({bit_and}, {bit_or}, {bit_xor}, {bit_not}, {shl}, {shr})");
}

TEST(Parser, SeparatesLetsByInOrALine) {
  EXPECT_EQ(body_of("let a = b in c"), "[let a = b in c]");
  EXPECT_EQ(body_of("let a = b\n  c"), "[let a = b in c]");
  EXPECT_EQ(body_of("let (a, b) = t\n  (a, b)"), "[let (a, b) = t in <a, b>]");
  EXPECT_EQ(body_of("let a = b\n  [0]"), body_of("let a = b\n  [0]"));
  EXPECT_EQ(body_of("let a = b\n    + c\n  a"), "[let a = (b add c) in a]");
  EXPECT_EQ(body_of("let a = f(\n x,\n y)\n  a"), "[let a = f(x, y) in a]");
}

TEST(Parser, ReadsConditionals) {
  EXPECT_EQ(body_of("if a then b else if c then d else e"), "[if a then b else [if c then d else e]]");
  EXPECT_EQ(body_of("a < b ? c : d"), "[if (a lt b) then c else d]");
  EXPECT_EQ(body_of("1 + if a then b else c + d"), "(1 add [if a then b else (c add d)])");
}

TEST(Parser, KeepsTheDocumentationAboveADefinition) {
  const std::string text = "// not this\n\n// One.\n//  Two.\ndef f(x) = x\ndef g(x) = x // behind\n";
  Diagnostics diagnostics;
  const auto file = parse(text, diagnostics);
  ASSERT_TRUE(diagnostics.empty());
  ASSERT_EQ(file->definitions.size(), 2U);
  EXPECT_EQ(file->definitions[0].documentation, "One.\n Two.");
  EXPECT_EQ(file->definitions[1].documentation, "");
  EXPECT_EQ(text.substr(file->definitions[0].span.begin,
                        file->definitions[0].span.end - file->definitions[0].span.begin),
            "def f(x) = x");
}

TEST(Parser, SpansCoverWhatWasRead) {
  const std::string text = "def f = a + foo(b, c)[1]";
  Diagnostics diagnostics;
  const auto file = parse(text, diagnostics);
  const auto* sum = file->definitions.at(0).body->as<Binary>();
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(text.substr(sum->right->span.begin, sum->right->span.end - sum->right->span.begin),
            "foo(b, c)[1]");
}

TEST(Parser, ReportsOneErrorADefinitionAndGoesOn) {
  const std::string text = "def a = (\ndef b = 1\ndef c = ]\ndef d = 2";
  Diagnostics diagnostics;
  const auto file = parse(text, diagnostics);
  EXPECT_EQ(diagnostics.size(), 2U);
  ASSERT_EQ(file->definitions.size(), 2U);
  EXPECT_EQ(file->definitions[0].name, "b");
  EXPECT_EQ(file->definitions[1].name, "d");
}

TEST(Parser, RefusesDeepNestingWithAMessage) {
  const auto repeated = [](const std::string& piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  for (const int depth : {limits::nesting + 1, 100'000}) {
    for (const std::string& text :
         {repeated("(", depth) + "x" + repeated(")", depth), repeated("- ", depth) + "x",
          "x" + repeated(" + x", depth), repeated("let a = b in ", depth) + "a",
          repeated("x => ", depth) + "x", "x" + repeated("[0]", depth),
          "(x: " + repeated("[N]", depth) + "f32) => x",
          repeated("(a, ", depth) + "b" + repeated(")", depth)}) {
      EXPECT_NE(body_of(text).find("nested too deeply"), std::string::npos) << text.substr(0, 40);
    }
  }
}

TEST(Parser, AcceptsAnyPrefixOfAProgramOrSaysWhatIsMissing) {
  const std::string text = read_file(HOIST_SOURCE_DIR "/kernels/mandelbrot.hoist");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string prefix = text.substr(0, length);
    Diagnostics diagnostics;
    const auto file = parse(prefix, diagnostics);
    EXPECT_TRUE(!diagnostics.empty() || file->definitions.size() <= 1) << prefix;
  }
}

}  // namespace
}  // namespace hoist::lang
