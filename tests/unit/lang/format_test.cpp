// The formatter: what it makes of texts, and that it changes nothing but blanks and lines.
#include <gmock/gmock.h>

#include <filesystem>
#include <random>

#include "lang/layout.hpp"
#include "lang/parser.hpp"
#include "support.hpp"
#include "tree.hpp"

namespace hoist::lang {
namespace {

std::string formatted_text(const std::string& text) {
  const Source source{"test", text};
  auto result = formatted(source);
  if (!result) throw std::runtime_error(result.error().render(&source));
  return *result;
}

std::string tree_of(const std::string& text, bool with_documentation) {
  Diagnostics diagnostics;
  auto file = parse(text, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << text;
  for (syntax::Definition& each : file->definitions) {
    if (!with_documentation) each.documentation.clear();
  }
  return shown(*file);
}

/// The comments of a text in their order, one on a line.
std::string comments_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line, comments;
  while (std::getline(lines, line)) {
    const std::size_t begin = line.find("//");
    if (begin == std::string::npos) continue;
    comments += line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin) + "\n";
  }
  return comments;
}

/// Holds the formatted text against its original.
void expect_only_laid_out(const std::string& text, bool keeps_documentation = true) {
  const std::string once = formatted_text(text);
  EXPECT_EQ(tree_of(once, keeps_documentation), tree_of(text, keeps_documentation)) << text << "\nbecomes\n"
                                                                                    << once;
  EXPECT_EQ(comments_of(once), comments_of(text)) << text << "\nbecomes\n" << once;
  EXPECT_EQ(formatted_text(once), once);
  EXPECT_EQ(once.find(" \n"), std::string::npos) << once;
  EXPECT_EQ(once.find("\n\n\n"), std::string::npos) << once;
}

/// Every text of the language that is in the tree.
std::vector<std::pair<std::string, std::string>> programs() {
  std::vector<std::pair<std::string, std::string>> texts{{"prelude", prelude()}};
  for (const char* folder : {"kernels", "tests/programs", "data", "examples", "bench"}) {
    const auto root = std::filesystem::path(HOIST_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".hoist")
        texts.emplace_back(entry.path().string(), read_file(entry.path().string()));
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(Format, PutsBlanksWhereTheyBelong) {
  EXPECT_EQ(formatted_text("def f( x:[N]f32,y :( f32,i32 ) ):f32=x[ 0 ]+y . 0*-2.0"),
            "def f(x: [N]f32, y: (f32, i32)): f32 = x[0] + y.0 * -2.0\n");
  EXPECT_EQ(formatted_text("def f(x) = x|>map( (a,b)=>a+b )|>reduce(+,0.0)>>g"),
            "def f(x) = x |> map((a, b) => a + b) |> reduce(+, 0.0) >> g\n");
  EXPECT_EQ(formatted_text("def f(a,b) = - 2*(!a)==~b&&- a<-1"),
            "def f(a, b) = - 2 * (!a) == ~b && -a < -1\n");
  EXPECT_EQ(formatted_text("def f(x: [2*R+1]f32x?w, v:f32x(2*V)) = x|>split( ?t )"),
            "def f(x: [2 * R + 1]f32x?w, v: f32x(2 * V)) = x |> split(?t)\n");
  EXPECT_EQ(formatted_text("def f(c,n) = g(c<1?2:n,(d:size)=>d)"),
            "def f(c, n) = g(c < 1 ? 2 : n, (d: size) => d)\n");
  EXPECT_EQ(formatted_text("def f = let (a,b)=g in if(a)then[b]else(h)[0]"),
            "def f = let (a, b) = g in if (a) then [b] else (h)[0]\n");
}

TEST(Format, IndentsLinesByWhatTheyArePartOf) {
  EXPECT_EQ(formatted_text("def f(x) =\nlet y = x |> map(e =>\nlet s = e\ns + 1.0)\n|> join\n(y, y)\n"),
            "def f(x) =\n"
            "  let y = x |> map(e =>\n"
            "      let s = e\n"
            "      s + 1.0)\n"
            "    |> join\n"
            "  (y, y)\n");
  EXPECT_EQ(formatted_text("def f(x) =\nx |> pad2(1, 1, clamp) |> slide2(3, 1)\n|> map2(n =>\n0.5 * "
                           "n[0][0]\n+ 0.5 * n[1][1])\n"),
            "def f(x) =\n"
            "  x |> pad2(1, 1, clamp) |> slide2(3, 1)\n"
            "    |> map2(n =>\n"
            "      0.5 * n[0][0]\n"
            "        + 0.5 * n[1][1])\n");
  EXPECT_EQ(formatted_text("def f(a, b,\nc: f32)\n: f32 =\nif a then b\nelse if c then 1.0\nelse 2.0"),
            "def f(a, b,\n"
            "    c: f32)\n"
            "    : f32 =\n"
            "  if a then b\n"
            "  else if c then 1.0\n"
            "  else 2.0\n");
  EXPECT_EQ(formatted_text("def f(x) = g(\nx,\n(1,\n2)\n)"), "def f(x) = g(\n  x,\n  (1,\n    2)\n)\n");
}

TEST(Format, TakesACommaThatNothingFollows) {
  EXPECT_EQ(formatted_text("def f(b) = ((b[0], ), (sqrt(b[1]),), )"),
            "def f(b) = ((b[0],), (sqrt(b[1]),),)\n");
  EXPECT_EQ(formatted_text("def f(x) = let (b, c) = ((x, x),)\nb + c"),
            "def f(x) =\n  let (b, c) = ((x, x),)\n  b + c\n");
  expect_only_laid_out(
      "def f(x, y) =\n  let (b, c) = (\n(x,\ny, ), ) in (if (b,) then (c + 1.0,) else (c,))\n");
}

TEST(Format, MovesWhatBeginsOrEndsALine) {
  EXPECT_EQ(formatted_text("def f(x)\n= x +\n1.0\n* 2.0"), "def f(x) = x\n  + 1.0\n    * 2.0\n");
  EXPECT_EQ(formatted_text("def f(x) = g(x\n, y\n=> y)"), "def f(x) = g(x, y => y)\n");
  EXPECT_EQ(formatted_text("def f(x) = x |> map(e => let a = e\na)"),
            "def f(x) = x |> map(e =>\n  let a = e\n  a)\n");
  EXPECT_EQ(formatted_text("def a = 1 def b = 2"), "def a = 1\ndef b = 2\n");
}

TEST(Format, KeepsComments) {
  EXPECT_EQ(formatted_text("\n\n//  One.  \n\n\n// Two.\ndef f(x) = // behind\nx   // last\n      |> g // of "
                           "all\n\n   // inside\n\ndef h = 1\n// end"),
            "//  One.\n\n// Two.\n"
            "def f(x) =  // behind\n"
            "  x         // last\n"
            "    |> g    // of all\n\n"
            "  // inside\n\n"
            "def h = 1\n// end\n");
  EXPECT_EQ(formatted_text("def f(x) = g(x, // first\n  // second\n  y\n// third\n)"),
            "def f(x) = g(x,  // first\n  // second\n  y\n  // third\n)\n");
  EXPECT_EQ(formatted_text("// nothing else\r\n"), "// nothing else\n");
  EXPECT_EQ(formatted_text(""), "");
  EXPECT_EQ(formatted_text("\xEF\xBB\xBF// a mark\ndef f = 1"), "// a mark\ndef f = 1\n");
}

TEST(Format, BreaksLongLines) {
  EXPECT_EQ(formatted_text("def smooth(image: [H][W]f32): [H][W]f32 = image |> pad2(1, 1, clamp) |> "
                           "slide2(3, 1) |> map2(n => 0.5 * n[1][1] + "
                           "0.125 * (n[0][1] + n[2][1] + n[1][0] + n[1][2]))"),
            "def smooth(image: [H][W]f32): [H][W]f32 =\n"
            "  image |> pad2(1, 1, clamp) |> slide2(3, 1)\n"
            "    |> map2(n => 0.5 * n[1][1] + 0.125 * (n[0][1] + n[2][1] + n[1][0] + n[1][2]))\n");
  EXPECT_EQ(
      formatted_text("def gemver(alpha: f32, beta: f32, A: [N][N]f32, u1: [N]f32, v1: [N]f32, u2: [N]f32, "
                     "v2: [N]f32, x: [N]f32): [N]f32 = x"),
      "def gemver(alpha: f32, beta: f32, A: [N][N]f32, u1: [N]f32, v1: [N]f32, u2: [N]f32, v2: [N]f32,\n"
      "    x: [N]f32): [N]f32 = x\n");
  const std::string sum = formatted_text(
      "def f(aLongName: f32) = aLongName + aLongName + aLongName + aLongName + aLongName + aLongName + "
      "aLongName + aLongName + aLongName + aLongName + aLongName");
  EXPECT_EQ(
      sum,
      "def f(aLongName: f32) =\n"
      "  aLongName + aLongName + aLongName + aLongName + aLongName + aLongName + aLongName + aLongName\n"
      "    + aLongName + aLongName + aLongName\n");
  EXPECT_EQ(
      formatted_text("def f: ([2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32, "
                     "[2][2]f32, [2][2]f32) = g"),
      "def f: ([2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32, [2][2]f32,\n"
      "      [2][2]f32) = g\n");
}

TEST(Format, LinesOfProgramsFit) {
  std::size_t lines = 0, long_lines = 0;
  for (const auto& [name, text] : programs()) {
    std::istringstream formatted_lines(formatted_text(text));
    for (std::string line; std::getline(formatted_lines, line); ++lines) {
      if (line.find("//") == std::string::npos && line.size() > line_limit) ++long_lines;
    }
  }
  EXPECT_EQ(long_lines, 0U) << "of " << lines;
}

TEST(Format, TellsWhatTheParserTells) {
  const Source source{"bad.hoist", "def f(x) = x |> \ndef g = )"};
  const auto result = formatted(source);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().render(&source),
              testing::AllOf(testing::HasSubstr("bad.hoist:1:15: error: expected an expression"),
                             testing::HasSubstr("bad.hoist:2:9: error:")));
}

TEST(Format, OnlyLaysOutEveryProgram) {
  const auto texts = programs();
  EXPECT_GT(texts.size(), 100U);
  for (const auto& [name, text] : texts) {
    SCOPED_TRACE(name);
    expect_only_laid_out(text);
  }
}

/// The text with other blanks, lines and comments between its tokens, wherever they mean nothing.
std::string scattered(const std::string& text, std::mt19937_64& random) {
  Diagnostics diagnostics;
  const std::vector<Token> tokens = tokenize(text, diagnostics);
  const auto one_of = [&](std::uint64_t count) { return random() % count == 0; };
  std::string result;
  std::size_t end = 0;
  for (const Token& token : tokens) {
    const std::string between = text.substr(end, token.span.begin - end);
    const bool opens = token.kind == TokenKind::LeftParenthesis || token.kind == TokenKind::LeftBracket;
    const bool is_bound =
        between.empty() && (opens || token.kind == TokenKind::Hole || token.kind == TokenKind::Number);
    if (!is_bound) {
      std::string blanks = between.find("//") != std::string::npos || between.find('\n') != std::string::npos
                               ? between
                               : between + " ";
      if (one_of(8)) blanks += std::string(random() % 5, ' ');
      if (!opens && one_of(6)) blanks += one_of(3) ? "\n\n\n" : "\n   ";
      if (!opens && one_of(12))
        blanks +=
            "// a comment (" + std::to_string(random() % 100) + ") =>  \n" + std::string(random() % 3, '\t');
      result += blanks;
    }
    result += token.text;
    end = token.span.end;
  }
  return result;
}

TEST(Format, OnlyLaysOutScatteredPrograms) {
  std::mt19937_64 random(1);
  for (const auto& [name, text] : programs()) {
    SCOPED_TRACE(name);
    const std::string other = scattered(text, random);
    ASSERT_EQ(tree_of(other, false), tree_of(text, false)) << other;
    expect_only_laid_out(other, false);
  }
}

}  // namespace
}  // namespace hoist::lang
