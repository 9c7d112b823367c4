// Arenas: they nest, inner ones use what outer ones hold, and what they hold goes with them.
#include <malloc.h>

#include <optional>
#include <thread>

#include "random_term.hpp"

namespace hoist::ir {
namespace {

Term program_of_size(arith::Expr n) {
  const Term f = function(array({n}), [](Term v) { return join(map(identity(array({4})), split(4, v))); });
  return function(array({n}), [&](Term v) { return map(increment(), apply(f, {v})); });
}

TEST(Arenas, InnerTermsAreOuterOnesWhereTheyExist) {
  const Arena outer;
  const Term made = program_of_size(arith::size("N"));
  {
    const Arena inner;
    EXPECT_EQ(program_of_size(arith::size("N")), made);
    const Arena innermost;
    EXPECT_EQ(program_of_size(arith::size("N")), made);
  }
  EXPECT_EQ(program_of_size(arith::size("N")), made);
}

TEST(Arenas, OuterTermsAreUsedInside) {
  const Arena outer;
  const arith::Expr n = arith::size("N");
  const Term made = program_of_size(n);
  for (int round = 0; round < 3; ++round) {
    const Arena inner;
    const Term sized = substitute_sizes(made, {{n.get(), 16}});
    EXPECT_EQ(type_of(sized), "([16]f32) -> [16]f32");
    EXPECT_EQ(sized, program_of_size(16));
    EXPECT_EQ(apply(made, {fresh(array({n}), "x")}).type(), array({n}));
  }
  EXPECT_EQ(type_of(made), "([N]f32) -> [N]f32") << "inner arenas leave outer terms as they are";
}

TEST(Arenas, WorkWithoutOneToo) { EXPECT_EQ(program_of_size(8), program_of_size(8)); }

TEST(Arenas, BelongToTheirThread) {
  const Arena arena;
  const Term here = program_of_size(8);
  Term there;
  std::string text;
  std::thread([&] {
    const Arena other;
    there = program_of_size(8);
    text = to_string(there);
  }).join();
  EXPECT_EQ(text, to_string(here));
}

TEST(Arenas, GiveTheirMemoryBack) {
  // Many rounds take no more memory than a few.
  const auto round = [](std::uint64_t seed) {
    const Arena arena;
    RandomTerms random(seed);
    const Term x = fresh(array({arith::size("N")}), "x");
    std::size_t nodes = 0;
    for (int i = 0; i < 20; ++i) nodes += to_string(random.term(random.type(), {x}, 8)).size();
    return nodes;
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_GT(round(seed), 0U);
  const std::size_t before = mallinfo2().uordblks;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) round(seed);
  const std::size_t after = mallinfo2().uordblks;
  constexpr std::size_t slack = std::size_t{1} << 18U;  // tables that grow with a thread's work
  EXPECT_LE(after, before + slack);
}

}  // namespace
}  // namespace hoist::ir
