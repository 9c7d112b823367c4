// What is read from a store.
#include "store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "store/facts.hpp"
#include "store/tables.hpp"

namespace hoist::store {

namespace {

std::optional<RunId> run_of(const Row& row, std::size_t column) {
  return row.is_null(column) ? std::nullopt : std::optional(RunId{row.integer(column)});
}

/// Names that a newer Hoist may have added would need a newer schema: what is unknown is damage.
template <class Named>
Named known(std::optional<Named> value, const std::string& name) {
  if (!value)
    throw_failure(
        ErrorKind::Device,
        fmt::format("the store is damaged: it holds an evaluation whose outcome or origin is unknown, '{}'",
                    name),
        {}, "restore a copy of it, or remove the row that another program has changed");
  return *value;
}

constexpr std::string_view task_columns =
    "SELECT t.id, p.name, p.text, p.hash, d.language, d.name, d.driver, d.vendor, d.platform, d.version, "
    "d.compute_units, d.facts, t.sizes, count(DISTINCT c.id), count(e.id), "
    "count(CASE WHEN e.outcome = 'ok' THEN 1 END), min(CASE WHEN e.outcome = 'ok' THEN e.median END), "
    "min(CASE WHEN e.outcome = 'ok' AND e.origin = 'baseline' THEN e.median END), coalesce(max(e.recorded), "
    "'') "
    "FROM tasks t JOIN programs p ON p.id = t.program JOIN devices d ON d.id = t.device "
    "LEFT JOIN candidates c ON c.task = t.id LEFT JOIN evaluations e ON e.candidate = c.id ";

StoredTask task_of(const Row& row) {
  StoredTask stored;
  stored.id = TaskId{row.integer(0)};
  stored.task.program = {row.text(1), row.text(2), row.text(3)};
  stored.task.device = {row.text(4), row.text(5), row.text(6),     row.text(7),
                        row.text(8), row.text(9), row.integer(10), row.text(11)};
  stored.task.sizes = read_column(row.text(12), named_values);
  stored.candidates = row.integer(13);
  stored.evaluations = row.integer(14);
  stored.ok = row.integer(15);
  stored.best = row.optional_real(16);
  stored.baseline = row.optional_real(17);
  stored.last = row.text(18);
  return stored;
}

std::vector<StoredTask> tasks_where(Database& database, std::string_view condition, const Values& values) {
  std::vector<StoredTask> found;
  database.query(fmt::format("{}{} GROUP BY t.id, p.id, d.id ORDER BY t.id", task_columns, condition), values,
                 [&](const Row& row) { found.push_back(task_of(row)); });
  return found;
}

constexpr std::string_view evaluation_columns =
    "SELECT e.id, c.id, e.run, c.name, c.hash, v.steps, c.parameters, c.term, c.launches, c.source, "
    "e.outcome, "
    "e.message, e.times, e.origin, e.build_seconds, e.kernels, e.clock_mhz, e.memory_clock_mhz, "
    "e.temperature_celsius, e.power_watts, e.wall_seconds, e.recorded, e.hoist, e.seed, e.median "
    "FROM evaluations e JOIN candidates c ON c.id = e.candidate JOIN derivations v ON v.id = c.derivation ";

Candidate candidate_of(const Row& row) {
  return {.name = row.text(3),
          .hash = row.text(4),
          .derivation = read_column(row.text(5), steps),
          .parameters = read_column(row.text(6), named_values),
          .term = row.text(7),
          .launches = read_column(row.text(8), launches),
          .source = row.text(9)};
}

StoredEvaluation evaluation_of(const Row& row) {
  StoredEvaluation stored;
  stored.id = EvaluationId{row.integer(0)};
  stored.candidate_id = CandidateId{row.integer(1)};
  stored.run = run_of(row, 2);
  stored.candidate = candidate_of(row);
  stored.evaluation = {.outcome = known(outcome_of(row.text(10)), row.text(10)),
                       .message = row.text(11),
                       .times = read_column(row.text(12), doubles),
                       .origin = known(origin_of(row.text(13)), row.text(13)),
                       .build_seconds = row.optional_real(14),
                       .kernels = read_column(row.text(15), kernel_builds),
                       .conditions = {row.optional_real(16), row.optional_real(17), row.optional_real(18),
                                      row.optional_real(19)},
                       .wall_seconds = row.real(20),
                       .recorded = row.text(21),
                       .hoist = row.text(22),
                       .seed = static_cast<std::uint64_t>(row.integer(23))};
  stored.median = row.optional_real(24);
  return stored;
}

Model model_of(const Row& row) {
  return {.name = row.text(0),
          .device_class = row.text(1),
          .schema = row.text(2),
          .content = row.bytes(3),
          .provenance = row.text(4),
          .created = row.text(5)};
}

}  // namespace

Result<StoredTask> Store::task(TaskId id) {
  return catch_failure([&] {
    std::vector<StoredTask> found = tasks_where(*database_, "WHERE t.id = $1", {number(id)});
    if (found.empty())
      throw_user(fmt::format("the store {} has no task {}", place_, number(id)), {},
                 "hoist store list shows those it has");
    return std::move(found.front());
  });
}

Result<std::vector<StoredTask>> Store::tasks(const std::optional<std::string>& program_hash) {
  return catch_failure([&] {
    return program_hash ? tasks_where(*database_, "WHERE p.hash = $1", {text(*program_hash)})
                        : tasks_where(*database_, "", {});
  });
}

Result<std::vector<StoredRun>> Store::runs(TaskId task) {
  return catch_failure([&] {
    std::vector<StoredRun> found;
    database_->query(
        "SELECT id, strategy, seed, budget, environment, hoist, started, funnel, ended FROM runs WHERE task "
        "= $1 "
        "ORDER BY id",
        {number(task)}, [&](const Row& row) {
          found.push_back({RunId{row.integer(0)},
                           {row.text(1), static_cast<std::uint64_t>(row.integer(2)), row.text(3), row.text(4),
                            row.text(5), row.text(6)},
                           row.text(7),
                           row.text(8)});
        });
    return found;
  });
}

Result<std::string> Store::latest_funnel_with(const std::string& member, RunId run) {
  return catch_failure([&] {
    std::string found;
    database_->query(
        "SELECT r.funnel FROM runs r JOIN tasks t ON t.id = r.task, "
        "runs own JOIN tasks its ON its.id = own.task "
        "WHERE own.id = $1 AND t.device = its.device AND r.environment = own.environment "
        "AND r.funnel LIKE $2 ORDER BY r.id DESC LIMIT 1",
        {number(run), text(fmt::format("%\"{}\":%", member))}, [&](const Row& row) { found = row.text(0); });
    return found;
  });
}

Result<std::vector<StoredEvaluation>> Store::evaluations(TaskId task) {
  return catch_failure([&] {
    std::vector<StoredEvaluation> found;
    database_->query(fmt::format("{}WHERE c.task = $1 ORDER BY e.id", evaluation_columns), {number(task)},
                     [&](const Row& row) { found.push_back(evaluation_of(row)); });
    return found;
  });
}

Result<std::vector<EvaluationSummary>> Store::summaries(TaskId task, EvaluationId after) {
  return catch_failure([&] {
    std::vector<EvaluationSummary> found;
    database_->query(
        "SELECT e.id, c.id, e.run, c.name, c.hash, e.outcome, e.origin, e.median, e.kernels, "
        "e.build_seconds, e.times FROM evaluations e "
        "JOIN candidates c ON c.id = e.candidate WHERE c.task = $1 AND e.id > $2 ORDER BY e.id",
        {number(task), number(after)}, [&](const Row& row) {
          found.push_back({EvaluationId{row.integer(0)}, CandidateId{row.integer(1)}, run_of(row, 2),
                           row.text(3), row.text(4), known(outcome_of(row.text(5)), row.text(5)),
                           known(origin_of(row.text(6)), row.text(6)), row.optional_real(7)});
          for (const KernelBuild& kernel : read_column(row.text(8), kernel_builds))
            found.back().kernel_seconds.push_back(kernel.seconds);
          found.back().build_seconds = row.optional_real(9).value_or(0);
          for (const double seconds : read_column(row.text(10), doubles)) found.back().run_seconds += seconds;
        });
    return found;
  });
}

Result<std::vector<StoredClaim>> Store::claims_of_others(TaskId task, RunId run) {
  return catch_failure([&] {
    std::vector<StoredClaim> found;
    database_->query(
        fmt::format("SELECT name, hash, run, CASE WHEN until < {} THEN 1 ELSE 0 END FROM claims "
                    "WHERE task = $1 AND run <> $2 ORDER BY id",
                    database_->moment(std::chrono::seconds(0))),
        {number(task), number(run)}, [&](const Row& row) {
          found.push_back({{row.text(0), row.text(1)}, RunId{row.integer(2)}, row.integer(3) == 1});
        });
    return found;
  });
}

Result<std::vector<TimeOnNode>> Store::times_beside(RunId run) {
  return catch_failure([&] {
    std::vector<TimeOnNode> found;
    database_->query(
        "SELECT e.candidate, r.environment, e.median FROM evaluations e JOIN runs r ON r.id = e.run "
        "WHERE e.outcome = 'ok' AND e.median IS NOT NULL AND r.hoist = (SELECT hoist FROM runs WHERE id = "
        "$1) AND e.candidate IN "
        "(SELECT candidate FROM evaluations WHERE run = $1 AND outcome = 'ok') ORDER BY e.id",
        {number(run)}, [&](const Row& row) {
          found.push_back({CandidateId{row.integer(0)}, row.text(1), row.real(2)});
        });
    return found;
  });
}

Result<std::vector<MeasuredPoint>> Store::points(TaskId task) {
  return catch_failure([&] {
    std::map<std::int64_t, std::vector<std::string>> rules;
    database_->query(
        "SELECT DISTINCT v.id, v.steps FROM derivations v JOIN candidates c ON c.derivation = v.id "
        "WHERE c.task = $1",
        {number(task)}, [&](const Row& row) {
          for (const Step& step : read_column(row.text(1), steps)) rules[row.integer(0)].push_back(step.rule);
        });
    std::vector<MeasuredPoint> found;
    database_->query(
        "SELECT c.derivation, c.parameters, e.outcome, e.median FROM evaluations e JOIN candidates c ON c.id "
        "= "
        "e.candidate WHERE c.task = $1 AND e.origin = 'explored' ORDER BY e.id",
        {number(task)}, [&](const Row& row) {
          found.push_back({rules[row.integer(0)], read_column(row.text(1), named_values),
                           known(outcome_of(row.text(2)), row.text(2)), row.optional_real(3)});
        });
    return found;
  });
}

Result<std::optional<StoredEvaluation>> Store::best(const std::string& program_hash,
                                                    const std::string& language, const std::string& device,
                                                    const NamedValues& sizes,
                                                    const std::optional<std::string>& driver) {
  return catch_failure([&] {
    NamedValues by_name = sizes;
    std::sort(by_name.begin(), by_name.end());
    Values values{text(program_hash), text(language), text(device), to_text(to_json(by_name))};
    if (driver) values.push_back(text(*driver));
    std::optional<StoredEvaluation> found;
    database_->query(
        fmt::format(
            "{}JOIN tasks t ON t.id = c.task JOIN programs p ON p.id = t.program "
            "JOIN devices d ON d.id = t.device WHERE e.outcome = 'ok' AND p.hash = $1 AND d.language = $2 "
            "AND d.name = $3 AND t.sizes = $4{} ORDER BY e.median, e.id LIMIT 1",
            evaluation_columns, driver ? " AND d.driver = $5" : ""),
        values, [&](const Row& row) { found = evaluation_of(row); });
    return found;
  });
}

Result<std::vector<std::pair<CandidateId, std::vector<double>>>> Store::features(TaskId task,
                                                                                 const std::string& schema) {
  return catch_failure([&] {
    std::vector<std::pair<CandidateId, std::vector<double>>> found;
    database_->query(
        "SELECT f.candidate, f.numbers FROM features f JOIN candidates c ON c.id = f.candidate "
        "WHERE c.task = $1 AND f.schema = $2 ORDER BY f.candidate",
        {number(task), text(schema)}, [&](const Row& row) {
          found.emplace_back(CandidateId{row.integer(0)}, read_column(row.text(1), doubles));
        });
    return found;
  });
}

Result<std::optional<Model>> Store::model(const std::string& name,
                                          const std::optional<std::string>& device_class) {
  return catch_failure([&] {
    Values values{text(name)};
    if (device_class) values.push_back(text(*device_class));
    std::optional<Model> found;
    database_->query(
        fmt::format("SELECT name, device_class, schema, content, provenance, created FROM models WHERE id = "
                    "(SELECT id FROM models WHERE name = $1{} ORDER BY created DESC, id DESC LIMIT 1)",
                    device_class ? " AND device_class = $2" : ""),
        values, [&](const Row& row) { found = model_of(row); });
    return found;
  });
}

Result<std::vector<Model>> Store::models() {
  return catch_failure([&] {
    std::vector<Model> found;
    database_->query(
        "SELECT name, device_class, schema, provenance, created FROM models ORDER BY created, id", {},
        [&](const Row& row) {
          found.push_back({row.text(0), row.text(1), row.text(2), {}, row.text(3), row.text(4)});
        });
    return found;
  });
}

Result<Counts> Store::counts() {
  return catch_failure([&] {
    const auto rows_of = [&](std::string_view table) {
      return Row(*database_->first(fmt::format("SELECT count(*) FROM {}", table))).integer(0);
    };
    return in_transaction(*database_, Access::Read, [&]() -> Counts {
      return {rows_of("programs"), rows_of("devices"),     rows_of("tasks"),    rows_of("candidates"),
              rows_of("runs"),     rows_of("evaluations"), rows_of("features"), rows_of("models")};
    });
  });
}

}  // namespace hoist::store
