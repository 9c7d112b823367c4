#include "lower/schedule.hpp"

#include "lower/perfect_nest.hpp"

namespace hoist::lower {

namespace {

std::int64_t constant_of(arith::Expr size) {
  const auto value = size.constant();
  if (!value) refuse_nest("a size is not known");
  return *value;
}

}  // namespace

Scheduled taken_off(ir::Term term) {
  Scheduled result;
  while (const auto* call = term.as<ir::Call>()) {
    if (!ir::is_schedule(call->op)) break;
    const auto size = [&](std::size_t i) { return constant_of(call->sizes[i]); };
    const auto number = [&](std::size_t i) { return static_cast<std::size_t>(size(i) - 1); };
    Schedule& schedule = result.schedule;
    if (call->op == ir::Op::LoopAt) {
      schedule.places.insert(schedule.places.begin(), number(0));
    } else if (call->op == ir::Op::LoopJam) {
      schedule.jams.push_back({number(0), size(1), size(2)});
    } else if (call->op == ir::Op::LoopLanes) {
      schedule.lanes_of = number(0);
      schedule.lanes = size(1);
    } else if (call->op == ir::Op::LoopTile) {
      schedule.tiles.insert(schedule.tiles.begin(), {number(0), size(1)});
    } else if (call->op == ir::Op::LoopPack) {
      schedule.packed.push_back({number(0), static_cast<std::size_t>(size(1))});
    }
    term = call->arguments[0];
  }
  result.nest = term;
  return result;
}

}  // namespace hoist::lower
