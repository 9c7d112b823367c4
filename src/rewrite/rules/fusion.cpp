// Fusing what produces an array with what consumes it.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "map_fusion", .law = "x |> map(g) |> map(f) ==> x |> map(e => f(g(e)))"},
    {.name = "map_seq_fusion", .law = "x |> mapSeq(g) |> mapSeq(f) ==> x |> mapSeq(e => f(g(e)))"},
    {.name = "reduce_fusion",
     .law = "x |> map(g) |> reduce(f, z) ==> x |> reduceSeq((acc, e) => f(acc, g(e)), z)"},
    {.name = "reduce_seq_fusion",
     .law = "x |> map(g) |> reduceSeq(f, z) ==> x |> reduceSeq((acc, e) => f(acc, g(e)), z)"},
    {.name = "map_seq_reduce_seq_fusion",
     .law = "x |> mapSeq(g) |> reduceSeq(f, z) ==> x |> reduceSeq((acc, e) => f(acc, g(e)), z)"},
    {.name = "scan_fusion", .law = "x |> map(g) |> scan(f, z) ==> x |> scanSeq((acc, e) => f(acc, g(e)), z)"},
    {.name = "generate_fusion", .law = "generate(n, g) |> map(f) ==> generate(n, i => f(g(i)))"},
    {.name = "zip_fusion",
     .law = "zip(x |> map(f), y |> map(g)) ==> zip(x, y) |> map((a, b) => (f(a), g(b)))"},
    {.name = "zip_left_fusion", .law = "zip(x |> map(f), y) ==> zip(x, y) |> map((a, b) => (f(a), b))"},
    {.name = "zip_right_fusion", .law = "zip(x, y |> map(g)) ==> zip(x, y) |> map((a, b) => (a, g(b)))"},
    {.name = "zip_flatten", .law = "zip(x, zip(y, z)) ==> zip(x, y, z) |> map((a, b, c) => (a, (b, c)))"},
    {.name = "reduce_join",
     .law = "x |> join |> reduce(f, z) ==> x |> reduceSeq((acc, row) => row |> reduce(f, acc), z)"},
    {.name = "reduce_seq_join",
     .law = "x |> join |> reduceSeq(f, z) ==> x |> reduceSeq((acc, row) => row |> reduceSeq(f, acc), z)"},
    {.name = "map_to_zip", .law = "x |> map(e => (f(e), g(e))) ==> zip(x |> map(f), x |> map(g))"},
    {.name = "let_inline", .law = "let v = y in f(v) ==> f(y)", .when = "inlinable(f, y)"},
};

}  // namespace

std::span<const RuleText> fusion_rules() { return rules; }

}  // namespace hoist::rewrite
