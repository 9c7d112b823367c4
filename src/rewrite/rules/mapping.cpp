// From what is computed to who computes it.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "map_global_0", .law = "x |> map(f) ==> x |> mapGlb(0, f)", .when = "hierarchy(mapGlb, 0, f)"},
    {.name = "map_global_1", .law = "x |> map(f) ==> x |> mapGlb(1, f)", .when = "hierarchy(mapGlb, 1, f)"},
    {.name = "map_global_2", .law = "x |> map(f) ==> x |> mapGlb(2, f)", .when = "hierarchy(mapGlb, 2, f)"},
    {.name = "map_group_0", .law = "x |> map(f) ==> x |> mapWrg(0, f)", .when = "hierarchy(mapWrg, 0, f)"},
    {.name = "map_group_1", .law = "x |> map(f) ==> x |> mapWrg(1, f)", .when = "hierarchy(mapWrg, 1, f)"},
    {.name = "map_group_2", .law = "x |> map(f) ==> x |> mapWrg(2, f)", .when = "hierarchy(mapWrg, 2, f)"},
    {.name = "map_local_0", .law = "x |> map(f) ==> x |> mapLcl(0, f)", .when = "hierarchy(mapLcl, 0, f)"},
    {.name = "map_local_1", .law = "x |> map(f) ==> x |> mapLcl(1, f)", .when = "hierarchy(mapLcl, 1, f)"},
    {.name = "map_local_2", .law = "x |> map(f) ==> x |> mapLcl(2, f)", .when = "hierarchy(mapLcl, 2, f)"},
    {.name = "map_seq", .law = "x |> map(f) ==> x |> mapSeq(f)", .when = "hierarchy(mapSeq, 0, f)"},
    {.name = "map_seq_unroll", .law = "x |> mapSeq(f) ==> x |> mapSeqUnroll(f)"},
    {.name = "reduce_seq", .law = "x |> reduce(f, z) ==> x |> reduceSeq(f, z)"},
    {.name = "reduce_seq_unroll", .law = "x |> reduceSeq(f, z) ==> x |> reduceSeqUnroll(f, z)"},
    {.name = "scan_seq", .law = "x |> scan(f, z) ==> x |> scanSeq(f, z)"},
    {.name = "prefetch", .law = "x |> map(g) |> reduceSeq(f, z) ==> x |> prefetch(2, g) |> reduceSeq(f, z)"},
};

}  // namespace

std::span<const RuleText> mapping_rules() { return rules; }

}  // namespace hoist::rewrite
