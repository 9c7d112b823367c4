// What goes into a store.
#include "store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/sha256.hpp"
#include "store/facts.hpp"
#include "store/tables.hpp"

namespace hoist::store {

namespace {

std::int64_t signed_seed(std::uint64_t seed) { return static_cast<std::int64_t>(seed); }
Value json_value(const auto& list) { return to_text(to_json(list)); }
Value time_or_now(const std::string& time) { return time.empty() ? now() : time; }

/// What a caller gives as JSON must be some: exports hold it as it is.
Value checked_json(const std::string& json, std::string_view what) {
  if (!Json::accept(json)) throw Bug(fmt::format("{} is no JSON: {}", what, json));
  return text(json);
}

Value numbers_value(const std::vector<double>& numbers) {
  for (const double each : numbers)
    if (!std::isfinite(each)) throw Bug(fmt::format("a feature is {}, which the store does not hold", each));
  return to_text(Json(numbers));
}

std::int64_t insert_candidate(Database& database, TaskId task, const Candidate& candidate) {
  const std::string steps = to_text(to_json(candidate.derivation));
  const std::int64_t derivation = insert(database, table_named("derivations"), {sha256(steps), steps}).id;
  const Inserted row = insert(
      database, table_named("candidates"),
      {number(task), text(candidate.name), text(candidate.hash), derivation, json_value(candidate.parameters),
       text(candidate.term), json_value(candidate.launches), text(candidate.source)});
  if (!row.is_new && !candidate.source.empty())
    database.execute("UPDATE candidates SET source = $1 WHERE id = $2 AND source = ''",
                     {text(candidate.source), row.id});
  return row.id;
}

std::int64_t insert_evaluation(Database& database, const std::string& uid, std::int64_t candidate,
                               std::optional<RunId> run, const Evaluation& evaluation) {
  const Conditions& conditions = evaluation.conditions;
  return insert(database, table_named("evaluations"),
                {uid, candidate, run ? Value(number(*run)) : Value(), text(name_of(evaluation.origin)),
                 text(name_of(evaluation.outcome)), text(evaluation.message), to_text(Json(evaluation.times)),
                 optional_value(median_of(evaluation.times)), optional_value(evaluation.build_seconds),
                 json_value(evaluation.kernels), optional_value(conditions.clock_mhz),
                 optional_value(conditions.memory_clock_mhz), optional_value(conditions.temperature_celsius),
                 optional_value(conditions.power_watts), evaluation.wall_seconds,
                 time_or_now(evaluation.recorded), text(evaluation.hoist), signed_seed(evaluation.seed)})
      .id;
}

std::optional<std::vector<std::string>> names_of(Database& database, const std::string& schema) {
  const auto row = database.first("SELECT names FROM feature_schemas WHERE schema = $1", {text(schema)});
  if (!row) return std::nullopt;
  return read_column(Row(*row).text(0), names);
}

void replace_features(Database& database, std::int64_t candidate, const Features& features) {
  const auto known = names_of(database, features.schema);
  if (known && known->size() != features.numbers.size())
    throw Bug(fmt::format("{} features of the schema {}, which has {}", features.numbers.size(),
                          features.schema, known->size()));
  const Value numbers = numbers_value(features.numbers);
  const Inserted row = insert(database, table_named("features"), {candidate, text(features.schema), numbers});
  if (!row.is_new) database.execute("UPDATE features SET numbers = $1 WHERE id = $2", {numbers, row.id});
}

void need_row(Database& database, std::string_view table, std::int64_t id, const std::string& place) {
  if (!database.first(fmt::format("SELECT id FROM {} WHERE id = $1", table), {id}))
    throw_user(fmt::format("the store {} has no {} {}", place, table_named(table).kind, id));
}

/// Candidates of one term are one measurement, whatever their names. Writers come one after the other, so
/// what is read here holds until the transaction ends.
Claim claim_one(Database& database, TaskId task, RunId run, const CandidateKey& candidate,
                EvaluationId after) {
  const Value of_task = number(task), hash = text(candidate.hash);
  // CROSS JOIN has SQLite begin with the evaluations, of which few are younger.
  if (database.first("SELECT e.id FROM evaluations e CROSS JOIN candidates c WHERE c.id = e.candidate "
                     "AND e.id > $1 AND e.origin = 'explored' AND c.task = $2 AND c.hash = $3 LIMIT 1",
                     {number(after), of_task, hash}))
    return Claim::Measured;
  if (database.first(fmt::format("SELECT id FROM claims WHERE task = $1 AND hash = $2 AND run <> $3 "
                                 "AND until >= {} LIMIT 1",
                                 database.moment(std::chrono::seconds(0))),
                     {of_task, hash, number(run)}))
    return Claim::UnderWay;
  // What is left of a run that was killed is anybody's.
  database.execute("DELETE FROM claims WHERE task = $1 AND hash = $2", {of_task, hash});
  database.execute(
      fmt::format("INSERT INTO claims (task, name, hash, run, until) VALUES ($1, $2, $3, $4, {})",
                  database.moment(claims_last)),
      {of_task, text(candidate.name), hash, number(run)});
  return Claim::Mine;
}

}  // namespace

Result<TaskId> Store::add_task(const Task& task) {
  return catch_failure([&] {
    NamedValues sizes = task.sizes;
    std::sort(sizes.begin(), sizes.end());
    const Device& device = task.device;
    return in_transaction(*database_, Access::Write, [&] {
      const std::int64_t program =
          insert(*database_, table_named("programs"),
                 {text(task.program.hash), text(task.program.name), text(task.program.text)})
              .id;
      const std::int64_t on =
          insert(*database_, table_named("devices"),
                 {text(device.language), text(device.name), text(device.driver), text(device.vendor),
                  text(device.platform), text(device.version), device.compute_units,
                  checked_json(device.facts, "what is known of a device")})
              .id;
      return TaskId{insert(*database_, table_named("tasks"), {program, on, json_value(sizes), now()}).id};
    });
  });
}

Result<RunId> Store::begin_run(TaskId task, const Run& run) {
  return catch_failure([&] {
    const std::string uid = new_uid();
    return in_transaction(*database_, Access::Write, [&] {
      need_row(*database_, "tasks", number(task), place_);
      // Those of runs that were killed are left to who goes on with the task, but not for ever.
      constexpr std::chrono::hours kept{24};
      database_->execute(fmt::format("DELETE FROM claims WHERE until < {}", database_->moment(-kept)));
      return RunId{
          insert(*database_, table_named("runs"),
                 {uid, number(task), text(run.strategy), signed_seed(run.seed),
                  checked_json(run.budget, "a budget"), "{}", checked_json(run.environment, "an environment"),
                  text(run.hoist), time_or_now(run.started), ""})
              .id};
    });
  });
}

Result<void> Store::update_run(RunId run, const std::string& funnel) {
  return catch_failure([&] {
    in_transaction(*database_, Access::Write, [&] {
      need_row(*database_, "runs", number(run), place_);
      database_->execute("UPDATE runs SET funnel = $1 WHERE id = $2",
                         {checked_json(funnel, "a funnel"), number(run)});
    });
  });
}

Result<void> Store::end_run(RunId run, const std::string& funnel) {
  return catch_failure([&] {
    in_transaction(*database_, Access::Write, [&] {
      need_row(*database_, "runs", number(run), place_);
      database_->execute("UPDATE runs SET funnel = $1, ended = $2 WHERE id = $3",
                         {checked_json(funnel, "a funnel"), now(), number(run)});
      database_->execute("DELETE FROM claims WHERE run = $1", {number(run)});
    });
  });
}

Result<EvaluationId> Store::record(TaskId task, std::optional<RunId> run, const Candidate& candidate,
                                   const Evaluation& evaluation, const std::optional<Features>& features) {
  if (const std::string fault = fault_of(evaluation); !fault.empty())
    return fail(ErrorKind::Bug,
                fmt::format("the evaluation of {} cannot be stored: {}", candidate.name, fault));
  return catch_failure([&] {
    const std::string uid = new_uid();
    return in_transaction(*database_, Access::Write, [&] {
      need_row(*database_, "tasks", number(task), place_);
      if (run) need_row(*database_, "runs", number(*run), place_);
      const std::int64_t row = insert_candidate(*database_, task, candidate);
      if (features) replace_features(*database_, row, *features);
      if (run)
        database_->execute("DELETE FROM claims WHERE task = $1 AND hash = $2 AND run = $3",
                           {number(task), text(candidate.hash), number(*run)});
      return EvaluationId{insert_evaluation(*database_, uid, row, run, evaluation)};
    });
  });
}

Result<std::vector<Claim>> Store::claim(TaskId task, RunId run, const std::vector<CandidateKey>& candidates,
                                        EvaluationId after) {
  return catch_failure([&] {
    return in_transaction(*database_, Access::Write, [&] {
      std::vector<Claim> claims;
      for (const CandidateKey& each : candidates)
        claims.push_back(claim_one(*database_, task, run, each, after));
      return claims;
    });
  });
}

Result<void> Store::keep_claims(RunId run) {
  return catch_failure([&] {
    in_transaction(*database_, Access::Write, [&] {
      database_->execute(
          fmt::format("UPDATE claims SET until = {} WHERE run = $1", database_->moment(claims_last)),
          {number(run)});
    });
  });
}

Result<void> Store::name_features(const std::string& schema, const std::vector<std::string>& names) {
  return catch_failure([&] {
    in_transaction(*database_, Access::Write, [&] {
      insert(*database_, table_named("feature_schemas"), {text(schema), to_text(Json(names))});
      if (names_of(*database_, schema) != names)
        throw_user(fmt::format("the store {} knows other features by the name '{}'", place_, schema), {},
                   "give the new ones another name");
    });
  });
}

Result<std::vector<std::string>> Store::feature_names(const std::string& schema) {
  return catch_failure([&] { return names_of(*database_, schema).value_or(std::vector<std::string>{}); });
}

Result<void> Store::set_features(CandidateId candidate, const Features& features) {
  return catch_failure([&] {
    in_transaction(*database_, Access::Write, [&] {
      need_row(*database_, "candidates", number(candidate), place_);
      replace_features(*database_, number(candidate), features);
    });
  });
}

Result<void> Store::add_model(const Model& model) {
  return catch_failure([&] {
    const std::string uid = new_uid();
    in_transaction(*database_, Access::Write, [&] {
      insert(*database_, table_named("models"),
             {uid, text(model.name), text(model.device_class), text(model.schema), Blob{model.content},
              checked_json(model.provenance, "a provenance"), time_or_now(model.created)});
    });
  });
}

}  // namespace hoist::store
