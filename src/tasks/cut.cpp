// Decides what is cut, and into which parts: `Cutter`.
//
// Read `Cutter::run` first. Steps are looked at from the last to the first, and each joins the phase before
// which it stands if it can (`join`): a kernel that can be cut joins a phase of tasks whose kernels read a
// part of what it writes, with the iterations that these parts take, or that read nothing of it. Iterations
// of neighbouring tasks overlap then; where that would compute most of the kernel again and again, the kernel
// is a phase of its own, whose result is complete before the next begins. Then it is decided which arrays are
// in memory as windows (`choose_windows`), what each step touches of each array (`collect_touches`), and the
// kernels are rewritten (task_kernel.hpp).
//
// Why running task after task means the same as running kernel after kernel: in a phase no kernel writes what
// an earlier one of the phase reads or writes, so a task can only read what an earlier task should not have
// written yet if a kernel writes parts that overlap with different values. It does not: iterations that two
// tasks run compute the same, and kernels that read what they write are never run twice (`join` refuses).
#include "tasks/cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "loop/traverse.hpp"
#include "loop/uses.hpp"
#include "lower/lower.hpp"
#include "tasks/footprint.hpp"
#include "tasks/row_choice.hpp"

namespace hoist::tasks {
namespace {

/// Kernels of a phase of tasks compute at most so many times what they compute once without tasks.
constexpr std::int64_t most_recomputation = 2;

/// Iterations in the units in which they are shared out: work-groups, where there are enough of these for so
/// many tasks.
struct Units {
  std::int64_t iterations, unit, count;

  Units(const CutLoop& loop, std::int64_t group, std::int64_t tasks) : iterations(loop.iterations) {
    const bool has_groups = loop.parallelism == loop::Parallelism::Global && iterations >= group * tasks;
    unit = has_groups ? group : 1;
    count = (iterations + unit - 1) / unit;
  }
  std::int64_t bound(std::int64_t units) const { return std::min(iterations, units * unit); }
  Interval part(const Fractions& fractions) const {
    const auto units = [&](double fraction) { return std::llround(static_cast<double>(count) * fraction); };
    return {bound(units(fractions.from)), bound(units(fractions.to))};
  }
};

/// A task's part: as even as can be, or as large as its weight asks.
Interval share(const Units& units, std::int64_t task, const CutOptions& options) {
  const std::int64_t tasks = options.tasks;
  const auto total = [&](std::int64_t number) {
    return std::accumulate(options.weights.begin(), options.weights.begin() + number, 0.0);
  };
  const auto first_unit = [&](std::int64_t number) -> std::int64_t {
    if (options.weights.empty() || number == tasks) return number * units.count / tasks;
    return std::llround(static_cast<double>(units.count) * total(number) / total(tasks));
  };
  return {units.bound(first_unit(task)), units.bound(first_unit(task + 1))};
}

class Cutter {
 public:
  Cutter(const loop::Plan& plan, const CutOptions& options) : plan_(plan), options_(options) {
    result_.tasks = options.tasks;
    result_.plan = plan;
    result_.program_inputs = plan.inputs.size();
    collect_arrays();
    for (const loop::PlanStep& step : plan.steps) uses_.push_back(loop::uses_of(plan, step));
  }

  Cut run() {
    if (options_.tasks > 1) {
      if (options_.grid) lay_out_grid();
      for (std::size_t kernel = 0; kernel < plan_.kernels.size(); ++kernel) add_footprint(kernel);
      if (!options_.grid && options_.share_memory) lay_out_inputs();
    }
    touched_later_.assign(result_.arrays.size(), false);
    for (std::size_t step = plan_.steps.size(); step-- > 0;) place(step);
    finish_phase();
    std::reverse(result_.phases.begin(), result_.phases.end());
    for (Phase& phase : result_.phases) std::reverse(phase.steps.begin(), phase.steps.end());
    for (const auto& [kernel, reason] : reasons_) result_.uncut.push_back(reason);
    for (const auto& [kernel, reason] : along_one_) {
      if (!reasons_.contains(kernel)) result_.cut_along_one.push_back(reason);
    }
    add_accumulators();
    choose_windows();
    collect_touches();
    rewrite_kernels();
    return std::move(result_);
  }

 private:
  void collect_arrays() {
    const auto add = [&](const loop::Buffer& buffer) {
      const auto scalars = buffer.scalars.constant();
      if (!scalars)
        throw_user("the size of " + buffer.name + " is not known: " + arith::to_string(buffer.scalars), {},
                   "give all sizes on the command line (NAME=SIZE)");
      numbers_[buffer.name] = result_.arrays.size();
      result_.arrays.push_back(
          {buffer.name, buffer.type.scalar, *scalars, {}, {}, buffer.name == lower::fault_flag});
      images_.push_back(buffer.image.has_value());
    };
    for (std::size_t input = 0; input < plan_.inputs.size(); ++input) {
      const auto* buffer = std::get_if<loop::BufferPtr>(&plan_.inputs[input]);
      if (!buffer) continue;
      add(**buffer);
      result_.arrays.back().input = input;
    }
    for (std::size_t output = 0; output < plan_.outputs.size(); ++output) {
      add(*plan_.outputs[output]);
      result_.arrays.back().output = output;
    }
    for (const loop::BufferPtr& temporary : plan_.temporaries) add(*temporary);
  }

  // ---- Along which loops kernels are cut

  void add_footprint(std::size_t number) {
    const loop::Kernel& kernel = plan_.kernels[number];
    footprints_.push_back(std::nullopt);
    if (options_.grid && has_two_loops(number)) {
      footprints_.back() = *std::move(grids_[number]);
    } else {
      auto footprint = footprint_of(kernel, options_.tasks);
      if (!footprint) {
        reasons_[kernel.name] = footprint.error().diagnostics.front().message;
        return;
      }
      lay_out(*footprint);
      std::string reason = footprint->accumulators || !options_.grid ? "" : obstacle(kernel, *footprint);
      if (!reason.empty()) {
        reasons_[kernel.name] = fmt::format("the loop {} of {}: {}", footprint->outer.variables.front()->name,
                                            kernel.name, reason);
        return;
      }
      footprints_.back() = *std::move(footprint);
    }
    if (const auto updated = updated_array(); !options_.share_memory && updated) {
      footprints_.back().reset();
      reasons_[kernel.name] =
          fmt::format("{} updates {} in place, which takes one memory", kernel.name, *updated);
    }
  }

  /// An array that iterations of the last kernel that was looked at update in place, whichever comes first.
  std::optional<std::string> updated_array() const {
    if (!footprints_.back()) return std::nullopt;
    for (const auto& [array, touched] : footprints_.back()->arrays) {
      if (touched.is_updated && array != lower::fault_flag) return array;
    }
    return std::nullopt;
  }

  /// Whether two loops of the kernel can be cut; the reason why not is noted.
  bool has_two_loops(std::size_t number) {
    const loop::Kernel& kernel = plan_.kernels[number];
    auto& footprint = grids_[number];
    std::string& reason = along_one_[kernel.name];
    if (footprint) {
      const CutLoop &outer = footprint->outer, &inner = *footprint->inner;
      lay_out(*footprint);
      reason = obstacle(kernel, *footprint);
      if (reason.empty() &&
          (outer.iterations < options_.grid->rows || inner.iterations < options_.grid->columns))
        reason = fmt::format("they have {} and {} iterations", outer.iterations, inner.iterations);
      if (!reason.empty())
        reason = fmt::format("the loops {} and {} of {}: {}", outer.variables.front()->name,
                             inner.variables.front()->name, kernel.name, reason);
    } else {
      reason = footprint.error().diagnostics.front().message;
    }
    if (!reason.empty()) return false;
    along_one_.erase(kernel.name);
    return true;
  }

  void lay_out(Footprint& footprint) const {
    for (const auto& [array, touched] : footprint.arrays) {
      const std::int64_t row_length = result_.arrays[numbers_.at(array)].row_length;
      if (touched.row_length != row_length) footprint.lay_out(array, row_length);
    }
  }

  /// Chooses the rows that arrays are seen as: those by which parts of a grid touch least. Results have the
  /// rows of the inputs that they become.
  void lay_out_grid() {
    for (const loop::Kernel& kernel : plan_.kernels) grids_.push_back(grid_footprint_of(kernel));
    for (std::size_t array = 0; array < result_.arrays.size(); ++array) {
      std::vector<std::size_t> alike{array};
      const auto& output = result_.arrays[array].output;
      if (options_.grid->fed && output) {
        for (std::size_t input = 0; input < result_.arrays.size(); ++input) {
          if (result_.arrays[input].input == *options_.grid->fed + *output) alike.push_back(input);
        }
      }
      std::vector<std::string> names;
      for (const std::size_t each : alike) names.push_back(result_.arrays[each].name);
      const std::int64_t row_length = rows_for_grid(grids_, names);
      for (const std::size_t each : alike) result_.arrays[each].row_length = row_length;
    }
  }

  /// Inputs of which tasks read columns are seen as rows.
  void lay_out_inputs() {
    for (std::size_t array = 0; array < result_.arrays.size(); ++array) {
      if (!result_.arrays[array].input || images_[array]) continue;
      const std::string& name = result_.arrays[array].name;
      std::vector<Footprint*> readers;
      for (auto& footprint : footprints_) {
        if (footprint && is_read(*footprint, name)) readers.push_back(&*footprint);
      }
      const std::int64_t row_length =
          rows_for_columns({name, result_.arrays[array].elements,
                            static_cast<std::int64_t>(size_of(result_.arrays[array].scalar)), readers,
                            options_.tasks, options_.least_row_bytes});
      result_.arrays[array].row_length = row_length;
      for (Footprint* each : readers) lay_out(*each);
    }
  }

  std::optional<std::size_t> kernel_of(std::size_t step) const {
    const auto* launch = std::get_if<loop::LaunchStep>(&plan_.steps[step].node);
    return launch ? std::optional(launch->kernel) : std::nullopt;
  }
  const Footprint& footprint_at(std::size_t step) const { return *footprints_[*kernel_of(step)]; }

  // ---- Phases, from the last step to the first

  void place(std::size_t step) {
    const auto kernel = kernel_of(step);
    if (kernel && *kernel < footprints_.size() && footprints_[*kernel]) {
      if (join(step)) return;
      finish_phase();
      if (join(step)) return;
      const Footprint& footprint = *footprints_[*kernel];
      reasons_[plan_.kernels[*kernel].name] =
          fmt::format("the loop {} of {} has {} iterations", footprint.outer.variables.front()->name,
                      plan_.kernels[*kernel].name, footprint.outer.iterations);
    }
    if (!kernel && options_.tasks > 1) {
      const bool is_copy = std::holds_alternative<loop::CopyStep>(plan_.steps[step].node);
      reasons_["step"] = is_copy ? "a copy between arrays is not cut"
                                 : "a repetition needs the whole of what its round before computed";
    }
    if (current_.is_cut) finish_phase();
    current_.steps.push_back({step});
  }

  void finish_phase() {
    for (const TaskStep& each : current_.steps) {
      for (const auto* buffers : {&uses_[each.step].read, &uses_[each.step].written}) {
        for (const loop::Buffer* buffer : *buffers) touched_later_[numbers_.at(buffer->name)] = true;
      }
    }
    if (!current_.steps.empty()) result_.phases.push_back(std::move(current_));
    current_ = {};
  }

  bool phase_writes(const std::string& array) const {
    return std::any_of(current_.steps.begin(), current_.steps.end(),
                       [&](const TaskStep& each) { return is_written(footprint_at(each.step), array); });
  }
  static bool is_written(const Footprint& footprint, const std::string& array) {
    const auto found = footprint.arrays.find(array);
    return found != footprint.arrays.end() && found->second.is_written();
  }
  static bool is_read(const Footprint& footprint, const std::string& array) {
    const auto found = footprint.arrays.find(array);
    return found != footprint.arrays.end() && found->second.is_read();
  }
  /// What kernels of the phase that is being made read of an array in a task.
  Region demand(const std::string& array, std::size_t task) const {
    Region result;
    for (const TaskStep& each : current_.steps)
      result = hull(result, footprint_at(each.step).read(array, each.iterations[task]));
    return result;
  }

  /// Whether the step's kernel can run in the phase that is being made; then it is added to it.
  bool join(std::size_t step) {
    if (!current_.steps.empty() && !current_.is_cut) return false;
    const Footprint& footprint = footprint_at(step);
    bool is_whole = false;     // whether tasks together must run all iterations
    bool is_demanded = false;  // whether kernels of the phase read what it writes
    bool runs_once = false;    // whether no iteration may run twice
    for (const auto& [array, touched] : footprint.arrays) {
      const bool writes = is_written(footprint, array), reads = is_read(footprint, array);
      if ((writes || reads) && phase_writes(array)) return false;
      if (!writes) continue;
      const std::size_t number = numbers_.at(array);
      is_whole |= result_.arrays[number].output.has_value() || touched_later_[number];
      runs_once |= touched.is_updated || reads;
      const bool is_read_here =
          std::any_of(current_.steps.begin(), current_.steps.end(),
                      [&](const TaskStep& each) { return is_read(footprint_at(each.step), array); });
      // What tasks finish together, or the last one alone, no other task can read.
      if (is_read_here && (touched.is_updated || footprint.accumulators)) return false;
      is_demanded |= is_read_here;
    }
    is_whole |= !is_demanded;
    runs_once |= footprint.accumulators.has_value();
    const auto tasks = static_cast<std::size_t>(options_.tasks);
    if (is_whole && !footprint.inner && footprint.outer.iterations < options_.tasks) return false;
    TaskStep added{step, footprint};
    std::int64_t total = 0;
    for (std::size_t task = 0; task < tasks; ++task) {
      const Region own = is_whole ? part_of(plan_.kernels[*kernel_of(step)], footprint, task) : Region{};
      Region all = own;
      for (const auto& [array, touched] : footprint.arrays) {
        if (is_demanded && is_written(footprint, array))
          all = hull(all, footprint.writers(array, demand(array, task)));
      }
      if (runs_once && !(all == own)) return false;
      total += all.area();
      added.iterations.push_back(all);
    }
    if (is_demanded && total >= most_recomputation * footprint.all().area()) return false;
    shares_[step] = is_whole;
    current_.is_cut = true;
    current_.steps.push_back(std::move(added));
    return true;
  }

  /// A task's share of a kernel's iterations.
  Region part_of(const loop::Kernel& kernel, const Footprint& footprint, std::size_t task) const {
    const auto group = [&](const CutLoop& loop) -> std::int64_t {
      if (footprint.accumulators) return 1;
      return kernel.launch.local[static_cast<std::size_t>(loop.dimension)].constant().value_or(1);
    };
    const CutLoop& outer = footprint.outer;
    if (!footprint.inner)
      return {share({outer, group(outer), options_.tasks}, static_cast<std::int64_t>(task), options_)};
    const Grid& grid = *options_.grid;
    const Grid::Part& part = grid.parts[task];
    return {Units(outer, group(outer), grid.rows).part(part.outer),
            Units(*footprint.inner, group(*footprint.inner), grid.columns).part(part.inner)};
  }

  // ---- What a reduction keeps between its tasks

  void add_accumulators() {
    loop::NameSource names(plan_);
    for (Phase& phase : result_.phases) {
      if (!phase.is_cut || options_.tasks == 1) continue;
      for (TaskStep& step : phase.steps) {
        const auto& accumulators = footprint_at(step.step).accumulators;
        if (!accumulators) continue;
        for (const loop::VariablePtr& variable : accumulators->variables) {
          const loop::Buffer buffer{names.fresh(variable->name + "_kept"),
                                    {variable->type.scalar, 1},
                                    loop::AddressSpace::Global,
                                    accumulators->items * variable->type.width};
          const auto kept = std::make_shared<const loop::Buffer>(buffer);
          result_.plan.temporaries.push_back(kept);
          kept_[step.step].push_back(kept);
          numbers_[kept->name] = result_.arrays.size();
          result_.arrays.push_back(
              {kept->name, buffer.type.scalar, *buffer.scalars.constant(), {}, {}, false});
          images_.push_back(false);
        }
      }
    }
  }

  // ---- What is in memory as windows

  /// Calls fn(phase, step) for each step that touches the array.
  template <class Fn>
  void for_each_use(const std::string& array, Fn&& fn) const {
    for (const Phase& phase : result_.phases) {
      for (const TaskStep& step : phase.steps) {
        const loop::Uses& uses = uses_[step.step];
        const auto is_it = [&](const loop::Buffer* buffer) { return buffer->name == array; };
        if (std::any_of(uses.read.begin(), uses.read.end(), is_it) ||
            std::any_of(uses.written.begin(), uses.written.end(), is_it))
          fn(phase, step);
      }
    }
  }

  void choose_windows() {
    for (std::size_t number = 0; number < result_.arrays.size(); ++number) {
      Array& array = result_.arrays[number];
      const bool is_temporary = !array.input && !array.output;
      if (array.is_fault_flag || images_[number] || (!is_temporary && !options_.has_windows)) continue;
      const Phase* only = nullptr;
      bool is_possible = true, is_used = false;
      std::vector<Region> touched(static_cast<std::size_t>(options_.tasks));
      for_each_use(array.name, [&](const Phase& phase, const TaskStep& step) {
        is_possible = is_possible && phase.is_cut && (!only || only == &phase);
        only = &phase;
        is_used = true;
        if (!is_possible) return;
        const Footprint& footprint = footprint_at(step.step);
        const bool writes = is_written(footprint, array.name);
        // What a kernel reads of an array that it writes, the same iteration has written (footprint.cpp).
        is_possible = !writes || !(footprint.accumulators || footprint.arrays.at(array.name).is_updated);
        for (std::size_t task = 0; task < touched.size(); ++task) {
          touched[task] = hull(touched[task], footprint.read(array.name, step.iterations[task]));
          touched[task] = hull(touched[task], footprint.written(array.name, step.iterations[task]));
        }
      });
      if (!is_possible || !is_used) continue;
      // From the first element to the last.
      std::vector<Interval> windows;
      for (const Region& each : touched) {
        const std::int64_t row = array.row_length;
        windows.push_back(each.is_empty() ? Interval{}
                                          : Interval{each.rows.from * row + each.columns.from,
                                                     (each.rows.to - 1) * row + each.columns.to});
      }
      std::int64_t total = 0, by_columns = 0;
      for (const Interval& each : windows) total += each.length();
      for (const Region& each : touched) by_columns += array.whole().rows.length() * each.columns.length();
      const bool has_columns = array.input && by_columns < total;
      // What most tasks read most of is uploaded once.
      if (array.input && std::min(total, by_columns) >= most_recomputation * array.elements) continue;
      for (std::size_t task = 0; task < touched.size(); ++task) {
        const Interval& each = has_columns ? touched[task].columns : windows[task];
        array.begins.push_back(each.from / window_alignment * window_alignment);
        array.window = std::max({array.window, each.to - array.begins.back(), std::int64_t{1}});
      }
      if (has_columns) set_window_rows(array);
    }
  }

  /// Makes windows of all rows from the widest window of columns, unless that is all columns: so it is where
  /// a task reads on from one row into the next. Their rows are as many elements longer than a multiple of
  /// the alignment as the array's are, so that accesses by vectors stay aligned.
  static void set_window_rows(Array& array) {
    const std::int64_t rest = array.row_length % window_alignment;
    const std::int64_t row =
        (array.window - rest + window_alignment - 1) / window_alignment * window_alignment + rest;
    const bool is_smaller = row < array.row_length;
    array.window_row = is_smaller ? row : 0;
    array.window = array.window_row * array.whole().rows.length();
    if (!is_smaller) array.begins.clear();
  }

  // ---- What each step touches

  void collect_touches() {
    for (Phase& phase : result_.phases) {
      for (TaskStep& step : phase.steps) {
        if (!phase.is_cut) {
          step.touches = {whole(uses_[step.step])};
          continue;
        }
        for (std::size_t task = 0; task < step.iterations.size(); ++task)
          step.touches.push_back(part(step, task));
      }
    }
  }

  std::vector<Touch> whole(const loop::Uses& uses) const {
    std::map<std::size_t, Touch> touches;
    const auto at = [&](const loop::Buffer* buffer) -> std::pair<Touch&, Region> {
      const std::size_t number = numbers_.at(buffer->name);
      return {touches.try_emplace(number, Touch{number, {}, {}, {}}).first->second,
              result_.arrays[number].whole()};
    };
    for (const loop::Buffer* buffer : uses.read) {
      const auto& [touch, all] = at(buffer);
      touch.read = all;
    }
    for (const loop::Buffer* buffer : uses.written) {
      const auto& [touch, all] = at(buffer);
      touch.written = touch.result = all;
    }
    std::vector<Touch> result;
    for (const auto& [number, touch] : touches)
      result.push_back(result_.arrays[number].is_fault_flag ? raised_flag(number) : touch);
    return result;
  }

  /// A kernel that finds a fault raises the flag, in whatever order.
  static Touch raised_flag(std::size_t number) { return {number, {}, {{0, 1}}, {}, true}; }

  std::vector<Touch> part(const TaskStep& step, std::size_t task) const {
    const Footprint& footprint = footprint_at(step.step);
    // Tasks beside them may have no iterations.
    const bool is_first = step.iterations[task].rows.from == 0;
    const bool is_last = step.iterations[task].rows.to == footprint.outer.iterations;
    std::vector<Touch> result;
    for (const auto& [name, touched] : footprint.arrays) {
      const std::size_t number = numbers_.at(name);
      if (result_.arrays[number].is_fault_flag) {
        result.push_back(raised_flag(number));
        continue;
      }
      const bool writes = !footprint.accumulators || is_last;
      Touch touch{number, footprint.read(name, step.iterations[task]), {}, {}, touched.is_updated};
      if (writes) touch.written = footprint.written(name, step.iterations[task]);
      if (options_.grid || touched.row_length > 1)
        touch.read_parts = footprint.read_parts(name, step.iterations[task]);
      if (shares_.at(step.step)) touch.result = touch.written;
      result.push_back(touch);
    }
    if (const auto kept = kept_.find(step.step); kept != kept_.end()) {
      for (const loop::BufferPtr& each : kept->second) {
        const std::size_t number = numbers_.at(each->name);
        const Region all = result_.arrays[number].whole();
        result.push_back({number, is_first ? Region{} : all, is_last ? Region{} : all, {}});
      }
    }
    return result;
  }

  // ---- Kernels

  void rewrite_kernels() {
    loop::Plan& plan = result_.plan;
    std::map<std::string, Window> windows;
    const auto replace = [&](loop::BufferPtr& buffer) {
      const Array& array = result_.arrays[numbers_.at(buffer->name)];
      if (!array.is_windowed()) return;
      loop::Buffer changed = *buffer;
      changed.scalars = array.window;
      buffer = std::make_shared<const loop::Buffer>(std::move(changed));
      windows[buffer->name] = {buffer, array.has_column_windows()};
    };
    for (loop::PlanInput& input : plan.inputs) {
      if (auto* buffer = std::get_if<loop::BufferPtr>(&input)) replace(*buffer);
    }
    for (auto* buffers : {&plan.outputs, &plan.temporaries}) {
      for (loop::BufferPtr& buffer : *buffers) replace(buffer);
    }
    loop::NameSource names(plan);
    std::vector<bool> is_taken(plan.kernels.size());
    std::map<std::string, int> copies;
    for (Phase& phase : result_.phases) {
      if (!phase.is_cut || options_.tasks == 1) continue;
      for (TaskStep& step : phase.steps) {
        const std::size_t kernel = *kernel_of(step.step);
        TaskKernel made = task_kernel(plan_.kernels[kernel], *footprints_[kernel], step.iterations, windows,
                                      kept_[step.step], names);
        const auto tell = [&](const loop::VariablePtr& variable, std::vector<std::int64_t> values) {
          for (std::int64_t& each : values) each /= window_alignment;
          made.numbers.push_back({variable->name, variable->type.scalar, std::move(values)});
          made.variables.push_back(variable);
        };
        for (const TaskKernel::ToldWindow& each : made.windows) {
          const Array& array = result_.arrays[numbers_.at(each.array)];
          tell(each.begin, array.begins);
          if (each.row) tell(each.row, std::vector(array.begins.size(), array.window_row));
        }
        for (const loop::VariablePtr& variable : made.variables)
          plan.inputs.emplace_back(loop::ScalarInput{variable});
        step.numbers = std::move(made.numbers);
        if (!is_taken[kernel]) {
          is_taken[kernel] = true;
          plan.kernels[kernel] = std::move(made.kernel);
          continue;
        }
        // A kernel that runs several times has other windows each time.
        made.kernel.name += fmt::format("_again{}", ++copies[made.kernel.name]);
        std::get<loop::LaunchStep>(plan.steps[step.step].node).kernel = plan.kernels.size();
        plan.kernels.push_back(std::move(made.kernel));
      }
    }
  }

  const loop::Plan& plan_;
  const CutOptions options_;
  Cut result_;
  std::map<std::string, std::size_t> numbers_;        ///< of arrays, by name
  std::vector<bool> images_;                          ///< by array: whether kernels read it as an image
  std::vector<loop::Uses> uses_;                      ///< by step
  std::vector<std::optional<Footprint>> footprints_;  ///< by kernel
  std::vector<Result<Footprint>> grids_;              ///< by kernel: of two loops, where there is a grid
  std::map<std::string, std::string> reasons_;        ///< by kernel: why it is not cut
  std::map<std::string, std::string> along_one_;      ///< by kernel: why not two of its loops are
  std::map<std::size_t, bool> shares_;  ///< by step: whether tasks together run all its iterations
  std::map<std::size_t, std::vector<loop::BufferPtr>> kept_;  ///< by step: its accumulators in memory
  Phase current_;                                             ///< its steps are in reverse
  std::vector<bool> touched_later_;                           ///< by array: by phases behind the current one
};

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& each : sentences) text += (text.empty() ? "" : "; ") + each;
  return text;
}

}  // namespace

bool Cut::has_cut_phase() const {
  return std::any_of(phases.begin(), phases.end(), [](const Phase& phase) { return phase.is_cut; });
}

bool Cut::has_grid() const {
  return std::any_of(phases.begin(), phases.end(), [](const Phase& phase) {
    return std::any_of(phase.steps.begin(), phase.steps.end(),
                       [](const TaskStep& step) { return step.loop && step.loop->inner; });
  });
}

Result<Cut> cut(const loop::Plan& plan, const CutOptions& options) {
  return catch_failure([&] {
    if (options.tasks < 1) throw_user("the number of tasks must be at least 1");
    if (!options.weights.empty() && options.weights.size() != static_cast<std::size_t>(options.tasks))
      throw Bug("each task has a weight, or none has");
    if (options.grid && options.grid->parts.size() != static_cast<std::size_t>(options.tasks))
      throw Bug("each task is a part of the grid");
    Cut result = Cutter(plan, options).run();
    if (options.tasks > 1 && !result.has_cut_phase()) {
      const std::int64_t most = most_tasks(plan);
      throw_user(fmt::format("{} cannot be cut into {} tasks", plan.name, options.tasks),
                 joined(result.uncut),
                 most > 1 ? fmt::format("give at most {} tasks: --streams 1,{}", most, most)
                          : "run it with --streams 1");
    }
    return result;
  });
}

Result<Cut> uncut(const loop::Plan& plan) { return cut(plan, {}); }

std::int64_t most_tasks(const loop::Plan& plan) {
  std::int64_t most = 1;
  for (const loop::PlanStep& step : plan.steps) {
    // Kernels of a repetition run as a whole with it.
    const auto* launch = std::get_if<loop::LaunchStep>(&step.node);
    if (!launch) continue;
    const auto footprints = footprints_of(plan.kernels[launch->kernel]);
    if (!footprints) continue;
    for (const Footprint& each : *footprints) most = std::max(most, each.outer.iterations);
  }
  return most;
}

}  // namespace hoist::tasks
