// What a measuring worker does: it loads a candidate that a building worker built, runs it, checks every
// element of its result, and times it. The process is set up once (`open`): the inputs go to the device, and
// what is expected is kept. Then it is asked about one candidate after the other.
//
// Read `candidate` first, which is the list of the steps:
//
//   prepared         lowers the candidate's text, and loads its binary or builds it
//   run_over_poison  runs it once over poisoned memory, and finds writes behind the end of an array
//   check_result     compares every element, on the device where DeviceCheck can decide
//   time             warms up, then repeats runs until the confidence interval of the median is narrow
//                    (runtime/measure.hpp); a candidate that is several times slower than the best ends early
//
// A candidate that may be the best then runs over poison once more, the inputs must be as they were, and the
// host compares its result. Of one whose runs are long, that is the run that is timed. Where no result is
// expected yet, the output itself is the answer, with the time of the run: so the default mapping becomes the
// reference of programs that are too large for the interpreter. It is asked for twice, the first time to be
// prepared alone, which takes no turn on the device.
//
// A step that fails throws GivenUp with the kind of the outcome; Duty::answer catches it.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/stopwatch.hpp"
#include "driver/verify.hpp"
#include "execute/executable.hpp"
#include "execute/guard_zone.hpp"
#include "execute/launch_plan.hpp"
#include "interpret/compare.hpp"
#include "measure/worker/device_check.hpp"
#include "measure/worker/device_inputs.hpp"
#include "measure/worker/duty.hpp"
#include "runtime/devices.hpp"

namespace hoist::measure {

namespace {

using Clock = std::chrono::steady_clock;

/// Arrays of up to so many bytes are read quickly. Inputs are then looked at after every candidate, larger
/// ones only after candidates that may be the best; results below this are always compared by the host.
constexpr std::size_t quickly_read = std::size_t{4} << 20;
/// Inputs are read back in parts of so many bytes: fresh memory for whole ones takes longer than reading.
constexpr std::size_t most_read_at_once = std::size_t{32} << 20;

class MeasuringDuty : public Duty {
 public:
  using Duty::Duty;

 private:
  Result<void> open(const Json& task) override;
  void candidate(const Json& request, Outcome& outcome, Json& more) override;

  execute::Executable prepared(const Json& request, Outcome& outcome);
  Result<void> make_outputs();
  /// Binds the arrays, which are on the device already, and writes the inputs that are numbers.
  execute::Bound bind(execute::Executable& executable);
  /// Runs once and returns the seconds of its kernels.
  Result<double> run(execute::Executable& executable, const execute::Bound& bound, Outcome& outcome);
  /// Runs over poison, and sees that nothing is written behind the arrays. Returns the seconds of its
  /// kernels.
  double run_over_poison(execute::Executable& executable, const execute::Bound& bound, Outcome& outcome);
  void poison(execute::Executable& executable, const execute::Bound& bound);
  void check_overruns(execute::Executable& executable);
  /// The next call replaces the result, so that large arrays are not allocated anew for each candidate.
  const Data& read_outputs(execute::Executable& executable, Outcome& outcome);
  /// Compares the result with what is expected: on the device where its check decides, unless `is_thorough`;
  /// else on the host.
  void check_result(execute::Executable& executable, Outcome& outcome, bool is_thorough);
  void check_inputs();
  /// Times the candidate. The run over poison, which took `first` seconds, counts as the first warm-up.
  void time(execute::Executable& executable, const execute::Bound& bound, const Json& request, double first,
            Outcome& outcome);
  /// Keeps the times of the last runs.
  void keep_times(runtime::AdaptiveMeasurement measured, Outcome& outcome) const;
  GivenUp failed_run(const Error& error);

  std::unique_ptr<runtime::Device> device_;
  DeviceInputs inputs_;
  std::unique_ptr<runtime::Buffer> pulse_;  ///< can be written and read while the device is well
  std::optional<Data> expected_;
  interpret::ErrorBound bound_;
  /// Compares large results on the device; all candidates then write theirs to `outputs_`.
  std::unique_ptr<DeviceCheck> device_check_;
  std::vector<std::unique_ptr<runtime::Buffer>> outputs_;
  Data read_;                                        ///< outputs that were read last
  std::vector<std::byte> read_input_;                ///< the part of an input that was read last
  std::vector<std::vector<double>> kernel_seconds_;  ///< of each run of the candidate at hand, by kernel
};

Result<void> MeasuringDuty::open(const Json& task) {
  // A worker may be set up again, for another task on the same device.
  device_check_.reset();
  outputs_.clear();
  read_.clear();
  expected_.reset();
  inputs_ = {};
  if (!device_) {
    auto device = runtime::open_device(task["device"]["id"]);
    if (!device) return tl::unexpected(device.error());
    device_ = std::move(*device);
  }
  if (auto read = read_options(task, device_->info()); !read) return read;
  auto written = DeviceInputs::write(*device_, memory(), task["inputs"]);
  if (!written) return tl::unexpected(written.error());
  inputs_ = std::move(*written);
  auto pulse = device_->allocate(1);
  if (!pulse) return tl::unexpected(pulse.error());
  pulse_ = std::move(*pulse);
  if (task["expected"].is_null()) return {};
  auto expected = messages::shared(memory(), task["expected"]);
  if (!expected) return tl::unexpected(expected.error());
  expected_ = std::move(*expected);
  const Json& bound = task["bound"];
  auto spread = messages::shared(memory(), bound["spread"]);
  if (!spread) return tl::unexpected(spread.error());
  bound_ = {bound["factor"], bound["cancels"], std::move(*spread)};
  return make_outputs();
}

Result<void> MeasuringDuty::make_outputs() {
  std::size_t bytes = 0;
  for (const Tensor& tensor : *expected_) bytes += tensor.bytes.size();
  if (bytes < quickly_read) return {};
  std::vector<runtime::Buffer*> results;
  for (const Tensor& tensor : *expected_) {
    auto buffer = execute::allocate_guarded(*device_, tensor.bytes.size());
    if (!buffer) return tl::unexpected(buffer.error());
    results.push_back(buffer->get());
    outputs_.push_back(std::move(*buffer));
  }
  device_check_ = DeviceCheck::prepare(*device_, *expected_, bound_, results);
  if (!device_check_) outputs_.clear();
  return {};
}

execute::Executable MeasuringDuty::prepared(const Json& request, Outcome& outcome) {
  const driver::Compiled made = compiled(request);
  if (!expected_) outcome.source = made.source;
  auto executable =
      prepare(*device_, made, {.binary = messages::binary(request["binary"]), .has_guard_zones = true});
  if (!executable)
    throw GivenUp{kind_of_build_failure(executable.error(), device_->info()), words_of(executable.error())};
  const auto facts = executable->kernel_facts();
  for (std::size_t k = 0; k < facts.size(); ++k) {
    const execute::LaunchPlan::Kernel& kernel = executable->plan().kernels[k];
    const std::size_t suffix = request["suffix"].get_ref<const std::string&>().size();
    outcome.kernels.push_back({kernel.name.substr(0, kernel.name.size() - suffix), kernel.range, facts[k]});
  }
  return std::move(*executable);
}

execute::Bound MeasuringDuty::bind(execute::Executable& executable) {
  execute::Bound bound = need_or_give_up(inputs_.bind(executable), OutcomeKind::DriverError);
  for (const auto& output : outputs_) bound.outputs.push_back(output.get());
  return bound;
}

/// A device that refuses a launch goes on working; one that fails does not.
GivenUp MeasuringDuty::failed_run(const Error& error) {
  // An index was outside its array, or an operation had no value: nothing of the sort happens where the
  // program is computed as it is meant.
  if (error.kind == ErrorKind::User) return {OutcomeKind::WrongResult, words_of(error)};
  std::byte byte{};
  const bool is_well =
      device_->fill(*pulse_, 1) && device_->read(*pulse_, std::span(&byte, 1)) && byte == std::byte{1};
  return {is_well ? OutcomeKind::DoesNotFit : OutcomeKind::DriverError, words_of(error)};
}

Result<double> MeasuringDuty::run(execute::Executable& executable, const execute::Bound& bound,
                                  Outcome& outcome) {
  const auto times = executable.run(bound);
  if (!times) return tl::unexpected(times.error());
  outcome.device_seconds += times->kernels;
  kernel_seconds_.emplace_back(outcome.kernels.size());
  for (std::size_t i = 0; i < times->launched.size(); ++i)
    kernel_seconds_.back()[times->launched[i]] += times->each_kernel[i];
  return times->kernels;
}

double MeasuringDuty::run_over_poison(execute::Executable& executable, const execute::Bound& bound,
                                      Outcome& outcome) {
  poison(executable, bound);
  const auto seconds = run(executable, bound, outcome);
  if (!seconds) throw failed_run(seconds.error());
  check_overruns(executable);
  return *seconds;
}

void MeasuringDuty::poison(execute::Executable& executable, const execute::Bound& bound) {
  need_or_give_up(executable.poison(bound), OutcomeKind::OutOfMemory);
  for (const auto& output : outputs_)
    need_or_give_up(device_->fill(*output, execute::poison_byte), OutcomeKind::DriverError);
}

void MeasuringDuty::check_overruns(execute::Executable& executable) {
  const std::string overrun = need_or_give_up(executable.overrun(), OutcomeKind::DriverError);
  if (!overrun.empty()) throw GivenUp{OutcomeKind::WrongResult, "it wrote beyond the end of " + overrun};
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::size_t bytes = expected_->at(i).bytes.size();
    if (!need_or_give_up(execute::is_zone_intact(*device_, *outputs_[i], bytes), OutcomeKind::DriverError))
      throw GivenUp{OutcomeKind::WrongResult, fmt::format("it wrote beyond the end of output {}", i)};
  }
}

const Data& MeasuringDuty::read_outputs(execute::Executable& executable, Outcome& outcome) {
  if (!outputs_.empty() && read_.empty()) read_ = *expected_;
  const auto start = Clock::now();
  if (outputs_.empty()) {
    read_ = need_or_give_up(executable.read_outputs(), OutcomeKind::DriverError);
  } else {
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      need_or_give_up(device_->read(*outputs_[i], read_[i].bytes), OutcomeKind::DriverError);
  }
  outcome.outputs = {0, seconds_since(start)};
  for (const Tensor& tensor : read_) outcome.outputs.bytes += tensor.bytes.size();
  return read_;
}

void MeasuringDuty::check_result(execute::Executable& executable, Outcome& outcome, bool is_thorough) {
  if (device_check_ && !is_thorough) {
    std::vector<runtime::Buffer*> got;
    for (const auto& output : outputs_) got.push_back(output.get());
    if (const auto error = device_check_->largest_error(got)) {
      outcome.largest_error = *error;
      return;
    }
  }
  const Data& got = read_outputs(executable, outcome);
  const auto comparison =
      need_or_give_up(interpret::compare(expected_.value(), got, bound_), OutcomeKind::WrongResult);
  outcome.largest_error = comparison.largest_error;
  if (comparison.agrees()) return;
  const bool overflows = interpret::differs_by_overflow(expected_.value(), comparison);
  throw GivenUp{OutcomeKind::WrongResult, interpret::to_string(comparison) +
                                              (overflows ? std::string("; ") + driver::overflow_help : "")};
}

/// Gives the candidate up where an input has changed, or something was written behind one.
void MeasuringDuty::check_inputs() {
  for (std::size_t leaf = 0; leaf < inputs_.tensors().size(); ++leaf) {
    const auto& buffer = inputs_.buffers()[leaf];
    if (!buffer) continue;
    const std::span<const std::byte> given = inputs_.tensors()[leaf].bytes;
    bool is_intact =
        need_or_give_up(execute::is_zone_intact(*device_, *buffer, given.size()), OutcomeKind::DriverError);
    for (std::size_t offset = 0; offset < given.size() && is_intact; offset += read_input_.size()) {
      const auto piece = given.subspan(offset, std::min(given.size() - offset, most_read_at_once));
      read_input_.resize(piece.size());
      need_or_give_up(device_->read(*buffer, read_input_, offset), OutcomeKind::DriverError);
      is_intact = std::ranges::equal(read_input_, piece);
    }
    if (!is_intact)
      throw GivenUp{
          OutcomeKind::WrongResult,
          fmt::format("this candidate, or one before it, wrote to input {} or beyond its end", leaf)};
  }
}

void MeasuringDuty::time(execute::Executable& executable, const execute::Bound& bound, const Json& request,
                         double first, Outcome& outcome) {
  outcome.before = device_->vitals();
  const runtime::StoppingRule rule = messages::rule_of(request["rule"]);
  std::optional<double> known;
  if (rule.warm_ups > 0) known = first;
  kernel_seconds_.erase(kernel_seconds_.begin(), kernel_seconds_.end() - 1);  // but for the first run
  auto measured = runtime::measure_until(
      [&]() -> Result<double> {
        if (known) return *std::exchange(known, std::nullopt);
        return run(executable, bound, outcome);
      },
      rule);
  if (!measured) throw failed_run(measured.error());
  outcome.after = device_->vitals();
  const bool is_hopeless = measured->stop == runtime::AdaptiveMeasurement::Stop::Hopeless;
  keep_times(*std::move(measured), outcome);
  if (is_hopeless) {
    outcome.kind = OutcomeKind::StoppedEarly;
    outcome.message = "several times slower than the fastest candidate";
  }
}

void MeasuringDuty::keep_times(runtime::AdaptiveMeasurement measured, Outcome& outcome) const {
  outcome.seconds = std::move(measured.measurement.times);
  const std::size_t timed = std::min(outcome.seconds.size(), kernel_seconds_.size());
  for (std::size_t k = 0; k < outcome.kernels.size(); ++k) {
    std::vector<double> runs;
    for (auto run = kernel_seconds_.end() - static_cast<std::ptrdiff_t>(timed); run != kernel_seconds_.end();
         ++run)
      runs.push_back((*run)[k]);
    outcome.kernels[k].seconds = runtime::summarize(std::move(runs)).median;
  }
  outcome.interval = measured.interval;
}

void MeasuringDuty::candidate(const Json& request, Outcome& outcome, Json& more) {
  outcome.inputs = inputs_.upload();
  kernel_seconds_.clear();
  execute::Executable executable = prepared(request, outcome);
  if (!request.value("is_run", true)) return;
  const execute::Bound bound = bind(executable);
  const double first = run_over_poison(executable, bound, outcome);
  if (!expected_) {
    std::size_t offset = request["output_at"];
    const Data& got = read_outputs(executable, outcome);
    more = need_or_give_up(messages::share(memory(), got, offset), OutcomeKind::OutOfMemory);
    const auto once = [&]() -> Result<double> { return first; };
    keep_times(*runtime::measure_until(once, {.warm_ups = 0, .least = 1, .most = 1}), outcome);
    return;
  }
  check_result(executable, outcome, false);
  const bool is_long = first >= messages::rule_of(request["rule"]).long_run;
  if (is_long) poison(executable, bound);
  time(executable, bound, request, first, outcome);
  const double best = request["best"];
  const bool may_be_best = best <= 0 || outcome.median() < best;
  // No candidate may be told to be the best by luck: a race shows when kernels run at full speed.
  if (may_be_best && is_long) check_overruns(executable);
  if (may_be_best && !is_long) run_over_poison(executable, bound, outcome);
  // A candidate that writes to an input makes later results wrong. Inputs are looked at before the result, so
  // that the cause is told.
  if (may_be_best || inputs_.upload().bytes <= quickly_read) check_inputs();
  if (may_be_best) check_result(executable, outcome, true);
}

}  // namespace

std::unique_ptr<Duty> measuring_duty(runtime::SharedMemory memory) {
  return std::make_unique<MeasuringDuty>(std::move(memory));
}

}  // namespace hoist::measure
