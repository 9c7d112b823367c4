// Unrolls loops over the few elements of a window. A sum over 3 x 3 neighbours,
//
//   for y: for x: { sum = 0; for i in [0, 9): sum += u[y + i / 3][x + i % 3]; v[y][x] = sum; }
//
// would run nine loops over the x of a block, each of which loads and stores all sums of the block
// (Host::blocked_loop). Written out the body is straight: vector instructions serve the x, the sums stay in
// registers, and i / 3 and i % 3 are constants.
//
// Of a longer loop four iterations become one, so that sums are loaded and stored once for four of them, and
// four rows of a matrix are read at a time.
//
// Only loops that would be moved around the loop over x are unrolled. Others keep their vector instructions
// for themselves: along the rows of a matrix, say, whose neighbours are far apart.
#include "codegen/host/windows.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "codegen/host/decisions.hpp"
#include "codegen/host/loop_nest.hpp"
#include "codegen/host/work_items.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using loop::Block;

/// Elements that nested loops go over together when they are written out: a window of 7 x 7. One of 9 x 9 is
/// slower written out, for it has more values than there are registers.
constexpr std::int64_t most_elements = 49;

/// Iterations of a longer loop that become one, where they have few statements together.
constexpr std::int64_t iterations_at_once = 4, most_statements_at_once = 48;

std::optional<std::int64_t> trip_count(const loop::For& loop) {
  const auto start = loop.start.constant(), stop = loop.stop.constant(), step = loop.step.constant();
  if (!start || !stop || !step || *step <= 0) return std::nullopt;
  return std::max<std::int64_t>(0, (*stop - *start + *step - 1) / *step);
}

class Unroller {
 public:
  explicit Unroller(const loop::Kernel& kernel) : kernel_(kernel), names_(kernel) {}

  Block in_parallel_loops(Block block) {
    for (loop::Statement& statement : block) {
      if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        branch->then_body = in_parallel_loops(std::move(branch->then_body));
        branch->else_body = in_parallel_loops(std::move(branch->else_body));
      }
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (!loop) continue;
      if (loop->parallelism == loop::Parallelism::Sequential || loop::has_parallel_loop(loop->body)) {
        loop->body = in_parallel_loops(std::move(loop->body));
        continue;
      }
      const WorkItemAnalysis analysis(kernel_, *loop);
      if (!analysis.has_moved_loops()) continue;
      // Tests of the loops' variables are tests of constants now.
      Block body = written_out(loop->body, analysis).block;
      loop->body = without_decided_branches(loop::map_values(std::move(body), decided));
    }
    return block;
  }

 private:
  struct WrittenOut {
    Block block;
    std::int64_t elements = 1;
  };

  WrittenOut written_out(const Block& block, const WorkItemAnalysis& analysis) {
    WrittenOut result;
    for (const loop::Statement& statement : block) {
      const auto* loop = std::get_if<loop::For>(&statement.node);
      if (!loop || !analysis.is_moved(*loop)) {
        result.block.push_back(statement);
        continue;
      }
      const WrittenOut inside = written_out(loop->body, analysis);
      const auto trips = trip_count(*loop);
      if (!trips || *trips > most_elements || *trips * inside.elements > most_elements ||
          !is_straight(inside.block)) {
        append_some_at_once(*loop, inside.block, trips, result.block);
        continue;
      }
      result.elements = std::max(result.elements, *trips * inside.elements);
      append_iterations(*loop, inside.block, loop->start, *trips, result.block);
    }
    return result;
  }

  /// So many iterations of a loop with this body, the first of which has the value `first`.
  void append_iterations(const loop::For& loop, const Block& body, arith::Expr first, std::int64_t count,
                         Block& result) {
    for (std::int64_t trip = 0; trip < count; ++trip) {
      const arith::Expr value = first + trip * loop.step;
      Block copy = loop::clone_with_fresh_names(body, names_, {{loop.variable.get(), value}});
      std::move(copy.begin(), copy.end(), std::back_inserter(result));
    }
  }

  /// The loop with four iterations in one, and behind it those that are left over, where that is of use: in
  /// sums, but not where choices follow from choices, of which compilers make branches. Else the loop with
  /// this body.
  void append_some_at_once(const loop::For& loop, const Block& body, std::optional<std::int64_t> trips,
                           Block& result) {
    loop::For kept = loop;
    kept.body = body;
    const bool is_told = !trips && loop.start.is_constant(0) && loop.step.is_constant(1);
    const auto most = is_told ? most_iterations(kernel_, loop) : trips;
    if (!most || *most <= most_elements || !loop.reorderable || !is_straight(body) ||
        std::ssize(body) * iterations_at_once > most_statements_at_once) {
      result.push_back({std::move(kept)});
      return;
    }
    const arith::Expr rounds = (trips ? arith::Expr(*trips) : loop.stop) / iterations_at_once;
    kept.step = loop.step * iterations_at_once;
    kept.stop = loop.start + rounds * kept.step;
    kept.variable = arith::index(names_.fresh(loop.variable->name), kept.start, kept.stop);
    kept.body.clear();
    append_iterations(loop, body, kept.variable, iterations_at_once, kept.body);
    const arith::Expr rest = kept.stop;
    result.push_back({std::move(kept)});
    if (trips) return append_iterations(loop, body, rest, *trips % iterations_at_once, result);
    loop::For left_over = loop;
    left_over.start = rest;
    left_over.variable = arith::index(names_.fresh(loop.variable->name), rest, loop.stop);
    left_over.body = loop::clone_with_fresh_names(body, names_, {{loop.variable.get(), left_over.variable}});
    result.push_back({std::move(left_over)});
  }

  const loop::Kernel& kernel_;
  loop::NameSource names_;
};

}  // namespace

loop::Kernel unroll_windows(loop::Kernel kernel) {
  Block body = Unroller(kernel).in_parallel_loops(kernel.body);
  kernel.body = std::move(body);
  return kernel;
}

}  // namespace hoist::codegen
