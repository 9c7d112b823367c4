#pragma once
// Where the same tests run: a file, and a PostgreSQL server of the tests' own where one is installed.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "unit/store/support.hpp"

namespace hoist::store {

enum class Kind { Sqlite, Postgres };

class StoreTest : public testing::TestWithParam<Kind> {
 protected:
  /// Skips, with the reason, where there is no server.
  void SetUp() override;
  /// A store of this test's own; those of other names are others.
  std::string place(const std::string& name = "store");

 private:
  TemporaryDirectory directory_;
  std::map<std::string, std::string> databases_;
};

/// The URL of a new database on the tests' server; empty where there is no server.
std::string postgres_database(const std::string& encoding = "UTF8");

/// Runs SQL on a store's database, past Hoist; on PostgreSQL with its schema in the path.
void run_sql(const std::string& place, const std::string& sql);

inline auto all_kinds() { return testing::Values(Kind::Sqlite, Kind::Postgres); }
inline std::string name_of_kind(const testing::TestParamInfo<Kind>& info) {
  return info.param == Kind::Sqlite ? "Sqlite" : "Postgres";
}

}  // namespace hoist::store
