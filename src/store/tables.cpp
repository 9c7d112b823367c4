#include "store/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hoist::store {

std::span<const Table> all_tables() {
  using enum Column::Kind;
  static const std::vector<Table> tables{
      {"programs", "program", {{"hash"}, {"name"}, {"text"}}, {"hash"}},
      {"devices",
       "device",
       {{"language"},
        {"name"},
        {"driver"},
        {"vendor"},
        {"platform"},
        {"version"},
        {"compute_units", Integer},
        {"facts", JsonText}},
       {"language", "name", "driver"}},
      {"tasks",
       "task",
       {{"program", Reference, "programs"}, {"device", Reference, "devices"}, {"sizes", JsonText}, {"added"}},
       {"program", "device", "sizes"}},
      {"derivations", "derivation", {{"hash"}, {"steps", JsonText}}, {"hash"}},
      {"candidates",
       "candidate",
       {{"task", Reference, "tasks"},
        {"name"},
        {"hash"},
        {"derivation", Reference, "derivations"},
        {"parameters", JsonText},
        {"term"},
        {"launches", JsonText},
        {"source"}},
       {"task", "name", "hash"}},
      {"runs",
       "run",
       {{"uid"},
        {"task", Reference, "tasks"},
        {"strategy"},
        {"seed", Integer},
        {"budget", JsonText},
        {"funnel", JsonText},
        {"environment", JsonText},
        {"hoist"},
        {"started"},
        {"ended"}},
       {"uid"}},
      {"evaluations",
       "evaluation",
       {{"uid"},
        {"candidate", Reference, "candidates"},
        {"run", Reference, "runs", true},
        {"origin"},
        {"outcome"},
        {"message"},
        {"times", JsonText},
        {"median", Real, {}, true},
        {"build_seconds", Real, {}, true},
        {"kernels", JsonText},
        {"clock_mhz", Real, {}, true},
        {"memory_clock_mhz", Real, {}, true},
        {"temperature_celsius", Real, {}, true},
        {"power_watts", Real, {}, true},
        {"wall_seconds", Real},
        {"recorded"},
        {"hoist"},
        {"seed", Integer}},
       {"uid"}},
      {"features",
       "features",
       {{"candidate", Reference, "candidates"}, {"schema"}, {"numbers", JsonText}},
       {"candidate", "schema"}},
      {"feature_schemas", "feature schema", {{"schema"}, {"names", JsonText}}, {"schema"}},
      {"models",
       "model",
       {{"uid"},
        {"name"},
        {"device_class"},
        {"schema"},
        {"content", Bytes},
        {"provenance", JsonText},
        {"created"}},
       {"uid"}},
  };
  return tables;
}

const Table& table_named(std::string_view name) {
  for (const Table& table : all_tables())
    if (table.name == name) return table;
  throw Bug(fmt::format("the store has no table {}", name));
}

std::size_t Table::place(std::string_view column) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& each) { return each.name == column; });
  if (found == columns.end()) throw Bug(fmt::format("the table {} has no column {}", name, column));
  return static_cast<std::size_t>(found - columns.begin());
}

Inserted insert(Database& database, const Table& table, const Values& values) {
  std::string names, marks, key;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    names += fmt::format("{}{}", i ? ", " : "", table.columns[i].name);
    marks += fmt::format("{}${}", i ? ", " : "", i + 1);
  }
  const auto added =
      database.first(fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING RETURNING id",
                                 table.name, names, marks),
                     values);
  if (added) return {Row(*added).integer(0), true};
  Values key_values;
  for (const std::string_view column : table.natural_key) {
    key_values.push_back(values[table.place(column)]);
    key += fmt::format("{}{} = ${}", key.empty() ? "" : " AND ", column, key_values.size());
  }
  const auto known = database.first(fmt::format("SELECT id FROM {} WHERE {}", table.name, key), key_values);
  if (!known) throw Bug(fmt::format("a row of {} is neither new nor known", table.name));
  return {Row(*known).integer(0), false};
}

}  // namespace hoist::store
