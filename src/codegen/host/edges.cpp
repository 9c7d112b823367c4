// Splits loops at their edges, so that vector instructions serve their middle (loop splitting and
// unswitching, index set splitting in the literature). A stencil whose border repeats the nearest element,
//
//   for y: for x in [0, 1024): v[x] = u[max(x - 1, 0)]
//
// decides `x - 1 >= 0` the same way for all x but the first. As two loops, over [0, 1) and over [1, 1024),
// the second reads `u[x - 1]`, which is contiguous. A border at the other end gives a third.
//
// Read `Splitter::split` first: it finds innermost parallel loops inside others. `append_unswitched` takes
// tests out that no iteration changes: a branch around the loop, with the loop as it is for the usual outcome
// and a copy for the other. `append_parts` then splits what has edges. `Edges` finds how wide these are: for
// each comparison in an index or test it takes the difference of the sides, which must be linear in the
// loop's variable, and asks its bounds after how many steps the sign stays
// (`decided_after`).
//
// A loop of a task, which is told how many iterations it has, is split so, too: the border of the array is at
// most that wide in it, and costs the tasks that do not reach it a few iterations.
#include "codegen/host/edges.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "codegen/host/decisions.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using arith::Kind;
using arith::Relation;
using loop::Block;
using loop::ValuePtr;

constexpr std::int64_t widest_edge = 64;  ///< iterations; a wider part is not taken for a border

bool is_parallel(const loop::Statement& statement) {
  const auto* loop = std::get_if<loop::For>(&statement.node);
  return loop && loop->parallelism != loop::Parallelism::Sequential;
}

// ---- Where comparisons are decided

/// Finds how many iterations at the beginning and at the end of a loop decide comparisons otherwise than the
/// iterations between.
class Edges {
 public:
  explicit Edges(const loop::For& loop) : variable_(loop.variable), count_(loop.stop) {
    loop::for_each_index(loop.body, [&](Expr e) { find(e); });
    loop::for_each_value(loop.body, [&](const ValuePtr& value) {
      if (const auto* test = std::get_if<loop::Test>(&value->node)) note(test->predicate);
    });
  }
  std::int64_t first = 0, last = 0;

 private:
  void find(Expr e) {
    if (!e->has_variables || !arith::contains(e, variable_)) return;
    if (e.kind() == Kind::Minimum || e.kind() == Kind::Maximum) {
      for (std::size_t i = 0; i < e->operands.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) note({Relation::LessEqual, e->operands[i], e->operands[j]}, true);
      }
    } else if (e.kind() == Kind::Conditional) {
      note(e->predicate);
      find(e->predicate.left);
      find(e->predicate.right);
    }
    for (const Expr& operand : e->operands) find(operand);
  }

  /// `is_order` where it only matters which side is the larger: equal sides decide either way.
  void note(const arith::Predicate& predicate, bool is_order = false) {
    const Expr difference = predicate.left - predicate.right;
    if (!arith::contains(difference, variable_)) return;
    const Expr from_start = arith::substitute(difference, {{variable_.get(), 0}});
    const auto slope = (arith::substitute(difference, {{variable_.get(), 1}}) - from_start).constant();
    // The difference is linear if each step changes it by the same number.
    const Expr step = arith::substitute(difference, {{variable_.get(), variable_ + 1}}) - difference;
    if (!slope || *slope == 0 || !step.is_constant(*slope)) return;
    const Expr from_end = arith::substitute(difference, {{variable_.get(), count_ - 1}});
    const auto at_start = decided_after(from_start, *slope, predicate.relation, is_order);
    const auto at_end = decided_after(from_end, -*slope, predicate.relation, is_order);
    if (at_start && (!at_end || *at_start <= *at_end)) {
      first = std::max(first, *at_start);
    } else if (at_end) {
      last = std::max(last, *at_end);
    }
  }

  /// The number of steps after which the comparison of start + slope * steps with 0 has one outcome for good.
  std::optional<std::int64_t> decided_after(Expr start, std::int64_t slope, Relation relation,
                                            bool is_order) const {
    const bool is_rising = slope > 0;
    // For equal sides < has the outcome that it has for a difference above 0, <= that for one below 0.
    const bool decides_when_equal = is_order || (relation == Relation::Less && is_rising) ||
                                    (relation == Relation::LessEqual && !is_rising);
    if (!count_.constant()) return proven_after(start, slope, decides_when_equal);
    const auto farthest = is_rising ? start->facts.minimum : start->facts.maximum;
    if (!farthest) return std::nullopt;
    const std::int64_t distance = is_rising ? -*farthest : *farthest, pace = std::abs(slope);
    if (distance < 0) return 0;
    const std::int64_t steps = decides_when_equal ? (distance + pace - 1) / pace : distance / pace + 1;
    if (steps > widest_edge) return std::nullopt;
    return steps;
  }

  /// The same of a loop that is told where it begins and how many iterations it has, which bound each other.
  static std::optional<std::int64_t> proven_after(Expr start, std::int64_t slope, bool decides_when_equal) {
    const auto is_decided = [&](std::int64_t steps) {
      const Expr reached = start + slope * steps, low = slope > 0 ? Expr(0) : reached,
                 high = slope > 0 ? reached : Expr(0);
      return decides_when_equal ? arith::is_less_equal(low, high) : arith::is_less(low, high);
    };
    if (!is_decided(widest_edge)) return std::nullopt;
    std::int64_t undecided = -1, decided = widest_edge;
    while (decided - undecided > 1) {
      const std::int64_t middle = undecided + (decided - undecided) / 2;
      (is_decided(middle) ? decided : undecided) = middle;
    }
    return decided;
  }

  Expr variable_, count_;
};

// ---- Splitting

class Splitter {
 public:
  explicit Splitter(const loop::Kernel& kernel) : names_(kernel) {}

  Block split(Block block, bool is_inside) {
    Block result;
    for (loop::Statement& statement : block) {
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop && is_parallel(statement) && is_inside && !loop::has_parallel_loop(loop->body)) {
        append_unswitched(*loop, result);
        continue;
      }
      const bool is_outer = is_inside || is_parallel(statement);
      if (loop) loop->body = split(std::move(loop->body), is_outer);
      if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        branch->then_body = split(std::move(branch->then_body), is_outer);
        branch->else_body = split(std::move(branch->else_body), is_outer);
      }
      result.push_back(std::move(statement));
    }
    return result;
  }

 private:
  /// Loop unswitching: comparisons that are the same in all iterations are decided once, before the loop.
  /// Where all have their usual outcome, the loop runs without them.
  void append_unswitched(const loop::For& loop, Block& result) {
    const std::vector<ValuePtr> tests = same_in_all_iterations(loop);
    if (tests.empty()) return append_parts(loop, result);
    const loop::For usual = with_outcomes(loop, tests, true);
    loop::If branch;
    for (const ValuePtr& test : tests) {
      const arith::Predicate& predicate = std::get<loop::Test>(test->node).predicate;
      const ValuePtr condition = loop::test(is_usual(predicate) ? predicate : arith::negation(predicate));
      branch.condition =
          branch.condition ? loop::operation(ScalarOp::And, {branch.condition, condition}) : condition;
    }
    append_parts(usual, branch.then_body);
    // One comparison that does not have its usual outcome has the other one.
    const loop::For other = tests.size() == 1 ? with_outcomes(loop, tests, false) : loop;
    append_parts(std::get<loop::For>(loop::clone_with_fresh_names({{other}}, names_)[0].node),
                 branch.else_body);
    result.push_back({std::move(branch)});
  }

  /// The loop where these comparisons have their usual outcomes, or where they have the others.
  static loop::For with_outcomes(loop::For loop, const std::vector<ValuePtr>& tests, bool are_usual) {
    loop.body = loop::map_values(std::move(loop.body), [&](const ValuePtr& value) {
      const auto* test = std::get_if<loop::Test>(&value->node);
      const bool is_decided = test && std::any_of(tests.begin(), tests.end(), [&](const ValuePtr& each) {
                                return std::get<loop::Test>(each->node).predicate == test->predicate;
                              });
      if (!is_decided) return decided(value);
      return loop::literal(ScalarValue::of_bool(is_usual(test->predicate) == are_usual));
    });
    loop.body = without_decided_branches(std::move(loop.body));
    return loop;
  }

  static std::vector<ValuePtr> same_in_all_iterations(const loop::For& loop) {
    std::set<std::string> changing{loop.variable->name};
    loop::for_each_statement(loop.body, [&](const loop::Statement& statement) {
      if (const auto* inner = std::get_if<loop::For>(&statement.node)) changing.insert(inner->variable->name);
      if (const auto* let = std::get_if<loop::Let>(&statement.node)) changing.insert(let->variable->name);
    });
    std::vector<ValuePtr> tests;
    loop::for_each_value(loop.body, [&](const ValuePtr& value) {
      const auto* test = std::get_if<loop::Test>(&value->node);
      if (!test) return;
      const std::vector<Expr> used = arith::variables(test->predicate.left - test->predicate.right);
      const bool is_same =
          std::none_of(used.begin(), used.end(), [&](Expr each) { return changing.contains(each->name); });
      const bool is_known = std::any_of(tests.begin(), tests.end(), [&](const ValuePtr& each) {
        return std::get<loop::Test>(each->node).predicate == test->predicate;
      });
      if (is_same && !is_known) tests.push_back(value);
    });
    return tests;
  }

  /// The outcome of a comparison in the middle of the ranges of all variables. Only speed depends on it.
  static bool is_usual(const arith::Predicate& predicate) {
    arith::Bindings middle;
    for (const Expr side : {predicate.left, predicate.right}) {
      for (const Expr variable : arith::variables(side)) {
        constexpr std::int64_t some_size = 1 << 12;
        const auto stop = variable->stop ? variable->stop.constant() : std::nullopt;
        const bool is_size = variable->variable_kind == arith::VariableKind::Size;
        middle[variable.get()] = stop ? *stop / 2 : is_size ? some_size : some_size / 2;
      }
    }
    return arith::evaluate(predicate, middle).value_or(true);
  }

  void append_parts(const loop::For& loop, Block& result) {
    const bool is_told =
        loop.stop.kind() == Kind::Variable && loop.stop->variable_kind == arith::VariableKind::Data;
    if (!loop.stop.constant() && !is_told) {
      result.push_back({loop});
      return;
    }
    const Edges edges(loop);
    const Expr count = loop.stop, middle = count - edges.first - edges.last;
    const bool is_short = !is_told && *middle.constant() < edges.first + edges.last;
    if (edges.first + edges.last == 0 || is_short) {
      result.push_back({loop});
      return;
    }
    // A count that is told may be less than both edges: then there is no middle.
    const Expr first = arith::minimum(edges.first, count), last = arith::maximum(first, count - edges.last);
    if (edges.first > 0) result.push_back({part_of(loop, 0, first)});
    // What was decided in the middle may leave other comparisons linear there.
    append_parts(part_of(loop, edges.first, middle), result);
    if (edges.last > 0) result.push_back({part_of(loop, last, count - last)});
  }

  loop::For part_of(const loop::For& loop, Expr first, Expr count) {
    loop::For part = loop;
    part.variable = arith::index(names_.fresh(loop.variable->name), 0, count);
    part.stop = count;
    part.body =
        loop::clone_with_fresh_names(loop.body, names_, {{loop.variable.get(), part.variable + first}});
    part.body = without_decided_branches(loop::map_values(std::move(part.body), decided));
    return part;
  }

  loop::NameSource names_;
};

}  // namespace

loop::Kernel split_edges(loop::Kernel kernel) {
  Splitter splitter(kernel);
  kernel.body = splitter.split(std::move(kernel.body), false);
  return kernel;
}

}  // namespace hoist::codegen
