// Loops of groups over chunks whose last sticks out: the rounds before test nothing.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class LastChunks : public Lowering {
 protected:
  /// Sums of so many elements, in chunks of 8, weighted by what each work-item has; `chunk` is how a group
  /// reads a chunk.
  static std::string sums_of(int elements, const std::string& chunks, const std::string& chunk) {
    return fmt::format(
        "def p(x: [{0}]f32, w: [2][8]f32): [2][8]f32 = w |> mapWrg(0, own =>\n"
        "  x |> pad(0, {1}, 0.0) |> split(8) |> {2} reduceSeq((acc, tile) => {3}\n"
        "    zip(acc, own) |> mapLcl(0, (a, e) => a + e * (held |> reduceSeq(+, 0.0))),\n"
        "    own |> mapLcl(0, e => 0.0) |> toPrivate) |> mapLcl(0, id))",
        elements, (8 - elements % 8) % 8, chunks, chunk);
  }
  static std::string copied(int elements) {
    return sums_of(elements, "", "let held = tile |> mapLcl(0, id) |> toLocal in");
  }
};

TEST_F(LastChunks, AloneAreTested) {
  const std::string loops = loops_of(copied(37));
  EXPECT_THAT(loops, HasSubstr("sequential [0, 4)")) << loops;
  const std::size_t tested = loops.find("test("), before = loops.find("sequential [0, 4)");
  ASSERT_NE(tested, std::string::npos) << loops;
  EXPECT_GT(tested, before) << loops;
  EXPECT_EQ(loops.find("test(", tested + 1), std::string::npos) << loops;
  expect_right(copied(37));
}

TEST_F(LastChunks, AreTwoWhereCopiesAreMadeARoundAhead) {
  const std::string ahead =
      sums_of(45, "prefetch(2, chunk => chunk |> mapLcl(0, id) |> toLocal) |>", "let held = tile in");
  const std::string loops = loops_of(ahead);
  EXPECT_THAT(loops, HasSubstr("sequential [0, 4)")) << loops;
  EXPECT_THAT(loops, HasSubstr("sequential [4, 6)")) << loops;
  expect_right(ahead);
}

TEST_F(LastChunks, AreNoneWhereAllAreWhole) {
  EXPECT_THAT(loops_of(copied(40)), HasSubstr("sequential [0, 5)"));
  expect_right(copied(40));
  // One that is the only one.
  EXPECT_THAT(loops_of(copied(5)), Not(HasSubstr("sequential [0, 1)")));
  expect_right(copied(5));
}

}  // namespace
}  // namespace hoist::lower
