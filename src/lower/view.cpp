// Views and destinations of memory. A region of memory is made of leaves, a scalar array each, and every
// dimension of a leaf has a stride. Taking element i of the region adds i times the stride to the offset
// (`contribution`); at a scalar the offset is the index of the load or store. A dimension that is spread over
// work-items has no stride in the memory of any of them: there the index must name the work-item that asks
// (`spread_round`).
#include "lower/view.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace hoist::lower {

namespace {

std::size_t leaf_count(ir::Type type) {
  switch (type->kind) {
    case ir::TypeKind::Scalar:
    case ir::TypeKind::Vector:
      return 1;
    case ir::TypeKind::Array:
      return leaf_count(ir::element_of(type));
    case ir::TypeKind::Tuple: {
      std::size_t count = 0;
      for (ir::Type component : type->elements) count += leaf_count(component);
      return count;
    }
    case ir::TypeKind::Function:
      break;
  }
  throw Bug("a function has no leaves");
}

/// The round of an index into a dimension that is spread over work-items. Only the owner may come, so the
/// index must be the variable of a local loop over that dimension, alone or as round * local_size + id.
arith::Expr spread_round(arith::Expr index, const Dimension& dimension) {
  const auto& ids = (*dimension.owners)[static_cast<std::size_t>(dimension.spread_over)];
  for (const LocalId& id : ids) {
    if (index == id.index) return id.round;
  }
  arith::Expr owner = index % dimension.local_size;
  for (const LocalId& id : ids) {
    if (owner == id.variable) return index / dimension.local_size;
  }
  throw_user(
      "a value that mapLcl(" + std::to_string(dimension.spread_over) +
          ", ...) keeps in private memory is used by another work-item than the one that made it",
      "the index is " + arith::to_string(index),
      "consume it with mapLcl of the same dimension and shape, or keep it in local memory with toLocal");
}

arith::Expr contribution(arith::Expr index, const Dimension& dimension) {
  if (dimension.spread_over >= 0) return spread_round(index, dimension) * dimension.stride;
  return index * dimension.stride;
}

int width_of(ir::Type type) {
  if (!ir::is_vector(type)) return 1;
  auto width = type->size.constant();
  if (!width) throw_user("a vector's width must be a constant, but it is " + arith::to_string(type->size));
  return static_cast<int>(*width);
}

}  // namespace

bool is_same_place(const MemoryRegion& a, const MemoryRegion& b) {
  const auto is_same_dimension = [](const Dimension& x, const Dimension& y) {
    return x.stride == y.stride && x.spread_over == y.spread_over;
  };
  const auto is_same_leaf = [&](const MemoryLeaf& x, const MemoryLeaf& y) {
    return x.buffer == y.buffer && x.offset == y.offset &&
           std::ranges::equal(x.dimensions, y.dimensions, is_same_dimension);
  };
  return std::ranges::equal(a.leaves, b.leaves, is_same_leaf);
}

MemoryRegion MemoryRegion::at(arith::Expr index) const {
  MemoryRegion result{ir::element_of(type), leaves};
  for (MemoryLeaf& leaf : result.leaves) {
    leaf.offset = leaf.offset + contribution(index, leaf.dimensions.front());
    leaf.dimensions.erase(leaf.dimensions.begin());
  }
  return result;
}

MemoryRegion MemoryRegion::get(std::uint32_t component) const {
  std::size_t first = 0;
  for (std::uint32_t i = 0; i < component; ++i) first += leaf_count(type->elements[i]);
  std::size_t count = leaf_count(type->elements[component]);
  auto begin = leaves.begin() + static_cast<std::ptrdiff_t>(first);
  return {type->elements[component], {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

View memory_view(MemoryRegion region) {
  auto node = std::make_shared<ViewNode>();
  node->type = region.type;
  auto shared = std::make_shared<const MemoryRegion>(std::move(region));
  node->memory = shared;
  switch (node->type->kind) {
    case ir::TypeKind::Array:
      node->at = [shared](arith::Expr index) { return memory_view(shared->at(index)); };
      break;
    case ir::TypeKind::Tuple:
      node->get = [shared](std::uint32_t component) { return memory_view(shared->get(component)); };
      break;
    case ir::TypeKind::Vector:
      node->lane = [shared](arith::Expr index) {
        MemoryRegion lane{ir::scalar_type(shared->type->scalar), shared->leaves};
        MemoryLeaf& leaf = lane.leaves[0];
        leaf.offset = leaf.offset + contribution(index, leaf.dimensions.front());
        leaf.dimensions.clear();
        return memory_view(lane);
      };
      [[fallthrough]];
    case ir::TypeKind::Scalar:
      node->value = [shared] {
        const MemoryLeaf& leaf = shared->leaves[0];
        return loop::load(leaf.buffer, leaf.offset, width_of(shared->type));
      };
      break;
    case ir::TypeKind::Function:
      throw Bug("a function is not in memory");
  }
  return node;
}

View value_view(ir::Type type, loop::ValuePtr value) {
  auto node = std::make_shared<ViewNode>();
  node->type = type;
  node->is_cheap = std::holds_alternative<loop::Literal>(value->node) ||
                   std::holds_alternative<loop::Reference>(value->node) ||
                   std::holds_alternative<loop::IndexValue>(value->node);
  node->value = [value = std::move(value)] { return value; };
  return node;
}

View array_view(ir::Type type, std::function<View(arith::Expr)> at) {
  auto node = std::make_shared<ViewNode>();
  node->type = type;
  node->at = std::move(at);
  return node;
}

View tuple_view(ir::Type type, std::vector<View> components) {
  auto node = std::make_shared<ViewNode>();
  node->type = type;
  node->get = [components = std::move(components)](std::uint32_t index) { return components[index]; };
  return node;
}

arith::Expr rotated(arith::Expr index, arith::Expr by, arith::Expr length) {
  const auto known = by.constant(), count = length.constant();
  if (known && count && *count > 0) by = arith::constant((*known % *count + *count) % *count);
  using arith::is_less_equal;
  const arith::Expr moved = index + by;
  if (is_less_equal(0, by) && is_less_equal(by, length)) {
    return arith::conditional({arith::Relation::Less, moved, length}, moved, moved - length);
  }
  if (is_less_equal(by, 0) && is_less_equal(-length, by)) {
    return arith::conditional({arith::Relation::Less, moved, 0}, moved + length, moved);
  }
  return is_less_equal(0, by) ? moved % length : (moved % length + length) % length;
}

Destination memory_destination(MemoryRegion region) {
  auto node = std::make_shared<DestinationNode>();
  node->type = region.type;
  node->memory = std::make_shared<const MemoryRegion>(region);
  node->space = region.leaves.empty() ? loop::AddressSpace::Private : region.leaves[0].buffer->space;
  switch (region.type->kind) {
    case ir::TypeKind::Array:
      node->at = [region](arith::Expr index) { return memory_destination(region.at(index)); };
      break;
    case ir::TypeKind::Tuple:
      node->get = [region](std::uint32_t component) { return memory_destination(region.get(component)); };
      break;
    case ir::TypeKind::Vector:
      node->lane = [region](arith::Expr index) {
        MemoryRegion lane{ir::scalar_type(region.type->scalar), region.leaves};
        MemoryLeaf& leaf = lane.leaves[0];
        leaf.offset = leaf.offset + contribution(index, leaf.dimensions.front());
        leaf.dimensions.clear();
        return memory_destination(lane);
      };
      break;
    case ir::TypeKind::Scalar:
      node->target = [region] { return Target{region.leaves[0].buffer, region.leaves[0].offset, {}}; };
      break;
    case ir::TypeKind::Function:
      throw Bug("a function is not in memory");
  }
  return node;
}

Destination array_destination(ir::Type type, loop::AddressSpace space,
                              std::function<Destination(arith::Expr)> at) {
  auto node = std::make_shared<DestinationNode>();
  node->type = type;
  node->space = space;
  node->at = std::move(at);
  return node;
}

Destination tuple_destination(ir::Type type, loop::AddressSpace space,
                              std::function<Destination(std::uint32_t)> get) {
  auto node = std::make_shared<DestinationNode>();
  node->type = type;
  node->space = space;
  node->get = std::move(get);
  return node;
}

arith::Expr nearest_index(arith::Expr index, arith::Expr length) {
  return arith::minimum(arith::maximum(index, 0), length - 1);
}

Destination guarded(Destination inner, arith::Predicate guard) {
  if (arith::holds(guard) == arith::Truth::Yes) return inner;
  auto node = std::make_shared<DestinationNode>();
  node->type = inner->type;
  node->space = inner->space;
  if (inner->at) node->at = [=](arith::Expr index) { return guarded(inner->at(index), guard); };
  if (inner->get) node->get = [=](std::uint32_t component) { return guarded(inner->get(component), guard); };
  if (inner->lane) node->lane = [=](arith::Expr index) { return guarded(inner->lane(index), guard); };
  if (inner->target) {
    node->target = [=] {
      Target target = inner->target();
      target.guards.push_back(guard);
      return target;
    };
  }
  return node;
}

}  // namespace hoist::lower
