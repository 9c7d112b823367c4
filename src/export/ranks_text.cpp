// The C code of a program for ranks of MPI: what PlacedExecutable does in Hoist. NAME.c then has
//
//   declarations of the kernels
//   the run time (src/export/runtime/ranks.c, ranks_run.c): what a node is, messages, a run
//   a function launch_K for each kernel K, and one for each loop of kernels, as programs in tasks have them
//   tables of nodes for each rank: what it does in a run of one step; in the first, in a middle and in the
//   last step of several the functions of the header
//
// Read `RankTables`. It lists steps as PlacedSteps does and gives each node to its rank. A caller has a block
// of rows of each array, so an upload becomes a copy from the rank's own block and messages from those of
// others, and a download likewise. Messages of two ranks in a step are numbered, by which their tags tell
// them apart.
#include <climits>
#include <cmath>
#include <map>

#include "base/overloaded.hpp"
#include "export/c_text.hpp"
#include "export/runtime_text.hpp"
#include "export/tables.hpp"

namespace hoist::exporting {

namespace {

using execute::LaunchPlan;
using execute::PlacedNode;
using tasks::Interval;

/// The first row of each rank's block, and last the number of rows.
std::vector<std::int64_t> row_starts(const ExportedArray& array, std::size_t ranks) {
  std::vector<std::int64_t> starts;
  const std::int64_t rows = array.shape.empty() ? 1 : array.shape.front();
  for (std::size_t rank = 0; rank <= ranks; ++rank)
    starts.push_back(
        std::llround(static_cast<double>(rows) * static_cast<double>(rank) / static_cast<double>(ranks)));
  return starts;
}

/// The bytes that each rank's caller has of an array; of a number all have all.
std::vector<Interval> blocks_of(const ExportedArray& array, std::size_t ranks) {
  auto bytes = static_cast<std::int64_t>(size_of(array.scalar));
  if (array.shape.empty()) return std::vector<Interval>(ranks, {0, bytes});
  for (std::size_t d = 1; d < array.shape.size(); ++d) bytes *= array.shape[d];
  const std::vector<std::int64_t> starts = row_starts(array, ranks);
  std::vector<Interval> blocks;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    blocks.push_back({starts[rank] * bytes, starts[rank + 1] * bytes});
  return blocks;
}

/// The nodes of each rank, as C has them.
using RankLists = std::vector<std::vector<std::string>>;

class RankTables {
 public:
  std::vector<std::string> numbers;

  explicit RankTables(const Exported& exported)
      : ranks_(*exported.ranks), count_(ranks_.plan.places), steps_(steps_of(ranks_.tasks.plan)) {
    for (const ExportedArray& each : exported.inputs) inputs_.push_back(blocks_of(each, count_));
    for (const ExportedArray& each : exported.outputs) outputs_.push_back(blocks_of(each, count_));
  }

  /// By step of a run of so many.
  std::vector<RankLists> lists(std::size_t steps) {
    execute::PlacedPlan plan = ranks_.plan;
    plan.steps = steps;
    execute::PlacedSteps listing(plan);
    std::vector<std::vector<PlacedNode>> all;
    while (auto nodes = listing.next()) all.push_back(*std::move(nodes));
    tags_.assign(all.size(), {});
    received_.clear();
    for (step_ = 0; step_ < all.size(); ++step_) {
      for (const PlacedNode& node : all[step_]) {
        const auto* receive = std::get_if<PlacedNode::Receive>(&node.work);
        if (receive) received_[receive->transfer] = {step_, next_tag(receive->from, node.place)};
      }
    }
    std::vector<RankLists> result;
    for (step_ = 0; step_ < all.size(); ++step_) {
      begin_ = middle_ = end_ = RankLists(count_);
      for (const PlacedNode& node : all[step_])
        std::visit([&](const auto& work) { add(node.place, work); }, node.work);
      for (std::size_t rank = 0; rank < count_; ++rank) {
        for (const RankLists* part : {&middle_, &end_})
          begin_[rank].insert(begin_[rank].end(), (*part)[rank].begin(), (*part)[rank].end());
      }
      result.push_back(std::move(begin_));
    }
    return result;
  }

 private:
  struct Received {
    std::size_t step;
    int tag;
  };

  int next_tag(std::size_t from, std::size_t to) { return tags_[step_][{from, to}]++; }

  static std::string message(const char* kind, std::size_t other, std::size_t cell, const Interval& bytes,
                             std::int64_t caller_begins, int tag) {
    if (bytes.length() > INT_MAX)
      throw_unsupported(
          fmt::format("a message of {} bytes between two ranks is longer than MPI counts", bytes.length()),
          {}, "export for more ranks, or for smaller sizes");
    const bool is_callers =
        std::string_view(kind) == "SEND_INPUT" || std::string_view(kind) == "RECEIVE_OUTPUT";
    return fmt::format(".kind = {}, .what = {}, .cell = {}, .{} = {}, .bytes = {}, .tag = {}", kind, other,
                       cell, is_callers ? "host" : "device", bytes.from - caller_begins, bytes.length(), tag);
  }
  static std::string copy(const char* kind, std::size_t what, std::size_t cell, const Interval& bytes,
                          std::int64_t caller_begins) {
    return fmt::format(".kind = {}, .what = {}, .cell = {}, .host = {}, .device = {}, .bytes = {}", kind,
                       what, cell, bytes.from - caller_begins, bytes.from, bytes.length());
  }
  static Interval bytes_of(const PlacedNode::Range& range) {
    const auto from = static_cast<std::int64_t>(range.rows.offset);
    return {from, from + static_cast<std::int64_t>(range.rows.bytes)};
  }

  void add(std::size_t rank, const PlacedNode::Upload& upload) {
    const std::vector<Interval>& blocks = inputs_[upload.input];
    const Interval all = bytes_of(upload.to), own = tasks::intersection(all, blocks[rank]);
    if (!own.is_empty())
      middle_[rank].push_back(copy("UPLOAD", upload.input, upload.to.array, own, blocks[rank].from));
    for (std::size_t owner = 0; owner < count_; ++owner) {
      const Interval part = tasks::intersection(all, blocks[owner]);
      if (owner == rank || part.is_empty()) continue;
      const int tag = next_tag(owner, rank);
      begin_[owner].push_back(message("SEND_INPUT", rank, upload.input, part, blocks[owner].from, tag));
      middle_[rank].push_back(message("RECEIVE", owner, upload.to.array, part, 0, tag));
    }
  }
  void add(std::size_t rank, const PlacedNode::Download& download) {
    const std::vector<Interval>& blocks = outputs_[download.output];
    const Interval all = bytes_of(download.from);
    for (std::size_t owner = 0; owner < count_; ++owner) {
      const Interval part = tasks::intersection(all, blocks[owner]);
      if (part.is_empty()) continue;
      if (owner == rank) {
        middle_[rank].push_back(
            copy("DOWNLOAD", download.output, download.from.array, part, blocks[rank].from));
        continue;
      }
      const int tag = next_tag(rank, owner);
      middle_[rank].push_back(message("SEND", owner, download.from.array, part, 0, tag));
      end_[owner].push_back(message("RECEIVE_OUTPUT", rank, download.output, part, blocks[owner].from, tag));
    }
  }
  void add(std::size_t rank, const execute::TaskLaunch& launch) {
    if (is_empty(launch.range)) return;
    std::string text =
        fmt::format(".kind = LAUNCH, .what = {}, .items = {{{}}}", launch.kernel, items_text(launch.range));
    std::vector<std::int64_t> values;
    for (const auto& [scalar, value] : launch.numbers) values.push_back(value.integer);
    if (!values.empty()) {
      const auto [known, is_new] = known_numbers_.try_emplace(values, numbers.size());
      for (const std::int64_t each : values)
        if (is_new) numbers.push_back(std::to_string(each));
      text += fmt::format(", .numbers = {}", known->second);
    }
    middle_[rank].push_back(text);
  }
  void add(std::size_t rank, const PlacedNode::Step& step) {
    const LaunchPlan::Task& task = steps_.at(step.step);
    if (const auto* copied = std::get_if<LaunchPlan::Copy>(&task.node)) {
      middle_[rank].push_back(fmt::format(".kind = COPY, .cell = {}, .what = {}, .bytes = {}", copied->from,
                                          copied->to, ranks_.plan.launch.arrays[copied->to].bytes()));
      return;
    }
    const auto end = steps_.begin() + static_cast<std::ptrdiff_t>(step.step);
    middle_[rank].push_back(
        fmt::format(".kind = LOOP, .what = {}", std::count_if(steps_.begin(), end, is_loop)));
  }
  void add(std::size_t rank, const PlacedNode::Send& send) {
    const Received& received = received_.at(send.transfer);
    middle_[rank].push_back(message("SEND", send.to, send.from.array, bytes_of(send.from), 0, received.tag) +
                            (received.step > step_ ? ", .ahead = 1" : ""));
  }
  void add(std::size_t rank, const PlacedNode::Receive& receive) {
    middle_[rank].push_back(message("RECEIVE", receive.from, receive.to.array, bytes_of(receive.to), 0,
                                    received_.at(receive.transfer).tag));
  }

  const ExportedRanks& ranks_;
  std::size_t count_;
  std::vector<LaunchPlan::Task> steps_;
  std::vector<std::vector<Interval>> inputs_, outputs_;  ///< blocks of bytes, by array and rank
  std::map<std::vector<std::int64_t>, std::size_t> known_numbers_;
  std::size_t step_ = 0;  ///< that is listed
  std::vector<std::map<std::pair<std::size_t, std::size_t>, int>>
      tags_;                                  ///< by step: of two ranks the next one
  std::map<std::size_t, Received> received_;  ///< by transfer
  RankLists begin_, middle_, end_;  ///< of a step: what callers' blocks are sent, all else, what they get
};

/// What each rank does in a run of one step, and in the first, a middle and the last of several.
struct StepTables {
  RankLists only, first, middle, last;
};

StepTables step_tables(RankTables& tables, bool has_steps) {
  StepTables result;
  result.only = tables.lists(1).front();
  if (!has_steps) return result;
  // The first step reads the caller's arrays, all others what a step before has left.
  std::vector<RankLists> many = tables.lists(5);
  if (many[1] != many[2] || many[2] != many[3])
    throw_unsupported("what ranks do is another in each step of this program", {}, "export it without steps");
  result.first = std::move(many[0]);
  result.middle = std::move(many[1]);
  result.last = std::move(many[4]);
  return result;
}

}  // namespace

std::string CText::ranks_declarations() const {
  std::string parts;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (is_spread(i))
      parts += fmt::format("void $n_part_{}(int rank, size_t *first, size_t *rows);\n", arguments_[i].name);
  }
  const std::string steps = exported_.ranks->has_steps
                                ? fmt::format(
                                      "/* Runs so many times, each time but the first on its own result, "
                                      "which stays where it is. `steps` is the same at "
                                      "all ranks, and at least 1. */\nint $n_run_steps({});\n\n",
                                      ranks_parameters())
                                : "";
  return steps +
         "/* The rows that a rank gives or gets of an array: from *first on, so many. Rows are what its "
         "outermost dimension counts. */\n" +
         parts;
}

/// Whether ranks have rows of this argument; of a number all have all.
bool CText::is_spread(std::size_t argument) const {
  const std::size_t inputs = exported_.inputs.size();
  const ExportedArray& array =
      argument < inputs ? exported_.inputs[argument] : exported_.outputs[argument - inputs];
  return !array.shape.empty();
}

std::string CText::ranks_parameters() const {
  std::string text = parameters(false);
  const std::string handle = "$n_handle *handle";
  return handle + ", long long steps" + text.substr(handle.size());
}

std::string CText::ranks_tables() const {
  const ExportedRanks& ranks = *exported_.ranks;
  const LaunchPlan& launch = ranks.plan.launch;
  std::vector<std::string> bytes, kernels, loops;
  for (const LaunchPlan::Array& each : launch.arrays)
    bytes.push_back(std::to_string(std::max<std::size_t>(each.bytes(), 1)));
  for (const LaunchPlan::Kernel& each : launch.kernels) kernels.push_back("launch_" + each.name);
  for (const LaunchPlan::Task& step : steps_of(ranks.tasks.plan)) {
    if (is_loop(step)) loops.push_back(fmt::format("loop_{}", loops.size()));
  }
  std::string text = table("size_t ", "memory_bytes", bytes, "1");
  text += fmt::format("static int (*const kernels[])(streams *, const node *, const size_t *) = {{{}}};\n",
                      kernels.empty() ? "NULL" : list_of(kernels));
  text += fmt::format("static int (*const loops[])(streams *, const node *) = {{{}}};\n\n",
                      loops.empty() ? "NULL" : list_of(loops));
  text += "/* Behind a step results become inputs. */\nstatic void exchange(streams *s) {\n";
  for (const execute::PlacedPlan::Fed& each : ranks.plan.fed)
    text += fmt::format(
        "  {{\n    const device_memory result = s->place[{0}];\n    s->place[{0}] = s->place[{1}];\n    "
        "s->place[{1}] = "
        "result;\n  }}\n",
        each.output_array, each.input_array);
  if (ranks.plan.fed.empty()) text += "  (void)s;\n";
  text += "}\n\n";

  RankTables tables(exported_);
  const StepTables steps = step_tables(tables, ranks.has_steps);
  const std::pair<const char*, const RankLists*> kinds[] = {
      {"only", &steps.only}, {"first", &steps.first}, {"middle", &steps.middle}, {"last", &steps.last}};
  text += table("long long ", "numbers", tables.numbers, "0");
  std::string plans;
  for (std::size_t rank = 0; rank < ranks.plan.places; ++rank) {
    text += fmt::format("\n/* ---- Rank {} */\n", rank);
    plans += "    {";
    for (const auto& [name, lists] : kinds) {
      if (lists->empty() || (*lists)[rank].empty()) {
        plans += fmt::format(".{} = {{NULL, 0}}, ", name);
        continue;
      }
      text += fmt::format("static const node rank{}_{}[] = {{\n", rank, name);
      for (const std::string& each : (*lists)[rank]) text += "    {" + each + "},\n";
      text += "};\n";
      plans += fmt::format(".{0} = {{rank{1}_{0}, {2}}}, ", name, rank, (*lists)[rank].size());
    }
    plans += fmt::format(".numbers = numbers, .faults = {}}},\n",
                         launch.faults ? std::to_string(*launch.faults) : "-1");
  }
  text +=
      "\nstatic const plan plans[RANKS] = {\n" + plans + "};\n\n/* The first row of each rank's block. */\n";
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (!is_spread(i)) continue;
    const std::size_t inputs = exported_.inputs.size();
    const ExportedArray& array = i < inputs ? exported_.inputs[i] : exported_.outputs[i - inputs];
    std::vector<std::string> starts;
    for (const std::int64_t each : row_starts(array, ranks.plan.places))
      starts.push_back(std::to_string(each));
    text += table("size_t ", "rows_" + arguments_[i].name, starts, "0");
  }
  return text + "\n";
}

std::string CText::ranks_functions() const {
  std::string text, missing, scalars, names;
  std::vector<std::string> inputs, outputs;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const CArgument& each = arguments_[i];
    names += ", " + each.name;
    (each.is_output ? outputs : inputs).push_back(each.is_array ? each.name : "NULL");
    if (!each.is_array) {
      scalars += fmt::format("  handle->{0} = {0};\n", each.name);
    } else if (is_spread(i)) {
      text += fmt::format(
          "void $n_part_{0}(int rank, size_t *first, size_t *rows) {{\n  *first = rows_{0}[rank];\n"
          "  *rows = rows_{0}[rank + 1] - rows_{0}[rank];\n}}\n\n",
          each.name);
      if (plan_.arrays[each.array].bytes() > 0)
        missing += fmt::format(" || (!{0} && rows_{0}[rank] < rows_{0}[rank + 1])", each.name);
    } else {
      missing += " || !" + each.name;
    }
  }
  if (inputs.empty()) inputs.push_back("NULL");
  text += fmt::format(R"(int $n_create($n_handle **handle, MPI_Comm communicator) {{
  $n_handle *h;
  MPI_Comm copy;
  int is_running = 0, count = 0, status, all;
  if (!handle) return $N_INVALID_ARGUMENT;
  *handle = NULL;
  if (MPI_Initialized(&is_running) != MPI_SUCCESS || !is_running) return $N_MESSAGE_FAILED;
  if (MPI_Comm_size(communicator, &count) != MPI_SUCCESS) return $N_MESSAGE_FAILED;
  if (count != RANKS) return $N_OTHER_COUNT;
  if (MPI_Comm_dup(communicator, &copy) != MPI_SUCCESS) return $N_MESSAGE_FAILED;
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  h = ($n_handle *)calloc(1, sizeof *h);
  status = h ? $N_OK : $N_NO_MEMORY;
  if (h) {{
    h->streams.communicator = copy;
    MPI_Comm_rank(copy, &h->streams.rank);
    h->streams.plan = plans + h->streams.rank;
    status = allocate(&h->streams, memory_bytes);
  }}
  if (MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_MAX, copy) != MPI_SUCCESS) all = $N_MESSAGE_FAILED;
  if (all) {{
    if (h) close_device(&h->streams);
    free(h);
    MPI_Comm_free(&copy);
    return all;
  }}
  *handle = h;
  return $N_OK;
}}

void $n_destroy($n_handle *handle) {{
  if (!handle) return;
  close_device(&handle->streams);
  MPI_Comm_free(&handle->streams.communicator);
  free(handle);
}}

)");
  const std::string body = fmt::format(R"({{
  const void *const inputs[] = {{{}}};
  void *const outputs[] = {{{}}};
  int status, rank, fault = 0;
  if (!handle) return $N_INVALID_ARGUMENT;
  rank = handle->streams.rank;
  status = (rank < 0{}) ? $N_INVALID_ARGUMENT : $N_OK;
  handle->streams.inputs = inputs;
  handle->streams.outputs = outputs;
{}  status = run_steps(&handle->streams, {}, status, &fault);
  return status{};
}}

)",
                                       list_of(inputs), list_of(outputs), missing, scalars,
                                       exported_.ranks->has_steps ? "steps" : "1",
                                       plan_.faults ? " ? status : fault_status(fault)" : "");
  if (!exported_.ranks->has_steps) return text + "int $n_run(" + parameters(false) + ") " + body;
  return text + "int $n_run_steps(" + ranks_parameters() + ") " + body + "int $n_run(" + parameters(false) +
         ") { return $n_run_steps(handle, 1" + names + "); }\n\n";
}

std::string CText::ranks_source() const {
  const ExportedRanks& ranks = *exported_.ranks;
  std::string text = expand(
      "/* $n.c: made by `hoist export`; $n.h describes it. */\n#include \"$n.h\"\n\n#include "
      "<stdlib.h>\n#include <string.h>\n\n" +
      stream_kernels(ranks.tasks) + "\n");
  text += fmt::format("enum {{ RANKS = {}, ARRAYS = {}, MOST_ROUNDS = {} }};\n\n", ranks.plan.places,
                      std::max<std::size_t>(ranks.plan.launch.arrays.size(), 1),
                      std::max<std::size_t>(rounds_of(ranks.tasks.plan).size(), 1));
  text += std::string(runtime_text("status")) + std::string(runtime_text("ranks")) + "\n" +
          std::string(runtime_text("host_memory"));
  text += expand("/* ---- What is this program's own */\n\n" + fault_status() + stream_state() +
                 stream_launches(ranks.tasks) + stream_loops(ranks.tasks) + ranks_tables());
  return text + std::string(runtime_text("ranks_run")) + expand(ranks_functions() + error_function());
}

}  // namespace hoist::exporting
