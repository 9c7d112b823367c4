// Windows: tiles that overlap, and how slide and pad move through maps.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "slide_tile",
     .law = "x |> slide(w, s) ==> x |> slide(?t * s + w - s, ?t * s) |> map(slide(w, s)) |> join |> take((n "
            "- w + s) / s)",
     .given = "x: [n]_"},
    {.name = "slide_tile_map",
     .law = "x |> slide(w, s) |> map(f) ==> x |> slide(?t * s + w - s, ?t * s) |> map(tile => tile |> "
            "slide(w, s) |> map(f)) |> join |> take((n - w + s) / s)",
     .given = "x: [n]_"},
    {.name = "slide_tile_guarded",
     .law = "x |> slide(w, 1) |> map(f) ==> x |> pad(0, ceildiv(n - w + 1, ?t) * ?t - (n - w + 1), clamp) |> "
            "slide(?t + w - 1, ?t) |> map(tile => tile |> slide(w, 1) |> map(f)) |> join |> take(n - w + 1)",
     .given = "x: [n]_"},
    {.name = "slide_before_map", .law = "x |> map(f) |> slide(w, s) ==> x |> slide(w, s) |> map(map(f))"},
    {.name = "map_before_slide", .law = "x |> slide(w, s) |> map(map(f)) ==> x |> map(f) |> slide(w, s)"},
    {.name = "pad_before_map", .law = "x |> map(f) |> pad(l, r, m) ==> x |> pad(l, r, m) |> map(f)"},
    {.name = "map_before_pad", .law = "x |> pad(l, r, m) |> map(f) ==> x |> map(f) |> pad(l, r, m)"},
    {.name = "map_before_pad_value",
     .law = "x |> padValue(l, r, v) |> map(f) ==> x |> map(f) |> padValue(l, r, f(v))"},
    {.name = "slide_of_transpose",
     .law = "x |> transpose |> slide(w, s) ==> x |> map(slide(w, s)) |> transpose |> map(transpose)"},
    {.name = "transpose_of_slide_rows",
     .law = "x |> map(slide(w, s)) |> transpose ==> x |> transpose |> slide(w, s) |> map(transpose)"},
    {.name = "pad_of_transpose",
     .law = "x |> transpose |> pad(l, r, m) ==> x |> map(pad(l, r, m)) |> transpose"},
    {.name = "pad_rows", .law = "x |> map(pad(l, r, m)) ==> x |> transpose |> pad(l, r, m) |> transpose"},
    {.name = "pad_rows_of_pad",
     .law = "x |> pad(l, r, m) |> map(pad(a, b, k)) ==> x |> map(pad(a, b, k)) |> pad(l, r, m)"},
    {.name = "slide_rows_of_slide",
     .law = "x |> slide(w, s) |> map(map(slide(v, u))) ==> x |> map(slide(v, u)) |> slide(w, s)"},
    {.name = "take_of_slide",
     .law = "x |> slide(w, 1) |> take(k) ==> x |> take(k + w - 1) |> slide(w, 1)",
     .when = "1 <= k"},
    {.name = "drop_of_slide",
     .law = "x |> slide(w, 1) |> drop(k) ==> x |> drop(k) |> slide(w, 1)",
     .given = "x: [n]_",
     .when = "w + k <= n"},
    {.name = "split_of_slide",
     .law = "x |> slide(w, s) |> split(t) ==> x |> slide(t * s + w - s, t * s) |> map(slide(w, s)) |> "
            "take(exactdiv((n - w + s) / s, t))",
     .given = "x: [n]_"},
    {.name = "slide_of_zip",
     .law =
         "zip(x, y) |> slide(w, s) ==> zip(x |> slide(w, s), y |> slide(w, s)) |> map((a, b) => zip(a, b))"},
    {.name = "pad_of_zip", .law = "zip(x, y) |> pad(l, r, m) ==> zip(x |> pad(l, r, m), y |> pad(l, r, m))"},
    {.name = "slide_in_registers", .law = "x |> slide(w, s) |> map(f) ==> x |> mapSeqSlide(w, s, f)"},
};

}  // namespace

std::span<const RuleText> stencil_rules() { return rules; }

}  // namespace hoist::rewrite
