#include "codegen/host/ranges.hpp"

#include <algorithm>
#include <optional>

#include "codegen/host/decisions.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using arith::Relation;
using loop::Block;
using loop::ValuePtr;

constexpr int most_splits = 2;  ///< of one loop: before, in and behind a range

bool has_loop(const Block& block) {
  bool found = false;
  loop::for_each_statement(block, [&](const loop::Statement& each) {
    found = found || std::holds_alternative<loop::For>(each.node);
  });
  return found;
}

/// The iteration from which on a comparison is decided otherwise than before.
struct Turn {
  Expr iteration;
  arith::Predicate predicate;
  bool holds_before;
};

class Splitter {
 public:
  explicit Splitter(const loop::Kernel& kernel) : names_(kernel) {}

  Block split(Block block) {
    Block result;
    for (loop::Statement& statement : block) {
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop && loop->parallelism == loop::Parallelism::Global && loop->start.is_constant(0) &&
          loop->step.is_constant(1)) {
        append_parts(std::move(*loop), most_splits, result);
      } else {
        result.push_back(std::move(statement));
      }
    }
    return result;
  }

 private:
  void append_parts(loop::For loop, int splits, Block& result) {
    const std::optional<Turn> turn = splits > 0 ? turn_in(loop) : std::nullopt;
    if (!turn) {
      result.push_back({std::move(loop)});
      return;
    }
    const Expr inside = arith::minimum(arith::maximum(turn->iteration, 0), loop.stop);
    const auto variable = std::make_shared<loop::Variable>(
        loop::Variable{names_.fresh(loop.variable->name + "_turn"), {Scalar::I64, 1}, false});
    const Expr first = arith::data(variable->name, 0, loop.stop + 1);
    result.push_back({loop::Let{variable, loop::index_value(inside, Scalar::I64), first}});
    append_parts(part(loop, 0, first, *turn, turn->holds_before), splits - 1, result);
    append_parts(part(loop, first, loop.stop - first, *turn, !turn->holds_before), splits - 1, result);
  }

  /// `count` iterations from the iteration `first` on, in all of which the comparison holds, or in none.
  loop::For part(const loop::For& loop, Expr first, Expr count, const Turn& turn, bool holds) {
    const auto of_part = [&](const ValuePtr& value) {
      const auto* test = std::get_if<loop::Test>(&value->node);
      const bool is_turning = test && test->predicate == turn.predicate;
      return is_turning ? loop::literal(ScalarValue::of_bool(holds)) : decided(value);
    };
    loop::For part = loop;
    part.variable = arith::index(names_.fresh(loop.variable->name), 0, count);
    part.stop = count;
    part.body = without_decided_branches(loop::map_values(loop.body, of_part));
    part.body =
        loop::clone_with_fresh_names(part.body, names_, {{loop.variable.get(), part.variable + first}});
    return part;
  }

  static std::optional<Turn> turn_in(const loop::For& loop) {
    for (const loop::Statement& statement : loop.body) {
      const auto* branch = std::get_if<loop::If>(&statement.node);
      if (!branch || !(has_loop(branch->then_body) || has_loop(branch->else_body))) continue;
      std::optional<Turn> found;
      loop::for_each_value(branch->condition, [&](const ValuePtr& value) {
        const auto* test = std::get_if<loop::Test>(&value->node);
        if (test && !found) found = turn_of(test->predicate, loop);
      });
      if (found) return found;
    }
    return std::nullopt;
  }

  static std::optional<Turn> turn_of(const arith::Predicate& predicate, const loop::For& loop) {
    if (predicate.relation != Relation::Less && predicate.relation != Relation::LessEqual)
      return std::nullopt;
    const Expr difference = predicate.left - predicate.right;
    const Expr start = arith::substitute(difference, {{loop.variable.get(), 0}});
    const bool is_rising = difference - start == loop.variable;
    if (!is_rising && start - difference != loop.variable) return std::nullopt;
    if (depends_on_body(start, loop.body)) return std::nullopt;
    // start + i <= 0 holds up to -start, start - i <= 0 from start on; < one iteration less, or later.
    const bool is_strict = predicate.relation == Relation::Less;
    const Expr iteration = is_rising ? (is_strict ? -start : 1 - start) : (is_strict ? start + 1 : start);
    return Turn{iteration, predicate, is_rising};
  }

  static bool depends_on_body(Expr e, const Block& body) {
    const std::vector<Expr> used = arith::variables(e);
    bool found = false;
    loop::for_each_statement(body, [&](const loop::Statement& statement) {
      const auto* inner = std::get_if<loop::For>(&statement.node);
      const auto* let = std::get_if<loop::Let>(&statement.node);
      if (!inner && !let) return;
      const std::string& name = inner ? inner->variable->name : let->variable->name;
      found = found || std::any_of(used.begin(), used.end(), [&](Expr each) { return each->name == name; });
    });
    return found;
  }

  loop::NameSource names_;
};

}  // namespace

loop::Kernel split_ranges(loop::Kernel kernel) {
  Splitter splitter(kernel);
  kernel.body = splitter.split(std::move(kernel.body));
  return kernel;
}

}  // namespace hoist::codegen
