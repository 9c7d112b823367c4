// Patterns that undo each other, or do nothing.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "split_then_join", .law = "x |> split(t) |> join ==> x"},
    {.name = "join_then_split", .law = "x |> join |> split(t) ==> x", .given = "x: [_][t]_"},
    {.name = "transpose_transpose", .law = "x |> transpose |> transpose ==> x"},
    {.name = "as_vector_then_as_scalar", .law = "x |> asVector(w) |> asScalar ==> x"},
    {.name = "as_scalar_then_as_vector", .law = "x |> asScalar |> asVector(w) ==> x", .when = "width(w, x)"},
    {.name = "scatter_then_gather", .law = "x |> scatter(p) |> gather(p) ==> x"},
    {.name = "gather_then_scatter", .law = "x |> gather(p) |> scatter(p) ==> x"},
    {.name = "map_identity", .law = "x |> map(id) ==> x"},
    {.name = "zip_of_unzip", .law = "zip(unzip(x).0, unzip(x).1) ==> x"},
    {.name = "unzip_of_zip", .law = "unzip(zip(x, y)) ==> (x, y)"},
    {.name = "zip_first", .law = "zip(x, y) |> map((a, b) => f(a)) ==> x |> map(f)"},
    {.name = "zip_second", .law = "zip(x, y) |> map((a, b) => f(b)) ==> y |> map(f)"},
    {.name = "zip_same", .law = "zip(x, x) ==> x |> map(e => (e, e))"},
    {.name = "take_all", .law = "x |> take(n) ==> x", .given = "x: [n]_"},
    {.name = "drop_none", .law = "x |> drop(0) ==> x"},
    {.name = "pad_none", .law = "x |> pad(0, 0, m) ==> x"},
    {.name = "take_take", .law = "x |> take(a) |> take(b) ==> x |> take(b)"},
    {.name = "drop_drop", .law = "x |> drop(a) |> drop(b) ==> x |> drop(a + b)"},
    {.name = "rotate_none", .law = "x |> rotate(0) ==> x"},
    {.name = "rotate_all", .law = "x |> rotate(n) ==> x", .given = "x: [n]_"},
    {.name = "rotate_rotate", .law = "x |> rotate(a) |> rotate(b) ==> x |> rotate(a + b)"},
    {.name = "take_of_concat", .law = "concat(x, y) |> take(k) ==> x", .given = "x: [k]_"},
    {.name = "drop_of_concat", .law = "concat(x, y) |> drop(k) ==> y", .given = "x: [k]_"},
    {.name = "pad_pad", .law = "x |> pad(a, b, clamp) |> pad(c, d, clamp) ==> x |> pad(a + c, b + d, clamp)"},
    {.name = "slide_one", .law = "x |> slide(1, 1) ==> x |> split(1)"},
    {.name = "generate_of_elements", .law = "generate(n, i => x[i]) ==> x", .given = "x: [n]_"},
    {.name = "at_of_map", .law = "(x |> map(f))[i] ==> f(x[i])"},
    {.name = "at_of_generate", .law = "generate(n, f)[i] ==> f(i)"},
    {.name = "at_of_zip", .law = "zip(x, y)[i] ==> (x[i], y[i])"},
    {.name = "at_of_transpose", .law = "transpose(x)[i] ==> x |> map(row => row[i])"},
};

}  // namespace

std::span<const RuleText> simplification_rules() { return rules; }

}  // namespace hoist::rewrite
