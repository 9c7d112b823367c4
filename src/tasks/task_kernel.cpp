// Rewrites a kernel for tasks. With windows of `u`, which begin at multiples of 64 elements,
//
//   for g in global(1) [0, 4096) : exactly_once { ... u[2048*max(g - 1, 0) + c] ... }
//
// becomes
//
//   for g in global(1) [0, count) : exactly_once { ... u[2048*max(g + first - 1, 0) + c - 64*u_begin] ... }
//
// Where windows are columns, indices are taken apart into rows and columns as the footprint has them: of
// A[2048*c + g] becomes A[(64*A_row + 2048 % 64)*c + (g + first) - 64*A_begin].
//
// `first` and `count` are scalars that each launch is given, as is the number of work-items that it follows
// from: nothing in the kernel depends on how many tasks there are, so one build of it serves all numbers of
// them. Only where a task has a part of a work-group is the loop at_most_once. Where two loops are cut, each
// has such scalars.
#include "tasks/task_kernel.hpp"

#include <algorithm>
#include <unordered_map>

namespace hoist::tasks {
namespace {

class Rewriting {
 public:
  Rewriting(const loop::Kernel& kernel, const Footprint& footprint, const std::vector<Region>& iterations,
            const std::map<std::string, Window>& windows, const std::vector<loop::BufferPtr>& kept,
            loop::NameSource& names)
      : footprint_(footprint), windows_(windows), kept_(kept), names_(names) {
    made_.kernel = kernel;
    tell(
        footprint.outer, "task", [&](std::size_t task) { return iterations[task].rows; }, iterations.size());
    if (footprint.inner)
      tell(
          *footprint.inner, "inner", [&](std::size_t task) { return iterations[task].columns; },
          iterations.size());
  }

  TaskKernel run() {
    loop::Kernel& kernel = made_.kernel;
    for (loop::KernelParameter& parameter : kernel.parameters) {
      auto* buffer = std::get_if<loop::BufferParameter>(&parameter);
      if (!buffer) continue;
      const auto window = windows_.find(buffer->buffer->name);
      if (window == windows_.end()) continue;
      const std::string& name = window->first;
      TaskKernel::ToldWindow told{name, variable(name + "_begin"), nullptr};
      const auto in_units = [&](const loop::VariablePtr& scalar) {
        return window_alignment *
               arith::data(scalar->name, 0, footprint_.scalars.at(name) / window_alignment + 1);
      };
      Moved moved{window->second.buffer, in_units(told.begin), {}};
      if (window->second.has_columns) {
        told.row = variable(name + "_row");
        moved.row = in_units(told.row) + footprint_.arrays.at(name).row_length % window_alignment;
      }
      moved_[buffer->buffer.get()] = moved;
      buffer->buffer = window->second.buffer;
      made_.windows.push_back(std::move(told));
    }
    const auto first_scalar =
        std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                     [](const auto& each) { return !std::holds_alternative<loop::BufferParameter>(each); });
    std::vector<loop::KernelParameter> memory;
    for (const loop::BufferPtr& each : kept_) memory.emplace_back(loop::BufferParameter{each, true});
    kernel.parameters.insert(first_scalar, memory.begin(), memory.end());
    for (const loop::VariablePtr& variable : made_.variables)
      kernel.parameters.emplace_back(loop::ScalarParameter{variable});
    for (const TaskKernel::ToldWindow& each : made_.windows) {
      kernel.parameters.emplace_back(loop::ScalarParameter{each.begin});
      if (each.row) kernel.parameters.emplace_back(loop::ScalarParameter{each.row});
    }
    move_columns(kernel.body);
    restrict_loops(kernel.body);
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
  /// A loop, and the scalars that say what runs of it.
  struct Told {
    const CutLoop* loop;
    arith::Expr first, count;
    bool has_parts_of_groups = false;  ///< whether a task's iterations are no whole work-groups
  };
  struct Moved {
    loop::BufferPtr buffer;
    arith::Expr begin;  ///< in elements
    arith::Expr row;    ///< where it is columns: elements of a row
  };

  loop::VariablePtr variable(const std::string& name) {
    return std::make_shared<const loop::Variable>(
        loop::Variable{names_.fresh(name), {made_.kernel.index_type, 1}});
  }
  /// A scalar between two bounds.
  arith::Expr number(const std::string& name, std::int64_t least, arith::Expr most) {
    const auto scalar = variable(name);
    made_.numbers.push_back({scalar->name, scalar->type.scalar, {}});
    made_.variables.push_back(scalar);
    return arith::data(scalar->name, least, most + 1);
  }

  template <class Run>
  void tell(const CutLoop& loop, const std::string& name, Run&& run, std::size_t tasks) {
    Told told{&loop, {}, {}};
    told.first = number(name + "_first", 0, loop.iterations - 1);
    for (std::size_t task = 0; task < tasks; ++task) made_.numbers.back().values.push_back(run(task).from);
    told.count = number(name + "_count", 1, loop.iterations - told.first);
    for (std::size_t task = 0; task < tasks; ++task)
      made_.numbers.back().values.push_back(run(task).length());
    set_launch(told, made_.numbers.back().values);
    told_.push_back(told);
  }

  /// Launches as many groups as the task's iterations need; where the kernel's work-items go round, no more
  /// than it has.
  void set_launch(Told& told, const std::vector<std::int64_t>& lengths) {
    if (told.loop->parallelism == loop::Parallelism::Sequential) return;
    const auto at = static_cast<std::size_t>(told.loop->dimension);
    loop::LaunchRange& launch = made_.kernel.launch;
    const std::int64_t local = launch.local[at].constant().value_or(1);
    const std::int64_t unit = told.loop->parallelism == loop::Parallelism::Group ? 1 : local;
    for (const std::int64_t length : lengths) told.has_parts_of_groups |= length % unit != 0;
    if (launch.global[at] == launch.local[at]) return;  // there is one group
    const arith::Expr groups = (told.count + (unit - 1)) / unit;
    launch.global[at] = arith::minimum(groups * local, launch.global[at]);
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
    const arith::Expr first = told_.front().first, end = first + told_.front().count;
    loop::Block last(std::make_move_iterator(block.begin() + static_cast<std::ptrdiff_t>(at) + 1),
                     std::make_move_iterator(block.end()));
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(at) + 1, block.end());
    block.push_back({loop::If{loop::test({arith::Relation::Less, end, footprint_.outer.iterations}),
                              kept_statements(false), std::move(last)}});
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(at),
                 {loop::If{loop::test({arith::Relation::Less, 0, first}), kept_statements(true), {}}});
  }

  const Told* told_of(arith::Expr variable) const {
    for (const Told& each : told_) {
      const std::vector<arith::Expr>& cut = each.loop->variables;
      if (std::find(cut.begin(), cut.end(), variable) != cut.end()) return &each;
    }
    return nullptr;
  }

  void restrict_loops(loop::Block& block) {
    for (std::size_t at = 0; at < block.size(); ++at) {
      auto* loop = std::get_if<loop::For>(&block[at].node);
      if (auto* branch = std::get_if<loop::If>(&block[at].node)) {
        restrict_loops(branch->then_body);
        restrict_loops(branch->else_body);
      }
      if (!loop) continue;
      const Told* told = told_of(loop->variable);
      if (told != nullptr) {
        loop->stop = told->count;
        const arith::Expr inside = arith::index(loop->variable->name, 0, told->count);
        loop->body = loop::substitute(std::move(loop->body), {{loop->variable.get(), inside + told->first}});
        loop->variable = inside;
        const bool is_exact = loop->form == loop::LoopForm::ExactlyOnce;
        if (is_exact && told->has_parts_of_groups) loop->form = loop::LoopForm::AtMostOnce;
      }
      if (told == nullptr || footprint_.inner) restrict_loops(loop->body);
      if (told == nullptr || !footprint_.accumulators) continue;
      keep_accumulators(block, at);
      return;
    }
  }

  /// Has loads of arrays whose windows are columns read there: from the body whose indices the footprint
  /// has taken apart.
  void move_columns(loop::Block& block) const {
    const auto has_columns = [](const auto& each) { return static_cast<bool>(each.second.row); };
    if (std::none_of(moved_.begin(), moved_.end(), has_columns)) return;
    block = loop::map_values(*footprint_.body, [&](const loop::ValuePtr& value) {
      const auto* load = std::get_if<loop::Load>(&value->node);
      if (!load) return value;
      const auto moved = moved_.find(load->buffer.get());
      if (moved == moved_.end() || !has_columns(*moved)) return value;
      const std::vector<Access>& accesses = footprint_.arrays.at(load->buffer->name).accesses;
      const auto access = std::find_if(accesses.begin(), accesses.end(),
                                       [&](const Access& each) { return each.index == load->index; });
      if (access == accesses.end()) throw Bug("a load has an index that its footprint lacks");
      const auto& [buffer, begin, row] = moved->second;
      return loop::load(buffer, access->row * row + access->column - begin, value->type.width);
    });
    arith::Substitution back;
    for (const Told& told : told_) {
      for (std::size_t at = 0; at < told.loop->variables.size(); ++at)
        back[told.loop->bounded[at].get()] = told.loop->variables[at];
    }
    block = loop::substitute(std::move(block), back);
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
  const std::map<std::string, Window>& windows_;
  const std::vector<loop::BufferPtr>& kept_;
  loop::NameSource& names_;
  TaskKernel made_;
  std::vector<Told> told_;  ///< of the outer loop, and of the inner one
  std::unordered_map<const loop::Buffer*, Moved> moved_;
};

}  // namespace

TaskKernel task_kernel(const loop::Kernel& kernel, const Footprint& footprint,
                       const std::vector<Region>& iterations, const std::map<std::string, Window>& windows,
                       const std::vector<loop::BufferPtr>& kept, loop::NameSource& names) {
  return Rewriting(kernel, footprint, iterations, windows, kept, names).run();
}

}  // namespace hoist::tasks
