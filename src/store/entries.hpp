#pragma once
// What a store holds, and is asked, as values.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hoist::store {

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
  std::optional<double> seconds = {};                ///< of all its launches in one run: the median
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
  std::vector<std::optional<double>> kernel_seconds = {};  ///< of each kernel (KernelBuild::seconds)
  double build_seconds = 0, run_seconds = 0;  ///< what it took: building, and all of the timed runs
};

/// What came of one candidate that was explored, told by what it is made of rather than by its name.
struct MeasuredPoint {
  std::vector<std::string> rules;  ///< of its derivation, without their places
  NamedValues parameters;
  Outcome outcome = Outcome::Ok;
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

/// What tells a candidate from others of its task.
struct CandidateKey {
  std::string name, hash;
};

/// Who measures a candidate where several runs share a store.
enum class Claim : std::uint8_t {
  Mine,
  UnderWay,  ///< another run is about to
  Measured,  ///< the store has an outcome
};
/// A run that says nothing for so long is taken to be no more.
inline constexpr std::chrono::seconds claims_last{60};

/// A claim that a run has made, of a candidate that has no outcome yet.
struct StoredClaim {
  CandidateKey candidate;
  RunId run{};
  bool is_over = false;  ///< the run has said nothing for claims_last: the candidate is anybody's
};

/// A time of a candidate, and where it was taken.
struct TimeOnNode {
  CandidateId candidate{};
  std::string environment;  ///< of the run, JSON
  double median = 0;        ///< seconds
};

}  // namespace hoist::store
