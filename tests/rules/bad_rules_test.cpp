// Wrong rules, a condition missing each: what holds the real rules against the interpreter must catch them
// all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rewrite/rule_reader.hpp"
#include "rules/soundness.hpp"

namespace hoist::rewrite {
void PrintTo(const RuleText& rule, std::ostream* out) { *out << rule.name; }
}  // namespace hoist::rewrite

namespace hoist {
namespace {

using rewrite::Floats;
using rewrite::RuleText;

constexpr int most_firings = 300;

constexpr RuleText bad_rules[] = {
    {.name = "associativity_missing",
     .law = "x |> reduce(f, z) ==> x |> split(?t) |> map(reduce(f, z)) |> reduce(f, z)",
     .given = "x: [n]_",
     .when = "",
     .floats = Floats::Reassociates},
    {.name = "neutral_element_missing",
     .law = "x |> reduce(f, z) ==> x |> split(?t) |> map(reduce(f, z)) |> reduce(f, z)",
     .when = "associative(f)",
     .floats = Floats::Reassociates},
    {.name = "commutativity_missing",
     .law = "x |> reduce(f, z) ==> x |> split(?s) |> transpose |> join |> reduce(f, z)",
     .when = "associative(f)",
     .floats = Floats::Reassociates},
    {.name = "order_of_join_missing",
     .law = "x |> join |> reduce(f, z) ==> x |> transpose |> join |> reduce(f, z)",
     .floats = Floats::Reassociates},
    {.name = "rounding_not_declared",
     .law = "x |> reduce(f, z) ==> x |> split(?t) |> map(reduce(f, z)) |> reduce(f, z)",
     .when = "associative(f) && neutral(f, z)"},
    {.name = "divisibility_missing",
     .law = "x |> reduce(f, z) ==> x |> pad(0, ceildiv(n, ?t) * ?t - n, clamp) |> split(?t) |> "
            "reduceSeq((acc, c) => c |> "
            "reduce(f, acc), z)",
     .given = "x: [n]_"},
    {.name = "same_permutation_missing", .law = "x |> gather(p) |> scatter(q) ==> x"},
    {.name = "reorder_not_undone", .law = "x |> map(f) ==> x |> split(?s) |> transpose |> join |> map(f)"},
    {.name = "function_need_not_be_identity", .law = "x |> map(f) ==> x"},
    {.name = "boundary_missing", .law = "x |> pad(a, b, m) |> pad(c, d, m) ==> x |> pad(a + c, b + d, m)"},
    {.name = "padded_value_not_mapped",
     .law = "x |> padValue(l, r, v) |> map(f) ==> x |> map(f) |> padValue(l, r, v)"},
    {.name = "transposed_once",
     .law = "x |> map(map(f)) ==> x |> transpose |> map(map(f))",
     .given = "x: [n][n]_"},
    {.name = "wrong_component", .law = "zip(x, y) |> map((a, b) => f(a)) ==> y |> map(f)"},
    {.name = "carry_missing", .law = "x |> scan(f, z) ==> x |> split(?t) |> map(scan(f, z)) |> join"},
    {.name = "number_of_iterations", .law = "x |> iterate(m, f) ==> x |> iterate(?i, f) |> iterate(?i, f)"},
    {.name = "independence_missing",
     .law =
         "x |> map(a => g(a) |> map(b => f(a, b))) ==> g(x[size(0)]) |> map(b => x |> map(a => f(a, b))) |> "
         "transpose"},
    {.name = "empty_windows", .law = "x |> slide(w, 1) |> drop(k) ==> x |> drop(k) |> slide(w, 1)"},
    {.name = "index_not_moved", .law = "(x |> gather(p))[i] ==> x[i]"},
};

class BadRules : public testing::TestWithParam<RuleText> {};

TEST_P(BadRules, AreCaught) {
  const ir::Arena arena;
  const rewrite::Rule rule = rewrite::read_rule(GetParam(), "bad");
  const auto sound = testing_support::hold_against_interpreter(rule, rule, most_firings, 1);
  EXPECT_THAT(sound.fault, testing::HasSubstr(rule.name)) << "fired " << sound.fired << " times";
}

INSTANTIATE_TEST_SUITE_P(All, BadRules, testing::ValuesIn(bad_rules),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace hoist
