// Rules as data: reading, validation, matching, conditions.
#include "rewrite/rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ir/print.hpp"
#include "lang/lang.hpp"
#include "rewrite/rule_reader.hpp"
#include "rewrite/rules/catalogue.hpp"
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {
namespace {

using testing::HasSubstr;

ir::Program program_of(const std::string& text) {
  auto program = lang::parse_program({"test", text});
  if (!program) throw std::runtime_error(program.error().render());
  return *program;
}

/// The rule on the body of the program, as text.
std::string rewritten(const std::string& rule, const std::string& text,
                      std::vector<arith::Expr> choices = {}) {
  ir::Program program = program_of(text);
  const auto* function = program.function.as<ir::Lambda>();
  Context context(program.function);
  context.choices = std::move(choices);
  const Outcome outcome = apply(known_rule(rule), function->body, context);
  if (!outcome) return "declined: " + outcome.error().reason;
  program.function = ir::raw_lambda(function->parameters, *outcome, function->names);
  const std::string result = ir::to_string(program);
  EXPECT_EQ(program_of(result).function, program.function) << result;
  return result;
}

std::string refusal(const RuleText& text) {
  try {
    read_rule(text, "test");
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "accepted";
}

TEST(Rule, AllRulesAreValid) {
  for (const RuleTable& table : rule_tables()) {
    for (const RuleText& text : table.rules) EXPECT_EQ(refusal(text), "accepted");
  }
}

TEST(Rule, FusesMaps) {
  EXPECT_THAT(rewritten("map_fusion", "def f(x: [N]f32) = x |> map(e => e + 1.0) |> map(e => 2.0 * e)"),
              HasSubstr("x |> map(e => 2.0 * (e + 1.0))"));
}

TEST(Rule, ComputesOnceWhatAFunctionUsesTwice) {
  EXPECT_THAT(rewritten("map_fusion", "def f(x: [N]f32) = x |> map(e => sqrt(e)) |> map(e => e * e)"),
              HasSubstr("let "));
}

TEST(Rule, ComputesOnceWhatMovesIntoALoop) {
  const std::string text =
      rewritten("map_map_interchange_separate",
                "def f(x: [N]f32, y: [M]f32) = x |> map(a => sqrt(a)) |> map(a => y |> map(b => a * b))");
  EXPECT_THAT(text, HasSubstr("let x1 = x |> map(sqrt) in y |> map(b => x1 |> map(a => a * b))"));
  EXPECT_THAT(rewritten("map_map_interchange_separate",
                        "def f(x: [N]f32, y: [M]f32) = x |> map(a => y |> map(b => a * b))"),
              testing::Not(HasSubstr("let")));
}

TEST(Rule, MetavariablesAloneAreIndependentOfWhatIsBound) {
  const std::string dependent = "def f(x: [N][M]f32) = x |> map(a => a |> map(b => a[0] * b))";
  EXPECT_THAT(rewritten("map_map_interchange_separate", dependent), HasSubstr("declined"));
  EXPECT_THAT(rewritten("map_map_interchange", dependent), HasSubstr("declined"));
}

TEST(Rule, DeclinesWithTheConditionThatFailed) {
  EXPECT_THAT(rewritten("split_reduce", "def f(x: [N]f32) = x |> reduce((a, b) => a - b, 0.0)"),
              HasSubstr("not known to be associative"));
  EXPECT_THAT(rewritten("split_reduce", "def f(x: [N]f32) = x |> reduce(+, 1.0)"),
              HasSubstr("neutral element"));
  EXPECT_THAT(rewritten("drop_of_slide", "def f(x: [N]f32) = x |> slide(3, 1) |> drop(2)"),
              HasSubstr("is not proven"));
  EXPECT_THAT(rewritten("vectorize_map", "def f(x: [N][M]f32) = x |> map(reduce(+, 0.0))"),
              HasSubstr("no array of scalars"));
  EXPECT_THAT(rewritten("vectorize_map", "def f(x: [N]f32) = x |> map(e => if e > 0.0 then e else 0.0)"),
              HasSubstr("only scalar operations"));
}

TEST(Rule, VectorizesFunctions) {
  EXPECT_THAT(rewritten("vectorize_map", "def f(x: [N]f32, a: f32) = x |> map(e => a * e)", {4}),
              HasSubstr("x |> asVector(4) |> map("));
  EXPECT_THAT(
      rewritten("vectorize_zip", "def f(x: [N]f32, y: [N]f32) = zip(x, y) |> map((a, b) => a * b)", {4}),
      HasSubstr("zip(x |> asVector(4), y |> asVector(4))"));
}

TEST(Rule, ChoosesSizesThatNothingHasYet) {
  EXPECT_THAT(rewritten("split_join", "def f(x: [N]f32) = x |> map(e => e + 1.0)"), HasSubstr("split(?t)"));
  EXPECT_THAT(rewritten("split_join", "def f(x: [N]f32) = x |> split(?t) |> map(e => e[0])"),
              HasSubstr("split(?t2)"));
  EXPECT_THAT(rewritten("split_join", "def f(x: [N]f32) = x |> map(e => e + 1.0)", {8}),
              HasSubstr("split(8)"));
  EXPECT_THAT(rewritten("split_join", "def f(x: [12]f32) = x |> map(e => e + 1.0)", {8}),
              HasSubstr("declined"));
}

TEST(Rule, IsValidatedWhenRead) {
  EXPECT_EQ(refusal({.name = "r", .law = "x |> map(f) ==> x |> map(f)"}), "accepted");
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map(f) ==> y |> map(f)"}), HasSubstr("nothing binds it"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map(f) ==> x |> split(t) |> map(map(f)) |> join"}),
              HasSubstr("nothing binds it"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map(f) ==> x |> split(?t) |> map(map(f))"}),
              HasSubstr("the right side"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> split(t) |> join ==> x |> split(t)"}),
              HasSubstr("the right side"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map(f) |> transpose ==> x |> transpose |> map(f)"}),
              HasSubstr("rule r"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map(f)"}), HasSubstr("==>"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map(f) ==> x |> map(f)", .when = "pretty(f)"}),
              HasSubstr("no condition"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map(f) ==> x |> map(f)", .when = "divides(t, n)"}),
              HasSubstr("nothing binds it"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> split(?t) ==> x |> split(?t)"}),
              HasSubstr("on the left side"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map(e => f(g(e))) ==> x |> map(g) |> map(f)"}),
              HasSubstr("applied to variables"));
  EXPECT_THAT(refusal({.name = "r", .law = "x |> map( ==> x"}), HasSubstr("rule r"));
}

}  // namespace
}  // namespace hoist::rewrite
