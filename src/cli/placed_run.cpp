// A run on several devices of this process, or of several ranks, each with a device (docs/devices.md).
//
// Read `PlacedRun::run`. What each rank does by itself (reading, compiling, writing) is done `together`:
// where it fails anywhere all ranks end, and one tells why. Between ranks go the texts of what they are to
// run, as hashes, so that ranks which were started with different programs or options say so; halos and the
// like, in execute::PlacedExecutable; and at the end what each holds of the result, which rank 0 gathers if
// it has to show or verify it. Files are written by all ranks, each its part, and get their names when all
// have.
#include "cli/placed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "cli/arguments.hpp"
#include "cli/data_text.hpp"
#include "cli/grid_option.hpp"
#include "cli/isa_option.hpp"
#include "cli/output_file.hpp"
#include "cli/streams.hpp"
#include "cli/verified.hpp"
#include "execute/placed_executable.hpp"
#include "execute/tracked_array.hpp"
#include "ir/print.hpp"
#include "loop/print.hpp"
#include "runtime/devices.hpp"
#include "runtime/limits.hpp"
#include "runtime/measure.hpp"
#include "tuner/tuner.hpp"

namespace hoist::cli {
namespace {

constexpr const char* measured = "measured";

/// The weights that --shares lists; none where speeds are to be measured.
std::vector<double> parsed_shares(const std::string& text, std::size_t count) {
  if (text == measured) return {};
  std::vector<double> shares;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    char* stop = nullptr;
    const double share = std::strtod(word.c_str(), &stop);
    if (word.empty() || *stop != '\0' || !(share > 0) || share > 1e9)
      throw_user(fmt::format("'{}' is no list of shares", text), {},
                 "give a number above 0 for each device or rank: --shares 2,1,1; or --shares measured");
    shares.push_back(share);
    begin = end + 1;
  }
  if (shares.size() != count)
    throw_user(fmt::format("--shares has {} number{} for {} devices or ranks", shares.size(),
                           shares.size() == 1 ? "" : "s", count));
  return shares;
}

std::uint64_t hash_of_text(const std::string& text) {
  return execute::hash_of(std::as_bytes(std::span(text)));
}

/// What ranks must have alike.
struct Alike {
  std::uint64_t program = 0, options = 0, inputs = 0, numbers = 0, language = 0, plan = 0;
};

/// Of what an input holds so much is compared, in so many places: a rank reads no more than its part.
constexpr std::size_t sampled_places = 16, sampled_bytes = 4096;

/// What is told of a place.
struct PlaceFacts {
  char device[32] = {};  ///< its id
  double kernels = 0;
  std::uint64_t uploaded = 0, received = 0;
};

/// A part of the result that this process has.
struct Part {
  std::size_t output;
  runtime::Rows rows;
  execute::RowsAt<std::byte> at;

  std::span<std::byte> row(std::size_t number) const { return {at.first + number * at.pitch, rows.bytes}; }
};

class PlacedRun {
 public:
  PlacedRun(Session& session, const RunOptions& options, Job& job)
      : session_(session), options_(options), job_(job) {}

  Status run() {
    job_.together([&] {
      read();
      sample_ = sample_of_inputs();
      open_devices();
      grid_ = parsed_grid(options_.grid, places());
      compile();
    });
    job_.together([&] { check_alike(); });
    choose_weights();
    job_.together([&] { prepare(steps_, weights_); });
    const std::size_t runs = warm_ups() + options_.repetitions;
    for (std::size_t run = 0; run < runs; ++run) {
      const Seconds seconds = run_once(run + 1 == runs && !options_.streams.trace.empty());
      if (run >= warm_ups()) seconds_.push_back(seconds);
    }
    if (!options_.streams.trace.empty()) trace();
    if (is_shown_) gather();
    if (!paths_.empty()) write();
    return tell();
  }

 private:
  std::size_t places() const { return job_.has_others() ? job_.size() : devices_of_places_.size(); }
  std::size_t warm_ups() const { return options_.warm_ups.value_or(options_.repetitions > 1 ? 1 : 0); }

  // ---- What each rank does by itself

  void read() {
    if (options_.streams.is_given() || !options_.streams.memory.empty())
      throw_user("--streams and --memory are for one device");
    program_ = read_program(session_, options_.program);
    leaves_ = driver::named_leaves(program_->result());
    if (!options_.output.empty()) {
      paths_ = need(output_paths(options_.output, leaves_.size()));
      if (job_.rank() == 0) need(check_writable(paths_));
    }
    steps_ = read_steps(*program_, options_.steps, options_.feed);
    is_shown_ = options_.verify || paths_.empty() || !std::all_of(paths_.begin(), paths_.end(), takes_parts);
    // Who verifies needs all of the inputs.
    const bool is_whole = !job_.has_others() || (options_.verify && job_.rank() == 0);
    arguments_ = read_arguments(*program_, options_.program.values, options_.random_seed,
                                is_whole ? FileReading::AtOnce : FileReading::InParts);
    sized_ = need(driver::with_sizes(*program_, arguments_.sizes));
    session_.program = sized_;
    for (Data& data : arguments_.inputs) {
      for (Tensor& tensor : data) inputs_.push_back(&tensor);
    }
    result_ = need(driver::empty_leaves(sized_->result()));
  }

  std::uint64_t sample_of_inputs() const {
    std::vector<std::byte> sample, read(sampled_bytes);
    for (std::size_t leaf = 0; leaf < inputs_.size() && job_.has_others(); ++leaf) {
      const Tensor& tensor = *inputs_[leaf];
      const std::size_t all = static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar);
      read.resize(std::min(all, sampled_bytes));
      for (std::size_t place = 0; place < sampled_places; ++place) {
        const std::size_t offset = (all - read.size()) * place / (sampled_places - 1);
        if (const auto& file = arguments_.files[leaf]) {
          need(file->read_range(offset, read));
        } else {
          std::copy_n(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(offset), read.size(), read.begin());
        }
        sample.insert(sample.end(), read.begin(), read.end());
      }
    }
    return execute::hash_of(sample);
  }

  /// Of several ranks each takes one of the devices that are named, or of those that are like the default
  /// one: the ranks of a machine in turn.
  std::vector<std::string> ids() const {
    std::vector<std::string> all = options_.devices;
    if (all.empty()) {
      const std::string id = runtime::default_device();
      const std::vector<target::Target> devices = runtime::list_devices();
      const auto first = std::find_if(devices.begin(), devices.end(),
                                      [&](const target::Target& each) { return each.id == id; });
      for (const target::Target& each : devices) {
        if (first != devices.end() && each.language == first->language && each.type == first->type)
          all.push_back(each.id);
      }
      if (all.empty()) all = {id};
    }
    if (job_.has_others()) return {all[job_.rank_of_node() % all.size()]};
    return all;
  }

  void open_devices() {
    const std::vector<std::string> names = ids();
    choose_isa(options_.isa, names);
    for (const std::string& name : names) {
      const auto known = std::find(names_.begin(), names_.end(), name);
      devices_of_places_.push_back(static_cast<std::size_t>(known - names_.begin()));
      if (known != names_.end()) continue;
      names_.push_back(name);
      devices_.push_back(need(runtime::open_device(name)));
    }
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      const auto times = std::count(devices_of_places_.begin(), devices_of_places_.end(), device);
      partitionings_.push_back(need(devices_[device]->partitions(static_cast<std::size_t>(times))));
      if (!partitionings_.back().note.empty()) note("note: " + partitionings_.back().note);
      const target::Target &one = devices_.front()->info(), &other = devices_[device]->info();
      if (one.language != other.language)
        throw_user(fmt::format("{} and {} run kernels in different languages", one.id, other.id),
                   "several devices run the parts of one program, which is mapped for one language",
                   "name devices of one language");
    }
  }

  void compile() {
    const target::Target& info = devices_.front()->info();
    const lower::Options lowering =
        driver::options_for(info, lowering_options(options_.lowering, *program_, arguments_.sizes));
    KernelOptions kernels = options_.kernel;
    kernels.untuned |= !options_.lowering.local_size.empty() || !options_.lowering.global_size.empty();
    chosen_ = run_kernel(*program_, *sized_, arguments_.sizes, info, lowering, kernels);
    check_launches(chosen_->compiled.plan, options_.lowering);
    const std::vector<double> even(places(), 1.0);
    const execute::PlaceOptions options{even, steps_.count, steps_.fed, grid_};
    auto placed = execute::placed_plan(chosen_->compiled.plan, options);
    if (!placed && chosen_->name != tuner::baseline_name) {
      const std::string text =
          fmt::format("note: {} does not run in parts: {}; the default mapping runs in its place",
                      chosen_->name, placed.error().diagnostics.front().message);
      chosen_ = default_kernel(*sized_, lowering);
      placed = execute::placed_plan(chosen_->compiled.plan, options);
      if (placed) note(text);
    }
    need(std::move(placed));
    for (const std::string& each : chosen_->compiled.notes) note("note: " + each);
  }

  // ---- What ranks agree on

  void check_alike() {
    Alike mine;
    mine.program = hash_of_text(ir::to_string(*sized_));
    mine.options =
        hash_of_text(fmt::format("{} {} {} {} {} {} {} {} {} {}", steps_.count, steps_.fed,
                                 options_.repetitions, warm_ups(), options_.verify, paths_.size(), is_shown_,
                                 options_.shares, options_.grid, options_.streams.trace.empty()));
    // Files may be called otherwise on another machine.
    std::vector<std::string> values;
    for (const std::string& each : options_.program.values) {
      if (!each.ends_with(".npy")) values.push_back(each);
    }
    std::sort(values.begin(), values.end());
    mine.inputs = hash_of_text(fmt::format("{} {}", options_.random_seed.value_or(0), joined(values)));
    mine.numbers = sample_;
    mine.language = static_cast<std::uint64_t>(devices_.front()->info().language);
    mine.plan = hash_of_text(loop::to_string(chosen_->compiled.plan));
    const Alike first = job_.gathered(mine).front();
    const auto need_same = [&](std::uint64_t Alike::*what, const char* text, const char* help) {
      if (mine.*what != first.*what) throw_user(fmt::format("{} than rank 0", text), {}, help);
    };
    need_same(&Alike::program, "it runs another program, or other sizes,", "start all ranks alike");
    need_same(&Alike::options, "it has other options", "start all ranks alike");
    need_same(&Alike::inputs, "it has other inputs", "give all ranks the same numbers and seeds");
    need_same(&Alike::numbers, "its inputs hold other numbers", "give all ranks the same files");
    need_same(&Alike::language, "its device has kernels in another language", "name devices of one language");
    need_same(&Alike::plan, "it has another kernel", "give --untuned, and devices of one kind");
  }

  /// Those that are asked for; else even ones, unless devices differ.
  void choose_weights() {
    weights_.assign(places(), 1.0);
    if (!options_.shares.empty()) {
      std::vector<double> given;
      job_.together([&] { given = parsed_shares(options_.shares, places()); });
      if (!given.empty()) weights_ = given;
    }
    std::vector<std::uint64_t> kinds = job_.gathered(hash_of_text(devices_.front()->info().name));
    for (const auto& device : devices_) kinds.push_back(hash_of_text(device->info().name));
    const bool are_different =
        std::any_of(kinds.begin(), kinds.end(), [&](std::uint64_t each) { return each != kinds.front(); });
    if (options_.shares == measured || (options_.shares.empty() && are_different)) measure_weights();
  }

  /// Each place's speed in its part, which are even. The first run is slower: threads start.
  void measure_weights() {
    job_.together([&] { prepare({1, 0}, weights_); });
    for (int run = 0; run < 2; ++run) run_once();
    std::vector<double> times;
    if (job_.has_others()) {
      times = job_.gathered(times_.kernels.front());
    } else {
      times = times_.kernels;
    }
    for (std::size_t place = 0; place < times.size(); ++place) {
      if (times[place] > 0) weights_[place] = 1 / times[place];
    }
  }

  // ---- Runs

  void prepare(const driver::Steps& steps, const std::vector<double>& weights) {
    execute::LocalPlaces local;
    std::vector<std::size_t> next(devices_.size());
    for (const std::size_t device : devices_of_places_)
      local.places.push_back(
          {devices_[device].get(), partitionings_[device].partitions.at(next[device]++).get()});
    local.first = job_.rank();
    local.communicator = job_.communicator();
    executable_.reset();
    executable_ = need(execute::PlacedExecutable::prepare(
        chosen_->compiled, {weights, steps.count, steps.fed, grid_}, std::move(local)));
    build_seconds_ += executable_->build_seconds();
  }

  Result<execute::RowsAt<const std::byte>> input(std::size_t leaf, const runtime::Rows& rows) {
    using At = execute::RowsAt<const std::byte>;
    auto& file = arguments_.files[leaf];
    if (!file) return At{inputs_[leaf]->bytes.data() + rows.offset, rows.pitch};
    auto& memory = read_[{leaf, rows.offset, rows.bytes, rows.count}];
    const bool is_read = memory.size() == rows.total();
    memory.resize(rows.total());
    for (std::size_t row = 0; row < rows.count && !is_read; ++row) {
      const auto bytes = std::span(memory).subspan(row * rows.bytes, rows.bytes);
      if (auto done = file->read_range(rows.offset + row * rows.pitch, bytes); !done)
        return tl::unexpected(done.error());
    }
    return At{memory.data(), rows.bytes};
  }

  bool has_whole_result() const { return !job_.has_others() || (is_shown_ && job_.rank() == 0); }

  execute::RowsAt<std::byte> output(std::size_t leaf, const runtime::Rows& rows) {
    if (has_whole_result()) {
      parts_.push_back({leaf, rows, {result_[leaf].bytes.data() + rows.offset, rows.pitch}});
    } else {
      // All runs have the same parts. Rows lie behind each other.
      if (memory_of_parts_.size() == parts_.size()) memory_of_parts_.emplace_back();
      std::vector<std::byte>& memory = memory_of_parts_[parts_.size()];
      memory.resize(rows.total());
      parts_.push_back({leaf, rows, {memory.data(), rows.bytes}});
    }
    return parts_.back().at;
  }

  /// Of all ranks together: from the first command to the end of the last, and in between from the end of the
  /// last upload of an input to the end of the last kernel.
  struct Seconds {
    double all = 0, computing = 0;
  };

  /// A rank that fails ends all: the others may wait for its messages.
  Seconds run_once(bool is_traced = false) {
    parts_.clear();
    if (has_whole_result()) {
      // Each element is downloaded.
      for (Tensor& tensor : result_)
        tensor.bytes.resize(static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar));
    }
    // What a kernel fails to write must not look right because an earlier run left it there.
    if (options_.verify) need(executable_->poison());
    job_.together([] {});  // all begin at once
    times_ = need(executable_->run(
        [&](std::size_t leaf, const runtime::Rows& rows) { return input(leaf, rows); },
        [&](std::size_t leaf, const runtime::Rows& rows) { return output(leaf, rows); }, is_traced));
    const auto latest = [&](double mine) {
      const std::vector<double> all = job_.gathered(mine);
      return *std::max_element(all.begin(), all.end());
    };
    return {latest(times_.wall), latest(times_.computed) - latest(times_.uploaded)};
  }

  // ---- Results

  /// Brings what the ranks have to the first one.
  void gather() {
    if (!job_.has_others()) return;
    ranks::Communicator& others = *job_.communicator();
    struct Range {
      std::uint64_t output, offset, bytes, count, pitch;
    };
    const std::vector<std::uint64_t> counts = job_.gathered<std::uint64_t>(parts_.size());
    std::vector<Range> mine;
    for (const Part& each : parts_)
      mine.push_back({each.output, each.rows.offset, each.rows.bytes, each.rows.count, each.rows.pitch});
    if (job_.rank() != 0) {
      if (mine.empty()) return;
      ended(others.send(std::as_bytes(std::span(mine)), 0, 0));
      for (const Part& each : parts_) ended(others.send({each.at.first, each.rows.total()}, 0, 1));
      return;
    }
    std::vector<std::byte> memory;
    for (std::size_t rank = 1; rank < job_.size(); ++rank) {
      std::vector<Range> theirs(counts[rank]);
      if (theirs.empty()) continue;
      ended(others.receive(std::as_writable_bytes(std::span(theirs)), rank, 0));
      for (const Range& each : theirs) {
        memory.resize(each.bytes * each.count);
        ended(others.receive(memory, rank, 1));
        for (std::size_t row = 0; row < each.count; ++row)
          std::ranges::copy(std::span(memory).subspan(row * each.bytes, each.bytes),
                            result_[each.output].bytes.begin() +
                                static_cast<std::ptrdiff_t>(each.offset + row * each.pitch));
      }
    }
  }

  /// Writes what all places did in the last run. Ranks have begun it together, so their times are those of
  /// one clock, as far as that goes.
  void trace() {
    struct Record {
      std::uint64_t kind, place, queue, step, bytes;
      double start, end;
      char name[64];
    };
    std::vector<Record> records;
    for (const TraceRecord& each : times_.records) {
      Record record{static_cast<std::uint64_t>(each.kind),
                    each.partition,
                    each.queue,
                    *each.step,
                    each.bytes,
                    each.start,
                    each.end,
                    {}};
      each.name.copy(record.name, sizeof record.name - 1);
      records.push_back(record);
    }
    const std::vector<std::uint64_t> counts = job_.gathered<std::uint64_t>(records.size());
    for (std::size_t rank = 1; rank < job_.size(); ++rank) {
      if (job_.rank() == rank) ended(job_.communicator()->send(std::as_bytes(std::span(records)), 0, rank));
      if (job_.rank() != 0) continue;
      const std::size_t before = records.size();
      records.resize(before + counts[rank]);
      const auto theirs = std::as_writable_bytes(std::span(records).subspan(before));
      ended(job_.communicator()->receive(theirs, rank, rank));
    }
    job_.together([&] {
      if (job_.rank() != 0) return;
      const std::string sizes = named_values_text(arguments_.sizes);
      Trace trace{sized_->name + (sizes.empty() ? "" : ", " + sizes),
                  {{"device", joined(names_)}, {"ranks", std::to_string(job_.size())}},
                  {}};
      for (const Record& each : records)
        trace.records.push_back({static_cast<TraceRecord::Kind>(each.kind), each.name, each.place, each.queue,
                                 std::nullopt, each.step, each.start, each.end, each.bytes});
      write_trace(options_.streams.trace, trace);
    });
  }

  void ended(Result<ranks::Communicator::Message> message) {
    auto sent = need(std::move(message));
    need(job_.communicator()->wait(sent));
  }

  void write() {
    if (!job_.has_others() || is_shown_) {
      job_.together([&] {
        if (job_.rank() == 0) need(write_arrays(paths_, result_));
      });
    } else {
      write_parts();
    }
    note("wrote " + joined(paths_));
  }

  /// Each rank writes its parts to files that the first one has made.
  void write_parts() {
    using Name = std::array<char, PATH_MAX>;
    std::vector<OutputFile> files;
    std::vector<Name> names(paths_.size());
    std::vector<std::string> headers;
    for (const Tensor& tensor : result_) headers.push_back(npy_header(tensor));
    const auto bytes_of = [&](std::size_t leaf) {
      return static_cast<std::size_t>(result_[leaf].elements()) * size_of(result_[leaf].scalar);
    };
    job_.together([&] {
      if (job_.rank() != 0) return;
      for (std::size_t leaf = 0; leaf < paths_.size(); ++leaf) {
        files.push_back(need(OutputFile::create(paths_[leaf])));
        need(files.back().reserve(headers[leaf].size() + bytes_of(leaf)));
        need(files.back().write_at(0, std::as_bytes(std::span(headers[leaf]))));
        files.back().temporary().copy(names[leaf].data(), PATH_MAX - 1);
      }
    });
    for (Name& name : names) name = job_.gathered(name).front();
    job_.together([&] {
      if (job_.rank() != 0) {
        for (std::size_t leaf = 0; leaf < paths_.size(); ++leaf)
          files.push_back(need(OutputFile::join(paths_[leaf], names[leaf].data())));
      }
      for (const Part& each : parts_) {
        for (std::size_t row = 0; row < each.rows.count; ++row)
          need(files[each.output].write_at(
              headers[each.output].size() + each.rows.offset + row * each.rows.pitch, each.row(row)));
      }
      if (job_.rank() != 0) {
        for (OutputFile& file : files) need(file.commit());
      }
    });
    job_.together([&] {
      if (job_.rank() != 0) return;
      for (OutputFile& file : files) need(file.commit());
    });
  }

  // ---- What is told

  std::vector<PlaceFacts> place_facts() {
    std::vector<PlaceFacts> facts;
    for (std::size_t place = 0; place < devices_of_places_.size(); ++place) {
      PlaceFacts each;
      names_[devices_of_places_[place]].copy(each.device, sizeof each.device - 1);
      each.kernels = times_.kernels[place];
      facts.push_back(each);
    }
    facts.front().uploaded = times_.uploaded_bytes;
    facts.front().received = times_.received_bytes;
    return job_.has_others() ? job_.gathered(facts.front()) : facts;
  }

  Status tell() {
    const std::vector<PlaceFacts> places = place_facts();
    if (job_.rank() != 0) return job_status(done);
    driver::Work work = need(driver::work_of(*sized_));
    work.bytes *= static_cast<double>(steps_.count);
    work.flops *= static_cast<double>(steps_.count);
    for (const std::string& each : executable_->plan().notes) note("note: " + each);
    Json facts = facts_json(places);
    if (!options_.json) print(text(places));
    if (!options_.json && paths_.empty()) print(result_text(leaves_, result_, options_.elements));
    if (options_.json && paths_.empty()) facts["result"] = result_json(leaves_, result_, options_.elements);
    if (options_.json && !paths_.empty()) facts["written"] = paths_;
    Status status = done;
    if (options_.verify) {
      const Verified verified{*program_, arguments_, result_, work, steps_};
      status = tell_verified(session_, verified, options_.json, facts);
    }
    if (options_.json) print_json(facts);
    return job_status(status);
  }

  /// All ranks end with the status of the first.
  Status job_status(Status status) { return static_cast<Status>(job_.gathered<int>(status).front()); }

  double share_of(std::size_t place) const {
    double total = 0;
    for (const double each : weights_) total += each;
    return weights_[place] / total;
  }

  Json facts_json(const std::vector<PlaceFacts>& places) const {
    Json facts = {{"program", program_->name}};
    for (const auto& [name, value] : arguments_.sizes) facts["sizes"][name] = value;
    facts["kernel"] = chosen_->name;
    facts["notes"] = executable_->plan().notes;
    facts["handed_on"] = executable_->plan().handed_on;
    facts["build_seconds"] = build_seconds_;
    facts["steps"] = steps_.count;
    facts["repetitions"] = options_.repetitions;
    facts["warm_ups"] = warm_ups();
    facts["ranks"] = job_.size();
    facts["tasks"] = executable_->plan().tasks;
    if (grid_) facts["grid"] = {grid_->rows, grid_->columns};
    facts["wall_seconds"] = seconds_of(&Seconds::all);
    facts["computing_seconds"] = seconds_of(&Seconds::computing);
    facts["places"] = Json::array();
    std::uint64_t uploaded = 0, received = 0;
    for (std::size_t place = 0; place < places.size(); ++place) {
      facts["places"].push_back({{"device", places[place].device},
                                 {"share", share_of(place)},
                                 {"kernel_seconds", places[place].kernels}});
      uploaded += places[place].uploaded;
      received += places[place].received;
    }
    facts["upload_bytes"] = uploaded;
    facts["moved_bytes"] = received;
    return facts;
  }

  std::string text(const std::vector<PlaceFacts>& places) const {
    using enum Table::Align;
    const std::string sizes = named_values_text(arguments_.sizes);
    const char* what = job_.has_others() ? "ranks" : "devices";
    std::string result =
        fmt::format("{} on {} {}{}{}; built in {}, {} run{}\n", program_->name, places.size(), what,
                    grid_text(grid_), sizes.empty() ? "" : " (" + sizes + ")", time_text(build_seconds_),
                    options_.repetitions, options_.repetitions == 1 ? "" : "s");
    Table table({{job_.has_others() ? "rank" : "part", Right},
                 {"device", Left},
                 {"share", Right},
                 {"kernels", Right}});
    std::uint64_t received = 0;
    for (std::size_t place = 0; place < places.size(); ++place) {
      received += places[place].received;
      table.add_row({std::to_string(place), places[place].device,
                     fmt::format("{:.1f} %", 100 * share_of(place)), time_text(places[place].kernels)});
    }
    const auto median = [&](double Seconds::*which) {
      return time_text(runtime::summarize(seconds_of(which)).median);
    };
    result += table.text();
    result += fmt::format("{} step{}, {} moved between {}; between the inputs and the results {}, all {}{}\n",
                          steps_.count, steps_.count == 1 ? "" : "s", runtime::bytes_text(received), what,
                          median(&Seconds::computing), median(&Seconds::all),
                          seconds_.size() == 1 ? "" : " (the median run)");
    return result;
  }

  std::vector<double> seconds_of(double Seconds::*which) const {
    std::vector<double> result;
    for (const Seconds& each : seconds_) result.push_back(each.*which);
    return result;
  }

  Session& session_;
  const RunOptions& options_;
  Job& job_;

  std::optional<ir::Program> program_, sized_;
  std::vector<driver::NamedLeaf> leaves_;  ///< of the result
  std::vector<std::string> paths_;
  driver::Steps steps_{1, 0};
  Arguments arguments_;
  std::vector<Tensor*> inputs_;  ///< by flattened input
  std::uint64_t sample_ = 0;     ///< of what the inputs hold
  bool is_shown_ = false;        ///< whether rank 0 needs all of the result

  std::vector<std::string> names_;                         ///< of devices
  std::vector<std::unique_ptr<runtime::Device>> devices_;  ///< each once
  std::vector<runtime::Partitioning> partitionings_;       ///< by device
  std::vector<std::size_t> devices_of_places_;             ///< by place of this process
  std::optional<RunKernel> chosen_;
  std::optional<execute::PlaceGrid> grid_;
  std::vector<double> weights_;
  /// What was read of files, by input, offset, bytes of a row and rows.
  std::map<std::array<std::size_t, 4>, std::vector<std::byte>> read_;
  Data result_;                                          ///< without elements, unless all are gathered here
  std::vector<Part> parts_;                              ///< of the last run
  std::vector<std::vector<std::byte>> memory_of_parts_;  ///< where there is no whole result
  std::optional<execute::PlacedExecutable> executable_;  // gone before what it uses
  double build_seconds_ = 0;
  execute::PlacedTimes times_;    ///< of the last run
  std::vector<Seconds> seconds_;  ///< of each run
};

}  // namespace

Status run_placed(Session& session, const RunOptions& options, Job& job) {
  return job.run(session, options.json, [&] { return PlacedRun(session, options, job).run(); });
}

}  // namespace hoist::cli
