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

class Splitter {
 public:
  explicit Splitter(const loop::Kernel& kernel) : names_(kernel) {}

  Block split(Block block) {
    Block result;
    for (loop::Statement& statement : block) {
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop && loop->parallelism == loop::Parallelism::Global) {
        append_parts(std::move(*loop), most_splits, result);
      } else {
        result.push_back(std::move(statement));
      }
    }
    return result;
  }

 private:
  void append_parts(loop::For loop, int splits, Block& result) {
    const std::optional<Expr> boundary = splits > 0 ? boundary_in(loop) : std::nullopt;
    if (!boundary) {
      result.push_back({std::move(loop)});
      return;
    }
    const Expr first = arith::minimum(arith::maximum(*boundary, 0), loop.stop);
    append_parts(part(loop, 0, first), splits - 1, result);
    append_parts(part(loop, first, loop.stop - first), splits - 1, result);
  }

  loop::For part(const loop::For& loop, Expr first, Expr count) {
    loop::For part = loop;
    part.variable = arith::index(names_.fresh(loop.variable->name), 0, count);
    part.stop = count;
    part.body = loop::clone_with_fresh_names(loop.body, names_, {{loop.variable.get(), part.variable + first}});
    part.body = without_decided_branches(loop::map_values(std::move(part.body), decided));
    return part;
  }

  /// The iteration from which on a branch is decided otherwise than before.
  static std::optional<Expr> boundary_in(const loop::For& loop) {
    for (const loop::Statement& statement : loop.body) {
      const auto* branch = std::get_if<loop::If>(&statement.node);
      if (!branch || !(has_loop(branch->then_body) || has_loop(branch->else_body))) continue;
      std::optional<Expr> found;
      loop::for_each_value(branch->condition, [&](const ValuePtr& value) {
        const auto* test = std::get_if<loop::Test>(&value->node);
        if (test && !found) found = boundary_of(test->predicate, loop);
      });
      if (found) return found;
    }
    return std::nullopt;
  }

  static std::optional<Expr> boundary_of(const arith::Predicate& predicate, const loop::For& loop) {
    if (predicate.relation != Relation::Less && predicate.relation != Relation::LessEqual) return std::nullopt;
    const Expr difference = predicate.left - predicate.right;
    const Expr start = arith::substitute(difference, {{loop.variable.get(), 0}});
    const bool is_rising = difference - start == loop.variable;
    if (!is_rising && start - difference != loop.variable) return std::nullopt;
    if (depends_on_body(start, loop.body)) return std::nullopt;
    // start + i <= 0 up to -start, start - i <= 0 from start on; < one iteration sooner, or later.
    const bool is_strict = predicate.relation == Relation::Less;
    return is_rising ? (is_strict ? -start : 1 - start) : (is_strict ? start + 1 : start);
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
