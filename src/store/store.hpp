#pragma once
// Everything that was ever tuned: programs, devices, candidates, each single time, outcomes, feature vectors,
// models. One SQLite file, or one PostgreSQL database that a team shares; docs/store.md has the tables.
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
#include "store/entries.hpp"

namespace hoist::store {

class Database;

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
  /// The latest funnel that has this member, of all runs of any task on the run's device in its environment;
  /// empty where none has.
  Result<std::string> latest_funnel_with(const std::string& member, RunId run);

  /// Says that the run is about to measure the candidates, but for those that another run said so of, or that
  /// have an outcome younger than `after`: then nobody else measures one of the same term until the outcome
  /// is recorded, the run ends, or claims_last are over by the store's clock. One answer for each.
  Result<std::vector<Claim>> claim(TaskId task, RunId run, const std::vector<CandidateKey>& candidates,
                                   EvaluationId after = EvaluationId{0});
  /// The run is still about to measure what it claimed.
  Result<void> keep_claims(RunId run);
  /// What other runs have claimed, the oldest first.
  Result<std::vector<StoredClaim>> claims_of_others(TaskId task, RunId run);
  /// All times of the candidates that the run has timed, by whatever runs of the same Hoist. Those that are
  /// not Ok are left out.
  Result<std::vector<TimeOnNode>> times_beside(RunId run);

  /// Stores one evaluation with its candidate, all or nothing. A candidate that is known keeps what is known
  /// of it.
  Result<EvaluationId> record(TaskId task, std::optional<RunId> run, const Candidate& candidate,
                              const Evaluation& evaluation,
                              const std::optional<Features>& features = std::nullopt);
  /// In the order recorded.
  Result<std::vector<StoredEvaluation>> evaluations(TaskId task);
  /// The same, cheaply: for finding what is done already, or since.
  Result<std::vector<EvaluationSummary>> summaries(TaskId task, EvaluationId after = EvaluationId{0});
  /// The explored ones by derivation and parameters, which several tasks may have in common.
  Result<std::vector<MeasuredPoint>> points(TaskId task);
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
  /// The features of one schema, by candidate.
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
/// The store there, to be read; nothing where there is none. Errors: those of opening it.
Result<std::optional<Store>> users_store();

}  // namespace hoist::store
