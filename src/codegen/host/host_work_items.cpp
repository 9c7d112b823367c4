// Kernels as work-items: loops over a group's work-items around every stretch of statements between barriers.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "codegen/host/host_printer.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {

using loop::LoopForm;
using loop::Parallelism;

void Host::print_work_items(const loop::Kernel& kernel) {
  declare_launch(kernel);
  int fast_dimension = 0;
  while (fast_dimension < 2 && !dimensions_[static_cast<std::size_t>(fast_dimension)].has_items())
    ++fast_dimension;
  work_items_.emplace(kernel, fast_dimension);
  int depth = 0;
  for (const Dimension& each : dimensions_) depth += each.has_groups() ? 1 : 0;
  if (depth > 0)
    write_pragma(depth > 1 ? fmt::format("omp parallel for collapse({})", depth) : "omp parallel for");
  for (auto each = dimensions_.rbegin(); each != dimensions_.rend(); ++each) {
    if (each->has_groups()) open_for(each->group_id.text, {"0"}, each->groups, {"1"});
  }
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
    if (allocate && allocate->buffer->space == loop::AddressSpace::Local) declare_buffer(*allocate->buffer);
  });
  declare_kept();
  group_block(kernel.body);
  for (; depth > 0; --depth) close();
}

void Host::declare_launch(const loop::Kernel& kernel) {
  item_ = names_.fresh("item");
  for (std::size_t at = 0; at < dimensions_.size(); ++at) {
    Dimension& dimension = dimensions_[at];
    dimension = Dimension();
    const auto size = kernel.launch.local[at].constant();
    const auto groups = arith::exact_quotient(kernel.launch.global[at], kernel.launch.local[at]).constant();
    if (size) {
      dimension.local_size = {fmt::format("{}", *size)};
    } else {
      dimension.local_size = {names_.fresh(fmt::format("size_{}", at))};
      line("const long {} = range[{}];", dimension.local_size.text, at + dimensions_.size());
    }
    if (groups) {
      dimension.groups = {fmt::format("{}", *groups)};
    } else {
      dimension.groups = {names_.fresh(fmt::format("groups_{}", at))};
      const std::string divisor =
          size ? dimension.local_size.text : fmt::format("range[{}]", at + dimensions_.size());
      line("const long {} = range[{}] / {};", dimension.groups.text, at, divisor);
    }
    dimension.capacity = dimension.local_size;
    if (size != 1) dimension.local_id = {names_.fresh(fmt::format("local_{}", at))};
    if (groups != 1) dimension.group_id = {names_.fresh(fmt::format("group_{}", at))};
  }
}

/// How many work-items a group may have, where that is known.
std::optional<std::int64_t> Host::item_capacity() const {
  std::int64_t product = 1;
  for (const Dimension& each : dimensions_) {
    if (std::isdigit(static_cast<unsigned char>(each.capacity.text[0])) == 0) return std::nullopt;
    product *= std::stoll(each.capacity.text);
  }
  return product;
}

/// The size of memory with some elements for each work-item.
Code Host::kept_size(std::int64_t elements) const {
  if (const auto items = item_capacity()) return {fmt::format("{}", *items * elements)};
  Code result{fmt::format("{}", elements)};
  for (const Dimension& each : dimensions_) {
    if (each.capacity.text != "1") result = infix(result, "*", each.capacity, Precedence::Product);
  }
  return result;
}

bool Host::is_interleaved(const loop::Buffer& buffer) const {
  return item_capacity() && work_items_->is_interleaved(buffer);
}

void Host::declare_kept() {
  kept_names_.clear();
  for (const WorkItemState& state : work_items_->kept()) {
    const std::string& own = state.variable ? name(*state.variable) : name(*state.buffer);
    const std::string kept = names_.fresh(own + "_items");
    kept_names_[entity_of(state)] = kept;
    const loop::ValueType type = state.variable ? state.variable->type : state.buffer->type;
    const bool is_pointer = state.buffer && state.buffer->is_pointer;
    const std::int64_t elements =
        state.buffer && !is_pointer ? constant_scalars(*state.buffer) / type.width : 1;
    const auto bytes = size_of(type.scalar) * static_cast<std::size_t>(type.width);
    declare_array(is_pointer ? pointer_type(*state.buffer) : memory_name(type),
                  is_pointer ? sizeof(void*) : bytes, kept, kept_size(elements), true);
  }
}

void Host::for_group(const std::function<void()>& print) {
  std::map<std::string, std::string> own_names;
  for (const WorkItemState& state : work_items_->kept()) {
    const std::string& entity_name = state.variable ? state.variable->name : state.buffer->name;
    const bool is_array = state.buffer && !state.buffer->is_pointer;
    const std::string& kept = kept_names_.at(entity_of(state));
    own_names[entity_name] = names_.replace(entity_name, is_array ? kept : kept + "[0]");
  }
  print();
  for (const auto& [entity_name, own] : own_names) names_.replace(entity_name, own);
}

void Host::group_block(const loop::Block& block) {
  for (const Segment& segment : work_items_->segments(block)) {
    if (segment.is_region) {
      region(segment.statements);
    } else {
      group_statement(segment.statements[0]);
    }
  }
}

void Host::group_statement(const loop::Statement& statement) {
  if (const auto* loop = std::get_if<loop::For>(&statement.node)) return group_loop(*loop);
  const auto* branch = std::get_if<loop::If>(&statement.node);
  if (!branch) return for_group([&] { this->statement(statement); });
  for_group([&] { indent("if ({}) {{", value(branch->condition).text); });
  group_block(branch->then_body);
  if (!branch->else_body.empty()) {
    close_then_open("} else {");
    group_block(branch->else_body);
  }
  close();
}

void Host::group_loop(const loop::For& loop) {
  switch (loop.parallelism) {
    case Parallelism::Sequential:
      for_group([&] {
        open_for(name(loop.variable), index(loop.start), index(loop.stop), index(loop.step), loop.condition);
      });
      break;
    case Parallelism::Group:
      for_group([&] { open_parallel(loop); });
      break;
    default:
      // Every work-item has one iteration: the loops over work-items are inside.
      if (loop.form != LoopForm::ExactlyOnce) {
        throw Bug(fmt::format("a barrier in the loop of {}, which not all work-items execute",
                              loop.variable->name));
      }
      return group_block(loop.body);
  }
  group_block(loop.body);
  if (loop.parallelism == Parallelism::Sequential || loop.form != LoopForm::ExactlyOnce) close();
}

/// The first id of each dimension gives the loop over it its name.
void Host::name_ids(const std::vector<WorkItemState>& states) {
  const auto unnamed = dimensions_;
  for (const WorkItemState& state : states) {
    if (!state.id || block_loop_) continue;
    const auto at = static_cast<std::size_t>(state.id->dimension);
    Dimension& dimension = dimensions_.at(at);
    const bool is_own = state.id->parallelism == Parallelism::Local && dimension.has_items();
    if (is_own && dimension.local_id.text == unnamed.at(at).local_id.text) {
      dimension.local_id.text = name(state.id->variable);
    }
  }
}

void Host::region(std::span<const loop::Statement> statements) {
  const bool is_empty =
      std::all_of(statements.begin(), statements.end(), [&](const loop::Statement& statement) {
        const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
        return allocate && work_items_->is_kept(allocate->buffer.get());
      });
  if (is_empty) return;
  const auto states = work_items_->bound_in(statements);
  std::vector<const Dimension*> loops;
  for (auto each = dimensions_.rbegin(); each != dimensions_.rend(); ++each) {
    if (each->has_items()) loops.push_back(&*each);
  }
  const bool is_simple = work_items_->is_straight_region(statements);
  const auto unnamed = dimensions_;
  name_ids(states);
  for (const Dimension* each : loops) {
    if (is_simple && each == loops.back()) write_pragma("omp simd");
    open_for(each->local_id.text, {"0"}, each->local_size, {"1"});
  }
  const bool has_scope = loops.empty() && !states.empty();
  if (has_scope) indent("{{");
  const bool has_item =
      std::any_of(states.begin(), states.end(), [](const auto& state) { return !state.id; });
  if (has_item && position().text != item_) line("const long {} = {};", item_, position().text);
  // Vector instructions keep copies in registers from statement to statement; references they may not.
  const bool has_copies = is_simple && !loops.empty();
  std::set<const loop::Variable*> set_first;
  for (const loop::Statement& each : statements) {
    const auto* let = std::get_if<loop::Let>(&each.node);
    if (let && let->value) set_first.insert(let->variable.get());
  }
  for (const WorkItemState& state : states) {
    if (has_copies && set_first.contains(state.variable.get())) {
      line("{} {};", memory_name(state.variable->type), name(*state.variable));
    } else {
      bind(state, has_copies);
    }
  }
  for (const loop::Statement& each : statements) statement(each);
  if (has_copies) keep_copies(states, statements);
  for (std::size_t at = 0; at < loops.size() + (has_scope ? 1 : 0); ++at) close();
  dimensions_ = unnamed;
}

/// The work-item's place in its group, the first dimension fastest.
Code Host::position() const {
  Code result{"0"};
  for (auto each = dimensions_.rbegin(); each != dimensions_.rend(); ++each) {
    if (!each->has_items()) continue;
    if (result.text == "0") {
      result = each->local_id;
    } else {
      result = infix(infix(result, "*", each->local_size, Precedence::Product), "+", each->local_id,
                     Precedence::Sum);
    }
  }
  return result;
}

/// Writes the copies of variables that statements have set to where they are kept.
void Host::keep_copies(const std::vector<WorkItemState>& states,
                       std::span<const loop::Statement> statements) {
  std::set<const loop::Variable*> written;
  const auto note = [&](const loop::Statement& statement) {
    if (const auto* let = std::get_if<loop::Let>(&statement.node)) written.insert(let->variable.get());
    if (const auto* assign = std::get_if<loop::Assign>(&statement.node))
      written.insert(assign->variable.get());
  };
  for (const loop::Statement& each : statements) {
    note(each);
    loop::for_each_block(each, [&](const loop::Block& inner) { loop::for_each_statement(inner, note); });
  }
  for (const WorkItemState& state : states) {
    if (state.variable && written.contains(state.variable.get()))
      line("{}[{}] = {};", kept_names_.at(entity_of(state)), item_, name(*state.variable));
  }
}

/// Names what is kept of the work-item: where it is, or as a copy of it.
void Host::bind(const WorkItemState& state, bool is_copy) {
  if (state.id) {
    const std::string value = id(*state.id).text;
    if (value != name(state.id->variable)) line("const long {} = {};", name(state.id->variable), value);
    return;
  }
  const std::string& kept = kept_names_.at(entity_of(state));
  if (state.variable) {
    line("{}{} {} = {}[{}];", memory_name(state.variable->type), is_copy ? "" : "&", name(*state.variable),
         kept, item_);
  } else if (state.buffer->is_pointer) {
    line("{}& {} = {}[{}];", pointer_type(*state.buffer), name(*state.buffer), kept, item_);
  } else {
    const loop::ValueType type = state.buffer->type;
    const std::int64_t elements = constant_scalars(*state.buffer) / type.width;
    const bool is_factor = elements > 1 && !is_interleaved(*state.buffer);
    line("{}* const {} = {} + {};", memory_name(type), name(*state.buffer), kept,
         is_factor ? fmt::format("{} * {}", item_, elements) : item_);
  }
}

Code Host::id(const loop::For& loop) const {
  if (block_loop_) {
    const Code& item = dimensions_[0].local_id;
    return block_start_.text == "0" ? item : infix(block_start_, "+", item, Precedence::Sum);
  }
  const Dimension& dimension = dimensions_.at(static_cast<std::size_t>(loop.dimension));
  if (loop.parallelism == Parallelism::Local) return dimension.local_id;
  if (loop.parallelism == Parallelism::Group) return dimension.group_id;
  if (!dimension.has_groups()) return dimension.local_id;
  if (dimension.local_size.text == "1") return dimension.group_id;
  const Code first = infix(dimension.group_id, "*", dimension.local_size, Precedence::Product);
  return dimension.has_items() ? infix(first, "+", dimension.local_id, Precedence::Sum) : first;
}

Code Host::stride(const loop::For& loop) const {
  const Dimension& dimension = dimensions_.at(static_cast<std::size_t>(loop.dimension));
  if (loop.parallelism == Parallelism::Local) return dimension.local_size;
  if (loop.parallelism == Parallelism::Group) return dimension.groups;
  return infix(dimension.groups, "*", dimension.local_size, Precedence::Product);
}

/// A parallel loop that a work-item, or a group, executes its part of.
void Host::open_parallel(const loop::For& loop) {
  const std::string& variable = name(loop.variable);
  if (loop.form == LoopForm::Loop) return open_for(variable, id(loop), index(loop.stop), stride(loop));
  line("const long {} = {};", variable, id(loop).text);
  if (loop.form == LoopForm::ExactlyOnce) return;
  indent("if ({}) {{", infix({variable}, "<", index(loop.stop), Precedence::Relational).text);
}

void Host::work_item_loop(const loop::For& loop) {
  open_parallel(loop);
  block(loop.body);
  if (loop.form != LoopForm::ExactlyOnce) close();
}

}  // namespace hoist::codegen
