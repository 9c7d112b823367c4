#include "store/schema.hpp"

#include <fmt/format.h>

namespace hoist::store {

namespace {

using Statements = std::vector<std::string_view>;

// A new store is made by all of these in turn, so there is one description of the tables. A version that was
// released is never edited: what changes is a further entry. {id} numbers rows, {blob} is the type of bytes.
// docs/store.md explains columns.
const std::vector<Statements>& versions() {
  static const std::vector<Statements> all{
      {
          "CREATE TABLE hoist_store (schema_version BIGINT NOT NULL)",
          "INSERT INTO hoist_store (schema_version) VALUES (0)",
          "CREATE TABLE programs (id {id}, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, text TEXT NOT "
          "NULL)",
          "CREATE TABLE devices (id {id}, language TEXT NOT NULL, name TEXT NOT NULL, driver TEXT NOT NULL, "
          "vendor TEXT NOT NULL, platform TEXT NOT NULL, version TEXT NOT NULL, compute_units BIGINT NOT "
          "NULL, "
          "facts TEXT NOT NULL, UNIQUE (language, name, driver))",
          "CREATE TABLE tasks (id {id}, program BIGINT NOT NULL REFERENCES programs (id), "
          "device BIGINT NOT NULL REFERENCES devices (id), sizes TEXT NOT NULL, added TEXT NOT NULL, "
          "UNIQUE (program, device, sizes))",
          "CREATE TABLE derivations (id {id}, hash TEXT NOT NULL UNIQUE, steps TEXT NOT NULL)",
          "CREATE TABLE candidates (id {id}, task BIGINT NOT NULL REFERENCES tasks (id), name TEXT NOT NULL, "
          "hash TEXT NOT NULL, derivation BIGINT NOT NULL REFERENCES derivations (id), "
          "parameters TEXT NOT NULL, term TEXT NOT NULL, launches TEXT NOT NULL, source TEXT NOT NULL, "
          "UNIQUE (task, name, hash))",
          "CREATE INDEX candidates_by_derivation ON candidates (derivation)",
          "CREATE TABLE runs (id {id}, uid TEXT NOT NULL UNIQUE, task BIGINT NOT NULL REFERENCES tasks (id), "
          "strategy TEXT NOT NULL, seed BIGINT NOT NULL, budget TEXT NOT NULL, funnel TEXT NOT NULL, "
          "environment TEXT NOT NULL, hoist TEXT NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL)",
          "CREATE INDEX runs_by_task ON runs (task)",
          "CREATE TABLE evaluations (id {id}, uid TEXT NOT NULL UNIQUE, "
          "candidate BIGINT NOT NULL REFERENCES candidates (id), run BIGINT REFERENCES runs (id), "
          "origin TEXT NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL, times TEXT NOT NULL, "
          "median DOUBLE PRECISION, build_seconds DOUBLE PRECISION, kernels TEXT NOT NULL, "
          "clock_mhz DOUBLE PRECISION, memory_clock_mhz DOUBLE PRECISION, "
          "temperature_celsius DOUBLE PRECISION, power_watts DOUBLE PRECISION, "
          "wall_seconds DOUBLE PRECISION NOT NULL, recorded TEXT NOT NULL, hoist TEXT NOT NULL, "
          "seed BIGINT NOT NULL)",
          "CREATE INDEX evaluations_by_candidate ON evaluations (candidate)",
          "CREATE INDEX evaluations_by_run ON evaluations (run)",
          "CREATE TABLE features (id {id}, candidate BIGINT NOT NULL REFERENCES candidates (id), "
          "schema TEXT NOT NULL, numbers TEXT NOT NULL, UNIQUE (candidate, schema))",
          "CREATE TABLE models (id {id}, uid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, "
          "device_class TEXT NOT NULL, schema TEXT NOT NULL, content {blob} NOT NULL, "
          "provenance TEXT NOT NULL, created TEXT NOT NULL)",
      },
      {
          // A data set that explains itself.
          "CREATE TABLE feature_schemas (id {id}, schema TEXT NOT NULL UNIQUE, names TEXT NOT NULL)",
      },
      {
          // What runs are about to measure, so that no other does; of no worth later.
          "CREATE TABLE claims (id {id}, task BIGINT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, "
          "run BIGINT NOT NULL, until TEXT NOT NULL, UNIQUE (task, name, hash))",
      },
  };
  return all;
}

std::string in_words_of(const Database& database, std::string_view statement) {
  std::string text(statement);
  for (const auto& [mark, words] :
       {std::pair{std::string_view("{id}"), database.id_column()}, {"{blob}", database.blob_type()}}) {
    for (std::size_t place = 0; (place = text.find(mark, place)) != std::string::npos;)
      text.replace(place, mark.size(), words);
  }
  return text;
}

void refuse_newer(std::int64_t version, const std::string& place) {
  if (version > newest_schema())
    throw_user(
        fmt::format("the store {} was written by a newer Hoist", place),
        fmt::format("its tables have version {}; this Hoist knows those up to {}", version, newest_schema()),
        "use the newer Hoist, or another store: --store PLACE");
}

}  // namespace

std::int64_t newest_schema() { return static_cast<std::int64_t>(versions().size()); }

void migrate(Database& database, const std::string& place) {
  const std::int64_t found = database.schema_version();
  refuse_newer(found, place);
  if (found == newest_schema()) return;
  in_transaction(database, Access::Write, [&] {
    // Another process may have been faster.
    const std::int64_t version = database.schema_version();
    refuse_newer(version, place);
    for (std::int64_t next = version; next < newest_schema(); ++next)
      for (const std::string_view statement : versions()[static_cast<std::size_t>(next)])
        database.execute(in_words_of(database, statement));
    database.execute("UPDATE hoist_store SET schema_version = $1", {newest_schema()});
    database.mark_as_store();
  });
}

}  // namespace hoist::store
