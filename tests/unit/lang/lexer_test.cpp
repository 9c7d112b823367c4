#include <gmock/gmock.h>

#include "lang/token.hpp"

namespace hoist::lang {
namespace {

using testing::ElementsAre;
using Kind = TokenKind;

std::vector<Kind> kinds(std::string_view text) {
  Diagnostics diagnostics;
  std::vector<Kind> result;
  for (const Token& token : tokenize(text, diagnostics)) result.push_back(token.kind);
  EXPECT_TRUE(diagnostics.empty()) << text;
  return result;
}

std::vector<std::string> texts(std::string_view text) {
  Diagnostics diagnostics;
  std::vector<std::string> result;
  for (const Token& token : tokenize(text, diagnostics)) result.emplace_back(token.text);
  result.pop_back();
  return result;
}

TEST(Lexer, TakesTheLongestSymbol) {
  EXPECT_THAT(texts("a|>b||c>>d>=e=>f==g**h*i"), ElementsAre("a", "|>", "b", "||", "c", ">>", "d", ">=", "e",
                                                             "=>", "f", "==", "g", "**", "h", "*", "i"));
}

TEST(Lexer, SkipsAByteOrderMark) {
  EXPECT_THAT(texts("\xEF\xBB\xBF"
                    "def a"),
              ElementsAre("def", "a"));
}

TEST(Lexer, TellsKeywordsFromNames) {
  EXPECT_THAT(kinds("def let in if then else true false define inner"),
              ElementsAre(Kind::Def, Kind::Let, Kind::In, Kind::If, Kind::Then, Kind::Else, Kind::True,
                          Kind::False, Kind::Identifier, Kind::Identifier, Kind::End));
}

TEST(Lexer, ReadsNumbersWithTheirTypes) {
  EXPECT_THAT(texts("1 1.5 1e5 1.5e-7f64 2u8 3i64 inf nanf64"),
              ElementsAre("1", "1.5", "1e5", "1.5e-7f64", "2u8", "3i64", "inf", "nanf64"));
  EXPECT_THAT(kinds("inf nanf64 infinity"),
              ElementsAre(Kind::Number, Kind::Number, Kind::Identifier, Kind::End));
}

TEST(Lexer, DoesNotTakeAComponentForAFraction) {
  EXPECT_THAT(texts("t.0.1 1.5 x.0"), ElementsAre("t", ".", "0", ".", "1", "1.5", "x", ".", "0"));
}

TEST(Lexer, TellsHolesFromConditionals) {
  EXPECT_THAT(kinds("?tile ? a"), ElementsAre(Kind::Hole, Kind::Question, Kind::Identifier, Kind::End));
}

TEST(Lexer, SkipsCommentsAndMarksLines) {
  Diagnostics diagnostics;
  const auto tokens = tokenize("a // b c\n  d e", diagnostics);
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_TRUE(tokens[0].starts_line);
  EXPECT_TRUE(tokens[1].starts_line);
  EXPECT_FALSE(tokens[2].starts_line);
  EXPECT_EQ(tokens[1].span, (Span{11, 12}));
}

TEST(Lexer, ReportsEachUnknownCharacterOnce) {
  Diagnostics diagnostics;
  const auto tokens =
      tokenize("a \xe2\x86\x92 b \x01", diagnostics);  // an arrow is one character of three bytes
  EXPECT_EQ(tokens.size(), 5U);
  const Error error = diagnostics.take();
  ASSERT_EQ(error.diagnostics.size(), 2U);
  EXPECT_EQ(error.diagnostics[0].span, (Span{2, 5}));
  EXPECT_EQ(error.diagnostics[1].message, "the byte 0x01 is not part of the language");
}

}  // namespace
}  // namespace hoist::lang
