// Kernels as ordinary loops.
#include <fmt/format.h>

#include "codegen/host/host_printer.hpp"
#include "codegen/host/sharing.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {

void Host::print_loops(const loop::Kernel& kernel) {
  declare_local_memory(nullptr);
  block(kernel.body);
}

void Host::declare_local_memory(const loop::For* loop) {
  const auto buffers = local_memory_->find(loop);
  if (buffers == local_memory_->end()) return;
  for (const loop::BufferPtr& buffer : buffers->second) declare_buffer(*buffer);
}

void Host::loop_over_all(const loop::For& loop) {
  if (loop.parallelism != loop::Parallelism::Local && !is_shared_) return shared_loops(loop);
  if (loop.stop.is_constant(1)) {
    bool is_used = false;
    loop::for_each_index(loop.body,
                         [&](arith::Expr e) { is_used = is_used || arith::contains(e, loop.variable); });
    if (is_used) line("const long {} = 0;", name(loop.variable));
    return block(loop.body);
  }
  if (is_blocked(loop)) return blocked_loop(loop, false);
  if (is_straight(loop.body) && !reuses_local_memory(loop)) write_pragma("omp simd");
  open_loop(loop);
  block(loop.body);
  close();
}

namespace {

bool has_streamed_vectors(const loop::Block& body) {
  bool found = false;
  loop::for_each_statement(body, [&](const loop::Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    found = found || (store && store->is_streamed && store->value->type.width > 1);
  });
  return found;
}

}  // namespace

/// A loop of as many iterations as the kernel is told, a task's, may have too few to share. It keeps its
/// vectors, which the clause would take away, too, if it did not say what it is for.
std::string Host::only_where_worth(const loop::For& loop, bool is_vector) {
  if (loop.stop.constant() || !most_iterations(kernel(), loop)) return {};
  const std::int64_t least = iterations_worth_sharing(loop, is_vector);
  return least > 1
             ? fmt::format(
                   " if(parallel : {})",
                   infix({fmt::format("{}", least)}, "<=", index(loop.stop), Precedence::Relational).text)
             : std::string();
}

/// The outermost parallel loops. Where the innermost of them fits vector instructions it keeps to itself,
/// unless it is the only one.
void Host::shared_loops(const loop::For& loop) {
  std::vector<const loop::For*> nest = perfect_nest(loop);
  const loop::For& innermost = *nest.back();
  const bool is_simple = is_straight(innermost.body) && !reuses_local_memory(innermost);
  const bool is_vector = is_simple || is_blocked(innermost);
  is_shared_ = true;
  if (loop.parallelism == loop::Parallelism::Global && is_too_little_to_share(loop, is_vector)) {
    loop_over_all(loop);
    if (has_streamed_vectors(loop.body)) line("{};", help("finish_streams", {}).text);
  } else if (is_vector && nest.size() == 1 && !is_simple) {
    blocked_loop(innermost, true);
  } else {
    const std::size_t shared = is_vector && nest.size() > 1 ? nest.size() - 1 : nest.size();
    const bool is_streamed = has_streamed_vectors(loop.body);
    const std::string clauses = fmt::format("for{}{}", is_vector && nest.size() == 1 ? " simd" : "",
                                            shared > 1 ? fmt::format(" collapse({})", shared) : "");
    if (is_streamed) {
      // Nothing but a fence orders such stores before what says that a thread is done.
      write_pragma("omp parallel" + only_where_worth(loop, is_vector));
      indent("{{");
      write_pragma(fmt::format("omp {} nowait", clauses));
    } else {
      write_pragma("omp parallel " + clauses + only_where_worth(loop, is_vector));
    }
    for (std::size_t at = 0; at < shared; ++at) open_loop(*nest[at]);
    for (std::size_t at = 0; at + 1 < shared; ++at) {
      for (const loop::Statement& each : nest[at]->body) {
        if (std::holds_alternative<loop::Comment>(each.node)) statement(each);
      }
    }
    declare_local_memory(&loop);
    block(nest[shared - 1]->body);
    for (std::size_t at = 0; at < shared; ++at) close();
    if (is_streamed) {
      line("{};", help("finish_streams", {}).text);
      close();
    }
  }
  is_shared_ = false;
}

namespace {

/// What OpenMP calls a reduction by this operator; empty where none is made of it.
std::string_view symbol_of(ScalarOp op, Scalar type) {
  if (op == ScalarOp::BitOr) return "|";
  if (!is_float(type)) return {};
  if (op == ScalarOp::Add) return "+";
  return op == ScalarOp::Multiply ? "*" : std::string_view();
}

/// The variables from outside that a loop only adds to (or only multiplies, or sets bits of), by the operator
/// in C; nothing where it changes any in another way. Sums of integers need no such permission.
std::optional<std::map<std::string_view, std::vector<loop::VariablePtr>>> sums_of(const loop::For& loop) {
  std::set<const loop::Variable*> own;
  std::map<std::string_view, std::vector<loop::VariablePtr>> sums;
  std::map<const loop::Variable*, int> uses;
  bool is_possible = true;
  loop::for_each_statement(loop.body, [&](const loop::Statement& statement) {
    if (const auto* let = std::get_if<loop::Let>(&statement.node)) own.insert(let->variable.get());
    if (std::holds_alternative<loop::Store>(statement.node)) is_possible = false;
    const auto* assign = std::get_if<loop::Assign>(&statement.node);
    if (!assign || own.contains(assign->variable.get())) return;
    const auto* operation = std::get_if<loop::Operation>(&assign->value->node);
    const auto* first = operation ? std::get_if<loop::Reference>(&operation->operands[0]->node) : nullptr;
    const bool is_sum = operation && first && first->variable == assign->variable &&
                        assign->variable->type.width == 1 &&
                        !symbol_of(operation->op, assign->variable->type.scalar).empty();
    is_possible = is_possible && is_sum;
    if (is_sum) sums[symbol_of(operation->op, assign->variable->type.scalar)].push_back(assign->variable);
  });
  loop::for_each_value(loop.body, [&](const loop::ValuePtr& value) {
    if (const auto* read = std::get_if<loop::Reference>(&value->node)) ++uses[read->variable.get()];
  });
  for (const auto& [op, variables] : sums) {
    for (const auto& variable : variables) is_possible = is_possible && uses[variable.get()] == 1;
  }
  if (!is_possible || sums.empty()) return std::nullopt;
  return sums;
}

}  // namespace

/// A sum in any order is several sums side by side.
void Host::sequential_loop(const loop::For& loop) {
  const auto sums = loop.reorderable && is_straight(loop.body) ? sums_of(loop) : std::nullopt;
  if (sums) {
    std::string clauses;
    for (const auto& [op, variables] : *sums) {
      std::vector<std::string> names;
      for (const loop::VariablePtr& variable : variables) names.push_back(name(*variable));
      clauses += fmt::format(" reduction({} : {})", op, fmt::join(names, ", "));
    }
    write_pragma("omp simd" + clauses);
  }
  CFamily::sequential_loop(loop);
}

void Host::open_loop(const loop::For& loop) { open_for(name(loop.variable), {"0"}, index(loop.stop), {"1"}); }

// ---- Loops in blocks

bool Host::is_blocked(const loop::For& loop) const {
  // Local memory is one group's, and a block has many.
  bool is_leaf = !reuses_local_memory(loop);
  loop::for_each_statement(loop.body, [&](const loop::Statement& statement) {
    const auto* inner = std::get_if<loop::For>(&statement.node);
    const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
    if (inner && inner->parallelism != loop::Parallelism::Sequential) is_leaf = false;
    // Their sizes must be known, and each work-item has its own.
    if (allocate &&
        (allocate->buffer->space == loop::AddressSpace::Local || !allocate->buffer->scalars.constant())) {
      is_leaf = false;
    }
  });
  return is_leaf && WorkItemAnalysis(kernel(), loop).has_moved_loops();
}

/// Some vectors at least, with state that stays in the nearest cache; longer blocks read longer stretches of
/// memory, best whole pages: prefetching ends with each. Threads have a few blocks each.
std::int64_t Host::items_of_block(const loop::For& loop, bool is_shared) const {
  constexpr std::int64_t least = 64, most = 1024, most_state = 16 * 1024, most_blocks_for_threads = 12;
  std::int64_t state = 0;
  for (const WorkItemState& each : work_items_->kept()) {
    const loop::ValueType type = each.variable ? each.variable->type : each.buffer->type;
    const std::int64_t elements =
        each.buffer && !each.buffer->is_pointer ? constant_scalars(*each.buffer) : type.width;
    state += elements * static_cast<std::int64_t>(size_of(type.scalar));
  }
  const std::int64_t blocks_for_threads = options().threads > 0
                                              ? std::min(3 * options().threads, most_blocks_for_threads)
                                              : most_blocks_for_threads;
  std::int64_t items = least;
  const auto longest = loop.stop->facts.maximum;
  while (longest && items < most && 2 * items * state <= most_state &&
         *longest >= 2 * items * (is_shared ? blocks_for_threads : 1))
    items *= 2;
  return items;
}

void Host::blocked_loop(const loop::For& loop, bool is_shared) {
  const std::string& variable = name(loop.variable);
  const auto stop = loop.stop.constant();
  work_items_.emplace(kernel(), loop);
  const std::int64_t block_size = items_of_block(loop, is_shared);
  const bool is_one_block = stop && *stop <= block_size;
  Dimension& items = dimensions_[0];
  items.local_id = {names_.fresh(variable + "_item")};
  items.capacity = {fmt::format("{}", is_one_block ? *stop : block_size)};
  items.local_size = items.capacity;
  block_start_ = {"0"};
  if (is_shared && !is_one_block) write_pragma("omp parallel for" + only_where_worth(loop, true));
  if (!is_one_block) {
    block_start_ = {names_.fresh(variable + "_start")};
    open_for(block_start_.text, {"0"}, index(loop.stop), items.capacity);
    if (!stop || *stop % block_size != 0) {
      items.local_size = {names_.fresh(variable + "_count")};
      const Code rest = infix(index(loop.stop), "-", block_start_, Precedence::Sum);
      line("const long {} = std::min({}L, {});", items.local_size.text, block_size, rest.text);
    }
  } else {
    indent("{{");
  }
  block_loop_ = &loop;
  item_ = items.local_id.text;
  declare_kept();
  group_block(loop.body);
  work_items_.reset();
  block_loop_ = nullptr;
  items = Dimension();
  close();
}

}  // namespace hoist::codegen
