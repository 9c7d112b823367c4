// Which of two nested loops is outside.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "map_map_interchange", .law = "x |> map(map(f)) ==> x |> transpose |> map(map(f)) |> transpose"},
    {.name = "map_map_interchange_separate",
     .law = "x |> map(a => y |> map(b => f(a, b))) ==> y |> map(b => x |> map(a => f(a, b))) |> transpose"},
    {.name = "map_map_interchange_zip",
     .law = "x |> map(row => zip(row, y) |> map(f)) ==> zip(x |> transpose, y) |> map((col, b) => col |> "
            "map(a => f((a, b)))) |> transpose"},
    {.name = "map_map_interchange_zip_right",
     .law = "x |> map(row => zip(y, row) |> map(f)) ==> zip(y, x |> transpose) |> map((b, col) => col |> "
            "map(a => f((b, a)))) |> transpose"},
    {.name = "map_map_interchange_zip_outside",
     .law = "zip(x, y) |> map((row, b) => row |> map(a => f(a, b))) ==> x |> transpose |> map(col => "
            "zip(col, y) |> map((a, b) => f(a, b))) |> transpose"},
    {.name = "map_reduce_interchange",
     .law = "x |> map(row => row |> reduce(f, z)) ==> x |> transpose |> reduceSeq((acc, col) => zip(acc, "
            "col) |> map((a, e) => f(a, e)), generate(n, i => z))",
     .given = "x: [n][_]_"},
    {.name = "map_reduce_seq_interchange",
     .law = "x |> map(row => row |> reduceSeq(f, z)) ==> x |> transpose |> reduceSeq((acc, col) => zip(acc, "
            "col) |> map((a, e) => f(a, e)), generate(n, i => z))",
     .given = "x: [n][_]_"},
};

}  // namespace

std::span<const RuleText> interchange_rules() { return rules; }

}  // namespace hoist::rewrite
