// Before the first pair is measured all are cut and built, by all processors, so that nothing else runs
// beside what is timed. Read `StreamsMeasurer::measure` first; `PairRuns` are the runs of one pair.
#include "measure/streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>

#include "base/need.hpp"
#include "base/parallel.hpp"
#include "execute/executable.hpp"
#include "execute/guard_zone.hpp"
#include "interpret/compare.hpp"
#include "runtime/devices.hpp"

namespace hoist::measure {

namespace {

using runtime::AdaptiveMeasurement;

/// The arrays of a task in the host's memory, which all pairs share.
struct Arrays {
  execute::Transfers transfers;
  Data result;
  Data expected;  ///< of the whole program at once
  interpret::ErrorBound bound;
  std::vector<std::unique_ptr<runtime::HostMemory>> pinned = {};  ///< gone before the arrays
};

/// As many bytes are one thread's at a time.
constexpr std::size_t stretch = std::size_t{16} << 20;

/// Calls fn(begin, end) for each stretch of so many bytes, in parallel.
template <class Fn>
void for_each_stretch(std::size_t bytes, const Fn& fn) {
  share_out((bytes + stretch - 1) / stretch, usual_threads(), [&](const auto& next) {
    while (const auto number = next()) fn(*number * stretch, std::min(bytes, (*number + 1) * stretch));
  });
}

/// What a run fails to write must not look right because an earlier one left it there.
void poison(Data& result) {
  for (Tensor& tensor : result) {
    for_each_stretch(tensor.bytes.size(), [&](std::size_t begin, std::size_t end) {
      std::memset(tensor.bytes.data() + begin, static_cast<int>(execute::poison_byte), end - begin);
    });
  }
}

bool are_same(const Tensor& one, const Tensor& other) {
  std::atomic<bool> same = one.bytes.size() == other.bytes.size();
  if (!same) return false;
  for_each_stretch(one.bytes.size(), [&](std::size_t begin, std::size_t end) {
    if (same && std::memcmp(one.bytes.data() + begin, other.bytes.data() + begin, end - begin) != 0)
      same = false;
  });
  return same;
}

Result<void> prepare(runtime::Device& device, const StreamsTask& task, Arrays& arrays) {
  auto leaves = driver::empty_leaves(task.program.result());
  if (!leaves) return tl::unexpected(leaves.error());
  arrays.result = std::move(*leaves);
  arrays.bound = interpret::error_bound(task.program, {});
  auto whole = execute::Executable::prepare(device, task.kernels.front());
  if (!whole) return tl::unexpected(whole.error());
  auto expected = whole->run_on(task.inputs);
  if (!expected) return tl::unexpected(expected.error());
  arrays.expected = std::move(*expected);
  for (const Data& data : task.inputs) {
    for (const Tensor& tensor : data) arrays.transfers.inputs.emplace_back(tensor.bytes);
  }
  for (Tensor& tensor : arrays.result) {
    tensor.bytes.resize(static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar));
    arrays.transfers.outputs.emplace_back(tensor.bytes);
  }
  if (!device.stream_facts().needs_pinned) return {};
  std::vector<std::span<std::byte>> all(arrays.transfers.outputs);
  // Pinning changes nothing of what the memory holds.
  for (const auto& each : arrays.transfers.inputs)
    all.emplace_back(const_cast<std::byte*>(each.data()), each.size());
  for (const auto& each : all) {
    if (each.empty()) continue;
    auto pinned = device.pin(each);
    if (!pinned) return tl::unexpected(pinned.error());
    arrays.pinned.push_back(std::move(*pinned));
  }
  return {};
}

/// The error of a result that is not that of the whole program.
std::optional<Error> wrong_result(const Arrays& arrays) {
  // Mostly they are equal to the bit, which is seen faster.
  if (std::equal(arrays.expected.begin(), arrays.expected.end(), arrays.result.begin(), are_same))
    return std::nullopt;
  const auto comparison = interpret::compare(arrays.expected, arrays.result, arrays.bound);
  if (!comparison) return comparison.error();
  if (comparison->agrees()) return std::nullopt;
  return fail(ErrorKind::Bug, "its result is wrong: " + interpret::to_string(*comparison)).value();
}

/// The program of a pair. Kernels that cannot be cut give way to the next ones.
Result<execute::CutProgram> cut_pair(const StreamsTask& task, const StreamPair& pair,
                                     const target::Target& device) {
  Result<execute::CutProgram> cut = fail(ErrorKind::Bug, "there are no kernels");
  for (const driver::Compiled& each : task.kernels) {
    cut = execute::cut_program(each, {pair.partitions, pair.tasks}, device);
    if (cut) break;
  }
  return cut;
}

double median_seconds(std::vector<execute::StreamTimes> runs) {
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), middle, runs.end(),
                   [](const auto& one, const auto& other) { return one.wall < other.wall; });
  return middle->wall;
}

bool is_single(const StreamPair& pair) { return pair.partitions == 1 && pair.tasks == 1; }

/// Runs a pair as the rule says and holds its first result against what is expected.
Result<MeasuredPair> measured(const StreamPair& pair, execute::StreamedExecutable& executable, Arrays& arrays,
                              const runtime::StoppingRule& rule) {
  MeasuredPair result{pair, std::nullopt, &executable};
  poison(arrays.result);
  bool is_first = true;
  const auto run = [&]() -> Result<double> {
    auto times = executable.run(arrays.transfers, {}, execute::CommandTimes::NotKept);
    if (!times) return tl::unexpected(times.error());
    const double seconds = times->wall;
    result.runs.push_back(std::move(*times));
    if (is_first) {
      is_first = false;
      result.failure = wrong_result(arrays);
      if (result.failure) return tl::unexpected(*result.failure);
    }
    return seconds;
  };
  const auto timed = runtime::measure_until(run, rule);
  if (result.failure) return result;
  if (!timed) return tl::unexpected(timed.error());
  result.stop = timed->stop;
  const auto warm_ups = result.runs.size() - timed->measurement.times.size();
  result.runs.erase(result.runs.begin(), result.runs.begin() + static_cast<std::ptrdiff_t>(warm_ups));
  if (!is_single(pair)) return result;
  auto with_commands = executable.run(arrays.transfers);
  if (!with_commands) return tl::unexpected(with_commands.error());
  result.of_commands = std::move(*with_commands);
  return result;
}

}  // namespace

StreamsMeasurer::StreamsMeasurer(runtime::Device& device) : device_(device), turn_(device.info().id) {}

std::vector<StreamsMeasurer::Cut> StreamsMeasurer::cut(const StreamsTask& task) const {
  std::vector<Cut> cuts(task.pairs.size(), fail(ErrorKind::Bug, "it is not cut"));
  const ir::LentArena lent = ir::LentArena::of_this_thread();
  share_out(task.pairs.size(), usual_threads(), [&](const auto& next) {
    while (const auto number = next()) {
      const ir::Arena of_this_pair(lent);
      cuts[*number] = cut_pair(task, task.pairs[*number], device_.info());
    }
  });
  return cuts;
}

Result<StreamsMeasurer::Programs> StreamsMeasurer::built(const std::vector<Cut>& cuts) {
  std::set<std::string> different;
  for (const Cut& cut : cuts) {
    if (cut) different.insert(cut->source);
  }
  const std::vector<std::string> sources(different.begin(), different.end());
  std::vector<Result<runtime::Built>> images(sources.size(), runtime::Built{});
  const std::size_t threads = std::min(sources.size(), usual_threads());
  while (builders_.size() < threads) {
    auto builder = runtime::open_builder(device_.info());
    if (!builder) return tl::unexpected(builder.error());
    builders_.push_back(std::move(*builder));
  }
  // What is compiled at the first launch is compiled by the first run.
  if (!sources.empty() && !builders_.front()->compiles_at_launch()) {
    std::atomic<std::size_t> taken = 0;
    share_out(sources.size(), threads, [&](const auto& next) {
      runtime::Builder& builder = *builders_[taken++];
      while (const auto number = next()) images[*number] = builder.build(sources[*number]);
    });
  }
  Programs programs;
  for (std::size_t at = 0; at < sources.size(); ++at) {
    Result<std::shared_ptr<runtime::Program>> program = nullptr;
    if (images[at]) {
      auto loaded = execute::load_or_build(device_, sources[at], images[at]->binary);
      if (loaded) {
        program = std::move(*loaded);
      } else {
        program = tl::unexpected(loaded.error());
      }
    } else {
      program = tl::unexpected(images[at].error());
    }
    programs.emplace(sources[at], std::move(program));
  }
  return programs;
}

Result<std::shared_ptr<runtime::Partitioning>> StreamsMeasurer::partitioning(std::int64_t partitions) {
  auto& known = partitionings_[partitions];
  if (!known) {
    auto made = device_.partitions(static_cast<std::size_t>(partitions));
    if (!made) return tl::unexpected(made.error());
    known = std::make_shared<runtime::Partitioning>(std::move(*made));
  }
  return known;
}

Result<void> StreamsMeasurer::measure(const StreamsTask& task,
                                      const std::function<void(const MeasuredPair&)>& told) {
  Arrays arrays;
  if (auto prepared = prepare(device_, task, arrays); !prepared) return prepared;
  std::vector<Cut> cuts = cut(task);
  const auto programs = built(cuts);
  if (!programs) return tl::unexpected(programs.error());
  double fastest = 0;  // 0: none is known
  for (std::size_t at = 0; at < cuts.size(); ++at) {
    const StreamPair& pair = task.pairs[at];
    const auto failed = [&](const Error& error) { told({pair, error}); };
    if (!cuts[at]) {
      failed(cuts[at].error());
      continue;
    }
    const auto& program = programs->at(cuts[at]->source);
    auto parts = program ? partitioning(pair.partitions) : nullptr;
    if (!program || !parts) {
      failed(program ? parts.error() : program.error());
      continue;
    }
    auto executable = execute::StreamedExecutable::prepare(device_, std::move(*cuts[at]),
                                                           {*program, *parts, !arrays.pinned.empty()});
    if (!executable) {
      failed(executable.error());
      continue;
    }
    runtime::StoppingRule rule = task.rule;
    rule.hopeless = is_single(pair) ? 0 : task.hopeless_factor * fastest;
    // Runs that are long are no faster when something ran before.
    if (fastest > rule.longest) rule.warm_ups = 0;
    turn_.take([] { return false; });
    auto result = measured(pair, *executable, arrays, rule);
    turn_.give_back();
    if (!result) {
      failed(result.error());
      if (result.error().kind == ErrorKind::Device) return tl::unexpected(result.error());
      continue;
    }
    if (!result->failure) {
      const double seconds = median_seconds(result->runs);
      fastest = fastest == 0 ? seconds : std::min(fastest, seconds);
    }
    told(*result);
  }
  return {};
}

}  // namespace hoist::measure
