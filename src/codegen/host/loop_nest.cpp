#include "codegen/host/loop_nest.hpp"

#include <algorithm>

#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using loop::AddressSpace;
using loop::Parallelism;

bool is_over_groups(const loop::For& loop) {
  return loop.parallelism == Parallelism::Group || loop.parallelism == Parallelism::Global;
}

class Analysis {
 public:
  bool admits(const loop::Kernel& kernel) {
    walk(kernel.body);
    return is_possible_;
  }
  LocalMemory local_memory() const {
    LocalMemory memory;
    for (const loop::BufferPtr& buffer : local_) {
      const auto use = outermost_use_.find(buffer.get());
      if (use != outermost_use_.end()) memory[use->second].push_back(buffer);
    }
    return memory;
  }

 private:
  void walk(const loop::Block& block) {
    for (const loop::Statement& statement : block) {
      loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) {
        loop::for_each_value(root, [&](const loop::ValuePtr& value) {
          if (const auto* load = std::get_if<loop::Load>(&value->node)) use(*load->buffer);
        });
      });
      std::visit([&](const auto& node) { visit(node); }, statement.node);
      if (!std::holds_alternative<loop::For>(statement.node)) {
        loop::for_each_block(statement, [&](const loop::Block& inner) { walk(inner); });
      }
    }
  }

  void visit(const loop::For& loop) {
    if (loop.parallelism == Parallelism::Sequential) return walk(loop.body);
    require(std::none_of(parallel_.begin(), parallel_.end(),
                         [&](const loop::For* outer) { return is_conflict(*outer, loop); }));
    parallel_.push_back(&loop);
    walk(loop.body);
    parallel_.pop_back();
  }
  void visit(const loop::Let& let) { declared_[let.variable.get()] = innermost(); }
  void visit(const loop::Assign& assign) { require(declared_[assign.variable.get()] == innermost()); }
  void visit(const loop::Allocate& allocate) {
    declared_[allocate.buffer.get()] = innermost();
    if (allocate.buffer->space == AddressSpace::Local) local_.push_back(allocate.buffer);
  }
  void visit(const loop::Store& store) {
    use(*store.buffer);
    if (store.buffer->space == AddressSpace::Private) require(declared_[store.buffer.get()] == innermost());
  }
  void visit(const loop::Alias& alias) {
    declared_[alias.pointer.get()] = innermost();
    outermost_use_[alias.pointer.get()] = outermost();
    use(*alias.target);
    // Stores through the pointer change the target.
    if (alias.target->space == AddressSpace::Private) require(declared_[alias.target.get()] == innermost());
  }
  void visit(const loop::Swap& swap) {
    for (const auto& pointer : {swap.first, swap.second}) {
      use(*pointer);
      require(declared_[pointer.get()] == innermost());
    }
  }
  void visit(const loop::Barrier&) {
    require(std::all_of(parallel_.begin(), parallel_.end(),
                        [](const loop::For* outer) { return outer->parallelism == Parallelism::Group; }));
  }
  void visit(const loop::Commit&) {}
  void visit(const loop::Await&) {}
  void visit(const loop::If&) {}
  void visit(const loop::Comment&) {}

  void use(const loop::Buffer& buffer) {
    if (buffer.space != AddressSpace::Local) return;
    require(outermost_use_.emplace(&buffer, outermost()).first->second == outermost());
  }

  /// Whether a work-item would execute only some combinations of both loops' iterations.
  static bool is_conflict(const loop::For& outer, const loop::For& inner) {
    if (inner.parallelism == Parallelism::Group && outer.parallelism != Parallelism::Group) return true;
    if (outer.dimension != inner.dimension) return false;
    return outer.parallelism == inner.parallelism || outer.parallelism == Parallelism::Global ||
           inner.parallelism == Parallelism::Global;
  }

  const loop::For* innermost() const { return parallel_.empty() ? nullptr : parallel_.back(); }
  const loop::For* outermost() const {
    const auto found = std::find_if(parallel_.begin(), parallel_.end(),
                                    [](const loop::For* each) { return is_over_groups(*each); });
    return found == parallel_.end() ? nullptr : *found;
  }
  void require(bool condition) { is_possible_ = is_possible_ && condition; }

  bool is_possible_ = true;
  std::vector<const loop::For*> parallel_;  // those around the statement
  std::map<const void*, const loop::For*> declared_;
  std::map<const loop::Buffer*, const loop::For*> outermost_use_;
  std::vector<loop::BufferPtr> local_;
};

}  // namespace

std::optional<LocalMemory> loop_nest(const loop::Kernel& kernel) {
  Analysis analysis;
  if (!analysis.admits(kernel)) return std::nullopt;
  return analysis.local_memory();
}

std::vector<const loop::For*> perfect_nest(const loop::For& loop) {
  std::vector<const loop::For*> nest{&loop};
  while (true) {
    const loop::For* next = nullptr;
    for (const loop::Statement& statement : nest.back()->body) {
      if (std::holds_alternative<loop::Comment>(statement.node)) continue;
      const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
      if (allocate && allocate->buffer->space == AddressSpace::Local) continue;
      const auto* inner = std::get_if<loop::For>(&statement.node);
      if (next || !inner || !is_over_groups(*inner)) return nest;
      next = inner;
    }
    if (!next) return nest;
    const bool is_rectangular = std::none_of(nest.begin(), nest.end(), [&](const loop::For* outer) {
      return arith::contains(next->stop, outer->variable);
    });
    if (!is_rectangular) return nest;
    nest.push_back(next);
  }
}

std::optional<std::int64_t> most_iterations(const loop::Kernel& kernel, const loop::For& loop) {
  const bool is_given =
      loop.stop.kind() == arith::Kind::Variable &&
      std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const auto& each) {
        const auto* scalar = std::get_if<loop::ScalarParameter>(&each);
        return scalar && scalar->variable->name == loop.stop->name;
      });
  return is_given ? loop.stop->facts.maximum : loop.stop.constant();
}

bool reuses_local_memory(const loop::For& loop) {
  bool is_used = false;
  const auto note = [&](const loop::Buffer& buffer) { is_used |= buffer.space == AddressSpace::Local; };
  loop::for_each_statement(loop.body, [&](const loop::Statement& statement) {
    if (const auto* store = std::get_if<loop::Store>(&statement.node)) note(*store->buffer);
    if (const auto* alias = std::get_if<loop::Alias>(&statement.node)) note(*alias->target);
  });
  loop::for_each_value(loop.body, [&](const loop::ValuePtr& value) {
    if (const auto* load = std::get_if<loop::Load>(&value->node)) note(*load->buffer);
  });
  return is_used && is_over_groups(loop);
}

bool is_straight(std::span<const loop::Statement> statements) {
  return std::all_of(statements.begin(), statements.end(), [](const loop::Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    bool is_simple = !(store && store->update) && !std::holds_alternative<loop::For>(statement.node) &&
                     !std::holds_alternative<loop::Swap>(statement.node) &&
                     !std::holds_alternative<loop::Allocate>(statement.node);
    loop::for_each_block(statement,
                         [&](const loop::Block& inner) { is_simple = is_simple && is_straight(inner); });
    return is_simple;
  });
}

}  // namespace hoist::codegen
