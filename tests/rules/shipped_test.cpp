// Every rule at every place of the programs that ship where it fits: what results prints and reads back to
// the same term.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/print.hpp"
#include "lang/lang.hpp"
#include "rewrite/rules/catalogue.hpp"
#include "rewrite/strategy.hpp"

namespace hoist {
namespace {

TEST(ShippedPrograms, StayProgramsAtEveryPlace) {
  std::size_t rewritten = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HOIST_SOURCE_DIR "/kernels")) {
    if (entry.path().extension() != ".hoist") continue;
    const ir::Arena arena;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto program = lang::parse_program({entry.path().string(), text.str()});
    ASSERT_TRUE(program) << program.error().render();
    const ir::Term body = program->function.as<ir::Lambda>()->body;
    for (const rewrite::Rule& rule : rewrite::all_rules()) {
      const rewrite::Strategy strategy = rewrite::rule(rule);
      for (const rewrite::Redex& place :
           rewrite::redexes(body, strategy, rewrite::Context(program->function))) {
        const auto result = rewrite::rewrite(*program, rewrite::at_path(place.path, strategy));
        // The place alone may be rewritten where what is around it does not allow the sizes that result.
        if (!result) continue;
        const std::string printed = ir::to_string(result->program);
        const auto again = lang::parse_program({"printed", printed});
        ASSERT_TRUE(again) << rule.name << " at " << rewrite::to_string(place.path) << "\n"
                           << printed << again.error().render();
        ASSERT_EQ(again->function, result->program.function) << rule.name << "\n" << printed;
        ++rewritten;
      }
    }
  }
  EXPECT_GT(rewritten, 1000U);
}

}  // namespace
}  // namespace hoist
