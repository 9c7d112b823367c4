// Rules as data: reading, validation, matching, conditions.
#include "rewrite/rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ir/print.hpp"
#include "lang/lang.hpp"
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
}

}  // namespace
}  // namespace hoist::rewrite
