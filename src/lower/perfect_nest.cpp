#include "lower/perfect_nest.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "ir/reduction.hpp"
#include "loop/traverse.hpp"

namespace hoist::lower {

namespace {

using loop::Block;
using loop::ValuePtr;

class TakingApart {
 public:
  PerfectNest run(const loop::Kernel& kernel) {
    const Block* block = &kernel.body;
    while (const loop::For* loop = only_loop(*block)) {
      add_loop(*loop, false);
      block = &loop->body;
    }
    for (const loop::Statement& statement : *block) take(statement);
    if (!nest_.store) refuse_nest("nothing is stored at its end");
    if (nest_.sum && !nest_.combine) refuse_nest("it is no nest of one reduction");
    for (const ValuePtr& value : {nest_.start, nest_.element, nest_.result}) {
      if (value) check_reads(value);
    }
    return std::move(nest_);
  }

 private:
  const loop::For* only_loop(const Block& block) const {
    return block.size() == 1 ? std::get_if<loop::For>(&block[0].node) : nullptr;
  }

  void add_loop(const loop::For& loop, bool is_reduction) {
    const auto length = loop.stop.constant();
    if (!length || !loop.start.is_constant(0) || !loop.step.is_constant(1) || loop.condition)
      refuse_nest("a loop has no constant length");
    if (loop.parallelism == loop::Parallelism::Group || loop.parallelism == loop::Parallelism::Local)
      refuse_nest("work-groups share it");
    if (is_reduction && !loop.reorderable) refuse_nest("its reduction has an order");
    nest_.loops.push_back({loop.variable, *length, is_reduction});
  }

  /// An immutable variable is what it is set to.
  void inline_variable(const loop::Let& let) {
    if (let.variable->is_mutable || !let.value || let.index)
      refuse_nest("a variable is set before the loops");
    known_.emplace(let.variable.get(), inlined(let.value));
  }
  ValuePtr inlined(const ValuePtr& value) const {
    return loop::map_value(value, [&](const ValuePtr& each) {
      const auto* read = std::get_if<loop::Reference>(&each->node);
      const auto found = read ? known_.find(read->variable.get()) : known_.end();
      return found == known_.end() ? each : found->second;
    });
  }

  void take(const loop::Statement& statement) {
    if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
      if (!let->variable->is_mutable) return inline_variable(*let);
      if (nest_.sum || !let->value) refuse_nest("it has several reductions");
      nest_.sum = let->variable;
      nest_.start = inlined(let->value);
    } else if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
      take_reduction(*loop);
    } else if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
      if (nest_.store || store->update || store->value->type.width != 1)
        refuse_nest("it stores several values");
      nest_.store = std::make_shared<const loop::Store>(*store);
      nest_.result = inlined(store->value);
      if (!nest_.sum) nest_.element = nest_.result;
    } else if (!std::holds_alternative<loop::Comment>(statement.node)) {
      refuse_nest("it has other statements than a reduction and a store");
    }
  }

  void take_reduction(const loop::For& outermost) {
    if (!nest_.sum || nest_.combine) refuse_nest("it is no nest of one reduction");
    add_loop(outermost, true);
    const Block* block = &outermost.body;
    while (const loop::For* loop = only_loop(*block)) {
      add_loop(*loop, true);
      block = &loop->body;
    }
    for (const loop::Statement& statement : *block) {
      if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
        inline_variable(*let);
        continue;
      }
      const auto* assign = std::get_if<loop::Assign>(&statement.node);
      if (!assign || assign->variable != nest_.sum || nest_.combine)
        refuse_nest("its reduction is no sum of one value");
      const ValuePtr next = inlined(assign->value);
      const auto* operation = std::get_if<loop::Operation>(&next->node);
      if (!operation || operation->operands.size() != 2 ||
          !ir::neutral_scalar(operation->op, nest_.sum->type.scalar))
        refuse_nest("its reduction is no sum, product, least or largest");
      const bool is_first = nest_.is_sum(operation->operands[0]);
      if (is_first == nest_.is_sum(operation->operands[1]))
        refuse_nest("its reduction is no sum of one value");
      nest_.combine = operation->op;
      nest_.element = operation->operands[is_first ? 1 : 0];
      bool has_sum = false;
      loop::for_each_value(nest_.element,
                           [&](const ValuePtr& each) { has_sum = has_sum || nest_.is_sum(each); });
      if (has_sum) refuse_nest("its reduction is no sum of one value");
    }
    if (!nest_.combine) refuse_nest("its reduction is no sum of one value");
  }

  /// Loads move to the beginnings of loops, so that none may be guarded, or be of what is stored.
  void check_reads(const ValuePtr& value) const {
    loop::for_each_value(value, [&](const ValuePtr& each) {
      const auto* load = std::get_if<loop::Load>(&each->node);
      if (load && load->buffer == nest_.store->buffer) refuse_nest("it reads what it replaces");
      const auto* operation = std::get_if<loop::Operation>(&each->node);
      if (std::holds_alternative<loop::Shuffle>(each->node) || each->type.width != 1)
        refuse_nest("it has vectors already");
      if (!operation) return;
      const bool is_guard = operation->op == ScalarOp::Select || operation->op == ScalarOp::And ||
                            operation->op == ScalarOp::Or;
      if (!is_guard) return;
      loop::for_each_value(each, [](const ValuePtr& inside) {
        if (std::holds_alternative<loop::Load>(inside->node)) refuse_nest("a condition guards what it reads");
      });
    });
  }

  PerfectNest nest_;
  std::map<const loop::Variable*, ValuePtr> known_;
};

}  // namespace

void refuse_nest(const std::string& why) {
  throw_user("the loops cannot run as loopAt, loopJam and loopLanes say: " + why, {},
             "they order a nest of maps of constant lengths around one reduction, or none");
}

bool is_same(const loop::Load& a, const loop::Load& b) { return a.buffer == b.buffer && a.index == b.index; }

/// What a value reads, in its order, each once.
std::vector<loop::Load> loads_of(const loop::ValuePtr& value) {
  std::vector<loop::Load> loads;
  loop::for_each_value(value, [&](const loop::ValuePtr& each) {
    const auto* load = std::get_if<loop::Load>(&each->node);
    if (load && std::none_of(loads.begin(), loads.end(),
                             [&](const loop::Load& known) { return is_same(known, *load); }))
      loads.push_back(*load);
  });
  return loads;
}

bool PerfectNest::is_sum(const ValuePtr& value) const {
  const auto* read = std::get_if<loop::Reference>(&value->node);
  return read && read->variable == sum;
}

PerfectNest perfect_nest(const loop::Kernel& kernel) { return TakingApart().run(kernel); }

}  // namespace hoist::lower
