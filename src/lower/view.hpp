#pragma once
// Views: how the value of a term is read, and destinations: how it is written. Layout patterns only make
// views, so they cost nothing: an access walks through them and ends in one index into memory (thesis,
// section 4.3.3).
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "ir/type.hpp"
#include "loop/kernel.hpp"

namespace hoist::lower {

struct ViewNode;
using View = std::shared_ptr<const ViewNode>;

/// A local loop that is being generated: who owns an element that is spread over the work-items of a group.
struct LocalId {
  arith::Expr variable;  ///< the work-item
  arith::Expr index,
      round;  ///< round * local_size + variable, where a loop of rounds is around; else the variable and 0
};
using LocalIds = std::array<std::vector<LocalId>, 3>;  ///< by dimension

/// How one dimension of memory is addressed: index * stride, or, where it is spread over the work-items of a
/// local dimension and each keeps its own elements, (index / local_size) * stride.
struct Dimension {
  arith::Expr stride;
  int spread_over = -1;  ///< the local dimension, or -1
  arith::Expr local_size = {};
  const LocalIds* owners = nullptr;
};

/// A scalar array inside a buffer, addressed by offset and dimensions (a vector type's lanes are the last).
struct MemoryLeaf {
  loop::BufferPtr buffer;
  arith::Expr offset = 0;
  std::vector<Dimension> dimensions;
};

/// A value of `type` in memory, one leaf for each leaf of the type.
struct MemoryRegion {
  ir::Type type;
  std::vector<MemoryLeaf> leaves;

  MemoryRegion at(arith::Expr index) const;         ///< of an array
  MemoryRegion get(std::uint32_t component) const;  ///< of a tuple
};
/// Whether two regions of one type are the same memory, element for element.
bool is_same_place(const MemoryRegion& a, const MemoryRegion& b);

/// How a value is read. Exactly the members that suit the type are set: `at` for arrays, `get` for tuples,
/// `value` for scalars and vectors. Calling one may emit statements into the block being generated. What
/// `prefetch` applies: a function, to the elements of an array, some before they are used.
struct Prefetch;

struct ViewNode {
  ir::Type type;
  std::function<View(arith::Expr)> at;
  std::function<View(std::uint32_t)> get;
  std::function<loop::ValuePtr()> value;
  std::function<View(arith::Expr)> lane;       ///< vectors in memory only: one component at any index
  std::shared_ptr<const MemoryRegion> memory;  ///< set when the view is memory itself
  std::shared_ptr<const Prefetch> prefetch;    ///< set for an array that is computed ahead of its use
  bool is_cheap = false;                       ///< a scalar that costs nothing to read again
};

View memory_view(MemoryRegion region);
View value_view(ir::Type type, loop::ValuePtr value);
View array_view(ir::Type type, std::function<View(arith::Expr)> at);
View tuple_view(ir::Type type, std::vector<View> components);

/// (index + by) mod length, of an index into an array of this length.
arith::Expr rotated(arith::Expr index, arith::Expr by, arith::Expr length);

struct DestinationNode;
using Destination = std::shared_ptr<const DestinationNode>;

/// One scalar place: `index` in `buffer`, written only where all guards hold.
struct Target {
  loop::BufferPtr buffer;
  arith::Expr index;
  std::vector<arith::Predicate> guards;
};

/// How a value is written; members as in ViewNode. `lane` takes a vector's component.
struct DestinationNode {
  ir::Type type;
  loop::AddressSpace space;
  std::function<Destination(arith::Expr)> at;
  std::function<Destination(std::uint32_t)> get;
  std::function<Destination(arith::Expr)> lane;
  std::function<Target()> target;
  std::shared_ptr<const MemoryRegion> memory;  ///< set when the destination is memory itself
};

Destination memory_destination(MemoryRegion region);
Destination array_destination(ir::Type type, loop::AddressSpace space,
                              std::function<Destination(arith::Expr)> at);
Destination tuple_destination(ir::Type type, loop::AddressSpace space,
                              std::function<Destination(std::uint32_t)> get);
/// The index of an array of that length which is the nearest to `index`.
arith::Expr nearest_index(arith::Expr index, arith::Expr length);
/// `inner` where the guard holds, nothing elsewhere. Guards that are proven are dropped.
Destination guarded(Destination inner, arith::Predicate guard);

}  // namespace hoist::lower
