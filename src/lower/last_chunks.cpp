// Chunks of a reduction that stick out of an array are the last ones of a group's loop over chunks. All
// others need no tests: the loop is cut before the last rounds that do (loop peeling).
//
//   for k in [0, 257)                            for k in [0, 256)
//     barrier                                      barrier
//     tile[l] = 16 * k + l < 4097         to       tile[l] = x[16 * k + l]
//                 ? x[16 * k + l] : 0              ...
//     ...                                        barrier
//                                                tile[l] = l < 1 ? x[4096 + l] : 0
//                                                ...
//
// Loops that copy for their next round are cut a round earlier. What is before the cut is kept only where no
// test and no index that is clamped there mentions the loop's variable any more.
#include <algorithm>

#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using loop::Block;

bool mentions(Expr e, const std::vector<Expr>& variables) {
  return std::ranges::any_of(variables, [&](Expr variable) { return arith::contains(e, variable); });
}

/// The variable of a loop, and those that its body computes of it.
std::vector<Expr> counters_of(const loop::For& loop) {
  std::vector<Expr> variables{loop.variable};
  loop::for_each_statement(loop.body, [&](const loop::Statement& statement) {
    const auto* let = std::get_if<loop::Let>(&statement.node);
    if (let == nullptr || !let->index) return;
    const auto* value = std::get_if<loop::IndexValue>(&let->value->node);
    if (value != nullptr && mentions(value->expr, variables)) variables.push_back(let->index);
  });
  return variables;
}

/// Whether a minimum or a maximum in the expression depends on the variables.
bool is_clamped_by(Expr e, const std::vector<Expr>& variables) {
  if (!e || !e->has_variables) return false;
  if (e.kind() == arith::Kind::Minimum || e.kind() == arith::Kind::Maximum) return mentions(e, variables);
  return std::ranges::any_of(e->operands, [&](Expr operand) { return is_clamped_by(operand, variables); });
}

/// Whether a test or a clamped index in the loop depends on the loop's round.
bool is_guarded(const loop::For& loop) {
  const std::vector<Expr> variables = counters_of(loop);
  bool found = false;
  loop::for_each_index(loop.body, [&](Expr index) { found = found || is_clamped_by(index, variables); });
  loop::for_each_value(loop.body, [&](const loop::ValuePtr& value) {
    if (!std::holds_alternative<loop::Test>(value->node)) return;
    loop::for_each_own_index(*value, [&](Expr side) { found = found || mentions(side, variables); });
  });
  return found;
}

/// Whether the loop reads elements under a test, or at an index that is clamped, that depends on the round. A
/// loop that copies for its next round asks once a round whether there is one: that alone costs nothing.
bool has_guarded_reads(const loop::For& loop) {
  const std::vector<Expr> variables = counters_of(loop);
  bool found = false;
  loop::for_each_value(loop.body, [&](const loop::ValuePtr& value) {
    if (const auto* read = std::get_if<loop::Load>(&value->node))
      found = found || is_clamped_by(read->index, variables);
    const auto* select = std::get_if<loop::Operation>(&value->node);
    if (select == nullptr || select->op != ScalarOp::Select) return;
    loop::for_each_value(select->operands[0], [&](const loop::ValuePtr& part) {
      loop::for_each_own_index(*part, [&](Expr side) { found = found || mentions(side, variables); });
    });
  });
  return found;
}

/// What the loop's body computes of its variable, with the ranges that follow.
void narrow_counters(loop::For& loop) {
  arith::Substitution narrowed;
  for (loop::Statement& statement : loop.body) {
    auto* let = std::get_if<loop::Let>(&statement.node);
    if (let == nullptr || !let->index) continue;
    const auto* value = std::get_if<loop::IndexValue>(&let->value->node);
    const auto last = value != nullptr ? value->expr->facts.maximum : std::nullopt;
    const auto known = let->index->facts.maximum;
    if (!last || (known && *known <= *last)) continue;
    const Expr counter = arith::data(let->variable->name, let->index->start, Expr(*last + 1));
    narrowed.emplace(let->index.get(), counter);
    let->index = counter;
  }
  if (!narrowed.empty()) loop.body = loop::substitute(std::move(loop.body), narrowed);
}

/// The block with selections replaced by the operand that they are known to choose.
Block with_decided_selections(Block block) {
  return loop::map_values(std::move(block), [](const loop::ValuePtr& value) {
    const auto* select = std::get_if<loop::Operation>(&value->node);
    if (select == nullptr || select->op != ScalarOp::Select) return value;
    const arith::Truth truth = truth_of(select->operands[0]);
    if (truth == arith::Truth::Unknown) return value;
    const loop::ValuePtr& chosen = select->operands[truth == arith::Truth::Yes ? 1 : 2];
    return chosen->type.width == value->type.width ? chosen : value;
  });
}

class Peeling {
 public:
  Peeling(loop::Kernel& kernel, loop::NameSource& names) : kernel_(kernel), names_(names) {}

  void run() { visit(kernel_.body); }

 private:
  void visit(Block& block) {
    Block result;
    for (loop::Statement& statement : block) {
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop != nullptr && is_over_chunks(*loop) && has_guarded_reads(*loop)) {
        for (loop::Statement& part : cut(std::move(*loop))) result.push_back(std::move(part));
        continue;
      }
      if (loop != nullptr) visit(loop->body);
      result.push_back(std::move(statement));
    }
    block = std::move(result);
  }

  /// Whether a group goes through it together.
  static bool is_over_chunks(const loop::For& loop) {
    return loop.parallelism == loop::Parallelism::Sequential && !loop.condition && !loop.unroll &&
           loop.start.is_constant(0) && loop.step.is_constant(1) && loop.stop.constant() &&
           loop::has_parallel_loop(loop.body);
  }

  Block cut(loop::For loop) {
    constexpr std::int64_t most_rounds = 2;
    const std::int64_t stop = *loop.stop.constant();
    for (std::int64_t rounds = 1; rounds <= most_rounds && rounds < stop; ++rounds) {
      loop::For before = loop;
      before.stop = stop - rounds;
      before.variable = arith::index(names_.fresh(loop.variable->name), 0, before.stop, 1);
      before.body = simplified_control_flow(
          loop::clone_with_fresh_names(loop.body, names_, {{loop.variable.get(), before.variable}}),
          kernel_.launch);
      narrow_counters(before);
      before.body = with_decided_selections(std::move(before.body));
      if (is_guarded(before)) continue;
      loop::For after = std::move(loop);
      after.start = before.stop;
      const Expr variable = arith::index(after.variable->name, after.start, after.stop, 1);
      after.body = loop::substitute(std::move(after.body), {{after.variable.get(), variable}});
      after.variable = variable;
      Block both;
      both.push_back({std::move(before)});
      both.push_back({std::move(after)});
      return simplified_control_flow(std::move(both), kernel_.launch);
    }
    Block same;
    same.push_back({std::move(loop)});
    return same;
  }

  loop::Kernel& kernel_;
  loop::NameSource& names_;
};

}  // namespace

void peel_last_chunks(loop::Kernel& kernel, loop::NameSource& names) { Peeling(kernel, names).run(); }

}  // namespace hoist::lower
