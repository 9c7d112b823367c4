#pragma once
// Everything that was ever tuned: programs, devices, candidates, each single time, outcomes, feature vectors,
// models. One SQLite file, or one PostgreSQL database that a team shares; docs/store.md has the tables.
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace hoist::store {

class Database;

/// Sizes and parameters.
using NamedValues = std::vector<std::pair<std::string, std::int64_t>>;

// Numbers of rows: the same as long as a store lives, others in every store.
enum class TaskId : std::int64_t {};
enum class CandidateId : std::int64_t {};
enum class RunId : std::int64_t {};
enum class EvaluationId : std::int64_t {};

struct Program {
  std::string name, text;
  std::string
      hash;  ///< of the text, normalised, e.g. printed anew: what tells programs apart (base/sha256.hpp)
};

/// Told apart by language, name and driver: after an update of the driver times are no longer comparable for
/// sure, so it is another device with another task. Whoever asks says whether the driver matters.
struct Device {
  std::string language;  ///< "opencl", "cuda", "host"
  std::string name, driver;
  std::string vendor = {}, platform = {}, version = {};
  std::int64_t compute_units = 0;
  std::string facts = "{}";  ///< all else that is known, a JSON object
};

/// What is tuned: a program at given sizes on a device.
struct Task {
  Program program;
  Device device;
  NamedValues sizes;  ///< their order makes no difference; read back by name
};

/// A rule or strategy with its arguments, and where it was applied.
struct Step {
  std::string rule, place;
  bool operator==(const Step&) const = default;
};

/// Work-items of a kernel, in all and in a group.
struct Launch {
  std::string kernel;
  std::array<std::int64_t, 3> global{1, 1, 1}, local{1, 1, 1};
  bool operator==(const Launch&) const = default;
};

/// One implementation. Candidates of a task are told apart by name and hash: a name means the same only as
/// long as what is explored does (bounds, limits, Hoist's rules).
struct Candidate {
  std::string name;  ///< in the exploration: "12-345"
  std::string hash;  ///< of the term
  std::vector<Step> derivation = {};
  NamedValues parameters = {};
  std::string term = {};  ///< low-level, all sizes put in
  std::vector<Launch> launches = {};
  std::string source = {};  ///< of the kernels; may be empty
  bool operator==(const Candidate&) const = default;
};

enum class Outcome : std::uint8_t {
  Ok,
  NotCompiled,  ///< by Hoist
  DoesNotFit,   ///< the device's limits
  BuildFailed,  ///< by the device's compiler
  WrongResult,
  Crash,
  Timeout,
  DriverError,
  OutOfMemory,
  StoppedEarly,  ///< slower than the best for sure: fewer times than asked for
};
/// "ok", "not compiled", ...: also what the store holds.
std::string_view name_of(Outcome outcome);
std::optional<Outcome> outcome_of(std::string_view name);

enum class Origin : std::uint8_t {
  Explored,
  Baseline,  ///< the default mapping
  Hand,      ///< written by a person
};
/// "explored", "baseline", "hand".
std::string_view name_of(Origin origin);
std::optional<Origin> origin_of(std::string_view name);

/// What the device's compiler said of one kernel; what it did not say is not there. Sizes in bytes.
struct KernelBuild {
  std::string kernel;
  std::optional<std::int64_t> registers = {};        ///< of a work-item
  std::optional<std::int64_t> private_memory = {};   ///< of a work-item beside them: arrays and spills
  std::optional<std::int64_t> local_memory = {};     ///< of a group
  std::optional<std::int64_t> max_group_size = {};   ///< work-items
  std::optional<std::int64_t> groups_per_unit = {};  ///< that a compute unit runs at once
  bool operator==(const KernelBuild&) const = default;
};

/// The device while it was measured, as far as it could be asked.
struct Conditions {
  std::optional<double> clock_mhz = {}, memory_clock_mhz = {}, temperature_celsius = {}, power_watts = {};
  bool operator==(const Conditions&) const = default;
};

/// One attempt to build, check and time a candidate.
struct Evaluation {
  Outcome outcome = Outcome::Ok;
  std::string message = {};        ///< why it is not Ok
  std::vector<double> times = {};  ///< every single one in the order taken, seconds; finite
  Origin origin = Origin::Explored;
  std::optional<double> build_seconds = {};
  std::vector<KernelBuild> kernels = {};
  Conditions conditions = {};
  double wall_seconds = 0;    ///< of the attempt as a whole
  std::string recorded = {};  ///< UTC, "2026-01-31T23:59:59.000Z"; empty: now
  std::string hoist = {};     ///< version and commit
  std::uint64_t seed = 0;     ///< of the inputs
  bool operator==(const Evaluation&) const = default;
};

/// Numbers read off a candidate; the schema names what they are, in which version.
struct Features {
  std::string schema;
  std::vector<double> numbers;  ///< finite
  bool operator==(const Features&) const = default;
};

/// One call of the tuner.
struct Run {
  std::string strategy = {};
  std::uint64_t seed = 0;
  std::string budget = "{}";       ///< JSON
  std::string environment = "{}";  ///< JSON
  std::string hoist = {};          ///< version and commit
  std::string started = {};        ///< UTC; empty: now
};
struct StoredRun {
  RunId id{};
  Run run;
  std::string funnel = "{}";  ///< JSON: what each stage left
  std::string ended = {};     ///< empty: it runs, or was interrupted
};

struct StoredEvaluation {
  EvaluationId id{};
  CandidateId candidate_id{};
  std::optional<RunId> run;
  Candidate candidate;
  Evaluation evaluation;
  std::optional<double> median;  ///< of the times, if there are any; seconds
};
/// The same without texts.
struct EvaluationSummary {
  EvaluationId id{};
  CandidateId candidate_id{};
  std::optional<RunId> run;
  std::string name, hash;  ///< of the candidate
  Outcome outcome = Outcome::Ok;
  Origin origin = Origin::Explored;
  std::optional<double> median;
};

struct StoredTask {
  TaskId id{};
  Task task;
  std::int64_t candidates = 0, evaluations = 0, ok = 0;
  std::optional<double> best, baseline;  ///< lowest medians, seconds
  std::string last;                      ///< when something was measured; empty: never
};

struct Model {
  std::string name;
  std::string device_class;       ///< which devices it speaks of
  std::string schema;             ///< of the features that it reads
  std::string content;            ///< any bytes
  std::string provenance = "{}";  ///< JSON: what it was fitted to, and how
  std::string created = {};       ///< UTC; empty: now
  bool operator==(const Model&) const = default;
};

/// Rows, by what they are.
struct Counts {
  std::int64_t programs = 0, devices = 0, tasks = 0, candidates = 0, runs = 0, evaluations = 0, features = 0,
               models = 0;
  bool operator==(const Counts&) const = default;
};

/// So many letters of a program's hash may stand for it: fewer may be how those of others begin, too.
inline constexpr std::size_t shortest_hash = 8;

/// Evaluations: those of which every condition that is set holds.
struct Selection {
  std::optional<TaskId> task = {};
  std::optional<std::string> program = {};  ///< name, or the beginning of the hash (shortest_hash letters)
  std::optional<std::string> device = {};   ///< name
  std::optional<std::string> before = {};   ///< UTC, or the beginning of it: "2026-01"
  bool only_failed = false;                 ///< outcomes other than ok
};

/// What an import found.
struct Imported {
  Counts added, known;  ///< rows that the store did not have, and that it had
};

struct OpenOptions {
  std::chrono::milliseconds patience{30'000};  ///< for how long to wait for others that are writing
  bool make = true;                            ///< where there is none; otherwise a user error
  bool only_reads = false;                     ///< then a store that cannot be written will do, too
};

/// Who measures a candidate where several runs share a store.
enum class Claim : std::uint8_t {
  Mine,
  UnderWay,  ///< another run is about to
  Measured,  ///< the store has an outcome
};
/// A run that says nothing for so long is taken to be no more.
inline constexpr std::chrono::seconds claims_last{60};

/// A store is used by one thread at a time; several threads or processes, on several machines with
/// PostgreSQL, each open their own. A process that forks must not use or close in the child what the parent
/// opened. Every change is one transaction: when a function has returned without an error, what it stored
/// survives the end of the process, and of the machine as far as its disk keeps what it acknowledged.
///
/// Errors: User, a place that is no store, or a newer Hoist's; Device, what the disk, the server or another
/// process refuses. After an error the store is as it was before the call and may be used again.
class Store {
 public:
  /// A path or "postgresql://user@host/database". Makes the store where there is none yet, and brings that of
  /// an older Hoist up to date.
  static Result<Store> open(const std::string& place, const OpenOptions& options = {});
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// The place as messages may show it: without a password.
  const std::string& place() const { return place_; }

  /// The number of a task, which is made where it is new.
  Result<TaskId> add_task(const Task& task);
  /// User error when there is none of that number.
  Result<StoredTask> task(TaskId id);
  /// All, or those of a program.
  Result<std::vector<StoredTask>> tasks(const std::optional<std::string>& program_hash = std::nullopt);

  Result<RunId> begin_run(TaskId task, const Run& run);
  /// Sets the funnel's facts (JSON) of a run; may be called again.
  Result<void> update_run(RunId run, const std::string& funnel);
  /// The same, and says that the run has come to its end.
  Result<void> end_run(RunId run, const std::string& funnel);
  Result<std::vector<StoredRun>> runs(TaskId task);

  /// Says that the run is about to measure the candidate, unless that is known or another run said so: then
  /// nobody else does until the outcome is recorded, the run ends, or claims_last are over.
  Result<Claim> claim(TaskId task, RunId run, const Candidate& candidate);
  /// The run is still about to measure what it claimed.
  Result<void> keep_claims(RunId run);

  /// Stores one evaluation with its candidate, all or nothing. A candidate that is known keeps what is known
  /// of it.
  Result<EvaluationId> record(TaskId task, std::optional<RunId> run, const Candidate& candidate,
                              const Evaluation& evaluation,
                              const std::optional<Features>& features = std::nullopt);
  /// In the order recorded.
  Result<std::vector<StoredEvaluation>> evaluations(TaskId task);
  /// The same, cheaply: for finding what is done already, or since.
  Result<std::vector<EvaluationSummary>> summaries(TaskId task, EvaluationId after = EvaluationId{0});
  /// The Ok evaluation of the lowest median, of any driver unless one is given.
  Result<std::optional<StoredEvaluation>> best(const std::string& program_hash, const std::string& language,
                                               const std::string& device, const NamedValues& sizes,
                                               const std::optional<std::string>& driver = std::nullopt);

  /// Says what the numbers of a schema are. User error when it has other names already.
  Result<void> name_features(const std::string& schema, const std::vector<std::string>& names);
  /// Empty when nobody has said.
  Result<std::vector<std::string>> feature_names(const std::string& schema);
  /// Replaces those of the same schema. As many as the schema has names, where it has.
  Result<void> set_features(CandidateId candidate, const Features& features);
  /// Of one schema, by candidate.
  Result<std::vector<std::pair<CandidateId, std::vector<double>>>> features(TaskId task,
                                                                            const std::string& schema);

  /// Models of one name are kept beside each other.
  Result<void> add_model(const Model& model);
  /// The newest of the name, and of the class of devices where one is given.
  Result<std::optional<Model>> model(const std::string& name,
                                     const std::optional<std::string>& device_class = std::nullopt);
  /// All, oldest first, without their contents.
  Result<std::vector<Model>> models();

  Result<Counts> counts();

  /// Hands over all that is stored at one moment, line by line, each with its end. An error of `write` ends
  /// it.
  Result<void> export_lines(const std::function<Result<void>(std::string_view)>& write);
  /// Adds what the lines hold and the store does not, all or nothing. User errors name the line: one that is
  /// no JSON, of another form, or that refers to what no earlier line holds; lines of a newer Hoist. `name`
  /// is the text's, for messages.
  Result<Imported> import_lines(std::istream& lines, const std::string& name);

  /// Removes the selected evaluations, and what then belongs to none: candidates with their features, runs
  /// that have come to their end, tasks, programs, devices. Says what it removed, or, `only_counted`, would.
  /// User error when no condition is set.
  Result<Counts> prune(const Selection& selection, bool only_counted);

 private:
  Store(std::unique_ptr<Database> database, std::string place);

  std::unique_ptr<Database> database_;
  std::string place_;
};

/// $XDG_DATA_HOME/hoist/store.sqlite, or ~/.local/share/hoist/store.sqlite, whose directory is made when it
/// is missing. User error where neither variable nor home is known.
Result<std::string> default_place();

}  // namespace hoist::store
