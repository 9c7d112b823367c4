// Unrolling by a divisor of indices. In
//
//   for j in [0, 2048): y[j] = j % 2 < 1 ? a[j / 2] : b[j / 2]
//
// vector instructions gather elements of a and b and choose among them. As
//
//   for u in [0, 1024): y[2 * u] = a[u]; y[2 * u + 1] = b[u]
//
// they load vectors, and shuffle what is stored.
#include "codegen/host/turns.hpp"

#include <algorithm>
#include <optional>

#include "codegen/host/decisions.hpp"
#include "codegen/host/loop_nest.hpp"
#include "codegen/host/strides.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using loop::Block;

constexpr std::int64_t most_turns = 4;

class Unroller {
 public:
  explicit Unroller(const loop::Kernel& kernel) : names_(kernel) {}

  Block unrolled(Block block) {
    for (loop::Statement& statement : block) {
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (!loop) continue;
      if (loop->parallelism == loop::Parallelism::Global && is_straight(loop->body)) {
        unroll(*loop);
      } else {
        loop->body = unrolled(std::move(loop->body));
      }
    }
    return block;
  }

 private:
  static std::vector<Expr> divisions_by(const Block& body, Expr variable) {
    std::vector<Expr> result;
    loop::for_each_index(body, [&](Expr index) {
      for (const Expr division : divisions_in(index)) {
        if (arith::contains(division->operands[0], variable)) result.push_back(division);
      }
    });
    return result;
  }

  void unroll(loop::For& loop) {
    const auto count = loop.stop.constant();
    if (!count || !loop.start.is_constant(0) || !loop.step.is_constant(1)) return;
    for (const Expr division : divisions_by(loop.body, loop.variable)) {
      const auto turns = division->operands[1].constant();
      if (!turns || *turns < 2 || *turns > most_turns || *count % *turns != 0) continue;
      const Expr variable = arith::index(names_.fresh(loop.variable->name), 0, *count / *turns);
      Block body;
      for (std::int64_t turn = 0; turn < *turns; ++turn) {
        Block own = loop::clone_with_fresh_names(loop.body, names_,
                                                 {{loop.variable.get(), variable * *turns + turn}});
        own = without_decided_branches(loop::map_values(std::move(own), decided));
        std::move(own.begin(), own.end(), std::back_inserter(body));
      }
      if (!divisions_by(body, variable).empty()) continue;
      loop.variable = variable;
      loop.stop = *count / *turns;
      loop.body = std::move(body);
      return;
    }
  }

  loop::NameSource names_;
};

}  // namespace

loop::Kernel unroll_turns(loop::Kernel kernel) {
  Block body = Unroller(kernel).unrolled(std::move(kernel.body));
  kernel.body = std::move(body);
  return kernel;
}

}  // namespace hoist::codegen
