// Finds the loop along which a kernel is cut, and what its iterations touch.
//
// Read `footprint_of` first. Candidates are the loops over groups or work-items around all that the kernel
// stores to global memory, the outermost first, then the loops that a schedule has marked as independent. For
// each, every index expression of the kernel is bounded with the loop's variable between two sizes
// (`Bounder`); the first loop is taken whose iterations write one behind the other (`order_of`), so that
// tasks of neighbouring iterations write parts that are disjoint. That is shown symbolically, or by looking
// at all iterations where there are not too many.
#include "tasks/footprint.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "loop/traverse.hpp"
#include "lower/lower.hpp"

namespace hoist::tasks {
namespace {

using loop::AddressSpace;
using loop::Parallelism;

/// Iterations of a loop that are looked at one by one.
constexpr std::int64_t most_enumerated = 1 << 18;
/// Stores of an array that are compared pair by pair.
constexpr std::size_t most_compared = 16;

bool is_global_store(const loop::Statement& statement) {
  const auto* store = std::get_if<loop::Store>(&statement.node);
  return store && store->buffer->space == AddressSpace::Global && store->buffer->name != lower::fault_flag;
}

bool stores_globally(const loop::Statement& statement) {
  bool found = is_global_store(statement);
  loop::for_each_block(statement, [&](const loop::Block& block) {
    loop::for_each_statement(block, [&](const loop::Statement& each) { found |= is_global_store(each); });
  });
  return found;
}

bool is_launched(const loop::For& loop) {
  return loop.parallelism == Parallelism::Global || loop.parallelism == Parallelism::Group;
}

/// The loops over groups or work-items with all of the block's global stores in them.
void collect_candidates(const loop::Block& block, std::vector<const loop::For*>& found) {
  const loop::For* nest = nullptr;
  for (const loop::Statement& statement : block) {
    if (!stores_globally(statement)) continue;
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (!loop || nest) return;
    nest = loop;
  }
  if (!nest) return;
  if (is_launched(*nest)) found.push_back(nest);
  collect_candidates(nest->body, found);
}

/// Bounds indices of a kernel whose loop runs between `first` and `stop`.
class Bounder {
 public:
  Bounder(const loop::Kernel& kernel, Footprint& footprint) : footprint_(footprint) {
    arith::Substitution some;
    for (const arith::Expr& variable : footprint.variables)
      some[variable.get()] = arith::index(variable->name, footprint.first - 1, footprint.stop);
    const loop::Block body = loop::substitute(kernel.body, some);
    loop::for_each_statement(body, [&](const loop::Statement& statement) { note(statement); });
    loop::for_each_value(body, [&](const loop::ValuePtr& value) { note(*value); });
    for (auto& [name, touched] : footprint.arrays) {
      for (const auto& [index, width] : reads_[name])
        touched.reads_what_it_writes &= stores_[name].count(index) > 0;
    }
  }

 private:
  using Places = std::unordered_map<arith::Expr, int>;  ///< index and how many scalars from there on, at most

  void note(const loop::Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    if (!store || !is_global_store(statement)) return;
    Touched& touched = footprint_.arrays.at(store->buffer->name);
    const bool is_first = touched.written.empty() && !touched.writes_anywhere;
    touched.is_updated = store->update && (is_first || touched.is_updated);
    add(stores_[store->buffer->name], store->index, store->value->type.width, touched.written,
        touched.writes_anywhere);
  }
  void note(const loop::Value& value) {
    const auto* load = std::get_if<loop::Load>(&value.node);
    if (!load || load->buffer->space != AddressSpace::Global || load->buffer->is_pointer) return;
    Touched& touched = footprint_.arrays.at(load->buffer->name);
    add(reads_[load->buffer->name], load->index, value.type.width, touched.read, touched.reads_all);
  }

  void add(Places& places, arith::Expr index, int width, std::vector<Bounds>& bounds, bool& is_anywhere) {
    int& known = places[index];
    if (known >= width) return;
    known = width;
    const arith::Expr least = arith::lower_bound(index), most = arith::upper_bound(index);
    if (!is_known(least) || !is_known(most)) {
      is_anywhere = true;
      return;
    }
    const Bounds both{least, most + (width - 1)};
    if (std::find(bounds.begin(), bounds.end(), both) == bounds.end()) bounds.push_back(both);
  }

  bool is_known(arith::Expr bound) const {
    if (!bound) return false;
    const auto names = arith::variables(bound);
    return std::all_of(names.begin(), names.end(),
                       [&](arith::Expr each) { return each == footprint_.first || each == footprint_.stop; });
  }

  Footprint& footprint_;
  std::map<std::string, Places> reads_, stores_;
};

}  // namespace

Order order_of(const Footprint& footprint, const std::string& array) {
  const std::vector<Bounds>& written = footprint.arrays.at(array).written;
  if (written.size() <= most_compared) {
    const arith::Expr one = arith::size("$iteration");
    const arith::Substitution here{{footprint.first.get(), one}, {footprint.stop.get(), one}};
    const arith::Substitution next{{footprint.first.get(), one + 1}, {footprint.stop.get(), one + 1}};
    bool is_shown = true;
    for (const Bounds& earlier : written) {
      for (const Bounds& later : written) {
        is_shown = is_shown && arith::is_less(arith::substitute(earlier.most, here),
                                              arith::substitute(later.least, next));
      }
    }
    if (is_shown) return Order::ByBounds;
  }
  if (footprint.iterations > most_enumerated / static_cast<std::int64_t>(written.size()))
    return Order::Unknown;
  Interval before;
  for (std::int64_t at = 0; at < footprint.iterations; ++at) {
    const Interval now = footprint.written(array, {at, at + 1});
    if (now.is_empty() || (at > 0 && now.from < before.to)) return Order::Unknown;
    before = now;
  }
  return Order::ByIterations;
}

namespace {

/// Empty where the loop can be cut.
std::string obstacle(const loop::Kernel& kernel, const Footprint& footprint) {
  int loops = 0;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* each = std::get_if<loop::For>(&statement.node);
    loops += each && is_launched(*each) && each->dimension == footprint.dimension ? 1 : 0;
  });
  if (loops > 1 && footprint.parallelism != Parallelism::Sequential)
    return "several loops share its work-items";
  for (const auto& [array, touched] : footprint.arrays) {
    if (touched.written.empty() && !touched.writes_anywhere) continue;
    const bool is_read = touched.reads_all || !touched.read.empty();
    if (is_read && (touched.is_updated || touched.reads_all || !touched.reads_what_it_writes))
      return fmt::format("iterations read elements of {} that others write", array);
    if (touched.is_updated) continue;
    if (touched.writes_anywhere) return fmt::format("where it writes to {} depends on data", array);
    if (order_of(footprint, array) == Order::Unknown)
      return fmt::format("what neighbouring iterations write to {} is not one behind the other", array);
  }
  return {};
}

/// Nothing where the bounds of the loops are not known, or not the same.
std::optional<Footprint> made(const loop::Kernel& kernel, const std::vector<const loop::For*>& loops) {
  const loop::For& first = *loops.front();
  const auto stop = first.stop.constant();
  if (!stop) return std::nullopt;
  Footprint result{{},           first.parallelism,     first.dimension,      first.form, *stop,
                   std::nullopt, arith::size("$first"), arith::size("$stop"), {},         {}};
  for (const loop::For* loop : loops) {
    if (!loop->start.is_constant(0) || !loop->step.is_constant(1) || loop->stop != first.stop ||
        loop->condition)
      return std::nullopt;
    result.variables.push_back(loop->variable);
  }
  for (const loop::KernelParameter& parameter : kernel.parameters) {
    const auto* buffer = std::get_if<loop::BufferParameter>(&parameter);
    if (!buffer) continue;
    const auto scalars = buffer->buffer->scalars.constant();
    if (!scalars) return std::nullopt;
    result.arrays[buffer->buffer->name];
    result.scalars[buffer->buffer->name] = *scalars;
  }
  Bounder(kernel, result);
  return result;
}

bool has_global_alias(const loop::Kernel& kernel) {
  bool found = false;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* alias = std::get_if<loop::Alias>(&statement.node);
    found |= alias && alias->target->space == AddressSpace::Global;
  });
  return found;
}

}  // namespace

Interval Footprint::hull_of(const std::vector<Bounds>& bounds, const std::string& array,
                            const Interval& run) const {
  const Interval whole{0, scalars.at(array)};
  if (run.is_empty()) return {};
  const arith::Bindings values{{first.get(), run.from + 1}, {stop.get(), run.to}};
  Interval result;
  for (const Bounds& each : bounds) {
    const auto least = arith::evaluate(each.least, values), most = arith::evaluate(each.most, values);
    if (!least || !most) return whole;
    result = hull(result, {*least, *most + 1});
  }
  // Accesses outside of an array are behind conditions that never let them happen.
  return intersection(result, whole);
}

Interval Footprint::read(const std::string& array, const Interval& run) const {
  const auto found = arrays.find(array);
  if (found == arrays.end() || run.is_empty()) return {};
  if (found->second.reads_all) return {0, scalars.at(array)};
  return hull_of(found->second.read, array, run);
}

Interval Footprint::written(const std::string& array, const Interval& run) const {
  const auto found = arrays.find(array);
  if (found == arrays.end() || run.is_empty()) return {};
  if (found->second.writes_anywhere) return {0, scalars.at(array)};
  return hull_of(found->second.written, array, run);
}

Interval Footprint::writers(const std::string& array, const Interval& elements) const {
  if (elements.is_empty()) return {};
  // Iterations write one behind the other, so both ends are found by bisection.
  const auto first_where = [&](const auto& holds) {
    std::int64_t low = 0, high = iterations;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (holds(written(array, {middle, middle + 1}))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  const std::int64_t from = first_where([&](const Interval& each) { return each.to > elements.from; });
  const std::int64_t to = first_where([&](const Interval& each) { return each.from >= elements.to; });
  return {from, to};
}

namespace {

/// A loop in which each work-item reduces, and the block that it is in.
struct Reduction {
  const loop::For* loop = nullptr;
  Accumulators accumulators;
};

bool has_group_memory(const loop::Kernel& kernel) {
  bool found = false;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* allocate = std::get_if<loop::Allocate>(&statement.node);
    found |= std::holds_alternative<loop::Barrier>(statement.node) ||
             (allocate && allocate->buffer->space == AddressSpace::Local);
  });
  return found;
}

/// Whether a loop keeps nothing but variables, and writes to no memory.
bool keeps_variables_only(const loop::For& loop, const loop::Block& around, Accumulators& accumulators) {
  std::unordered_set<const loop::Variable*> outside;
  for (const loop::Statement& statement : around) {
    const auto* let = std::get_if<loop::Let>(&statement.node);
    if (let && let->variable->is_mutable) outside.insert(let->variable.get());
  }
  bool is_right = true;
  loop::for_each_statement(loop.body, [&](const loop::Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    is_right = is_right && (!store || store->buffer->name == lower::fault_flag) &&
               !std::holds_alternative<loop::Allocate>(statement.node);
    const auto* assign = std::get_if<loop::Assign>(&statement.node);
    if (!assign || !outside.contains(assign->variable.get())) return;
    auto& known = accumulators.variables;
    if (std::find(known.begin(), known.end(), assign->variable) == known.end())
      known.push_back(assign->variable);
  });
  const auto is_bool = [](const loop::VariablePtr& each) { return each->type.scalar == Scalar::Bool; };
  return is_right && !accumulators.variables.empty() &&
         std::none_of(accumulators.variables.begin(), accumulators.variables.end(), is_bool);
}

/// Looks for the loop inside the parallel loops around all that is written, which must be alone there.
std::optional<Reduction> reduction_in(const loop::Block& block, Accumulators around) {
  const loop::For* nest = nullptr;
  for (const loop::Statement& statement : block) {
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (loop && is_launched(*loop)) nest = loop;
  }
  if (nest) {
    const auto length = nest->stop.constant();
    if (block.size() != 1 || !length || !nest->start.is_constant(0) || !nest->step.is_constant(1))
      return std::nullopt;
    around.item = around.item * arith::Expr(*length) + nest->variable;
    around.items *= *length;
    return reduction_in(nest->body, std::move(around));
  }
  for (const loop::Statement& statement : block) {
    // What is written before the loop would be written by each task.
    if (stores_globally(statement)) return std::nullopt;
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (!loop || loop->condition || loop->unroll) continue;
    Accumulators accumulators = around;
    if (loop->stop.constant().value_or(0) > 1 && keeps_variables_only(*loop, block, accumulators))
      return Reduction{loop, std::move(accumulators)};
  }
  return std::nullopt;
}

std::optional<Footprint> reduction_of(const loop::Kernel& kernel) {
  if (has_group_memory(kernel) || has_global_alias(kernel)) return std::nullopt;
  auto reduction = reduction_in(kernel.body, {{}, 0, 1});
  if (!reduction) return std::nullopt;
  auto footprint = made(kernel, {reduction->loop});
  if (!footprint) return std::nullopt;
  for (const auto& [array, touched] : footprint->arrays) {
    const bool is_written = touched.writes_anywhere || !touched.written.empty();
    const bool is_read = touched.reads_all || !touched.read.empty();
    if (is_written && (is_read || touched.is_updated)) return std::nullopt;
  }
  footprint->accumulators = std::move(reduction->accumulators);
  return footprint;
}

/// The elements that so many tasks read, all together.
std::int64_t elements_read(const Footprint& footprint, std::int64_t tasks) {
  std::int64_t total = 0;
  for (std::int64_t task = 0; task < tasks; ++task) {
    const Interval part{footprint.iterations * task / tasks, footprint.iterations * (task + 1) / tasks};
    for (const auto& [array, touched] : footprint.arrays) total += footprint.read(array, part).length();
  }
  return total;
}

Result<Footprint> parallel_of(const loop::Kernel& kernel) {
  std::vector<const loop::For*> candidates;
  collect_candidates(kernel.body, candidates);
  if (candidates.empty())
    return user_error(
        kernel.name +
        " has no loop over work-groups or work-items around all that it writes: each part of it "
        "would write the whole result");
  if (has_global_alias(kernel)) return user_error(kernel.name + " exchanges arrays in global memory");
  std::string why;
  for (const loop::For* loop : candidates) {
    auto footprint = made(kernel, {loop});
    if (!footprint) continue;
    std::string reason = footprint->iterations < 2 ? "it has one iteration" : obstacle(kernel, *footprint);
    if (reason.empty()) return *std::move(footprint);
    if (why.empty()) why = fmt::format("the loop {} of {}: {}", loop->variable->name, kernel.name, reason);
  }
  return user_error(why.empty() ? kernel.name + " has no loop whose bounds are known" : why);
}

/// The loops marked as independent, where all that the kernel writes is in one of them.
std::vector<const loop::For*> independent_loops(const loop::Kernel& kernel) {
  std::vector<const loop::For*> loops;
  std::size_t stores = 0, stores_inside = 0;
  loop::for_each_statement(kernel.body,
                           [&](const loop::Statement& each) { stores += is_global_store(each) ? 1 : 0; });
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (!loop || !loop->is_independent) return;
    loops.push_back(loop);
    loop::for_each_statement(
        loop->body, [&](const loop::Statement& each) { stores_inside += is_global_store(each) ? 1 : 0; });
  });
  return stores_inside == stores ? loops : std::vector<const loop::For*>();
}

std::optional<Footprint> independent_of(const loop::Kernel& kernel) {
  const std::vector<const loop::For*> loops = independent_loops(kernel);
  if (loops.empty() || has_global_alias(kernel)) return std::nullopt;
  auto footprint = made(kernel, loops);
  if (!footprint || footprint->iterations < 2 || !obstacle(kernel, *footprint).empty()) return std::nullopt;
  return footprint;
}

}  // namespace

Result<std::vector<Footprint>> footprints_of(const loop::Kernel& kernel) {
  std::vector<Footprint> result;
  auto parallel = parallel_of(kernel);
  if (parallel) {
    result.push_back(*parallel);
  } else if (auto independent = independent_of(kernel)) {
    result.push_back(*std::move(independent));
  }
  if (auto reduction = reduction_of(kernel)) result.push_back(*std::move(reduction));
  if (result.empty()) return tl::unexpected(parallel.error());
  return result;
}

Result<Footprint> footprint_of(const loop::Kernel& kernel, std::int64_t tasks) {
  auto all = footprints_of(kernel);
  if (!all) return tl::unexpected(all.error());
  if (all->size() == 1) return std::move(all->front());
  const bool is_better = all->back().iterations >= tasks &&
                         (all->front().iterations < tasks ||
                          2 * elements_read(all->back(), tasks) <= elements_read(all->front(), tasks));
  return std::move(is_better ? all->back() : all->front());
}

}  // namespace hoist::tasks
