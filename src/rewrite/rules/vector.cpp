// Neighbouring scalars computed together.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

namespace {

constexpr RuleText rules[] = {
    {.name = "vectorize_map",
     .law = "x |> map(f) ==> x |> asVector(?w) |> map(vectorize(?w, f)) |> asScalar",
     .when = "scalars(x)"},
    {.name = "vectorize_zip",
     .law = "zip(x, y) |> map(f) ==> zip(x |> asVector(?w), y |> asVector(?w)) |> map(vectorize(?w, f)) |> "
            "asScalar",
     .when = "scalars(x) && scalars(y)"},
    {.name = "vectorize_reduce",
     .law = "x |> reduce(f, z) ==> generate(1, i => x |> asVector(?w) |> reduce(vectorize(?w, f), "
            "broadcast(?w, z))) |> asScalar |> reduce(f, z)",
     .when = "scalars(x) && associative(f) && commutative(f) && neutral(f, z)",
     .floats = Floats::Reassociates},
    {.name = "dot_reduce",
     .law = "zip(x, y) |> map((a, b) => a * b) |> asScalar |> reduce(+, z) ==> zip(x, y) |> map((a, b) => "
            "dot(a, b)) |> reduce(+, z)",
     .floats = Floats::Reassociates},
    {.name = "dot_reduce_seq",
     .law = "zip(x, y) |> mapSeq((a, b) => a * b) |> asScalar |> reduceSeq(+, z) ==> zip(x, y) |> mapSeq((a, "
            "b) => dot(a, b)) |> reduceSeq(+, z)",
     .floats = Floats::Reassociates},
};

}  // namespace

std::span<const RuleText> vector_rules() { return rules; }

}  // namespace hoist::rewrite
