// Marks the stores that had better go past the caches of a processor. A result that is larger than they are
// is not in them when somebody reads it; written through them, each of its lines is first read from memory,
// for nothing, and takes the place of something that is read again. A stencil then moves half as much again
// as it has to.
//
//   for y: for x: v[w*y + x] = f(u ...)     to     for y: for x: stream v[w*y + x] = f(u ...)
//
// What is streamed is an array that is larger than the last cache and that its kernel writes once, in
// parallel loops, and does not read. Kernels with sequential loops keep their stores: their results come
// late, a few scalars at a time, and a part of a line that is streamed costs more than it saves.
#include <algorithm>
#include <set>

#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

/// Whether the kernel is nothing but parallel loops around straight code, without memory of groups.
bool is_elementwise(const loop::Kernel& kernel) {
  bool is_simple = true;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* loop = std::get_if<loop::For>(&statement.node);
    const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
    if (loop && loop->parallelism == loop::Parallelism::Sequential) is_simple = false;
    if (allocate && allocate->buffer->space != loop::AddressSpace::Private) is_simple = false;
    // Two names may mean one array.
    if (std::holds_alternative<loop::Alias>(statement.node) ||
        std::holds_alternative<loop::Barrier>(statement.node))
      is_simple = false;
  });
  return is_simple;
}

/// The arrays that are read, or updated in place.
std::set<const loop::Buffer*> read_by(const loop::Kernel& kernel) {
  std::set<const loop::Buffer*> read;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    if (store && store->update) read.insert(store->buffer.get());
  });
  loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
    if (const auto* load = std::get_if<loop::Load>(&value->node)) read.insert(load->buffer.get());
  });
  return read;
}

class Marking {
 public:
  Marking(const loop::Kernel& kernel, std::int64_t cache_bytes)
      : read_(read_by(kernel)), cache_bytes_(cache_bytes) {}

  void mark(loop::Block& block) {
    for (loop::Statement& statement : block) {
      if (auto* loop = std::get_if<loop::For>(&statement.node)) {
        around_.push_back(loop->variable);
        mark(loop->body);
        around_.pop_back();
      } else if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        mark(branch->then_body);
        mark(branch->else_body);
      } else if (auto* store = std::get_if<loop::Store>(&statement.node)) {
        store->is_streamed = is_large(*store->buffer) && is_written_once(*store);
      }
    }
  }

 private:
  bool is_large(const loop::Buffer& buffer) const {
    const auto scalars = buffer.scalars.constant();
    return scalars && *scalars > cache_bytes_ / static_cast<std::int64_t>(size_of(buffer.type.scalar));
  }
  bool is_written_once(const loop::Store& store) const {
    if (store.buffer->space != loop::AddressSpace::Global || read_.contains(store.buffer.get())) return false;
    return std::ranges::all_of(around_, [&](arith::Expr loop) { return arith::contains(store.index, loop); });
  }

  std::set<const loop::Buffer*> read_;
  std::int64_t cache_bytes_;
  std::vector<arith::Expr> around_;  ///< the variables of the loops around
};

}  // namespace

void stream_stores(loop::Kernel& kernel, std::int64_t cache_bytes) {
  if (is_elementwise(kernel)) Marking(kernel, cache_bytes).mark(kernel.body);
}

}  // namespace hoist::lower
