// The interpreter's inner loop: executes one launch, group after group. A statement is executed for all
// work-items of the group that are at it (its lanes) before the next statement is, as a vector processor with
// masks does (SIMT). For
//
//   if (test(l < 8)) { t[l] = x[l]; } else { t[l] = 0.0; }      in a loop of l over the work-items
//
// execute_branch computes the condition for all lanes, then runs the first block for the lanes where it holds
// and the second for the rest; a loop runs until no lane is active. Values are columns, an element a
// work-item.
//
// Work-items so run in one fixed order, in which a race would not show by itself. It is found by memory that
// remembers who touched what since which barrier (watched_memory.hpp): `Agent` says who, and each barrier
// begins a new epoch. Divergent barriers and shuffles, accesses out of bounds, unset variables and loops that
// do not keep the form that lowering claimed (`check_form`, `check_range`) are reported where they are
// executed; execution goes on. An asynchronous store leaves poison in memory until it is awaited, so that
// what reads it too early computes something else.
//
// Read `run_all_groups`, `execute_loop` and `execute_branch` first, then `compute`, which leaves a value in
// the column of its depth: operands take the columns from there on, as on a stack.
#include "loop/group_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace hoist::loop {
namespace {

std::size_t as_size(std::int64_t value) { return static_cast<std::size_t>(value); }

void widest(const ReadyValue& value, std::size_t& width) {
  width = std::max(width, static_cast<std::size_t>(value.type.width));
  for (const ReadyValue& operand : value.operands) widest(operand, width);
}
void widest(const ReadyBlock& block, std::size_t& width) {
  for (const ReadyStatement& statement : block) {
    if (statement.value) widest(*statement.value, width);
    widest(statement.body, width);
    widest(statement.else_body, width);
  }
}

}  // namespace

GroupExecutor::GroupExecutor(const Executable& kernel, const std::vector<WatchedMemory*>& parameters,
                             ExecutionState& state)
    : kernel_(kernel), state_(state), memory_(parameters) {
  shape_.local = kernel.local;
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    shape_.groups[dimension] = kernel.global[dimension] / kernel.local[dimension];
  }
  shape_.first_group = state.next_group;
  lanes_ = as_size(kernel.local[0] * kernel.local[1] * kernel.local[2]);
  all_lanes_.resize(lanes_);
  std::iota(all_lanes_.begin(), all_lanes_.end(), 0U);
  for (std::size_t dimension = 0; dimension < 3; ++dimension) local_ids_[dimension].resize(lanes_);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const auto flat = static_cast<std::int64_t>(lane);
    local_ids_[0][lane] = flat % kernel.local[0];
    local_ids_[1][lane] = flat / kernel.local[0] % kernel.local[1];
    local_ids_[2][lane] = flat / (kernel.local[0] * kernel.local[1]);
  }

  own_memory_.resize(kernel.buffers.size());
  memory_.resize(kernel.buffers.size());
  pointers_.resize(kernel.buffers.size());
  for (std::size_t slot = 0; slot < kernel.buffers.size(); ++slot) {
    const ReadyBuffer& buffer = kernel.buffers[slot];
    if (buffer.is_pointer) {
      pointers_[slot].resize(lanes_);
    } else if (!buffer.is_parameter) {
      const std::size_t parts = buffer.space == AddressSpace::Private ? lanes_ : 1;
      own_memory_[slot] =
          std::make_unique<WatchedMemory>(buffer.name, buffer.scalar, buffer.space, buffer.scalars, parts);
      memory_[slot] = own_memory_[slot].get();
    }
  }
  for (const ReadyVariable& variable : kernel.variables) {
    variables_.emplace_back(as_size(variable.type.width) * lanes_,
                            variable.given.value_or(ScalarValue::of_integer(variable.type.scalar, 0)));
    is_set_.emplace_back(variable.is_mutable ? lanes_ : 0);
  }
  integers_.resize(kernel.columns * lanes_);
  std::size_t longest = 1;
  for (const IndexProgram& program : kernel.programs) longest = std::max(longest, program.columns());
  scratch_.resize(longest * lanes_);
  other_scratch_.resize(lanes_);
  workspaces_.resize(kernel.workspaces);
  widest(kernel.body, largest_width_);
}

void GroupExecutor::run_all_groups() {
  for (group_ids_[2] = 0; group_ids_[2] < shape_.groups[2]; ++group_ids_[2]) {
    for (group_ids_[1] = 0; group_ids_[1] < shape_.groups[1]; ++group_ids_[1]) {
      for (group_ids_[0] = 0; group_ids_[0] < shape_.groups[0]; ++group_ids_[0]) {
        group_ = state_.next_group++;
        local_epoch_ = global_epoch_ = state_.next_epoch++;
        transfers_.assign(lanes_, std::deque<std::vector<Transfer>>(1));
        execute(kernel_.body, all_lanes_);
      }
    }
  }
}

// ---- Statements

void GroupExecutor::execute(const ReadyBlock& block, Lanes lanes) {
  for (const ReadyStatement& statement : block) execute(statement, lanes);
}

void GroupExecutor::execute(const ReadyStatement& statement, Lanes lanes) {
  using Kind = ReadyStatement::Kind;
  switch (statement.kind) {
    case Kind::For:
      return execute_loop(statement, lanes);
    case Kind::If:
      return execute_branch(statement, lanes);
    case Kind::Let:
      return execute_let(statement, lanes);
    case Kind::Assign:
      compute(*statement.value, lanes, 0);
      return set_variable(statement.slot, lanes);
    case Kind::Store:
      return execute_store(statement, lanes);
    case Kind::Commit:
      return execute_commit(lanes);
    case Kind::Await:
      return execute_await(statement, lanes);
    case Kind::Barrier:
      return execute_barrier(statement, lanes);
    case Kind::Allocate:
      return execute_allocate(statement, lanes);
    case Kind::Alias:
      for (std::uint32_t lane : lanes) {
        pointers_[as_size(statement.slot)][lane] = memory_of(statement.other_slot, lane);
      }
      return;
    case Kind::Swap:
      for (std::uint32_t lane : lanes) {
        std::swap(pointers_[as_size(statement.slot)][lane], pointers_[as_size(statement.other_slot)][lane]);
      }
      return;
  }
}

void GroupExecutor::execute_loop(const ReadyStatement& loop, Lanes lanes) {
  Workspace& work = workspaces_[as_size(loop.workspace)];
  work.stop.resize(lanes_);
  work.step.resize(lanes_);
  std::int64_t* const variable = integers_.data() + as_size(loop.column) * lanes_;
  const std::int64_t* const starts = compute_index(loop.start, lanes);
  for (std::uint32_t lane : lanes) variable[lane] = starts[lane];
  const std::int64_t* const stops = compute_index(loop.stop, lanes);
  for (std::uint32_t lane : lanes) work.stop[lane] = stops[lane];
  const std::int64_t* const steps = compute_index(loop.step, lanes);
  for (std::uint32_t lane : lanes) work.step[lane] = steps[lane];

  const std::size_t d = loop.dimension;
  for (std::uint32_t lane : lanes) {
    const bool has_bounds = is_valid(variable[lane]) && is_valid(work.stop[lane]) && work.step[lane] > 0;
    if (!has_bounds) {
      if (state_.faults.is_wanted(FaultKind::NoValue)) {
        state_.faults.add(FaultKind::NoValue,
                          fmt::format("{}: the bounds of the loop over {} have no value or its step is not "
                                      "positive",
                                      describe(lane), loop.name));
      }
      variable[lane] = work.stop[lane] = 0;
      work.step[lane] = 1;
    }
    std::int64_t first = 0, stride = 1;
    if (loop.parallelism == Parallelism::Local) {
      first = local_ids_[d][lane];
      stride = kernel_.local[d];
    } else if (loop.parallelism == Parallelism::Group) {
      first = group_ids_[d];
      stride = shape_.groups[d];
    } else if (loop.parallelism == Parallelism::Global) {
      first = group_ids_[d] * kernel_.local[d] + local_ids_[d][lane];
      stride = kernel_.global[d];
    }
    variable[lane] += first * work.step[lane];
    work.step[lane] *= stride;
  }
  if (loop.form != LoopForm::Loop) check_form(loop, lanes);
  if (loop.form == LoopForm::ExactlyOnce) {
    check_range(loop, lanes);
    return execute(loop.body, lanes);
  }

  std::vector<std::uint32_t>& active = work.first;
  active.clear();
  for (std::uint32_t lane : lanes) {
    if (variable[lane] < work.stop[lane]) active.push_back(lane);
  }
  if (loop.form == LoopForm::AtMostOnce) {
    state_.counts.branches += lanes.size();
    if (!active.empty()) {
      check_range(loop, active);
      execute(loop.body, active);
    }
    return;
  }
  const auto end_early = [&] {
    if (!loop.value || active.empty()) return;
    compute(*loop.value, active, 0);
    const Column condition = column(0);
    std::erase_if(active, [&](std::uint32_t lane) { return condition[lane].integer == 0; });
  };
  for (end_early(); !active.empty(); end_early()) {
    state_.counts.loop_iterations += active.size();
    check_range(loop, active);
    execute(loop.body, active);
    std::erase_if(active, [&](std::uint32_t lane) {
      return __builtin_add_overflow(variable[lane], work.step[lane], &variable[lane]) ||
             variable[lane] >= work.stop[lane];
    });
  }
}

/// Checks what the form of a loop claims: how often each work-item executes it.
void GroupExecutor::check_form(const ReadyStatement& loop, Lanes lanes) {
  if (!state_.faults.is_wanted(FaultKind::ControlFlowForm)) return;
  const Workspace& work = workspaces_[as_size(loop.workspace)];
  const std::int64_t* const variable = integers_.data() + as_size(loop.column) * lanes_;
  for (std::uint32_t lane : lanes) {
    const bool has_first = variable[lane] < work.stop[lane];
    const bool has_second = variable[lane] + work.step[lane] < work.stop[lane];
    if (!has_second && (has_first || loop.form == LoopForm::AtMostOnce)) continue;
    state_.faults.add(FaultKind::ControlFlowForm,
                      fmt::format("{} would execute the loop over {} {}, not {}", describe(lane), loop.name,
                                  has_second ? "more than once" : "never",
                                  loop.form == LoopForm::AtMostOnce ? "at most once" : "exactly once"));
    return;
  }
}

/// Checks that a variable is in the range that it claims, by which index expressions were simplified.
void GroupExecutor::check_range(const ReadyStatement& declaration, Lanes lanes) {
  if (declaration.range_start < 0 && declaration.range_stop < 0) return;
  if (!state_.faults.is_wanted(FaultKind::ControlFlowForm)) return;
  const std::int64_t* const variable = integers_.data() + as_size(declaration.column) * lanes_;
  for (const bool is_start : {true, false}) {
    const ProgramNumber program = is_start ? declaration.range_start : declaration.range_stop;
    if (program < 0) continue;
    const std::int64_t* const bound = compute_index(program, lanes);
    for (std::uint32_t lane : lanes) {
      if (!is_valid(bound[lane]) ||
          (is_start ? variable[lane] >= bound[lane] : variable[lane] < bound[lane])) {
        continue;
      }
      state_.faults.add(
          FaultKind::ControlFlowForm,
          fmt::format("{}: {} is {}, which is not in its range ({} {})", describe(lane), declaration.name,
                      variable[lane], is_start ? "from" : "below", bound[lane]));
      return;
    }
  }
}

void GroupExecutor::execute_branch(const ReadyStatement& branch, Lanes lanes) {
  Workspace& work = workspaces_[as_size(branch.workspace)];
  compute(*branch.value, lanes, 0);
  state_.counts.branches += lanes.size();
  const Column condition = column(0);
  work.first.clear();
  work.second.clear();
  for (std::uint32_t lane : lanes) {
    (condition[lane].integer != 0 ? work.first : work.second).push_back(lane);
  }
  if (!work.first.empty()) execute(branch.body, work.first);
  if (!work.second.empty()) execute(branch.else_body, work.second);
}

void GroupExecutor::execute_let(const ReadyStatement& let, Lanes lanes) {
  if (!let.value) {
    for (std::uint32_t lane : lanes) is_set_[as_size(let.slot)][lane] = 0;
    return;
  }
  compute(*let.value, lanes, 0);
  set_variable(let.slot, lanes);
  if (let.column < 0) return;
  std::int64_t* const integers = integers_.data() + as_size(let.column) * lanes_;
  const Column result = column(0);
  for (std::uint32_t lane : lanes) integers[lane] = result[lane].integer;
  check_range(let, lanes);
}

void GroupExecutor::set_variable(std::int32_t slot, Lanes lanes) {
  const Column result = column(0);
  std::vector<ScalarValue>& variable = variables_[as_size(slot)];
  for (std::size_t at = 0; at < variable.size(); at += lanes_) {
    for (std::uint32_t lane : lanes) variable[at + lane] = result[at + lane];
  }
  if (is_set_[as_size(slot)].empty()) return;
  for (std::uint32_t lane : lanes) is_set_[as_size(slot)][lane] = 1;
}

void GroupExecutor::execute_store(const ReadyStatement& store, Lanes lanes) {
  compute(*store.value, lanes, 0);
  const Column result = column(0);
  const std::int64_t* const indices = compute_index(store.index, lanes);
  const int width = store.value->type.width;
  observe(store.slot, width, true, lanes, indices);
  for (std::uint32_t lane : lanes) {
    WatchedMemory& memory = *memory_of(store.slot, lane);
    ++state_.counts.stores[static_cast<std::size_t>(memory.space())];
    if (!is_access_possible(memory, indices[lane], width, lane, store.index, "writes")) continue;
    for (int c = 0; c < width; ++c) {
      const std::int64_t index = indices[lane] + c;
      const ScalarValue& value = result[as_size(c) * lanes_ + lane];
      if (store.update) {
        memory.update(index, *store.update, value, agent(memory, lane), shape_, state_.faults);
        continue;
      }
      if (!store.is_asynchronous) {
        memory.write(index, value, agent(memory, lane), shape_, state_.faults);
        continue;
      }
      // From now on the place may change at any time: a work-item that reads it too early gets poison.
      const ScalarValue poison = is_float(value.type) ? ScalarValue::of_real(value.type, std::nan(""))
                                                      : ScalarValue::of_integer(value.type, 0x5a5a5a5a);
      memory.write(index, poison, agent(memory, lane), shape_, state_.faults);
      transfers_[lane].back().push_back({&memory, index, value});
    }
  }
}

void GroupExecutor::execute_commit(Lanes lanes) {
  for (std::uint32_t lane : lanes) transfers_[lane].emplace_back();
}

void GroupExecutor::execute_await(const ReadyStatement& await, Lanes lanes) {
  for (std::uint32_t lane : lanes) {
    std::deque<std::vector<Transfer>>& groups = transfers_[lane];
    while (groups.size() > as_size(static_cast<std::int32_t>(await.pending)) + 1) {
      for (const Transfer& each : groups.front()) {
        each.memory->write(each.index, each.value, agent(*each.memory, lane), shape_, state_.faults);
      }
      groups.pop_front();
    }
  }
}

void GroupExecutor::execute_barrier(const ReadyStatement& barrier, Lanes lanes) {
  if (lanes.size() != lanes_ && state_.faults.is_wanted(FaultKind::DivergentBarrier)) {
    std::uint32_t missing = 0;
    while (missing < lanes.size() && lanes[missing] == missing) ++missing;
    state_.faults.add(FaultKind::DivergentBarrier,
                      fmt::format("{} of {} work-items are at a barrier; {} is not", lanes.size(), lanes_,
                                  describe(missing)));
  }
  ++state_.counts.barriers;
  if (state_.observer != nullptr) state_.observer->barrier(lanes.size());
  if (barrier.is_local_barrier) local_epoch_ = state_.next_epoch++;
  if (barrier.is_global_barrier) global_epoch_ = state_.next_epoch++;
}

void GroupExecutor::execute_allocate(const ReadyStatement& allocate, Lanes lanes) {
  WatchedMemory& memory = *memory_[as_size(allocate.slot)];
  if (memory.space() == AddressSpace::Local) return memory.mark_unset(0);
  for (std::uint32_t lane : lanes) memory.mark_unset(lane);
}

// ---- Values

GroupExecutor::Column GroupExecutor::column(std::size_t depth) {
  while (columns_.size() <= depth) {
    columns_.push_back(std::make_unique<ScalarValue[]>(largest_width_ * lanes_));
  }
  return columns_[depth].get();
}

WatchedMemory* GroupExecutor::memory_of(std::int32_t slot, std::uint32_t lane) const {
  if (WatchedMemory* const memory = memory_[as_size(slot)]) return memory;
  WatchedMemory* const target = pointers_[as_size(slot)][lane];
  if (!target) throw Bug(fmt::format("pointer '{}' names nothing", kernel_.buffers[as_size(slot)].name));
  return target;
}

void GroupExecutor::observe(std::int32_t slot, int width, bool is_store, Lanes lanes,
                            const std::int64_t* indices) const {
  if (state_.observer == nullptr || lanes.empty()) return;
  const WatchedMemory& memory = *memory_of(slot, lanes.front());
  state_.observer->access(
      {memory.name(), memory.space(), memory.scalar(), width, is_store, group_, lanes, indices});
}

void GroupExecutor::observe(const ReadyValue& operation, Lanes lanes) const {
  if (state_.observer == nullptr) return;
  state_.observer->operation(operation.op, operation.operands.back().type.scalar, operation.type.width,
                             lanes.size());
}

bool GroupExecutor::is_access_possible(const WatchedMemory& memory, std::int64_t index, int width,
                                       std::uint32_t lane, ProgramNumber program, const char* does) {
  if (is_valid(index) && index >= 0 && index <= memory.scalars() - width) return true;
  const std::string& text = kernel_.program_texts[as_size(program)];
  if (!is_valid(index)) {
    if (state_.faults.is_wanted(FaultKind::NoValue)) {
      state_.faults.add(FaultKind::NoValue,
                        fmt::format("{} {} {}[{}], and the index {}", describe(lane), does, memory.name(),
                                    text, index == no_value ? "divides by zero" : "overflows"));
    }
  } else if (state_.faults.is_wanted(FaultKind::OutOfBounds)) {
    const std::string count = width == 1 ? std::string() : fmt::format(" and {} more", width - 1);
    state_.faults.add(FaultKind::OutOfBounds,
                      fmt::format("{} {} {}[{}]{}, of {} ({})", describe(lane), does, memory.name(), index,
                                  count, memory.scalars(), text));
  }
  return false;
}

const std::int64_t* GroupExecutor::compute_index(ProgramNumber program, Lanes lanes) {
  return kernel_.programs[as_size(program)].evaluate(lanes, integers_.data(), scratch_.data(), lanes_);
}

void GroupExecutor::compute(const ReadyValue& value, Lanes lanes, std::size_t depth) {
  using Kind = ReadyValue::Kind;
  const Column result = column(depth);
  const std::size_t width = as_size(value.type.width);
  switch (value.kind) {
    case Kind::Literal:
      for (std::size_t c = 0; c < width; ++c) {
        for (std::uint32_t lane : lanes) result[c * lanes_ + lane] = value.literal;
      }
      return;
    case Kind::Reference:
      return compute_reference(value, lanes, result);
    case Kind::Index: {
      const std::int64_t* const index = compute_index(value.index, lanes);
      for (std::uint32_t lane : lanes) {
        result[lane] = ScalarValue::of_integer(value.type.scalar, is_valid(index[lane]) ? index[lane] : 0);
        if (result[lane].integer != index[lane] && state_.faults.is_wanted(FaultKind::NoValue)) {
          state_.faults.add(FaultKind::NoValue, fmt::format("{}: {} has no value of type {}", describe(lane),
                                                            kernel_.program_texts[as_size(value.index)],
                                                            name_of(value.type.scalar)));
        }
      }
      return;
    }
    case Kind::Test: {
      const std::int64_t* const left = compute_index(value.index, lanes);
      for (std::uint32_t lane : lanes) other_scratch_[lane] = left[lane];
      const std::int64_t* const right = compute_index(value.test_right, lanes);
      for (std::uint32_t lane : lanes) {
        const bool has_value = is_valid(other_scratch_[lane]) && is_valid(right[lane]);
        if (!has_value && state_.faults.is_wanted(FaultKind::NoValue)) {
          state_.faults.add(FaultKind::NoValue,
                            fmt::format("{} compares {} and {}, one of which has no value", describe(lane),
                                        kernel_.program_texts[as_size(value.index)],
                                        kernel_.program_texts[as_size(value.test_right)]));
        }
        result[lane] =
            ScalarValue::of_bool(has_value && holds(value.relation, other_scratch_[lane], right[lane]));
      }
      return;
    }
    case Kind::Load:
      return compute_load(value, lanes, result);
    case Kind::Operation:
      return compute_operation(value, lanes, depth);
    case Kind::LazySelect:
      return compute_select(value, lanes, depth);
    case Kind::LazyLogic:
      return compute_logic(value, lanes, depth);
    case Kind::Cast:
      compute(value.operands[0], lanes, depth);
      for (std::size_t c = 0; c < width; ++c) {
        for (std::uint32_t lane : lanes) {
          ScalarValue& scalar = result[c * lanes_ + lane];
          scalar = convert(scalar, value.type.scalar);
        }
      }
      return;
    case Kind::Component:
      compute(value.operands[0], lanes, depth);
      if (value.slot == 0) return;
      for (std::uint32_t lane : lanes) result[lane] = result[as_size(value.slot) * lanes_ + lane];
      return;
    case Kind::MakeVector:
      for (std::size_t c = 0; c < width; ++c) {
        if (c < value.operands.size()) compute(value.operands[c], lanes, depth + 1);
        const Column component = column(depth + 1);
        for (std::uint32_t lane : lanes) result[c * lanes_ + lane] = component[lane];
      }
      return;
    case Kind::Shuffle:
      return compute_shuffle(value, lanes, depth);
  }
}

void GroupExecutor::compute_reference(const ReadyValue& reference, Lanes lanes, Column result) {
  const std::vector<ScalarValue>& variable = variables_[as_size(reference.slot)];
  for (std::size_t at = 0; at < variable.size(); at += lanes_) {
    for (std::uint32_t lane : lanes) result[at + lane] = variable[at + lane];
  }
  const std::vector<std::uint8_t>& is_set = is_set_[as_size(reference.slot)];
  if (is_set.empty() || !state_.faults.is_wanted(FaultKind::Unset)) return;
  for (std::uint32_t lane : lanes) {
    if (is_set[lane] != 0) continue;
    state_.faults.add(FaultKind::Unset, fmt::format("{} reads variable {}, which is not set", describe(lane),
                                                    kernel_.variables[as_size(reference.slot)].name));
    return;
  }
}

void GroupExecutor::compute_load(const ReadyValue& load, Lanes lanes, Column result) {
  const std::int64_t* const indices = compute_index(load.index, lanes);
  const int width = load.type.width;
  observe(load.slot, width, false, lanes, indices);
  for (std::uint32_t lane : lanes) {
    WatchedMemory& memory = *memory_of(load.slot, lane);
    ++state_.counts.loads[static_cast<std::size_t>(memory.space())];
    const bool is_possible = is_access_possible(memory, indices[lane], width, lane, load.index, "reads");
    for (int c = 0; c < width; ++c) {
      result[as_size(c) * lanes_ + lane] =
          is_possible ? memory.read(indices[lane] + c, agent(memory, lane), shape_, state_.faults)
                      : ScalarValue::of_integer(load.type.scalar, 0);
    }
  }
}

void GroupExecutor::compute_operation(const ReadyValue& operation, Lanes lanes, std::size_t depth) {
  state_.counts.operations += lanes.size();
  observe(operation, lanes);
  const std::size_t arity = operation.operands.size();
  std::array<const ScalarValue*, 3> operands{};
  std::array<std::size_t, 3> strides{};  // 0 repeats the one component
  for (std::size_t at = 0; at < arity; ++at) {
    compute(operation.operands[at], lanes, depth + at);
    operands[at] = column(depth + at);
    strides[at] = operation.operands[at].type.width == 1 ? 0 : lanes_;
  }
  const Column result = column(depth);
  std::array<ScalarValue, 3> arguments;
  // The result takes the first operand's place: the last component first, since that may be the repeated one.
  for (std::size_t c = as_size(operation.type.width); c-- > 0;) {
    for (std::uint32_t lane : lanes) {
      for (std::size_t at = 0; at < arity; ++at) arguments[at] = operands[at][c * strides[at] + lane];
      const std::optional<ScalarValue> value = hoist::apply(operation.op, std::span(arguments.data(), arity));
      if (!value && state_.faults.is_wanted(FaultKind::NoValue)) {
        state_.faults.add(FaultKind::NoValue,
                          fmt::format("{}: {} of {} and {}", describe(lane), info(operation.op).name,
                                      to_string(arguments[0]), to_string(arguments[1])));
      }
      result[c * lanes_ + lane] = value.value_or(ScalarValue::of_integer(operation.type.scalar, 0));
    }
  }
}

void GroupExecutor::compute_select(const ReadyValue& select, Lanes lanes, std::size_t depth) {
  state_.counts.operations += lanes.size();
  observe(select, lanes);
  compute(select.operands[0], lanes, depth);
  const Column result = column(depth);
  Workspace& work = workspaces_[as_size(select.workspace)];
  work.first.clear();
  work.second.clear();
  for (std::uint32_t lane : lanes) (result[lane].integer != 0 ? work.first : work.second).push_back(lane);
  for (const std::size_t chosen : {std::size_t{1}, std::size_t{2}}) {
    const Lanes some = chosen == 1 ? work.first : work.second;
    if (some.empty()) continue;
    compute(select.operands[chosen], some, depth + 1);
    const Column from = column(depth + 1);
    const std::size_t stride = select.operands[chosen].type.width == 1 ? 0 : lanes_;
    for (std::size_t c = 0; c < as_size(select.type.width); ++c) {
      for (std::uint32_t lane : some) result[c * lanes_ + lane] = from[c * stride + lane];
    }
  }
}

void GroupExecutor::compute_logic(const ReadyValue& logic, Lanes lanes, std::size_t depth) {
  state_.counts.operations += lanes.size();
  observe(logic, lanes);
  compute(logic.operands[0], lanes, depth);
  const Column result = column(depth);
  Workspace& work = workspaces_[as_size(logic.workspace)];
  work.first.clear();
  for (std::uint32_t lane : lanes) {
    const bool is_decided = (result[lane].integer != 0) == (logic.op == ScalarOp::Or);
    if (!is_decided) work.first.push_back(lane);
  }
  if (work.first.empty()) return;
  compute(logic.operands[1], work.first, depth + 1);
  const Column second = column(depth + 1);
  for (std::uint32_t lane : work.first) result[lane] = second[lane];
}

void GroupExecutor::compute_shuffle(const ReadyValue& shuffle, Lanes lanes, std::size_t depth) {
  compute(shuffle.operands[0], lanes, depth + 1);
  const Column from = column(depth + 1), result = column(depth);
  std::size_t begin = 0;
  while (begin < lanes.size()) {
    const std::uint32_t warp = lanes[begin] / target::warp_size;
    std::size_t end = begin;
    while (end < lanes.size() && lanes[end] / target::warp_size == warp) ++end;
    const bool is_whole = end - begin == target::warp_size;
    if (!is_whole && state_.faults.is_wanted(FaultKind::DivergentShuffle)) {
      state_.faults.add(FaultKind::DivergentShuffle,
                        fmt::format("{} of {} work-items of a warp are at a shuffle, among them {}",
                                    end - begin, target::warp_size, describe(lanes[begin])));
    }
    for (; begin < end; ++begin) {
      const std::uint32_t lane = lanes[begin];
      const std::uint32_t other = is_whole ? lane ^ static_cast<std::uint32_t>(shuffle.slot) : lane;
      for (std::size_t c = 0; c < as_size(shuffle.type.width); ++c)
        result[c * lanes_ + lane] = from[c * lanes_ + other];
    }
  }
}

}  // namespace hoist::loop
