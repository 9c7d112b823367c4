// Barriers from read and write sets. Walking a kernel in order, the accesses of the parallel statements since
// the last barrier are pending; a statement that may touch, from another work-item, what is pending gets a
// barrier before it.
#include <algorithm>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "lower/lower.hpp"
#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using arith::Truth;
using loop::AddressSpace;
using loop::Block;
using loop::LoopForm;
using loop::Parallelism;
using loop::Statement;

struct LocalLoop {
  int dimension;
  Expr variable, stop;
};

/// What accesses at one place of a kernel have in common.
struct Scope {
  std::vector<LocalLoop> locals;  ///< enclosing local loops, by which a work-item is told from others
  std::vector<Expr> varying;      ///< loop variables that differ between accesses of one statement
};
using ScopePtr = std::shared_ptr<const Scope>;

struct Access {
  loop::BufferPtr buffer;
  Expr index;  ///< of each scalar touched: a vector access adds a variable for its lanes
  Expr lane;   ///< that variable, or empty
  bool is_write;
  ScopePtr scope;
  std::optional<ScalarOp> update =
      std::nullopt;           ///< atomic: updates by one operation need no order among them
  mutable Expr uniform = {};  ///< uniform_part(), once it was asked for

  /// fn(Expr) for the variables that differ between accesses of its statement, but for those of local loops.
  template <class Fn>
  void for_each_varying(Fn&& fn) const {
    for (Expr variable : scope->varying) fn(variable);
    if (lane) fn(lane);
  }
};
using Accesses = std::vector<Access>;

bool contains_local_loop(const Block& block) {
  bool found = false;
  loop::for_each_statement(block, [&](const Statement& statement) {
    auto* inner = std::get_if<loop::For>(&statement.node);
    found |= inner && inner->parallelism == Parallelism::Local;
  });
  return found;
}

std::size_t count_barriers(const Block& block) {
  std::size_t count = 0;
  loop::for_each_statement(
      block, [&](const Statement& s) { count += std::holds_alternative<loop::Barrier>(s.node); });
  return count;
}

Block one(Statement statement) {
  Block block;
  block.push_back(std::move(statement));
  return block;
}

class Inserter {
 public:
  Inserter(const loop::Kernel& kernel, bool eliminate, loop::NameSource& names)
      : launch_(kernel.launch), eliminate_(eliminate), names_(names) {
    // Which buffers a pointer may name.
    loop::for_each_statement(kernel.body, [&](const Statement& statement) {
      if (auto* alias = std::get_if<loop::Alias>(&statement.node)) aliases_.push_back(*alias);
    });
    loop::for_each_statement(kernel.body, [&](const Statement& statement) {
      if (auto* swap = std::get_if<loop::Swap>(&statement.node)) swaps_.push_back(*swap);
    });
  }

  Block run(Block block) {
    Accesses pending;
    return process(std::move(block), pending, std::make_shared<Scope>(), true);
  }

 private:
  // ---- Collecting accesses.
  static void collect_value(const loop::ValuePtr& root, const ScopePtr& scope, Accesses& out) {
    loop::for_each_value(root, [&](const loop::ValuePtr& value) {
      if (auto* load = std::get_if<loop::Load>(&value->node)) {
        add(load->buffer, load->index, value->type.width, false, scope, out);
      }
    });
  }
  static void add(const loop::BufferPtr& buffer, Expr index, int width, bool is_write, const ScopePtr& scope,
                  Accesses& out) {
    // The fault flag needs no order: whoever sets it sets the same value.
    if (buffer->space == AddressSpace::Private || buffer->name == fault_flag) return;
    Expr lane;
    if (width > 1) {
      lane = arith::index("lane", 0, arith::constant(width));
      index = index + lane;
    }
    out.push_back({buffer, index, lane, is_write, scope});
  }
  static void collect(const Statement& statement, const ScopePtr& scope, Accesses& out) {
    loop::for_each_root_value(statement,
                              [&](const loop::ValuePtr& root) { collect_value(root, scope, out); });
    if (auto* store = std::get_if<loop::Store>(&statement.node)) {
      const std::size_t before = out.size();
      add(store->buffer, store->index, store->value->type.width, true, scope, out);
      if (out.size() > before) out.back().update = store->update;
    }
    ScopePtr inside = scope;
    if (auto* inner = std::get_if<loop::For>(&statement.node)) {
      Scope deeper = *scope;
      if (inner->parallelism == Parallelism::Local) {
        deeper.locals.push_back({inner->dimension, inner->variable, inner->stop});
      }
      deeper.varying.push_back(inner->variable);
      inside = std::make_shared<const Scope>(std::move(deeper));
    }
    loop::for_each_block(statement, [&](const Block& block) {
      for (const Statement& child : block) collect(child, inside, out);
    });
  }

  // ---- Conflicts.
  bool may_alias(const loop::BufferPtr& a, const loop::BufferPtr& b) const {
    if (a == b) return true;
    if (!a->is_pointer && !b->is_pointer) return false;
    if (a->is_pointer && b->is_pointer) {
      // Pointers that exchange buffers among themselves, each with one of its own, never name the same one.
      std::vector<loop::BufferPtr> circle = exchanging(a);
      if (std::find(circle.begin(), circle.end(), b) != circle.end() && are_targets_distinct(circle))
        return false;
    }
    for (const loop::BufferPtr& x : targets(a)) {
      for (const loop::BufferPtr& y : targets(b)) {
        if (x == y) return true;
      }
    }
    return false;
  }
  std::vector<loop::BufferPtr> targets(const loop::BufferPtr& buffer) const {
    if (!buffer->is_pointer) return {buffer};
    std::vector<loop::BufferPtr> result;
    for (const loop::BufferPtr& pointer : exchanging(buffer)) {
      for (const loop::Alias& alias : aliases_) {
        if (alias.pointer == pointer) result.push_back(alias.target);
      }
    }
    return result;
  }
  /// The pointer and those whose buffers swaps may bring to it.
  std::vector<loop::BufferPtr> exchanging(const loop::BufferPtr& pointer) const {
    std::vector<loop::BufferPtr> circle{pointer};
    for (std::size_t at = 0; at < circle.size(); ++at) {
      for (const loop::Swap& swap : swaps_) {
        const loop::BufferPtr* other = swap.first == circle[at]    ? &swap.second
                                       : swap.second == circle[at] ? &swap.first
                                                                   : nullptr;
        if (other && std::find(circle.begin(), circle.end(), *other) == circle.end())
          circle.push_back(*other);
      }
    }
    return circle;
  }
  bool are_targets_distinct(const std::vector<loop::BufferPtr>& pointers) const {
    std::vector<loop::BufferPtr> all;
    for (const loop::Alias& alias : aliases_) {
      if (std::find(pointers.begin(), pointers.end(), alias.pointer) == pointers.end()) continue;
      if (std::find(all.begin(), all.end(), alias.target) != all.end()) return false;
      all.push_back(alias.target);
    }
    return true;
  }

  static const LocalLoop* local_of(const Access& access, int dimension) {
    for (const LocalLoop& each : access.scope->locals) {
      if (each.dimension == dimension) return &each;
    }
    return nullptr;
  }

  /// What an access's index is without the part that differs within its statement.
  static Expr uniform_part(const Access& access) {
    if (access.uniform) return access.uniform;
    arith::Substitution zero;
    access.for_each_varying([&](Expr variable) { zero.emplace(variable.get(), 0); });
    for (const LocalLoop& each : access.scope->locals) zero.emplace(each.variable.get(), 0);
    return access.uniform = arith::substitute(access.index, zero);
  }
  static Expr coefficient(Expr index, Expr variable) {
    return arith::substitute(index, {{variable.get(), variable + 1}}) - index;
  }

  /// (index / scale) % modulus names the work-item of `l`'s dimension that makes the access.
  struct Owner {
    Expr scale, modulus;  ///< modulus may be empty
    bool operator==(const Owner&) const = default;
  };
  static std::optional<Owner> owner(const Access& access, const LocalLoop& l, Expr own_part) {
    Expr scale = coefficient(own_part, l.variable);
    if (arith::contains(scale, l.variable) || !arith::is_less(0, scale)) return std::nullopt;
    Owner result{scale, {}};
    // The next larger coefficient bounds what this dimension contributes.
    auto consider = [&](Expr variable) {
      if (variable == l.variable) return;
      Expr other = coefficient(own_part, variable);
      if (!arith::is_less(scale, other) || !arith::is_divisor(scale, other)) return;
      Expr modulus = arith::exact_quotient(other, scale);
      if (!result.modulus || arith::is_less(modulus, result.modulus)) result.modulus = modulus;
    };
    access.for_each_varying(consider);
    for (const LocalLoop& each : access.scope->locals) consider(each.variable);
    Expr quotient = own_part / scale;
    Expr claimed = result.modulus ? quotient % result.modulus : quotient;
    if (arith::equal(claimed, l.variable) != Truth::Yes) return std::nullopt;
    return result;
  }

  /// Proof that two accesses to one place agree in their own parts, though their uniform parts differ by
  /// `apart`: rows that lie a whole number of rows apart, or columns that lie less than a row apart.
  static bool are_own_parts_equal(const Access& a, Expr own_a, const Access& b, Expr own_b, Expr apart) {
    auto is_row = [&](Expr length) {
      auto is_inside = [&](Expr own) { return arith::is_less_equal(0, own) && arith::is_less(own, length); };
      return arith::is_divisor(length, apart) && is_inside(own_a) && is_inside(own_b);
    };
    Expr last = arith::upper_bound(own_a);
    if (last && is_row(last + 1)) return true;
    auto is_column = [&](const std::vector<LocalLoop>& locals, Expr own) {
      return std::any_of(locals.begin(), locals.end(), [&](const LocalLoop& each) {
        Expr stride = coefficient(own, each.variable);
        return arith::is_less(0, stride) && arith::is_divisor(stride, own_a) &&
               arith::is_divisor(stride, own_b) && arith::is_less(apart, stride) &&
               arith::is_less(-apart, stride);
      });
    };
    return is_column(a.scope->locals, own_a) || is_column(b.scope->locals, own_b);
  }

  /// Proof that any two of these accesses to one place come from one work-item.
  bool is_same_work_item(const Access& a, const Access& b) const {
    Expr uniform_a = uniform_part(a), uniform_b = uniform_part(b);
    Expr own_a = a.index - uniform_a, own_b = b.index - uniform_b;
    if (uniform_a != uniform_b && !are_own_parts_equal(a, own_a, b, own_b, uniform_a - uniform_b))
      return false;
    for (int d = 0; d < 3; ++d) {
      if (launch_.local[static_cast<std::size_t>(d)].is_constant(1)) continue;
      const LocalLoop *la = local_of(a, d), *lb = local_of(b, d);
      if (!la || !lb) return false;
      if (la->stop.is_constant(1) && lb->stop.is_constant(1)) continue;
      auto owner_a = owner(a, *la, own_a), owner_b = owner(b, *lb, own_b);
      if (!owner_a || !owner_b || *owner_a != *owner_b) return false;
    }
    return true;
  }

  struct Conflict {
    bool local = false, global = false;
    bool any() const { return local || global; }
  };
  Conflict conflict(const Accesses& pending, const Accesses& next) const {
    Conflict result;
    for (const Access& a : pending) {
      for (const Access& b : next) {
        if ((!a.is_write && !b.is_write) || (a.update && a.update == b.update)) continue;
        if (a.buffer->space != b.buffer->space || !may_alias(a.buffer, b.buffer)) continue;
        bool& found = a.buffer->space == AddressSpace::Local ? result.local : result.global;
        found = found || !eliminate_ || !is_same_work_item(a, b);
      }
    }
    return result;
  }

  /// A pointer is declared anew, in the next round of a loop around it: what was accessed through it may be
  /// any of its buffers.
  void forget(const loop::BufferPtr& pointer, Accesses& pending) const {
    Accesses concrete;
    for (const Access& access : pending) {
      if (access.buffer != pointer) continue;
      for (const loop::BufferPtr& target : targets(pointer)) {
        concrete.push_back(access);
        concrete.back().buffer = target;
      }
    }
    std::erase_if(pending, [&](const Access& access) { return access.buffer == pointer; });
    pending.insert(pending.end(), concrete.begin(), concrete.end());
  }

  // ---- Placing barriers. `pending` is the state before the block and, on return, after it.
  Block process(Block block, Accesses& pending, const ScopePtr& scope, bool is_group_level) {
    Block result;
    for (Statement& statement : block) {
      if (auto* barrier = std::get_if<loop::Barrier>(&statement.node)) {
        AddressSpace kept = barrier->local ? AddressSpace::Global : AddressSpace::Local;
        if (barrier->local && barrier->global) {
          pending.clear();
        } else {
          std::erase_if(pending, [&](const Access& access) { return access.buffer->space != kept; });
        }
        push_barrier(*barrier, result);
        continue;
      }
      if (auto* swap = std::get_if<loop::Swap>(&statement.node)) {
        for (Access& access : pending) {
          if (access.buffer == swap->first) {
            access.buffer = swap->second;
          } else if (access.buffer == swap->second) {
            access.buffer = swap->first;
          }
        }
        result.push_back(std::move(statement));
        continue;
      }
      if (auto* alias = std::get_if<loop::Alias>(&statement.node)) forget(alias->pointer, pending);
      bool is_container = false;
      loop::for_each_block(statement,
                           [&](const Block& inner) { is_container |= contains_local_loop(inner); });
      bool is_local = false;
      if (auto* inner = std::get_if<loop::For>(&statement.node))
        is_local = inner->parallelism == Parallelism::Local;
      if (is_container) {
        process_container(std::move(statement), pending, scope, result);
      } else {
        Accesses accesses;
        collect(statement, scope, accesses);
        Conflict found = conflict(pending, accesses);
        if (found.any()) {
          push_barrier({found.local, found.global}, result);
          std::erase_if(pending, [&](const Access& access) {
            return access.buffer->space == AddressSpace::Local ? found.local : found.global;
          });
        }
        pending.insert(pending.end(), accesses.begin(), accesses.end());
        result.push_back(std::move(statement));
      }
      if (!eliminate_ && is_local && is_group_level && !pending.empty()) {
        push_barrier({true, true}, result);
        pending.clear();
      }
    }
    return result;
  }

  /// A statement with local loops inside, entered with `pending`: either as it comes, or behind a barrier of
  /// its own when that spares barriers inside.
  void process_container(Statement statement, Accesses& pending, const ScopePtr& scope, Block& result) {
    if (pending.empty()) {
      append(process_inside(std::move(statement), pending, scope), result);
      return;
    }
    Accesses pending_after = pending;
    Block continued = process_inside(statement, pending_after, scope);
    const std::size_t needed = count_barriers(continued);
    Accesses pending_alone;
    Block alone;
    if (needed > 0) alone = process_inside(statement, pending_alone, scope);
    if (needed == 0 || needed <= count_barriers(alone)) {
      pending = std::move(pending_after);
      append(std::move(continued), result);
      return;
    }
    Accesses accesses;
    collect(statement, scope, accesses);
    Conflict found = conflict(pending, accesses);
    push_barrier({found.local || !found.global, found.global}, result);
    pending = std::move(pending_alone);
    append(std::move(alone), result);
  }

  Block process_inside(Statement statement, Accesses& pending, const ScopePtr& scope) {
    if (auto* branch = std::get_if<loop::If>(&statement.node)) {
      Accesses else_pending = pending;
      branch->then_body = process(std::move(branch->then_body), pending, scope, false);
      branch->else_body = process(std::move(branch->else_body), else_pending, scope, false);
      pending.insert(pending.end(), else_pending.begin(), else_pending.end());
      if (count_barriers(branch->then_body) + count_barriers(branch->else_body) > 0) {
        Block both = distribute(branch->condition, std::move(branch->then_body));
        loop::ValuePtr otherwise = loop::operation(ScalarOp::Not, {branch->condition});
        append(distribute(otherwise, std::move(branch->else_body)), both);
        return both;
      }
      return one(std::move(statement));
    }
    auto& inner = std::get<loop::For>(statement.node);
    ScopePtr inside = scope;
    if (inner.parallelism == Parallelism::Local) {
      Scope deeper = *scope;
      deeper.locals.push_back({inner.dimension, inner.variable, inner.stop});
      inside = std::make_shared<const Scope>(std::move(deeper));
    }
    Accesses before = pending;
    bool is_group_level = inner.parallelism != Parallelism::Local && scope->locals.empty();
    inner.body = process(std::move(inner.body), pending, inside, is_group_level);
    bool repeats = inner.parallelism == Parallelism::Sequential || inner.form == LoopForm::Loop;
    if (repeats) {
      // What one iteration leaves pending meets the next one's accesses, whose loop variable has moved on.
      pending = of_earlier_iteration(std::move(pending), inner.variable);
      inner.body = process(std::move(inner.body), pending, inside, is_group_level);
    }
    if (!arith::is_less(inner.start, inner.stop)) pending.insert(pending.end(), before.begin(), before.end());
    bool needs_uniform = inner.parallelism == Parallelism::Local && inner.form != LoopForm::ExactlyOnce &&
                         count_barriers(inner.body) > 0;
    return needs_uniform ? make_uniform(std::move(inner)) : one(std::move(statement));
  }

  /// Conflicts are looked for between these and later accesses only, never among these: one variable is
  /// enough for the iteration of all of them.
  static Accesses of_earlier_iteration(Accesses accesses, Expr variable) {
    const Expr earlier = arith::index("earlier", variable->start, variable->stop, variable->step);
    arith::Substitution moved{{variable.get(), earlier}};
    std::map<ScopePtr, ScopePtr> scopes;
    for (Access& access : accesses) {
      for (Expr other : arith::variables(access.index)) {
        if (other->variable_kind == arith::VariableKind::Data && moved.count(other.get()) == 0)
          moved.emplace(other.get(), arith::data("earlier"));
      }
      access.index = arith::substitute(access.index, moved);
      access.uniform = {};
      const auto [known, is_new] = scopes.try_emplace(access.scope);
      if (is_new) known->second = with_earlier(access.scope, variable, earlier);
      access.scope = known->second;
    }
    return accesses;
  }

  /// The scope with the earlier value of a local loop's variable, which tells the work-item that made the
  /// earlier access.
  static ScopePtr with_earlier(const ScopePtr& scope, Expr variable, Expr earlier) {
    const auto is_it = [&](const LocalLoop& each) { return each.variable == variable; };
    if (std::none_of(scope->locals.begin(), scope->locals.end(), is_it)) return scope;
    Scope changed = *scope;
    for (LocalLoop& each : changed.locals) {
      if (is_it(each)) each.variable = earlier;
    }
    return std::make_shared<const Scope>(std::move(changed));
  }

  // ---- Uniform control flow: every work-item of the group comes to every barrier.
  Block make_uniform(loop::For inner) {
    auto d = static_cast<std::size_t>(inner.dimension);
    Expr length = launch_.local[d];
    loop::For lanes;
    lanes.parallelism = Parallelism::Local;
    lanes.dimension = inner.dimension;
    lanes.form = LoopForm::ExactlyOnce;
    lanes.start = 0;
    lanes.stop = length;
    lanes.step = 1;
    lanes.variable = arith::index(names_.fresh(inner.variable->name), 0, length);
    Expr stop = inner.stop, index = lanes.variable;
    loop::For rounds;
    if (inner.form == LoopForm::Loop) {
      rounds.start = 0;
      rounds.stop = arith::ceiling_quotient(stop, length);
      rounds.step = 1;
      rounds.variable = arith::index(names_.fresh("round"), 0, rounds.stop);
      index = rounds.variable * length + lanes.variable;
    }
    Block body = loop::substitute(std::move(inner.body), {{inner.variable.get(), index}});
    arith::Predicate in_range{arith::Relation::Less, index, stop};
    lanes.body = arith::holds(in_range) == Truth::Yes ? std::move(body)
                                                      : distribute(loop::test(in_range), std::move(body));
    if (!rounds.variable) return one({std::move(lanes)});
    rounds.body = one({std::move(lanes)});
    return one({std::move(rounds)});
  }

  /// The block under a condition, with its barriers outside: `if (c) A; barrier; if (c) B`.
  Block distribute(const loop::ValuePtr& condition, Block block) {
    Block result, run;
    if (count_barriers(block) == 0) {
      if (!block.empty()) result.push_back({loop::If{condition, std::move(block), {}}});
      return result;
    }
    auto flush = [&] {
      if (!run.empty()) result.push_back({loop::If{condition, std::move(run), {}}});
      run.clear();
    };
    for (Statement& statement : block) {
      if (std::holds_alternative<loop::Allocate>(statement.node) ||
          std::holds_alternative<loop::Alias>(statement.node)) {
        flush();
        result.push_back(std::move(statement));
      } else if (auto* let = std::get_if<loop::Let>(&statement.node)) {
        flush();
        declare_outside(std::move(*let), condition, result);
      } else if (std::holds_alternative<loop::Barrier>(statement.node) ||
                 std::holds_alternative<loop::Swap>(statement.node)) {
        flush();
        result.push_back(std::move(statement));
      } else if (count_barriers(one(statement)) > 0) {
        flush();
        if (auto* inner = std::get_if<loop::For>(&statement.node)) {
          inner->body = distribute(condition, std::move(inner->body));
          result.push_back(std::move(statement));
        } else {
          auto& branch = std::get<loop::If>(statement.node);
          append(distribute(loop::operation(ScalarOp::And, {condition, branch.condition}),
                            std::move(branch.then_body)),
                 result);
          loop::ValuePtr otherwise =
              loop::operation(ScalarOp::And, {condition, loop::operation(ScalarOp::Not, {branch.condition})});
          append(distribute(otherwise, std::move(branch.else_body)), result);
        }
      } else {
        run.push_back(std::move(statement));
      }
    }
    flush();
    return result;
  }

  /// A variable that both sides of a barrier use: declared for all, set where the condition holds.
  void declare_outside(loop::Let let, const loop::ValuePtr& condition, Block& result) {
    bool reads_memory = false;
    if (let.value) {
      loop::for_each_value(let.value, [&](const loop::ValuePtr& value) {
        reads_memory |= std::holds_alternative<loop::Load>(value->node);
      });
    }
    if (!reads_memory || let.index) {
      if (reads_memory) {
        throw_unsupported(
            "a barrier under a condition separates two uses of an index that is read from memory", {},
            "choose a work-group whose size divides the array's length");
      }
      result.push_back({std::move(let)});
      return;
    }
    // The value must not be read where the condition fails: 0 there, never used.
    loop::ValuePtr zero =
        loop::literal(is_float(let.value->type.scalar) ? ScalarValue::of_real(let.value->type.scalar, 0)
                                                       : ScalarValue::of_integer(let.value->type.scalar, 0),
                      let.value->type.width);
    let.value = loop::operation(ScalarOp::Select, {condition, let.value, zero});
    result.push_back({std::move(let)});
  }

  /// Two barriers in a row are one.
  static void push_barrier(loop::Barrier barrier, Block& result) {
    auto* last = result.empty() ? nullptr : std::get_if<loop::Barrier>(&result.back().node);
    if (!last) return result.push_back({barrier});
    last->local |= barrier.local;
    last->global |= barrier.global;
  }

  static void append(Block from, Block& to) {
    for (Statement& statement : from) to.push_back(std::move(statement));
  }

  const loop::LaunchRange& launch_;
  bool eliminate_;
  loop::NameSource& names_;
  std::vector<loop::Alias> aliases_;
  std::vector<loop::Swap> swaps_;
};

}  // namespace

void insert_barriers(loop::Kernel& kernel, bool eliminate, loop::NameSource& names) {
  bool has_local = contains_local_loop(kernel.body);
  bool is_alone = true;
  for (Expr length : kernel.launch.local) is_alone &= length.is_constant(1);
  if (!has_local || is_alone) return;
  Inserter inserter(kernel, eliminate, names);
  kernel.body = inserter.run(std::move(kernel.body));
}

}  // namespace hoist::lower
