// Rewrites a kernel for tasks. With windows of `u`, which begin at multiples of 64 elements,
//
//   for g in global(1) [0, 4096) : exactly_once { ... u[2048*max(g - 1, 0) + c] ... }
//
// becomes
//
//   for g in global(1) [0, most) : exactly_once { ... u[2048*max(g + first - 1, 0) + c - 64*u_begin] ... }
//
// and where tasks run different numbers of iterations the loop ends at `count`, at_most_once.
#include "tasks/task_kernel.hpp"

#include <algorithm>
#include <unordered_map>

namespace hoist::tasks {
namespace {

class Rewriting {
 public:
  Rewriting(const loop::Kernel& kernel, const Footprint& footprint, const std::vector<Interval>& iterations,
            const std::map<std::string, loop::BufferPtr>& windows, const std::vector<loop::BufferPtr>& kept,
            loop::NameSource& names)
      : footprint_(footprint), windows_(windows), kept_(kept), names_(names) {
    made_.kernel = kernel;
    std::int64_t latest = 0, least = footprint.iterations;
    for (const Interval& each : iterations) {
      most_ = std::max(most_, each.length());
      least = std::min(least, each.length());
      latest = std::max(latest, each.from);
    }
    most_ = std::max<std::int64_t>(most_, 1);
    set_launch();
    is_guarded_ = least != most_ || capacity_ != most_;
    first_ = number("task_first", latest);
    for (const Interval& each : iterations) made_.numbers.back().values.push_back(each.from);
    if (least != most_) {
      count_ = number("task_count", most_);
      for (const Interval& each : iterations) made_.numbers.back().values.push_back(each.length());
    }
  }

  TaskKernel run() {
    loop::Kernel& kernel = made_.kernel;
    for (loop::KernelParameter& parameter : kernel.parameters) {
      auto* buffer = std::get_if<loop::BufferParameter>(&parameter);
      if (!buffer) continue;
      const auto window = windows_.find(buffer->buffer->name);
      if (window == windows_.end()) continue;
      const auto base = variable(buffer->buffer->name + "_begin");
      const arith::Expr begin =
          arith::data(base->name, 0, footprint_.scalars.at(buffer->buffer->name) / window_alignment + 1);
      moved_[buffer->buffer.get()] = {window->second, window_alignment * begin};
      buffer->buffer = window->second;
      made_.bases.emplace_back(window->first, base);
    }
    const auto first_scalar =
        std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                     [](const auto& each) { return !std::holds_alternative<loop::BufferParameter>(each); });
    std::vector<loop::KernelParameter> memory;
    for (const loop::BufferPtr& each : kept_) memory.emplace_back(loop::BufferParameter{each, true});
    kernel.parameters.insert(first_scalar, memory.begin(), memory.end());
    for (const loop::VariablePtr& variable : made_.variables)
      kernel.parameters.emplace_back(loop::ScalarParameter{variable});
    for (const auto& [array, base] : made_.bases) kernel.parameters.emplace_back(loop::ScalarParameter{base});
    restrict_loop(kernel.body);
    kernel.body = loop::map_values(std::move(kernel.body), [&](const loop::ValuePtr& value) {
      const auto* load = std::get_if<loop::Load>(&value->node);
      if (!load) return value;
      const auto moved = moved_.find(load->buffer.get());
      if (moved == moved_.end()) return value;
      return loop::load(moved->second.buffer, load->index - moved->second.begin, value->type.width);
    });
    move_stores(kernel.body);
    return std::move(made_);
  }

 private:
  struct Moved {
    loop::BufferPtr buffer;
    arith::Expr begin;  ///< in elements
  };

  loop::VariablePtr variable(const std::string& name) {
    return std::make_shared<const loop::Variable>(
        loop::Variable{names_.fresh(name), {made_.kernel.index_type, 1}});
  }
  arith::Expr number(const std::string& name, std::int64_t most) {
    const auto scalar = variable(name);
    made_.numbers.push_back({scalar->name, scalar->type.scalar, {}});
    made_.variables.push_back(scalar);
    return arith::data(scalar->name, 0, most + 1);
  }

  /// Launches as many work-items as the most iterations need; `capacity_` is how many have one.
  void set_launch() {
    capacity_ = most_;
    if (footprint_.accumulators) return;
    const auto at = static_cast<std::size_t>(footprint_.dimension);
    arith::Expr& global = made_.kernel.launch.global[at];
    const std::int64_t local = made_.kernel.launch.local[at].constant().value_or(1);
    const bool is_group = footprint_.parallelism == loop::Parallelism::Group;
    const std::int64_t unit = is_group ? 1 : local;
    capacity_ = (most_ + unit - 1) / unit * unit;
    const std::int64_t wanted = is_group ? capacity_ * local : capacity_;
    global = std::min(wanted, global.constant().value_or(wanted));
  }

  /// The accumulators to or from memory.
  loop::Block kept_statements(bool is_restored) const {
    loop::Block result;
    const Accumulators& accumulators = *footprint_.accumulators;
    for (std::size_t at = 0; at < kept_.size(); ++at) {
      const loop::VariablePtr& variable = accumulators.variables[at];
      const int width = variable->type.width;
      const arith::Expr index = accumulators.item * arith::Expr(width);
      if (is_restored) {
        result.push_back({loop::Assign{variable, loop::load(kept_[at], index, width)}});
      } else {
        result.push_back({loop::Store{kept_[at], index, loop::reference(variable)}});
      }
    }
    return result;
  }

  /// What stands before the loop of a reduction runs in each task, what stands behind it in the last:
  ///
  ///   if (0 < first) acc = acc_kept[item];
  ///   for i in [0, count) { ... }
  ///   if (first + count < n) { acc_kept[item] = acc; } else { ... }
  void keep_accumulators(loop::Block& block, std::size_t at) {
    const arith::Expr end = first_ + (count_ ? count_ : arith::Expr(most_));
    loop::Block last(std::make_move_iterator(block.begin() + static_cast<std::ptrdiff_t>(at) + 1),
                     std::make_move_iterator(block.end()));
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(at) + 1, block.end());
    block.push_back({loop::If{loop::test({arith::Relation::Less, end, footprint_.iterations}),
                              kept_statements(false), std::move(last)}});
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(at),
                 {loop::If{loop::test({arith::Relation::Less, 0, first_}), kept_statements(true), {}}});
  }

  void restrict_loop(loop::Block& block) {
    for (std::size_t at = 0; at < block.size(); ++at) {
      auto* loop = std::get_if<loop::For>(&block[at].node);
      if (loop && loop->variable == footprint_.variable) {
        loop->stop = count_ ? count_ : arith::Expr(most_);
        const arith::Expr inside = arith::index(loop->variable->name, 0, most_);
        loop->body = loop::substitute(std::move(loop->body), {{loop->variable.get(), inside + first_}});
        loop->variable = inside;
        if (loop->form == loop::LoopForm::ExactlyOnce && is_guarded_) loop->form = loop::LoopForm::AtMostOnce;
        if (footprint_.accumulators) keep_accumulators(block, at);
        return;
      }
      if (loop) restrict_loop(loop->body);
    }
  }

  void move_stores(loop::Block& block) {
    for (loop::Statement& statement : block) {
      if (auto* store = std::get_if<loop::Store>(&statement.node)) {
        const auto moved = moved_.find(store->buffer.get());
        if (moved == moved_.end()) continue;
        store->index = store->index - moved->second.begin;
        store->buffer = moved->second.buffer;
      } else if (auto* loop = std::get_if<loop::For>(&statement.node)) {
        move_stores(loop->body);
      } else if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        move_stores(branch->then_body);
        move_stores(branch->else_body);
      }
    }
  }

  const Footprint& footprint_;
  const std::map<std::string, loop::BufferPtr>& windows_;
  const std::vector<loop::BufferPtr>& kept_;
  loop::NameSource& names_;
  TaskKernel made_;
  arith::Expr first_, count_;
  std::int64_t most_ = 0, capacity_ = 0;
  bool is_guarded_ = false;
  std::unordered_map<const loop::Buffer*, Moved> moved_;
};

}  // namespace

TaskKernel task_kernel(const loop::Kernel& kernel, const Footprint& footprint,
                       const std::vector<Interval>& iterations,
                       const std::map<std::string, loop::BufferPtr>& windows,
                       const std::vector<loop::BufferPtr>& kept, loop::NameSource& names) {
  return Rewriting(kernel, footprint, iterations, windows, kept, names).run();
}

}  // namespace hoist::tasks
