// From a cut to the work of places, and from that to the nodes of each step.
//
// Read `placed_plan` first: how many tasks a place has, and in which order it gives them (`Placer`). Then
// PlacedSteps::add, which is all of the rest: what a task reads and its place lacks is brought there, the
// task's node follows, and what it writes is held by its place alone. What nobody has to be told follows from
// that: halos, results gathered for a phase that is not cut, what such a phase hands out again.
//
// Why places that each keep to the list compute what one memory would: an element that a task reads was last
// written by a task that stands before it in the list, and its place either held it since or gets it from the
// place that did. Tasks of one phase that write the same elements write the same values (tasks/cut.cpp), so
// both hold them. Ranges that tasks write are bounds: elements between them that only others have written are
// brought before (`keep_others`), so that a place holds whole what it is said to hold. A task that writes
// what it reads runs its iterations alone: what it writes is nobody else's.
#include "execute/placed_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/need.hpp"
#include "base/overloaded.hpp"
#include "execute/task_launch.hpp"

namespace hoist::execute {
namespace {

using tasks::Cut;
using tasks::Fractions;
using tasks::Interval;
using tasks::Region;
using tasks::RegionSet;

/// The parts of tasks, those of a place behind each other.
struct Layout {
  std::vector<double> weights;
  std::optional<tasks::Grid> grid;

  std::size_t tasks() const { return weights.size(); }
};

/// What lies before a share of all, and what lies before its end.
std::vector<Fractions> fractions(const std::vector<double>& weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Fractions> result;
  double before = 0;
  for (const double each : weights) {
    result.push_back({before / all, (before + each) / all});
    before += each;
  }
  result.back().to = 1;
  return result;
}

/// The parts of places in a grid.
std::vector<tasks::Grid::Part> grid_parts(const std::vector<double>& weights, const PlaceGrid& grid) {
  const auto row_begin = [&](std::size_t row) {
    return weights.begin() + static_cast<std::ptrdiff_t>(row * grid.columns);
  };
  std::vector<double> rows;
  for (std::size_t row = 0; row < grid.rows; ++row)
    rows.push_back(std::accumulate(row_begin(row), row_begin(row + 1), 0.0));
  std::vector<tasks::Grid::Part> result;
  const std::vector<Fractions> outer = fractions(rows);
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (const Fractions& inner : fractions({row_begin(row), row_begin(row + 1)}))
      result.push_back({outer[row], inner});
  }
  return result;
}

/// What lies before, between and behind two borders.
std::array<Fractions, 3> with_borders(const Fractions& part, bool has_first, bool has_last) {
  const double border = (part.to - part.from) * PlacedPlan::border_share;
  const double first = has_first ? part.from + border : part.from,
               last = has_last ? part.to - border : part.to;
  return {{{part.from, first}, {first, last}, {last, part.to}}};
}

/// Each place has one task.
Layout layout_of(const PlaceOptions& options) {
  Layout result{options.weights, std::nullopt};
  if (options.grid) {
    result.grid = {grid_parts(options.weights, *options.grid), static_cast<std::int64_t>(options.grid->rows),
                   static_cast<std::int64_t>(options.grid->columns)};
    if (options.steps > 1) result.grid->fed = options.fed;
  }
  return result;
}

/// In steps, the part of a place is cut into three, or in a grid into five: what lies at its borders is
/// computed first, and moves while the rest is computed. A border that nobody else reads, as at the ends of a
/// plate, is no task of its own.
Layout with_borders(const Layout& layout, const std::vector<bool>& are_read) {
  Layout result;
  const std::size_t borders = are_read.size() / layout.tasks();
  // As many as borders would lie beside each other: so no border has less than a work-group, or an iteration.
  constexpr auto borders_of_part = static_cast<std::int64_t>(1 / PlacedPlan::border_share);
  if (layout.grid)
    result.grid = {
        {}, borders_of_part * layout.grid->rows, borders_of_part * layout.grid->columns, layout.grid->fed};
  for (std::size_t place = 0; place < layout.tasks(); ++place) {
    const auto is_read = [&](std::size_t border) { return are_read[borders * place + border]; };
    if (!layout.grid) {
      for (const Fractions& each : with_borders(Fractions(), is_read(0), is_read(1)))
        result.weights.push_back((each.to - each.from) * layout.weights[place]);
      continue;
    }
    const tasks::Grid::Part& part = layout.grid->parts[place];
    const auto rows = with_borders(part.outer, is_read(0), is_read(3)),
               columns = with_borders(part.inner, is_read(1), is_read(2));
    for (const tasks::Grid::Part& each :
         {tasks::Grid::Part{rows[0], part.inner}, tasks::Grid::Part{rows[1], columns[0]},
          tasks::Grid::Part{rows[1], columns[1]}, tasks::Grid::Part{rows[1], columns[2]},
          tasks::Grid::Part{rows[2], part.inner}}) {
      result.grid->parts.push_back(each);
      result.weights.push_back((each.outer.to - each.outer.from) * (each.inner.to - each.inner.from));
    }
  }
  return result;
}

/// Which of the borders of so many places another place reads: in the step, or as what the next one is fed.
/// Nothing where another place reads what lies between them, too, as that of all bodies.
std::optional<std::vector<bool>> read_borders(const Cut& cut, std::size_t places, std::size_t fed) {
  const std::size_t tasks = static_cast<std::size_t>(cut.tasks) / places, inner = tasks / 2;
  struct Read {
    std::size_t place;
    Region elements;
  };
  std::vector<std::vector<Read>> reads(cut.arrays.size());
  const auto for_each_touch = [&](const auto& see) {
    for (const tasks::Phase& phase : cut.phases) {
      for (const tasks::TaskStep& step : phase.steps) {
        for (std::size_t task = 0; task < step.touches.size(); ++task) {
          for (const tasks::Touch& touch : step.touches[task]) see(task, touch);
        }
      }
    }
  };
  for_each_touch([&](std::size_t task, const tasks::Touch& touch) {
    if (!touch.read.is_empty()) reads[touch.array].push_back({task / tasks, touch.read});
  });
  std::vector<bool> result(places * (tasks - 1));
  bool is_inner_read = false;
  for_each_touch([&](std::size_t task, const tasks::Touch& touch) {
    if (touch.written.is_empty()) return;
    const std::size_t number = task % tasks;
    const auto output = cut.arrays[touch.array].output;
    for (std::size_t array = 0; array < reads.size(); ++array) {
      const auto input = cut.arrays[array].input;
      if (array != touch.array && !(input && output && *input == fed + *output)) continue;
      if (std::none_of(reads[array].begin(), reads[array].end(), [&](const Read& each) {
            return each.place != task / tasks && tasks::intersects(each.elements, touch.written);
          }))
        continue;
      if (number == inner) {
        is_inner_read = true;
      } else {
        result[task / tasks * (tasks - 1) + number - (number > inner ? 1 : 0)] = true;
      }
    }
  });
  return is_inner_read ? std::nullopt : std::optional(result);
}

Result<Cut> cut_for(const loop::Plan& plan, const Layout& layout) {
  return tasks::cut(plan, {.tasks = static_cast<std::int64_t>(layout.tasks()),
                           .weights = layout.weights,
                           .share_memory = false,
                           .grid = layout.grid});
}

/// Whether two cuts have the same phases, of the same kernels, cut along as many loops.
bool are_alike(const Cut& a, const Cut& b) {
  return std::equal(a.phases.begin(), a.phases.end(), b.phases.begin(), b.phases.end(),
                    [](const tasks::Phase& one, const tasks::Phase& other) {
                      const auto is_alike = [](const tasks::TaskStep& step, const tasks::TaskStep& like) {
                        return step.loop.has_value() == like.loop.has_value() &&
                               (!step.loop || step.loop->inner.has_value() == like.loop->inner.has_value());
                      };
                      return one.is_cut == other.is_cut &&
                             std::equal(one.steps.begin(), one.steps.end(), other.steps.begin(),
                                        other.steps.end(), is_alike);
                    });
}

class Placer {
 public:
  Placer(const Cut& cut, LaunchPlan launch, const PlaceOptions& options) : cut_(cut), options_(options) {
    result_.launch = std::move(launch);
    result_.places = options.weights.size();
    result_.tasks = static_cast<std::size_t>(cut.tasks);
    result_.steps = options.steps;
    result_.program_inputs = cut.program_inputs;
    result_.notes = cut.uncut;
    for (const std::string& each : cut.cut_along_one)
      result_.notes.push_back(fmt::format("cut along one loop: {}", each));
  }

  PlacedPlan run() {
    number_arrays();
    for (const tasks::Phase& phase : cut_.phases) add_phase(phase);
    note_sums();
    if (options_.steps > 1) feed();
    return std::move(result_);
  }

 private:
  void number_arrays() {
    const auto& known = result_.launch.arrays;
    result_.arrays.resize(known.size());
    for (const tasks::Array& array : cut_.arrays) {
      const auto found =
          std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.name == array.name; });
      numbers_.push_back(static_cast<std::size_t>(found - known.begin()));
      if (found == known.end()) continue;
      result_.arrays[numbers_.back()] = {size_of(array.scalar),
                                         array.elements,
                                         array.input,
                                         array.output,
                                         !array.is_windowed() && !array.is_fault_flag,
                                         array.row_length};
    }
  }

  std::size_t place_of(std::size_t task) const { return task * result_.places / result_.tasks; }

  void add_phase(const tasks::Phase& phase) {
    std::vector<PlacedPlan::Work> works;
    for (const std::size_t task : order_of(phase)) {
      for (const tasks::TaskStep& step : phase.steps) {
        if (phase.is_cut && step.iterations[task].is_empty()) continue;
        PlacedPlan::Work& work = works.emplace_back();
        work.place = phase.is_cut ? place_of(task) : 0;
        if (std::holds_alternative<loop::LaunchStep>(cut_.plan.steps[step.step].node)) {
          work.work = task_launch(cut_, result_.launch, step, task);
        } else {
          work.work = PlacedNode::Step{step.step};
        }
        for (const tasks::Touch& touch : step.touches[task]) {
          const std::size_t array = numbers_[touch.array];
          if (array >= result_.arrays.size() || !result_.arrays[array].is_shared) continue;
          if (touch.read_parts.empty() || !touch.written.is_empty()) {
            work.touches.push_back({array, touch.read, touch.written});
          } else {
            for (const Region& part : touch.read_parts) work.touches.push_back({array, part, {}});
          }
        }
      }
    }
    result_.phases.push_back(std::move(works));
  }

  /// What lies at borders goes first, unless tasks hand what they have added up to the next one.
  std::vector<std::size_t> order_of(const tasks::Phase& phase) const {
    std::vector<std::size_t> order, inner;
    const bool is_chain =
        std::any_of(phase.steps.begin(), phase.steps.end(),
                    [](const tasks::TaskStep& step) { return step.loop && step.loop->accumulators; });
    for (std::size_t task = 0; task < (phase.is_cut ? result_.tasks : 1); ++task) {
      const bool is_last = phase.is_cut && !is_chain && result_.is_inner(task);
      (is_last ? inner : order).push_back(task);
    }
    order.insert(order.end(), inner.begin(), inner.end());
    return order;
  }

  void note_sums() {
    for (const tasks::Phase& phase : cut_.phases) {
      for (const tasks::TaskStep& step : phase.steps) {
        if (!phase.is_cut || result_.tasks == 1 || !step.loop || !step.loop->accumulators) continue;
        const auto& variables = step.loop->accumulators->variables;
        if (std::any_of(variables.begin(), variables.end(),
                        [](const auto& each) { return is_float(each->type.scalar); })) {
          const auto& launch = std::get<loop::LaunchStep>(cut_.plan.steps[step.step].node);
          result_.handed_on.push_back(cut_.plan.kernels[launch.kernel].name);
        }
      }
    }
    for (const std::string& kernel : result_.handed_on)
      result_.notes.push_back(fmt::format(
          "places add up {} one after the other: last places of floats may differ from those of one device",
          kernel));
  }

  void feed() {
    const LaunchPlan& launch = result_.launch;
    for (std::size_t output = 0; output < launch.outputs.size(); ++output) {
      const LaunchPlan::Input& given = launch.inputs.at(options_.fed + output);
      if (!given.is_array) throw Bug("a number is fed to the next step");
      result_.fed.push_back({given.index, launch.outputs[output]});
    }
  }

  const Cut& cut_;
  const PlaceOptions& options_;
  PlacedPlan result_;
  std::vector<std::size_t> numbers_;  ///< by array of the cut: which of the launch plan
};

/// What is large moves in pieces: one is on its way while the next is downloaded, and uploaded while that is.
std::vector<Region> pieces_of(const Region& part, std::size_t width) {
  constexpr std::int64_t most = 4, least_bytes = std::int64_t{1} << 20;
  const std::int64_t pieces =
      std::clamp<std::int64_t>(part.area() * static_cast<std::int64_t>(width) / least_bytes, 1, most);
  std::vector<Region> result(static_cast<std::size_t>(pieces), part);
  const bool is_by_rows = part.rows.length() >= pieces;
  const Interval& all = is_by_rows ? part.rows : part.columns;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    Region& made = result[static_cast<std::size_t>(piece)];
    (is_by_rows ? made.rows : made.columns) = {all.from + all.length() * piece / pieces,
                                               all.from + all.length() * (piece + 1) / pieces};
  }
  return result;
}

bool writes(const PlacedPlan::Touch& touch, std::size_t array, const Region& part) {
  return touch.array == array && tasks::intersects(touch.written, part);
}

}  // namespace

PlacedNode::Range PlacedPlan::range(std::size_t array, const Region& elements) const {
  const auto bytes = [&](std::int64_t count) {
    return static_cast<std::size_t>(count) * arrays[array].width;
  };
  const std::int64_t row = arrays[array].row_length, rows = elements.rows.length(),
                     columns = elements.columns.length();
  const std::size_t offset = bytes(elements.rows.from * row + elements.columns.from);
  // Whole rows lie behind each other.
  if (columns == row || rows == 1) return {array, {offset, bytes(columns * rows)}};
  return {array, {offset, bytes(columns), static_cast<std::size_t>(rows), bytes(row)}};
}

namespace {

std::string parts_text(const PlaceOptions& options) {
  if (!options.grid) return fmt::format("{} parts", options.weights.size());
  return fmt::format("a grid of {} by {} parts", options.grid->rows, options.grid->columns);
}

void check_grid(const loop::Plan& plan, const PlaceOptions& options, const Cut& cut) {
  if (!options.grid || options.weights.size() == 1 || cut.has_grid()) return;
  std::string reasons;
  for (const auto* texts : {&cut.cut_along_one, &cut.uncut}) {
    for (const std::string& each : *texts) reasons += (reasons.empty() ? "" : "; ") + each;
  }
  throw_user(fmt::format("{} cannot be cut into {}", plan.name, parts_text(options)), reasons,
             "leave the grid out, and it is cut along one dimension");
}

}  // namespace

Result<Placed> placed_plan(const loop::Plan& plan, const PlaceOptions& given) {
  return catch_failure([&]() -> Placed {
    PlaceOptions options = given;
    const std::size_t places = options.weights.size();
    const bool has_places =
        !options.grid || (options.grid->rows <= places && options.grid->columns <= places &&
                          options.grid->rows * options.grid->columns == places);
    if (!has_places)
      throw_user(fmt::format("a grid of {} by {} has not {} parts", options.grid->rows, options.grid->columns,
                             places),
                 {}, "give one whose product is the number of devices or ranks");
    // One place in each row: what is cut along one loop alone.
    if (options.grid && options.grid->columns == 1) options.grid.reset();
    const std::int64_t most = tasks::most_tasks(plan);
    if (!options.grid && most > 1 && most < static_cast<std::int64_t>(places))
      throw_user(fmt::format("{} cannot be cut into {}", plan.name, parts_text(options)),
                 fmt::format("the longest loop that can be cut has {} iterations", most),
                 fmt::format("give at most {} devices or ranks, or larger sizes", most));
    const Layout layout = layout_of(options);
    auto cut = cut_for(plan, layout);
    if (!cut) {
      const Diagnostic& why = cut.error().diagnostics.front();
      throw_user(fmt::format("{} cannot be cut into {}", plan.name, parts_text(options)), why.note,
                 "run it on one device, or try larger arrays: small ones may be computed in one part");
    }
    check_grid(plan, options, *cut);
    if (options.steps > 1 && places > 1) {
      const auto bordered = [&](const std::vector<bool>& are_read) -> std::optional<Cut> {
        auto result = cut_for(plan, with_borders(layout, are_read));
        if (!result || !are_alike(*cut, *result)) return std::nullopt;
        return *std::move(result);
      };
      const std::size_t borders = (options.grid ? PlacedPlan::tasks_of_grid : PlacedPlan::tasks_of_row) - 1;
      if (auto all = bordered(std::vector<bool>(borders * places, true))) {
        if (const auto are_read = read_borders(*all, places, options.fed)) {
          auto some = bordered(*are_read);
          cut = some ? *std::move(some) : *std::move(all);
        }
      }
    }
    Placed result{*std::move(cut), {}};
    result.plan = Placer(result.cut, need(launch_plan(result.cut.plan)), options).run();
    return result;
  });
}

PlacedSteps::PlacedSteps(const PlacedPlan& plan)
    : plan_(plan),
      before_(empty_list()),
      current_(empty_list()),
      held_(plan.arrays.size(), std::vector<RegionSet>(plan.places)),
      written_(held_),
      fresh_(held_) {
  for (const auto& phase : plan.phases) note_demands(phase);
  list_step();
  before_ = std::exchange(current_, empty_list());
}

/// What each place reads in a phase of arrays that nobody writes in it.
void PlacedSteps::note_demands(const std::vector<PlacedPlan::Work>& phase) {
  std::vector<bool> are_written(plan_.arrays.size());
  std::vector<RegionSet>& demands = demands_.emplace_back(plan_.arrays.size() * plan_.places);
  const auto for_each_touch = [&](const auto& see) {
    for (const PlacedPlan::Work& work : phase) {
      for (const PlacedPlan::Touch& touch : work.touches) see(work.place, touch);
    }
  };
  for_each_touch([&](std::size_t, const PlacedPlan::Touch& touch) {
    if (!touch.written.is_empty()) are_written[touch.array] = true;
  });
  for_each_touch([&](std::size_t place, const PlacedPlan::Touch& touch) {
    if (plan_.arrays[touch.array].row_length > 1 && !are_written[touch.array])
      demands[touch.array * plan_.places + place].add(touch.read);
  });
}

PlacedSteps::List PlacedSteps::empty_list() const {
  List result;
  result.writers.resize(plan_.arrays.size() * plan_.places);
  return result;
}

void PlacedSteps::push(PlacedNode node) {
  const auto at = current_.nodes.insert(current_.nodes.end(), std::move(node));
  for (const PlacedPlan::Touch& each : at->touches) {
    if (!each.written.is_empty()) current_.writers[each.array * plan_.places + at->place].push_back(at);
  }
}

std::optional<std::vector<PlacedNode>> PlacedSteps::next() {
  if (step_ > plan_.steps) return std::nullopt;
  // The next step is listed first: what it needs of others is sent in the step before.
  if (step_ < plan_.steps) {
    begin_step();
    list_step();
  } else {
    ++step_;
  }
  std::list<PlacedNode>& nodes = before_.nodes;
  std::vector<PlacedNode> result(std::make_move_iterator(nodes.begin()),
                                 std::make_move_iterator(nodes.end()));
  before_ = std::exchange(current_, empty_list());
  return result;
}

void PlacedSteps::list_step() {
  for (phase_ = 0; phase_ < plan_.phases.size(); ++phase_) {
    const auto& phase = plan_.phases[phase_];
    for (auto& places : fresh_) std::fill(places.begin(), places.end(), RegionSet());
    for (const PlacedPlan::Work& work : phase) add(work);
  }
  if (step_ + 1 == plan_.steps) add_downloads();
  ++step_;
}

/// Results have become inputs; nothing else that was computed is left.
void PlacedSteps::begin_step() {
  for (auto* sets : {&held_, &written_}) {
    for (const PlacedPlan::Fed& each : plan_.fed)
      std::swap((*sets)[each.input_array], (*sets)[each.output_array]);
    for (std::size_t array = 0; array < plan_.arrays.size(); ++array) {
      std::vector<RegionSet>& places = (*sets)[array];
      if (!plan_.arrays[array].input) std::fill(places.begin(), places.end(), RegionSet());
    }
  }
}

/// Whether the host has the array's elements at this step: an input that no step has taken the place of.
bool PlacedSteps::is_from_host(std::size_t array) const {
  const bool is_fed = std::any_of(plan_.fed.begin(), plan_.fed.end(),
                                  [&](const PlacedPlan::Fed& each) { return each.input_array == array; });
  return plan_.arrays[array].input && (step_ == 0 || !is_fed);
}

void PlacedSteps::add(const PlacedPlan::Work& work) {
  for (const PlacedPlan::Touch& touch : work.touches) bring(work.place, touch.array, touch.read);
  for (const PlacedPlan::Touch& touch : work.touches) keep_others(work.place, touch.array, touch.written);
  PlacedNode node{work.place, {}, work.touches};
  std::visit([&](const auto& each) { node.work = each; }, work.work);
  push(std::move(node));
  for (const PlacedPlan::Touch& touch : work.touches) note_written(work.place, touch);
}

/// What the place lacks of these elements and is to be brought. In a grid several of its tasks read of what
/// lies beside it: with what the first of them reads, the whole piece comes in one message.
std::vector<Region> PlacedSteps::lacking(std::size_t place, std::size_t array, const Region& wanted) const {
  const RegionSet& held = held_[array][place];
  const RegionSet& demand = demands_[phase_][array * plan_.places + place];
  if (demand.is_empty() || is_from_host(array)) return held.missing(wanted);
  std::vector<Region> result;
  for (const Region& demanded : demand.within(plan_.arrays[array].whole())) {
    for (const Region& part : held.missing(demanded)) {
      if (tasks::intersects(part, wanted)) result.push_back(part);
    }
  }
  return result;
}

/// What the place lacks of these elements, from the host, or from the places that have written them.
void PlacedSteps::bring(std::size_t place, std::size_t array, const Region& wanted) {
  for (const Region& part : lacking(place, array, wanted)) {
    if (is_from_host(array)) {
      const PlacedNode::Upload upload{*plan_.arrays[array].input, plan_.range(array, part)};
      push({place, upload, {{array, {}, part}}});
      held_[array][place].add(part);
      continue;
    }
    RegionSet rest(part);
    for (std::size_t from = 0; from < plan_.places && !rest.is_empty(); ++from) {
      if (from == place) continue;
      for (const Region& wanted_still : rest.within(part)) {
        for (const Region& piece : written_[array][from].within(wanted_still)) {
          move(from, place, array, piece);
          rest.remove(piece);
        }
      }
    }
  }
}

/// What is to be written may have gaps, which other places have written in phases before.
void PlacedSteps::keep_others(std::size_t place, std::size_t array, const Region& written) {
  for (std::size_t from = 0; from < plan_.places; ++from) {
    if (from == place) continue;
    for (const Region& held : held_[array][from].within(written)) {
      for (const Region& old : fresh_[array][from].missing(held)) {
        for (const Region& piece : held_[array][place].missing(old)) move(from, place, array, piece);
      }
    }
  }
}

void PlacedSteps::move(std::size_t from, std::size_t to, std::size_t array, const Region& part) {
  const std::vector<Region> pieces = pieces_of(part, plan_.arrays[array].width);
  // Behind the last node of that place which writes some of it; false where there is none.
  const auto send_behind_writer = [&](List& list, std::size_t its_array) {
    const auto& writers = list.writers[its_array * plan_.places + from];
    const auto found = std::find_if(writers.rbegin(), writers.rend(), [&](const auto& writer) {
      return std::any_of(writer->touches.begin(), writer->touches.end(),
                         [&](const auto& each) { return writes(each, its_array, part); });
    });
    if (found == writers.rend()) return false;
    insert_sends(list, std::next(*found), from, to, its_array, pieces);
    return true;
  };
  const auto fed = std::find_if(plan_.fed.begin(), plan_.fed.end(),
                                [&](const auto& each) { return each.input_array == array; });
  if (!send_behind_writer(current_, array) &&
      (fed == plan_.fed.end() || !send_behind_writer(before_, fed->output_array)))
    insert_sends(current_, current_.nodes.begin(), from, to, array, pieces);
  for (const Region& piece : pieces) {
    const PlacedNode::Receive receive{transfers_++, from, plan_.range(array, piece)};
    push({to, receive, {{array, {}, piece}}});
  }
  held_[array][to].add(part);
}

void PlacedSteps::insert_sends(List& list, std::list<PlacedNode>::iterator at, std::size_t from,
                               std::size_t to, std::size_t array, const std::vector<Region>& pieces) {
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    const PlacedNode::Send send{transfers_ + piece, to, plan_.range(array, pieces[piece])};
    list.nodes.insert(at, {from, send, {{array, pieces[piece], {}}}});
  }
}

void PlacedSteps::note_written(std::size_t place, const PlacedPlan::Touch& touch) {
  if (touch.written.is_empty()) return;
  // What one task makes of another's result, as sums that are handed on, is not what that one has.
  const bool is_made_of_it = tasks::intersects(touch.read, touch.written);
  for (std::size_t other = 0; other < plan_.places; ++other) {
    if (other == place) continue;
    if (is_made_of_it) fresh_[touch.array][other].remove(touch.written);
    for (const Region& old : fresh_[touch.array][other].missing(touch.written))
      held_[touch.array][other].remove(old);
    written_[touch.array][other].remove(touch.written);
  }
  held_[touch.array][place].add(touch.written);
  written_[touch.array][place].add(touch.written);
  fresh_[touch.array][place].add(touch.written);
}

/// Each element of a result from the first place that holds it.
void PlacedSteps::add_downloads() {
  for (std::size_t array = 0; array < plan_.arrays.size(); ++array) {
    if (!plan_.arrays[array].output) continue;
    const Region all = plan_.arrays[array].whole();
    RegionSet rest(all);
    for (std::size_t place = 0; place < plan_.places; ++place) {
      for (const Region& wanted : rest.within(all)) {
        for (const Region& part : held_[array][place].within(wanted)) {
          const PlacedNode::Download download{*plan_.arrays[array].output, plan_.range(array, part)};
          push({place, download, {{array, part, {}}}});
          rest.remove(part);
        }
      }
    }
    if (!rest.is_empty())
      throw Bug(fmt::format("no place holds all elements of {}", plan_.launch.arrays[array].name));
  }
}

}  // namespace hoist::execute
