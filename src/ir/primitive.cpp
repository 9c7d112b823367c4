// The table of primitives. src/ir/scheme_parse.hpp says how a scheme reads.
#include "ir/primitive.hpp"

#include <algorithm>
#include <iterator>

namespace hoist::ir {
namespace {

constexpr Primitive table[] = {
    {Op::Map, "map", Level::High, "map(f: (a) -> b, x: [n]a): [n]b", "f of every element"},
    {Op::Reduce, "reduce", Level::High, "reduce(f: (b, a) -> b, init: b, x: [n]a): b",
     "folds from the left: f(.. f(f(init, x[0]), x[1]) ..)"},
    {Op::Scan, "scan", Level::High, "scan(f: (b, a) -> b, init: b, x: [n]a): [n]b",
     "every intermediate result of reduce, the first being f(init, x[0])"},
    {Op::Iterate, "iterate", Level::High, "iterate(m: size, f: (a) -> a, x: a): a",
     "f applied m times; f may change the length of an array, as in (v: [k]f32) => .. that gives [k/2]f32"},
    {Op::Generate, "generate", Level::High, "generate(n: size, f: (i32) -> a): [n]a",
     "the array of f(0), f(1), .. f(n-1)"},

    {Op::Zip, "zip", Level::Layout, "zip(x: [n]a, y: [n]b, ...): [n](a, b, ...)",
     "pairs, triples, .. of the elements at one place in arrays of one length"},
    {Op::Unzip, "unzip", Level::Layout, "unzip(x: [n](a, b, ...)): ([n]a, [n]b, ...)",
     "an array for each component of an array's tuples"},
    {Op::Split, "split", Level::Layout, "split(s: size, x: [n]a): [exactdiv(n, s)][s]a where s divides n",
     "cuts into chunks of s elements"},
    {Op::Join, "join", Level::Layout, "join(x: [n][m]a): [n * m]a",
     "one array of all rows, one after the other"},
    {Op::Transpose, "transpose", Level::Layout, "transpose(x: [n][m]a): [m][n]a",
     "exchanges the two outermost dimensions"},
    {Op::Slide, "slide", Level::Layout,
     "slide(w: size, s: size, x: [n]a): [(n - w + s) / s][w]a where 1 <= w and 1 <= s and w <= n",
     "windows of w elements, each s elements after the one before; what does not fill a window is left out"},
    {Op::Pad, "pad", Level::Layout, "pad(l: size, r: size, mode: boundary, x: [n]a): [l + n + r]a",
     "l elements before and r after: the nearest (clamp), mirrored (mirror) or from the other end (wrap)"},
    {Op::PadValue, "pad", Level::Layout, "pad(l: size, r: size, value: a, x: [n]a): [l + n + r]a",
     "l times the value before and r times after"},
    {Op::Gather, "gather", Level::Layout, "gather(f: (i32) -> i32, x: [n]a): [n]a",
     "element i of the result is element f(i) of x"},
    {Op::Scatter, "scatter", Level::Layout, "scatter(f: (i32) -> i32, x: [n]a): [n]a",
     "element f(i) of the result is element i of x; f must be a permutation of 0 .. n-1"},
    {Op::At, "at", Level::Layout, "at(i: index, x: [n]a): a", "element i, also written x[i]"},
    {Op::Take, "take", Level::Layout, "take(k: size, x: [n]a): [k]a where k <= n", "the first k elements"},
    {Op::Drop, "drop", Level::Layout, "drop(k: size, x: [n]a): [n - k]a where k <= n",
     "all but the first k elements"},
    {Op::Concat, "concat", Level::Layout, "concat(x: [n]a, y: [m]a): [n + m]a",
     "the elements of x, then those of y"},

    {Op::MapGlobal, "mapGlb", Level::Low, "mapGlb(d: dimension, f: (a) -> b, x: [n]a): [n]b",
     "map over the work-items of the whole launch in dimension d"},
    {Op::MapGroup, "mapWrg", Level::Low, "mapWrg(d: dimension, f: (a) -> b, x: [n]a): [n]b",
     "map over the work-groups in dimension d"},
    {Op::MapLocal, "mapLcl", Level::Low, "mapLcl(d: dimension, f: (a) -> b, x: [n]a): [n]b",
     "map over the work-items of a work-group in dimension d"},
    {Op::MapSeq, "mapSeq", Level::Low, "mapSeq(f: (a) -> b, x: [n]a): [n]b", "map as a loop"},
    {Op::MapSeqUnroll, "mapSeqUnroll", Level::Low, "mapSeqUnroll(f: (a) -> b, x: [n]a): [n]b",
     "map as straight-line code; the length must be known when the kernel is made"},
    {Op::MapSeqSlide, "mapSeqSlide", Level::Low,
     "mapSeqSlide(w: size, s: size, f: ([w]a) -> b, x: [n]a): [(n - w + s) / s]b "
     "where 1 <= w and 1 <= s and w <= n",
     "a loop over the windows of slide(w, s, x) that keeps the window in registers"},
    {Op::ReduceSeq, "reduceSeq", Level::Low, "reduceSeq(f: (b, a) -> b, init: b, x: [n]a): b",
     "reduce as a loop"},
    {Op::ReduceSeqUnroll, "reduceSeqUnroll", Level::Low,
     "reduceSeqUnroll(f: (b, a) -> b, init: b, x: [n]a): b",
     "reduce as straight-line code; the length must be known when the kernel is made"},
    {Op::ScanSeq, "scanSeq", Level::Low, "scanSeq(f: (b, a) -> b, init: b, x: [n]a): [n]b", "scan as a loop"},
    {Op::ToGlobal, "toGlobal", Level::Low, "toGlobal(x: a): a", "x, kept in global memory"},
    {Op::ToLocal, "toLocal", Level::Low, "toLocal(x: a): a", "x, kept in the work-group's local memory"},
    {Op::ToPrivate, "toPrivate", Level::Low, "toPrivate(x: a): a", "x, kept in the work-item's registers"},
    {Op::AsVector, "asVector", Level::Low,
     "asVector(w: size, x: [n]s): [exactdiv(n, w)]sxw where w divides n", "scalars, w at a time, as vectors"},
    {Op::AsScalar, "asScalar", Level::Low, "asScalar(x: [n]sxw): [n * w]s",
     "the components of vectors, one after the other"},
    {Op::Broadcast, "broadcast", Level::Low, "broadcast(w: size, x: s): sxw where 1 <= w",
     "a vector of w times the scalar"},
    {Op::Dot, "dot", Level::Low, "dot(x: sxw, y: sxw): s", "the sum of the products of the components"},
};

constexpr bool table_is_in_order() {
  for (std::size_t row = 0; row < std::size(table); ++row) {
    if (static_cast<std::size_t>(table[row].op) != row) return false;
  }
  return std::size(table) == static_cast<std::size_t>(Op::Dot) + 1;
}
static_assert(table_is_in_order(), "one row a primitive, in the order of Op");

}  // namespace

const Primitive& primitive(Op op) { return table[static_cast<std::size_t>(op)]; }

std::span<const Primitive> all_primitives() { return table; }

std::optional<Op> primitive_named(std::string_view name) {
  const auto* row = std::ranges::find(table, name, &Primitive::name);
  if (row == std::end(table)) return std::nullopt;
  return row->op;
}

}  // namespace hoist::ir
