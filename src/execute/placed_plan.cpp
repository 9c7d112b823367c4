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
#include <utility>

#include "base/need.hpp"
#include "base/overloaded.hpp"
#include "execute/task_launch.hpp"

namespace hoist::execute {
namespace {

using tasks::Cut;
using tasks::Interval;
using tasks::IntervalSet;

constexpr std::size_t borders_of_place = 2;

/// In steps, the part of a place is cut into three: what lies at its two borders is computed first, and moves
/// while the rest is computed. A border that nobody else reads, as at the ends of a plate, is no task of its
/// own.
std::vector<double> with_borders(const std::vector<double>& weights, const std::vector<bool>& are_read) {
  std::vector<double> result;
  for (std::size_t place = 0; place < weights.size(); ++place) {
    const auto share = [&](std::size_t border) {
      return are_read[borders_of_place * place + border] ? PlacedPlan::border_share : 0.0;
    };
    for (const double each : {share(0), 1 - share(0) - share(1), share(1)})
      result.push_back(each * weights[place]);
  }
  return result;
}

/// Which of the borders, two for each place, another place reads: in the step, or as what the next one is
/// fed. Nothing where another place reads what lies between them, too, as that of all bodies.
std::optional<std::vector<bool>> read_borders(const Cut& cut, std::size_t fed) {
  constexpr std::size_t tasks = PlacedPlan::tasks_of_bordered;
  struct Read {
    std::size_t place;
    Interval elements;
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
  std::vector<bool> result(static_cast<std::size_t>(cut.tasks) / tasks * borders_of_place);
  bool is_inner_read = false;
  for_each_touch([&](std::size_t task, const tasks::Touch& touch) {
    if (touch.written.is_empty()) return;
    const auto output = cut.arrays[touch.array].output;
    for (std::size_t array = 0; array < reads.size(); ++array) {
      const auto input = cut.arrays[array].input;
      if (array != touch.array && !(input && output && *input == fed + *output)) continue;
      if (std::none_of(reads[array].begin(), reads[array].end(), [&](const Read& each) {
            return each.place != task / tasks && tasks::intersects(each.elements, touch.written);
          }))
        continue;
      if (task % tasks == 1) {
        is_inner_read = true;
      } else {
        result[task / tasks * borders_of_place + (task % tasks == 0 ? 0 : 1)] = true;
      }
    }
  });
  return is_inner_read ? std::nullopt : std::optional(result);
}

Result<Cut> cut_for(const loop::Plan& plan, const std::vector<double>& weights) {
  return tasks::cut(
      plan, {.tasks = static_cast<std::int64_t>(weights.size()), .weights = weights, .share_memory = false});
}

/// Whether two cuts have the same phases, of the same kernels.
bool are_alike(const Cut& a, const Cut& b) {
  return std::equal(a.phases.begin(), a.phases.end(), b.phases.begin(), b.phases.end(),
                    [](const tasks::Phase& one, const tasks::Phase& other) {
                      return one.is_cut == other.is_cut && one.steps.size() == other.steps.size();
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
      result_.arrays[numbers_.back()] = {size_of(array.scalar), array.elements, array.input, array.output,
                                         !array.is_windowed() && !array.is_fault_flag};
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
          if (array < result_.arrays.size() && result_.arrays[array].is_shared)
            work.touches.push_back({array, touch.read, touch.written});
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
    const bool has_borders = phase.is_cut && !is_chain && result_.has_borders();
    for (std::size_t task = 0; task < (phase.is_cut ? result_.tasks : 1); ++task) {
      const bool is_inner = has_borders && task % PlacedPlan::tasks_of_bordered == 1;
      (is_inner ? inner : order).push_back(task);
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
std::vector<Interval> pieces_of(const Interval& part, std::size_t width) {
  constexpr std::int64_t most = 4, least_bytes = std::int64_t{1} << 20;
  const std::int64_t pieces =
      std::clamp<std::int64_t>(part.length() * static_cast<std::int64_t>(width) / least_bytes, 1, most);
  std::vector<Interval> result;
  for (std::int64_t piece = 0; piece < pieces; ++piece)
    result.push_back(
        {part.from + part.length() * piece / pieces, part.from + part.length() * (piece + 1) / pieces});
  return result;
}

bool writes(const PlacedPlan::Touch& touch, std::size_t array, const Interval& part) {
  return touch.array == array && tasks::intersects(touch.written, part);
}

}  // namespace

Result<Placed> placed_plan(const loop::Plan& plan, const PlaceOptions& options) {
  return catch_failure([&]() -> Placed {
    const std::size_t places = options.weights.size();
    const std::int64_t most = tasks::most_tasks(plan);
    if (most > 1 && most < static_cast<std::int64_t>(places))
      throw_user(fmt::format("{} cannot be cut into {} parts", plan.name, places),
                 fmt::format("the longest loop that can be cut has {} iterations", most),
                 fmt::format("give at most {} devices or ranks, or larger sizes", most));
    auto cut = cut_for(plan, options.weights);
    if (!cut) {
      const Diagnostic& why = cut.error().diagnostics.front();
      throw_user(fmt::format("{} cannot be cut into {} parts", plan.name, places), why.note,
                 "run it on one device, or try larger arrays: small ones may be computed in one part");
    }
    if (options.steps > 1 && places > 1) {
      const auto bordered = [&](const std::vector<bool>& are_read) -> std::optional<Cut> {
        auto result = cut_for(plan, with_borders(options.weights, are_read));
        if (!result || !are_alike(*cut, *result)) return std::nullopt;
        return *std::move(result);
      };
      if (auto all = bordered(std::vector<bool>(borders_of_place * places, true))) {
        if (const auto are_read = read_borders(*all, options.fed)) {
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
      held_(plan.arrays.size(), std::vector<IntervalSet>(plan.places)),
      fresh_(plan.arrays.size(), std::vector<IntervalSet>(plan.places)) {
  list_step();
  before_ = std::move(current_);
}

std::optional<std::vector<PlacedNode>> PlacedSteps::next() {
  if (step_ > plan_.steps) return std::nullopt;
  current_.clear();
  // The next step is listed first: what it needs of others is sent in the step before.
  if (step_ < plan_.steps) {
    begin_step();
    list_step();
  } else {
    ++step_;
  }
  return std::exchange(before_, std::move(current_));
}

void PlacedSteps::list_step() {
  for (const auto& phase : plan_.phases) {
    for (auto& places : fresh_) std::fill(places.begin(), places.end(), IntervalSet());
    for (const PlacedPlan::Work& work : phase) add(work);
  }
  if (step_ + 1 == plan_.steps) add_downloads();
  ++step_;
}

/// Results have become inputs; nothing else that was computed is left.
void PlacedSteps::begin_step() {
  for (const PlacedPlan::Fed& each : plan_.fed) std::swap(held_[each.input_array], held_[each.output_array]);
  for (std::size_t array = 0; array < plan_.arrays.size(); ++array) {
    if (!plan_.arrays[array].input) std::fill(held_[array].begin(), held_[array].end(), IntervalSet());
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
  current_.push_back(std::move(node));
  for (const PlacedPlan::Touch& touch : work.touches) note_written(work.place, touch);
}

/// What the place lacks of these elements, from the host, or from the places that hold them.
void PlacedSteps::bring(std::size_t place, std::size_t array, const Interval& wanted) {
  for (const Interval& part : held_[array][place].missing(wanted)) {
    if (is_from_host(array)) {
      const PlacedNode::Upload upload{*plan_.arrays[array].input, plan_.range(array, part)};
      current_.push_back({place, upload, {{array, {}, part}}});
      held_[array][place].add(part);
      continue;
    }
    IntervalSet rest(part);
    for (std::size_t from = 0; from < plan_.places; ++from) {
      if (from == place) continue;
      for (const Interval& wanted_still : rest.within(part)) {
        for (const Interval& piece : held_[array][from].within(wanted_still)) {
          move(from, place, array, piece);
          rest.remove(piece);
        }
      }
    }
  }
}

/// What is to be written may have gaps, which other places have written in phases before.
void PlacedSteps::keep_others(std::size_t place, std::size_t array, const Interval& written) {
  for (std::size_t from = 0; from < plan_.places; ++from) {
    if (from == place) continue;
    for (const Interval& held : held_[array][from].within(written)) {
      for (const Interval& old : fresh_[array][from].missing(held)) {
        for (const Interval& piece : held_[array][place].missing(old)) move(from, place, array, piece);
      }
    }
  }
}

void PlacedSteps::move(std::size_t from, std::size_t to, std::size_t array, const Interval& part) {
  const std::vector<Interval> pieces = pieces_of(part, plan_.arrays[array].width);
  const auto insert_sends = [&](List& list, std::size_t its_array, std::size_t at) {
    List sends;
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      const PlacedNode::Send send{transfers_ + piece, to, plan_.range(its_array, pieces[piece])};
      sends.push_back({from, send, {{its_array, pieces[piece], {}}}});
    }
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), sends.begin(), sends.end());
  };
  // Behind the last node of that place which writes some of it.
  const auto writer = [&](const List& list, std::size_t its_array) -> std::optional<std::size_t> {
    for (std::size_t at = list.size(); at-- > 0;) {
      const bool is_writer = list[at].place == from &&
                             std::any_of(list[at].touches.begin(), list[at].touches.end(),
                                         [&](const auto& each) { return writes(each, its_array, part); });
      if (is_writer) return at;
    }
    return std::nullopt;
  };
  const auto fed = std::find_if(plan_.fed.begin(), plan_.fed.end(),
                                [&](const auto& each) { return each.input_array == array; });
  if (const auto here = writer(current_, array)) {
    insert_sends(current_, array, *here + 1);
  } else if (const auto earlier =
                 fed != plan_.fed.end() ? writer(before_, fed->output_array) : std::nullopt) {
    insert_sends(before_, fed->output_array, *earlier + 1);
  } else {
    insert_sends(current_, array, 0);
  }
  for (const Interval& piece : pieces) {
    const PlacedNode::Receive receive{transfers_++, from, plan_.range(array, piece)};
    current_.push_back({to, receive, {{array, {}, piece}}});
  }
  held_[array][to].add(part);
}

void PlacedSteps::note_written(std::size_t place, const PlacedPlan::Touch& touch) {
  if (touch.written.is_empty()) return;
  // What one task makes of another's result, as sums that are handed on, is not what that one has.
  const bool is_made_of_it = tasks::intersects(touch.read, touch.written);
  for (std::size_t other = 0; other < plan_.places; ++other) {
    if (other == place) continue;
    if (is_made_of_it) fresh_[touch.array][other].remove(touch.written);
    for (const Interval& old : fresh_[touch.array][other].missing(touch.written))
      held_[touch.array][other].remove(old);
  }
  held_[touch.array][place].add(touch.written);
  fresh_[touch.array][place].add(touch.written);
}

/// Each element of a result from the first place that holds it.
void PlacedSteps::add_downloads() {
  for (std::size_t array = 0; array < plan_.arrays.size(); ++array) {
    if (!plan_.arrays[array].output) continue;
    const Interval all{0, plan_.arrays[array].elements};
    IntervalSet rest(all);
    for (std::size_t place = 0; place < plan_.places; ++place) {
      for (const Interval& wanted : rest.within(all)) {
        for (const Interval& part : held_[array][place].within(wanted)) {
          const PlacedNode::Download download{*plan_.arrays[array].output, plan_.range(array, part)};
          current_.push_back({place, download, {{array, part, {}}}});
          rest.remove(part);
        }
      }
    }
    if (!rest.within(all).empty())
      throw Bug(fmt::format("no place holds the elements of {} from {} to {}",
                            plan_.launch.arrays[array].name, rest.within(all).front().from,
                            rest.within(all).front().to));
  }
}

}  // namespace hoist::execute
