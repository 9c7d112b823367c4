// Layout patterns through maps and through each other.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "join_before_map", .law = "x |> map(map(f)) |> join ==> x |> join |> map(f)"},
    {.name = "map_before_join", .law = "x |> join |> map(f) ==> x |> map(map(f)) |> join"},
    {.name = "split_before_map", .law = "x |> map(f) |> split(t) ==> x |> split(t) |> map(map(f))"},
    {.name = "map_before_split", .law = "x |> split(t) |> map(map(f)) ==> x |> map(f) |> split(t)"},
    {.name = "transpose_before_map",
     .law = "x |> map(map(f)) |> transpose ==> x |> transpose |> map(map(f))"},
    {.name = "map_before_transpose",
     .law = "x |> transpose |> map(map(f)) ==> x |> map(map(f)) |> transpose"},
    {.name = "gather_before_map", .law = "x |> map(f) |> gather(p) ==> x |> gather(p) |> map(f)"},
    {.name = "map_before_gather", .law = "x |> gather(p) |> map(f) ==> x |> map(f) |> gather(p)"},
    {.name = "scatter_before_map", .law = "x |> map(f) |> scatter(p) ==> x |> scatter(p) |> map(f)"},
    {.name = "map_before_scatter", .law = "x |> scatter(p) |> map(f) ==> x |> map(f) |> scatter(p)"},
    {.name = "take_before_map", .law = "x |> map(f) |> take(k) ==> x |> take(k) |> map(f)"},
    {.name = "map_before_take", .law = "x |> take(k) |> map(f) ==> x |> map(f) |> take(k)"},
    {.name = "drop_before_map", .law = "x |> map(f) |> drop(k) ==> x |> drop(k) |> map(f)"},
    {.name = "map_before_drop", .law = "x |> drop(k) |> map(f) ==> x |> map(f) |> drop(k)"},
    {.name = "rotate_before_map", .law = "x |> map(f) |> rotate(k) ==> x |> rotate(k) |> map(f)"},
    {.name = "map_before_rotate", .law = "x |> rotate(k) |> map(f) ==> x |> map(f) |> rotate(k)"},
    {.name = "map_before_concat", .law = "concat(x, y) |> map(f) ==> concat(x |> map(f), y |> map(f))"},
    {.name = "concat_before_map", .law = "concat(x |> map(f), y |> map(f)) ==> concat(x, y) |> map(f)"},
    {.name = "split_of_transpose",
     .law = "x |> transpose |> split(t) ==> x |> map(split(t)) |> transpose |> map(transpose)"},
    {.name = "transpose_of_split_rows",
     .law = "x |> map(split(t)) |> transpose ==> x |> transpose |> split(t) |> map(transpose)"},
    {.name = "transpose_chunks",
     .law = "x |> split(t) |> map(transpose) ==> x |> transpose |> map(split(t)) |> transpose"},
    {.name = "transpose_then_join_rows",
     .law = "x |> transpose |> map(join) ==> x |> map(transpose) |> join |> transpose"},
    {.name = "transpose_of_join",
     .law = "x |> join |> transpose ==> x |> map(transpose) |> transpose |> map(join)"},
    {.name = "join_rows_then_join", .law = "x |> map(join) |> join ==> x |> join |> join"},
    {.name = "join_then_join", .law = "x |> join |> join ==> x |> map(join) |> join"},
    {.name = "split_of_zip",
     .law = "zip(x, y) |> split(t) ==> zip(x |> split(t), y |> split(t)) |> map((a, b) => zip(a, b))"},
    {.name = "zip_of_transposes",
     .law = "zip(x |> transpose, y |> transpose) |> map((a, b) => zip(a, b)) ==> zip(x, y) |> map((a, b) => "
            "zip(a, b)) |> transpose"},
    {.name = "zip_of_joins",
     .law = "zip(x |> join, y |> join) ==> zip(x, y) |> map((a, b) => zip(a, b)) |> join",
     .given = "x: [n][m]_, y: [n][m]_"},
    {.name = "take_of_zip", .law = "zip(x, y) |> take(k) ==> zip(x |> take(k), y |> take(k))"},
    {.name = "drop_of_zip", .law = "zip(x, y) |> drop(k) ==> zip(x |> drop(k), y |> drop(k))"},
    {.name = "rotate_of_zip", .law = "zip(x, y) |> rotate(k) ==> zip(x |> rotate(k), y |> rotate(k))"},
    {.name = "rotate_of_transpose",
     .law = "x |> transpose |> rotate(k) ==> x |> map(rotate(k)) |> transpose"},
    {.name = "transpose_of_rotate",
     .law = "x |> rotate(k) |> transpose ==> x |> transpose |> map(rotate(k))"},
    {.name = "gather_of_zip", .law = "zip(x, y) |> gather(p) ==> zip(x |> gather(p), y |> gather(p))"},
    {.name = "split_split",
     .law = "x |> split(s) |> map(split(t)) ==> x |> split(t) |> split(exactdiv(s, t))"},
};

}  // namespace

std::span<const RuleText> movement_rules() { return rules; }

}  // namespace hoist::rewrite
