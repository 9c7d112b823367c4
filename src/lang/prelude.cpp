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

// ---- Where elements go.

// x, but element targets[i] is values[i]: of several with one target the last. Targets outside are dropped.
def scatterTo(targets: [M]i32, values: [M]_, x) =
  let winners = iota(M) |> reduceByKey(max, x |> map(e => -1), targets)
  zip(winners, x) |> map((i, e) => if i < 0 then e else values[i])

// How many elements satisfy p, and x with those first, then all others; both in their order.
def partition(p, x: [N]_) =
  let chosen = x |> map(e => if p(e) then 1 else 0)
  let until = chosen |> scan(+, 0)
  let count = until |> pad(1, 0, 0) |> last
  (count, x |> scatter(i => if chosen[i] == 1 then until[i] - 1 else count + i - until[i]))

// How many elements satisfy p, and those in their order; the rest of the array is filled with the value given.
def filter(p, filler, x: [N]_) =
  let (count, parted) = x |> partition(p)
  (count, zip(iota(N), parted) |> map((i, e) => if i < count then e else filler))

// x in the order of key(e), a number, from the smallest; stable, and where the key is NaN last.
def sortBy(key, x: [N]_) =
  // Blocks of w elements, each in order, are merged by two: an element goes as far behind the start of both as there
  // are elements before it in its own block and in the other, where a binary search finds its place.
  let last: size = N - 1
  let passes: size = (min(1, last) + min(1, last / 2) + min(1, last / 4) + min(1, last / 8) + min(1, last / 16)
      + min(1, last / 32) + min(1, last / 64) + min(1, last / 128) + min(1, last / 256)
      + min(1, last / 512) + min(1, last / 1024) + min(1, last / 2048) + min(1, last / 4096)
      + min(1, last / 8192) + min(1, last / 16384) + min(1, last / 32768) + min(1, last / 65536)
      + min(1, last / 131072) + min(1, last / 262144) + min(1, last / 524288)
      + min(1, last / 1048576) + min(1, last / 2097152) + min(1, last / 4194304)
      + min(1, last / 8388608) + min(1, last / 16777216) + min(1, last / 33554432)
      + min(1, last / 67108864) + min(1, last / 134217728) + min(1, last / 268435456)
      + min(1, last / 536870912) + min(1, last / 1073741824))
  x |> map(e => (1, e)) |> iterate(passes, v => v |> map((w, e) => (2 * w, e)) |> scatter(i =>
    let (w, e) = v[i]
    let own = i / w * w
    let other = if i / w % 2 == 0 then own + w else own - w
    let start = min(other, size(N))
    let (place, end) = (start, min(start + w, size(N))) |> iterate(passes, (low, high) =>
      if low >= high then (low, high) else searched(key(e), key(v[(low + high) / 2].1), other < own, low, high))
    min(own, other) + i - own + place - start)) |> map((w, e) => e)

// A step of the binary search in sortBy: what is left of low to high, where b, in the middle, belongs before a or not.
def searched(a, b, isFirst, low, high) =
  let middle = (low + high) / 2
  if (if isFirst then !isBefore(a, b) else isBefore(b, a)) then (middle + 1, high) else (low, middle)

// Whether a comes before b in the order of numbers, NaN the last of them.
def isBefore(a, b) = a < b || (a == a && b != b)

// The elements from the smallest to the largest, NaN last.
def sort(x) = x |> sortBy(id)

// ---- Segments, each from where starts is true to before the next.

// The scan of every segment; f is associative, init its neutral element.
def segmentedScan(f, init, starts, x) =
  zip(starts, x)
    |> scan(associative(((s, a), (t, b)) => (s || t, if t then b else f(a, b))), (false, init))
    |> map((s, a) => a)

// The reduction of each of the first n segments, init where there are fewer; f is associative, init its neutral element.
def segmentedReduce(f, init, n: size, starts, x) =
  let sums = x |> segmentedScan(f, init, starts)
  let segments = starts |> map(s => if s then 1 else 0) |> scan(+, -1)
  let ends = zip(segments, starts |> pad(0, 1, true) |> drop(1)) |> map((s, isEnd) => if isEnd then s else -1)
  fill(n, init) |> scatterTo(ends, sums)

// ---- Random numbers.

// Four random numbers of 32 bits: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
// Different keys and counters give numbers that are independent.
def philox(key: (u32, u32), counter: (u32, u32, u32, u32)): (u32, u32, u32, u32) =
  let (random, used) = (counter, key) |> iterate(10, ((a, b, c, d), (k, l)) =>
    ((bit_xor(bit_xor(upperProduct(3449720151u32, c), b), k), 3449720151u32 * c,
      bit_xor(bit_xor(upperProduct(3528531795u32, a), d), l), 3528531795u32 * a),
     (k + 2654435769u32, l + 3144134277u32)))
  random

// The upper 32 bits of the product of two numbers.
def upperProduct(a: u32, b: u32): u32 =
  let low = i64(a) * i64(bit_and(b, 65535u32))
  let high = i64(a) * i64(shr(b, 16u32))
  u32(shr(high + shr(low, 16i64), 16i64))

// From 0 to below 1, in steps of 2^-24, by 32 random bits.
def uniform(bits: u32): f32 = f32(shr(bits, 8u32)) * 5.9604645e-8

// n random numbers from 0 to below 1; each seed has numbers of its own.
def random(n: size, seed: u32): [n]f32 =
  generate(n, i => uniform(philox((seed, 0u32), (u32(i), 0u32, 0u32, 0u32)).0))

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
