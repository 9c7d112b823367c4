#include "base/error.hpp"

#include <gtest/gtest.h>

namespace hoist {
namespace {

TEST(Span, PositionsCountLinesAndCharacters) {
  const Source source{"f.hst", "ab\nµé x\n"};
  EXPECT_EQ(position_of(source, 0).line, 1);
  EXPECT_EQ(position_of(source, 2).column, 3);
  const auto x = static_cast<std::uint32_t>(source.text.find('x'));
  EXPECT_EQ(position_of(source, x).line, 2);
  EXPECT_EQ(position_of(source, x).column, 4);  // two characters of two bytes each and a blank precede it
}

TEST(Span, ExcerptUnderlinesThePlace) {
  const Source source{"f.hst", "let a = 1\n\tlet bb = cc\n"};
  const auto at = static_cast<std::uint32_t>(source.text.find("cc"));
  EXPECT_EQ(
      render_excerpt(source, {at, at + 2}, "error", "unknown name", "it was never defined", "define it"),
      "f.hst:2:11: error: unknown name\n"
      " 2 | \tlet bb = cc\n"
      "   | \t         ^^\n"
      "   = note: it was never defined\n"
      "   = help: define it");
}

TEST(Span, ExcerptAtTheEndAndOverSeveralLines) {
  const Source source{"f", "ab\ncd"};
  EXPECT_EQ(render_excerpt(source, {5, 5}, "error", "m", "", ""), "f:2:3: error: m\n 2 | cd\n   |   ^");
  EXPECT_EQ(render_excerpt(source, {1, 5}, "error", "m", "", ""), "f:1:2: error: m\n 1 | ab\n   |  ^");
  EXPECT_EQ(render_excerpt(source, {90, 95}, "error", "m", "", ""), "f:2:3: error: m\n 2 | cd\n   |   ^");
}

TEST(Error, RendersEveryDiagnostic) {
  const Error error{ErrorKind::User,
                    {{"first", Span{0, 1}, "why", ""}, {"second", std::nullopt, "", "do this"}}};
  EXPECT_EQ(error.render(), "error: first\n  note: why\nerror: second\n  help: do this");
  const Source source{"f", "x"};
  EXPECT_EQ(error.render(&source),
            "f:1:1: error: first\n 1 | x\n   | ^\n   = note: why\nerror: second\n  help: do this");
}

TEST(Error, KindsNameThemselves) {
  EXPECT_EQ(unsupported("x").value().render(), "unsupported: x");
  EXPECT_EQ(device_error("x").value().render(), "device error: x");
  EXPECT_EQ(unsupported("x").value().kind, ErrorKind::Unsupported);
}

TEST(Error, CatchFailureMakesAValue) {
  const Result<int> good = catch_failure([] { return 3; });
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  const Result<int> bad = catch_failure([]() -> int { throw_user("no", "because"); });
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::User);
  EXPECT_EQ(bad.error().diagnostics.front().note, "because");
  const Result<void> nothing = catch_failure([] { throw_unsupported("later"); });
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::Unsupported);
  EXPECT_THROW((void)catch_failure([]() -> int { throw Bug("ours"); }), Bug);
}

}  // namespace
}  // namespace hoist
