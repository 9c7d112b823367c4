// The C code of a program that runs in tasks: what StreamedExecutable does in Hoist. NAME.c then has
//
//   the kernels' source
//   the run time (src/export/runtime): what a node is, the device, a run
//   a function launch_K for each kernel K, and one for each loop of kernels
//   a table of nodes: uploads, launches, downloads, on which queue, after which others
//   the functions of the header
//
// Where the choice of partitions and tasks is left to the device that is found, there are kernels and a table
// for each choice, and a table of these by compute units.
//
// An array of the plan has a *cell* of memory for each of its windows, one behind the other. A node has the
// window that its task uses, so `s->place[3 + n->slot]` is where an array is whose first cell is 3.
#include <algorithm>

#include "base/overloaded.hpp"
#include "export/c_text.hpp"
#include "export/runtime_text.hpp"
#include "export/tables.hpp"

namespace hoist::exporting {

namespace {

using execute::LaunchPlan;
using execute::StreamedPlan;

/// By array of the plan: its first cell; and last how many cells there are.
std::vector<std::size_t> first_cells(const StreamedPlan& plan) {
  std::vector<std::size_t> cells{0};
  for (const std::size_t slots : plan.slots) cells.push_back(cells.back() + slots);
  return cells;
}

std::size_t place_in(const std::vector<std::size_t>& numbers, std::size_t number) {
  return static_cast<std::size_t>(std::find(numbers.begin(), numbers.end(), number) - numbers.begin());
}

/// The scalars that a kernel is told by each of its nodes, in the order of their values in the table.
std::vector<std::size_t> told_numbers(const StreamedPlan& plan, std::size_t kernel) {
  std::vector<std::size_t> scalars;
  for (const StreamedPlan::Node& node : plan.nodes) {
    const auto* launch = std::get_if<StreamedPlan::Launch>(&node.work);
    if (!launch || launch->kernel != kernel) continue;
    for (const auto& [scalar, value] : launch->numbers) scalars.push_back(scalar);
    return scalars;
  }
  return scalars;
}

/// Nodes of which a table is printed, with the tables that they point into.
struct NodeTable {
  std::vector<std::string> nodes, waits, numbers;

  explicit NodeTable(const StreamedPlan& plan)
      : plan_(plan), cells_(first_cells(plan)), steps_(steps_of(plan)) {
    for (const StreamedPlan::Node& node : plan.nodes) add(node);
  }

 private:
  void add(const StreamedPlan::Node& node) {
    std::string text =
        std::visit(Overloaded{[&](const StreamedPlan::Upload& each) {
                                return transfer("UPLOAD", each.input, each.host, each.to);
                              },
                              [&](const StreamedPlan::Download& each) {
                                return transfer("DOWNLOAD", each.output, {each.host_offset}, each.from);
                              },
                              [&](const StreamedPlan::Launch& each) { return launch(node, each); },
                              [&](const StreamedPlan::Step& each) { return step(each.step); }},
                   node.work);
    text += fmt::format(", .queue = {}, .task = {}", node.queue, node.task);
    if (!node.after.empty()) {
      text += fmt::format(", .after = {}, .after_count = {}", waits.size(), node.after.size());
      for (const std::size_t each : node.after) waits.push_back(std::to_string(each));
    }
    nodes.push_back("{" + text + "}");
  }

  std::string transfer(const char* kind, std::size_t what, const runtime::Rows& host,
                       const StreamedPlan::Range& range) const {
    const runtime::Rows& rows = range.rows;
    std::string text =
        fmt::format(".kind = {}, .what = {}, .cell = {}, .host = {}, .device = {}, .bytes = {}", kind, what,
                    cells_[range.array] + range.slot, host.offset, rows.offset, rows.bytes);
    if (rows.count > 1)
      text += fmt::format(", .rows = {}, .host_pitch = {}, .device_pitch = {}", rows.count, host.pitch,
                          rows.pitch);
    return text;
  }
  std::string launch(const StreamedPlan::Node& node, const StreamedPlan::Launch& each) {
    std::string text =
        fmt::format(".kind = LAUNCH, .what = {}, .items = {{{}}}", each.kernel, items_text(each.range));
    // All windows that a task uses have the same number.
    const std::size_t slot = node.slots.empty() ? 0 : *std::max_element(node.slots.begin(), node.slots.end());
    if (slot > 0) text += fmt::format(", .slot = {}", slot);
    if (each.numbers.empty()) return text;
    text += fmt::format(", .numbers = {}", numbers.size());
    for (const auto& [scalar, value] : each.numbers) numbers.push_back(std::to_string(value.integer));
    return text;
  }
  std::string step(std::size_t number) const {
    if (const auto* copy = std::get_if<LaunchPlan::Copy>(&steps_[number].node))
      return fmt::format(".kind = COPY, .cell = {}, .what = {}, .bytes = {}", cells_[copy->from],
                         cells_[copy->to], plan_.launch.arrays[copy->to].bytes());
    const auto end = steps_.begin() + static_cast<std::ptrdiff_t>(number);
    return fmt::format(".kind = LOOP, .what = {}", std::count_if(steps_.begin(), end, is_loop));
  }

  const StreamedPlan& plan_;
  std::vector<std::size_t> cells_;
  std::vector<LaunchPlan::Task> steps_;
};

}  // namespace

std::string CText::stream_declarations() const {
  return R"(/* How it runs: in so many tasks, on so many partitions of the device; whether these are separate, or the device cannot be divided
 * and all share it. Any pointer may be NULL. */
void $n_streams(const $n_handle *handle, int *partitions, int *tasks, int *separate);

/* What failed, where the last run ended with the status of a transfer or launch: "the upload of u, task 3 of 16 ...". It lives until the
 * next run. */
const char *$n_where(const $n_handle *handle);
)" + further_stream_declarations();
}

std::string CText::stream_state() const {
  std::string scalars;
  for (const CArgument& each : arguments_) {
    if (!each.is_array) scalars += fmt::format("  {} {};\n", each.type, each.name);
  }
  return "struct $n_state {\n  streams streams; /* the first member: kernels are launched with a pointer to "
         "it */\n" +
         scalars + "};\n\n";
}

std::string CText::stream_launches(const ExportedStreams& streams) const {
  const StreamedPlan& plan = streams.plan;
  const std::vector<std::size_t> cells = first_cells(plan), rounds = rounds_of(plan);
  std::string text;
  for (std::size_t k = 0; k < plan.launch.kernels.size(); ++k) {
    const LaunchPlan::Kernel& kernel = plan.launch.kernels[k];
    const std::vector<std::size_t> told = told_numbers(plan, k);
    StreamLaunch launch{k, kernel.name, kernel.range, {}, {}};
    for (const LaunchPlan::Parameter& parameter : kernel.parameters) {
      if (parameter.is_array) {
        const char* slot = plan.slots[parameter.index] > 1 ? " + n->slot" : "";
        launch.arguments.push_back({fmt::format("s->place[{}{}]", cells[parameter.index], slot), true});
        continue;
      }
      const LaunchPlan::ScalarInput& scalar = plan.launch.scalars[parameter.index];
      const std::string type = c_type(scalar.type), name = fmt::format("number{}", launch.arguments.size());
      std::string value;
      for (std::size_t leaf = 0; leaf < plan.program_inputs; ++leaf) {
        const LaunchPlan::Input& input = plan.launch.inputs[leaf];
        if (!input.is_array && input.index == parameter.index)
          value = fmt::format("(($n_handle *)s)->{}", arguments_[leaf].name);
      }
      if (value.empty() && place_in(told, parameter.index) < told.size())
        value = fmt::format("({})s->plan->numbers[n->numbers + {}]", type, place_in(told, parameter.index));
      if (value.empty()) value = fmt::format("({})s->rounds[{}]", type, place_in(rounds, parameter.index));
      launch.declarations += fmt::format("  {} {} = {};\n", type, name, value);
      launch.arguments.push_back({name, false});
    }
    text += fmt::format("static int launch{}_{}(streams *s, const node *n, const size_t *items) {{\n{}}}\n\n",
                        streams.suffix, kernel.name, stream_launch_body(launch));
  }
  return text;
}

std::string CText::stream_loop(const ExportedStreams& streams, const std::vector<LaunchPlan::Task>& steps,
                               const std::string& margin, int depth) const {
  const StreamedPlan& plan = streams.plan;
  const std::vector<std::size_t> cells = first_cells(plan), rounds = rounds_of(plan);
  std::string text;
  for (const LaunchPlan::Task& step : steps) {
    if (const auto* launch = std::get_if<LaunchPlan::Launch>(&step.node)) {
      const LaunchPlan::Kernel& kernel = plan.launch.kernels[launch->kernel];
      if (is_empty(kernel.range)) continue;
      text += fmt::format("{}if (!status) status = launch{}_{}(s, n, (const size_t[]){{{}}});\n", margin,
                          streams.suffix, kernel.name, items_text(kernel.range));
    } else if (const auto* copy = std::get_if<LaunchPlan::Copy>(&step.node)) {
      if (plan.launch.arrays[copy->to].bytes() == 0) continue;
      text += fmt::format("{}if (!status) status = device_copy(s, n, {}, {}, {});\n", margin,
                          cells[copy->from], cells[copy->to], plan.launch.arrays[copy->to].bytes());
    } else if (const auto* repeat = std::get_if<LaunchPlan::Repeat>(&step.node)) {
      const auto read = [&](const std::string& type, const std::string& name, std::size_t array,
                            const std::string& at) {
        return fmt::format(
            "{0}{1} {2} = 0;\n{0}if (!status) status = device_read(s, n, {3}, &{2}, sizeof {2});\n", at, type,
            name, cells[array]);
      };
      std::string count = std::to_string(repeat->count);
      std::string inner;
      if (repeat->count_from) {
        count = fmt::format("rounds{}", depth);
        inner += read("int32_t", count, *repeat->count_from, margin + "  ");
      }
      inner += fmt::format("{0}  for (int64_t i{1} = 0; !status && i{1} < {2}; ++i{1}) {{\n", margin, depth,
                           count);
      inner += stream_loop(streams, repeat->test, margin + "    ", depth + 1);
      if (repeat->condition) {
        const std::string flag = fmt::format("goes_on{}", depth);
        inner += read("uint8_t", flag, *repeat->condition, margin + "    ");
        inner += fmt::format("{}    if (!{}) break;\n", margin, flag);
      }
      if (repeat->number)
        inner += fmt::format("{}    s->rounds[{}] = (int)i{};\n", margin, place_in(rounds, *repeat->number),
                             depth);
      inner += stream_loop(streams, repeat->body, margin + "    ", depth + 1);
      for (const auto& [first, second] : repeat->exchanged)
        inner += fmt::format(
            "{0}    {{\n{0}      const device_memory exchanged = s->place[{1}];\n{0}      s->place[{1}] = "
            "s->place[{2}];\n"
            "{0}      s->place[{2}] = exchanged;\n{0}    }}\n",
            margin, cells[first], cells[second]);
      text += fmt::format("{0}{{\n{1}{0}  }}\n{0}}}\n", margin, inner);
    }
  }
  return text;
}

std::string CText::stream_loops(const ExportedStreams& streams) const {
  std::string text;
  std::size_t number = 0;
  for (const LaunchPlan::Task& step : steps_of(streams.plan)) {
    if (!is_loop(step)) continue;
    text += fmt::format(
        "static int loop{}_{}(streams *s, const node *n) {{\n  int status = $N_OK;\n{}  return "
        "status;\n}}\n\n",
        streams.suffix, number++, stream_loop(streams, {step}, "  ", 0));
  }
  return text;
}

std::string CText::stream_tables(const ExportedStreams& streams) const {
  const StreamedPlan& plan = streams.plan;
  const std::vector<std::size_t> cells = first_cells(plan);
  const NodeTable nodes(plan);
  std::vector<std::string> bytes, kernels, loops;
  for (std::size_t array = 0; array < plan.launch.arrays.size(); ++array) {
    const auto is_array_input = [&](const LaunchPlan::Input& input) {
      return input.is_array && input.index == array;
    };
    const bool is_callers = std::ranges::any_of(plan.launch.inputs, is_array_input) ||
                            std::ranges::count(plan.launch.outputs, array) > 0;
    // No runtime has empty memory.
    const std::size_t size = shares_memory() && is_callers && !plan.is_windowed[array]
                                 ? 0
                                 : std::max<std::size_t>(plan.launch.arrays[array].bytes(), 1);
    bytes.insert(bytes.end(), plan.slots[array], std::to_string(size));
  }
  for (std::size_t k = 0; k < plan.launch.kernels.size(); ++k) {
    const std::string& name = plan.launch.kernels[k].name;
    kernels.push_back(fmt::format("{{\"{0}\", {1}, launch{2}_{0}}}", name, streams.dynamic_local_memory.at(k),
                                  streams.suffix));
  }
  for (const LaunchPlan::Task& step : steps_of(plan)) {
    if (is_loop(step)) loops.push_back(fmt::format("loop{}_{}", streams.suffix, loops.size()));
  }
  const std::string& suffix = streams.suffix;
  std::string text = fmt::format("/* {} task{} on {} partition{}, {} in flight. */\n", plan.tasks,
                                 plan.tasks == 1 ? "" : "s", plan.partitions, plan.partitions == 1 ? "" : "s",
                                 plan.tasks_in_flight);
  text += "static const node nodes" + suffix + "[] = {\n";
  for (const std::string& each : nodes.nodes) text += "    " + each + ",\n";
  text += "};\n";
  text += table("int ", "waits" + suffix, nodes.waits, "0");
  text += table("long long ", "numbers" + suffix, nodes.numbers, "0");
  text += table("size_t ", "memory_bytes" + suffix, bytes, "0");
  text += table("kernel ", "kernels" + suffix, kernels, "{NULL, 0, NULL}");
  text += fmt::format("static int (*const loops{}[])(streams *, const node *) = {{{}}};\n", suffix,
                      loops.empty() ? "NULL" : list_of(loops));
  return text + "\n";
}

std::string CText::stream_plans() const {
  std::vector<std::string> inputs, outputs;
  for (const CArgument& each : arguments_)
    (each.is_output ? outputs : inputs).push_back("\"" + each.name + "\"");
  std::string text = table("char *const ", "input_names", inputs, "NULL") +
                     table("char *const ", "output_names", outputs, "NULL");
  text += exported_.streams.size() == 1 ? "\nstatic const plan plans[] = {\n"
                                        : "\n/* What a model of the device chose for so many compute units "
                                          "and more. */\nstatic const plan plans[] = {\n";
  for (const ExportedStreams& each : exported_.streams) {
    const StreamedPlan& plan = each.plan;
    std::string faults = "-1";
    if (plan.launch.faults) faults = std::to_string(first_cells(plan)[*plan.launch.faults]);
    const std::string& suffix = each.suffix;
    text += fmt::format(
        "    {{.units = {}, .partitions = {}, .tasks = {}, .nodes = nodes{}, .node_count = {},\n"
        "     .waits = waits{}, .numbers = numbers{}, .memory_bytes = memory_bytes{}, .memory_count = {},\n",
        each.units, plan.partitions, plan.tasks, suffix, plan.nodes.size(), suffix, suffix, suffix,
        first_cells(plan).back());
    if (stream_builds_kernels())
      text +=
          fmt::format("     .source = source{0}, .source_lines = sizeof source{0} / sizeof source{0}[0],\n",
                      each.kernels_suffix);
    text += fmt::format(
        "     .kernels = kernels{}, .kernel_count = {}, .loops = loops{},\n"
        "     .inputs = input_names, .outputs = output_names, .faults = {}}},\n",
        suffix, plan.launch.kernels.size(), suffix, faults);
  }
  return text + "};\nenum { PLANS = sizeof plans / sizeof plans[0] };\n\n";
}

std::string CText::stream_run_function() const {
  std::vector<std::string> inputs, outputs;
  std::string scalars, entering = enter();
  for (const CArgument& each : arguments_) {
    (each.is_output ? outputs : inputs).push_back(each.is_array ? each.name : "NULL");
    if (!each.is_array) scalars += fmt::format("  handle->{0} = {0};\n", each.name);
  }
  if (const std::size_t at = entering.find("(handle)"); at != std::string::npos)
    entering.replace(at, 8, "(&handle->streams)");
  if (inputs.empty()) inputs.push_back("NULL");
  return fmt::format(R"(int $n_run({}) {{
  const void *const inputs[] = {{{}}};
  void *const outputs[] = {{{}}};
  int status, fault = 0;
{}{}{}  status = run_plan(&handle->streams, inputs, outputs, &fault);
{}  return status{};
}}

)",
                     parameters(false), list_of(inputs), list_of(outputs), invalid_arguments(), entering,
                     scalars, leave(), plan_.faults ? " ? status : fault_status(fault)" : "");
}

std::string CText::stream_further_functions() const {
  return R"(void $n_streams(const $n_handle *handle, int *partitions, int *tasks, int *separate) {
  if (!handle) return;
  if (partitions) *partitions = handle->streams.plan->partitions;
  if (tasks) *tasks = handle->streams.plan->tasks;
  if (separate) *separate = are_separate(&handle->streams);
}

const char *$n_where(const $n_handle *handle) { return handle ? handle->streams.where : ""; }

)" + further_stream_functions();
}

std::string CText::stream_source() const {
  std::size_t rounds = 1;
  for (const ExportedStreams& each : exported_.streams)
    rounds = std::max(rounds, rounds_of(each.plan).size());
  std::string text =
      expand("/* $n.c: made by `hoist export`; $n.h describes it. */\n" + stream_includes() + "\n");
  for (const ExportedStreams& each : exported_.streams) {
    if (!each.kernels.empty()) text += expand(stream_kernels(each)) + "\n";
  }
  text += fmt::format("enum {{ MOST_ROUNDS = {} }};\n\n", rounds);
  text += std::string(runtime_text("status")) + stream_device() + std::string(runtime_text("run"));
  text += expand("/* ---- What is this program's own */\n\n" + fault_status() + stream_state());
  for (const ExportedStreams& each : exported_.streams)
    text += expand(stream_launches(each) + stream_loops(each) + stream_tables(each));
  return text + expand(stream_plans() + create_function() + stream_run_function() +
                       stream_further_functions() + error_function());
}

}  // namespace hoist::exporting
