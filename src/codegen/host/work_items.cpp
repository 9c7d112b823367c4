// Work-items of a group as loops of the host: which statements become one loop, and what must outlive it.
//
// A thread of the host runs all work-items of a group, one after the other. Between two barriers that is a
// loop over the work-items (a work-group loop); a barrier ends the loop, and the next one begins. So
//
//   let s = x[i]; tile[i] = s;   barrier;   y[i] = s + tile[n - 1 - i];
//
// has two regions, and is printed as one loop for each. The variable s is live across the barrier: it becomes
// an array `s_items` with an element for each work-item. Variables of a single region stay scalars.
//
// Read `segments` first: it cuts a block into regions and into statements that are printed around the loops
// (is_group_statement: what holds a barrier, loops moved outwards, pointers that are the same for the group).
// `finish` does the analysis: `number` gives every region a number and notes which of them use a variable, a
// buffer or an id; `join_pointers` adds that what a pointer names is live where the pointer is (aliasing);
// what is used in two regions or more (statements of the group count as one) is kept. A variable that is
// uniform (the same for all work-items) is set once by the group instead, which may split a region, so all is
// repeated up to a fixed point.
//
// Two questions are about vector instructions only: `is_movable` asks whether a sequential loop may be moved
// around the loop over work-items (loop interchange), which then is the innermost and accesses memory with
// stride 0 or 1 (`is_contiguous`); `find_contiguous_uses` notes which kept buffers must not be interleaved.
#include "codegen/host/work_items.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/overloaded.hpp"
#include "codegen/host/loop_nest.hpp"
#include "codegen/host/strides.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using loop::AddressSpace;

constexpr int group_level = 0;  // in place of a region's number

bool has_barrier(const loop::Statement& statement) {
  bool found = std::holds_alternative<loop::Barrier>(statement.node);
  loop::for_each_block(statement, [&](const loop::Block& inner) {
    found = found || std::any_of(inner.begin(), inner.end(), has_barrier);
  });
  return found;
}

bool has_swap_of(const loop::Statement& statement, const std::set<const loop::Buffer*>& pointers) {
  const auto* swap = std::get_if<loop::Swap>(&statement.node);
  bool found = swap && (pointers.contains(swap->first.get()) || pointers.contains(swap->second.get()));
  loop::for_each_block(statement, [&](const loop::Block& inner) {
    found = found || std::any_of(inner.begin(), inner.end(),
                                 [&](const loop::Statement& each) { return has_swap_of(each, pointers); });
  });
  return found;
}

/// fn(const void*) for each variable and buffer, fn(arith::Expr) for each index expression that is directly
/// in a statement, without those in nested blocks.
template <class Fn>
void for_each_use(const loop::Statement& statement, Fn&& fn) {
  loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) {
    loop::for_each_value(root, [&](const loop::ValuePtr& value) {
      if (const auto* load = std::get_if<loop::Load>(&value->node)) fn(load->buffer.get());
      if (const auto* reference = std::get_if<loop::Reference>(&value->node)) fn(reference->variable.get());
      loop::for_each_own_index(*value, fn);
    });
  });
  if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
    fn(loop->start);
    fn(loop->stop);
    fn(loop->step);
  } else if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
    fn(let->variable.get());
  } else if (const auto* assign = std::get_if<loop::Assign>(&statement.node)) {
    fn(assign->variable.get());
  } else if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
    fn(store->buffer.get());
    fn(store->index);
  } else if (const auto* allocate = std::get_if<loop::Allocate>(&statement.node)) {
    fn(allocate->buffer.get());
  } else if (const auto* alias = std::get_if<loop::Alias>(&statement.node)) {
    fn(alias->pointer.get());
    fn(alias->target.get());
  } else if (const auto* swap = std::get_if<loop::Swap>(&statement.node)) {
    fn(swap->first.get());
    fn(swap->second.get());
  }
}

template <class Fn>
void for_each_nested_use(const loop::Statement& statement, Fn&& fn) {
  for_each_use(statement, fn);
  loop::for_each_block(statement, [&](const loop::Block& inner) {
    for (const loop::Statement& each : inner) for_each_nested_use(each, fn);
  });
}

}  // namespace

const void* entity_of(const WorkItemState& state) {
  if (state.variable) return state.variable.get();
  if (state.buffer) return state.buffer.get();
  return state.id;
}

WorkItemAnalysis::WorkItemAnalysis(const loop::Kernel& kernel, int fast_dimension)
    : uniformity_(kernel), fast_dimension_(fast_dimension) {
  finish(kernel.body);
}

WorkItemAnalysis::WorkItemAnalysis(const loop::Kernel& kernel, const loop::For& loop)
    : uniformity_(kernel, loop.variable) {
  declare(loop.variable->name, {nullptr, nullptr, &loop});
  fast_ids_.push_back(loop.variable);
  finish(loop.body);
}

void WorkItemAnalysis::finish(const loop::Block& block) {
  find_pointers(block);
  const auto ids = declared_;
  const auto fast_ids = fast_ids_;
  // A variable that is the same for all work-items and outlives a region is set once by the group instead of
  // kept. That statement may split another region, so regions are numbered again until nothing changes.
  do {
    is_split_again_ = false;
    declared_ = ids;
    fast_ids_ = fast_ids;
    kept_.clear();
    kept_entities_.clear();
    regions_.clear();
    region_statements_.clear();
    number(block);
    join_pointers(block);
    for (const WorkItemState& state : declared_) {
      if (!state.id && regions_[entity_of(state)].size() >= 2) keep(state);
    }
  } while (is_split_again_);
  find_contiguous_uses(block);
  for (const auto& region : region_statements_) {
    if (is_straight_region(region)) continue;
    for (const loop::Statement& statement : region) {
      for_each_nested_use(statement, Overloaded{[&](const void* entity) { scalar_uses_.insert(entity); },
                                                [](arith::Expr) {}});
    }
  }
}

/// Notes the buffers that pointers name or that are accessed as vectors: they need the elements of one
/// work-item side by side, so they cannot be interleaved.
void WorkItemAnalysis::find_contiguous_uses(const loop::Block& block) {
  const auto note_access = [&](const loop::Buffer& buffer, loop::ValueType type) {
    if (buffer.type.width == 1 && type.width > 1) scalar_uses_.insert(&buffer);
  };
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    if (const auto* alias = std::get_if<loop::Alias>(&statement.node))
      scalar_uses_.insert(alias->target.get());
    const auto* store = std::get_if<loop::Store>(&statement.node);
    if (store) note_access(*store->buffer, store->value->type);
  });
  loop::for_each_value(block, [&](const loop::ValuePtr& value) {
    if (const auto* load = std::get_if<loop::Load>(&value->node)) note_access(*load->buffer, value->type);
  });
}

void WorkItemAnalysis::keep(const WorkItemState& state) {
  if (state.variable && uniform_.contains(state.variable.get())) {
    is_split_again_ = set_by_group_.insert(state.variable.get()).second || is_split_again_;
    return;
  }
  kept_.push_back(state);
  kept_entities_.insert(entity_of(state));
}

bool WorkItemAnalysis::is_straight_region(std::span<const loop::Statement> region) const {
  return std::all_of(region.begin(), region.end(), [&](const loop::Statement& statement) {
    const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
    return (allocate && is_kept(allocate->buffer.get())) || is_straight({&statement, 1});
  });
}

void WorkItemAnalysis::find_pointers(const loop::Block& block) {
  for (const loop::Statement& statement : block) {
    const auto* alias = std::get_if<loop::Alias>(&statement.node);
    if (alias && alias->pointer->space != AddressSpace::Private) group_pointers_.insert(alias->pointer.get());
    if (has_barrier(statement) || has_swap_of(statement, group_pointers_)) {
      loop::for_each_block(statement, [&](const loop::Block& inner) { find_pointers(inner); });
    }
  }
}

bool WorkItemAnalysis::is_group_statement(const loop::Statement& statement) const {
  if (has_barrier(statement) || has_swap_of(statement, group_pointers_)) return true;
  if (const auto* loop = std::get_if<loop::For>(&statement.node)) return moved_.contains(loop);
  if (const auto* alias = std::get_if<loop::Alias>(&statement.node)) {
    return group_pointers_.contains(alias->pointer.get());
  }
  if (const auto* allocate = std::get_if<loop::Allocate>(&statement.node)) {
    return allocate->buffer->space == AddressSpace::Local;
  }
  const auto* let = std::get_if<loop::Let>(&statement.node);
  return let && set_by_group_.contains(let->variable.get());
}

/// Loop interchange: where all work-items run the same sequential loop, each of its iterations may run all
/// work-items. The loop over work-items then is the innermost, and vector instructions serve it where
/// neighbours access neighbouring memory.
bool WorkItemAnalysis::is_movable(const loop::For& loop) const {
  return loop.parallelism == loop::Parallelism::Sequential && !loop.condition && !fast_ids_.empty() &&
         uniformity_.is_uniform(loop) && is_movable(loop.body);
}

bool WorkItemAnalysis::is_movable(const loop::Block& block) const {
  return std::all_of(block.begin(), block.end(), [&](const loop::Statement& statement) {
    bool is_possible = true;
    if (const auto* loop = std::get_if<loop::For>(&statement.node)) return is_movable(*loop);
    if (std::holds_alternative<loop::If>(statement.node)) {
      loop::for_each_block(statement, [&](const loop::Block& inner) {
        const bool has_loops = std::any_of(inner.begin(), inner.end(), [](const loop::Statement& each) {
          return std::holds_alternative<loop::For>(each.node);
        });
        is_possible = is_possible && !has_loops && is_movable(inner);
      });
    } else if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
      is_possible = !store->update && is_contiguous(store->index);
    } else if (!std::holds_alternative<loop::Let>(statement.node) &&
               !std::holds_alternative<loop::Assign>(statement.node) &&
               !std::holds_alternative<loop::Comment>(statement.node)) {
      return false;
    }
    loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) {
      loop::for_each_value(root, [&](const loop::ValuePtr& value) {
        const auto* load = std::get_if<loop::Load>(&value->node);
        // A value that already is a vector gains nothing.
        is_possible = is_possible && value->type.width == 1 &&
                      (!load || (load->buffer->type.width == 1 && is_contiguous(load->index)));
      });
    });
    return is_possible;
  });
}

/// Whether consecutive work-items access the same or neighbouring scalars.
bool WorkItemAnalysis::is_contiguous(arith::Expr index) const {
  const auto step = stride(index, fast_ids_);
  return step && *step >= 0 && *step <= 1;
}

std::vector<Segment> WorkItemAnalysis::segments(const loop::Block& block) const {
  std::vector<Segment> result;
  const std::span<const loop::Statement> all(block);
  for (std::size_t at = 0; at < all.size(); ++at) {
    // A comment belongs to what follows it.
    std::size_t next = at;
    while (next + 1 < all.size() && std::holds_alternative<loop::Comment>(all[next].node)) ++next;
    const bool is_comment = std::holds_alternative<loop::Comment>(all[next].node);
    if (is_comment || is_group_statement(all[next])) {
      for (; at < next; ++at) result.push_back({all.subspan(at, 1), false});
      result.push_back({all.subspan(next, 1), false});
    } else if (!result.empty() && result.back().is_region) {
      result.back().statements = {result.back().statements.data(), &all[next] + 1};
    } else {
      result.push_back({all.subspan(at, next - at + 1), true});
    }
    at = next;
  }
  return result;
}

void WorkItemAnalysis::number(const loop::Block& block) {
  for (const loop::Statement& statement : block) {
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (loop && is_movable(*loop)) moved_.insert(loop);
    const auto* let = std::get_if<loop::Let>(&statement.node);
    const bool is_constant = let && let->value && !let->variable->is_mutable;
    if (is_constant && uniformity_.is_uniform(*let->value)) uniform_.insert(let->variable.get());
  }
  for (const Segment& segment : segments(block)) {
    if (segment.is_region) {
      ++region_count_;
      for (const loop::Statement& statement : segment.statements) note_region(statement);
      region_statements_.push_back(segment.statements);
      continue;
    }
    const loop::Statement& statement = segment.statements[0];
    for_each_use(statement, [&](const auto& use) { note(use, group_level); });
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (loop &&
        (loop->parallelism == loop::Parallelism::Local || loop->parallelism == loop::Parallelism::Global)) {
      declare(loop->variable->name, {nullptr, nullptr, loop});
      if (loop->dimension == fast_dimension_) fast_ids_.push_back(loop->variable);
    }
    require_uniform(statement);
    loop::for_each_block(statement, [&](const loop::Block& inner) { number(inner); });
  }
}

void WorkItemAnalysis::require_uniform(const loop::Statement& statement) const {
  bool is_uniform = true;
  if (const auto* branch = std::get_if<loop::If>(&statement.node)) {
    is_uniform = uniformity_.is_uniform(*branch->condition);
  } else if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
    is_uniform = uniformity_.is_uniform(*loop);
  }
  if (!is_uniform) throw Bug("a barrier or an exchange of pointers where only some work-items come");
}

void WorkItemAnalysis::note_region(const loop::Statement& statement) {
  const auto* let = std::get_if<loop::Let>(&statement.node);
  const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
  const auto* alias = std::get_if<loop::Alias>(&statement.node);
  if (let) declare(let->variable->name, {let->variable, nullptr, nullptr});
  if (allocate && allocate->buffer->space == AddressSpace::Private) {
    declare(allocate->buffer->name, {nullptr, allocate->buffer, nullptr});
  }
  if (alias) declare(alias->pointer->name, {nullptr, alias->pointer, nullptr});
  for_each_use(statement, [&](const auto& use) { note(use, region_count_); });
  loop::for_each_block(statement, [&](const loop::Block& inner) {
    for (const loop::Statement& each : inner) note_region(each);
  });
}

void WorkItemAnalysis::declare(const std::string& name, const WorkItemState& state) {
  declared_.push_back(state);
  by_name_[name] = entity_of(state);
}

void WorkItemAnalysis::note(const void* entity, int region) { regions_[entity].insert(region); }

void WorkItemAnalysis::note(arith::Expr index, int region) {
  for (const arith::Expr& variable : arith::variables(index)) {
    const auto entity = by_name_.find(variable->name);
    if (entity != by_name_.end()) note(entity->second, region);
  }
}

/// A buffer that a pointer may name is used wherever the pointer is. Pointers that are exchanged may name
/// what the other did, so uses are joined up to a fixed point.
void WorkItemAnalysis::join_pointers(const loop::Block& block) {
  bool is_changed = false;
  const auto join = [&](const loop::Buffer* from, const loop::Buffer* to) {
    const std::size_t before = regions_[to].size();
    const std::set<int> more = regions_[from];
    regions_[to].insert(more.begin(), more.end());
    is_changed = is_changed || regions_[to].size() != before;
  };
  do {
    is_changed = false;
    loop::for_each_statement(block, [&](const loop::Statement& statement) {
      if (const auto* alias = std::get_if<loop::Alias>(&statement.node)) {
        join(alias->pointer.get(), alias->target.get());
      } else if (const auto* swap = std::get_if<loop::Swap>(&statement.node)) {
        join(swap->first.get(), swap->second.get());
        join(swap->second.get(), swap->first.get());
      }
    });
  } while (is_changed);
}

std::vector<WorkItemState> WorkItemAnalysis::bound_in(std::span<const loop::Statement> region) const {
  std::set<const void*> used;
  const auto note_use = Overloaded{[&](const void* entity) { used.insert(entity); },
                                   [&](arith::Expr index) {
                                     for (const arith::Expr& variable : arith::variables(index)) {
                                       const auto entity = by_name_.find(variable->name);
                                       if (entity != by_name_.end()) used.insert(entity->second);
                                     }
                                   }};
  for (const loop::Statement& statement : region) for_each_nested_use(statement, note_use);
  std::vector<WorkItemState> result;
  for (const WorkItemState& state : declared_) {
    const void* entity = entity_of(state);
    if (used.contains(entity) && (state.id || is_kept(entity))) result.push_back(state);
  }
  return result;
}

}  // namespace hoist::codegen
