// Where values are kept.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "copy", .law = "x |> map(f) ==> x |> map(id) |> map(f)"},
    {.name = "local_to_local", .law = "x |> mapLcl(d, f) ==> x |> mapLcl(d, f) |> toLocal"},
    {.name = "local_copy", .law = "x |> mapLcl(d, f) ==> x |> mapLcl(d, id) |> toLocal |> mapLcl(d, f)"},
    {.name = "map_seq_to_private", .law = "x |> mapSeq(f) ==> x |> mapSeq(f) |> toPrivate"},
    {.name = "private_copy", .law = "x |> mapSeq(f) ==> x |> mapSeq(id) |> toPrivate |> mapSeq(f)"},
    {.name = "reduce_to_private", .law = "x |> reduceSeq(f, z) ==> x |> reduceSeq(f, z) |> toPrivate"},
    {.name = "pitch_rows",
     .law = "x |> toLocal ==> x |> pitch(?p) |> toLocal",
     .given = "x: [_][m]_",
     .when = "m <= ?p"},
    {.name = "local_to_global", .law = "x |> mapLcl(d, f) ==> x |> mapLcl(d, f) |> toGlobal"},
    {.name = "map_seq_to_global", .law = "x |> mapSeq(f) ==> x |> mapSeq(f) |> toGlobal"},
};

}  // namespace

std::span<const RuleText> memory_rules() { return rules; }

}  // namespace hoist::rewrite
