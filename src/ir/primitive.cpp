// The table of primitives. src/ir/scheme_parse.hpp says how a scheme reads.
#include "ir/primitive.hpp"

#include <algorithm>
#include <iterator>

namespace hoist::ir {

using enum Trait;

constexpr Primitive primitive_table[] = {
    {Op::Map, "map", Level::High, "map(f: (a) -> b, x: [n]a): [n]b", "applies f to every element", Map},
    {Op::Reduce, "reduce", Level::High, "reduce(f: (b, a) -> b, init: b, x: [n]a): b",
     "combines all elements from the first to the last, starting with init", Reduce | Whole},
    {Op::ReduceRange, "reduceRange", Level::High,
     "reduceRange(f: (b, a) -> b, init: b, from: i32, to: i32, x: [n]a): b",
     "reduce over the elements from index `from` up to, without, `to`; indices outside of x have none",
     Reduce | Whole},
    {Op::Scan, "scan", Level::High, "scan(f: (b, a) -> b, init: b, x: [n]a): [n]b",
     "every prefix's reduction: element i combines x[0] to x[i]", Scan | Whole},
    {Op::ReduceByKey, "reduceByKey", Level::High,
     "reduceByKey(f: (b, a) -> b, init: [n]b, keys: [m]i32, x: [m]a): [n]b",
     "init[k] combined with every x[i] whose key is k, in order; keys outside 0 to n - 1 count nowhere",
     KeyedReduce | Whole},
    {Op::Iterate, "iterate", Level::High, "iterate(m: size, f: (a) -> a, x: a): a where 0 <= m",
     "applies f m times; f may change the length of an array, as from [k] to [k/2]", Iterate | Whole},
    {Op::IterateWhile, "iterateWhile", Level::High,
     "iterateWhile(p: (a) -> bool, m: int, f: (i32, a) -> a, x: a): a",
     "applies f while p holds of the value, m times at the most; f may take the step's number first",
     Iterate | Whole},
    {Op::Generate, "generate", Level::High, "generate(n: size, f: (i32) -> a): [n]a where 0 <= n",
     "the array whose element i is f(i)", CallForm},
    {Op::Zip, "zip", Level::Layout, "zip(x: [n]a, y: [n]b, ...): [n](a, b, ...)",
     "pairs up the elements of arrays of one length", View | Permutation | CallForm},
    {Op::Unzip, "unzip", Level::Layout, "unzip(x: [n](a, b, ...)): ([n]a, [n]b, ...)",
     "an array of tuples as a tuple of arrays", View | Permutation},
    {Op::Split, "split", Level::Layout,
     "split(s: size, x: [n]a): [exactdiv(n, s)][s]a where 1 <= s and s divides n", "chunks of s elements",
     View | Permutation},
    {Op::Join, "join", Level::Layout, "join(x: [n][m]a): [n*m]a", "puts the rows one after the other",
     View | Permutation},
    {Op::Transpose, "transpose", Level::Layout, "transpose(x: [n][m]a): [m][n]a",
     "exchanges the two outer dimensions", View | Permutation},
    {Op::Slide, "slide", Level::Layout,
     "slide(w: size, s: size, x: [n]a): [(n - w + s) / s][w]a where 1 <= w and 1 <= s and w <= n",
     "windows of w elements, each s further than the one before", View},
    {Op::Pad, "pad", Level::Layout,
     "pad(l: size, r: size, m: boundary, x: [n]a): [l + n + r]a where 0 <= l and 0 <= r",
     "l more elements before and r after, by clamp, mirror, reflect, wrap or a function (i, n) => index",
     View},
    {Op::PadValue, "padValue", Level::Layout,
     "padValue(l: size, r: size, v: a, x: [n]a): [l + n + r]a where 0 <= l and 0 <= r",
     "l more elements before and r after, all v; pad(l, r, v, x) means it too", View},
    {Op::Gather, "gather", Level::Layout, "gather(f: (i32) -> i32, x: [n]a): [n]a", "element i is x[f(i)]",
     View | IndexFunction},
    {Op::Scatter, "scatter", Level::Layout, "scatter(f: (i32) -> i32, x: [n]a): [n]a",
     "element f(i) is x[i]; f must be a permutation of the indices", View | IndexFunction | Whole},
    {Op::At, "at", Level::Layout, "at(i: int, x: [n]a): a", "element i, written x[i] too", View | CallForm},
    {Op::Take, "take", Level::Layout, "take(k: size, x: [n]a): [k]a where 0 <= k and k <= n",
     "the first k elements", View},
    {Op::Drop, "drop", Level::Layout, "drop(k: size, x: [n]a): [n - k]a where 0 <= k and k <= n",
     "all but the first k elements", View},
    {Op::Rotate, "rotate", Level::Layout, "rotate(k: size, x: [n]a): [n]a",
     "element i is x[(i + k) mod n]; k may be negative, and a number that is computed", View | Permutation},
    {Op::Concat, "concat", Level::Layout, "concat(x: [n]a, y: [m]a): [n + m]a", "y after x", View | CallForm},
    {Op::Update, "update", Level::Layout, "update(i: int, e: a, x: [n]a): [n]a", "x with e as its element i",
     View},
    {Op::MapGlobal, "mapGlb", Level::Low, "mapGlb(d: dimension, f: (a) -> b, x: [n]a): [n]b",
     "map, one work-item an element, over all work-items of dimension d", Map, Sharing::WorkItems},
    {Op::MapGroup, "mapWrg", Level::Low, "mapWrg(d: dimension, f: (a) -> b, x: [n]a): [n]b",
     "map, one work-group an element, over the groups of dimension d", Map, Sharing::Groups},
    {Op::MapLocal, "mapLcl", Level::Low, "mapLcl(d: dimension, f: (a) -> b, x: [n]a): [n]b",
     "map, one work-item an element, over the work-items of a group in dimension d", Map | ConstantLength,
     Sharing::ItemsOfGroup},
    {Op::MapSeq, "mapSeq", Level::Low, "mapSeq(f: (a) -> b, x: [n]a): [n]b",
     "map by one work-item, in a loop", Map},
    {Op::MapSeqUnroll, "mapSeqUnroll", Level::Low, "mapSeqUnroll(f: (a) -> b, x: [n]a): [n]b",
     "map by one work-item, the loop unrolled", Map},
    {Op::MapSeqSlide, "mapSeqSlide", Level::Low,
     "mapSeqSlide(w: size, s: size, f: ([w]a) -> b, x: [n]a): [(n - w + s) / s]b "
     "where 1 <= w and 1 <= s and w <= n",
     "slide and map by one work-item, the window kept in registers", Whole | ConstantLength},
    {Op::Prefetch, "prefetch", Level::Low, "prefetch(s: size, f: (a) -> b, x: [n]a): [n]b where 2 <= s",
     "map; reduceSeq over it computes s - 1 elements ahead, into s copies of the memory of f's result", Map},
    {Op::ReduceSeq, "reduceSeq", Level::Low, "reduceSeq(f: (b, a) -> b, init: b, x: [n]a): b",
     "reduce by one work-item, in a loop", Reduce | Whole},
    {Op::ReduceSeqUnroll, "reduceSeqUnroll", Level::Low,
     "reduceSeqUnroll(f: (b, a) -> b, init: b, x: [n]a): b", "reduce by one work-item, the loop unrolled",
     Reduce | Whole},
    {Op::ReduceLocal, "reduceLcl", Level::Low,
     "reduceLcl(d: dimension, f: (a, a) -> a, init: a, x: [n]a): a where 1 <= n",
     "reduce by the work-items of a group in dimension d, in any order; all of them get the result",
     Reduce | Whole, Sharing::ItemsOfGroup},
    {Op::ScanSeq, "scanSeq", Level::Low, "scanSeq(f: (b, a) -> b, init: b, x: [n]a): [n]b",
     "scan by one work-item, in a loop", Scan | Whole},
    {Op::ReduceByKeySeq, "reduceByKeySeq", Level::Low,
     "reduceByKeySeq(f: (b, a) -> b, init: [n]b, keys: [m]i32, x: [m]a): [n]b",
     "reduceByKey by one work-item, in a loop", KeyedReduce | Whole},
    {Op::ReduceByKeyLocal, "reduceByKeyLcl", Level::Low,
     "reduceByKeyLcl(d: dimension, f: (b, a) -> b, init: [n]b, keys: [m]i32, x: [m]a): [n]b",
     "reduceByKey by the work-items of a group in dimension d, in any order, in local memory",
     KeyedReduce | Whole, Sharing::ItemsOfGroup},
    {Op::ReduceByKeyGlobal, "reduceByKeyGlb", Level::Low,
     "reduceByKeyGlb(d: dimension, f: (b, a) -> b, init: [n]b, keys: [m]i32, x: [m]a): [n]b",
     "reduceByKey by all work-items of dimension d, in any order, in global memory", KeyedReduce | Whole,
     Sharing::WorkItems},
    {Op::ToGlobal, "toGlobal", Level::Low, "toGlobal(x: a): a", "keeps the value in global memory",
     AddressSpace},
    {Op::ToLocal, "toLocal", Level::Low, "toLocal(x: a): a", "keeps the value in the group's local memory",
     AddressSpace | ConstantLength},
    {Op::ToPrivate, "toPrivate", Level::Low, "toPrivate(x: a): a",
     "keeps the value in the work-item's registers", AddressSpace | ConstantLength},
    {Op::ToImage, "toImage", Level::Low, "toImage(x: [n][m]a): [n][m]a",
     "reads x, an input of f32 or i32, as a two-dimensional image, where the device has images"},
    {Op::Pitch, "pitch", Level::Low, "pitch(p: size, x: [n][m]a): [n][m]a where m <= p",
     "x, whose rows lie p elements apart in the memory that toLocal gives it: against bank conflicts"},
    {Op::LoopAt, "loopAt", Level::Low, "loopAt(k: size, m: size, x: a): a where 1 <= k and k <= m",
     "x, of whose m loops without a place the k-th is the next one, from the outermost on", Schedule},
    {Op::LoopJam, "loopJam", Level::Low,
     "loopJam(l: size, n: size, s: size, x: a): a where 1 <= s and s divides n",
     "x, with s of the n iterations of its l-th loop together in one body", Schedule},
    {Op::LoopLanes, "loopLanes", Level::Low, "loopLanes(l: size, w: size, x: a): a where 1 <= l",
     "x, with w iterations of its l-th loop as the lanes of vectors", Schedule},
    {Op::LoopLimit, "loopLimit", Level::Low, "loopLimit(t: size, m: size, x: a): a where t <= m",
     "x; what the sizes chosen for its loops must keep to", Schedule},
    {Op::LoopTile, "loopTile", Level::Low, "loopTile(l: size, t: size, x: a): a where 1 <= l and 1 <= t",
     "x, with a loop over tiles of t iterations around its l-th loop, the last of them perhaps shorter",
     Schedule},
    {Op::LoopPack, "loopPack", Level::Low, "loopPack(i: size, k: size, x: a): a where 1 <= i",
     "x, with what it reads of its i-th array inside of its outermost k loops copied side by side first",
     Schedule},
    {Op::AsVector, "asVector", Level::Low,
     "asVector(w: size, x: [n]s): [exactdiv(n, w)]sxw where w divides n",
     "neighbouring scalars as vectors of w", View | VectorWidth},
    {Op::AsScalar, "asScalar", Level::Low, "asScalar(x: [n]sxw): [n*w]s",
     "the components of vectors, one by one", View},
    {Op::Broadcast, "broadcast", Level::Low, "broadcast(w: size, x: s): sxw", "a vector of w times x",
     VectorWidth | CallForm},
    {Op::Dot, "dot", Level::Low, "dot(x: sxw, y: sxw): s",
     "the sum of the products of two vectors' components", CallForm},
};

namespace {

constexpr bool table_is_in_order() {
  for (std::size_t row = 0; row < std::size(primitive_table); ++row) {
    if (static_cast<std::size_t>(primitive_table[row].op) != row) return false;
  }
  return std::size(primitive_table) == static_cast<std::size_t>(Op::Dot) + 1;
}
static_assert(table_is_in_order(), "one row a primitive, in the order of Op");

constexpr bool traits_agree() {
  return std::ranges::all_of(primitive_table, [](const Primitive& row) {
    const bool is_layout = row.level == Level::Layout;
    return (!is_layout || row.traits.has_any(View)) &&
           (!row.traits.has_any(Permutation | IndexFunction) || is_layout) &&
           (!row.traits.has_any(Reduce | Scan | KeyedReduce | Iterate) || row.traits.has_any(Whole));
  });
}
static_assert(traits_agree(), "layouts are views, and what carries a state is whole");

}  // namespace

std::int64_t index_inside(Boundary boundary, std::int64_t i, std::int64_t n) {
  /// From 0 to b - 1, for negative a too.
  const auto remainder = [](std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; };
  switch (boundary) {
    case Boundary::Clamp:
      return std::clamp<std::int64_t>(i, 0, n - 1);
    case Boundary::Mirror: {
      // ... 2 1 0 | 0 1 2 ... n-1 | n-1 ... 1 0 | 0 1 ...: it repeats after 2n.
      const std::int64_t place = remainder(i, 2 * n);
      return place < n ? place : 2 * n - 1 - place;
    }
    case Boundary::Wrap:
      return remainder(i, n);
    case Boundary::Reflect: {
      // ... 3 2 1 | 0 1 2 ... n-1 | n-2 ... 1 | 0 1 ...: it repeats after 2(n - 1).
      const std::int64_t period = std::max<std::int64_t>(2 * (n - 1), 1);
      const std::int64_t place = remainder(i, period);
      return place < n ? place : period - place;
    }
  }
  return 0;
}

std::span<const Primitive> all_primitives() { return primitive_table; }

std::optional<Op> primitive_named(std::string_view name) {
  const auto* row = std::ranges::find(primitive_table, name, &Primitive::name);
  if (row == std::end(primitive_table)) return std::nullopt;
  return row->op;
}

}  // namespace hoist::ir
