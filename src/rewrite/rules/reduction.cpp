// Reductions in several steps.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "split_reduce",
     .law = "x |> reduce(f, z) ==> x |> split(?t) |> map(reduce(f, z)) |> reduce(f, z)",
     .when = "associative(f) && neutral(f, z)",
     .floats = Floats::Reassociates},
    {.name = "split_reduce_strided",
     .law = "x |> reduce(f, z) ==> x |> split(?t) |> transpose |> map(reduce(f, z)) |> reduce(f, z)",
     .when = "associative(f) && commutative(f) && neutral(f, z)",
     .floats = Floats::Reassociates},
    {.name = "reduce_reorder",
     .law = "x |> reduce(f, z) ==> x |> split(?s) |> transpose |> join |> reduce(f, z)",
     .when = "associative(f) && commutative(f)",
     .floats = Floats::Reassociates},
    {.name = "split_reduce_in_order",
     .law = "x |> reduce(f, z) ==> x |> split(?t) |> reduceSeq((acc, chunk) => chunk |> reduce(f, acc), z)"},
    {.name = "split_reduce_seq",
     .law = "x |> reduceSeq(f, z) ==> x |> split(?t) |> reduceSeq((acc, chunk) => chunk |> reduceSeq(f, "
            "acc), z)"},
    {.name = "split_reduce_guarded",
     .law = "x |> reduce(f, z) ==> x |> padValue(0, ceildiv(n, ?t) * ?t - n, z) |> split(?t) |> "
            "map(reduce(f, z)) |> reduce(f, z)",
     .given = "x: [n]_",
     .when = "associative(f) && neutral(f, z)",
     .floats = Floats::Reassociates},
    {.name = "reduce_of_reduces",
     .law = "x |> map(reduce(f, z)) |> reduce(f, z) ==> x |> join |> reduce(f, z)",
     .when = "associative(f) && neutral(f, z)",
     .floats = Floats::Reassociates},
    {.name = "reduce_tree",
     .law = "x |> reduce(f, z) ==> x |> iterate(?m, v => v |> split(2) |> map(reduce(f, z))) |> reduce(f, z)",
     .when = "associative(f) && neutral(f, z)",
     .floats = Floats::Reassociates},
};

}  // namespace

std::span<const RuleText> reduction_rules() { return rules; }

}  // namespace hoist::rewrite
