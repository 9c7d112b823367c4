// Before the first pair is measured all are cut and built, by all processors, so that nothing else runs
// beside what is timed. Read `StreamsMeasurer::measure` first; `measure_pair` has the runs of one pair in one
// round.
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
Result<void> measure_pair(execute::StreamedExecutable& executable, Arrays& arrays,
                          const runtime::StoppingRule& rule, MeasuredPair& result) {
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
  if (result.failure) return {};
  if (!timed) return tl::unexpected(timed.error());
  result.stop = timed->stop;
  const auto warm_ups = result.runs.size() - timed->measurement.times.size();
  result.runs.erase(result.runs.begin(), result.runs.begin() + static_cast<std::ptrdiff_t>(warm_ups));
  if (result.round > 1 || !is_single(result.pair)) return {};
  auto with_commands = executable.run(arrays.transfers, {}, execute::CommandTimes::KeptAndCounted);
  if (!with_commands) return tl::unexpected(with_commands.error());
  result.of_commands = std::move(*with_commands);
  return {};
}

/// Runs of so many seconds are measured in one round: what disturbs short ones is over by then.
constexpr double long_run_of_pair = 0.2;

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
                                      const std::function<void(const StreamPair&)>& begun,
                                      const std::function<void(const MeasuredPair&)>& told) {
  Arrays arrays;
  if (auto prepared = prepare(device_, task, arrays); !prepared) return prepared;
  const std::vector<Cut> cuts = cut(task);
  const auto programs = built(cuts);
  if (!programs) return tl::unexpected(programs.error());
  std::vector<bool> is_done(task.pairs.size());
  double fastest = 0;  // 0: none is known
  const std::size_t rounds = std::max<std::size_t>(task.rounds, 1);
  for (std::size_t round = 1; round <= rounds; ++round) {
    for (std::size_t at = 0; at < task.pairs.size(); ++at) {
      if (is_done[at]) continue;
      MeasuredPair result;
      result.pair = task.pairs[at];
      result.round = round;
      begun(result.pair);
      auto executable = prepared(cuts[at], *programs, result.pair, !arrays.pinned.empty());
      if (!executable) {
        result.failure = executable.error();
        told(result);
        is_done[at] = true;
        continue;
      }
      result.executable = &*executable;
      runtime::StoppingRule rule = task.rule;
      rule.hopeless = is_single(result.pair) ? 0 : task.hopeless_factor * fastest;
      // Runs that are long are no faster when something ran before.
      if (fastest > rule.longest) rule.warm_ups = 0;
      turn_.take([] { return false; });
      const auto measured = measure_pair(*executable, arrays, rule, result);
      turn_.give_back();
      if (!measured) result.failure = measured.error();
      if (!result.failure) {
        const double seconds = median_seconds(result.runs);
        fastest = fastest == 0 ? seconds : std::min(fastest, seconds);
        result.is_last = round == rounds || seconds >= long_run_of_pair ||
                         result.stop == AdaptiveMeasurement::Stop::Hopeless;
      }
      told(result);
      is_done[at] = result.is_last;
      if (!measured && measured.error().kind == ErrorKind::Device) return measured;
    }
  }
  return {};
}

Result<execute::StreamedExecutable> StreamsMeasurer::prepared(const Cut& cut, const Programs& programs,
                                                              const StreamPair& pair, bool has_pinned) {
  if (!cut) return tl::unexpected(cut.error());
  const auto& program = programs.at(cut->source);
  if (!program) return tl::unexpected(program.error());
  auto parts = partitioning(pair.partitions);
  if (!parts) return tl::unexpected(parts.error());
  return execute::StreamedExecutable::prepare(device_, *cut, {*program, *parts, has_pinned});
}

}  // namespace hoist::measure
