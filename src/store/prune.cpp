// Removing from a store.
#include "store/store.hpp"

#include <fmt/format.h>

#include "store/database.hpp"
#include "store/facts.hpp"

namespace hoist::store {

namespace {

struct Condition {
  std::string sql;
  Values values;

  void add(std::string_view term, Value value) {
    values.push_back(std::move(value));
    sql += fmt::format("{}{}", sql.empty() ? "" : " AND ",
                       fmt::format(fmt::runtime(term), fmt::arg("value", fmt::format("${}", values.size()))));
  }
};

/// Over evaluations e with their candidate c, task t, program p and device d.
Condition condition_of(const Selection& selection) {
  Condition condition;
  if (selection.task) condition.add("t.id = {value}", number(*selection.task));
  if (selection.program) {
    condition.add(selection.program->size() < shortest_hash
                      ? "p.name = {value}"
                      : "(p.name = {value} OR substr(p.hash, 1, length(CAST({value} AS TEXT))) = {value})",
                  text(*selection.program));
  }
  if (selection.device) condition.add("d.name = {value}", text(*selection.device));
  if (selection.before) condition.add("e.recorded < {value}", text(*selection.before));
  if (selection.only_failed) condition.add("e.outcome <> {value}", text(name_of(Outcome::Ok)));
  return condition;
}

class Pruning {
 public:
  Pruning(Database& database, const Selection& selection) : database_(database), selection_(selection) {}

  Counts remove_selected() {
    const Condition condition = condition_of(selection_);
    const std::string selected = fmt::format(
        "evaluations e JOIN candidates c ON c.id = e.candidate JOIN tasks t ON t.id = c.task "
        "JOIN programs p ON p.id = t.program JOIN devices d ON d.id = t.device WHERE {}",
        condition.sql);
    std::vector<std::int64_t> tasks;
    database_.query(fmt::format("SELECT DISTINCT t.id FROM {} ORDER BY t.id", selected), condition.values,
                    [&](const Row& row) { tasks.push_back(row.integer(0)); });
    removed_.evaluations = database_.execute(
        fmt::format("DELETE FROM evaluations WHERE id IN (SELECT e.id FROM {})", selected), condition.values);
    // Only where something was removed: a tuner may just have begun with another task.
    for (const std::int64_t task : tasks) remove_left_over(task);
    remove(
        "DELETE FROM derivations WHERE NOT EXISTS (SELECT 1 FROM candidates WHERE derivation = "
        "derivations.id)");
    return removed_;
  }

 private:
  std::int64_t remove(std::string_view sql, const Values& values = {}) {
    return database_.execute(sql, values);
  }

  void remove_left_over(std::int64_t task) {
    constexpr std::string_view unused =
        "task = $1 AND NOT EXISTS (SELECT 1 FROM evaluations WHERE candidate = candidates.id)";
    removed_.features += remove(
        fmt::format("DELETE FROM features WHERE candidate IN (SELECT id FROM candidates WHERE {})", unused),
        {task});
    removed_.candidates += remove(fmt::format("DELETE FROM candidates WHERE {}", unused), {task});
    // One that has not ended may be going on, unless it is older than what was asked to go.
    removed_.runs += remove(
        "DELETE FROM runs WHERE task = $1 AND (ended <> '' OR started < $2) "
        "AND NOT EXISTS (SELECT 1 FROM evaluations WHERE run = runs.id)",
        {task, text(selection_.before.value_or(""))});
    const std::optional<Values> row =
        database_.first("SELECT program, device FROM tasks WHERE id = $1", {task});
    removed_.tasks += remove(
        "DELETE FROM tasks WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM candidates WHERE task = tasks.id) "
        "AND NOT EXISTS (SELECT 1 FROM runs WHERE task = tasks.id)",
        {task});
    removed_.programs += remove(
        "DELETE FROM programs WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM tasks WHERE program = programs.id)",
        {Row(row.value()).integer(0)});
    removed_.devices += remove(
        "DELETE FROM devices WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM tasks WHERE device = devices.id)",
        {Row(row.value()).integer(1)});
  }

  Database& database_;
  const Selection& selection_;
  Counts removed_;
};

}  // namespace

Result<Counts> Store::prune(const Selection& selection, bool only_counted) {
  return catch_failure([&] {
    if (condition_of(selection).sql.empty()) throw_user("nothing says what to remove from the store");
    database_->begin(Access::Write);
    Counts removed;
    try {
      removed = Pruning(*database_, selection).remove_selected();
      if (only_counted)
        database_->roll_back();
      else
        database_->commit();
    } catch (...) {
      database_->roll_back();
      throw;
    }
    if (!only_counted) {
      try {
        database_->compact();
      } catch (const Failure&) {
        // Others are using the store, or the disk is full: the room is given back another time.
      }
    }
    return removed;
  });
}

}  // namespace hoist::store
