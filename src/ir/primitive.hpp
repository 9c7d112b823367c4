#pragma once
// The one table of primitives: name, type scheme, documentation. Typing, elaboration of text, the reference
// manual and `hoist` itself all read it.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hoist::ir {

enum class Op : std::uint8_t {
  // high level: what is computed
  Map,
  Reduce,
  ReduceRange,
  Scan,
  ReduceByKey,
  Iterate,
  IterateWhile,
  Generate,
  // layout: which element is where; no cost of their own
  Zip,
  Unzip,
  Split,
  Join,
  Transpose,
  Slide,
  Pad,
  PadValue,
  Gather,
  Scatter,
  At,
  Take,
  Drop,
  Concat,
  Update,
  // low level: how and where
  MapGlobal,
  MapGroup,
  MapLocal,
  MapSeq,
  MapSeqUnroll,
  MapSeqSlide,
  Prefetch,
  ReduceSeq,
  ReduceSeqUnroll,
  ReduceLocal,
  ScanSeq,
  ReduceByKeySeq,
  ReduceByKeyLocal,
  ReduceByKeyGlobal,
  ToGlobal,
  ToLocal,
  ToPrivate,
  ToImage,
  Pitch,
  AsVector,
  AsScalar,
  Broadcast,
  Dot,
};

enum class Level : std::uint8_t { High, Layout, Low };

/// What happens outside an array, in `pad`: the nearest element; mirrored with the edge element repeated
/// (index -1 reads 0, n reads n-1); the opposite end; mirrored at the edge element (-1 reads 1, n reads n-2).
enum class Boundary : std::uint8_t { Clamp, Mirror, Wrap, Reflect };

/// One row of the table. The scheme is in the order of the arguments in the text; lower-case letters stand
/// for sizes (in [ ] and size arguments) and types. `(a) -> b` is a function argument.
///   "split(s: size, x: [n]a): [exactdiv(n, s)][s]a where s divides n"
///   "mapGlb(d: dimension, f: (a) -> b, x: [n]a): [n]b"
struct Primitive {
  Op op;
  std::string_view name;
  Level level;
  std::string_view scheme;
  std::string_view documentation;  ///< one line
};
const Primitive& primitive(Op op);
std::span<const Primitive> all_primitives();
std::optional<Op> primitive_named(std::string_view name);

inline bool is_parallel_map(Op op) { return op == Op::MapGlobal || op == Op::MapGroup || op == Op::MapLocal; }
inline bool is_map(Op op) {
  return op == Op::Map || is_parallel_map(op) || op == Op::MapSeq || op == Op::MapSeqUnroll || op == Op::Prefetch;
}
inline bool is_reduce(Op op) {
  return op == Op::Reduce || op == Op::ReduceRange || op == Op::ReduceSeq || op == Op::ReduceSeqUnroll ||
         op == Op::ReduceLocal;
}
inline bool is_scan(Op op) { return op == Op::Scan || op == Op::ScanSeq; }
inline bool is_keyed_reduce(Op op) {
  return op == Op::ReduceByKey || op == Op::ReduceByKeySeq || op == Op::ReduceByKeyLocal ||
         op == Op::ReduceByKeyGlobal;
}
inline bool is_iterate(Op op) { return op == Op::Iterate || op == Op::IterateWhile; }
inline bool is_address_space(Op op) { return op == Op::ToGlobal || op == Op::ToLocal || op == Op::ToPrivate; }

}  // namespace hoist::ir
