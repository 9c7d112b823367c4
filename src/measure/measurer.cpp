// A pipeline of two stages. Several worker processes build candidates; for each device one worker process
// runs, checks and times them:
//
//   submit -> to_build_ -> build_jobs -> to_measure_ -> measure_jobs -> done_ -> next
//
// `build_jobs` and `measure_jobs` are the loops of this process's threads. Each thread has one worker, to
// which it talks through a Station (inter-process communication: runtime/guard.hpp). A candidate that
// crashes, hangs or takes all memory ends a worker, and this process records an outcome. One mutex guards
// all queues, and one condition variable tells the threads that something changed.
//
// Read the two loops first, then four groups of functions:
//
// - `may_build`, `may_measure` and `take_turns` say who may work now. The queue between the stages is
//   bounded (`most_ahead`), so that builders do not run far ahead of the devices. A device that is a
//   processor would be disturbed by builds: there the stages take turns (`is_exclusive_`).
// - `patience` and `build_patience` say after how many seconds a worker is given up (timeouts). They adapt
//   to the best time so far, to the median time of builds, and to builds of which none was in time.
//   `longest_source` says which candidates are not worth a build, since shorter ones took too long.
// - `build_together`, `build_alone` and `rehearse` have a worker build (worker/building_duty.cpp). For a
//   processor a builder takes several jobs at a time; one that cannot be built with others is built alone.
// - `measured` repeats a failure in a new worker, since an earlier candidate may have left the old one, or
//   its driver, in disorder.
//
// Other processes may measure on the same device: a candidate waits for the device's turn (device_turn.hpp),
// and what it waits counts for no limit of its own.
#include "measure/measurer.hpp"
#include "base/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/stopwatch.hpp"
#include "measure/device_turn.hpp"
#include "measure/expected.hpp"
#include "measure/worker/duty.hpp"
#include "measure/worker/task_memory.hpp"
#include "measure/worker/worker.hpp"
#include "runtime/devices.hpp"

namespace hoist::measure {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Builders rehearse (worker/building_duty.cpp) while the best candidate takes less than so many seconds.
/// Longer kernels take longer to run than to compile.
constexpr double most_rehearsed_seconds = 0.05;
/// How many candidates of a processor are built together at the most, and how many are built in a turn at the
/// least: builders wait for each other at the end of a turn.
constexpr std::size_t most_together = 4, least_turn = 8;
/// Bytes of source below which the length of the source is not what keeps a compiler busy.
constexpr std::size_t usual_source = std::size_t{32} << 10;
constexpr std::size_t any_length = std::numeric_limits<std::size_t>::max();

/// A submission on its way through both stages. Building fills in its outcome and its binary.
struct Job {
  Submission submission;
  Outcome outcome;
  messages::Json binary;
  /// Of what was built with others: their common source, and what the names of its kernels end with there.
  std::string source = {}, suffix = {};
  bool can_rehearse = false;
  bool is_cancelled = false;  ///< nobody waits for its outcome
};

/// What a worker is asked about a job, by the names that its kernels have where they were built.
messages::Json job_message(const Job& job) {
  messages::Json message = candidate_message(job.submission);
  if (!job.source.empty()) message["source"] = job.source;
  message["suffix"] = job.suffix;
  return message;
}

/// Whether an earlier candidate may be to blame for such an outcome: what it left behind in the worker may
/// have spoiled this one.
bool may_be_anothers_fault(OutcomeKind kind) {
  return kind == OutcomeKind::WrongResult || kind == OutcomeKind::Crash || kind == OutcomeKind::DriverError ||
         kind == OutcomeKind::OutOfMemory;
}

/// Joins what building and what measuring told of one candidate.
Outcome merged(Outcome built, Outcome measured) {
  measured.id = std::move(built.id);
  measured.source = std::move(built.source);
  measured.build = std::move(built.build);
  measured.wall_seconds += built.wall_seconds;
  return measured;
}

}  // namespace

class Measurer::State {
 public:
  State(MeasuringOptions options, target::Target device, Expected expected,
        std::unique_ptr<TaskMemory> memory)
      : options_(std::move(options)),
        device_(std::move(device)),
        expected_(std::move(expected)),
        memory_(std::move(memory)),
        is_exclusive_(device_.type == target::Type::Cpu),
        most_of_candidate_(usual_most()) {
    if (expected_.run) best_ = expected_.run->median();
  }
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Starts all threads, and waits until each measuring worker is set up. Fails where one cannot be. The
  /// first device may have its worker already, which knows the memory by its address.
  Result<void> start(std::optional<Station> first);
  void submit(Submission submission);
  std::optional<Outcome> next(double seconds);
  void drop_waiting();
  void give_up();
  std::size_t under_way() const;
  std::size_t wanted() const;
  double best() const;
  const Expected& expected() const { return expected_; }
  const target::Target& device() const { return device_; }

 private:
  void build_jobs();
  void measure_jobs(const std::string& device, std::optional<Station> worker);
  std::vector<Job> take_to_build();
  /// Has a worker build jobs: several of them at once where that can be done, each of the others alone.
  void build(Station& station, std::vector<Job>& jobs);
  void build_together(Station& station, std::vector<Job>& jobs);
  void build_alone(Station& station, Job& job);
  /// False where there was no time for it.
  bool rehearse(Station& station, Job& job, double seconds);
  void tell_too_late(Job& job, double limit) const;
  Answer measured(Station& station, const Job& job);
  messages::Json building_message(const Job& job, BuildingStep step) const;
  messages::Json measuring_message(const Job& job) const;
  double patience(const Job& job) const;
  double build_patience(const Job& job) const;
  double usual_most() const { return std::min(options_.build_seconds, options_.candidate_build_seconds); }
  void remember_build(const Job& job, double limit);
  void allow_longer_builds(double limit);
  std::size_t longest_source(const Job& job) const;
  bool may_build() const;
  bool may_measure() const;
  void take_turns();
  void finish(Job job);
  /// How many built jobs may wait for a device: enough that no device waits for builders.
  std::size_t most_ahead() const {
    const std::size_t ahead = options_.builders + 2 * options_.devices.size();
    return is_exclusive_ ? std::max(ahead, least_turn) : ahead;
  }
  std::size_t most_ahead_now() const;

  const MeasuringOptions options_;
  const target::Target device_;
  const Expected expected_;
  const std::unique_ptr<const TaskMemory> memory_;
  const bool is_exclusive_;  ///< builds would disturb what is measured

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> to_build_, to_measure_;
  std::deque<Outcome> done_;
  std::size_t building_ = 0, measuring_ = 0;  ///< jobs
  std::size_t busy_builders_ = 0;
  bool is_measurers_turn_ = false;  ///< it decides only where is_exclusive_ holds
  double best_ = never;
  std::vector<double> build_times_;                                 ///< seconds, rising
  std::size_t longest_built_ = 0, shortest_given_up_ = any_length;  ///< bytes of sources
  double most_of_candidate_;  ///< seconds that a candidate's build may take
  std::size_t given_up_ = 0;  ///< candidates whose builds took longer than that
  bool any_in_time_ = false;  ///< of the candidates
  std::size_t begun_ = 0;     ///< measuring threads that know whether their worker is set up
  std::size_t lost_ = 0;      ///< measuring threads that ended because their device was lost
  std::optional<Error> failed_to_begin_;
  std::atomic<bool> is_cancelled_ = false;  ///< ends all threads
  std::atomic<bool> is_given_up_ = false;   ///< ends what workers do now
  std::vector<std::thread> threads_;
};

Measurer::State::~State() {
  {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = is_given_up_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Result<void> Measurer::State::start(std::optional<Station> first) {
  if (first) {
    first->end_by(&is_given_up_);
    first->change_task(memory_->task(options_, device_));
  }
  for (const std::string& device : options_.devices) {
    threads_.emplace_back([this, &device, worker = std::exchange(first, std::nullopt)]() mutable {
      measure_jobs(device, std::move(worker));
    });
  }
  for (std::size_t i = 0; i < options_.builders; ++i) threads_.emplace_back([this] { build_jobs(); });
  std::unique_lock lock(mutex_);
  const auto has_begun = [&] { return begun_ == options_.devices.size(); };
  constexpr std::chrono::milliseconds look{20};
  while (!changed_.wait_for(lock, look, has_begun)) {
    if (options_.seconds_left() <= 0)
      return device_error("the time budget was used up before the devices were ready");
  }
  if (failed_to_begin_) return tl::unexpected(*failed_to_begin_);
  return {};
}

void Measurer::State::submit(Submission submission) {
  {
    const std::lock_guard lock(mutex_);
    Job& job = to_build_.emplace_back();
    job.outcome.id = submission.id;
    job.submission = std::move(submission);
    take_turns();
  }
  changed_.notify_all();
}

void Measurer::State::drop_waiting() {
  {
    const std::lock_guard lock(mutex_);
    to_build_.clear();
    to_measure_.clear();
    take_turns();
  }
  changed_.notify_all();
}

void Measurer::State::give_up() {
  std::unique_lock lock(mutex_);
  to_build_.clear();
  to_measure_.clear();
  is_given_up_ = true;
  changed_.wait(lock, [&] { return building_ == 0 && measuring_ == 0; });
  to_measure_.clear();  // these were built in the meantime
  is_given_up_ = false;
  take_turns();
}

std::size_t Measurer::State::under_way() const {
  const std::lock_guard lock(mutex_);
  return to_build_.size() + building_ + to_measure_.size() + measuring_ + done_.size();
}

std::size_t Measurer::State::wanted() const {
  const std::size_t most = most_ahead() + options_.builders, now = under_way();
  return now < most ? most - now : 0;
}

double Measurer::State::best() const {
  const std::lock_guard lock(mutex_);
  return best_;
}

std::optional<Outcome> Measurer::State::next(double seconds) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::min(seconds, 1e9));
  std::unique_lock lock(mutex_);
  const auto is_idle = [&] {
    return to_build_.empty() && to_measure_.empty() && building_ == 0 && measuring_ == 0;
  };
  changed_.wait_until(lock, limit, [&] { return !done_.empty() || is_idle(); });
  if (done_.empty()) return std::nullopt;
  Outcome outcome = std::move(done_.front());
  done_.pop_front();
  return outcome;
}

// ---- In the threads. A function whose comment begins with "Locked" is called with the mutex locked.

/// Locked. While nothing has a time, a processor measures a job as soon as it is built. The default mapping
/// is submitted first, and so has its time before candidates take theirs, however short the budget is.
std::size_t Measurer::State::most_ahead_now() const {
  return is_exclusive_ && best_ == never ? 1 : most_ahead();
}

/// Locked.
bool Measurer::State::may_build() const {
  if (to_build_.empty() || to_measure_.size() + building_ >= most_ahead()) return false;
  return !is_exclusive_ || (!is_measurers_turn_ && measuring_ == 0);
}

/// Locked.
bool Measurer::State::may_measure() const {
  return !to_measure_.empty() && (!is_exclusive_ || (is_measurers_turn_ && building_ == 0));
}

/// Locked. On a processor all that can be built is built, then all that was built is measured, and so on.
void Measurer::State::take_turns() {
  if (!is_measurers_turn_)
    is_measurers_turn_ =
        !to_measure_.empty() && (to_build_.empty() || to_measure_.size() + building_ >= most_ahead_now());
  else if (to_measure_.empty() && measuring_ == 0)
    is_measurers_turn_ = false;
}

/// Locked.
void Measurer::State::finish(Job job) {
  if (job.outcome.kind == OutcomeKind::Ok) best_ = std::min(best_, job.outcome.median());
  done_.push_back(std::move(job.outcome));
}

void Measurer::State::build_jobs() {
  Station station(memory_->station(options_, device_, building, &is_given_up_));
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_cancelled_ || may_build(); });
    if (is_cancelled_) return;
    std::vector<Job> jobs = take_to_build();
    building_ += jobs.size();
    ++busy_builders_;
    lock.unlock();
    build(station, jobs);
    lock.lock();
    building_ -= jobs.size();
    --busy_builders_;
    for (Job& job : jobs) {
      if (job.is_cancelled) continue;
      if (job.outcome.kind == OutcomeKind::Ok)
        to_measure_.push_back(std::move(job));
      else
        finish(std::move(job));
    }
    take_turns();
    changed_.notify_all();
  }
}

/// Locked. Takes one job, or several that a builder for a processor builds together; the other idle builders
/// get as many. What must have a time is built alone, as it is when it is used.
std::vector<Job> Measurer::State::take_to_build() {
  const auto may_share = [](const Job& job) {
    return !job.submission.is_timed_to_the_end && job.submission.source.empty();
  };
  const std::size_t room = most_ahead() - to_measure_.size() - building_;
  const std::size_t idle = options_.builders - busy_builders_;
  const std::size_t fair = (std::min(room, to_build_.size()) + idle - 1) / idle;
  const std::size_t most =
      is_exclusive_ && best_ < never ? std::clamp<std::size_t>(fair, 1, most_together) : 1;
  std::vector<Job> jobs;
  do {
    jobs.push_back(std::move(to_build_.front()));
    to_build_.pop_front();
  } while (jobs.size() < most && !to_build_.empty() && may_share(jobs.back()) &&
           may_share(to_build_.front()));
  return jobs;
}

void Measurer::State::build(Station& station, std::vector<Job>& jobs) {
  if (jobs.size() > 1) build_together(station, jobs);
  for (Job& job : jobs) {
    if (job.source.empty()) build_alone(station, job);
  }
}

void Measurer::State::build_together(Station& station, std::vector<Job>& jobs) {
  const auto start = std::chrono::steady_clock::now();
  messages::Json candidates = messages::Json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    candidates.push_back(job_message(jobs[i]));
    candidates.back()["suffix"] = fmt::format("_c{}", i);
  }
  const messages::Json message = {
      {"ask", "candidate"}, {"step", BuildingStep::Share}, {"candidates", candidates}};
  const double limit = build_patience(jobs.front());
  const Answer answer = station.ask(message, limit);
  if (answer.outcome.kind != OutcomeKind::Ok) return;
  const auto& sources = answer.more["sources"];
  const auto shared = static_cast<double>(
      std::ranges::count_if(sources, [](const messages::Json& source) { return source != ""; }));
  const double each = seconds_since(start) / shared;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs[i];
    if (sources[i] == "") continue;
    job.source = answer.outcome.source;
    job.suffix = candidates[i]["suffix"];
    job.binary = answer.more["binary"];
    job.can_rehearse = answer.more["can_rehearse"];
    job.outcome.source = sources[i];
    job.outcome.build = answer.outcome.build;
    job.outcome.build.seconds /= shared;
    const auto begun = std::chrono::steady_clock::now();
    const bool is_in_time = rehearse(station, job, limit);
    job.outcome.wall_seconds = each + seconds_since(begun);
    if (!is_in_time) tell_too_late(job, limit);
    remember_build(job, limit);
  }
}

bool Measurer::State::rehearse(Station& station, Job& job, double seconds) {
  if (!job.can_rehearse || !is_exclusive_ || best() >= most_rehearsed_seconds) return true;
  messages::Json message = job_message(job);
  message["step"] = BuildingStep::Rehearse;
  const Answer answer = station.ask(message, std::min(seconds, patience(job)));
  job.is_cancelled = answer.is_cancelled;
  // Whatever else ends it, the process that measures tells what the candidate is worth.
  return answer.outcome.kind != OutcomeKind::Timeout;
}

void Measurer::State::build_alone(Station& station, Job& job) {
  const auto start = std::chrono::steady_clock::now();
  const double limit = build_patience(job);
  Answer answer = station.ask(building_message(job, BuildingStep::Build), limit);
  job.is_cancelled = answer.is_cancelled;
  if (job.is_cancelled) return;
  const std::string id = job.outcome.id;
  job.outcome = std::move(answer.outcome);
  job.outcome.id = id;
  // A source that is too long to be built comes with its outcome; where the time is over, nothing comes.
  bool is_too_late = job.outcome.kind == OutcomeKind::Timeout && job.outcome.source.empty();
  const bool was_tried = is_too_late || job.outcome.kind != OutcomeKind::Timeout;
  bool is_reused = false;  // what was built before says nothing of how long builds take
  if (job.outcome.kind == OutcomeKind::Ok) {
    is_reused = answer.more["is_reused"];
    job.binary = std::move(answer.more["binary"]);
    job.can_rehearse = answer.more["can_rehearse"];
    is_too_late = !rehearse(station, job, limit - seconds_since(start));
    if (job.is_cancelled) return;
  }
  job.outcome.wall_seconds = seconds_since(start);
  if (is_too_late) {
    tell_too_late(job, limit);
    if (job.outcome.source.empty())
      job.outcome.source = station.ask(building_message(job, BuildingStep::Print), limit).outcome.source;
  }
  if (was_tried && !is_reused) remember_build(job, limit);
}

void Measurer::State::tell_too_late(Job& job, double limit) const {
  job.outcome.kind = OutcomeKind::Timeout;
  job.outcome.message = fmt::format("not built within {:.3g} s{}", limit,
                                    limit < usual_most() ? ", and other candidates take much less" : "");
}

void Measurer::State::measure_jobs(const std::string& device, std::optional<Station> worker) {
  target::Target one = device_;
  one.id = device;
  Station station =
      worker ? std::move(*worker) : Station(memory_->station(options_, one, measuring, &is_given_up_));
  DeviceTurn turn(device);
  const auto ready = station.be_ready();
  std::unique_lock lock(mutex_);
  ++begun_;
  if (!ready) failed_to_begin_ = ready.error();
  changed_.notify_all();
  for (bool is_there = ready.has_value(); is_there;) {
    changed_.wait(lock, [&] { return is_cancelled_ || may_measure(); });
    if (is_cancelled_) return;
    Job job = std::move(to_measure_.front());
    to_measure_.pop_front();
    ++measuring_;
    lock.unlock();
    Answer answer;
    answer.is_cancelled = !turn.take([&] { return is_given_up_.load(); });
    if (!answer.is_cancelled) {
      const auto start = std::chrono::steady_clock::now();
      answer = measured(station, job);
      answer.outcome.wall_seconds = seconds_since(start);
      turn.give_back();
    }
    lock.lock();
    --measuring_;
    if (answer.is_cancelled) {
      take_turns();
      changed_.notify_all();
      continue;
    }
    const bool is_lost = answer.outcome.kind == OutcomeKind::DeviceLost;
    // The last device goes on being asked: it may come back, and who submits sees how it is.
    const bool others_are_left = lost_ + 1 < options_.devices.size();
    if (is_lost && others_are_left) {
      to_measure_.push_front(std::move(job));
      is_there = false;
      ++lost_;
    } else {
      job.outcome = merged(std::move(job.outcome), std::move(answer.outcome));
      if (!is_lost) job.outcome.device = device;
      finish(std::move(job));
    }
    take_turns();
    changed_.notify_all();
  }
}

messages::Json Measurer::State::building_message(const Job& job, BuildingStep step) const {
  messages::Json message = job_message(job);
  message["step"] = step;
  message["longest_source"] = longest_source(job);
  return message;
}

messages::Json Measurer::State::measuring_message(const Job& job) const {
  messages::Json message = job_message(job);
  runtime::StoppingRule rule = options_.rule;
  const double best_now = best();
  if (best_now < never && !job.submission.is_timed_to_the_end)
    rule.hopeless = options_.hopeless_factor * best_now;
  message["binary"] = job.binary;
  message["rule"] = messages::to_json(rule);
  message["best"] = best_now < never ? best_now : 0;
  return message;
}

double Measurer::State::patience(const Job& job) const {
  const double best_now = best();
  const bool is_fixed = job.submission.is_timed_to_the_end;
  const double most =
      is_fixed ? options_.run_seconds : std::min(options_.run_seconds, options_.candidate_run_seconds);
  if (best_now == never) return most;
  return std::min(most, options_.patience_seconds + options_.patience_factor * best_now);
}

/// How many seconds a build may take. The default mapping and kernels by hand must get a time, and so have as
/// long as any build may take; other builds end earlier, once it is known how long builds usually take.
double Measurer::State::build_patience(const Job& job) const {
  constexpr std::size_t fewest = 20;
  const std::lock_guard lock(mutex_);
  if (job.submission.is_timed_to_the_end) return std::min(options_.build_seconds, options_.seconds_left());
  if (build_times_.size() < fewest) return most_of_candidate_;
  const double median = build_times_[build_times_.size() / 2];
  return std::min(most_of_candidate_,
                  std::max(options_.build_patience_seconds, options_.build_patience_factor * median));
}

void Measurer::State::remember_build(const Job& job, double limit) {
  const std::lock_guard lock(mutex_);
  const double seconds = job.outcome.wall_seconds;
  build_times_.insert(std::ranges::upper_bound(build_times_, seconds), seconds);
  const std::size_t length = job.outcome.source.size();
  const bool is_too_late = job.outcome.kind == OutcomeKind::Timeout;
  if (job.outcome.kind == OutcomeKind::Ok) longest_built_ = std::max(longest_built_, length);
  if (is_too_late && length > usual_source) shortest_given_up_ = std::min(shortest_given_up_, length);
  if (job.submission.is_timed_to_the_end) return;
  any_in_time_ |= !is_too_late;
  if (!any_in_time_) allow_longer_builds(limit);
}

/// Where as many candidates as there are builders were given up after `limit` seconds, and none was in time,
/// all of them may need longer: the next have twice that, but no more than half of what is left.
void Measurer::State::allow_longer_builds(double limit) {
  if (limit < most_of_candidate_ || ++given_up_ < options_.builders) return;
  const double affordable = std::min(options_.build_seconds, options_.seconds_left() / 2);
  most_of_candidate_ = std::max(limit, std::min(2 * limit, affordable));
  given_up_ = 0;
  shortest_given_up_ = any_length;
}

/// How many bytes the source of a candidate may have: fewer than that of one whose build took too long. Where
/// a longer source was built in time, it is not the length that tells.
std::size_t Measurer::State::longest_source(const Job& job) const {
  const std::lock_guard lock(mutex_);
  const bool tells = longest_built_ < shortest_given_up_ && shortest_given_up_ < any_length;
  return tells && !job.submission.is_timed_to_the_end ? shortest_given_up_ - 1 : any_length;
}

Answer Measurer::State::measured(Station& station, const Job& job) {
  for (;;) {
    const bool was_fresh = station.is_fresh();
    const double limit = patience(job);
    Answer answer = station.ask(measuring_message(job), limit);
    if (answer.outcome.kind == OutcomeKind::Timeout)
      answer.outcome.message = fmt::format("built, but not run and checked within {:.3g} s", limit);
    if (!may_be_anothers_fault(answer.outcome.kind)) return answer;
    // What ran before may have left memory, or the driver, in disorder.
    station.replace();
    if (was_fresh || answer.is_cancelled) return answer;
  }
}

// ---- Measurer

namespace {

/// Describes the first device; a User error where the others are not of its kind.
Result<target::Target> common_device(const std::vector<std::string>& ids) {
  if (ids.empty()) return user_error("no device to measure on is named");
  std::optional<target::Target> first;
  for (const std::string& id : ids) {
    // This process takes nothing of the device, and stays clear of drivers as far as it can.
    const auto described = runtime::describe_device(id);
    if (!described) return tl::unexpected(described.error());
    const target::Target& info = *described;
    if (!first) first = info;
    if (info.name != first->name || info.version != first->version)
      return user_error(
          fmt::format("{} ({}) is another device than {} ({})", info.id, info.name, first->id, first->name),
          {},
          "measure on devices of one kind: a kernel that is fast on one device need not be fast on another");
  }
  return *first;
}

/// As many as cores. More than some do not keep a GPU busier, and those for OpenCL each open the device,
/// which drivers do for one process after the other.
std::size_t usual_builders(const target::Target& device, std::size_t devices) {
  constexpr std::size_t most_of_gpu = 8;
  const bool is_gpu = device.machine.processor == target::Processor::Gpu;
  return is_gpu ? std::min(usual_threads(), most_of_gpu * devices) : usual_threads();
}

}  // namespace

Result<std::unique_ptr<Measurer>> Measurer::start(const Task& task, const MeasuringOptions& given) {
  MeasuringOptions options = given;
  auto device = common_device(options.devices);
  if (!device) return tl::unexpected(device.error());
  if (options.builders == 0) options.builders = usual_builders(*device, options.devices.size());
  auto made = TaskMemory::of(task.inputs);
  if (!made) return tl::unexpected(made.error());
  auto memory = std::make_unique<TaskMemory>(std::move(*made));
  std::optional<Station> first;
  auto expected = expected_of(task, options, *device, *memory, first);
  if (!expected) return tl::unexpected(expected.error());
  auto state = std::make_unique<State>(std::move(options), std::move(*device), std::move(*expected),
                                       std::move(memory));
  if (auto started = state->start(std::move(first)); !started) return tl::unexpected(started.error());
  return std::unique_ptr<Measurer>(new Measurer(std::move(state)));
}

Measurer::Measurer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Measurer::~Measurer() = default;
void Measurer::drop_waiting() { state_->drop_waiting(); }
void Measurer::give_up() { state_->give_up(); }
void Measurer::submit(Submission submission) { state_->submit(std::move(submission)); }
std::size_t Measurer::under_way() const { return state_->under_way(); }
std::size_t Measurer::wanted() const { return state_->wanted(); }
std::optional<Outcome> Measurer::next(double seconds) { return state_->next(seconds); }
double Measurer::best() const { return state_->best(); }
const Expected& Measurer::expected() const { return state_->expected(); }
const target::Target& Measurer::device() const { return state_->device(); }

}  // namespace hoist::measure
