// Cutting arrays into chunks, and what is done with them.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "split_join", .law = "x |> map(f) ==> x |> split(?t) |> map(map(f)) |> join"},
    {.name = "split_join_guarded",
     .law = "x |> map(f) ==> x |> pad(0, ceildiv(n, ?t) * ?t - n, clamp) |> split(?t) |> map(map(f)) |> join "
            "|> take(n)",
     .given = "x: [n]_"},
    {.name = "map_reorder",
     .law = "x |> map(f) ==> x |> split(?s) |> transpose |> join |> map(f) |> split(exactdiv(n, ?s)) |> "
            "transpose |> join",
     .given = "x: [n]_"},
    {.name = "iterate_decomposition",
     .law = "x |> iterate(m, f) ==> x |> iterate(?i, f) |> iterate(m - ?i, f)",
     .when = "?i <= m"},
    {.name = "iterate_once", .law = "x |> iterate(1, f) ==> f(x)"},
};

}  // namespace

std::span<const RuleText> split_rules() { return rules; }

}  // namespace hoist::rewrite
