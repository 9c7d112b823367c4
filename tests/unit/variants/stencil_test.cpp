// What exploration makes of stencils are the same stencils: their features are those of the program's text.
#include <gtest/gtest.h>

#include "ir/print.hpp"
#include "rewrite/stencil_features.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"
#include "variants/alternatives.hpp"

namespace hoist::variants {
namespace {

constexpr const char* stencils[] = {
    "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1)"
    " |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))",
    "def p(u: [D + 4][H][W + 4]f32): [D][H][W]f32 = u |> map(map(slide(5, 1)) >> slide(1, 1) >> "
    "map(transpose))"
    " |> slide(5, 1) |> map(transpose >> map(transpose))"
    " |> map3(n => 0.5 * n[0][0][2] + 0.3 * n[2][0][0] + 0.1 * n[2][0][2] + 0.7 * n[4][0][2])",
    "def p(u: [H][W]f32, w: [5][5]f32): [H][W]f32 = u |> pad2(2, 2, 0.0) |> slide2(5, 1)"
    " |> map2(n => dotProduct(join(n), join(w)))"};

TEST(StencilVariants, HaveTheFeaturesOfTheProgram) {
  for (const char* text : stencils) {
    for (const char* profile : {"gpu", "cpu"}) {
      const ir::Arena arena;
      const ir::Program open = testing_support::program_of(text);
      driver::NamedSizes sizes{{"H", 64}, {"W", 128}};
      if (open.sizes.size() == 3) sizes.emplace_back("D", 32);
      const ir::Program program = driver::with_sizes(open, sizes).value();
      const auto before = rewrite::stencil_features(program);
      ASSERT_TRUE(before) << before.error().reason;
      ExplorationOptions options;
      options.target = target::usual_device(*target::profile_named(profile));
      const auto variants = explore(program, options);
      ASSERT_TRUE(variants) << variants.error().render();
      for (const CandidateId& id : (*variants)->sample(60, 5)) {
        const ir::Arena of_this_candidate;
        const ir::Program low = (*variants)->term(id);
        const auto after = rewrite::stencil_features(low);
        ASSERT_TRUE(after) << to_string(id) << " " << after.error().reason << "\n" << ir::to_string(low);
        EXPECT_EQ(*after, *before) << to_string(id) << "\n" << ir::to_string(low);
      }
    }
  }
}

}  // namespace
}  // namespace hoist::variants
