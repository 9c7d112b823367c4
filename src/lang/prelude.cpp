// The prelude: definitions in the language itself that every program may use. The comment above a definition
// is its documentation.
#include "lang/lang.hpp"

namespace hoist::lang {

const std::string& prelude() {
  static const std::string text = R"hoist(
// ---- Maps and zips of several dimensions.

// f on every pair of elements of two arrays.
def zipWith(f, x, y) = zip(x, y) |> map(f)

// f on every element of a 2-d array.
def map2(f, x) = x |> map(map(f))

// f on every element of a 3-d array.
def map3(f, x) = x |> map(map(map(f)))

// Pairs up the elements of two 2-d arrays.
def zip2(x, y) = zip(x, y) |> map((a, b) => zip(a, b))

// Pairs up the elements of two 3-d arrays.
def zip3(x, y) = zip(x, y) |> map((a, b) => zip2(a, b))

// f on the elements from index `from` up to, without, `to`; g on the others.
def mapRange(f, g, from, to, x: [N]_) =
  zip(iota(N), x) |> map((i, e) => if from <= i && i < to then f(e) else g(e))

// f on every pair of an element of x and one of y: a matrix.
def outerProduct(f, x, y) = x |> map(a => y |> map(b => f(a, b)))

// ---- Arrays from nothing.

// 0, 1, ... n - 1.
def iota(n: size) = generate(n, id)

// n times v.
def fill(n: size, v) = generate(n, i => v)

// ---- Reductions of numbers.

// The sum of all elements.
def sum(x) = x |> reduce(+, 0)

// The product of all elements.
def product(x) = x |> reduce(*, 1)

// The largest element.
def maximum(x) = x |> reduce(max, x[0])

// The smallest element.
def minimum(x) = x |> reduce(min, x[0])

// The sum of the products of two arrays' elements.
def dotProduct(x, y) = zip(x, y) |> map(*) |> reduce(+, 0)

// The first k elements alone, as reduce combines them.
def reduceUpTo(f, init, k, x) = x |> reduceRange(f, init, 0, k)

// The elements from x[k] on alone, as reduce combines them.
def reduceFrom(f, init, k, x: [N]_) = x |> reduceRange(f, init, k, size(N))

// Element i combines init and x[0] to x[i - 1].
def scanExclusive(f, init, x: [N]_) = x |> scan(f, init) |> pad(1, 0, init) |> take(N)

// ---- Parts and orders.

// The first element.
def head(x) = x[0]

// The last element.
def last(x: [N]_) = x[size(N - 1)]

// The elements from the last to the first.
def reverse(x: [N]_) = x |> gather(i => size(N - 1) - i)

// The first h rows of the first w elements.
def take2(h: size, w: size, x) = x |> take(h) |> map(take(w))

// All but the first h rows and the first w elements of each.
def drop2(h: size, w: size, x) = x |> drop(h) |> map(drop(w))

// Exchanges the two inner dimensions of a 3-d array.
def transposeInner(x) = x |> map(transpose)

// ---- Neighbourhoods.

// Windows of n neighbouring elements.
def windows(n: size, x) = x |> slide(n, 1)

// l elements more before and r after, in both dimensions; mode as for pad.
def pad2(l: size, r: size, mode, x) = x |> map(pad(l, r, mode)) |> pad(l, r, mode)

// l elements more before and r after, in all three dimensions.
def pad3(l: size, r: size, mode, x) = x |> map(pad2(l, r, mode)) |> pad(l, r, mode)

// Windows of n x n elements: [H][W]a to [..][..][n][n]a.
def slide2(n: size, step: size, x) = x |> map(slide(n, step)) |> slide(n, step) |> map(transpose)

// Windows of n x n x n elements: [D][H][W]a to [..][..][..][n][n][n]a.
def slide3(n: size, step: size, x) =
  x |> map(slide2(n, step)) |> slide(n, step) |> map(transpose >> map(transpose))

// ---- Tiles.

// Tiles of h x w elements: [H][W]a to [H / h][W / w][h][w]a.
def tile2(h: size, w: size, x) = x |> split(h) |> map(map(split(w)) >> transpose)

// Puts the tiles of tile2 together again.
def untile2(x) = x |> map(transpose >> map(join)) |> join

// Chunks of t elements, the last filled up with copies of the last element.
def splitGuarded(t: size, x: [N]_) = x |> pad(0, ceildiv(N, t) * t - N, clamp) |> split(t)

// The first n elements of chunks put together: undoes splitGuarded.
def joinGuarded(n: size, x) = join(x) |> take(n)

// ---- How, in two dimensions: dimension 1 outside, dimension 0 inside.

// A work-item for every element of a 2-d array.
def mapGlb2(f, x) = x |> mapGlb(1, mapGlb(0, f))

// A work-group for every element of a 2-d array.
def mapWrg2(f, x) = x |> mapWrg(1, mapWrg(0, f))

// A work-item of the group for every element of a 2-d array.
def mapLcl2(f, x) = x |> mapLcl(1, mapLcl(0, f))

// One work-item does every element of a 2-d array.
def mapSeq2(f, x) = x |> mapSeq(mapSeq(f))
)hoist";
  return text;
}

}  // namespace hoist::lang
