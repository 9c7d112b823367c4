// Finds the loop along which a kernel is cut, and what its iterations touch.
//
// Read `footprint_of` first. Candidates are the loops over groups or work-items around all that the kernel
// stores to global memory, the outermost first, then the loops that a schedule has marked as independent. For
// each, every index expression of the kernel is bounded with the loop's variable between two sizes
// (`Collector`, `Footprint::lay_out`); the first loop is taken whose iterations write one behind the other
// (`order_of`), so that tasks of neighbouring iterations write parts that are disjoint. That is shown
// symbolically, or by looking at all iterations where there are not too many. Of two loops that are cut, each
// has to write so whatever iterations of the other run: in later rows, or in later columns.
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

/// Collects at which indices a kernel whose loops run between `first` and `stop` touches its arrays.
class Collector {
 public:
  Collector(const loop::Kernel& kernel, Footprint& footprint) : footprint_(footprint) {
    arith::Substitution bounded;
    const auto bound = [&](const CutLoop& loop) {
      for (std::size_t at = 0; at < loop.variables.size(); ++at)
        bounded[loop.variables[at].get()] = loop.bounded[at];
    };
    bound(footprint.outer);
    if (footprint.inner) bound(*footprint.inner);
    footprint.body = std::make_shared<const loop::Block>(loop::substitute(kernel.body, bounded));
    collect(*footprint.body);
    for (auto& [name, touched] : footprint.arrays) {
      std::unordered_set<arith::Expr> stores;
      for (const Access& each : touched.accesses) {
        if (each.is_store) stores.insert(each.index);
      }
      for (const Access& each : touched.accesses) touched.reads_what_it_writes &= stores.contains(each.index);
    }
  }

 private:
  void collect(const loop::Block& block) {
    for (const loop::Statement& statement : block) {
      loop::for_each_root_value(statement, [&](const loop::ValuePtr& value) { collect(*value); });
      if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
        if (is_global_store(statement)) {
          Touched& touched = footprint_.arrays.at(store->buffer->name);
          const bool is_first = stored_.insert(&touched).second;
          touched.is_updated = store->update && (is_first || touched.is_updated);
          add(touched, {store->index, store->value->type.width, true, guards_});
        }
      } else if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
        collect(loop->body);
      } else if (const auto* branch = std::get_if<loop::If>(&statement.node)) {
        guarded(*branch->condition, [&] { collect(branch->then_body); });
        collect(branch->else_body);
      }
    }
  }

  void collect(const loop::Value& value) {
    if (const auto* operation = std::get_if<loop::Operation>(&value.node);
        operation && operation->op == ScalarOp::Select) {
      collect(*operation->operands[0]);
      guarded(*operation->operands[0], [&] { collect(*operation->operands[1]); });
      collect(*operation->operands[2]);
      return;
    }
    loop::for_each_operand(value, [&](const loop::ValuePtr& operand) { collect(*operand); });
    const auto* load = std::get_if<loop::Load>(&value.node);
    if (!load || load->buffer->space != AddressSpace::Global || load->buffer->is_pointer) return;
    add(footprint_.arrays.at(load->buffer->name), {load->index, value.type.width, false, guards_});
  }

  template <class Body>
  void guarded(const loop::Value& condition, Body&& body) {
    const std::size_t before = guards_.size();
    add_guards(condition);
    body();
    guards_.resize(before);
  }
  void add_guards(const loop::Value& condition) {
    if (const auto* test = std::get_if<loop::Test>(&condition.node)) guards_.push_back(test->predicate);
    const auto* operation = std::get_if<loop::Operation>(&condition.node);
    if (!operation || operation->op != ScalarOp::And) return;
    for (const loop::ValuePtr& each : operation->operands) add_guards(*each);
  }

  void add(Touched& touched, Access access) {
    for (const std::size_t at : known_[&touched][access.index]) {
      Access& known = touched.accesses[at];
      if (known.is_store != access.is_store || known.guards != access.guards) continue;
      known.width = std::max(known.width, access.width);
      return;
    }
    known_[&touched][access.index].push_back(touched.accesses.size());
    touched.accesses.push_back(std::move(access));
  }

  Footprint& footprint_;
  std::vector<arith::Predicate> guards_;  ///< around what is looked at
  std::unordered_set<const Touched*> stored_;
  /// The accesses of an array by their index.
  std::unordered_map<const Touched*, std::unordered_map<arith::Expr, std::vector<std::size_t>>> known_;
};

/// A factor of a term that is a constant, and the rest.
std::pair<std::int64_t, arith::Expr> taken_apart(arith::Expr term) {
  if (const auto constant = term.constant()) return {*constant, 1};
  if (term.kind() != arith::Kind::Product) return {1, term};
  const auto factor = term->operands.front().constant();
  return factor ? std::pair(*factor, arith::product(term->operands.subspan(1)))
                : std::pair(std::int64_t{1}, term);
}

std::vector<arith::Expr> terms_of(arith::Expr index) {
  if (index.kind() != arith::Kind::Sum) return {index};
  return {index->operands.begin(), index->operands.end()};
}

/// Whether a guard says that this is at least 0.
bool is_natural(arith::Expr value, const std::vector<arith::Predicate>& guards) {
  return std::any_of(guards.begin(), guards.end(), [&](const arith::Predicate& guard) {
    using enum arith::Relation;
    return (guard.relation == LessEqual && guard.right - guard.left == value) ||
           (guard.relation == Less && guard.right - guard.left - 1 == value);
  });
}

bool is_known(const Footprint& footprint, arith::Expr bound) {
  if (!bound) return false;
  const auto names = arith::variables(bound);
  return std::all_of(names.begin(), names.end(), [&](arith::Expr each) {
    const auto is_of = [&](const CutLoop& loop) { return each == loop.first || each == loop.stop; };
    return is_of(footprint.outer) || (footprint.inner && is_of(*footprint.inner));
  });
}

std::int64_t floor_quotient(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

arith::Bindings bindings(const Footprint& footprint, const Region& run) {
  arith::Bindings result{{footprint.outer.first.get(), run.rows.from + 1},
                         {footprint.outer.stop.get(), run.rows.to}};
  if (footprint.inner) {
    result[footprint.inner->first.get()] = run.columns.from + 1;
    result[footprint.inner->stop.get()] = run.columns.to;
  }
  return result;
}

/// The row and the column of an index. The column may be outside of the row: then it is in another one.
struct Place {
  arith::Expr row, column;
};

/// How many whole rows a constant is, so that with it columns are least outside of their row.
std::int64_t whole_rows(const Footprint& footprint, arith::Expr columns, std::int64_t constant,
                        std::int64_t row_length) {
  const arith::Expr least = arith::lower_bound(columns), most = arith::upper_bound(columns);
  if (!is_known(footprint, least) || !is_known(footprint, most)) return 0;
  const arith::Bindings all = bindings(footprint, footprint.all());
  const std::int64_t from = arith::evaluate(least, all).value_or(0) + constant,
                     last = arith::evaluate(most, all).value_or(0) + constant;
  const auto outside = [&](std::int64_t rows) {
    return std::max<std::int64_t>(0, rows * row_length - from) +
           std::max<std::int64_t>(0, last - (rows + 1) * row_length + 1);
  };
  const std::int64_t by_first = floor_quotient(from, row_length), by_last = floor_quotient(last, row_length);
  return outside(by_last) < outside(by_first) ? by_last : by_first;
}

Place place_of(const Footprint& footprint, const Access& access, std::int64_t row_length) {
  if (row_length == 1) return {access.index, 0};
  std::vector<arith::Expr> rows, columns;
  std::int64_t constant = 0;
  for (const arith::Expr term : terms_of(access.index)) {
    const auto [factor, rest] = taken_apart(term);
    if (rest.is_constant(1)) {
      constant += factor;
    } else if (factor % row_length == 0) {
      rows.push_back(factor / row_length * rest);
    } else {
      columns.push_back(term);
    }
  }
  Place result{arith::sum(rows), arith::sum(columns)};
  const std::int64_t whole = whole_rows(footprint, result.column, constant, row_length);
  result.row = result.row + whole;
  result.column = result.column + (constant - whole * row_length);
  return result;
}

/// The column where the access happens: within what its guards say.
arith::Expr guarded_column(const Access& access, std::int64_t row_length) {
  if (row_length == 1) return access.column;
  const arith::Expr last = row_length - access.width;
  const bool is_behind = is_natural(access.column, access.guards),
             is_before = is_natural(last - access.column, access.guards);
  arith::Expr result = access.column;
  if (is_behind) result = arith::maximum(result, 0);
  if (is_before) result = arith::minimum(result, last);
  return result;
}

/// Whether what iterations write to an array lies in later rows than what those before write, or in later
/// columns.
enum class Axis : std::uint8_t { Rows, Columns };

const Interval& along(Axis axis, const Region& region) {
  return axis == Axis::Rows ? region.rows : region.columns;
}

/// All iterations of the other loop, and these of the loop.
Region run_of(const Footprint& footprint, const CutLoop& loop, const Interval& iterations) {
  Region run = footprint.all();
  (&loop == &footprint.outer ? run.rows : run.columns) = iterations;
  return run;
}

/// As two iterations in the middle say.
Axis axis_of(const Footprint& footprint, const CutLoop& loop, const std::string& array) {
  const std::int64_t middle = loop.iterations / 2;
  if (footprint.arrays.at(array).row_length == 1 || middle == 0) return Axis::Rows;
  const Region before = footprint.written(array, run_of(footprint, loop, {middle - 1, middle})),
               behind = footprint.written(array, run_of(footprint, loop, {middle, middle + 1}));
  return before.rows.from < behind.rows.from ? Axis::Rows : Axis::Columns;
}

}  // namespace

Order order_of(const Footprint& footprint, const CutLoop& loop, const std::string& array) {
  const Touched& touched = footprint.arrays.at(array);
  const std::vector<Bounds>& written = touched.written;
  const Axis axis = axis_of(footprint, loop, array);
  if (written.size() <= most_compared) {
    arith::Substitution here, next;
    const CutLoop* other =
        &loop == &footprint.outer ? (footprint.inner ? &*footprint.inner : nullptr) : &footprint.outer;
    if (other != nullptr)
      here = {{other->first.get(), arith::Expr(1)}, {other->stop.get(), arith::Expr(other->iterations)}};
    next = here;
    const arith::Expr one = arith::size("$iteration");
    here[loop.first.get()] = here[loop.stop.get()] = one;
    next[loop.first.get()] = next[loop.stop.get()] = one + 1;
    const arith::Bindings all = bindings(footprint, footprint.all());
    bool is_shown = std::all_of(written.begin(), written.end(), [&](const Bounds& each) {
      return arith::evaluate(each.least_column, all).value_or(-1) >= 0 &&
             arith::evaluate(each.most_column, all).value_or(touched.row_length) < touched.row_length;
    });
    for (const Bounds& earlier : written) {
      for (const Bounds& later : written) {
        const bool is_row = axis == Axis::Rows;
        is_shown =
            is_shown && arith::is_less(arith::substitute(is_row ? earlier.most : earlier.most_column, here),
                                       arith::substitute(is_row ? later.least : later.least_column, next));
      }
    }
    if (is_shown) return Order::ByBounds;
  }
  if (loop.iterations > most_enumerated / static_cast<std::int64_t>(written.size())) return Order::Unknown;
  Interval before;
  for (std::int64_t at = 0; at < loop.iterations; ++at) {
    const Region region = footprint.written(array, run_of(footprint, loop, {at, at + 1}));
    const Interval now = along(axis, region);
    if (region.is_empty() || (at > 0 && now.from < before.to)) return Order::Unknown;
    before = now;
  }
  return Order::ByIterations;
}

std::string obstacle(const loop::Kernel& kernel, const Footprint& footprint) {
  const auto shares_items = [&](const CutLoop& loop) {
    int loops = 0;
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      const auto* each = std::get_if<loop::For>(&statement.node);
      loops += each && is_launched(*each) && each->dimension == loop.dimension ? 1 : 0;
    });
    return loops > 1 && loop.parallelism != Parallelism::Sequential;
  };
  if (shares_items(footprint.outer) || (footprint.inner && shares_items(*footprint.inner)))
    return "several loops share its work-items";
  for (const auto& [array, touched] : footprint.arrays) {
    if (!touched.is_written()) continue;
    if (touched.is_read() && (touched.is_updated || touched.reads_all || !touched.reads_what_it_writes))
      return fmt::format("iterations read elements of {} that others write", array);
    if (touched.is_updated) continue;
    if (touched.writes_anywhere) return fmt::format("where it writes to {} depends on data", array);
    const auto has_order = [&](const CutLoop& loop) {
      return order_of(footprint, loop, array) != Order::Unknown;
    };
    if (!has_order(footprint.outer) || (footprint.inner && !has_order(*footprint.inner)))
      return fmt::format("what neighbouring iterations write to {} is not one behind the other", array);
  }
  return {};
}

namespace {

/// Nothing where the bounds of the loop are not known, or not those of the others that are cut alike.
std::optional<CutLoop> cut_loop(const std::vector<const loop::For*>& loops, const char* first,
                                const char* stop) {
  const loop::For& one = *loops.front();
  const auto iterations = one.stop.constant();
  if (!iterations) return std::nullopt;
  CutLoop result{{},       {},          one.parallelism,    one.dimension,
                 one.form, *iterations, arith::size(first), arith::size(stop)};
  for (const loop::For* loop : loops) {
    if (!loop->start.is_constant(0) || !loop->step.is_constant(1) || loop->stop != one.stop ||
        loop->condition)
      return std::nullopt;
    result.variables.push_back(loop->variable);
    result.bounded.push_back(arith::index(loop->variable->name, result.first - 1, result.stop));
  }
  return result;
}

std::optional<Footprint> made(const loop::Kernel& kernel, const std::vector<const loop::For*>& loops,
                              const loop::For* inner = nullptr) {
  auto outer = cut_loop(loops, "$first", "$stop");
  if (!outer) return std::nullopt;
  Footprint result{*std::move(outer)};
  if (inner != nullptr) {
    result.inner = cut_loop({inner}, "$inner_first", "$inner_stop");
    if (!result.inner) return std::nullopt;
  }
  for (const loop::KernelParameter& parameter : kernel.parameters) {
    const auto* buffer = std::get_if<loop::BufferParameter>(&parameter);
    if (!buffer) continue;
    const auto scalars = buffer->buffer->scalars.constant();
    if (!scalars) return std::nullopt;
    result.arrays[buffer->buffer->name];
    result.scalars[buffer->buffer->name] = *scalars;
  }
  Collector(kernel, result);
  for (const auto& [array, scalars] : result.scalars) result.lay_out(array, 1);
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

void Footprint::lay_out(const std::string& array, std::int64_t row_length) {
  Touched& touched = arrays.at(array);
  touched.row_length = row_length;
  touched.read.clear();
  touched.written.clear();
  touched.reads_all = touched.writes_anywhere = false;
  for (Access& access : touched.accesses) {
    const Place place = place_of(*this, access, row_length);
    access.row = place.row;
    access.column = place.column;
    const arith::Expr column = guarded_column(access, row_length);
    Bounds bounds{arith::lower_bound(place.row), arith::upper_bound(place.row), arith::lower_bound(column),
                  arith::upper_bound(column)};
    const auto is_bound = [&](arith::Expr each) { return is_known(*this, each); };
    if (!is_bound(bounds.least) || !is_bound(bounds.most) || !is_bound(bounds.least_column) ||
        !is_bound(bounds.most_column)) {
      (access.is_store ? touched.writes_anywhere : touched.reads_all) = true;
      continue;
    }
    arith::Expr& last = row_length == 1 ? bounds.most : bounds.most_column;
    last = last + (access.width - 1);
    auto& known = access.is_store ? touched.written : touched.read;
    if (std::find(known.begin(), known.end(), bounds) == known.end()) known.push_back(bounds);
  }
}

std::set<std::int64_t> Footprint::row_lengths(const std::string& array) const {
  std::set<std::int64_t> result;
  const std::int64_t all = scalars.at(array);
  for (const Access& access : arrays.at(array).accesses) {
    for (const arith::Expr term : terms_of(access.index)) {
      const auto [factor, rest] = taken_apart(term);
      if (!rest.is_constant(1) && factor > 1 && factor < all && all % factor == 0) result.insert(factor);
    }
  }
  return result;
}

Region Footprint::whole(const std::string& array) const {
  const std::int64_t row_length = arrays.at(array).row_length;
  return {{0, scalars.at(array) / row_length}, {0, row_length}};
}

std::vector<Region> Footprint::regions_of(const std::vector<Bounds>& bounds, const std::string& array,
                                          const Region& run) const {
  const std::int64_t row_length = arrays.at(array).row_length;
  const arith::Bindings values = bindings(*this, run);
  std::vector<Region> result;
  for (const Bounds& each : bounds) {
    const auto least = arith::evaluate(each.least, values), most = arith::evaluate(each.most, values),
               least_column = arith::evaluate(each.least_column, values),
               most_column = arith::evaluate(each.most_column, values);
    if (!least || !most || !least_column || !most_column) return {whole(array)};
    Region next{{*least, *most + 1}, {*least_column, *most_column + 1}};
    if (*least_column < 0 || *most_column >= row_length)
      next = {{*least + floor_quotient(*least_column, row_length),
               *most + floor_quotient(*most_column, row_length) + 1},
              {0, row_length}};
    // Accesses outside of an array are behind conditions that never let them happen.
    result.push_back(intersection(next, whole(array)));
  }
  return result;
}

Region Footprint::hull_of(const std::vector<Bounds>& bounds, const std::string& array,
                          const Region& run) const {
  Region result;
  if (run.is_empty()) return result;
  for (const Region& each : regions_of(bounds, array, run)) result = hull(result, each);
  return result;
}

std::vector<Region> Footprint::read_parts(const std::string& array, const Region& run) const {
  const auto found = arrays.find(array);
  if (found == arrays.end() || run.is_empty()) return {};
  if (found->second.reads_all) return {whole(array)};
  RegionSet all;
  for (const Region& each : regions_of(found->second.read, array, run)) all.add(each);
  return all.within(whole(array));
}

Region Footprint::read(const std::string& array, const Region& run) const {
  const auto found = arrays.find(array);
  if (found == arrays.end() || run.is_empty()) return {};
  if (found->second.reads_all) return whole(array);
  return hull_of(found->second.read, array, run);
}

Region Footprint::written(const std::string& array, const Region& run) const {
  const auto found = arrays.find(array);
  if (found == arrays.end() || run.is_empty()) return {};
  if (found->second.writes_anywhere) return whole(array);
  return hull_of(found->second.written, array, run);
}

Region Footprint::writers(const std::string& array, const Region& elements) const {
  if (elements.is_empty()) return {};
  // Iterations write one behind the other, so both ends are found by bisection.
  const auto writers_of = [&](const CutLoop& loop) -> Interval {
    const Axis axis = axis_of(*this, loop, array);
    const auto first_where = [&](const auto& holds) {
      std::int64_t low = 0, high = loop.iterations;
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (holds(along(axis, written(array, run_of(*this, loop, {middle, middle + 1}))))) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    const Interval& wanted = along(axis, elements);
    return {first_where([&](const Interval& each) { return each.to > wanted.from; }),
            first_where([&](const Interval& each) { return each.from >= wanted.to; })};
  };
  return {writers_of(outer), inner ? writers_of(*inner) : Interval{0, 1}};
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
    if (touched.is_written() && (touched.is_read() || touched.is_updated)) return std::nullopt;
  }
  footprint->accumulators = std::move(reduction->accumulators);
  return footprint;
}

/// The elements that so many tasks read, all together.
std::int64_t elements_read(const Footprint& footprint, std::int64_t tasks) {
  std::int64_t total = 0;
  for (std::int64_t task = 0; task < tasks; ++task) {
    const std::int64_t iterations = footprint.outer.iterations;
    const Region part{{iterations * task / tasks, iterations * (task + 1) / tasks}};
    for (const auto& [array, touched] : footprint.arrays) total += footprint.read(array, part).area();
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
    std::string reason =
        footprint->outer.iterations < 2 ? "it has one iteration" : obstacle(kernel, *footprint);
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
  if (!footprint || footprint->outer.iterations < 2 || !obstacle(kernel, *footprint).empty())
    return std::nullopt;
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
  const bool is_better = all->back().outer.iterations >= tasks &&
                         (all->front().outer.iterations < tasks ||
                          2 * elements_read(all->back(), tasks) <= elements_read(all->front(), tasks));
  return std::move(is_better ? all->back() : all->front());
}

Result<Footprint> grid_footprint_of(const loop::Kernel& kernel) {
  std::vector<const loop::For*> candidates;
  collect_candidates(kernel.body, candidates);
  std::erase_if(candidates, [](const loop::For* each) { return each->stop.constant().value_or(0) < 2; });
  if (candidates.size() < 2)
    return user_error(kernel.name +
                      " has no two loops over work-groups or work-items around all that it writes");
  if (has_global_alias(kernel)) return user_error(kernel.name + " exchanges arrays in global memory");
  auto footprint = made(kernel, {candidates[0]}, candidates[1]);
  if (!footprint) return user_error(kernel.name + " has no two loops whose bounds are known");
  return *std::move(footprint);
}

}  // namespace hoist::tasks
