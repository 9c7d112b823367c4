#pragma once
// The one table of primitives: name, type scheme, documentation, traits. Typing, elaboration of text, the
// reference manual and `hoist` itself all read it.
#include <cstddef>
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
  Rotate,
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
  LoopAt,
  LoopJam,
  LoopLanes,
  LoopLimit,
  LoopTile,
  LoopPack,
  AsVector,
  AsScalar,
  Broadcast,
  Dot,  // the last one: the table is as long as it says
};

/// The bit of a primitive in a set of them.
constexpr std::uint64_t op_bit(Op op) {
  static_assert(static_cast<unsigned>(Op::Dot) < 64);
  return std::uint64_t{1} << static_cast<unsigned>(op);
}

enum class Level : std::uint8_t { High, Layout, Low };

/// What happens outside an array, in `pad`: the nearest element; mirrored with the edge element repeated
/// (index -1 reads 0, n reads n-1); the opposite end; mirrored at the edge element (-1 reads 1, n reads n-2).
enum class Boundary : std::uint8_t { Clamp, Mirror, Wrap, Reflect };
/// The element that is read for index `i` of an array of n elements, at least one.
std::int64_t index_inside(Boundary boundary, std::int64_t i, std::int64_t n);

/// What the code asks of primitives. A row of the table says which hold, so that a new primitive answers all
/// questions there and no list of primitives stands anywhere else. Where each primitive has an answer of its
/// own (what it means, how it is read and written), a `switch` without `default` asks for it.
enum class Trait : std::uint16_t {
  Map = 1U << 0U,            ///< applies a function to every element
  Reduce = 1U << 1U,         ///< combines all elements into one value
  Scan = 1U << 2U,           ///< gives the reductions of all prefixes
  KeyedReduce = 1U << 3U,    ///< combines each element into the one of its key
  Iterate = 1U << 4U,        ///< applies a function to its own result
  View = 1U << 5U,           ///< reads elements, or parts of them, where they are: nothing is computed
  Permutation = 1U << 6U,    ///< a view that has every element of its arrays, or every component of one, once
  IndexFunction = 1U << 7U,  ///< its function takes an index and gives one
  Whole = 1U << 8U,          ///< its elements cannot be computed one without the others
  AddressSpace = 1U << 9U,   ///< says in which memory its value is kept
  ConstantLength = 1U << 10U,  ///< is kept in memory whose length must be known when compiling
  VectorWidth = 1U << 11U,     ///< its size w is the width of a vector
  CallForm = 1U << 12U,        ///< reads best as f(x, y), not as y |> f(x)
  Schedule = 1U << 13U,        ///< says of the loops that compute its value how they run
};

/// A set of traits.
class Traits {
 public:
  constexpr Traits() = default;
  constexpr Traits(Trait trait) : bits_(static_cast<std::uint16_t>(trait)) {}
  constexpr Traits operator|(Traits other) const { return Traits(bits_ | other.bits_); }
  constexpr bool has_any(Traits others) const { return (bits_ & others.bits_) != 0; }

 private:
  constexpr explicit Traits(unsigned bits) : bits_(static_cast<std::uint16_t>(bits)) {}
  std::uint16_t bits_ = 0;
};
constexpr Traits operator|(Trait a, Trait b) { return Traits(a) | b; }

/// Who shares the elements of a primitive in its dimension d.
enum class Sharing : std::uint8_t {
  Nobody,        ///< who computes its result does all of them
  WorkItems,     ///< all work-items of the launch
  Groups,        ///< all work-groups of the launch
  ItemsOfGroup,  ///< the work-items of a group
};

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
  Traits traits = {};
  Sharing sharing = Sharing::Nobody;
};
extern const Primitive primitive_table[];  ///< in the order of Op
inline const Primitive& primitive(Op op) { return primitive_table[static_cast<std::size_t>(op)]; }
std::span<const Primitive> all_primitives();
std::optional<Op> primitive_named(std::string_view name);

/// Whether the primitive has one of the traits.
inline bool has_any(Op op, Traits traits) { return primitive(op).traits.has_any(traits); }
inline Sharing sharing(Op op) { return primitive(op).sharing; }

inline bool is_map(Op op) { return has_any(op, Trait::Map); }
inline bool is_parallel_map(Op op) { return is_map(op) && sharing(op) != Sharing::Nobody; }
inline bool is_reduce(Op op) { return has_any(op, Trait::Reduce); }
inline bool is_scan(Op op) { return has_any(op, Trait::Scan); }
inline bool is_keyed_reduce(Op op) { return has_any(op, Trait::KeyedReduce); }
inline bool is_iterate(Op op) { return has_any(op, Trait::Iterate); }
inline bool is_address_space(Op op) { return has_any(op, Trait::AddressSpace); }
inline bool is_schedule(Op op) { return has_any(op, Trait::Schedule); }
inline bool is_view(Op op) { return has_any(op, Trait::View); }
/// A view of the level of layouts: elements stay what they are, and are not put together to vectors.
inline bool is_layout(Op op) { return primitive(op).level == Level::Layout; }
/// A pattern whose function takes what it gave for the element, or the step, before.
inline bool carries_state(Op op) {
  return has_any(op, Trait::Reduce | Trait::Scan | Trait::KeyedReduce | Trait::Iterate);
}
/// A pattern that applies its function again and again where it is computed by one work-item.
inline bool is_loop(Op op) { return is_map(op) || carries_state(op); }

}  // namespace hoist::ir
