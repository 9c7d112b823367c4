// From a cut to a graph of nodes. `Builder::run` goes through the phases and tasks in an order in which the
// nodes may run: what a task reads and is not there is uploaded, its kernels are launched, what is then
// finished of the result is downloaded. Uploads of a task stand before the kernels of the task before, where
// their memory is not the same, so that queues that run what they are given at once lose nothing.
//
// What waits for what follows from the ranges that nodes touch (`order_nodes`): a node waits for the earlier
// ones that touch the same bytes, one of both writing, unless it waits for them already by way of others, or
// by its queue's order.
//
// Steps are gone through one after the other. A result that stays on the device is not uploaded again: it
// lies in the memory of the input that it becomes, and that input's memory takes the next result
// (`StreamedPlan::memory_of`). Only the last step downloads it. Of many steps those in the middle are alike,
// and are listed once (`find_loop`).
#include "execute/streamed_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/need.hpp"
#include "execute/stream_order.hpp"
#include "execute/task_launch.hpp"
#include "runtime/limits.hpp"

namespace hoist::execute {
namespace {

using tasks::Cut;
using tasks::Interval;
using tasks::IntervalSet;
using tasks::Region;
using tasks::RegionSet;
using Node = StreamedPlan::Node;

/// Tasks in flight of each partition: one is uploaded, one computed, one downloaded.
constexpr std::size_t stages = 3;

/// The most steps that are all listed; of more as many as this, or one fewer, the middle ones repeated. The
/// first step uploads, and the next ones find memory as the first left it; from `loop_step` on steps are
/// alike.
constexpr std::size_t most_listed = 7;
constexpr std::size_t loop_step = 3;

std::size_t listed_steps(std::size_t steps) {
  return steps <= most_listed ? steps : most_listed - (most_listed - steps) % 2;
}

class Builder {
 public:
  Builder(const Cut& cut, LaunchPlan launch, const StreamOptions& options) : cut_(cut), options_(options) {
    result_.launch = std::move(launch);
    result_.partitions = static_cast<std::size_t>(options.partitions);
    result_.tasks = static_cast<std::size_t>(cut.tasks);
    result_.program_inputs = cut.program_inputs;
    result_.notes = cut.uncut;
    result_.steps = listed_steps(options.steps);
    for (std::size_t at = 0; at < result_.launch.arrays.size(); ++at)
      launch_array_[result_.launch.arrays[at].name] = at;
    result_.array_elements.assign(result_.launch.arrays.size(), 0);
    for (const tasks::Array& array : cut.arrays) {
      const auto found = launch_array_.find(array.name);
      numbers_.push_back(found == launch_array_.end() ? SIZE_MAX : found->second);
      if (found != launch_array_.end())
        result_.array_elements[found->second] = static_cast<std::size_t>(array.elements);
    }
  }

  std::size_t resident_bytes() const { return bytes_where(false); }
  std::size_t window_bytes() const { return bytes_where(true); }

  /// Of each array, or window of one.
  std::size_t most_bytes() const {
    std::size_t most = 0;
    for (const std::size_t number : numbers_) {
      if (number != SIZE_MAX) most = std::max(most, result_.launch.arrays[number].bytes());
    }
    return most;
  }

  StreamedPlan run(std::size_t in_flight) {
    result_.tasks_in_flight = in_flight;
    result_.slots.assign(result_.launch.arrays.size(), 1);
    result_.is_windowed.assign(result_.launch.arrays.size(), false);
    result_.has_columns.assign(result_.launch.arrays.size(), false);
    for (std::size_t at = 0; at < cut_.arrays.size(); ++at) {
      if (numbers_[at] == SIZE_MAX) continue;
      result_.has_columns[numbers_[at]] = cut_.arrays[at].row_length > 1;
      if (!cut_.arrays[at].is_windowed()) continue;
      result_.slots[numbers_[at]] = in_flight;
      result_.is_windowed[numbers_[at]] = true;
    }
    result_.memory_bytes = resident_bytes() + in_flight * window_bytes();
    present_.resize(cut_.arrays.size());
    delivered_.resize(cut_.arrays.size());
    last_writer_.assign(cut_.arrays.size(), 0);
    for (std::size_t phase = 0; phase < cut_.phases.size(); ++phase) {
      for (const tasks::TaskStep& step : cut_.phases[phase].steps) {
        for (const auto& touches : step.touches) {
          for (const tasks::Touch& touch : touches) {
            if (!touch.written.is_empty()) last_writer_[touch.array] = phase;
          }
        }
      }
    }
    if (options_.steps > 1) feed();
    std::vector<std::size_t> begins;  // by step: its first node
    for (step_ = 0; step_ < result_.steps; ++step_) {
      begins.push_back(result_.nodes.size());
      if (step_ > 0) begin_step();
      for (std::size_t phase = 0; phase < cut_.phases.size(); ++phase) add_phase(phase);
    }
    order_nodes(result_);
    if (options_.steps > result_.steps) find_loop(begins);
    return std::move(result_);
  }

 private:
  std::size_t bytes_where(bool is_windowed) const {
    std::size_t total = 0;
    for (std::size_t at = 0; at < cut_.arrays.size(); ++at) {
      if (numbers_[at] == SIZE_MAX || cut_.arrays[at].is_windowed() != is_windowed) continue;
      total += result_.launch.arrays[numbers_[at]].bytes();
    }
    return total;
  }

  // ---- Steps

  void feed() {
    const LaunchPlan& launch = result_.launch;
    for (std::size_t output = 0; output < launch.outputs.size(); ++output) {
      const std::size_t input = options_.fed + output;
      const LaunchPlan::Input& given = launch.inputs.at(input);
      const std::size_t array = launch.outputs[output];
      if (!given.is_array) throw Bug("a number is fed to the next step");
      const bool stays = !cut_array(given.index).is_windowed() && !cut_array(array).is_windowed();
      result_.fed.push_back({input, output, given.index, array, stays});
    }
    if (std::ranges::any_of(result_.fed, [](const StreamedPlan::Fed& each) { return !each.stays; }))
      result_.notes.push_back(fmt::format(
          "results pass through the host's memory between steps, since not all arrays fit {} of the device",
          runtime::bytes_text(options_.memory)));
  }

  const tasks::Array& cut_array(std::size_t of_launch) const {
    const auto found = std::find(numbers_.begin(), numbers_.end(), of_launch);
    return cut_.arrays.at(static_cast<std::size_t>(found - numbers_.begin()));
  }

  /// What is on the device when a step begins that is not the first.
  void begin_step() {
    for (std::size_t at = 0; at < cut_.arrays.size(); ++at) {
      const tasks::Array& array = cut_.arrays[at];
      if (array.output) delivered_[at] = {};
      const auto* fed = array.input ? result_.fed_to(*array.input, step_) : nullptr;
      if (!fed) continue;
      present_[at] = fed->stays ? RegionSet(array.whole()) : RegionSet();
    }
  }

  /// Whether the result stays on the device when this step ends.
  bool stays(std::size_t output) const {
    return step_ + 1 < result_.steps && std::ranges::any_of(result_.fed, [&](const StreamedPlan::Fed& each) {
             return each.output == output && each.stays;
           });
  }

  /// Two steps in the middle of many stand for all that are like them.
  void find_loop(const std::vector<std::size_t>& begins) {
    result_.loop_begin = begins[loop_step];
    result_.loop_end = begins[loop_step + StreamedPlan::steps_of_loop];
    result_.loop_times = (options_.steps - result_.steps) / StreamedPlan::steps_of_loop + 1;
    const std::size_t length = result_.loop_end - result_.loop_begin;
    if (result_.loop_begin - begins[loop_step - StreamedPlan::steps_of_loop] != length)
      throw Bug("steps of a streamed plan are not alike");
    for (std::size_t at = result_.loop_begin; at < result_.nodes.size(); ++at) {
      for (const std::size_t earlier : result_.nodes[at].after) {
        if (earlier + length < result_.loop_begin) throw Bug("a step waits for one long before");
      }
    }
    const std::size_t more = result_.loop_times - 1;
    for (std::size_t at = result_.loop_begin; at < result_.loop_end; ++at) {
      result_.upload_bytes += more * uploaded(result_.nodes[at]);
      result_.download_bytes += more * downloaded(result_.nodes[at]);
      result_.redundant_bytes += more * redundant_.at(at);
    }
  }

  static std::size_t uploaded(const Node& node) {
    const auto* upload = std::get_if<StreamedPlan::Upload>(&node.work);
    return upload ? upload->to.rows.total() : 0;
  }
  static std::size_t downloaded(const Node& node) {
    const auto* download = std::get_if<StreamedPlan::Download>(&node.work);
    return download ? download->from.rows.total() : 0;
  }

  void add_node(Node node, std::size_t redundant = 0) {
    node.step = step_;
    result_.upload_bytes += uploaded(node);
    result_.download_bytes += downloaded(node);
    result_.redundant_bytes += redundant;
    redundant_.push_back(redundant);
    result_.nodes.push_back(std::move(node));
  }

  // ---- Tasks

  void add_phase(std::size_t number) {
    const tasks::Phase& phase = cut_.phases[number];
    const std::size_t count = phase.is_cut ? result_.tasks : 1;
    const std::size_t lead = phase.is_cut && result_.tasks_in_flight > 1 ? 1 : 0;
    for (std::size_t turn = 0; turn < count + lead; ++turn) {
      if (turn < count) add_uploads(phase, turn);
      if (turn >= lead) add_work(number, turn - lead);
    }
  }

  std::size_t queue_of(std::size_t task, StreamedPlan::QueueKind kind) const {
    return task % result_.partitions * StreamedPlan::queues_per_partition + static_cast<std::size_t>(kind);
  }
  std::size_t slot_of(const tasks::Array& array, std::size_t task) const {
    return array.is_windowed() ? task % result_.tasks_in_flight : 0;
  }
  /// Where elements are of an array whose rows are so long in a memory that begins at an element.
  static runtime::Rows rows(const tasks::Array& array, const Region& elements, std::int64_t row_length,
                            std::int64_t begin) {
    const auto bytes = [&](std::int64_t count) {
      return static_cast<std::size_t>(count) * size_of(array.scalar);
    };
    const std::int64_t count = elements.rows.length(), columns = elements.columns.length();
    const std::size_t offset = bytes(elements.rows.from * row_length + elements.columns.from - begin);
    // Whole rows lie behind each other, here and there.
    if (columns == array.row_length || count == 1) return {offset, bytes(columns * count)};
    return {offset, bytes(columns), static_cast<std::size_t>(count), bytes(row_length)};
  }
  static runtime::Rows rows_on_host(const tasks::Array& array, const Region& elements) {
    return rows(array, elements, array.row_length, 0);
  }
  StreamedPlan::Range range(std::size_t at, std::size_t task, const Region& elements) const {
    const tasks::Array& array = cut_.arrays[at];
    return {result_.memory_of(numbers_[at], step_), slot_of(array, task),
            rows(array, elements, array.has_column_windows() ? array.window_row : array.row_length,
                 array.is_windowed() ? array.begins[task] : 0)};
  }
  /// What a step reads of an array.
  static std::vector<Region> read_of(const tasks::Touch& touch) {
    if (!touch.read_parts.empty()) return touch.read_parts;
    return touch.read.is_empty() ? std::vector<Region>() : std::vector{touch.read};
  }

  void add_uploads(const tasks::Phase& phase, std::size_t task) {
    std::map<std::size_t, RegionSet> wanted;
    std::vector<std::size_t> in_order;
    for (const tasks::TaskStep& step : phase.steps) {
      for (const tasks::Touch& touch : step.touches[task]) {
        if (!cut_.arrays[touch.array].input || touch.read.is_empty()) continue;
        if (!wanted.contains(touch.array)) in_order.push_back(touch.array);
        for (const Region& part : read_of(touch)) wanted[touch.array].add(part);
      }
    }
    for (const std::size_t at : in_order) {
      const tasks::Array& array = cut_.arrays[at];
      const bool is_windowed = array.is_windowed();
      std::vector<Region> parts;
      for (const Region& each : wanted[at].within(array.whole())) {
        const auto missing = is_windowed ? std::vector{each} : present_[at].missing(each);
        parts.insert(parts.end(), missing.begin(), missing.end());
      }
      for (const Region& part : parts) {
        const StreamedPlan::Range to = range(at, task, part);
        const runtime::Rows host = rows_on_host(array, part);
        Node node{StreamedPlan::Upload{*array.input, host, to}};
        node.task = task;
        node.queue = queue_of(task, StreamedPlan::QueueKind::Upload);
        node.touches = {{to, StreamedPlan::Access::Write}};
        if (const auto* fed = result_.fed_to(*array.input, step_)) {
          node.touches.push_back({{result_.on_host(fed->output), result_.host_slot(step_ - 1), host},
                                  StreamedPlan::Access::Read});
        }
        std::size_t redundant = to.rows.total();
        for (const Region& once : present_[at].missing(part))
          redundant -= static_cast<std::size_t>(once.area()) * size_of(array.scalar);
        const bool is_shared =
            phase.is_cut && task == 0 && result_.tasks > 1 && part.area() == array.elements;
        if (step_ == 0 && (is_shared || !phase.is_cut)) result_.shared_bytes += to.rows.total();
        present_[at].add(part);
        add_node(std::move(node), redundant);
      }
    }
  }

  void add_work(std::size_t number, std::size_t task) {
    const tasks::Phase& phase = cut_.phases[number];
    for (const tasks::TaskStep& step : phase.steps) add_step(phase, step, task);
    for (const tasks::TaskStep& step : phase.steps) {
      for (const tasks::Touch& touch : step.touches[task]) {
        const tasks::Array& array = cut_.arrays[touch.array];
        // What is updated is finished when all tasks are.
        if (!array.output || last_writer_[touch.array] != number || touch.is_update) continue;
        deliver(touch.array, touch.result.rows, task);
      }
    }
    if (task + 1 < (phase.is_cut ? result_.tasks : 1)) return;
    for (std::size_t at = 0; at < cut_.arrays.size(); ++at) {
      const tasks::Array& array = cut_.arrays[at];
      if (array.output && !array.is_windowed() && last_writer_[at] == number)
        deliver(at, {0, array.elements}, task);
    }
  }

  void add_step(const tasks::Phase& phase, const tasks::TaskStep& step, std::size_t task) {
    if (phase.is_cut && step.iterations[task].is_empty()) return;
    const auto* launch = std::get_if<loop::LaunchStep>(&cut_.plan.steps[step.step].node);
    Node node{StreamedPlan::Step{step.step}};
    node.task = task;
    node.queue = queue_of(task, StreamedPlan::QueueKind::Compute);
    if (launch) node.work = task_launch(cut_, result_.launch, step, task);
    node.slots.assign(result_.launch.arrays.size(), 0);
    for (const tasks::Touch& touch : step.touches[task]) {
      node.slots[numbers_[touch.array]] = slot_of(cut_.arrays[touch.array], task);
      for (const Region& part : read_of(touch))
        node.touches.push_back({range(touch.array, task, part), StreamedPlan::Access::Read});
      if (!touch.written.is_empty())
        node.touches.push_back({range(touch.array, task, touch.written), touch.is_update
                                                                             ? StreamedPlan::Access::Update
                                                                             : StreamedPlan::Access::Write});
    }
    add_node(std::move(node));
  }

  /// Downloads what has not been downloaded of these elements, unless they stay on the device.
  void deliver(std::size_t at, const Interval& elements, std::size_t task) {
    const tasks::Array& array = cut_.arrays[at];
    if (stays(*array.output)) return;
    for (const Interval& part : delivered_[at].missing(elements)) {
      const auto host_offset = static_cast<std::size_t>(part.from) * size_of(array.scalar);
      const StreamedPlan::Range from = range(at, task, {part});
      Node node{StreamedPlan::Download{*array.output, host_offset, from}};
      node.task = task;
      node.queue = queue_of(task, StreamedPlan::QueueKind::Download);
      node.touches = {{from, StreamedPlan::Access::Read}};
      if (result_.steps > 1) {
        node.touches.push_back(
            {{result_.on_host(*array.output), result_.host_slot(step_), {host_offset, from.rows.total()}},
             StreamedPlan::Access::Write});
      }
      add_node(std::move(node));
    }
    delivered_[at].add(elements);
  }

  const Cut& cut_;
  const StreamOptions options_;
  StreamedPlan result_;
  std::map<std::string, std::size_t> launch_array_;
  std::vector<std::size_t> numbers_;      ///< by array of the cut: which of the launch plan; SIZE_MAX: none
  std::vector<RegionSet> present_;        ///< by array of the cut: what has been uploaded
  std::vector<IntervalSet> delivered_;    ///< what has been downloaded
  std::vector<std::size_t> last_writer_;  ///< the last phase that writes it
  std::vector<std::size_t> redundant_;    ///< by node: what it uploads again, in bytes
  std::size_t step_ = 0;                  ///< the one that is being listed
};

/// How many tasks can be in flight; 0: not even one.
std::size_t tasks_that_fit(const Builder& builder, std::size_t most, const StreamOptions& options) {
  if (options.largest_buffer > 0 && builder.most_bytes() > options.largest_buffer) return 0;
  const std::size_t memory = options.memory;
  if (memory == 0) return most;
  if (builder.resident_bytes() > memory) return 0;
  const std::size_t window = builder.window_bytes();
  return window == 0 ? most : std::min(most, (memory - builder.resident_bytes()) / window);
}

/// Tasks, where each partition has so many at a time.
std::size_t most_in_flight(const StreamOptions& options, std::size_t of_partition) {
  return std::min(static_cast<std::size_t>(options.tasks),
                  of_partition * static_cast<std::size_t>(options.partitions));
}

Result<Streamed> plan_of_tasks(const loop::Plan& plan, const StreamOptions& options) {
  return catch_failure([&]() -> Streamed {
    const std::size_t most = most_in_flight(options, stages);
    constexpr auto whole_arrays = "arrays that each task needs most of are on the device as a whole";
    std::size_t least = 0, most_bytes = 0;
    for (const bool has_windows : {false, true}) {
      Streamed result{need(tasks::cut(plan, {.tasks = options.tasks,
                                             .has_windows = has_windows,
                                             .least_row_bytes = has_windows ? 0 : options.least_row_bytes})),
                      {}};
      Builder builder(result.cut, need(launch_plan(result.cut.plan)), options);
      // A window that is used again waits for its download: with as many more none of the stages waits.
      const std::size_t in_flight =
          tasks_that_fit(builder, has_windows ? most_in_flight(options, 2 * stages) : most, options);
      // Windows that are fewer than stages keep tasks from overlapping; windows of the inputs help then.
      // What stays on the device between steps is worth more than overlap within each.
      const std::size_t enough = options.steps > 1 ? static_cast<std::size_t>(options.partitions) : most;
      const bool is_enough = in_flight >= enough || (has_windows && in_flight > 0) || options.tasks == 1;
      if (is_enough && in_flight > 0) {
        result.plan = builder.run(in_flight);
        return result;
      }
      least = builder.resident_bytes() + builder.window_bytes();
      most_bytes = builder.most_bytes();
    }
    if (options.largest_buffer > 0 && most_bytes > options.largest_buffer)
      throw_user(
          fmt::format("{} needs a buffer of {} for one of {} tasks, more than the {} that the device allows",
                      plan.name, runtime::bytes_text(most_bytes), options.tasks,
                      runtime::bytes_text(options.largest_buffer)),
          whole_arrays, "give more tasks (--streams P,T) or smaller sizes");
    throw_user(
        fmt::format("{} needs {} of the device for one of {} tasks, more than the limit of {}", plan.name,
                    runtime::bytes_text(least), options.tasks, runtime::bytes_text(options.memory)),
        whole_arrays, "give more tasks (--streams P,T), smaller sizes or a higher limit (--memory)");
  });
}

std::size_t in_flight(const Result<Streamed>& streamed) {
  return streamed ? streamed->plan.tasks_in_flight : 0;
}

/// Of more and more tasks, while that lets more of them be in flight.
Result<Streamed> plan_of_more_tasks(const loop::Plan& plan, StreamOptions options, Result<Streamed> found) {
  const std::int64_t most_tasks = tasks::most_tasks(plan);
  while (2 * options.tasks <= most_tasks && in_flight(found) < most_in_flight(options, stages)) {
    options.tasks *= 2;
    auto more = plan_of_tasks(plan, options);
    if (found && in_flight(more) <= in_flight(found)) break;
    found = std::move(more);
  }
  return found;
}

}  // namespace

Result<Streamed> streamed_plan(const loop::Plan& plan, const StreamOptions& options) {
  return catch_failure([&] {
    if (options.partitions < 1) throw_user("the number of partitions must be at least 1");
    if (options.partitions > options.tasks)
      throw_user(fmt::format("{} partitions have no use for {} task{}", options.partitions, options.tasks,
                             options.tasks == 1 ? "" : "s"),
                 "each task runs on one partition", "give as many tasks as partitions, or more");
    auto found = plan_of_tasks(plan, options);
    if (options.adds_tasks && in_flight(found) < most_in_flight(options, stages))
      found = plan_of_more_tasks(plan, options, std::move(found));
    Streamed result = need(std::move(found));
    if (std::cmp_greater(result.plan.tasks, options.tasks))
      result.plan.notes.push_back(fmt::format("{} tasks in place of {}, so that more fit the device's memory",
                                              result.plan.tasks, options.tasks));
    return result;
  });
}

}  // namespace hoist::execute
