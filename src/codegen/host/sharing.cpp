#include "codegen/host/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/scalar_effort.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

// Waking a thread and waiting for it costs 2 to 5 microseconds where processors are idle.
constexpr double cycles_worth_sharing = 20000;
constexpr double lanes = 4;  ///< of 64 bits in an ordinary vector

double cycles_of(const loop::Operation& operation) {
  switch (effort_of(operation.op)) {
    case Effort::Simple:
      return 1;
    case Effort::Division:
      return 8;
    case Effort::Function:
      return 40;
  }
  throw Bug("an effort without cycles");
}

std::optional<double> cycles_of(const loop::Block& block);

std::optional<double> cycles_of(const loop::For& loop) {
  const arith::Expr most = arith::upper_bound(loop.stop - loop.start);
  const auto iterations = most ? most.constant() : std::nullopt;
  const auto body = cycles_of(loop.body);
  if (!iterations || !body) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(*iterations, 0)) * (1 + *body);
}

std::optional<double> cycles_of(const loop::Block& block) {
  double sum = 0;
  for (const loop::Statement& statement : block) {
    if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
      const auto cycles = cycles_of(*loop);
      if (!cycles) return std::nullopt;
      sum += *cycles;
      continue;
    }
    loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) {
      loop::for_each_value(root, [&](const loop::ValuePtr& value) {
        const auto* operation = std::get_if<loop::Operation>(&value->node);
        sum += operation ? cycles_of(*operation) : 1;
      });
    });
    bool is_known = true;
    loop::for_each_block(statement, [&](const loop::Block& inner) {
      const auto cycles = cycles_of(inner);
      is_known = is_known && cycles;
      sum += cycles.value_or(0);
    });
    if (!is_known) return std::nullopt;
  }
  return sum;
}

}  // namespace

namespace {

double worth_sharing(bool is_vector) { return cycles_worth_sharing * (is_vector ? lanes : 1); }

}  // namespace

bool is_too_little_to_share(const loop::For& loop, bool is_vector) {
  const auto cycles = cycles_of(loop);
  return cycles && *cycles < worth_sharing(is_vector);
}

std::int64_t iterations_worth_sharing(const loop::For& loop, bool is_vector) {
  const auto cycles = cycles_of(loop.body);
  return cycles ? static_cast<std::int64_t>(std::ceil(worth_sharing(is_vector) / (1 + *cycles))) : 1;
}

}  // namespace hoist::codegen
